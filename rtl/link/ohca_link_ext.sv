// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Where the payload of a received packet begins, from the opcode of its BTH. Combinational.
//
// Unknown opcodes count as ones without further headers; the engines refuse them.

`default_nettype none

module ohca_link_ext (
  input  logic [7:0]  op_i,
  input  logic [5:0]  start_i,      // dwords from the LRH to the end of the BTH

  output logic [5:0]  off_o         // dwords from the LRH to the payload
);

  logic [2:0]  ext;                 // dwords between BTH and payload
  always_comb begin
    ext = 3'd0;
    case (op_i[7:5])
      3'd0, 3'd1: begin
        case (op_i[4:0])
          5'h03, 5'h05, 5'h09, 5'h0d, 5'h0f, 5'h10, 5'h11, 5'h16, 5'h17: ext = 3'd1;
          5'h06, 5'h0a, 5'h0c, 5'h1d: ext = 3'd4;
          5'h0b, 5'h1c:               ext = 3'd5;
          5'h12:                      ext = 3'd3;
          5'h13, 5'h14:               ext = 3'd7;
          default:                    ext = 3'd0;
        endcase
      end
      3'd3: begin
        if (op_i[4:0] == 5'h04) ext = 3'd2;
        if (op_i[4:0] == 5'h05) ext = 3'd3;
      end
      default: ext = 3'd0;
    endcase
  end
  assign off_o = start_i + {3'd0, ext};

endmodule

`default_nettype wire
