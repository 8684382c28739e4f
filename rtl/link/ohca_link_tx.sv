// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Transmit side of the InfiniBand link layer: CRCs, egress buffers per VL, credits, VL arbitration, static rate, flow-control packets, loopback.
//
// Last beat of a packet in to its first beat on the wire: 12 cycles (11 up to 64 bits) with empty buffers; one beat a cycle, and one packet in two
// cycles. It is store and forward, so a packet that fails (in_err_i) leaves nothing behind. It does NOT segment, choose VLs, or send raw packets.
// lint: DataWidth=128
// lint: DataWidth=256
// lint: DataWidth=512 NumVl=8
// lint: NumVl=1
// lint: RoCE=0
//
// On an Ethernet port (docs/roce.md) the packets are in the internal form, queues take the place of VLs and pauses that of credits; flow-control packets and
// VL15 do not exist, and DLID 0xffff is loopback.

// in ──┐                   ┌─► egress memory: a ring per data VL, one for loopback, one for VL15 ─► reader ──► mux ─► wire
//      ├─ merge ─► writer ─┤                                                                  └──► reader ──► loopback
// mg ──┘                   └─► ICRC, VCRC ─► descriptor FIFO per ring ─► credits, rate, arbitration ─┘  ▲
//                                                                                     flow-control packets
//
// A packet's ring: its own LID (unicast, within the LMC range) or mg_to_host_i: loopback; multicast: that of its VL and loopback, for the members here; LRH.VL 15: VL15; else that of LRH.VL. Packets that
// may not go (port state, VL not in use, DLID 0, raw, too long, wrong PktLen) are taken and dropped: cnt tx_drop. A packet to a ring that
// is full waits, and those behind it wait too: so nobody sends what has no room.
//
// Room (more than one VL): whoever emits a packet of a data VL takes room of that VL's ring first (tk*: words of the ring and a descriptor each) and looks at
// room_o and desc_o before. What it took comes with the packet (in_words_i); when the packet has ended, what it did not need is free again, all of it if it
// was dropped or looped back. So no packet of a data VL ever waits at its ring, and a VL that is stopped stops nobody else. The management core's packets take
// theirs here, while nobody is shown any room for some cycles; when the VL is stuck (stuck_o: a packet waits and for StuckCycles none left) they are dropped. VL15 and
// loopback take none: they always move on.
//
// Static rate: after a packet with ipd != 0 that occupied the wire for T cycles, no packet to the same DLID starts for ipd * T cycles. RateEntries
// DLIDs are kept; when more are active at once the oldest loses its spacing. A packet that waits for its rate blocks its own VL only.
//
// A VL that is in neither arbitration table is served when nothing else can go, so a wrong table delays but never wedges the input.

`include "ohca_assert.svh"
`default_nettype none

module ohca_link_tx #(
  parameter int unsigned DataWidth   = 64,
  parameter int unsigned NumVl       = 4,           // 1, 2, 4 or 8 data VLs
  parameter int unsigned QueueBytes  = (NumVl == 1) ? 8192 : (DataWidth <= 128) ? 16384 : 32768,   // of each data VL and of loopback; at least 4224, or 16384
  parameter int unsigned Vl15Bytes   = 2048,        // at least 512
  parameter int unsigned Descs       = (NumVl == 1) ? 16 : 64,   // packets per ring
  parameter int unsigned RateEntries = 4,
  parameter bit          RoCE        = 1'b1,
  localparam int unsigned Bytes      = DataWidth / 8,
  localparam int unsigned Arb        = ohca_fmt_pkg::PORT_ARB_ENTRIES
) (
  input  logic                          clk_i,
  input  logic                          rst_i,
  input  logic [63:0]                   now_i,
  output logic                          idle_o,
  output logic                          next_valid_o,   // a flow-control packet is due at next_o
  output logic [63:0]                   next_o,

  input  ohca_fmt_pkg::port_cfg_t       cfg_i,
  input  logic [31:0]                   fc_period_i,
  input  logic [Arb*12-1:0]             arb_low_i,      // entry n: {vl, weight} at 12 n
  input  logic [Arb*12-1:0]             arb_high_i,

  // From ohca_txbuild: LRH..pad, keep all ones but in the last beat
  input  logic                          in_valid_i,
  output logic                          in_ready_o,
  input  logic [DataWidth-1:0]          in_data_i,      // first wire byte in [7:0]
  input  logic [Bytes-1:0]              in_keep_i,
  input  logic                          in_last_i,
  input  logic                          in_err_i,       // with last: discard the packet
  input  logic [7:0]                    in_ipd_i,       // with last
  input  logic [9:0]                    in_words_i,     // with last: the room that it took

  // Room of the data VLs' rings that nobody has taken; takers see to it that what they take together is there. One VL: not used.
  output logic [NumVl-1:0][12:0]        room_o,         // words
  output logic [NumVl-1:0][7:0]         desc_o,         // packets
  output logic [NumVl-1:0]              stuck_o,
  input  logic                          tk0_valid_i,    // from ohca_sq
  input  logic [2:0]                    tk0_vl_i,
  input  logic [12:0]                   tk0_words_i,
  input  logic [4:0]                    tk0_n_i,        // packets
  input  logic                          tk1_valid_i,    // responses: one packet
  input  logic [2:0]                    tk1_vl_i,
  input  logic [9:0]                    tk1_words_i,

  // From ohca_mgmt
  input  logic                          mg_valid_i,
  output logic                          mg_ready_o,
  input  logic [DataWidth-1:0]          mg_data_i,
  input  logic [Bytes-1:0]              mg_keep_i,
  input  logic                          mg_last_i,
  input  logic                          mg_to_host_i,   // stable through the packet

  input  logic [NumVl-1:0]              pause_i,        // Ethernet: the peer has paused the queue

  // From and to ohca_link_rx
  input  logic                          fc_valid_i,     // a flow-control packet arrived
  input  logic [3:0]                    fc_vl_i,
  input  logic [11:0]                   fc_fccl_i,
  input  logic [NumVl-1:0][11:0]        rx_fccl_i,      // limits to advertise
  input  logic [NumVl-1:0]              rx_empty_i,     // nothing of this VL is held
  input  logic [11:0]                   rx_thr_i,       // advertise at once when the limit moved this much
  output logic                          lb_valid_o,
  input  logic                          lb_ready_i,
  output logic [DataWidth-1:0]          lb_data_o,
  output logic [Bytes-1:0]              lb_keep_o,
  output logic                          lb_last_o,
  output logic                          lb_from_fw_o,

  // Wire
  output logic                          tx_valid_o,
  input  logic                          tx_ready_i,
  output logic [DataWidth-1:0]          tx_data_o,
  output logic [Bytes-1:0]              tx_keep_o,
  output logic                          tx_last_o,
  output logic [1:0]                    tx_kind_o,      // 0 packet, 1 flow control

  output logic [NumVl-1:0][11:0]        tx_credit_o,
  output ohca_fmt_pkg::port_tx_stat_t   stat_o,
  output logic [63:0]                   cnt_o
);

  localparam int unsigned Lanes   = DataWidth / 32;
  localparam int unsigned LaneW   = $clog2(Lanes);
  localparam int unsigned NumQ    = NumVl + 2;
  localparam int unsigned QLoop   = NumVl;
  localparam int unsigned Q15     = NumVl + 1;          // last, so that its shorter ring ends the memory
  localparam int unsigned QW      = $clog2(NumQ);
  localparam int unsigned QWords  = QueueBytes / Bytes;
  localparam int unsigned Words15 = Vl15Bytes / Bytes;
  localparam int unsigned PtrW    = $clog2(QWords);
  localparam int unsigned VlW     = (NumVl > 1) ? $clog2(NumVl) : 1;
  localparam int unsigned MaxDw   = (4096 + 124 - 4) / 4;   // LRH to pad
  localparam int unsigned MaxDw15 = 512 / 4;
  localparam int unsigned RateW   = (RateEntries > 1) ? $clog2(RateEntries) : 1;

  if (NumVl != 1 && NumVl != 2 && NumVl != 4 && NumVl != 8) begin : g_bad_vl
    $error("ohca_link_tx: NumVl must be 1, 2, 4 or 8");
  end
  if (NumVl > 1 && (QueueBytes < 16384 || QWords > 4096 || Descs < 32 || Descs > 128)) begin : g_bad_room
    $error("ohca_link_tx: with several VLs QueueBytes must be at least 16384, Descs 32 to 128");
  end
  if (QueueBytes < 4224 || Vl15Bytes < 512 || Vl15Bytes > QueueBytes || (QWords & (QWords - 1)) != 0 || (Words15 & (Words15 - 1)) != 0) begin : g_bad_size
    $error("ohca_link_tx: QueueBytes and Vl15Bytes must be powers of two, at least 4224 and 512");
  end

  // CRC-16 of IBA, bit by bit over the bytes of d, lowest first. No inversion.
  function automatic logic [15:0] crc16_dw(input logic [15:0] seed, input logic [31:0] d);
    crc16_dw = seed;
    for (int unsigned i = 0; i < 32; i++) crc16_dw = (crc16_dw >> 1) ^ ((crc16_dw[0] ^ d[i]) ? 16'hd008 : 16'd0);
  endfunction

  // ------------------------------------------------------------------ merge of the two sources
  localparam int unsigned InW = DataWidth + Bytes + 1 + 1 + 8 + 10;     // {words, to_host, ipd, err, keep, data}
  logic           mgo_valid, mgo_ready, mg_drop;   // of the management core, with its room; one is dropped for want of it
  logic [9:0]     mg_words;
  logic           m_valid, m_ready, m_last, w_valid, w_ready, w_last;
  logic [InW-1:0] m_data;
  logic [1:0]     m_gnt;
  logic           m_sel;
  ohca_arb_rr #(.N(2), .Width(InW), .Lock(1'b1)) u_merge (
    .clk_i(clk_i), .rst_i(rst_i),
    .valid_i({mgo_valid, in_valid_i}), .ready_o({mgo_ready, in_ready_o}),
    .data_i({mg_words, mg_to_host_i, 8'd0, 1'b0, mg_keep_i, mg_data_i, (NumVl > 1) ? in_words_i : 10'd0, 1'b0, in_ipd_i, in_err_i, in_keep_i, in_data_i}),
    .last_i({mg_last_i, in_last_i}),
    .valid_o(m_valid), .ready_i(m_ready), .data_o(m_data), .last_o(m_last), .sel_o(m_sel), .gnt_o(m_gnt)
  );

  logic [DataWidth-1:0] w_data;
  logic [Bytes-1:0]     w_keep;
  logic                 w_err, w_host;
  logic [7:0]           w_ipd;
  logic [9:0]           w_words;
  ohca_skid #(.Width(InW + 1)) u_skid (
    .clk_i(clk_i), .rst_i(rst_i),
    .valid_i(m_valid), .ready_o(m_ready), .data_i({m_last, m_data}),
    .valid_o(w_valid), .ready_i(w_ready), .data_o({w_last, w_words, w_host, w_ipd, w_err, w_keep, w_data})
  );

  // ------------------------------------------------------------------ writer: which ring, and may it go
  logic [3:0]  vl_mask_n;
  logic [15:0] lid_mask;
  assign vl_mask_n = cfg_i.oper_vls;
  assign lid_mask  = 16'hffff << cfg_i.lmc;

  logic        eth;
  assign eth = RoCE && cfg_i.eth;
  logic [3:0]  h_vl;
  logic [1:0]  h_lnh;
  logic [15:0] h_dlid;
  logic [10:0] h_pktlen;
  logic        h_own, h_loop, h_ok, h_both;
  logic [QW-1:0] h_q;
  assign h_vl     = w_data[7:4];
  assign h_lnh    = w_data[9:8];
  assign h_dlid   = {w_data[23:16], w_data[31:24]};
  assign h_pktlen = {w_data[34:32], w_data[47:40]};
  assign h_own    = cfg_i.lid != 16'd0 && h_dlid < 16'hc000 && ((h_dlid ^ cfg_i.lid) & lid_mask) == 16'd0;
  assign h_loop   = eth ? h_dlid == 16'hffff : w_host || h_own;
  always_comb begin
    h_q  = QW'(h_vl[VlW-1:0]);
    h_ok = cfg_i.smp_en && cfg_i.tx_data_en && h_vl < vl_mask_n && h_vl < 4'(NumVl);
    if (NumVl == 1) h_q = '0;
    if (h_vl == 4'd15) begin
      h_q  = QW'(Q15);
      h_ok = cfg_i.smp_en;
    end
    if (h_loop) begin
      h_q  = QW'(QLoop);
      h_ok = w_host || h_vl == 4'd15 || (cfg_i.tx_data_en && h_vl < vl_mask_n);
    end
    if (eth) begin
      if (h_lnh[1] || w_host || h_vl == 4'd15) h_ok = 1'b0;
    end else if ((h_dlid == 16'd0 && !w_host) || h_lnh < 2'd2) h_ok = 1'b0;
  end
  // Multicast of the host, in this form on both link layers.
  assign h_both = h_ok && !h_loop && h_vl != 4'd15 && h_dlid[15:14] == 2'b11 && h_dlid != 16'hffff;

  // State of the packet that is being written
  logic                      first_q, drop_q;
  logic [QW-1:0]             q_q, q;
  logic [PtrW:0]             start_q, start_l_q;
  logic [10:0]               len_q, len, pktlen_q, pktlen;
  logic [15:0]               dlid_q, dlid;
  logic                      host_q, host, drop, both_q, both;
  logic [LaneW:0]            n_dw;
  logic                      w_fire, room, too_long, good, had_ring, held_ring_q;
  logic [NumQ-1:0]           open;

  // Rings
  logic [NumQ-1:0][PtrW:0]   wr_ptr_q, rd_ptr_q;
  logic [NumQ-1:0]           full;
  logic [NumQ-1:0][$clog2(Descs):0] held_q;       // packets of the ring, from their first beat on
  logic [NumQ-1:0]           desc_full;
  for (genvar g = 0; g < NumQ; g++) begin : g_full
    assign full[g]      = (wr_ptr_q[g] - rd_ptr_q[g]) >= (PtrW+1)'((g == Q15) ? Words15 : QWords);
    assign desc_full[g] = held_q[g] >= ($clog2(Descs)+1)'((g < NumVl) ? Descs : 16);
  end

  always_comb begin
    for (int unsigned v = 0; v < NumVl; v++) open[v] = cfg_i.smp_en && cfg_i.tx_data_en && 4'(v) < vl_mask_n;
    open[QLoop] = 1'b1;
    open[Q15]   = cfg_i.smp_en;
  end

  assign q      = first_q ? h_q : q_q;
  // A ring that loses its right to send (link down) drops even what is half in, so that nobody waits for its room.
  assign drop   = first_q ? !h_ok : (drop_q || !open[q_q]);
  assign dlid   = first_q ? h_dlid : dlid_q;
  assign pktlen = first_q ? h_pktlen : pktlen_q;
  assign host   = first_q ? w_host : host_q;
  assign both   = first_q ? h_both : both_q;
  assign room   = !full[q] && (!first_q || !desc_full[q]) && !(both && (full[QLoop] || (first_q && desc_full[QLoop])));
  always_comb begin
    n_dw = '0;
    for (int unsigned i = 0; i < Lanes; i++) n_dw = n_dw + (LaneW+1)'(w_keep[4*i]);
  end
  assign len      = (first_q ? 11'd0 : len_q) + 11'(n_dw);
  assign too_long = (q == QW'(Q15)) ? len > 11'(MaxDw15) : len > 11'(MaxDw);
  assign w_ready  = drop || too_long || room;
  assign w_fire   = w_valid && w_ready;
  // A packet counts if it ended well and its header tells its true length. Five dwords: LRH and BTH.
  assign good     = !drop && !too_long && !w_err && pktlen == len + 11'd1 && len >= 11'd5;

  logic put;                                      // this beat goes into the ring
  assign put = w_fire && !drop && !too_long;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      first_q <= 1'b1;
      drop_q  <= 1'b0;
    end else if (w_fire) begin
      first_q <= w_last;
      drop_q  <= drop || too_long;
    end
    if (w_fire) begin
      q_q      <= q;
      len_q    <= len;
      pktlen_q <= pktlen;
      dlid_q   <= dlid;
      host_q   <= host;
      both_q   <= both;
      if (first_q) start_q <= wr_ptr_q[h_q];
      if (first_q) start_l_q <= wr_ptr_q[QLoop];
    end
  end

  // The reservation of a ring's descriptor: from the first beat until the packet is read, or found bad.
  logic [NumQ-1:0] reserve, unreserve, popped, h_valid, less1_q, less2_q;
  assign had_ring = first_q ? h_ok && !too_long : held_ring_q;
  always_comb begin
    reserve   = '0;
    unreserve = '0;
    if (w_fire && first_q && had_ring)                  reserve[q]   = 1'b1;
    if (w_fire && w_last && had_ring && !good)          unreserve[q] = 1'b1;
    if (both && reserve[q])                             reserve[QLoop]   = 1'b1;
    if (both && unreserve[q])                           unreserve[QLoop] = 1'b1;
  end
  always_ff @(posedge clk_i) begin
    if (w_fire) held_ring_q <= had_ring;
    less1_q <= rst_i ? '0 : unreserve;
    less2_q <= rst_i ? '0 : popped;
    for (int unsigned i = 0; i < NumQ; i++) begin
      if (rst_i) begin
        held_q[i]   <= '0;
        wr_ptr_q[i] <= '0;
      end else begin
        held_q[i] <= held_q[i] + ($clog2(Descs)+1)'(reserve[i]) - ($clog2(Descs)+1)'(less1_q[i]) - ($clog2(Descs)+1)'(less2_q[i]);
        if (unreserve[i])                  wr_ptr_q[i] <= first_q ? wr_ptr_q[i] : (i == QLoop && both) ? start_l_q : start_q;
        else if (put && (q == QW'(i) || (i == QLoop && both))) wr_ptr_q[i] <= wr_ptr_q[i] + (PtrW+1)'(1);
      end
    end
  end

  // ------------------------------------------------------------------ room
  logic          flush;
  logic [QW-1:0] flush_pick;
  logic [PtrW:0] flush_words;
  logic          rd_en;
  logic [QW-1:0] rd_q;
  if (NumVl > 1) begin : g_room
    localparam int unsigned StuckCycles = 16384;     // less than ohca_rs waits
    localparam int unsigned HdrW = ((RoCE ? 108 : 80) + Bytes - 1) / Bytes;
    localparam int unsigned ResW = 4096 / Bytes + 2 * HdrW;        // what responses and notifications may be taking
    logic [13*NumVl-1:0]    room_q, room_d;
    logic [8*NumVl-1:0]     desc_q, desc_d;
    logic [15*NumVl-1:0]    idle_q;                               // cycles since a packet left, while one waits
    logic [NumVl-1:0]       stuck_q;
    logic [3:0]             vl_q, w_vl, mg_vl;
    logic                   charged, mg_mid_q, mg_ok_q, mg_kill_q, mg_charge, mg_ask, mg_hide, mg_look, mg_take, mg_kill, mg_enough, mg_fire;
    logic [13*NumVl-1:0]    shown_q;
    logic [5:0]             mg_seq_q;
    logic [12:0]            back, back_took_q, flush_words_q;
    logic [10:0]            back_len_q;
    logic [3:0]             back_vl_q;
    logic                   back_valid_q, back_used_q;      // it lies in the ring that it took room of
    logic [NumVl-1:0]       read_q, flush_v_q, pop_q;
    logic [10:0]            mg_pktlen;
    logic [9:0]             mg_need, mg_words_q;
    assign w_vl    = first_q ? h_vl : vl_q;
    // Of the management core only what goes out on a data VL.
    assign charged = w_vl < 4'(NumVl) && !host;

    assign mg_vl     = mg_data_i[7:4];
    assign mg_pktlen = {mg_data_i[34:32], mg_data_i[47:40]};
    assign mg_words  = mg_words_q;
    assign mg_charge = mg_vl < 4'(NumVl) && !mg_to_host_i;
    // Five dwords at least: the writer drops others.
    assign mg_need   = (mg_pktlen > 11'(MaxDw)) ? 10'(4096 / Bytes + HdrW) : 10'((32'(mg_pktlen) + Lanes - 1) / Lanes);
    assign mg_enough = room_q[13*32'(mg_vl[VlW-1:0]) +: 13] >= 13'(mg_need) + 13'(ResW) && desc_q[8*32'(mg_vl[VlW-1:0]) +: 8] >= 8'd3;
    // Others take room a cycle late, so theirs and this may not meet: it looks when none has been shown for a while, or again later.
    assign mg_ask    = mg_valid_i && !mg_mid_q && !mg_ok_q && mg_charge && !mg_kill_q;
    assign mg_hide   = mg_seq_q != '0 && mg_seq_q < 6'd8;
    assign mg_look   = mg_ask && mg_seq_q == 6'd7;
    assign mg_take   = mg_look && mg_enough;
    assign mg_kill   = mg_kill_q || (mg_look && !mg_enough && stuck_q[mg_vl[VlW-1:0]]);
    assign mgo_valid = mg_valid_i && !mg_kill && (mg_mid_q || mg_ok_q || !mg_charge);
    assign mg_ready_o = mg_kill || mgo_ready;
    assign mg_fire   = mg_valid_i && mg_ready_o;
    assign mg_drop   = mg_kill && mg_fire && mg_last_i;
    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        mg_mid_q  <= 1'b0;
        mg_ok_q   <= 1'b0;
        mg_kill_q <= 1'b0;
        mg_seq_q  <= '0;
      end else begin
        if (mg_take || mg_kill) mg_seq_q <= '0;
        else if (mg_ask || mg_seq_q != '0) mg_seq_q <= mg_seq_q + 6'd1;
        if (mg_fire) begin
          mg_mid_q  <= !mg_last_i;
          mg_ok_q   <= 1'b0;
          mg_kill_q <= mg_kill && !mg_last_i;
        end
        if (mg_take) mg_ok_q <= 1'b1;
      end
      if (mg_take) mg_words_q <= mg_need;
    end

    // What comes back does so a cycle later, from registers; what is taken, at once.
    always_ff @(posedge clk_i) begin
      back_valid_q <= w_fire && w_last && charged && !rst_i;
      back_vl_q    <= w_vl;
      back_used_q  <= good && q == QW'(w_vl[VlW-1:0]);
      back_took_q  <= 13'(w_words);
      back_len_q   <= len;
      flush_words_q <= 13'(flush_words);
      for (int unsigned v = 0; v < NumVl; v++) begin
        read_q[v]  <= rd_en && rd_q == QW'(v) && !rst_i;
        flush_v_q[v] <= flush && flush_pick == QW'(v) && !rst_i;
        pop_q[v]   <= popped[v] && !rst_i;
      end
    end
    assign back = back_took_q - (back_used_q ? 13'((32'(back_len_q) + Lanes - 1) / Lanes) : 13'd0);
    always_comb begin
      for (int unsigned v = 0; v < NumVl; v++) begin
        room_d[13*v +: 13] = room_q[13*v +: 13] + 13'(read_q[v]) + ((back_valid_q && back_vl_q == 4'(v)) ? back : 13'd0) + (flush_v_q[v] ? flush_words_q : 13'd0)
                             - ((tk0_valid_i && tk0_vl_i == 3'(v)) ? tk0_words_i : 13'd0) - ((tk1_valid_i && tk1_vl_i == 3'(v)) ? 13'(tk1_words_i) : 13'd0)
                             - ((mg_take && mg_vl == 4'(v)) ? 13'(mg_need) : 13'd0);
        desc_d[8*v +: 8]   = desc_q[8*v +: 8] + 8'(pop_q[v]) + 8'(back_valid_q && back_vl_q == 4'(v) && !back_used_q)
                             - ((tk0_valid_i && tk0_vl_i == 3'(v)) ? 8'(tk0_n_i) : 8'd0) - 8'(tk1_valid_i && tk1_vl_i == 3'(v)) - 8'(mg_take && mg_vl == 4'(v));
      end
    end
    always_ff @(posedge clk_i) begin
      for (int unsigned v = 0; v < NumVl; v++) begin
        if (rst_i) begin
          room_q[13*v +: 13]  <= 13'(QWords);
          shown_q[13*v +: 13] <= 13'(QWords);
          desc_q[8*v +: 8]  <= 8'(Descs);
          idle_q[15*v +: 15]  <= '0;
          stuck_q[v] <= 1'b0;
        end else begin
          room_q[13*v +: 13]  <= room_d[13*v +: 13];
          shown_q[13*v +: 13] <= mg_hide ? 13'd0 : room_d[13*v +: 13];
          desc_q[8*v +: 8]  <= desc_d[8*v +: 8];
          if (!h_valid[v] || popped[v]) idle_q[15*v +: 15] <= '0;
          else if (idle_q[15*v +: 15] != 15'(StuckCycles)) idle_q[15*v +: 15] <= idle_q[15*v +: 15] + 15'd1;
          stuck_q[v] <= idle_q[15*v +: 15] == 15'(StuckCycles);
        end
      end
      if (w_fire) vl_q <= w_vl;
    end
    assign room_o  = shown_q;
    assign desc_o  = desc_q;
    assign stuck_o = stuck_q;

    for (genvar g = 0; g < NumVl; g++) begin : g_bound
      `ASSERT(RoomBound_A, room_q[13*g +: 13] <= 13'(QWords) && desc_q[8*g +: 8] <= 8'(Descs))
    end
    `ASSERT(NeverWaits_A, !w_valid || drop || both || h_vl >= 4'(NumVl) || w_host || q == QW'(QLoop) || !first_q || w_ready)
    `ASSERT(NeverWaitsIn_A, !w_valid || first_q || both || q >= QW'(NumVl) || w_ready)
    `ASSERT(TookEnough_A, !(w_fire && w_last && charged && good && q < QW'(NumVl)) || 32'(w_words) * Lanes >= 32'(len))
  end else begin : g_one
    assign room_o     = '0;
    assign desc_o     = '0;
    assign stuck_o    = '0;
    assign mg_drop    = 1'b0;
    assign mg_words   = '0;
    assign mgo_valid  = mg_valid_i;
    assign mg_ready_o = mgo_ready;
    logic unused_room;
    assign unused_room = &{1'b0, tk0_valid_i, tk0_vl_i, tk0_words_i, tk0_n_i, tk1_valid_i, tk1_vl_i, tk1_words_i, w_words, in_words_i};
  end

  // ------------------------------------------------------------------ CRCs, in step with the writer
  logic [DataWidth-1:0] masked;
  logic [31:0]          seed, icrc;
  logic [15:0]          vcrc_d;
  logic                 icrc_valid, vcrc_valid, icrc_ok, vcrc_ok;
  ohca_icrc_mask #(.DataWidth(DataWidth), .RoCE(RoCE)) u_mask (
    .clk_i(clk_i), .rst_i(rst_i), .mode_i(2'd0), .fire_i(w_fire), .last_i(w_last), .data_i(w_data), .data_o(masked), .seed_o(seed)
  );
  ohca_crc32 #(.DataWidth(DataWidth)) u_icrc (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(w_fire), .data_i(masked), .keep_i(w_keep), .last_i(w_last), .seed_i(seed),
    .crc_valid_o(icrc_valid), .crc_o(icrc), .ok_o(icrc_ok)
  );
  ohca_crc16_vcrc #(.DataWidth(DataWidth)) u_vcrc (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(w_fire), .data_i(w_data), .keep_i(w_keep), .last_i(w_last),
    .crc_valid_o(vcrc_valid), .crc_o(vcrc_d), .ok_o(vcrc_ok)
  );

  // What waits for its CRCs: they come in order, a fixed number of cycles later.
  localparam int unsigned PendW = 1 + QW + 11 + 16 + 8 + 1 + 1;
  logic             pend_ready, pend_valid, p_good, p_host, p_both;
  logic [QW-1:0]    p_q;
  logic [10:0]      p_len;
  logic [15:0]      p_dlid;
  logic [7:0]       p_ipd;
  ohca_fifo #(.Width(PendW), .Depth(8)) u_pend (
    .clk_i(clk_i), .rst_i(rst_i),
    .valid_i(w_fire && w_last), .ready_o(pend_ready), .data_i({good, q, len, dlid, w_ipd, host, both}),
    .valid_o(pend_valid), .ready_i(icrc_valid), .data_o({p_good, p_q, p_len, p_dlid, p_ipd, p_host, p_both}),
    .count_o(), .almost_full_o()
  );

  // The VCRC covers the ICRC: four more bytes on top of the CRC of the packet.
  localparam int unsigned DescW = 11 + 16 + 8 + 1 + 48;      // {len, dlid, ipd, host, vcrc, icrc}
  logic             c_valid_q, c_both_q;
  logic [QW-1:0]    c_q_q;
  logic [DescW-1:0] c_desc_q;
  logic [15:0]      vcrc;
  assign vcrc = ~crc16_dw(~vcrc_d, icrc);
  always_ff @(posedge clk_i) begin
    if (rst_i) c_valid_q <= 1'b0;
    else       c_valid_q <= icrc_valid && p_good;
    if (icrc_valid) begin
      c_q_q    <= p_q;
      c_both_q <= p_both;
      c_desc_q <= {p_len, p_dlid, p_ipd, p_host, vcrc, icrc};
    end
  end

  logic [NumQ-1:0]            h_pop;
  logic [NumQ-1:0][DescW-1:0] h_desc;
  logic [NumQ-1:0][10:0]      hd_len;
  logic [NumQ-1:0][15:0]      hd_dlid;
  logic [NumQ-1:0][7:0]       hd_ipd;
  logic [NumQ-1:0]            d_ready;
  for (genvar g = 0; g < NumQ; g++) begin : g_desc
    ohca_fifo #(.Width(DescW), .Depth((g < NumVl) ? Descs : 16), .UseRam(1'b0)) u_desc (
      .clk_i(clk_i), .rst_i(rst_i),
      .valid_i(c_valid_q && (c_q_q == QW'(g) || (g == QLoop && c_both_q))), .ready_o(d_ready[g]), .data_i(c_desc_q),
      .valid_o(h_valid[g]), .ready_i(h_pop[g]), .data_o(h_desc[g]),
      .count_o(), .almost_full_o()
    );
    assign hd_len[g]  = h_desc[g][DescW-1 -: 11];
    assign hd_dlid[g] = h_desc[g][DescW-12 -: 16];
    assign hd_ipd[g]  = h_desc[g][DescW-28 -: 8];
    assign popped[g]  = h_pop[g] && h_valid[g];
  end

  // ------------------------------------------------------------------ credits
  logic [NumVl-1:0]       cr_ok, cr_take;
  logic [NumVl-1:0][11:0] cr_need, cr_avail;
  for (genvar g = 0; g < NumVl; g++) begin : g_credit
    // Blocks of 64 bytes, LRH to VCRC.
    assign cr_need[g] = 12'((32'(hd_len[g]) * 32'd4 + 32'd69) >> 6);
    ohca_fc_tx u_fc (
      .clk_i(clk_i), .rst_i(rst_i), .en_i(cfg_i.smp_en),
      .upd_valid_i(fc_valid_i && fc_vl_i == 4'(g)), .upd_limit_i(fc_fccl_i),
      .need_i(cr_need[g]), .ok_o(cr_ok[g]), .take_i(cr_take[g]), .sent_o(), .avail_o(cr_avail[g])
    );
  end
  assign tx_credit_o = cr_avail;

  // ------------------------------------------------------------------ static rate
  logic [RateEntries-1:0]       ra_busy_q, ra_hold_q, ra_act;   // packet under way; spacing after it
  logic [RateEntries-1:0][15:0] ra_dlid_q;
  logic [RateEntries-1:0][31:0] ra_until_q;
  logic [RateEntries-1:0]       ra_over;
  logic [RateW-1:0]             ra_new, ra_rr_q;
  logic                         ra_none;                        // every entry belongs to a packet under way
  always_comb begin
    for (int unsigned i = 0; i < RateEntries; i++) begin
      ra_over[i] = (now_i[31:0] - ra_until_q[i]) < 32'h8000_0000;
      ra_act[i]  = ra_busy_q[i] || (ra_hold_q[i] && !ra_over[i]);
    end
    // A free entry, else the next in turn that is not under way.
    ra_none = &ra_busy_q;
    ra_new  = ra_rr_q;
    for (int unsigned i = RateEntries; i > 0; i--) if (!ra_busy_q[i-1]) ra_new = RateW'(i - 1);
    if (!ra_busy_q[ra_rr_q]) ra_new = ra_rr_q;
    for (int unsigned i = RateEntries; i > 0; i--) if (!ra_act[i-1]) ra_new = RateW'(i - 1);
  end

  // ------------------------------------------------------------------ who may go (a register: one cycle old)
  logic [NumQ-1:0]  may_q, may_d, flush_q, flush_d;
  logic             cool_q;                        // a grant or new limits in the last cycle: may_q is stale
  logic [NumQ-1:0]  rate_wait;
  always_comb begin
    rate_wait = '0;
    for (int unsigned v = 0; v < NumQ; v++) begin
      for (int unsigned i = 0; i < RateEntries; i++) begin
        if (ra_act[i] && ra_dlid_q[i] == hd_dlid[v]) rate_wait[v] = 1'b1;
      end
      if (hd_ipd[v] != 8'd0 && ra_none) rate_wait[v] = 1'b1;
    end
    may_d   = '0;
    flush_d = '0;
    for (int unsigned v = 0; v < NumVl; v++) begin
      may_d[v]   = h_valid[v] && open[v] && (eth ? !pause_i[v] : cr_ok[v]) && !rate_wait[v];
      flush_d[v] = h_valid[v] && !open[v];
    end
    may_d[Q15]   = h_valid[Q15] && open[Q15] && !rate_wait[Q15];
    flush_d[Q15] = h_valid[Q15] && !open[Q15];
  end

  // ------------------------------------------------------------------ VL arbitration
  logic [Arb-1:0]   hit_h, hit_l, above_h, above_l;
  logic [3:0]       idx_h_q, idx_l_q, pos_h, pos_l;
  logic [7:0]       rem_h_q, rem_l_q, rem_h, rem_l;
  logic [11:0]      ent_h, ent_l;                  // the entries at pos_h and pos_l
  logic [14:0]      high_cnt_q;                    // blocks of high priority since the last low one
  logic             limit_hit, any_h, any_l, use_low, stay_h, stay_l;
  logic [NumVl-1:0] in_table;
  logic [QW-1:0]    pick;
  logic             pick_valid, from_high, from_low;

  always_comb begin
    in_table = '0;
    for (int unsigned i = 0; i < Arb; i++) begin
      hit_h[i] = 1'b0;
      hit_l[i] = 1'b0;
      for (int unsigned v = 0; v < NumVl; v++) begin
        if (arb_high_i[12*i+8 +: 4] == 4'(v) && arb_high_i[12*i +: 8] != 8'd0) begin
          hit_h[i]    = may_q[v];
          in_table[v] = 1'b1;
        end
        if (arb_low_i[12*i+8 +: 4] == 4'(v) && arb_low_i[12*i +: 8] != 8'd0) begin
          hit_l[i]    = may_q[v];
          in_table[v] = 1'b1;
        end
      end
      above_h[i] = hit_h[i] && 4'(i) > idx_h_q;
      above_l[i] = hit_l[i] && 4'(i) > idx_l_q;
    end
    any_h  = hit_h != '0;
    any_l  = hit_l != '0;
    // The current entry goes on while it has weight; else the next one that can send begins with its full weight.
    stay_h = hit_h[idx_h_q] && rem_h_q != 8'd0;
    stay_l = hit_l[idx_l_q] && rem_l_q != 8'd0;
    pos_h  = idx_h_q;
    pos_l  = idx_l_q;
    for (int unsigned i = Arb; i > 0; i--) if ((above_h != '0) ? above_h[i-1] : hit_h[i-1]) pos_h = stay_h ? idx_h_q : 4'(i - 1);
    for (int unsigned i = Arb; i > 0; i--) if ((above_l != '0) ? above_l[i-1] : hit_l[i-1]) pos_l = stay_l ? idx_l_q : 4'(i - 1);
    ent_h = '0;
    ent_l = '0;
    for (int unsigned i = 0; i < Arb; i++) begin
      if (pos_h == 4'(i)) ent_h = ent_h | arb_high_i[12*i +: 12];
      if (pos_l == 4'(i)) ent_l = ent_l | arb_low_i[12*i +: 12];
    end
    rem_h  = stay_h ? rem_h_q : ent_h[7:0];
    rem_l  = stay_l ? rem_l_q : ent_l[7:0];
    // A limit of 0 lets one packet go.
    limit_hit = cfg_i.vl_high_limit != 8'd255 &&
                ((cfg_i.vl_high_limit == 8'd0) ? high_cnt_q != '0 : high_cnt_q >= {1'b0, cfg_i.vl_high_limit, 6'd0});
    use_low = any_l && (!any_h || limit_hit);

    pick       = '0;
    pick_valid = 1'b0;
    from_high  = 1'b0;
    from_low   = 1'b0;
    for (int unsigned v = NumVl; v > 0; v--) begin
      if (may_q[v-1] && !in_table[v-1]) begin
        pick       = QW'(v - 1);
        pick_valid = 1'b1;
      end
    end
    if (use_low) begin
      pick       = QW'(ent_l[8 +: VlW]);
      pick_valid = 1'b1;
      from_low   = 1'b1;
    end else if (any_h) begin
      pick       = QW'(ent_h[8 +: VlW]);
      pick_valid = 1'b1;
      from_high  = 1'b1;
    end
    if (may_q[Q15]) begin
      pick       = QW'(Q15);
      pick_valid = 1'b1;
      from_high  = 1'b0;
      from_low   = 1'b0;
    end
  end

  // ------------------------------------------------------------------ grant
  // A packet granted before the link went down must not be sent, nor counted, after it is up again: it bears an epoch.
  localparam int unsigned MetaW = QW + 1 + 1 + RateW + 8 + 1;      // {queue, mcast, rated, rate entry, ipd, epoch (or from firmware)}
  logic             epoch_q, wire_busy;
  logic             g_valid_q, g_ready, grant;
  logic [10:0]      g_len_q;
  logic [47:0]      g_crc_q;
  logic [MetaW-1:0] g_meta_q;
  logic [7:0]       pick_ipd, pick_blocks;
  logic [15:0]      pick_dlid;
  logic             pick_rated;

  assign pick_dlid   = hd_dlid[pick];
  assign pick_ipd    = hd_ipd[pick];
  assign pick_rated  = pick_ipd != 8'd0;
  assign pick_blocks = 8'((32'(hd_len[pick]) * 32'd4 + 32'd69) >> 6);
  always_comb begin
    flush_pick = '0;
    for (int unsigned i = NumQ; i > 0; i--) if (flush_q[i-1]) flush_pick = QW'(i - 1);
  end
  // A ring is read in order: what was granted from it is read first.
  assign flush = flush_q != '0 && !cool_q && !g_valid_q && !wire_busy;
  assign grant = !flush && pick_valid && !cool_q && (!g_valid_q || g_ready);

  logic lg_ready;
  always_comb begin
    h_pop = '0;
    if (flush) h_pop[flush_pick] = 1'b1;
    if (grant) h_pop[pick] = 1'b1;
    if (lg_ready) h_pop[QLoop] = 1'b1;
    cr_take = '0;
    for (int unsigned v = 0; v < NumVl; v++) cr_take[v] = grant && !eth && pick == QW'(v);
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      may_q      <= '0;
      flush_q    <= '0;
      cool_q     <= 1'b0;
      g_valid_q  <= 1'b0;
      idx_h_q    <= '0;
      idx_l_q    <= '0;
      rem_h_q    <= '0;
      rem_l_q    <= '0;
      high_cnt_q <= '0;
    end else begin
      may_q   <= may_d;
      flush_q <= flush_d;
      cool_q  <= grant || flush || fc_valid_i;
      if (grant)        g_valid_q <= 1'b1;
      else if (g_ready) g_valid_q <= 1'b0;
      if (grant && from_high) begin
        idx_h_q    <= pos_h;
        rem_h_q    <= (rem_h > pick_blocks) ? rem_h - pick_blocks : 8'd0;
        high_cnt_q <= (high_cnt_q[14]) ? high_cnt_q : high_cnt_q + 15'(pick_blocks);
      end
      if (grant && from_low) begin
        idx_l_q    <= pos_l;
        rem_l_q    <= (rem_l > pick_blocks) ? rem_l - pick_blocks : 8'd0;
        high_cnt_q <= '0;
      end
    end
    if (grant) begin
      g_len_q  <= hd_len[pick];
      g_crc_q  <= h_desc[pick][47:0];
      g_meta_q <= {pick, pick_dlid >= 16'hc000 && pick_dlid != 16'hffff, pick_rated, ra_new, pick_ipd, epoch_q};
    end
  end

  // ------------------------------------------------------------------ memories and readers
  // The ring of loopback is a memory of its own, as a multicast packet goes into two rings at once.
  logic                 wr_req, lr_req;
  // verilator lint_off UNUSEDSIGNAL
  logic [MetaW-1:0]     wr_meta;
  // verilator lint_on UNUSEDSIGNAL
  logic [MetaW-1:0]     lr_meta;
  logic [DataWidth-1:0] rd_data, lr_data;
  localparam int unsigned AddrW = $clog2(NumVl * QWords + Words15);
  logic [AddrW-1:0]     wr_addr, rd_addr;

  // Ring q begins at q * QWords; that of VL15, which is shorter, in the place of loopback's.
  assign wr_addr = (q == QW'(Q15)) ? AddrW'({QW'(QLoop), wr_ptr_q[q][PtrW-1:0] & PtrW'(Words15 - 1)}) : AddrW'({q, wr_ptr_q[q][PtrW-1:0]});
  assign rd_addr = (rd_q == QW'(Q15)) ? AddrW'({QW'(QLoop), rd_ptr_q[rd_q][PtrW-1:0] & PtrW'(Words15 - 1)}) : AddrW'({rd_q, rd_ptr_q[rd_q][PtrW-1:0]});
  assign rd_en   = wr_req;
  assign rd_q    = wr_meta[MetaW-1 -: QW];

  // Only whole packets are read, so no read meets a write.
  ohca_ram_sdp #(.Width(DataWidth), .Depth(NumVl * QWords + Words15), .OldData(1'b0)) u_mem (
    .clk_i(clk_i),
    .wr_en_i(put && q != QW'(QLoop)), .wr_be_i(1'b1), .wr_addr_i(wr_addr), .wr_data_i(w_data),
    .rd_en_i(rd_en), .rd_addr_i(rd_addr), .rd_data_o(rd_data)
  );
  ohca_ram_sdp #(.Width(DataWidth), .Depth(QWords), .OldData(1'b0)) u_loop_mem (
    .clk_i(clk_i),
    .wr_en_i(put && (both || q == QW'(QLoop))), .wr_be_i(1'b1), .wr_addr_i(wr_ptr_q[QLoop][PtrW-1:0]), .wr_data_i(w_data),
    .rd_en_i(lr_req), .rd_addr_i(rd_ptr_q[QLoop][PtrW-1:0]), .rd_data_o(lr_data)
  );

  assign flush_words = (PtrW+1)'((32'(hd_len[flush_pick]) + Lanes - 1) / Lanes);
  always_ff @(posedge clk_i) begin
    if (rst_i) rd_ptr_q <= '0;
    else begin
      if (rd_en) rd_ptr_q[rd_q] <= rd_ptr_q[rd_q] + (PtrW+1)'(1);
      if (lr_req) rd_ptr_q[QLoop] <= rd_ptr_q[QLoop] + (PtrW+1)'(1);
      if (flush) rd_ptr_q[flush_pick] <= rd_ptr_q[flush_pick] + flush_words;
    end
  end

  logic                 x_valid, x_ready, x_last, wire_idle, loop_idle;
  logic [DataWidth-1:0] x_data;
  logic [Bytes-1:0]     x_keep;
  logic [10:0]          x_len, l_len;
  logic [MetaW-1:0]     x_meta, l_meta;
  ohca_link_tx_rd #(.DataWidth(DataWidth), .MetaW(MetaW)) u_wire (
    .clk_i(clk_i), .rst_i(rst_i), .idle_o(wire_idle), .busy_o(wire_busy),
    .g_valid_i(g_valid_q), .g_ready_o(g_ready), .g_len_i(g_len_q), .g_crc_i(g_crc_q), .g_meta_i(g_meta_q),
    .rd_valid_o(wr_req), .rd_ready_i(1'b1), .rd_meta_o(wr_meta), .rd_data_i(rd_data),
    .valid_o(x_valid), .ready_i(x_ready), .data_o(x_data), .keep_o(x_keep), .last_o(x_last), .len_o(x_len), .meta_o(x_meta)
  );
  ohca_link_tx_rd #(.DataWidth(DataWidth), .MetaW(MetaW)) u_loop (
    .clk_i(clk_i), .rst_i(rst_i), .idle_o(loop_idle), .busy_o(),
    .g_valid_i(h_valid[QLoop]), .g_ready_o(lg_ready), .g_len_i(hd_len[QLoop]), .g_crc_i(h_desc[QLoop][47:0]),
    .g_meta_i(MetaW'(h_desc[QLoop][48])),
    .rd_valid_o(lr_req), .rd_ready_i(1'b1), .rd_meta_o(lr_meta), .rd_data_i(lr_data),
    .valid_o(lb_valid_o), .ready_i(lb_ready_i), .data_o(lb_data_o), .keep_o(lb_keep_o), .last_o(lb_last_o), .len_o(l_len), .meta_o(l_meta)
  );
  assign lb_from_fw_o = l_meta[0];

  // ------------------------------------------------------------------ flow-control packets
  // FCTBS counts the blocks that are before the flow-control packet on the wire, so it is kept at the very end of the path.
  logic [NumVl-1:0][11:0] fctbs_q, fccl_sent_q;
  logic [NumVl-1:0]       fc_pend_q, fc_moved, fc_pend_d;
  logic [31:0]            due_q, due_in;           // time of the next one, and from now to it: modulo 2^32, negative if it is over
  logic [7:0]             age_q;                   // since the last flow-control packet
  logic                   en_q, en2_q, init_q, fc_due, fc_start, fc_any, fc_send, fc_stale;
  logic [3:0]             vls_q;
  logic [VlW-1:0]         fc_vl;
  logic [31:0]            fc_bytes;
  logic [15:0]            fc_crc;

  always_comb begin
    fc_stale = 1'b0;
    for (int unsigned v = 0; v < NumVl; v++) begin
      fc_moved[v] = 4'(v) < vl_mask_n && rx_fccl_i[v] != fccl_sent_q[v];
      if (fc_moved[v] && !eth) fc_stale = 1'b1;
    end
  end
  // The second case: the period was made shorter.
  assign due_in   = due_q - now_i[31:0];
  assign fc_due   = !eth && (due_in[31] || due_in == '0 || due_in > fc_period_i);
  // Start and stop: a cycle late, when ohca_link_rx shows its limits.
  assign fc_start = en_q && !eth && (!en2_q || init_q != cfg_i.fc_init || vls_q != vl_mask_n);
  always_comb begin
    for (int unsigned v = 0; v < NumVl; v++) begin
      // At once when much was freed; a little later when all of it is free; else with the period.
      fc_pend_d[v] = fc_pend_q[v] || fc_due || fc_start || (fc_moved[v] &&
                     ((rx_fccl_i[v] - fccl_sent_q[v]) >= rx_thr_i || (rx_empty_i[v] && age_q == 8'hff)));
      if (4'(v) >= vl_mask_n || eth) fc_pend_d[v] = 1'b0;
    end
    fc_vl = '0;
    for (int unsigned v = NumVl; v > 0; v--) if (fc_pend_q[v-1]) fc_vl = VlW'(v - 1);
  end
  assign fc_any   = fc_pend_q != '0;
  assign fc_bytes = {rx_fccl_i[fc_vl][7:0], 4'(fc_vl), rx_fccl_i[fc_vl][11:8], fctbs_q[fc_vl][7:0],
                     3'd0, cfg_i.fc_init, fctbs_q[fc_vl][11:8]};
  assign fc_crc   = ~crc16_dw(16'hffff, fc_bytes);

  // ------------------------------------------------------------------ mux to the wire: flow control goes between packets
  logic                 mid_q, o_ready, o_valid, o_last, fc_go;
  logic                 xs_q, kill_q, kill;       // inside a packet of the reader; it is not to be sent
  logic [DataWidth-1:0] o_data;
  logic [Bytes-1:0]     o_keep;
  assign fc_go   = fc_any && !mid_q && cfg_i.smp_en;
  assign fc_send = fc_go && o_ready;
  assign kill    = xs_q ? kill_q : (!cfg_i.smp_en || x_meta[0] != epoch_q);
  assign o_valid = fc_go || (x_valid && !kill);
  assign o_last  = fc_go || x_last;
  assign o_data  = fc_go ? DataWidth'({fc_crc, fc_bytes}) : x_data;
  assign o_keep  = fc_go ? Bytes'(6'h3f) : x_keep;
  assign x_ready = kill || (o_ready && !fc_go);

  ohca_skid #(.Width(DataWidth + Bytes + 2)) u_out (
    .clk_i(clk_i), .rst_i(rst_i),
    .valid_i(o_valid), .ready_o(o_ready), .data_i({fc_go, o_last, o_keep, o_data}),
    .valid_o(tx_valid_o), .ready_i(tx_ready_i), .data_o({tx_kind_o[0], tx_last_o, tx_keep_o, tx_data_o})
  );
  assign tx_kind_o[1] = 1'b0;

  logic          x_fire, x_sent, x_mcast, x_rated, x_epoch;
  logic [QW-1:0] x_q;
  logic [RateW-1:0] x_ra;
  logic [7:0]    x_ipd;
  logic [11:0]   x_blocks;
  logic [23:0]   hold_q, hold;                    // ipd times the cycles of the packet so far
  assign {x_q, x_mcast, x_rated, x_ra, x_ipd, x_epoch} = x_meta;
  assign x_fire   = x_valid && x_ready;
  assign x_sent   = x_fire && !kill;
  assign x_blocks = 12'((32'(x_len) * 32'd4 + 32'd69) >> 6);
  assign hold     = (xs_q ? hold_q : 24'd0) + 24'(x_ipd);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      mid_q     <= 1'b0;
      xs_q      <= 1'b0;
      epoch_q   <= 1'b0;
      en_q      <= 1'b0;
      en2_q     <= 1'b0;
      fc_pend_q <= '0;
      due_q     <= '0;
      age_q     <= '0;
      fctbs_q   <= '0;
      fccl_sent_q <= '0;
      ra_busy_q <= '0;
      ra_hold_q <= '0;
      ra_rr_q   <= '0;
    end else begin
      if (x_fire) xs_q  <= !x_last;
      if (x_sent) mid_q <= !x_last;
      if (en_q && !cfg_i.smp_en) epoch_q <= !epoch_q;

      en_q  <= cfg_i.smp_en;
      en2_q <= en_q;
      if (!cfg_i.smp_en) begin
        fc_pend_q   <= '0;
        fctbs_q     <= '0;
        fccl_sent_q <= '0;
        en_q        <= 1'b0;
        en2_q       <= 1'b0;
      end else begin
        if (en_q) fc_pend_q <= fc_pend_d;
        if (fc_send) begin
          fc_pend_q[fc_vl]   <= 1'b0;
          fccl_sent_q[fc_vl] <= rx_fccl_i[fc_vl];
        end
        if (fc_send)                              age_q <= '0;
        else if (fc_stale && age_q != 8'hff)      age_q <= age_q + 8'd1;
        if (fc_due || fc_start) due_q <= now_i[31:0] + fc_period_i;
        if (x_sent && x_last && x_q < QW'(NumVl) && x_epoch == epoch_q) fctbs_q[x_q[VlW-1:0]] <= fctbs_q[x_q[VlW-1:0]] + x_blocks;
      end

      // Rate entries: taken with the grant, timed when the packet has left.
      for (int unsigned i = 0; i < RateEntries; i++) begin
        if (ra_over[i] || !cfg_i.smp_en) ra_hold_q[i] <= 1'b0;
        if (x_fire && x_last && x_rated && x_ra == RateW'(i)) begin
          ra_busy_q[i]  <= 1'b0;
          ra_hold_q[i]  <= 1'b1;
          ra_until_q[i] <= now_i[31:0] + 32'(hold);
        end
        if (grant && pick_rated && ra_new == RateW'(i)) begin
          ra_busy_q[i] <= 1'b1;
          ra_hold_q[i] <= 1'b0;
          ra_dlid_q[i] <= pick_dlid;
        end
      end
      if (grant && pick_rated) ra_rr_q <= (ra_new == RateW'(RateEntries - 1)) ? '0 : ra_new + RateW'(1);
    end
    if (x_fire) kill_q <= kill;
    init_q <= cfg_i.fc_init;
    vls_q  <= vl_mask_n;
    if (x_valid || xs_q) hold_q <= hold[23] ? 24'h800000 : hold;
  end

  assign next_valid_o = cfg_i.smp_en && !eth && vl_mask_n != 4'd0;
  assign next_o       = now_i + 64'(due_in);       // while it is not over

  // ------------------------------------------------------------------ what happened
  logic data_waits, words_q;
  always_comb begin
    data_waits = 1'b0;
    for (int unsigned v = 0; v < NumVl; v++) if (h_valid[v] && cfg_i.tx_data_en) data_waits = 1'b1;
  end
  always_ff @(posedge clk_i) begin
    stat_o         <= '0;
    stat_o.pkt     <= x_sent && x_last && !rst_i;
    stat_o.mcast   <= x_mcast;
    stat_o.dw      <= eth ? x_len - 11'd2 : x_len + 11'd1;        // without what precedes the frame
    stat_o.discard <= ((w_fire && w_last && !good) || mg_drop || flush || (x_fire && x_last && kill)) && !rst_i;
    stat_o.wait_   <= data_waits && !x_sent && !rst_i;
    stat_o.fc      <= fc_send && !rst_i;
  end
  always_comb begin
    cnt_o = '0;
    cnt_o[ohca_fmt_pkg::COUNTER_TX_DROP]  = stat_o.discard;
    cnt_o[ohca_fmt_pkg::COUNTER_TX_PKTS]  = stat_o.pkt;
    cnt_o[ohca_fmt_pkg::COUNTER_TX_WORDS] = words_q;
    cnt_o[ohca_fmt_pkg::COUNTER_TX_WAIT]  = stat_o.wait_;
  end
  always_ff @(posedge clk_i) words_q <= x_sent && !rst_i;

  logic tx_work;
  assign tx_work = w_valid || m_valid || !first_q || pend_valid || c_valid_q || h_valid != '0 || g_valid_q || !wire_idle || !loop_idle ||
                   x_valid || tx_valid_o || (cfg_i.smp_en && (!en2_q || fc_start || fc_any || fc_stale || fc_due));
  assign idle_o  = !tx_work;

  `ASSERT(PendRoom_A, !(w_fire && w_last) || pend_ready)
  `ASSERT(PendThere_A, !icrc_valid || pend_valid)
  `ASSERT(CrcsTogether_A, icrc_valid == vcrc_valid)
  `ASSERT(DescRoom_A, !c_valid_q || d_ready[c_q_q])

  logic unused;
  assign unused = &{1'b0, cfg_i, m_sel, m_gnt, icrc_ok, vcrc_ok, pend_ready, d_ready, lr_meta, l_len, l_meta, hd_ipd, cr_ok, vcrc_valid,
                    may_q[QLoop], flush_q[QLoop], seed, rate_wait, wr_meta, ent_h, ent_l};

endmodule

`default_nettype wire
