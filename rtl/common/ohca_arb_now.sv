// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// N-way round-robin choice with a payload multiplexer, for sources of which one is always taken where any is valid.
//
// Combinational from valid_i to take_o and valid_o, and one level more to data_o; one beat per cycle without bubbles.
// There is no ready: sources show themselves only while what is behind has room, so a choice is never held. Of the
// sources above the last one taken, and of all, the lowest is found at the same time.

// prove: N=3 Width=2 bmc=10 ind=3 cover=8
// prove: N=4 Width=1 bmc=8 ind=3 cover=8

`include "ohca_assert.svh"
`default_nettype none

module ohca_arb_now #(
  parameter int unsigned N     = 4,
  parameter int unsigned Width = 32
) (
  input  logic                    clk_i,
  input  logic                    rst_i,

  input  logic [N-1:0]            valid_i,
  output logic [N-1:0]            take_o,     // one-hot; zero when none is valid
  input  logic [N-1:0][Width-1:0] data_i,

  output logic                    valid_o,
  output logic [Width-1:0]        data_o      // zero when valid_o is 0
);

  logic [N-1:0] above_q;                      // sources after the last one taken
  logic [N-1:0] high, first, first_high, behind;
  assign high    = valid_i & above_q;
  assign take_o  = |high ? first_high : first;
  assign valid_o = |valid_i;
  always_comb begin
    for (int unsigned i = 0; i < N; i++) begin
      first[i]      = valid_i[i] && (valid_i & ((N'(1) << i) - N'(1))) == '0;
      first_high[i] = high[i] && (high & ((N'(1) << i) - N'(1))) == '0;
      behind[i]     = (take_o & ((N'(1) << i) - N'(1))) != '0;
    end
    data_o = '0;
    for (int unsigned i = 0; i < N; i++) data_o = data_o | (data_i[i] & {Width{take_o[i]}});
  end

  always_ff @(posedge clk_i) begin
    if (rst_i)        above_q <= '0;
    else if (valid_o) above_q <= behind;
  end

  `ASSERT(OneTaken_A, (take_o & (take_o - N'(1))) == '0)
  `ASSERT(TakenIsValid_A, (take_o & ~valid_i) == '0)
  `ASSERT(OneIsTaken_A, valid_o == |take_o)

`ifdef FORMAL
  `FORMAL_START
  localparam int unsigned SelW = (N > 1) ? $clog2(N) : 1;
  (* anyconst *) logic [SelW-1:0] who;
  `ASSUME(WhoExists_M, 32'(who) < N)
  `ASSERT(Payload_A, !take_o[who] || data_o == data_i[who])

  // Fairness: while `who` waits, every other source is taken at most once, those above the last one taken first.
  logic [N-1:0]         served_q, above_ok, order_ok;
  logic [SelW-1:0]      last_q;                 // the last one taken
  logic [N-1:0][SelW:0] dist;
  always_ff @(posedge clk_i) begin
    if (rst_i || !valid_i[who] || take_o[who]) served_q <= '0;
    else served_q <= served_q | take_o;
    if (rst_i) last_q <= SelW'(N - 1);
    else for (int unsigned i = 0; i < N; i++) if (take_o[i]) last_q <= SelW'(i);
  end
  always_comb begin
    for (int unsigned i = 0; i < N; i++) begin
      above_ok[i] = above_q[i] == (SelW'(i) > last_q);
      dist[i]     = (SelW'(i) > last_q) ? (SelW + 1)'(i) - {1'b0, last_q} : (SelW + 1)'(i + N) - {1'b0, last_q};
    end
    for (int unsigned i = 0; i < N; i++) order_ok[i] = !served_q[i] || dist[i] > dist[who];
  end
  `ASSERT(Fair_A, !valid_i[who] || (served_q & take_o) == '0)
  `ASSERT(Pointer_A, &above_ok && 32'(last_q) < N)
  `ASSERT(Order_A, &order_ok)
  `COVER(Wrap_C, past_valid_q && $past(take_o[N-1]) && take_o[0])
`endif

endmodule

`default_nettype wire
