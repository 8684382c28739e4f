// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Counts credits for a shared resource of Total units: a taker takes when enough are there, a giver returns them later.
//
// avail_o shows the state after the previous cycle; a take and a give every cycle. take_ready_o depends on take_n_i
// only, not on a give of the same cycle, so there is no path from giver to taker. Giving more than was taken is the
// giver's bug: it is asserted, and saturates.

// prove: Total=5 AmountW=2 bmc=10 ind=2 cover=8
// prove: Total=8 bmc=14 ind=2 cover=14

`include "ohca_assert.svh"
`default_nettype none

module ohca_credit #(
  parameter int unsigned Total   = 16,
  parameter int unsigned AmountW = 1,          // width of one take or give
  localparam int unsigned CountW = $clog2(Total + 1)
) (
  input  logic               clk_i,
  input  logic               rst_i,

  input  logic               take_valid_i,
  output logic               take_ready_o,     // enough for take_n_i
  input  logic [AmountW-1:0] take_n_i,

  input  logic               give_valid_i,
  input  logic [AmountW-1:0] give_n_i,

  output logic [CountW-1:0]  avail_o,
  output logic               all_o             // nothing is taken
);

  localparam int unsigned SumW = ((CountW > AmountW) ? CountW : AmountW) + 1;

  logic [CountW-1:0] avail_q;
  logic [SumW-1:0]   less, sum;

  assign avail_o      = avail_q;
  assign all_o        = avail_q == CountW'(Total);
  assign take_ready_o = SumW'(avail_q) >= SumW'(take_n_i);
  assign less         = SumW'(avail_q) - ((take_valid_i && take_ready_o) ? SumW'(take_n_i) : '0);
  assign sum          = less + (give_valid_i ? SumW'(give_n_i) : '0);

  always_ff @(posedge clk_i) begin
    if (rst_i)                              avail_q <= CountW'(Total);
    else if (take_valid_i || give_valid_i)  avail_q <= (sum > SumW'(Total)) ? CountW'(Total) : sum[CountW-1:0];
  end

`ifndef FORMAL
  `ASSERT(NotOverGiven_A, sum <= SumW'(Total))
`else
  `FORMAL_START
  // What is out is counted apart; an honest giver returns only from that.
  logic [CountW-1:0] out_q;
  logic [SumW-1:0]   out_d;
  assign out_d = SumW'(out_q) + ((take_valid_i && take_ready_o) ? SumW'(take_n_i) :
      '0) - (give_valid_i ? SumW'(give_n_i) : '0);
  always_ff @(posedge clk_i) begin
    if (rst_i) out_q <= '0;
    else       out_q <= out_d[CountW-1:0];
  end
  `ASSUME(Honest_M, !give_valid_i || SumW'(give_n_i) <= SumW'(out_q))
  `ASSERT(Conserved_A, SumW'(avail_q) + SumW'(out_q) == SumW'(Total))
  `ASSERT(NeverAbove_A, sum <= SumW'(Total))
  `ASSERT(TakeIsCovered_A, !(take_valid_i && take_ready_o) || take_n_i <= AmountW'(avail_q) ||
      SumW'(take_n_i) <= SumW'(avail_q))
  `COVER(Dry_C, avail_q == '0)
  `COVER(Back_C, past_valid_q && all_o && !$past(all_o))
`endif

endmodule

`default_nettype wire
