// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// One fix-up between R, which finds that a token fails, and the commit that carries it out: the QP's number goes to the
// look-up, the rest waits for the context. Taken apart, as the look-up is long before the commit. R waits for room
// here, the commit never waits for R.
//
// Offered to both the cycle after it was put; the next one has room when both have been taken. All outputs are flops.
// With Compact nothing is kept: R holds its token until then, and that shows what is to be known.
// It does NOT decide anything.

`include "ohca_assert.svh"
`default_nettype none

module ohca_rs_fix #(
  parameter int unsigned TidW    = 5,
  parameter bit          Compact = 1'b0
) (
  input  logic                  clk_i,
  input  logic                  rst_i,

  input  logic                  put_i,         // only with room_o
  output logic                  room_o,
  input  logic [23:0]           qpn_i,
  input  logic [TidW-1:0]       tid_i,         // these three stay until the commit has taken it, with Compact
  input  ohca_fmt_pkg::rs_fix_t fix_i,

  output logic                  lk_valid_o,
  input  logic                  lk_ready_i,
  output logic [23:0]           lk_qpn_o,

  output logic                  wait_o,        // one waits for the commit
  input  logic                  take_i,
  output logic [TidW-1:0]       tid_o,
  output ohca_fmt_pkg::rs_fix_t fix_o
);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      lk_valid_o <= 1'b0;
      wait_o     <= 1'b0;
    end else begin
      lk_valid_o <= put_i || (lk_valid_o && !lk_ready_i);
      wait_o     <= put_i || (wait_o && !take_i);
    end
  end
  assign room_o = !lk_valid_o && !wait_o;

  if (Compact) begin : g_held
    assign lk_qpn_o       = qpn_i;
    assign {tid_o, fix_o} = {tid_i, fix_i};
  end else begin : g_kept
    always_ff @(posedge clk_i) begin
      if (put_i) {lk_qpn_o, tid_o, fix_o} <= {qpn_i, tid_i, fix_i};
    end
  end

  `ASSERT(Room_A, !put_i || room_o)
  `ASSERT(Take_A, !take_i || wait_o)
  `ASSERT(Order_A, !take_i || !lk_valid_o)

endmodule

`default_nettype wire
