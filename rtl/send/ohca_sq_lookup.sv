// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Send engine, lookup: whose context is looked up next, and what goes with it to the commit (lk_token_o). One a cycle,
// a cycle after it was asked for; accesses and QPs that one set to work, whose number comes from a flop (first_id_q),
// begin a cycle later, and not right behind each other. What is taken is acknowledged in the cycle in which it is.
//
//   feedback > QP that was set to work by an access, or access > T2 (a batch is here) > doorbell or T1, by turns > scan
//
// Feedback waits for nothing. The others need room for the reports that they may come to, which is promised here and
// given back as their token ends (end_*): up_count_i and what is promised are never more than UpDepth. T1, and a
// doorbell that brings its WQE, take a free turn with them; such a doorbell waits 63 cycles for one, then it goes
// without, as the bus waits behind it; T1 is first meanwhile, from the second cycle on, and no scan goes. When the
// commit has left a QP out of the run queue (lost_i), all contexts are looked up once, as soon as the queue is nearly
// empty, with what is left of the cycles.
//
// It does NOT look at contexts, and holds no token but that which is looked up next. lk_* are flops; readys follow from
// valids, and from lk_ready_i, in the same cycle.
// lint: Turns=64

`include "ohca_assert.svh"
`default_nettype none

module ohca_sq_lookup #(
  parameter int unsigned Turns   = 16,           // power of two
  parameter int unsigned UpDepth = 64,           // places for reports, power of two
  parameter int unsigned Sets    = 256,          // of the contexts, power of two
  localparam int unsigned SetW   = $clog2(Sets),
  localparam int unsigned TurnW  = $clog2(Turns),
  localparam int unsigned UpW    = $clog2(UpDepth),
  localparam int unsigned PayW   = 125
) (
  input  logic                     clk_i,
  input  logic                     rst_i,
  output logic                     idle_o,       // nothing is to be looked up, of its own accord or already chosen

  input  logic                     fb_valid_i,
  output logic                     fb_ready_o,
  input  ohca_fmt_pkg::sq_fb_t     fb_i,
  input  logic                     acc_valid_i,
  output logic                     acc_ready_o,
  input  ohca_fmt_pkg::ctx_acc_t   acc_i,
  input  logic                     t2_valid_i,
  output logic                     t2_ready_o,
  input  logic [23:0]              t2_id_i,
  input  logic [TurnW+31:0]        t2_i,         // {turn, gen 8, start 16, n 3, words that were fetched 5}
  input  logic                     db_valid_i,
  output logic                     db_ready_o,
  input  ohca_fmt_pkg::sq_db_t     db_i,
  output logic                     push_o,       // its WQE is written to the rows of turn_i
  output logic                     push_near_o,  // ... unless somebody goes before it, or the cache waits: early
  input  logic                     rq_valid_i,   // the run queue's next QP
  output logic                     rq_ready_o,
  input  logic [23:0]              rq_id_i,
  input  logic                     rq_room_i,    // it takes others than those that had a turn
  input  logic                     rq_few_i,     // it is nearly empty

  input  logic                     turn_valid_i, // a free turn
  input  logic [TurnW-1:0]         turn_i,
  output logic                     turn_take_o,
  input  logic                     turn_push_i,  // a doorbell's WQE may have it

  input  logic [UpW:0]             up_count_i,   // reports that wait
  input  logic                     end_i,        // the commit is through with a token
  input  ohca_fmt_pkg::sq_kind_e   end_kind_i,
  input  logic [23:0]              end_id_i,
  input  logic                     wrote_i,      // it was an access that wrote
  input  logic                     lost_i,       // a QP found no room in the run queue
  input  logic [24:0]              limit_i,      // QP numbers that exist

  output logic                     lk_valid_o,
  input  logic                     lk_ready_i,
  output logic [23:0]              lk_id_o,
  output logic [23:0]              lk_set_o,     // its set
  output logic [PayW+2:0]          lk_token_o,   // {kind, what came with it}
  output logic                     lk_inval_o
);

  ohca_fmt_pkg::sq_kind_e kind;
  logic [PayW-1:0]        pay;
  logic [23:0]            id;
  logic [SetW-1:0]        set;
`include "ohca_ctx_set.svh"
  logic                   others, rest, last, go_acc, go_t2, go_db, go_t1, go_scan, at_t2, at_t1, at_db, at_scan;
  logic                   db_turn, db_push, db_ask, t1_first_q;
  logic [5:0]             db_wait_q;
  logic                   db_over_q;
  // After an access that wrote: has the QP something to do now? It and accesses go before others, from here.
  logic                   chk_q, first_q, first_chk_q, lost_q, scan_q;
  logic [23:0]            chk_id_q, first_id_q;
  logic [SetW-1:0]        first_set_q;
  logic [24:0]            scan_id_q;
  assign idle_o = !chk_q && !first_q && !lost_q && !scan_q && !lk_valid_o;

  // ---- reports. A cycle old: what was looked up in it may have taken two. The first report of a turn that makes two
  // counts twice for a cycle, as its places are given back with the token: so this may come to UpDepth + 1.
  logic [UpW:0]   resv_q;
  logic [UpW+1:0] used;
  logic           one_q, two_q, ends_t2, ends_one;
  assign used     = (UpW+2)'(up_count_i) + (UpW+2)'(resv_q);
  assign ends_t2  = end_i && end_kind_i == ohca_fmt_pkg::SQ_KIND_T2;
  assign ends_one = end_i && (end_kind_i == ohca_fmt_pkg::SQ_KIND_DB || end_kind_i == ohca_fmt_pkg::SQ_KIND_T1);
  always_ff @(posedge clk_i) begin
    one_q <= used <= (UpW+2)'(UpDepth - 3);
    two_q <= used <= (UpW+2)'(UpDepth - 4);
    if (rst_i) resv_q <= '0;
    else resv_q <= resv_q + ((others && go_t2) ? (UpW+1)'(2) : (UpW+1)'(others && (go_db || go_t1)))
                          - (ends_t2 ? (UpW+1)'(2) : (UpW+1)'(ends_one));
  end

  // ---- the choice
  assign db_push = db_i.push && turn_push_i;
  // A pushed WQE waits a while for a turn before it is treated as an ordinary doorbell.
  assign db_ask  = db_valid_i && (!db_i.push || turn_push_i || db_over_q);
  // Feedback goes before all of them, and is looked at last: it comes from afar, and goes far.
  always_comb begin
    go_acc  = first_q && !first_chk_q;
    go_t2   = !first_q && t2_valid_i && two_q;
    rest    = !first_q && !t2_valid_i;
    last    = rest && one_q;
    go_t1   = last && rq_valid_i && turn_valid_i && (t1_first_q || !db_valid_i);
    db_turn = last && !(rq_valid_i && turn_valid_i && t1_first_q);
    go_db   = db_turn && db_valid_i && db_ask;
    go_scan = last && !(rq_valid_i && turn_valid_i) && !db_valid_i && scan_q && rq_room_i;
    // Whose number it would be does not wait for whether he may come in already.
    at_t2   = !first_q && t2_valid_i;
    at_t1   = rest && rq_valid_i && turn_valid_i && (t1_first_q || !db_valid_i);
    at_db   = rest && db_valid_i && !(rq_valid_i && turn_valid_i && t1_first_q);
    at_scan = rest && !db_valid_i && !(rq_valid_i && turn_valid_i);
    // One of them at most, so each bit is an OR.
    kind = ohca_fmt_pkg::sq_kind_e'((go_acc ? 3'(ohca_fmt_pkg::SQ_KIND_ACC) : 3'd0) |
                                    (at_t2 ? 3'(ohca_fmt_pkg::SQ_KIND_T2) : 3'd0) |
                                    (at_db ? 3'(ohca_fmt_pkg::SQ_KIND_DB) : 3'd0) |
                                    (at_t1 ? 3'(ohca_fmt_pkg::SQ_KIND_T1) : 3'd0) |
                                    ((first_q && first_chk_q) || at_scan ? 3'(ohca_fmt_pkg::SQ_KIND_SCAN) : 3'd0));
    pay  = (go_acc ? PayW'({acc_i.dw, acc_i.wdata, acc_i.wmask}) : '0) | (at_t2 ? PayW'(t2_i) : '0) |
           (at_db ? PayW'({turn_i, db_push, db_i.uar, db_i.pi}) : '0) | (at_t1 ? PayW'(turn_i) : '0);
    id   = (first_q ? first_id_q : 24'd0) | (at_t2 ? t2_id_i : 24'd0) |
           (at_db ? db_i.qpn : 24'd0) | (at_t1 ? rq_id_i : 24'd0) | (at_scan ? scan_id_q[23:0] : 24'd0);
    // Each folded before the choice, which comes late.
    set  = (first_q ? first_set_q : '0) | (at_t2 ? set_of(t2_id_i) : '0) |
           (at_db ? set_of(db_i.qpn) : '0) | (at_t1 ? set_of(rq_id_i) : '0) | (at_scan ? set_of(scan_id_q[23:0]) : '0);
  end
  // Who is chosen comes late, and what is looked up goes far: to the compares of every token that waits.
  logic            free;
  logic [SetW-1:0] set_q;
  assign free     = !lk_valid_o || lk_ready_i;
  assign lk_set_o = 24'(set_q);
  always_ff @(posedge clk_i) begin
    if (rst_i)     lk_valid_o <= 1'b0;
    else if (free) lk_valid_o <= fb_valid_i || first_q || go_t2 || go_db || go_t1 || go_scan;
    if (free) begin
      lk_inval_o <= !fb_valid_i && go_acc && acc_i.inval;
      lk_id_o    <= fb_valid_i ? fb_i.qpn : id;
      set_q      <= fb_valid_i ? set_of(fb_i.qpn) : set;
      lk_token_o <= fb_valid_i ? {ohca_fmt_pkg::SQ_KIND_FB, fb_i.kind, fb_i.idx, fb_i.una_psn, fb_i.psn, fb_i.ssn,
                                  fb_i.lsn_valid, fb_i.lsn, fb_i.rd_done, fb_i.rd_safe} : {kind, pay};
    end
  end
  assign others      = free && !fb_valid_i;
  assign fb_ready_o  = free && fb_valid_i;
  assign acc_ready_o = others && go_acc;
  assign t2_ready_o  = others && go_t2;
  assign db_ready_o  = others && go_db;
  assign rq_ready_o  = others && go_t1;
  assign turn_take_o = others && (go_t1 || (go_db && db_push));
  assign push_near_o = last && db_valid_i && db_push;                      // whoever else may go first
  assign push_o      = others && db_turn && db_valid_i && db_push;         // as go_db && db_push

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      t1_first_q <= 1'b0;
      db_wait_q  <= '0;
      db_over_q  <= 1'b0;
      lost_q     <= 1'b0;
      scan_q     <= 1'b0;
      scan_id_q  <= '0;
      chk_q      <= 1'b0;
      first_q    <= 1'b0;
    end else begin
      chk_q   <= (end_i && wrote_i) || (chk_q && first_q);
      first_q <= first_q ? !others : chk_q || acc_valid_i;
      if (!db_valid_i || db_ready_o) begin
        db_wait_q <= '0;
        db_over_q <= 1'b0;
      end else if (db_i.push && !turn_push_i && !db_over_q) begin
        db_wait_q <= db_wait_q + 6'd1;
        db_over_q <= db_wait_q == 6'd62;
      end
      if ((others && go_db) || (db_valid_i && !db_ask)) t1_first_q <= 1'b1;
      else if (others && go_t1) t1_first_q <= 1'b0;
      // Scan: after a QP was left out, once there is room again.
      if (lost_i) lost_q <= 1'b1;
      else if (!scan_q && lost_q && rq_few_i) lost_q <= 1'b0;
      if (!scan_q) begin
        scan_q    <= lost_q && rq_few_i && limit_i != '0;
        scan_id_q <= '0;
      end else if (others && go_scan) begin
        scan_id_q <= scan_id_q + 25'd1;
        if (scan_id_q + 25'd1 >= limit_i) scan_q <= 1'b0;
      end
    end
    if (end_i && end_kind_i == ohca_fmt_pkg::SQ_KIND_ACC) chk_id_q <= end_id_i;
    if (!first_q) begin
      first_chk_q <= chk_q;
      first_id_q  <= chk_q ? chk_id_q : acc_i.num;
      first_set_q <= chk_q ? set_of(chk_id_q) : set_of(acc_i.num);
    end
  end

  logic unused;
  assign unused = &{1'b0, fb_i, acc_i.part, db_i};

  `ASSERT(Set_A, !lk_valid_o || lk_set_o == 24'(set_of(lk_id_o)))
  `ASSERT(AccStays_A, !go_acc || acc_valid_i)
  `ASSERT(Push_A, push_o == (others && go_db && db_push))

endmodule

`default_nettype wire
