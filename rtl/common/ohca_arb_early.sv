// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// N-way round-robin arbiter of valid/ready streams with a payload multiplexer, whose grants are flops.
//
// A grant comes in the cycle after the choice, so a source is served two cycles after it asked first; one beat per
// cycle, also of one source alone. The sink has no ready: a beat comes only in the cycle after one in which it had room
// for two (one may have been granted already).
//
// It does NOT take back a grant: that of a source that has nothing any more by then is a cycle lost.

// prove: N=3 Width=2 bmc=10 ind=3 cover=8

`include "ohca_assert.svh"
`default_nettype none

module ohca_arb_early #(
  parameter int unsigned N     = 4,
  parameter int unsigned Width = 32,
  localparam int unsigned SelW = (N > 1) ? $clog2(N) : 1
) (
  input  logic                    clk_i,
  input  logic                    rst_i,

  input  logic [N-1:0]            valid_i,
  output logic [N-1:0]            ready_o,    // early: flops
  input  logic [N-1:0][Width-1:0] data_i,

  input  logic                    room_i,     // for two beats
  output logic                    valid_o,    // must be taken
  output logic [Width-1:0]        data_o,
  output logic [SelW-1:0]         sel_o       // the source of the beat
);

  logic [N-1:0] gnt_d, gnt_q, above_q, above_d, high;   // high: those that ask, above the last one granted
  logic [N-1:0] under, under_high;                       // one below it asks; one of high

  // The lowest source above the last one granted, else the lowest of all: both are looked for at once.
  assign high = valid_i & above_q;
  always_comb begin
    under      = '0;
    under_high = '0;
    for (int unsigned i = 0; i < N; i++)
      for (int unsigned j = 0; j < i; j++) begin
        if (valid_i[j]) under[i] = 1'b1;
        if (high[j])    under_high[i] = 1'b1;
      end
  end
  assign gnt_d   = |high ? high & ~under_high : valid_i & ~under;
  assign above_d = |high ? under_high : under;           // all above the one that is granted

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      gnt_q   <= '0;
      above_q <= '0;
    end else begin
      gnt_q <= room_i ? gnt_d : '0;
      if (room_i && |valid_i) above_q <= above_d;
    end
  end

  assign ready_o = gnt_q;
  assign valid_o = |(gnt_q & valid_i);
  always_comb begin
    data_o = '0;
    sel_o  = '0;
    for (int unsigned i = 0; i < N; i++) begin
      data_o = data_o | (data_i[i] & {Width{gnt_q[i]}});
      sel_o  = sel_o | (SelW'(i) & {SelW{gnt_q[i]}});
    end
  end

  `ASSERT(OneGrant_A, (gnt_q & (gnt_q - N'(1))) == '0)

`ifdef FORMAL
  `FORMAL_START
  `ASSERT(NoRoom_A, !past_valid_q || $past(room_i) || gnt_q == '0)

  // What a source gives is what comes out, with its number.
  (* anyconst *) logic [SelW-1:0] who;
  `ASSUME(WhoExists_M, 32'(who) < N)
  `ASSERT(Select_A, gnt_q == '0 || gnt_q == N'(1) << sel_o)
  `ASSERT(Payload_A, !(ready_o[who] && valid_i[who]) || (valid_o && data_o == data_i[who] && sel_o == who))
  `ASSERT(Source_A, !(valid_o && sel_o == who) || (ready_o[who] && valid_i[who]))

  // Fairness: while `who` waits, every other source is granted at most once, those above the last one granted first.
  logic [N-1:0]         served_q;
  logic [SelW-1:0]      last_q;                 // the last one granted
  logic [N-1:0][SelW:0] dist;
  logic [N-1:0]         above_ok, order_ok;
  always_ff @(posedge clk_i) begin
    if (rst_i || !valid_i[who] || (room_i && gnt_d[who])) served_q <= '0;
    else if (room_i) served_q <= served_q | gnt_d;
    if (rst_i) last_q <= SelW'(N - 1);
    else if (room_i && |valid_i) for (int unsigned i = 0; i < N; i++) if (gnt_d[i]) last_q <= SelW'(i);
  end
  always_comb begin
    for (int unsigned i = 0; i < N; i++) begin
      above_ok[i] = above_q[i] == (SelW'(i) > last_q);
      dist[i]     = (SelW'(i) > last_q) ? (SelW + 1)'(i) - {1'b0, last_q} : (SelW + 1)'(i + N) - {1'b0, last_q};
    end
    for (int unsigned i = 0; i < N; i++) order_ok[i] = !served_q[i] || dist[i] > dist[who];
  end
  `ASSERT(Fair_A, !(valid_i[who] && room_i) || (served_q & gnt_d) == '0)
  `ASSERT(Pointer_A, &above_ok && 32'(last_q) < N)
  `ASSERT(Order_A, &order_ok)
  `COVER(Wrap_C, past_valid_q && $past(ready_o[N-1]) && ready_o[0])
`endif

endmodule

`default_nettype wire
