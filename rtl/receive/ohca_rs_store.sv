// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Wide tokens of ohca_rs in block RAM, for Compact: written word by word at the commit, read word by word by those who
// need them: the scatter stage (S) the first word and word Mid, the result stage (R) from word Mid to the end, and the
// response engine's jobs (J) from the first word to Mid + 1. A push takes Words cycles, all but the last of them ahead
// of it; a reader as many as it has words, and one. They share one read port: S goes first, then R, then J.
//
// Each token has a slot until R has taken it, or with keep until its job has been taken. S and R take tokens in the
// order of the pushes, J the kept ones.

`include "ohca_assert.svh"
`default_nettype none

module ohca_rs_store #(
  parameter int unsigned WordBits = 144,     // of the memory
  parameter int unsigned Words    = 5,       // of a token
  parameter int unsigned Mid      = 2,       // words before are of no interest to R but the first, those from Mid + 2
                                             // on of none to J
  parameter int unsigned Tokens   = 16,      // from push to R at most, power of two
  parameter int unsigned Jobs     = 16,      // kept at most, power of two
  parameter int unsigned SideBits = 46,      // what S needs besides
  parameter int unsigned JobBits  = 11,      // what a job needs besides, known to R
  localparam int unsigned JobW    = $clog2(Jobs)
) (
  input  logic                              clk_i,
  input  logic                              rst_i,

  // The words before Mid are written ahead when they are known, and all but the last; a drop forgets them. The last one
  // may change until the cycle in which the token is taken.
  input  logic                              ahead_i,
  input  logic                              known_i,
  input  logic                              drop_i,
  input  logic                              push_valid_i,
  input  logic                              push_last_i,    // its last word is ready
  output logic                              push_ready_o,
  input  logic [Words*WordBits-1:0]         push_i,
  input  logic [SideBits-1:0]               side_i,

  output logic                              s_valid_o,
  input  logic                              s_pop_i,
  output logic [2*WordBits-1:0]             s_o,        // {word Mid, first word}
  output logic [SideBits-1:0]               s_side_o,

  output logic                              r_valid_o,
  input  logic                              r_pop_i,
  input  logic                              r_hold_i,   // what r_o shows stays, also after the pop
  input  logic                              r_keep_i,   // with the pop: there will be a job
  input  logic [JobBits-1:0]                r_job_i,
  output logic [(Words-Mid)*WordBits-1:0]   r_o,

  output logic                              j_valid_o,
  input  logic                              j_pop_i,
  output logic [(Mid+2)*WordBits-1:0]       j_o,
  output logic [JobBits-1:0]                j_job_o,
  output logic [JobW:0]                     jobs_o      // kept
);

  localparam int unsigned Slots = Tokens + Jobs <= 2 * Tokens ? 2 * Tokens : 2 * Jobs;
  localparam int unsigned SlotW = $clog2(Slots);
  localparam int unsigned WordW = $clog2(Words);
  localparam int unsigned Last  = Words - 1;

  if (Mid < 1 || Words < Mid + 2) begin : g_bad
    $error("ohca_rs_store: Mid between the first word and the last but one");
  end

  // ------------------------------------------------------------------------------------------------ slots
  // First all of them, then those that come back, by R or from a job: a job's waits when R has one.
  logic [SlotW:0]   fresh_q;             // slots that were never used begin here
  logic [SlotW-1:0] slot, back, freed, r_slot, j_slot, jfree_slot_q;
  logic             slot_valid, back_valid, back_ready, push, r_free, jfree_q;
  assign slot_valid = !fresh_q[SlotW] || back_valid;
  assign slot       = fresh_q[SlotW] ? back : fresh_q[SlotW-1:0];
  assign r_free     = r_pop_i && !r_keep_i;
  assign freed      = r_free ? r_slot : jfree_slot_q;
  ohca_fifo #(.Width(SlotW), .Depth(Slots), .UseRam(1'b0)) u_free (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(r_free || jfree_q), .ready_o(back_ready), .data_i(freed),
    .valid_o(back_valid), .ready_i(push && fresh_q[SlotW]), .data_o(back), .count_o(), .almost_full_o()
  );
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      fresh_q <= '0;
      jfree_q <= 1'b0;
    end else begin
      if (push && !fresh_q[SlotW]) fresh_q <= fresh_q + (SlotW+1)'(1);
      jfree_q <= j_pop_i || (jfree_q && r_free);
    end
    if (j_pop_i) jfree_slot_q <= j_slot;
  end

  // ------------------------------------------------------------------------------------------------ write
  logic [Words-1:0]    wat_q;            // one-hot: the word that is written
  logic [WordW-1:0]    wword;
  logic [WordBits-1:0] wdata;
  logic                write;
  assign push_ready_o = slot_valid && wat_q[Last] && push_last_i;
  assign push         = push_valid_i && push_ready_o;
  assign write        = slot_valid && (wat_q[Last] ? push_valid_i && push_last_i :
      known_i || (ahead_i && |wat_q[Mid-1:0]));
  always_ff @(posedge clk_i) begin
    if (rst_i || drop_i) wat_q <= Words'(1);
    else if (write)      wat_q <= {wat_q[Last-1:0], wat_q[Last]};
  end
  always_comb begin
    wword = '0;
    wdata = '0;
    for (int unsigned i = 0; i < Words; i++) begin
      wword = wword | (WordW'(i) & {WordW{wat_q[i]}});
      wdata = wdata | (push_i[i*WordBits +: WordBits] & {WordBits{wat_q[i]}});
    end
  end

  // ------------------------------------------------------------------------------------------------ read
  typedef enum logic [1:0] { C_S, C_R, C_J } client_e;
  logic             sq_ready, rq_ready, jq_ready, sq_valid, rq_valid, jq_valid, rd_q, rd_last;
  logic [SlotW-1:0] s_slot, rd_slot;
  logic [WordW-1:0] rd_word_q;
  logic [2:0]       want, have_q, ld_q, ld_last_q, rd_who;
  client_e          rd_who_q;
  logic [WordBits-1:0] rdata;

  ohca_fifo #(.Width(SlotW + SideBits), .Depth(Tokens)) u_sq (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(push), .ready_o(sq_ready), .data_i({slot, side_i}),
    .valid_o(sq_valid), .ready_i(s_pop_i), .data_o({s_slot, s_side_o}), .count_o(), .almost_full_o()
  );
  ohca_fifo #(.Width(SlotW), .Depth(Tokens)) u_rq (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(push), .ready_o(rq_ready), .data_i(slot),
    .valid_o(rq_valid), .ready_i(r_pop_i), .data_o(r_slot), .count_o(), .almost_full_o()
  );
  ohca_fifo #(.Width(SlotW + JobBits), .Depth(Jobs), .UseRam(1'b0)) u_jq (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(r_pop_i && r_keep_i), .ready_o(jq_ready), .data_i({r_slot, r_job_i}),
    .valid_o(jq_valid), .ready_i(j_pop_i), .data_o({j_slot, j_job_o}), .count_o(jobs_o), .almost_full_o()
  );

  // A reader's last word arrives in the cycle after its read; until then it wants no more.
  assign want    = {jq_valid, rq_valid && !r_hold_i, sq_valid} & ~have_q & ~ld_q;
  assign rd_who  = rd_who_q == C_S ? 3'b001 : rd_who_q == C_R ? 3'b010 : 3'b100;
  assign rd_slot = rd_who_q == C_S ? s_slot : rd_who_q == C_R ? r_slot : j_slot;
  assign rd_last = rd_word_q == (rd_who_q == C_S ? WordW'(Mid) : rd_who_q == C_R ? WordW'(Last) : WordW'(Mid + 1));
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      rd_q      <= 1'b0;
      ld_q      <= '0;
      ld_last_q <= '0;
      have_q    <= '0;
    end else begin
      rd_q      <= rd_q ? !rd_last : |want;
      ld_q      <= rd_q ? rd_who : 3'd0;
      ld_last_q <= (rd_q && rd_last) ? rd_who : 3'd0;
      have_q    <= (have_q | ld_last_q) & ~{j_pop_i, r_pop_i, s_pop_i};
    end
    if (!rd_q) begin
      rd_who_q  <= want[0] ? C_S : want[1] ? C_R : C_J;
      rd_word_q <= (!want[0] && want[1]) ? WordW'(Mid) : '0;
    end else begin
      rd_word_q <= rd_who_q == C_S ? WordW'(Mid) : rd_word_q + WordW'(1);
    end
    // Words come in at the top.
    if (ld_q[0]) s_o <= {rdata, s_o[2*WordBits-1:WordBits]};
    if (ld_q[1]) r_o <= {rdata, r_o[(Words-Mid)*WordBits-1:WordBits]};
    if (ld_q[2]) j_o <= {rdata, j_o[(Mid+2)*WordBits-1:WordBits]};
  end
  assign s_valid_o = have_q[0];
  assign r_valid_o = have_q[1];
  assign j_valid_o = have_q[2] && !jfree_q;

  // A token is read only when all of it has been written.
  ohca_ram_sdp #(.Width(WordBits), .Depth(Slots << WordW), .OldData(1'b0)) u_ram (
    .clk_i(clk_i),
    .wr_en_i(write), .wr_be_i(1'b1), .wr_addr_i({slot, wword}), .wr_data_i(wdata),
    .rd_en_i(rd_q), .rd_addr_i({rd_slot, rd_word_q}), .rd_data_o(rdata)
  );

  logic unused;
  assign unused = &{1'b0, sq_ready, rq_ready, jq_ready, back_ready};

  `ASSERT(TokenRoom_A, !push || (sq_ready && rq_ready))
  `ASSERT(JobRoom_A, !(r_pop_i && r_keep_i) || jq_ready)
  `ASSERT(FreeRoom_A, !(r_free || jfree_q) || back_ready)
  `ASSERT(PopThere_A, (!s_pop_i || s_valid_o) && (!r_pop_i || r_valid_o) && (!j_pop_i || j_valid_o))

endmodule

`default_nettype wire
