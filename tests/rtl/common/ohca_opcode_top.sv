// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_opcode with a clock, which it does not use, for its test.
`default_nettype none

module ohca_opcode_top (
  input  logic                   clk_i,
  input  logic                   rst_i,
  input  logic [7:0]             op_i,
  output ohca_fmt_pkg::opcode_t  is_o
);

  ohca_opcode u_opcode (.op_i(op_i), .is_o(is_o));

  logic unused;
  assign unused = clk_i || rst_i;

endmodule

`default_nettype wire
