// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Acknowledge engine, fetch: guesses which WQEs a response will meet, and has them read from the send queue.
//
// A token begins at the oldest WQE of its QP: as the walk left it, or, while earlier tokens of the QP are still in
// front of the walk, as they will leave it if they find what they were guessed to find (of an ACK: WQEs of one packet
// each, as the last one was). How many WQEs follow is the
// least of what the PSNs between can cover, of what is posted, of a batch, and of what is left of the ring and of its
// page. A guess may be too short or too long: the walk sends such a token round again (again_i), and those go first.
//
// Latency four cycles, a token every third; in order but for those that go round again. ready: tok_ready_o is a
// flop's, again has none (InFlight tokens are all there are). It does NOT read WQEs itself, and changes nothing of an
// entry.

`include "ohca_assert.svh"
`default_nettype none

module ohca_ra_fetch #(
  parameter int unsigned InFlight   = 32,      // entries and tokens, power of two, at most 64
  parameter int unsigned BatchBytes = 4096,    // WQEs fetched at once, at most 4096
  parameter bit          Few        = 1'b0,    // a token comes now and then: a register in front
  parameter bit          Slow       = 1'b0,    // and so do requests
  localparam int unsigned EW        = $clog2(InFlight)
) (
  input  logic                     clk_i,
  input  logic                     rst_i,

  input  logic                     tok_valid_i,
  output logic                     tok_ready_o,
  input  ohca_fmt_pkg::ra_tok_t    tok_i,
  input  logic                     again_valid_i,
  input  ohca_fmt_pkg::ra_tok_t    again_i,

  output logic [EW-1:0]            e_o,              // the entry looked at, and what it says in the same cycle
  input  ohca_fmt_pkg::ra_qp_t     qp_i,
  input  ohca_fmt_pkg::ra_late_t   late_i,           // as the walk left it
  input  logic                     walked_i,         //   or nothing of it was walked yet

  output logic                     ask_valid_o,
  input  logic                     ask_ready_i,
  output ohca_fmt_pkg::ra_ask_t    ask_o,
  output logic                     ltok_valid_o,     // in the order of the requests
  input  logic                     ltok_ready_i,
  output ohca_fmt_pkg::ra_ltok_t   ltok_o
);

  typedef enum logic [1:0] { F_TAKE, F_VIEW, F_COUNT, F_GO } state_e;
  state_e                f_q;
  ohca_fmt_pkg::ra_tok_t tq, rq, t_q;
  logic                  tq_valid, tq_pop, rq_valid, rq_pop, rq_ready, lq_ready, rf_ready, load, issue;

  // Whether there is room is seen a cycle late, so one more token may come.
  logic tq_ready, tq_most, tq_room_q;
  always_ff @(posedge clk_i) tq_room_q <= !rst_i && !tq_most;
  assign tok_ready_o = Few ? tq_ready : tq_room_q;
  ohca_fifo #(.Width(ohca_fmt_pkg::RA_TOK_BITS), .Depth(InFlight), .UseRam(1'b0), .Single(Few),
      .AlmostFull(InFlight - 1)) u_tq (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(tok_valid_i && tok_ready_o), .ready_o(tq_ready), .data_i(tok_i),
    .valid_o(tq_valid), .ready_i(tq_pop), .data_o(tq), .count_o(), .almost_full_o(tq_most)
  );
  ohca_fifo #(.Width(ohca_fmt_pkg::RA_TOK_BITS), .Depth(InFlight), .UseRam(1'b0)) u_rq (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(again_valid_i), .ready_o(rq_ready), .data_i(again_i),
    .valid_o(rq_valid), .ready_i(rq_pop), .data_o(rq), .count_o(), .almost_full_o()
  );

  // ---- first cycle: a token
  assign load   = f_q == F_TAKE || issue;
  assign rq_pop = load && rq_valid;
  assign tq_pop = load && !rq_valid && tq_valid;
  assign e      = t_q.e[EW-1:0];
  assign e_o    = e;
  always_ff @(posedge clk_i) begin
    if (rst_i) f_q <= F_TAKE;
    else case (f_q)
      F_VIEW:  f_q <= F_COUNT;
      F_COUNT: f_q <= F_GO;
      default: if (load) f_q <= (rq_valid || tq_valid) ? F_VIEW : F_TAKE;
    endcase
    if (load && (rq_valid || tq_valid)) t_q <= rq_valid ? rq : tq;
  end

  // ---- second: where its WQEs begin
  logic [15:0]         p_una_q [InFlight];     // what an entry's next token should find: oldest WQE, its PSN, in a READ
  logic [23:0]         p_psn_q [InFlight];
  logic [InFlight-1:0] p_in_q;
  logic [EW-1:0]       e;
  logic [15:0]         pu, una_q, mask_q;
  logic [23:0]         pp, psn_q;
  logic                pin, new_e, fresh, in_q, end_ok_q, long_q;
  logic [23:0]         end_psn_q;
  logic [5:0]          base_q, page_q;         // where the ring begins in its page, in WQEs; WQEs of a page, less one
  logic [6:0]          max_q, max1_q;
  logic [63:0]         ring_q;
  logic [23:0]         qpn_q;
  logic [3:0]          stride_q;
  logic                mtt_q, first_q, ends_msg_q;     // a READ's first response; its last or only one
  ohca_fmt_pkg::opcode_t op;
  ohca_opcode u_opcode (.op_i({3'd0, t_q.op}), .is_o(op));
  assign new_e = t_q.first && !walked_i;
  assign pu    = p_una_q[e];
  assign pp    = p_psn_q[e];
  assign pin   = p_in_q[e] && !new_e;
  // As the walk left it, where that is not behind what was guessed.
  assign fresh = t_q.front || new_e || !ohca_fmt_pkg::pos_lt(late_i.una, pu);
  always_ff @(posedge clk_i) begin
    if (f_q == F_VIEW) begin
      una_q     <= fresh ? late_i.una : pu;
      psn_q     <= fresh ? late_i.una_psn : pp;
      in_q      <= fresh ? late_i.rd_active || (pin && !t_q.front && pu == late_i.una) : pin;
      end_ok_q  <= late_i.end_valid && fresh;
      long_q    <= late_i.end_psn > 24'd1;
      end_psn_q <= late_i.end_psn;
      mask_q    <= 16'((32'd1 << qp_i.log_size) - 32'd1);
      base_q    <= 6'(qp_i.ring[11:0] >> qp_i.log_stride);
      page_q    <= 6'(12'hfff >> qp_i.log_stride);
      max_q     <= 7'(13'(BatchBytes) >> qp_i.log_stride);
      max1_q    <= 7'(13'(BatchBytes) >> qp_i.log_stride) - 7'd1;
      ring_q    <= qp_i.ring;
      qpn_q     <= qp_i.qpn;
      stride_q  <= qp_i.log_stride;
      mtt_q     <= qp_i.buf_mtt;
      first_q    <= op.first;
      ends_msg_q <= op.last || op.only;
    end
  end

  // ---- third: how many the PSNs can cover, how many a fetch and what is posted allow, how many a page's and the
  // ring's end. More than a fetch can have counts as that.
  function automatic logic [6:0] few(input logic [23:0] x);
    few = (x[23:7] != 17'd0) ? 7'd127 : x[6:0];
  endfunction
  logic [15:0] left;
  logic [23:0] span, past;
  logic [6:0]  need, need_q, posted, most, most_q, most1_q, left1, wrap, ends_q;
  logic [5:0]  pend;
  logic        any_q, short_q;                         // short: an ACK, of WQEs that are a packet each
  assign left   = t_q.pi - una_q;
  assign left1  = t_q.pi[6:0] + ~una_q[6:0];
  assign posted = few({8'd0, left});
  assign most   = posted < max_q ? posted : max_q;
  assign wrap   = few({8'd0, mask_q & ~una_q});                        // up to the ring's end, less one
  assign pend   = page_q & ~(base_q + 6'(una_q & mask_q));             // and the page's
  // PSNs before its own, a NAK's not counted, and those behind the end of the oldest WQE, if that is known.
  assign span   = t_q.psn + ~psn_q + 24'(t_q.kind != ohca_fmt_pkg::RA_TK_NAK);
  assign past   = t_q.psn - end_psn_q;
  always_comb begin
    need = span[23] ? 7'd0 : few(span);                                // less one
    if (t_q.kind == ohca_fmt_pkg::RA_TK_RESP) begin
      need = (in_q || span[23]) ? 7'd0 : span[22:2] != 21'd0 ? 7'd3 : {5'd0, span[1:0]};
    end else if (end_ok_q) begin
      need = past[23] ? 7'd0 : few(past);
    end else if (long_q) begin
      need = {6'd0, !span[23] && span[22:0] != 23'd0};                 // long messages: most likely one
    end
  end
  always_ff @(posedge clk_i) begin
    if (f_q == F_COUNT) begin
      need_q  <= need;
      most_q  <= most;
      most1_q <= posted < max_q ? left1 : max1_q;                      // most, less one; of none posted nobody asks
      ends_q <= wrap < {1'b0, pend} ? wrap : {1'b0, pend};
      any_q  <= left != 16'd0 && !left[15];
      short_q <= t_q.kind == ohca_fmt_pkg::RA_TK_ACK && !in_q && !end_ok_q && !long_q && !span[23];
    end
  end

  // ---- fourth: the least of them
  logic [6:0]  least;
  logic        fewer, by_ends, over;
  logic [7:0]  cnt;
  logic [15:0] p_una_d, beyond;
  logic [23:0] p_psn_d;
  logic        p_in_d;
  ohca_fmt_pkg::ra_ask_t   rf;
  ohca_fmt_pkg::ra_ltok_t  lt;
  assign issue = f_q == F_GO && lq_ready && rf_ready;
  always_comb begin
    by_ends = ends_q < need_q;
    fewer   = ends_q < most_q || need_q < most_q;
    least   = by_ends ? ends_q : need_q;
    cnt     = {1'b0, most_q};
    if (fewer) cnt = {1'b0, least} + 8'd1;

    rf.qpn          = qpn_q;
    rf.idx          = una_q;
    rf.cnt          = cnt[6:0];
    rf.log_stride   = stride_q;
    rf.ring.buf_mtt = mtt_q;
    rf.ring.buf_    = ring_q;
    rf.ring.offset  = {8'd0, una_q & mask_q} << stride_q;
    rf.ring.len     = {5'd0, cnt} << stride_q;
    lt.t            = t_q;
    lt.idx          = una_q;
    lt.any          = any_q;

    // The WQE fetched last, or (over) the one behind it: each sum beside the choice.
    over    = !first_q || short_q;
    beyond  = una_q + {9'd0, most1_q} + 16'(over);
    if (fewer) beyond = by_ends ? una_q + {9'd0, ends_q} + 16'(over) : una_q + {9'd0, need_q} + 16'(over);

    p_una_d = una_q;
    p_psn_d = psn_q;
    p_in_d  = in_q;
    if (t_q.kind == ohca_fmt_pkg::RA_TK_RESP && any_q) begin
      case (1'b1)
        first_q: begin                          // the READ goes on
          p_una_d = beyond;
          p_psn_d = t_q.psn;
          p_in_d  = 1'b1;
        end
        ends_msg_q: begin
          p_una_d = beyond;
          p_psn_d = t_q.psn + 24'd1;
          p_in_d  = 1'b0;
        end
        default: ;
      endcase
    end
    // What does not take all that it acknowledges comes again by itself.
    if (short_q && any_q && !by_ends && need_q < most_q) begin
      p_una_d = beyond;
      p_psn_d = t_q.psn + 24'd1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (issue) begin
      p_una_q[e] <= p_una_d;
      p_psn_q[e] <= p_psn_d;
      p_in_q[e]  <= p_in_d;
    end
  end

  ohca_fifo #(.Width(ohca_fmt_pkg::RA_LTOK_BITS), .Depth(InFlight), .UseRam(1'b0), .ValidFlop(InFlight <= 32)) u_lq (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(issue), .ready_o(lq_ready), .data_i(lt),
    .valid_o(ltok_valid_o), .ready_i(ltok_ready_i), .data_o(ltok_o), .count_o(), .almost_full_o()
  );
  ohca_fifo #(.Width(ohca_fmt_pkg::RA_ASK_BITS), .Depth(4), .Single(Slow), .ValidFlop(!Slow)) u_rf (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(issue && any_q), .ready_o(rf_ready), .data_i(rf),
    .valid_o(ask_valid_o), .ready_i(ask_ready_i), .data_o(ask_o), .count_o(), .almost_full_o()
  );

  `ASSERT(AgainRoom_A, !again_valid_i || rq_ready)
  `ASSERT(TokenRoom_A, !(tok_valid_i && tok_ready_o) || tq_ready)

  logic unused;
  assign unused = &{1'b0, rq_ready, t_q, op, qp_i, late_i};

endmodule

`default_nettype wire
