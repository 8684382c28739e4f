// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Where the payload of a received packet begins and how long it is, from the opcode and the pad count of its BTH. Combinational.
//
// Unknown opcodes count as ones without further headers; the engines refuse them.

`default_nettype none

module ohca_link_bth (
  input  logic [7:0]  op_i,
  input  logic [1:0]  pad_i,
  input  logic [10:0] pktlen_i,     // of the LRH: dwords from there to the ICRC
  input  logic [5:0]  start_i,      // dwords from the LRH to the end of the BTH

  output logic [7:0]  off_o,        // bytes from the LRH to the payload
  output logic        ok_o,         // everything is there
  output logic [12:0] left_o        // bytes of payload, without padding
);

  logic [2:0]  ext;                 // dwords between BTH and payload
  logic [5:0]  off;
  logic [11:0] left;                // dwords of payload, negative if there are too few
  logic [14:0] bytes;
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
  assign off    = start_i + {3'd0, ext};
  assign off_o  = {off, 2'd0};
  assign left   = {1'b0, pktlen_i} + ~{6'd0, off};          // one less, for the ICRC
  assign bytes  = {left[11], left, 2'd0} - {13'd0, pad_i};
  assign ok_o   = !bytes[14];
  assign left_o = bytes[12:0];

  logic unused;
  assign unused = &{1'b0, bytes[13]};

endmodule

`default_nettype wire
