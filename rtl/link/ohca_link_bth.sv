// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// How long the payload of a received packet is, from where it begins (ohca_link_ext) and the pad count of its BTH, and
// whether the packet has all headers. Combinational.

`default_nettype none

module ohca_link_bth (
  input  logic [5:0]  off_i,        // dwords from the LRH to the payload
  input  logic [1:0]  pad_i,
  input  logic [10:0] pktlen_i,     // of the LRH: dwords from there to the ICRC

  output logic        ok_o,         // everything is there
  output logic [12:0] left_o        // bytes of payload, without padding
);

  logic [10:0] left;                // dwords of payload
  // One less, for the ICRC. ok_o does not wait for the difference: a packet whose payload is nothing has no padding.
  assign left   = pktlen_i + ~{5'd0, off_i};
  assign left_o = {left, 2'd0} - {11'd0, pad_i};
  assign ok_o   = pktlen_i > {5'd0, off_i} && (pad_i == 2'd0 || pktlen_i != {5'd0, off_i} + 11'd1);

endmodule

`default_nettype wire
