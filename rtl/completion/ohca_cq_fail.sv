// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// QPs whose completions cannot be written, for the engine that brings them to ERR (IBA 11.6.3). One a cycle in; out
// from the next cycle on.
//
// A QP that comes again while something waits, and nothing else came between, is not told twice; one whose work is
// being flushed is in ERR already. It does NOT wait: who brings completions must never be held up by those who end
// QPs, as they wait for each other. With Depth QPs waiting a further one is forgotten; its next completion brings
// it again, and the CQ's own event stands for it.
`include "ohca_assert.svh"
`default_nettype none

module ohca_cq_fail #(
  parameter int unsigned Depth = 32
) (
  input  logic        clk_i,
  input  logic        rst_i,

  input  logic        valid_i,
  input  logic [23:0] qpn_i,
  input  logic        flush_i,              // its status is that of a flushed request

  output logic        qerr_valid_o,
  input  logic        qerr_ready_i,
  output logic [23:0] qerr_qpn_o
);

  logic        again, room;
  logic [23:0] last_q;
  assign again = qerr_valid_o && last_q == qpn_i;
  // verilator lint_off PINCONNECTEMPTY
  ohca_fifo #(.Width(24), .Depth(Depth)) u_fifo (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(valid_i && !flush_i && !again), .ready_o(room), .data_i(qpn_i),
    .valid_o(qerr_valid_o), .ready_i(qerr_ready_i), .data_o(qerr_qpn_o), .count_o(), .almost_full_o()
  );
  // verilator lint_on PINCONNECTEMPTY
  always_ff @(posedge clk_i) if (valid_i && !flush_i && room) last_q <= qpn_i;

endmodule

`default_nettype wire
