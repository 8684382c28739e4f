// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Responder, lookup: which of all that waits gets its context next, one of eight kinds in turn; each only when what may
// follow from it will find room, so that nothing past here waits for anything but the host's memory and the completion
// unit.
//
//   kind    needs room for
//   PKT     a number (InFlight less four), an answer, a flush, an error for the other side
//   RERR    a token without a number (four), an answer, a flush, an error for the other side; one at a time
//   ACC     a token without a number, a flush
//   FLUSH   a token without a number, and one is left for others
//   DB, QERR  a flush
//   FIX, PI   nothing: what is behind them waits for them
//
// A request gets its place for an answer before its context is looked up, or it waits where nothing but packets waits.
// Not for ever, as the responses that let the peer's own answers go may come behind it: when no answer has left for
// 32,768 cycles (moved_i), packets go on without a place, and the commit drops them as if they were lost. A peer that
// fetches two contexts for each answer and gives credits for a quarter of its buffer at a time lets none go for more
// than 8,192 cycles. One place more is left for a failed READ, so that its NAK never misses one. Datagrams need none.
//
// QPs to flush, and what failed behind the responder, wait here: who reports an error never waits, and of errors that
// find no room miss_o tells.
//
// A lookup a cycle, two cycles after it came (Slow: every second, one cycle; Compact: in its cycle). Readys are a flop
// and the valid (Slow, Compact: the choice of this cycle, from flops and the valids); what leaves is a queue's
// (Compact: the choice itself). It does NOT look at what it lets through, and it keeps no packet.

`include "ohca_assert.svh"
`default_nettype none

module ohca_rs_lookup #(
  parameter int unsigned InFlight  = 32,               // tokens past here, power of two, at least 16
  parameter int unsigned JobDepth  = 32,               // answers that may wait, power of two
  parameter int unsigned Flushing  = 256,              // QPs, power of two, at least 256
  parameter bit          Compact   = 1'b0,             // what an access is to do stays where it comes from
  parameter bit          Slow      = 1'b0,
  localparam int unsigned TidW     = $clog2(InFlight),
  localparam int unsigned JobW     = $clog2(JobDepth),
  localparam int unsigned PayW     = Compact ? 32 : 69
) (
  input  logic                     clk_i,
  input  logic                     rst_i,
  output logic                     idle_o,             // nothing waits here, nothing is past here

  input  logic                     acc_valid_i,
  output logic                     acc_ready_o,
  input  ohca_fmt_pkg::ctx_acc_t   acc_i,
  input  logic                     fix_valid_i,
  output logic                     fix_ready_o,
  input  logic [23:0]              fix_qpn_i,
  input  logic                     pkt_valid_i,
  output logic                     pkt_ready_o,
  input  logic [23:0]              pkt_qpn_i,
  input  logic                     pkt_dg_i,           // a datagram
  input  logic [TidW-1:0]          pkt_slot_i,         // where it waits
  input  logic                     pi_valid_i,
  output logic                     pi_ready_o,
  input  logic [40:0]              pi_i,               // {error, qpn 24, index 16}
  input  logic                     db_valid_i,
  output logic                     db_ready_o,
  input  logic [55:0]              db_i,               // {page 16, qpn 24, index 16}
  input  logic                     qerr_valid_i,
  output logic                     qerr_ready_o,
  input  logic [23:0]              qerr_qpn_i,
  input  logic                     flush_valid_i,      // always taken
  input  logic [23:0]              flush_qpn_i,

  input  logic                     rerr_valid_i,       // a READ failed, was one too many; payload was lost: all taken
  input  logic [47:0]              rerr_i,             // {qpn 24, psn 24}
  input  logic                     over_valid_i,
  input  logic [47:0]              over_i,
  input  logic                     lost_valid_i,
  input  logic [23:0]              lost_qpn_i,
  output logic                     miss_o,

  input  logic [JobW+1:0]          jobs_i,             // answers that wait, and places that are kept for some
  input  logic                     moved_i,            // an answer has left
  input  logic                     qerr_room_i,
  input  logic                     end_i,              // a token leaves the commit
  input  ohca_fmt_pkg::rs_kind_e   end_kind_i,
  input  logic                     end_pkt_free_i,     //   and with it, its number
  input  logic                     end_x_free_i,       //   the same of those without a number
  input  logic                     pkt_free_i,         // a number is free again
  input  logic                     x_free_i,
  output logic                     rerr_out_o,         // a RERR is between here and the commit: one place is its own

  output logic                     lk_valid_o,
  input  logic                     lk_ready_i,
  output logic                     lk_inval_o,
  output logic [23:0]              lk_qpn_o,
  output ohca_fmt_pkg::rs_kind_e   lk_kind_o,
  output logic [PayW-1:0]          lk_pay_o            // ACC {dw, wdata, wmask}, PKT slot, PI {error, index},
);                                                     // DB {page, index}, RERR {lost, over, psn}

  localparam int unsigned XTokens  = 4;                   // tokens kept for flushes, READ errors and resets
  localparam int unsigned PktMax   = InFlight - XTokens;  // packets past the lookup, poison included
  localparam int unsigned FlMargin = 96 + InFlight;       // what is looked up, read, or a fix-up may start a flush
  localparam int unsigned LkW      = 1 + 24 + 3 + PayW;   // {inval, qpn, kind, payload}
  localparam int unsigned FlW      = $clog2(Flushing);
  localparam logic [2:0] ACC = ohca_fmt_pkg::RS_KIND_ACC, FIX = ohca_fmt_pkg::RS_KIND_FIX,
                         PKT = ohca_fmt_pkg::RS_KIND_PKT, PI = ohca_fmt_pkg::RS_KIND_PI,
                         FLUSH = ohca_fmt_pkg::RS_KIND_FLUSH, DB = ohca_fmt_pkg::RS_KIND_DB,
                         QERR = ohca_fmt_pkg::RS_KIND_QERR, RERR = ohca_fmt_pkg::RS_KIND_RERR;

  // ---- what failed behind the responder
  logic        ra_valid, rb_valid, rc_valid, rerr_valid, rerr_lost, over_lost, lost_lost;
  logic [47:0] ra_what, rb_what;
  logic [23:0] rc_what;
  logic [7:0]  want, take;
  ohca_rs_rerr #(.Depth(Compact ? 16 : 32)) u_rerr (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(rerr_valid_i), .qpn_i(rerr_i[47:24]), .psn_i(rerr_i[23:0]),
    .lost_o(rerr_lost), .valid_o(ra_valid), .ready_i(take[RERR]), .qpn_o(ra_what[47:24]), .psn_o(ra_what[23:0])
  );
  ohca_rs_rerr #(.Depth(16)) u_over (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(over_valid_i), .qpn_i(over_i[47:24]), .psn_i(over_i[23:0]),
    .lost_o(over_lost), .valid_o(rb_valid), .ready_i(take[RERR] && !ra_valid), .qpn_o(rb_what[47:24]),
    .psn_o(rb_what[23:0])
  );
  ohca_rs_rerr #(.Depth(16)) u_lost (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(lost_valid_i), .qpn_i(lost_qpn_i), .psn_i('0),
    .lost_o(lost_lost), .valid_o(rc_valid), .ready_i(take[RERR] && !ra_valid && !rb_valid), .qpn_o(rc_what),
    .psn_o()
  );
  assign rerr_valid = ra_valid || rb_valid || rc_valid;
  assign miss_o     = rerr_lost || over_lost || lost_lost;

  // ---- QPs with receive WQEs to flush, one WQE a turn; the memory does not wait for the lookup
  logic         fl_valid, fl_ready, fm_valid, fm_ready;
  logic [23:0]  fl_qpn, fm_qpn;
  logic [FlW:0] fl_count;
  ohca_fifo #(.Width(24), .Depth(Flushing)) u_fl (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(flush_valid_i), .ready_o(fl_ready), .data_i(flush_qpn_i),
    .valid_o(fm_valid), .ready_i(fm_ready), .data_o(fm_qpn), .count_o(fl_count), .almost_full_o()
  );
  ohca_fifo #(.Width(24), .Depth(2), .Single(1'b1)) u_fm (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(fm_valid), .ready_o(fm_ready), .data_i(fm_qpn),
    .valid_o(fl_valid), .ready_i(take[FLUSH]), .data_o(fl_qpn), .count_o(), .almost_full_o()
  );

  // ---- places for answers
  logic            pkt_place_q, rerr_place_q, late_q;
  logic [TidW:0]   pre_q;                     // packets between here and the commit
  logic [JobW+1:0] places;
  logic [14:0]     wait_q;                    // cycles without a place for the next packet, no answer leaving
  assign places = jobs_i + (JobW+2)'(pre_q) + (JobW+2)'(rerr_out_o);
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      pre_q        <= '0;
      pkt_place_q  <= 1'b0;
      rerr_place_q <= 1'b0;
      wait_q       <= '0;
      rerr_out_o   <= 1'b0;
      late_q       <= 1'b0;
    end else begin
      pre_q        <= pre_q + (TidW+1)'(take[PKT]) - (TidW+1)'(end_i && end_kind_i == PKT);
      // A cycle old, in which one may have been taken.
      pkt_place_q  <= places < (JobW+2)'(JobDepth - 3);
      rerr_place_q <= places < (JobW+2)'(JobDepth - 2);
      rerr_out_o   <= take[RERR] || (rerr_out_o && !(end_i && end_kind_i == RERR));
      late_q       <= &wait_q && !pkt_place_q && !moved_i;
      if (pkt_place_q || moved_i)         wait_q <= '0;
      else if (pkt_valid_i && !(&wait_q)) wait_q <= wait_q + 15'd1;
    end
  end

  // ---- tokens: whether there is room is known before the choice, and only then whether the choice takes it, so
  // nothing is counted in front of it or behind it. What has become free counts a cycle later.
  logic          flush_room, pkt_go_q, x_go_q, fl_go_q, x_take, pkt_took_q, x_took_q;   // took: not counted yet
  logic [TidW:0] pkt_used_q, pkt_used;
  logic [2:0]    x_used_q, x_used;
  assign pkt_used = pkt_used_q + (TidW+1)'(pkt_took_q);
  assign x_used   = x_used_q + 3'(x_took_q);
  assign x_take   = take[FLUSH] || take[RERR] || take[ACC];
  always_ff @(posedge clk_i) begin
    flush_room <= fl_count < (FlW+1)'(Flushing - FlMargin);        // a cycle old, in which one more may have come
    pkt_go_q   <= !rst_i && (take[PKT] ? pkt_used < (TidW+1)'(PktMax - 1) : pkt_used < (TidW+1)'(PktMax));
    x_go_q     <= !rst_i && (x_take ? x_used < 3'(XTokens - 1) : x_used < 3'(XTokens));
    fl_go_q    <= !rst_i && (x_take ? x_used < 3'(XTokens - 2) : x_used < 3'(XTokens - 1));
    if (rst_i) begin
      pkt_used_q <= '0;
      x_used_q   <= '0;
      pkt_took_q <= 1'b0;
      x_took_q   <= 1'b0;
    end else begin
      pkt_took_q <= take[PKT];
      x_took_q   <= x_take;
      pkt_used_q <= pkt_used - (TidW+1)'(pkt_free_i) - (TidW+1)'(end_i && end_pkt_free_i);
      x_used_q   <= x_used - 3'(x_free_i) - 3'(end_i && end_x_free_i);
    end
  end

  // ---- the choice
  assign want[ACC]   = acc_valid_i && flush_room && x_go_q;
  assign want[FIX]   = fix_valid_i;                    // not behind flushes, which may wait for R
  assign want[PKT]   = pkt_valid_i && pkt_go_q && flush_room && qerr_room_i && (pkt_place_q || late_q || pkt_dg_i);
  assign want[PI]    = pi_valid_i;
  assign want[FLUSH] = fl_valid && fl_go_q;
  assign want[DB]    = db_valid_i && flush_room;
  assign want[QERR]  = qerr_valid_i && flush_room;
  assign want[RERR]  = rerr_valid && flush_room && qerr_room_i && x_go_q && !rerr_out_o && rerr_place_q;

  logic [7:0][LkW-1:0] in;
  logic [LkW-1:0]      out;
  logic [PayW-1:0]     acc_pay;                        // by itself: Yosys takes a choice in a concatenation for wider
  assign acc_pay   = Compact ? '0 : PayW'({acc_i.dw, acc_i.wdata, acc_i.wmask});
  assign in[ACC]   = {acc_i.inval, acc_i.num, ACC, acc_pay};
  assign in[FIX]   = {1'b0, fix_qpn_i, FIX, PayW'(0)};
  assign in[PKT]   = {1'b0, pkt_qpn_i, PKT, PayW'(pkt_slot_i)};
  assign in[PI]    = {1'b0, pi_i[39:16], PI, PayW'({pi_i[40], pi_i[15:0]})};
  assign in[FLUSH] = {1'b0, fl_qpn, FLUSH, PayW'(0)};
  assign in[DB]    = {1'b0, db_i[39:16], DB, PayW'({db_i[55:40], db_i[15:0]})};
  assign in[QERR]  = {1'b0, qerr_qpn_i, QERR, PayW'(0)};
  assign in[RERR]  = {1'b0, ra_valid ? ra_what[47:24] : rb_valid ? rb_what[47:24] : rc_what, RERR,
                      PayW'({!ra_valid && !rb_valid, !ra_valid && rb_valid, ra_valid ? ra_what[23:0] : rb_what[23:0]})};

  ohca_arb_queue #(.N(8), .Width(LkW), .Single(Compact || Slow)) u_arb (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(want), .take_o(take), .data_i(in),
    .valid_o(lk_valid_o), .ready_i(lk_ready_i), .data_o(out)
  );
  assign {lk_inval_o, lk_qpn_o} = out[LkW-1:PayW+3];
  assign lk_kind_o    = ohca_fmt_pkg::rs_kind_e'(out[PayW+2:PayW]);
  assign lk_pay_o     = out[PayW-1:0];
  assign acc_ready_o  = take[ACC];
  assign fix_ready_o  = take[FIX];
  assign pkt_ready_o  = take[PKT];
  assign pi_ready_o   = take[PI];
  assign db_ready_o   = take[DB];
  assign qerr_ready_o = take[QERR];

  assign idle_o = !rerr_valid && fl_count == '0 && !fl_valid && !lk_valid_o && pkt_used == '0 && x_used == '0;

  `ASSERT(FlushRoom_A, !flush_valid_i || fl_ready)

  logic unused;
  assign unused = &{1'b0, fl_ready, acc_i.part, acc_i.dw, acc_i.wdata, acc_i.wmask};

endmodule

`default_nettype wire
