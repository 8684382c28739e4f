// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Account of the room that the rings of the data VLs have and nobody has taken: words and descriptors of each; and the
// packets of the management core, which take theirs here.
//
// What is taken counts at once: it shows at room_o and desc_o, which are registers, in the next cycle. Words that come
// back show three cycles later, two if they were flushed; packets two. In the first cycle behind a reset no words are
// shown. Whoever takes has seen it shown at most 6 cycles before (who takes no more than ResW in all: at any time), and
// the takers see to it that what they take together is there. A packet of the management core waits 10 cycles: from the
// second on nobody is shown any words, so when it looks nobody takes. It goes if the longest answers have room beside
// it, else it looks again every 64 cycles; when its VL is stuck (a packet waits and for StuckCycles none left) it is
// dropped. Its other beats, and packets that need no room (VL15, to the host), pass in the same cycle. It does NOT see
// packets of others: their end is told (end_*).

`include "ohca_assert.svh"
`default_nettype none

module ohca_link_tx_room #(
  parameter int unsigned DataWidth   = 64,
  parameter int unsigned NumVl       = 4,        // 2, 4 or 8
  parameter int unsigned QWords      = 2048,     // that a ring has to give, at most 4096
  parameter int unsigned Descs       = 64,
  parameter bit          RoCE        = 1'b1,
  parameter int unsigned StuckCycles = 16384,    // less than ohca_rs waits
  localparam int unsigned Bytes      = DataWidth / 8
) (
  input  logic                   clk_i,
  input  logic                   rst_i,

  output logic [NumVl-1:0][12:0] room_o,         // words
  output logic [NumVl-1:0][7:0]  desc_o,         // packets
  output logic [NumVl-1:0]       stuck_o,
  input  logic [NumVl-1:0]       tk0_vl_i,       // one VL's bit, or none
  input  logic [12:0]            tk0_words_i,
  input  logic [4:0]             tk0_n_i,        // packets
  input  logic [NumVl-1:0]       tk1_vl_i,       // the same; one packet
  input  logic [9:0]             tk1_words_i,

  // Packets of the management core; what is said of one holds with its first beat.
  input  logic                   mg_valid_i,
  output logic                   mg_ready_o,     // no register: that behind it
  input  logic                   mg_last_i,
  input  logic                   mg_host_i,
  input  logic [3:0]             mg_vl_i,
  input  logic [10:0]            mg_pktlen_i,
  output logic                   mgo_valid_o,
  input  logic                   mgo_ready_i,    // only while mgo_valid_o
  output logic [9:0]             mgo_words_o,    // what it took
  output logic                   mg_drop_o,      // one ends here, for want of room

  // A packet has ended: what it took and does not lie in that ring is free again.
  input  logic                   end_valid_i,
  input  logic [3:0]             end_vl_i,
  input  logic                   end_used_i,     // it lies in the ring that it took room of
  input  logic [9:0]             end_took_i,
  input  logic [10:0]            end_len_i,      // dwords

  // What leaves the rings
  input  logic [NumVl-1:0]       wait_i,         // a packet is there
  input  logic [NumVl-1:0]       read_i,         // a word was read
  input  logic [NumVl-1:0]       pop_i,          // a packet's descriptor
  input  logic [NumVl-1:0]       flushed_i,      // so many words were dropped
  input  logic [12:0]            flush_words_i
);

  localparam int unsigned Lanes  = DataWidth / 32;
  localparam int unsigned VlW    = $clog2(NumVl);
  localparam int unsigned StuckW = $clog2(StuckCycles + 1);
  localparam int unsigned MaxDw  = (4096 + 124 - 4) / 4;          // LRH to pad
  localparam int unsigned HdrW   = ((RoCE ? 108 : 80) + Bytes - 1) / Bytes;
  localparam int unsigned ResW   = 4096 / Bytes + 2 * HdrW;       // what responses and notifications may be taking

  logic [13*NumVl-1:0] room_q, room_d, give_q;

  // ------------------------------------------------------------------ the management core's
  logic                mid_q, ok_q, kill_q, charge, ask, hide, look_q, mg_take, kill, enough, enough_q, fire;
  logic [NumVl-1:0]    mg_take_vl;               // mg_take, of its VL: flops
  logic [5:0]          seq_q;
  logic [9:0]          need, words_q;
  logic [12:0]         want_q;
  assign charge = mg_vl_i < 4'(NumVl) && !mg_host_i;
  // Five dwords at least: the writer drops others.
  assign need   = (mg_pktlen_i > 11'(MaxDw)) ? 10'(4096 / Bytes + HdrW) : 10'((32'(mg_pktlen_i) + Lanes - 1) / Lanes);
  assign enough = room_q[13*32'(mg_vl_i[VlW-1:0]) +: 13] >= want_q && desc_o[mg_vl_i[VlW-1:0]] >= 8'd3;
  // Others take room a cycle late, so theirs and this may not meet: it looks when none has been shown for a while, or
  // again later. It looks at what it needed and what there was a cycle ago: both have stood still by then.
  assign ask         = mg_valid_i && !mid_q && !ok_q && charge && !kill_q;
  assign hide        = seq_q != '0 && seq_q < 6'd10;
  assign mg_take     = look_q && enough_q;
  assign kill        = kill_q || (look_q && !enough_q && stuck_o[mg_vl_i[VlW-1:0]]);
  assign mgo_valid_o = mg_valid_i && !kill && (mid_q || ok_q || !charge);
  assign mgo_words_o = words_q;
  assign mg_ready_o  = kill || mgo_ready_i;
  assign fire        = mg_valid_i && mg_ready_o;
  assign mg_drop_o   = kill && fire && mg_last_i;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      mid_q  <= 1'b0;
      ok_q   <= 1'b0;
      kill_q <= 1'b0;
      seq_q  <= '0;
    end else begin
      if (mg_take || kill) seq_q <= '0;
      else if (ask || seq_q != '0) seq_q <= seq_q + 6'd1;
      if (fire) begin
        mid_q  <= !mg_last_i;
        ok_q   <= 1'b0;
        kill_q <= kill && !mg_last_i;
      end
      if (mg_take) ok_q <= 1'b1;
    end
    if (ask) begin
      words_q <= need;
      want_q  <= 13'(words_q) + 13'(ResW);
    end
    enough_q <= enough;
    look_q   <= seq_q == 6'd8 && !rst_i;          // the packet that asked waits until then
    for (int unsigned v = 0; v < NumVl; v++) mg_take_vl[v] <= seq_q == 6'd8 && !rst_i && enough && mg_vl_i == 4'(v);
  end

  // ------------------------------------------------------------------ accounts
  // What comes back does so a cycle later, from registers, and its words are summed up before they are added; what is
  // taken counts at once. The words of the management core's packet go the way of what comes back: none are shown yet.
  logic [8*NumVl-1:0]      desc_d;
  logic [StuckW*NumVl-1:0] idle_q;               // cycles since a packet left, while one waits
  logic [12:0]             back, back_took_q;
  logic [10:0]             back_words_q;
  logic [NumVl-1:0]        back_valid_q;         // of this VL
  logic                    back_used_q;
  logic [NumVl-1:0]        read_q, pop_q;
  always_ff @(posedge clk_i) begin
    for (int unsigned v = 0; v < NumVl; v++) back_valid_q[v] <= end_valid_i && end_vl_i == 4'(v) && !rst_i;
    back_used_q  <= end_used_i;
    back_took_q  <= 13'(end_took_i);
    back_words_q <= 11'((32'(end_len_i) + Lanes - 1) / Lanes);
    read_q       <= rst_i ? '0 : read_i;
    pop_q        <= rst_i ? '0 : pop_i;
  end
  assign back = back_took_q - (back_used_q ? 13'(back_words_q) : 13'd0);
  always_comb begin
    for (int unsigned v = 0; v < NumVl; v++) begin
      room_d[13*v +: 13] = room_q[13*v +: 13] + give_q[13*v +: 13]
                           - (tk0_vl_i[v] ? tk0_words_i : 13'd0)
                           - (tk1_vl_i[v] ? 13'(tk1_words_i) : 13'd0);
      desc_d[8*v +: 8]   = desc_o[v] + 8'(pop_q[v]) + 8'(back_valid_q[v] && !back_used_q)
                           - (tk0_vl_i[v] ? 8'(tk0_n_i) : 8'd0)
                           - 8'(tk1_vl_i[v]) - 8'(mg_take_vl[v]);
    end
  end
  always_ff @(posedge clk_i) begin
    for (int unsigned v = 0; v < NumVl; v++) begin
      give_q[13*v +: 13] <= rst_i ? '0 : 13'(read_q[v]) + (back_valid_q[v] ? back : 13'd0) +
                                         (flushed_i[v] ? flush_words_i : 13'd0) -
                                         (mg_take_vl[v] ? 13'(words_q) : 13'd0);
      if (rst_i) begin
        room_q[13*v +: 13] <= 13'(QWords);
        desc_o[v]          <= 8'(Descs);
        idle_q[StuckW*v +: StuckW] <= '0;
        stuck_o[v]         <= 1'b0;
      end else begin
        room_q[13*v +: 13] <= room_d[13*v +: 13];
        desc_o[v]          <= desc_d[8*v +: 8];
        if (!wait_i[v] || pop_i[v]) idle_q[StuckW*v +: StuckW] <= '0;
        else if (idle_q[StuckW*v +: StuckW] != StuckW'(StuckCycles))
          idle_q[StuckW*v +: StuckW] <= idle_q[StuckW*v +: StuckW] + StuckW'(1);
        stuck_o[v] <= idle_q[StuckW*v +: StuckW] == StuckW'(StuckCycles);
      end
      // By its reset: what is taken in this cycle comes late.
      if (rst_i || hide) room_o[v] <= 13'd0;
      else               room_o[v] <= room_d[13*v +: 13];
    end
  end

  `ASSERT(AskStays_A, seq_q == '0 || ask)
  `ASSERT(TakeVl_A, (mg_take_vl != '0) == (mg_take && mg_vl_i < 4'(NumVl)))
  for (genvar g = 0; g < NumVl; g++) begin : g_bound
    `ASSERT(RoomBound_A, room_q[13*g +: 13] <= 13'(QWords) && desc_o[g] <= 8'(Descs))
  end

endmodule

`default_nettype wire
