// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// READ requests that failed behind the responder, waiting for it: each is taken in the cycle in which it is reported,
// always. One cycle of latency.
//
// Packets of one READ fail one after the other: what is reported of the QP that was reported last, and still waits, is
// left out. So is what finds no room (lost_o): that READ's response is missing on the wire, the requester asks again,
// and it fails anew. It does NOT look at the QP's state.

`include "ohca_assert.svh"
`default_nettype none

module ohca_rs_rerr #(
  parameter int unsigned Depth = 16        // power of two
) (
  input  logic        clk_i,
  input  logic        rst_i,

  input  logic        valid_i,
  input  logic [23:0] qpn_i,
  input  logic [23:0] psn_i,
  output logic        lost_o,

  output logic        valid_o,
  input  logic        ready_i,
  output logic [23:0] qpn_o,
  output logic [23:0] psn_o
);

  logic        room, again;
  logic [23:0] last_q;                     // the newest one's QP

  assign again  = valid_o && qpn_i == last_q;
  assign lost_o = valid_i && !again && !room;
  always_ff @(posedge clk_i) if (valid_i && !again && room) last_q <= qpn_i;

  ohca_fifo #(.Width(48), .Depth(Depth), .UseRam(1'b0)) u_wait (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(valid_i && !again), .ready_o(room), .data_i({qpn_i, psn_i}),
    .valid_o(valid_o), .ready_i(ready_i), .data_o({qpn_o, psn_o}), .count_o(), .almost_full_o()
  );

endmodule

`default_nettype wire
