// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Responder, poison: packets that were committed behind one that failed must die where they are, so that nothing behind
// it is executed or told. Each packet past the commit has a number; what fails keeps its own until its fix-up has come
// through.
//
// The commit asks which numbers in use are packets of its QP (same_o), and takes a free one: what can poison a token
// was committed before it and has its number still, so this one comparison finds all there will ever be, and goes with
// the token. A number that is given to another packet meanwhile does no harm: that packet is behind, and its poison
// meets only what is behind it. In each of the stages W, S, R a token is hit if one of these numbers is poisoned there:
//
//   a packet fails in W        what follows dies in W
//   in S                       in S, and in W
//   in R                       in all three; it keeps its number
//   its fix-up's mark passes W, S, R       nothing follows in that stage any more, nor does anything follow from those
//                                          that died of it, which may have failed in W or S before; with R the number
//                                          is free
//   it leaves R without poison             the number is free, and a poison that W or S laid goes with it
//
// For the placement unit it knows the newest packet of a QP that S has handed over and R has not found good (s_prev):
// a refusal passes on to those behind it.
//
// Answers are there in the cycle of the question, from flops and one OR, those to S a cycle later (Compact: at once):
// there what fires is the token of the cycle before, too. What fires counts from the next cycle on; what fires in S
// lies in a flop first (not with Compact), so W sees its poison a cycle later: what passes W meanwhile meets it in S.
// A number every second cycle (tid_o is a cycle old); same_o is of the QP that came with look_i, a cycle later, or with
// Compact when same_ok_o says so, InFlight / 4 cycles later. It does NOT decide who fails. There is always a number:
// who lets packets in counts them. Kept: nothing behind a refused packet is executed (IBA 9.9.3).

`include "ohca_assert.svh"
`include "ohca_lazy.svh"
`default_nettype none

module ohca_rs_poison #(
  parameter int unsigned InFlight = 32,                // numbers, power of two, at most 64
  parameter bit          Compact  = 1'b0,              // four comparisons at a time
  localparam int unsigned TidW    = $clog2(InFlight)
) (
  input  logic                clk_i,
  input  logic                rst_i,

  // The commit: a token of this QP is in turn (Compact: until end_i), and ends.
  input  logic                look_i,
  input  logic [23:0]         look_qpn_i,
  input  logic                end_i,
  output logic                same_ok_o,
  output logic [InFlight-1:0] same_o,
  output logic [TidW-1:0]     tid_o,                   // a free number
  input  logic                turn_i,                  // for a packet of this QP, which is in turn
  input  logic [23:0]         qpn_i,
  input  logic                take_i,                  //   and takes it

  // W, S, R: which token is in turn, whether it is hit; it goes on.
  input  logic [TidW-1:0]     w_tid_i,
  input  logic [InFlight-1:0] w_same_i,
  output logic                w_hit_o,
  input  logic                w_fire_i,
  input  logic                w_mark_i,
  input  logic                w_poison_i,

  input  logic [TidW-1:0]     s_tid_i,
  input  logic [InFlight-1:0] s_same_i,
  output logic [TidW-1:0]     s_tid_o,                 // of the token that these are about
  output logic                s_hit_o,
  output logic [23:0]         s_qpn_o,                 // whose packet it is
  output logic                s_prev_v_o,              // the newest one before it
  output logic [TidW-1:0]     s_prev_o,
  input  logic                s_fire_i,
  input  logic                s_mark_i,
  input  logic                s_poison_i,
  input  logic                s_heads_i,               // it was handed over

  input  logic [TidW-1:0]     r_tid_i,
  input  logic [InFlight-1:0] r_same_i,
  output logic                r_hit_o,
  input  logic                r_fire_i,
  input  logic                r_poison_i,
  input  logic                r_free_i                 // its number is free
);

  logic [InFlight-1:0] busy_q, w_bad_q, s_bad_q, r_bad_q, newest_q, match_q;
  logic [TidW-1:0]     s_prev;
  // What fired in S, and what that leaves: the next token is compared with that, as it is in turn a cycle later.
  logic                s_did, s_did_mark, s_did_poison, s_did_heads;
  logic [TidW-1:0]     s_did_tid;
  logic [InFlight-1:0] s_did_same, s_bad_on, newest_on, s_bad, newest;
  logic                s_hit, s_prev_v, s_doomed;

  // ---- a number for every packet past the commit, found a cycle ahead
  logic [TidW-1:0] free;
  always_comb begin
    free = '0;
    for (int unsigned i = InFlight; i > 0; i--) if (!busy_q[i-1]) free = TidW'(i - 1);
  end
  always_ff @(posedge clk_i) tid_o <= free;

  // Whose packet it is, for S; of a number that is free it does not matter, so nothing waits for the decision (Compact:
  // tid_o is a cycle old).
  logic [23:0] tid_qpn [InFlight];
  always_ff @(posedge clk_i) begin
    if (Compact ? take_i : turn_i) tid_qpn[tid_o] <= qpn_i;
  end

  // ---- the packets of a QP
  assign same_o = busy_q & match_q;
  if (Compact) begin : g_same_by_four
    // Done by the time the rest of the token is.
    ohca_qpn_match #(.InFlight(InFlight), .Banks(4)) u_match (
      .clk_i(clk_i), .rst_i(rst_i), .set_i(take_i), .e_i(tid_o), .set_qpn_i(qpn_i),
      .find_i(look_i), .qpn_i(look_qpn_i), .end_i(end_i), .done_o(same_ok_o), .match_o(match_q)
    );
  end else begin : g_same
    logic [23:0] qpn_q [InFlight];
    always_ff @(posedge clk_i) begin
      if (turn_i) qpn_q[tid_o] <= qpn_i;
    end
    // Compared while the context comes: only a commit gives a number to another.
    always_ff @(posedge clk_i) begin
      if (look_i) for (int unsigned i = 0; i < InFlight; i++) match_q[i] <= qpn_q[i] == look_qpn_i;
    end
    assign same_ok_o = 1'b1;
    logic unused;
    assign unused = end_i;
  end

  // ---- who is hit
  assign w_hit_o = |(w_bad_q & w_same_i);
  assign s_hit   = |(s_bad & s_same_i);
  assign r_hit_o = |(r_bad_q & r_same_i);
  assign s_doomed = |(r_bad_q & s_did_same);
  always_comb begin
    s_prev_v = 1'b0;
    s_prev   = '0;
    for (int unsigned i = 0; i < InFlight; i++) begin
      if (newest[i] && s_same_i[i]) begin
        s_prev_v = 1'b1;
        s_prev   = s_prev | TidW'(i);
      end
    end
  end
  if (Compact) begin : g_s_now
    assign {s_tid_o, s_hit_o, s_prev_v_o, s_prev_o} = {s_tid_i, s_hit, s_prev_v, s_prev};
    assign s_qpn_o = tid_qpn[s_tid_i];
    assign {s_did, s_did_mark, s_did_poison, s_did_heads} = {s_fire_i, s_mark_i, s_poison_i, s_heads_i};
    assign {s_did_tid, s_did_same, s_bad, newest} = {s_tid_i, s_same_i, s_bad_q, newest_q};
  end else begin : g_s
    logic [InFlight-1:0] s_same;                       // of the token that is in turn in S
    // What R does meanwhile the token would meet behind S as well.
    always_ff @(posedge clk_i) begin
      {s_same, s_tid_o, s_hit_o, s_prev_v_o, s_prev_o} <= {s_same_i, s_tid_i, s_hit, s_prev_v, s_prev};
      s_qpn_o <= tid_qpn[s_tid_i];
    end
    always_ff @(posedge clk_i) begin
      s_did <= !rst_i && s_fire_i;
      {s_did_mark, s_did_poison, s_did_heads} <= {s_mark_i, s_poison_i, s_heads_i};
      {s_did_tid, s_did_same} <= {s_tid_o, s_same};
    end
    assign {s_bad, newest} = {s_bad_on, newest_on};
  end

  // ---- what fires
  always_comb begin
    for (int unsigned i = 0; i < InFlight; i++) begin
      s_bad_on[i]  = s_bad_q[i];
      newest_on[i] = newest_q[i];
      if (s_did && (s_did_mark ? s_did_same[i] : s_did_poison && s_did_tid == TidW'(i))) s_bad_on[i] = s_did_poison;
      if (s_did && (s_did_mark || s_did_heads) && (s_did_same[i] || s_did_tid == TidW'(i))) begin
        newest_on[i] = s_did_heads && s_did_tid == TidW'(i);
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      busy_q   <= '0;
      newest_q <= '0;
      w_bad_q  <= '0;
      s_bad_q  <= '0;
      r_bad_q  <= '0;
    end else begin
      `WHEN(take_i || w_fire_i || s_did || r_fire_i) for (int unsigned i = 0; i < InFlight; i++) begin
        if (take_i && tid_o == TidW'(i)) busy_q[i] <= 1'b1;
        // With a mark all that are in use are its own packet and what came behind that: those die in R at the latest.
        if (w_fire_i && (w_mark_i ? w_same_i[i] : w_poison_i && w_tid_i == TidW'(i))) w_bad_q[i] <= w_poison_i;
        s_bad_q[i]  <= s_bad_on[i];
        newest_q[i] <= newest_on[i];
        // Of one that dies in R anyway the mark in W may have passed.
        if (s_did && s_did_poison && !s_doomed && s_did_tid == TidW'(i)) w_bad_q[i] <= 1'b1;
        if (r_fire_i && r_poison_i && r_tid_i == TidW'(i)) begin
          w_bad_q[i] <= 1'b1;
          s_bad_q[i] <= 1'b1;
          r_bad_q[i] <= 1'b1;
        end
        if (r_fire_i && r_free_i && r_tid_i == TidW'(i)) begin
          newest_q[i] <= 1'b0;
          w_bad_q[i]  <= 1'b0;
          s_bad_q[i]  <= 1'b0;
          r_bad_q[i]  <= 1'b0;
          busy_q[i]   <= 1'b0;
        end
      end
    end
  end

  `ASSERT(TidFree_A, !(Compact ? take_i : turn_i) || !busy_q[tid_o])
  `ASSERT(Turn_A, !take_i || turn_i)

endmodule

`default_nettype wire
