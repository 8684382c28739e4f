// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Packets between their arrival and the commit of their context: each lies in a slot, from which it may be taken in any
// order, as contexts that are not in the cache come later; their QP numbers are looked up in the order of arrival.
//
//   packet -> slot -------------------------> the commit names the slot
//        \--> queue of {QP, slot, datagram} -> look-up
//
// The first to be looked up is offered a cycle after it came; one in, one looked up and one out a cycle. With Compact
// one packet stays where it comes from until the cycle after its commit, and nothing is kept. All outputs of the
// look-up come from flops or a queue's memory; packet_o is read in the cycle that names it. It does NOT check packets.

`include "ohca_assert.svh"
`default_nettype none

module ohca_rs_wait #(
  parameter int unsigned InFlight = 32,        // slots, power of two
  parameter bit          Compact  = 1'b0,
  localparam int unsigned SlotW   = $clog2(InFlight)
) (
  input  logic               clk_i,
  input  logic               rst_i,
  output logic               any_o,            // a packet waits

  input  logic               rxd_valid_i,
  output logic               rxd_ready_o,
  input  ohca_fmt_pkg::rxd_t rxd_i,

  output logic               lk_valid_o,       // the next one to be looked up
  input  logic               lk_ready_i,
  output logic [23:0]        lk_qpn_o,
  output logic [SlotW-1:0]   lk_slot_o,
  output logic               lk_dg_o,          // a datagram

  input  logic [SlotW-1:0]   slot_i,
  output ohca_fmt_pkg::rxd_t packet_o,
  input  logic               free_i            // the packet in slot_i has been taken
);

  ohca_fmt_pkg::bth_t    bth;
  ohca_fmt_pkg::opcode_t op;
  logic                  dg, go;
  assign bth = rxd_i.bth;
  ohca_opcode u_opcode (.op_i(bth.opcode), .is_o(op));
  assign dg  = op.ud;
  assign go  = lk_valid_o && lk_ready_i;

  if (Compact) begin : g_held
    logic asked_q;                                       // its context is on the way
    logic freed_q;                                       // it has been taken, and goes in this cycle
    assign packet_o    = rxd_i;
    assign any_o       = rxd_valid_i && !freed_q;
    assign lk_valid_o  = rxd_valid_i && !asked_q;
    assign lk_qpn_o    = bth.destqp;
    assign lk_dg_o     = dg;
    assign lk_slot_o   = '0;
    assign rxd_ready_o = freed_q;
    always_ff @(posedge clk_i) begin
      freed_q <= !rst_i && free_i;
      if (rst_i || freed_q) asked_q <= 1'b0;
      else if (go)          asked_q <= 1'b1;
    end
    logic unused_slot;
    assign unused_slot = &{1'b0, slot_i};
  end else begin : g_slots
    logic             slot_ready, q_ready, fire;
    logic [SlotW-1:0] in_slot;
    assign rxd_ready_o = slot_ready && q_ready;
    assign fire        = rxd_valid_i && rxd_ready_o;
    ohca_rxd_slots #(.Slots(InFlight)) u_slots (
      .clk_i, .rst_i, .any_o, .in_valid_i(rxd_valid_i && q_ready), .in_ready_o(slot_ready), .in_i(rxd_i),
      .in_slot_o(in_slot),
      .slot_i, .packet_o, .free_i
    );
    // verilator lint_off PINCONNECTEMPTY
    ohca_fifo #(.Width(SlotW + 24), .Depth(InFlight), .UseRam(1'b0)) u_queue (
      .clk_i, .rst_i, .valid_i(rxd_valid_i && slot_ready), .ready_o(q_ready), .data_i({in_slot, bth.destqp}),
      .valid_o(lk_valid_o), .ready_i(lk_ready_i), .data_o({lk_slot_o, lk_qpn_o}), .count_o(), .almost_full_o()
    );
    // verilator lint_on PINCONNECTEMPTY
    // Whether the first of them is a datagram, in a flop: the choice of the look-up asks for it.
    logic             dgs [InFlight];
    logic [SlotW-1:0] wr_q, rd_q, rd1;
    assign rd1 = rd_q + SlotW'(1);
    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        wr_q <= '0;
        rd_q <= '0;
      end else begin
        if (fire) wr_q <= wr_q + SlotW'(1);
        if (go)   rd_q <= rd1;
      end
      if (fire) dgs[wr_q] <= dg;
      if (go) lk_dg_o <= (fire && wr_q == rd1) ? dg : dgs[rd1];
      else    lk_dg_o <= (fire && wr_q == rd_q && !lk_valid_o) ? dg : dgs[rd_q];
    end
  end

  logic unused;
  assign unused = &{1'b0, bth, op};

  `ASSERT(Free_A, !free_i || any_o)

endmodule

`default_nettype wire
