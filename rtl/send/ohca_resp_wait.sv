// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Waiting room of the response engine: READs for which there is no ring, and what comes of their QPs behind them, first
// in, first out, in block RAM. Who comes next is offered (valid_o) as often as it may have become able to go, and goes
// with pop_i; a plain ACK takes the place of an older plain ACK of its QP when nothing of that QP lies between, and a
// NAK lies behind what its QP has here last without a place of its own: one for each place, in a second half of the
// memory.
//
//   look_i: QP -> all that wait are compared -> hit_o, merge_o, bears_o; put_i -> places -> the oldest is read ->
//   valid_o, job_o; its NAK is read in the same way when it has gone
//
// Whether a job goes in is known late in its cycle, so it is written before that, into the place that it would have.
// Places are left for READs that the responder has accepted already (Coming): others find none before (other_o), and
// while there are fewer than half as many again few_o says that no READ should be accepted; the NAKs that say so to the
// requesters find their places behind the READs. One in two cycles goes in, one in four (Compact: five) out; the oldest
// is offered three (four) cycles after it became that. hit_o, merge_o, bears_o, other_o and full_o are flops, good in
// the second cycle after look_i while nothing is put or popped; few_o is a flop two cycles old. It does NOT know rings:
// who is offered and cannot go stays, and is offered again when a ring became free (freed_i) and every 64 cycles, as
// there are other reasons.
// lint: Compact=1 RoCE=0 Places=64 Coming=20

`include "ohca_assert.svh"
`include "ohca_lazy.svh"
`default_nettype none

module ohca_resp_wait #(
  parameter int unsigned Places  = 128,    // power of two
  parameter int unsigned Coming  = 36,
  parameter bit          Compact = 1'b0,
  parameter bit          RoCE    = 1'b1,
  localparam int unsigned PlaceW = $clog2(Places)
) (
  input  logic                clk_i,
  input  logic                rst_i,
  output logic                some_o,      // somebody waits
  output logic                few_o,       // no READ should be accepted

  input  logic                look_i,
  input  logic [23:0]         look_qpn_i,
  output logic                hit_o,       // something of the QP waits
  output logic                merge_o,     //   last a plain ACK, which may be replaced
  output logic                bears_o,     //   which a NAK can lie behind without a place
  output logic                other_o,     // there is a place for what is not a READ
  output logic                full_o,      // there is none at all

  input  logic                act_i,       // the job of the QP looked for is there; it is decided now or later
  input  logic                may_i,       //   whether it comes here: it may
  input  logic                put_i,       // it does: behind all, or
  input  logic                put_merge_i, //   in the place of the ACK found; only with merge_o, known with act_i
  input  logic                put_nak_i,   // behind what was found; only with bears_o, known with act_i
  input  logic                put_plain_i, // it is a plain ACK
  input  ohca_fmt_pkg::rjob_t put_job_i,

  input  logic                freed_i,     // a ring became free
  output logic                valid_o,     // the oldest may be able to go; until take_i
  input  logic                take_i,      // it is tried
  input  logic                pop_i,       // it has gone
  output ohca_fmt_pkg::rjob_t job_o        // stays until pop_i
);

  localparam int unsigned Others = Places - Coming;       // so many places for all
  localparam int unsigned Reads  = Others / 2;            // no more READs are wanted then

  if ((1 << PlaceW) != Places || Coming + 4 > Places || Places < 8) begin : g_bad
    $error("ohca_resp_wait: Places a power of two, more than Coming");
  end

  logic [Places-1:0]       valid_q, tail_q, plain_q, nak_q, match_q;  // tail: the newest of its QP
  logic [Places-1:0][23:0] qpn_q;
  logic [PlaceW-1:0]       wr_q, rd_q, at, hit_d, hit_q, told_q;
  logic [PlaceW:0]         count_q;
  logic                    push, gone, plain_d, bears_d, read, there_q, try_q, behind_q, naks_q;
  logic                    nak_rd_q, second_q;   // of the oldest: a NAK lies behind it, and it comes next
  logic [2:0]              reading_q;
  logic [5:0]              tick_q;
  assign push   = put_i && !put_merge_i && !put_nak_i;
  assign gone   = pop_i && (!nak_rd_q || second_q);
  assign at     = put_merge_i || put_nak_i ? hit_q : wr_q;

  // ---- looking
  always_ff @(posedge clk_i) begin
    if (look_i) begin
      for (int unsigned i = 0; i < Places; i++) match_q[i] <= valid_q[i] && qpn_q[i] == look_qpn_i;
    end
  end
  always_comb begin
    hit_d   = '0;
    plain_d = 1'b0;
    bears_d = 1'b0;
    for (int unsigned i = 0; i < Places; i++) begin
      if (match_q[i] && tail_q[i]) begin
        hit_d   = hit_d | PlaceW'(i);
        plain_d = plain_d | plain_q[i];
        bears_d = bears_d | !nak_q[i];
      end
    end
  end
  always_ff @(posedge clk_i) begin
    hit_o   <= match_q != '0;
    hit_q   <= hit_d;
    merge_o <= plain_d && hit_d != rd_q;          // the oldest has been read
    bears_o <= bears_d;
    other_o <= count_q < (PlaceW+1)'(Others);
    full_o  <= count_q[PlaceW];
    few_o   <= !rst_i && count_q >= (PlaceW+1)'(Reads);
  end

  // ---- places
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      wr_q    <= '0;
      rd_q    <= '0;
      count_q <= '0;
      some_o  <= 1'b0;
      valid_q <= '0;
    end else begin
      wr_q    <= wr_q + PlaceW'(push);
      rd_q    <= rd_q + PlaceW'(gone);
      count_q <= count_q + (PlaceW+1)'(push) - (PlaceW+1)'(gone);
      some_o  <= push || count_q > (PlaceW+1)'(gone);
      `WHEN(push || gone) for (int unsigned i = 0; i < Places; i++) begin
        if (push && wr_q == PlaceW'(i)) valid_q[i] <= 1'b1;
        if (gone && rd_q == PlaceW'(i)) valid_q[i] <= 1'b0;
      end
    end
    // The free place has the number and the marks of each job that could come to it: nothing looks at them before it is
    // valid.
    `WHEN(act_i) for (int unsigned i = 0; i < Places; i++) begin
      if (act_i && !full_o && wr_q == PlaceW'(i)) begin
        qpn_q[i]   <= put_job_i.qpn;
        plain_q[i] <= put_plain_i;
        nak_q[i]   <= 1'b0;
        tail_q[i]  <= 1'b1;
      end
    end
    // What it means for the place found is said a cycle later: the next job of the QP is looked for then.
    behind_q <= push && hit_o && !rst_i;
    naks_q   <= put_i && put_nak_i && !rst_i;
    told_q   <= hit_q;
    `WHEN(behind_q || naks_q) for (int unsigned i = 0; i < Places; i++) begin
      if (behind_q && told_q == PlaceW'(i)) tail_q[i] <= 1'b0;
      if (naks_q && told_q == PlaceW'(i)) begin
        nak_q[i]   <= 1'b1;
        plain_q[i] <= 1'b0;                       // no ACK from behind the NAK takes its place
      end
    end
  end
  ohca_resp_jobs #(.Depth(2 * Places), .Compact(Compact), .RoCE(RoCE)) u_jobs (
    .clk_i(clk_i), .rst_i(rst_i), .we_i(act_i && may_i && (put_merge_i || put_nak_i || !full_o)),
    .waddr_i({put_nak_i, at}), .job_i(put_job_i), .re_i(read), .raddr_i({second_q, rd_q}), .job_o(job_o)
  );

  // ---- the oldest
  assign read    = some_o && !there_q && reading_q == '0;
  assign valid_o = there_q && try_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      reading_q <= '0;
      second_q  <= 1'b0;
      there_q   <= 1'b0;
      try_q     <= 1'b0;
      tick_q    <= '0;
    end else begin
      reading_q <= {reading_q[1], reading_q[0] && Compact, read};
      if (pop_i) second_q <= !gone;
      there_q   <= (there_q && !pop_i) || (Compact ? reading_q[2] : reading_q[0]);
      tick_q    <= some_o ? tick_q + 6'd1 : 6'd0;
      // What is freed while the oldest is tried counts for the next time.
      try_q     <= !there_q || freed_i || (&tick_q) || (try_q && !take_i);
    end
    // A cycle late: what comes in and what goes are two cycles apart, and the next one is read in three.
    nak_rd_q <= nak_q[rd_q];
  end

  `ASSERT(Some_A, some_o == (count_q != '0))
  `ASSERT(PutRoom_A, !push || !count_q[PlaceW])
  `ASSERT(Merge_A, !((act_i || put_i) && put_merge_i) || (merge_o && at != rd_q))
  `ASSERT(Bears_A, !((act_i || put_i) && put_nak_i) || (bears_o && !put_merge_i && !nak_q[hit_q]))
  `ASSERT(NakKnown_A, !pop_i || nak_rd_q == nak_q[rd_q])
  // The place that was written is still the one, and what was not written does not go in.
  logic            there, there_now;
  logic [PlaceW-1:0] there_at;
  assign there_now = act_i && may_i && (put_merge_i || put_nak_i || !full_o);
  always_ff @(posedge clk_i) begin
    if (rst_i || look_i) there <= 1'b0;
    else if (act_i)      there <= there_now;
    if (act_i) there_at <= at;
  end
  `ASSERT(Written_A, !put_i || (act_i ? there_now : there && there_at == at))
  `ASSERT(PopThere_A, !pop_i || there_q)
  `ASSERT(TakeValid_A, !take_i || valid_o)

  logic unused;
  assign unused = &{1'b0, there, there_at};

endmodule

`default_nettype wire
