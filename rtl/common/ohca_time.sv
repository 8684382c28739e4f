// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// The device's time, and when something happens next by itself: the earliest timer of the engines that have one, and
// which of them has come. The count moves by one in each cycle of clk_on_i, or by what skip_cycles_i says; the rest is
// combinational. It does NOT wake anybody: idle and busy are made of it in ohca.

`default_nettype none

module ohca_time (
  input  logic                      clk_on_i,
  input  logic                      rst_i,
  input  logic                      skip_i,
  input  logic [63:0]               skip_cycles_i,
  output logic [63:0]               now_o,

  input  ohca_fmt_pkg::timer_note_t ra_i,            // acknowledge engine: in 256 cycles
  input  ohca_fmt_pkg::timer_note_t cq_i,            // completion events: in cycles
  input  logic                      link_valid_i,
  input  logic [63:0]               link_i,
  input  logic                      nic_valid_i,
  input  logic [63:0]               nic_i,
  input  logic [63:0]               wake_i,          // management core; all ones: never
  output logic [63:0]               next_o,          // all ones: never
  output logic                      ra_due_o,        // it has come
  output logic                      cq_due_o,
  output logic                      link_due_o,
  output logic                      nic_due_o
);

  logic [63:0] now_q;
  always_ff @(posedge clk_on_i) begin
    if (rst_i)       now_q <= '0;
    else if (skip_i) now_q <= now_q + skip_cycles_i;
    else             now_q <= now_q + 64'd1;
  end
  assign now_o = now_q;

  // An event that waits for its time: its cycle, or this one once it has passed.
  logic [31:0] ra_delta, cq_delta;
  logic [63:0] ra_cycle, cq_cycle, next_a, next_b, next_c;
  assign cq_delta   = cq_i.next - now_q[31:0];
  assign cq_due_o   = cq_i.any && (cq_delta[31] || cq_delta == 32'd0);
  assign cq_cycle   = now_q + {32'd0, cq_delta[31] ? 32'd0 : cq_delta};
  assign ra_delta   = ra_i.next - now_q[39:8];
  assign ra_cycle   = {(now_q[63:8] + {24'h0, ra_delta}), 8'h0};
  assign ra_due_o   = ra_i.any && ra_cycle <= now_q;
  assign link_due_o = link_valid_i && link_i <= now_q;
  assign nic_due_o  = nic_valid_i && nic_i <= now_q;
  assign next_a     = (link_valid_i && link_i < wake_i) ? link_i : wake_i;
  assign next_b     = (nic_valid_i && nic_i < next_a) ? nic_i : next_a;
  assign next_c     = (cq_i.any && cq_cycle < next_b) ? cq_cycle : next_b;
  assign next_o     = (ra_i.any && ra_cycle < next_c) ? ra_cycle : next_c;

endmodule

`default_nettype wire
