// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Packets that wait for their context: a slot each, from which they may be taken in any order. A packet is in its slot
// a cycle after it came, and is read in the cycle that names it; one in and one out a cycle.

`include "ohca_assert.svh"
`default_nettype none

module ohca_rxd_slots #(
  parameter int unsigned Slots = 32,         // power of two
  localparam int unsigned SlotW = $clog2(Slots)
) (
  input  logic               clk_i,
  input  logic               rst_i,
  output logic               any_o,          // a slot is in use

  input  logic               in_valid_i,
  output logic               in_ready_o,
  input  ohca_fmt_pkg::rxd_t in_i,
  output logic [SlotW-1:0]   in_slot_o,      // where it goes

  input  logic [SlotW-1:0]   slot_i,
  output ohca_fmt_pkg::rxd_t packet_o,
  input  logic               free_i          // slot_i is free again
);

  logic [Slots-1:0]                    busy_q;
  logic [ohca_fmt_pkg::RXD_BITS-1:0]   mem [Slots];
  logic                                put;

  // The slot for the next packet is found a cycle ahead, and kept as a bit each, too: who looks for the one behind it
  // then compares nothing.
  logic             have_q, free;
  logic [Slots-1:0] mine_q, taken, first;
  logic [SlotW-1:0] next;
  assign any_o      = busy_q != '0;
  assign in_ready_o = have_q;
  assign put        = in_valid_i && in_ready_o;
  assign packet_o   = ohca_fmt_pkg::rxd_t'(mem[slot_i]);
  assign taken      = busy_q | mine_q;
  assign free       = taken != '1;
  assign first      = ~taken & (taken + Slots'(1));
  always_comb begin
    next = '0;
    for (int unsigned i = 0; i < Slots; i++) if (first[i]) next = next | SlotW'(i);
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      busy_q <= '0;
      have_q <= 1'b0;
      mine_q <= '0;
    end else begin
      if (put || !have_q) begin
        have_q <= free;
        mine_q <= first;
      end
      for (int unsigned i = 0; i < Slots; i++) begin
        if (free_i && slot_i == SlotW'(i)) busy_q[i] <= 1'b0;
        if (put && mine_q[i]) busy_q[i] <= 1'b1;
      end
    end
    if (put || !have_q) in_slot_o <= next;
    if (put) mem[in_slot_o] <= in_i;
  end

  `ASSERT(Taken_A, !free_i || busy_q[slot_i])
  `ASSERT(Mine_A, mine_q == (have_q ? Slots'(1) << in_slot_o : '0))

endmodule

`default_nettype wire
