// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Which VLs' egress rings have room for a response, a cycle after room_i; flops. With one VL no room is asked for.
//
// What was chosen in the three cycles before does not show in room_i yet (ohca_txmux), and this is a cycle old. There
// must be room, therefore, for two of the longest packets, one of them a READ response chosen three cycles ago, for two
// ACKs, and for a notification that may come before it (ohca_eth_cnp).
//
// Everybody's acknowledgements go behind what READs have in a ring. So READs stop when the wire has enough, as requests
// of 4 KiB do (ohca_link_tx, ohca_sq_lanes). Only beside requests that wait for room, and so fill the ring themselves,
// they take what they can: who takes turns with them then is ohca_txmux's. It does NOT take room.
// lint: NumVl=2 DW=512
// lint: NumVl=1

`default_nettype none

module ohca_resp_room #(
  parameter int unsigned NumVl      = 4,
  parameter int unsigned DW         = 64,
  parameter bit          RoCE       = 1'b1,
  parameter int unsigned QueueBytes = 32768,   // of a ring; and the cycles until host memory answers: as ohca_link_tx
  parameter int unsigned HostCycles = 256,
  localparam int unsigned VlW       = (NumVl > 1) ? $clog2(NumVl) : 1
) (
  input  logic                   clk_i,
  input  logic                   rst_i,

  input  logic [NumVl-1:0][12:0] room_i,       // of the egress rings: words and packets
  input  logic [NumVl-1:0][7:0]  desc_i,
  input  logic [NumVl-1:0]       yield_i,      // requests of the VL come first
  input  logic [NumVl-1:0]       want_i,       // requests of the VL wait for room

  output logic [NumVl-1:0]       has_room_o,   // for an ACK
  output logic [NumVl-1:0]       turn_room_o,  // for a turn's packet
  input  logic [VlW-1:0]         t_vl_i,       // the turn's VL
  input  logic                   t_none_i,     //   it is none
  output logic                   t_room_o      //   it has room; t_vl_i and t_none_i as a cycle before
);

  localparam int unsigned HdrW  = ((RoCE ? 108 : 80) + DW / 8 - 1) / (DW / 8);   // the longest header
  localparam int unsigned Data  = 4096 / (DW / 8);
  localparam int unsigned Least = 2 * Data + 5 * HdrW;
  // What keeps the wire busy, and what an empty ring then shows; narrow rings, of 256 bits and more, have no more.
  localparam int unsigned Ahead = Data + HdrW + 4 * HostCycles;
  localparam int unsigned Ring  = QueueBytes / (DW / 8);
  localparam int unsigned Wide  = Ahead + 3 * Data + 8 * HdrW;
  localparam int unsigned Full  = (Wide < Ring) ? Wide : Ring;
  localparam int unsigned Far   = (Full > Ahead + Least) ? Full - Ahead : Least;

  if (NumVl > 1) begin : g_room
    logic [NumVl-1:0] room, turn;
    always_comb begin
      for (int unsigned v = 0; v < NumVl; v++) begin
        room[v] = room_i[v] >= 13'(Least) && desc_i[v] >= 8'd5 && !yield_i[v] && !rst_i;
        turn[v] = room[v] && (want_i[v] || room_i[v] >= 13'(Far));
      end
    end
    always_ff @(posedge clk_i) begin
      has_room_o  <= room;
      turn_room_o <= turn;
      t_room_o    <= t_none_i || turn[t_vl_i];
    end
  end else begin : g_one
    assign has_room_o  = '1;
    assign turn_room_o = '1;
    assign t_room_o    = 1'b1;
    logic unused_room;
    assign unused_room = &{1'b0, clk_i, rst_i, room_i, desc_i, yield_i, want_i, t_vl_i, t_none_i};
  end

endmodule

`default_nettype wire
