// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Where the payload of a received packet begins, from the opcode of its BTH (ohca_opcode). Combinational.
//
// Unknown opcodes count as ones without further headers; the engines refuse them.

`default_nettype none

module ohca_link_ext (
  input  logic [7:0]  op_i,
  input  logic [5:0]  start_i,      // dwords from the LRH to the end of the BTH

  output logic [5:0]  off_o         // dwords from the LRH to the payload
);

  ohca_fmt_pkg::opcode_t is;
  ohca_opcode u_opcode (.op_i(op_i), .is_o(is));
  assign off_o = start_i + {3'd0, is.ext};

  logic unused;
  assign unused = &{1'b0, is};

endmodule

`default_nettype wire
