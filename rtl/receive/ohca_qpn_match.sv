// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Whose number each of some entries has, and which entries have a given one: a few comparisons at a time, for builds
// where one for each entry is too large.
//
// The search begins when find_i comes and goes through the entries in InFlight / Banks cycles, Banks at a time; then
// done_o is 1 and match_o stands still until end_i (one cycle), after which another may begin. qpn_i stays meanwhile,
// and no entry gets a number; it may with end_i. An entry that never had one matches anything: who asks knows which are
// in use. It does NOT know whether an entry is.

`include "ohca_assert.svh"
`default_nettype none

module ohca_qpn_match #(
  parameter int unsigned InFlight = 16,                // entries, power of two
  parameter int unsigned Banks    = 4,                 // compared at a time, power of two, at most half of them
  localparam int unsigned EW      = $clog2(InFlight)
) (
  input  logic                clk_i,
  input  logic                rst_i,

  input  logic                set_i,                   // entry e_i has this number from now on
  input  logic [EW-1:0]       e_i,
  input  logic [23:0]         set_qpn_i,

  input  logic                find_i,
  input  logic [23:0]         qpn_i,
  input  logic                end_i,
  output logic                done_o,
  output logic [InFlight-1:0] match_o
);

  localparam int unsigned Turns = InFlight / Banks;
  localparam int unsigned TurnW = $clog2(Turns);
  localparam int unsigned BankW = $clog2(Banks);
  logic [TurnW-1:0] turn_q;
  logic [Banks-1:0] match;
  for (genvar i = 0; i < Banks; i++) begin : g_bank
    logic [23:0] qpn [Turns];
    assign match[i] = qpn[turn_q] == qpn_i;
    always_ff @(posedge clk_i) begin
      if (set_i && e_i[BankW-1:0] == BankW'(i)) qpn[e_i[EW-1:BankW]] <= set_qpn_i;
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_i || end_i) begin
      turn_q <= '0;
      done_o <= 1'b0;
    end else if (find_i && !done_o) begin
      turn_q <= turn_q + TurnW'(1);
      done_o <= turn_q == TurnW'(Turns - 1);
    end
    if (!done_o) match_o <= {match, match_o[InFlight-1:Banks]};
  end

  `ASSERT(Still_A, !set_i || end_i || (!done_o && turn_q == '0))

endmodule

`default_nettype wire
