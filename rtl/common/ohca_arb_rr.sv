// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// N-way round-robin arbiter of valid/ready streams with a payload mux.
//
// Combinational from valid_i to valid_o and from ready_i to ready_o, one beat per cycle without bubbles. A choice is
// kept while the sink stalls, and with Lock = 1 until the beat with last_i; it does NOT look at last_i when Lock = 0
// (tie it to 0).

// prove: N=3 Width=2 bmc=10 ind=4 cover=8
// prove: N=4 Width=2 Lock=1 bmc=10 ind=4 cover=8

`include "ohca_assert.svh"
`default_nettype none

module ohca_arb_rr #(
  parameter int unsigned N     = 4,
  parameter int unsigned Width = 32,
  parameter bit          Lock  = 1'b0,
  localparam int unsigned SelW = (N > 1) ? $clog2(N) : 1
) (
  input  logic                    clk_i,
  input  logic                    rst_i,

  input  logic [N-1:0]            valid_i,
  output logic [N-1:0]            ready_o,
  input  logic [N-1:0][Width-1:0] data_i,
  input  logic [N-1:0]            last_i,

  output logic                    valid_o,
  input  logic                    ready_i,
  output logic [Width-1:0]        data_o,
  output logic                    last_o,
  output logic [SelW-1:0]         sel_o,      // the source of the beat at the output
  output logic [N-1:0]            gnt_o       // the same, one-hot; zero when valid_o is 0
);

  logic [N-1:0]    above_q;       // sources after the last one served
  logic            held_q, held_d;
  logic [SelW-1:0] sel_q, pick;
  logic [N-1:0]    wanted;

  // The lowest source above the last one served, else the lowest of all.
  assign wanted = |(valid_i & above_q) ? (valid_i & above_q) : valid_i;
  always_comb begin
    pick = '0;
    for (int unsigned i = N; i > 0; i--) begin
      if (wanted[i-1]) pick = SelW'(i - 1);
    end
  end

  assign sel_o   = held_q ? sel_q : pick;
  assign valid_o = valid_i[sel_o];
  assign data_o  = data_i[sel_o];
  assign last_o  = last_i[sel_o];

  always_comb begin
    gnt_o = '0;
    gnt_o[sel_o] = valid_o;
  end
  assign ready_o = ready_i ? gnt_o : '0;

  // Between the beats of a locked packet the choice stays, even if the source pauses.
  assign held_d = valid_o ? (!ready_i || (Lock && !last_o)) : held_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      held_q  <= 1'b0;
      above_q <= '0;
      sel_q   <= SelW'(N - 1);
    end else begin
      held_q <= held_d;
      if (valid_o) begin
        sel_q <= sel_o;
        for (int unsigned i = 0; i < N; i++) above_q[i] <= SelW'(i) > sel_o;
      end
    end
  end

  `ASSERT(OneGrant_A, (gnt_o & (gnt_o - N'(1))) == '0)
  `ASSERT(GrantIsValid_A, (gnt_o & ~valid_i) == '0)
  `ASSERT(WorkConserving_A, held_q || !(|valid_i) || valid_o)

`ifdef FORMAL
  `FORMAL_START
  logic [N-1:0]          stalled_q, changed;
  logic [N-1:0][Width:0] was_q;
  always_ff @(posedge clk_i) begin
    stalled_q <= rst_i ? '0 : valid_i & ~ready_o;
    for (int unsigned i = 0; i < N; i++) was_q[i] <= {data_i[i], last_i[i]};
  end
  always_comb begin
    for (int unsigned i = 0; i < N; i++) changed[i] = !valid_i[i] || was_q[i] != {data_i[i], last_i[i]};
  end
  `ASSUME(SrcStable_M, (stalled_q & changed) == '0)
  `ASSERT(SinkStable_A, `STABLE(valid_o, ready_i, {data_o, last_o, sel_o}))

  // The beat is the granted source's own.
  (* anyconst *) logic [SelW-1:0] who;
  `ASSUME(WhoExists_M, 32'(who) < N)
  `ASSERT(Payload_A, !ready_o[who] || (valid_i[who] && data_o == data_i[who] && sel_o == who))

  // Fairness: while `who` waits, every other source is served at most one packet (a packet is a beat when Lock = 0).
  logic [N-1:0] served_q;
  logic done;
  assign done = valid_o && ready_i && (!Lock || last_o);
  always_ff @(posedge clk_i) begin
    if (rst_i || !valid_i[who] || gnt_o[who]) served_q <= '0;
    else if (done) served_q <= served_q | gnt_o;
  end
  logic [N-1:0]         above_ok, order_ok;
  logic [SelW:0]        dist_who;
  logic [N-1:0][SelW:0] dist;
  always_comb begin
    for (int unsigned i = 0; i < N; i++) begin
      above_ok[i] = above_q[i] == (SelW'(i) > sel_q);
      dist[i]     = (SelW'(i) > sel_q) ? (SelW + 1)'(i) - {1'b0, sel_q} : (SelW + 1)'(i + N) - {1'b0, sel_q};
    end
    dist_who = dist[who];
    for (int unsigned i = 0; i < N; i++) order_ok[i] = !served_q[i] || dist[i] > dist_who;
  end
  if (!Lock) begin : g_fair
    `ASSERT(Fair_A, !(valid_i[who] && valid_o && ready_i) || (served_q & gnt_o) == '0)
    // Why: what was served since `who` began to wait does not lie between the pointer and `who`, so its turn comes
    // after.
    `ASSERT(Pointer_A, &above_ok && 32'(sel_q) < N)
    `ASSERT(Order_A, &order_ok)
    `ASSERT(HeldIsNew_A, !held_q || (!served_q[sel_q] && stalled_q[sel_q]))
  end else begin : g_lock
    // A packet is not torn apart.
    logic mid_q = 1'b0;
    logic [SelW-1:0] mid_sel_q;
    always_ff @(posedge clk_i) begin
      if (rst_i) mid_q <= 1'b0;
      else if (valid_o && ready_i) begin
        mid_q     <= !last_o;
        mid_sel_q <= sel_o;
      end
    end
    `ASSERT(Together_A, !mid_q || sel_o == mid_sel_q)
    `ASSERT(MidHeld_A, !mid_q || (held_q && sel_q == mid_sel_q))
  end
  `COVER(Wrap_C, past_valid_q && $past(ready_o[N-1]) && ready_o[0])
`endif

endmodule

`default_nettype wire
