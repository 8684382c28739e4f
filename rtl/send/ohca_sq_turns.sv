// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Turns of the send engine: which are free, whose class each is, and which classes may have another one. A free turn is
// offered one cycle after it is known (a turn a cycle); one whose two emitters are through (end_*) is free three cycles
// later, one that is given back (free_i) two.
//
// A class is a data VL, or (the last one) what takes no room. Each has a counter of the turns it holds: Own of them it
// is sure of (the last: OwnX), up to Pool more are for all together, and those only for a VL whose egress ring has
// room. Who may have another one (adm_o, push_o) is known three cycles after a turn got its class; so up to two more
// than that are given. What VLs without room hold counts in push_o as if it were free, as it may stay for long.
//
//   end_*, free_i -> which turns, whose class -> busy, counters -> above its own -> adm_o
//
// A turn's class is set once while it is busy (set_i), with a hash of its QP, so that a datagram QP that changes its
// class can be held back: clash_o, for the hash of the cycle before. It does NOT know what a turn is for. Outputs are
// flops, but cls_o (a memory's) and clash_* (a flop and two LUTs).
// lint: NumVl=4
// lint: NumVl=8 Pool=10

`include "ohca_assert.svh"
`include "ohca_lazy.svh"
`default_nettype none

module ohca_sq_turns #(
  parameter int unsigned Turns = 64,       // power of two, at least 8
  parameter int unsigned NumVl = 1,        // data VLs; 1: no classes
  parameter int unsigned Many  = 24,       // push_o: fewer than these are busy
  parameter int unsigned Own   = 8,
  parameter int unsigned OwnX  = 2,
  parameter int unsigned Pool  = 34,
  parameter int unsigned RoomW = 600,      // words and packets of room that a VL needs for turns from the pool
  parameter int unsigned RoomN = 20,
  localparam int unsigned TurnW = $clog2(Turns),
  localparam bit          Shared = NumVl > 1,
  localparam int unsigned NumC  = Shared ? NumVl + 1 : 1,
  localparam int unsigned ClsW  = Shared ? 4 : 1
) (
  input  logic                    clk_i,
  input  logic                    rst_i,
  output logic                    idle_o,         // none is busy

  output logic                    any_o,          // turn_o is free
  output logic [TurnW-1:0]        turn_o,
  output logic                    push_o,         // a pushed WQE may have it: fewer than Many are busy, those of VLs
                                                  // without room not counted, another is free, and VLs that move do
                                                  // not hold the whole pool, as a QP that is parked has to fetch it
  input  logic                    take_i,         // turn_o is taken; only with any_o

  input  logic                    h_end_i,        // the header emitter is through with this turn
  input  logic [TurnW-1:0]        h_turn_i,
  input  logic                    w_end_i,        // ... the payload emitter
  input  logic [TurnW-1:0]        w_turn_i,

  input  logic [TurnW-1:0]        at_i,           // the turn that the commit stage works on
  input  logic                    free_i,         // it comes back unused
  input  logic                    set_i,          // it has this class now
  input  logic [ClsW-1:0]         set_cls_i,
  input  logic [7:0]              hash_i,         // of its QP
  output logic [ClsW-1:0]         cls_o,          // its class, if it has one

  input  logic                    ask_i,          // clash_o is looked at in the next cycle
  input  logic [ClsW-1:0]         ask_cls_i,      // in the cycle of the answer: the class it is about
  output logic                    clash_o,        // a turn of such a QP has another class
  output logic [ClsW-1:0]         clash_cls_o,

  input  logic [NumVl-1:0][12:0]  room_i,         // of the egress rings: words and packets
  input  logic [NumVl-1:0][7:0]   desc_i,
  output logic [NumC-1:0]         adm_o
);

  localparam int unsigned CntW = TurnW + 1;

  logic [Turns-1:0] busy_q, h_done_q, w_done_q, gone;
  logic [CntW-1:0]  used_q;
  logic             pool_all;                // VLs that move hold the whole pool
  logic [CntW-1:0]  still_q;                 // of these of VLs whose egress ring has no room
  // The ends, a cycle later, and what is free by them.
  logic             he_q, we_q, both, h_last, w_last, fa_q, fb_q, fc_q;
  logic [TurnW-1:0] ht_q, wt_q, fa_turn_q, fb_turn_q, fc_turn_q;
  logic [1:0]       frees;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      he_q <= 1'b0;
      we_q <= 1'b0;
      fa_q <= 1'b0;
      fb_q <= 1'b0;
      fc_q <= 1'b0;
    end else begin
      he_q <= h_end_i;
      we_q <= w_end_i;
      fa_q <= h_last;
      fb_q <= w_last;
      fc_q <= free_i;
    end
    ht_q      <= h_turn_i;
    wt_q      <= w_turn_i;
    fa_turn_q <= ht_q;
    fb_turn_q <= wt_q;
    fc_turn_q <= at_i;
  end
  assign both   = he_q && we_q && ht_q == wt_q;
  assign h_last = he_q && (w_done_q[ht_q] || both);
  assign w_last = we_q && h_done_q[wt_q];
  assign gone   = (fa_q ? Turns'(1) << fa_turn_q : '0) | (fb_q ? Turns'(1) << fb_turn_q : '0) |
      (fc_q ? Turns'(1) << fc_turn_q : '0);
  assign frees  = 2'(fa_q) + 2'(fb_q) + 2'(fc_q);

  // ------------------------------------------------------------------ the free turn on offer
  logic [Turns-1:0] left;
  logic [TurnW-1:0] first;
  logic [2:0]       at;
  always_comb begin
    left  = ~busy_q & ~(any_o ? Turns'(1) << turn_o : '0);
    first = '0;
    // The first of each eight side by side, then the first eight that have one.
    for (int unsigned g = Turns / 8; g > 0; g--) begin
      at = '0;
      for (int unsigned i = 8; i > 0; i--) if (left[8*(g-1)+i-1]) at = 3'(i - 1);
      if (left[8*(g-1) +: 8] != '0) first = TurnW'(8 * (g - 1)) | TurnW'(at);
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      busy_q   <= '0;
      h_done_q <= '0;
      w_done_q <= '0;
      used_q   <= '0;
      any_o    <= 1'b0;
      push_o   <= 1'b0;
    end else begin
      busy_q   <= (busy_q & ~gone) | (take_i ? Turns'(1) << turn_o : '0);
      // What ends last is not noted: the turn starts afresh.
      h_done_q <= (h_done_q | ((he_q && !h_last) ? Turns'(1) << ht_q : '0)) & ~(w_last ? Turns'(1) << wt_q : '0);
      w_done_q <= (w_done_q | ((we_q && !w_last && !both) ? Turns'(1) << wt_q : '0)) &
          ~(h_last ? Turns'(1) << ht_q : '0);
      used_q   <= used_q + CntW'(take_i) - CntW'(frees);
      push_o   <= {1'b0, used_q} < (CntW+1)'(Many) + {1'b0, still_q} && left != '0 && !pool_all;
      any_o    <= (any_o && !take_i) || left != '0;
    end
    if (!any_o || take_i) turn_o <= first;
  end
  assign idle_o = busy_q == '0;

  // ------------------------------------------------------------------------------------------------ classes
  if (Shared) begin : g_class
    logic [Turns-1:0]           classed_q;
    logic [ClsW-1:0]            cls [Turns];       // by turn; and the same so that all can be compared at once
    logic [NumC*Turns-1:0]      member_q;
    logic [8*Turns-1:0]         hash_q;
    logic [Turns-1:0]           like;
    logic                       ga, gb, gc;
    logic [ClsW-1:0]            gca, gcb, gcc;
    logic [NumC*CntW-1:0]       held_q, more_q;
    logic [NumC-1:0]            over_q, clash_q, clash_d, mine;
    logic [NumVl-1:0]           moves_q;
    logic [CntW-1:0]            extra, still;
    assign cls_o = cls[at_i];
    assign ga    = fa_q && classed_q[fa_turn_q];
    assign gb    = fb_q && classed_q[fb_turn_q];
    assign gc    = fc_q && classed_q[fc_turn_q];
    assign gca   = cls[fa_turn_q];
    assign gcb   = cls[fb_turn_q];
    assign gcc   = cls[fc_turn_q];
    always_comb begin
      extra = '0;
      for (int unsigned c = 0; c < NumC; c++) extra = extra + more_q[CntW*c +: CntW];
      still = '0;
      for (int unsigned v = 0; v < NumVl; v++) still = still + (moves_q[v] ? '0 : held_q[CntW*v +: CntW]);
      pool_all = extra >= CntW'(Pool - 2) && (over_q[NumVl-1:0] & moves_q) != '0;
    end
    always_ff @(posedge clk_i) begin
      if (rst_i) classed_q <= '0;
      else       classed_q <= (classed_q & ~gone) | (set_i ? Turns'(1) << at_i : '0);
      if (set_i) begin
        cls[at_i] <= set_cls_i;
        for (int unsigned i = 0; i < Turns; i++) if (at_i == TurnW'(i)) hash_q[8*i +: 8] <= hash_i;
      end
      for (int unsigned c = 0; c < NumC; c++) begin
        if (rst_i) member_q[Turns*c +: Turns] <= '0;
        else member_q[Turns*c +: Turns] <= (member_q[Turns*c +: Turns] & ~gone)
            | ((set_i && set_cls_i == ClsW'(c)) ? Turns'(1) << at_i : '0);
      end
      for (int unsigned c = 0; c < NumC; c++) begin
        if (rst_i) held_q[CntW*c +: CntW] <= '0;
        else held_q[CntW*c +: CntW] <= held_q[CntW*c +: CntW] + CntW'(set_i && set_cls_i == ClsW'(c))
            - CntW'(ga && gca == ClsW'(c)) - CntW'(gb && gcb == ClsW'(c)) - CntW'(gc && gcc == ClsW'(c));
        over_q[c] <= held_q[CntW*c +: CntW] >= CntW'((c == NumC - 1) ? OwnX : Own);
        more_q[CntW*c +: CntW] <= (held_q[CntW*c +: CntW] >= CntW'((c == NumC - 1) ? OwnX : Own)) ?
            held_q[CntW*c +: CntW] - CntW'((c == NumC - 1) ? OwnX : Own) : '0;
      end
      for (int unsigned v = 0; v < NumVl; v++) moves_q[v] <= room_i[v] >= 13'(RoomW) && desc_i[v] >= 8'(RoomN);
      still_q <= still;
      // From the pool only while what is planned can leave.
      adm_o       <= ~over_q | ((extra < CntW'(Pool)) ? {1'b1, moves_q} : '0);
    end

    always_comb begin
      like = '0;
      `WHEN(ask_i) for (int unsigned i = 0; i < Turns; i++) like[i] = hash_q[8*i +: 8] == hash_i;
      for (int unsigned c = 0; c < NumC; c++) clash_d[c] = (member_q[Turns*c +: Turns] & like) != '0;
    end
    always_ff @(posedge clk_i) clash_q <= clash_d;
    always_comb begin
      mine        = clash_q & ~(NumC'(1) << ask_cls_i);
      clash_o     = mine != '0;
      clash_cls_o = '0;
      for (int unsigned c = 0; c < NumC; c++) if (mine[c]) clash_cls_o = ClsW'(c);
    end
    `ASSERT(SetBusy_A, !set_i || busy_q[at_i])
    `ASSERT(SetOnce_A, !set_i || !classed_q[at_i])
  end else begin : g_no_class
    assign cls_o       = '0;
    assign still_q     = '0;
    assign adm_o       = 1'b1;
    assign pool_all    = 1'b0;
    assign clash_o     = 1'b0;
    assign clash_cls_o = '0;
    logic unused_class;
    assign unused_class = &{1'b0, set_i, set_cls_i, hash_i, ask_i, ask_cls_i, room_i, desc_i};
  end

  `ASSERT(PushAny_A, !push_o || any_o)
  `ASSERT(TakeFree_A, !take_i || (any_o && !busy_q[turn_o]))
  `ASSERT(FreeBusy_A, !free_i || busy_q[at_i])
  `ASSERT(EndBusy_A, !(he_q && !busy_q[ht_q]) && !(we_q && !busy_q[wt_q]))
  `ASSERT(EndOnce_A, !(he_q && h_done_q[ht_q]) && !(we_q && w_done_q[wt_q]))

endmodule

`default_nettype wire
