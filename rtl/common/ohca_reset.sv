// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// A block's own copy of the reset: a flop, a cycle later, so that no wire of it leads across the whole chip.
//
// All blocks of the core take theirs from the same signal and leave reset in the same cycle. scripts/fpga.py maps it by
// itself: else synthesis would find that all copies are equal, and keep one. rst_i lasts two cycles at least.

`default_nettype none

module ohca_reset (
  input  logic clk_i,
  input  logic rst_i,
  output logic rst_o
);

  initial rst_o = 1'b1;           // as an FPGA is configured, before the first edge
  always_ff @(posedge clk_i) rst_o <= rst_i;

endmodule

`default_nettype wire
