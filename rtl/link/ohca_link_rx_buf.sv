// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Receive buffer: packets lie in it in the order they came, each with a slot, until who works on them gives the slot
// back. Slots are given in order, come back in any order, and their room is reclaimed in order.
//
// One beat a cycle in, a word a cycle out (data a cycle after its address). A packet may begin when room_o, a flop, is
// at least what it needs and slot_ok_o, which is of flops, is set. When the oldest packet's slot comes back the latter
// knows two cycles later, room_o three. It does NOT look at what it stores. Addresses wrap around at BufBytes.
// lint: DataWidth=512 BufBytes=65536
// lint: Slots=16

`include "ohca_assert.svh"
`default_nettype none

module ohca_link_rx_buf #(
  parameter int unsigned DataWidth = 64,
  parameter int unsigned BufBytes  = 32768,    // power of two
  parameter int unsigned Slots     = 64,       // power of two, at most 64
  parameter int unsigned NumRel    = 4,
  localparam int unsigned Bytes    = DataWidth / 8,
  localparam int unsigned AddrW    = $clog2(BufBytes / Bytes)
) (
  input  logic                   clk_i,
  input  logic                   rst_i,
  output logic                   idle_o,         // no room is on its way back

  output logic [AddrW:0]         room_o,         // free words
  output logic                   slot_ok_o,

  // Beats of packets
  input  logic                   fire_i,
  input  logic                   first_i,
  input  logic [10:0]            need_i,         // with first_i: words that are kept; what is behind them is not stored
  input  logic [10:0]            idx_i,          // of the beat
  input  logic [DataWidth-1:0]   data_i,
  output logic [5:0]             slot_o,         // of this packet
  output logic [AddrW-1:0]       base_o,         // its first word

  input  logic [NumRel-1:0]      rel_valid_i,
  input  logic [NumRel-1:0][5:0] rel_slot_i,

  input  logic                   rd_en_i,
  input  logic [AddrW-1:0]       rd_addr_i,
  output logic [DataWidth-1:0]   rd_data_o
);

  localparam int unsigned SlotW = $clog2(Slots);
  localparam int unsigned Words = BufBytes / Bytes;

  if (BufBytes < 8192 || (BufBytes & (BufBytes - 1)) != 0) begin : g_bad_size
    $error("ohca_link_rx_buf: BufBytes must be a power of two from 8192");
  end

  // ------------------------------------------------------------------ packets come
  logic [AddrW:0] tail_q, head_q, base_q, base, slot_end_d;
  logic [AddrW:0] room_q, freed_q, room_more;     // room comes back a cycle after its slot (freed_v_q)
  logic [10:0]    need_q, need;
  logic [5:0]     slot_q;
  logic [SlotW:0] slot_wr_q, slot_rd_q, slots_used;
  logic           begins;
  assign begins     = fire_i && first_i;
  assign room_more  = room_q + (freed_v_q ? freed_q : '0);
  assign slots_used = slot_wr_q - slot_rd_q;
  assign room_o     = room_q;
  assign slot_ok_o  = (slot_wr_q ^ slot_rd_q) != {1'b1, SlotW'(0)};
  assign slot_end_d = tail_q + (AddrW+1)'(need_i);
  assign need       = first_i ? need_i : need_q;
  assign base       = first_i ? tail_q : base_q;
  assign base_o     = base[AddrW-1:0];
  assign slot_o     = first_i ? 6'(slot_wr_q[SlotW-1:0]) : slot_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      tail_q    <= '0;
      slot_wr_q <= '0;
      room_q    <= (AddrW+1)'(Words);
    end else begin
      if (begins) begin
        tail_q    <= slot_end_d;
        slot_wr_q <= slot_wr_q + (SlotW+1)'(1);
      end
      room_q <= begins ? room_more - (AddrW+1)'(need_i) : room_more;
    end
    if (fire_i) begin
      need_q <= need;
      base_q <= base;
      slot_q <= slot_o;
    end
  end

  // Only packets that were handed on are read, so no read meets a write.
  ohca_ram_sdp #(.Width(DataWidth), .Depth(Words), .OldData(1'b0)) u_buf (
    .clk_i(clk_i),
    .wr_en_i(fire_i && idx_i < need), .wr_be_i(1'b1), .wr_addr_i(base_o + AddrW'(idx_i)), .wr_data_i(data_i),
    .rd_en_i(rd_en_i), .rd_addr_i(rd_addr_i), .rd_data_o(rd_data_o)
  );

  // ------------------------------------------------------------------ slots come back
  logic [AddrW:0]   slot_end [Slots];
  logic [AddrW:0]   oldest_end;
  logic [Slots-1:0] done_q;
  logic             reclaim, freed_v_q;
  logic [SlotW-1:0] freed_slot_q;
  // A slot that nobody holds is never done.
  assign reclaim    = done_q[slot_rd_q[SlotW-1:0]];
  assign oldest_end = slot_end[slot_rd_q[SlotW-1:0]];
  assign idle_o     = !reclaim && !freed_v_q;
  always_ff @(posedge clk_i) begin
    if (begins) slot_end[slot_wr_q[SlotW-1:0]] <= slot_end_d;
    freed_q <= oldest_end - head_q;
    freed_slot_q <= slot_rd_q[SlotW-1:0];
    if (rst_i) begin
      done_q    <= '0;
      slot_rd_q <= '0;
      head_q    <= '0;
      freed_v_q <= 1'b0;
    end else begin
      freed_v_q <= reclaim;
      if (reclaim) begin
        slot_rd_q <= slot_rd_q + (SlotW+1)'(1);
        head_q    <= oldest_end;
      end
      // A cycle later, as it comes late; nobody looks at it before the slot is given again and comes back.
      if (freed_v_q) done_q[freed_slot_q] <= 1'b0;
      for (int unsigned i = 0; i < NumRel; i++) if (rel_valid_i[i]) done_q[rel_slot_i[i][SlotW-1:0]] <= 1'b1;
    end
  end

  `ASSERT(BufBound_A, (tail_q - head_q) <= (AddrW+1)'(Words))
  `ASSERT(Done_A, !reclaim || slots_used != '0)
  `ASSERT(Room_A, room_more == (AddrW+1)'(Words) - (tail_q - head_q))
  for (genvar g = 0; g < NumRel; g++) begin : g_rel
    logic [SlotW-1:0] slot, age;
    assign slot = rel_slot_i[g][SlotW-1:0];
    assign age  = slot - slot_rd_q[SlotW-1:0];
    `ASSERT(ReleaseOfHeld_A, !rel_valid_i[g] || ({1'b0, age} < slots_used && !done_q[slot]))
  end

  logic unused;
  assign unused = &{1'b0, rel_slot_i, slots_used};

endmodule

`default_nettype wire
