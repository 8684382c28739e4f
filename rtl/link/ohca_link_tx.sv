// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Transmit side of the InfiniBand link layer: CRCs, egress buffers per VL, credits, VL arbitration, static rate,
// flow-control packets, loopback.
//
// Last beat of a packet in to its first beat on the wire: 12 cycles (11 up to 64 bits) with empty buffers, for a VL
// other than 0 one more; one beat a cycle, and one packet in two cycles. It is store and forward, so a packet that
// fails (in_err_i) leaves nothing behind. It does NOT segment, choose VLs, or send raw packets.
// lint: DataWidth=128
// lint: DataWidth=256
// lint: DataWidth=512 NumVl=8
// lint: NumVl=1
// lint: RoCE=0
//
// On an Ethernet port (docs/roce.md) the packets are in the internal form, queues take the place of VLs and pauses that
// of credits; flow-control packets and VL15 do not exist, and DLID 0xffff is loopback.

// in ──┐                   ┌─► egress memory: a ring per data VL, for loopback, for VL15 ─► reader ──► mux ─► wire
//      ├─ merge ─► writer ─┤                                                          └──► reader ──► loopback
// mg ──┘                   └─► ICRC, VCRC ─► descriptor FIFO per ring ─► credits, rate, arbitration ─┘  ▲
//                                                                              flow-control packets
//
// A packet's ring: its own LID (unicast, within the LMC range) or mg_to_host_i: loopback; multicast: that of its VL and
// loopback, for the members here; LRH.VL 15: VL15; else that of LRH.VL. Packets that may not go (port state, VL not in
// use, DLID 0, raw, too long, wrong PktLen) are taken and dropped: cnt tx_drop. A packet to a ring that is full waits,
// and those behind it wait too: so nobody sends what has no room.
//
// Room (more than one VL; ohca_link_tx_room): whoever emits a packet of a data VL takes room of that VL's ring first
// (tk*: words of the ring and a descriptor each) and looks at room_o and desc_o before. What it took comes with the
// packet (in_words_i); when the packet has ended, what it did not need is free again, all of it if it was dropped or
// looped back. So no packet of a data VL ever waits at its ring, and a VL that is stopped stops nobody else. The
// management core's packets take theirs here, while nobody is shown any room for some cycles; when the VL is stuck
// (stuck_o: a packet waits and for StuckCycles none left) they are dropped. VL15 and loopback take none: they always
// move on.
//
// Static rate: after a packet with ipd != 0 that occupied the wire for T cycles, no packet to the same DLID starts for
// ipd * T cycles. RateEntries DLIDs are kept; when more are active at once the oldest loses its spacing. A packet that
// waits for its rate blocks its own VL only.
//
// A VL that is in neither arbitration table is served when nothing else can go, so a wrong table delays but never
// wedges the input.

`include "ohca_assert.svh"
`default_nettype none

module ohca_link_tx #(
  parameter int unsigned DataWidth   = 64,
  parameter int unsigned NumVl       = 4,           // 1, 2, 4 or 8 data VLs
  parameter int unsigned QueueBytes  = (NumVl == 1) ? 8192 : 32768,   // of each data VL and of loopback; at least 4224,
                                                                      // or 16384
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

  // Room of the data VLs' rings that nobody has taken; takers see to it that what they take together is there. One VL:
  // not used.
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
  if (QueueBytes < 4224 || Vl15Bytes < 512 || Vl15Bytes > QueueBytes || (QWords & (QWords - 1)) != 0 ||
      (Words15 & (Words15 - 1)) != 0) begin : g_bad_size
    $error("ohca_link_tx: QueueBytes and Vl15Bytes must be powers of two, at least 4224 and 512");
  end

  `include "ohca_crc16.svh"

  // ------------------------------------------------------------------ merge of the two sources
  // The management core's packets wait for room here, so that nobody else's ready depends on it.
  logic                 mgs_valid, mgs_ready, mgs_last, mgs_host;
  logic [DataWidth-1:0] mgs_data;
  logic [Bytes-1:0]     mgs_keep;
  ohca_skid #(.Width(DataWidth + Bytes + 2)) u_mg (
    .clk_i(clk_i), .rst_i(rst_i),
    .valid_i(mg_valid_i), .ready_o(mg_ready_o), .data_i({mg_to_host_i, mg_last_i, mg_keep_i, mg_data_i}),
    .valid_o(mgs_valid), .ready_i(mgs_ready), .data_o({mgs_host, mgs_last, mgs_keep, mgs_data})
  );

  // ------------------------------------------------------------------ which ring, and may it go
  // Of each source by itself, in front of the choice between them, and as if each beat were a packet's first.
  // {ring, ok, loop, both, long enough, dwords and one, dwords}
  localparam int unsigned HW = QW + 4 + 2 * (LaneW + 1);
  logic [3:0]  vl_mask_n;
  logic [15:0] lid_mask;
  logic        eth;
  assign vl_mask_n = cfg_i.oper_vls;
  assign lid_mask  = 16'hffff << cfg_i.lmc;
  assign eth       = RoCE && cfg_i.eth;

  logic [1:0][DataWidth-1:0] src_data;
  logic [1:0][Bytes-1:0]     src_keep;
  logic [1:0]                src_host;
  logic [1:0][HW-1:0]        src_head;
  assign src_data = {mgs_data, in_data_i};
  assign src_keep = {mgs_keep, in_keep_i};
  assign src_host = {mgs_host, 1'b0};
  for (genvar g = 0; g < 2; g++) begin : g_head
    logic [3:0]     vl;
    logic [1:0]     lnh;
    logic [15:0]    to;
    logic [LaneW:0] dw, dw1;
    logic           own, loop, ok, mc;
    logic [QW-1:0]  ring;
    assign vl   = src_data[g][7:4];
    assign lnh  = src_data[g][9:8];
    assign to   = {src_data[g][23:16], src_data[g][31:24]};
    assign own  = cfg_i.lid != 16'd0 && to < 16'hc000 && ((to ^ cfg_i.lid) & lid_mask) == 16'd0;
    assign loop = eth ? to == 16'hffff : src_host[g] || own;
    always_comb begin
      ring = QW'(vl[VlW-1:0]);
      ok   = cfg_i.smp_en && cfg_i.tx_data_en && vl < vl_mask_n && vl < 4'(NumVl);
      if (NumVl == 1) ring = '0;
      if (vl == 4'd15) begin
        ring = QW'(Q15);
        ok   = cfg_i.smp_en;
      end
      if (loop) begin
        ring = QW'(QLoop);
        ok   = src_host[g] || vl == 4'd15 || (cfg_i.tx_data_en && vl < vl_mask_n);
      end
      if (eth) begin
        if (lnh[1] || src_host[g] || vl == 4'd15) ok = 1'b0;
      end else if ((to == 16'd0 && !src_host[g]) || lnh < 2'd2) ok = 1'b0;
      dw = '0;
      for (int unsigned i = 0; i < Lanes; i++) dw = dw + (LaneW+1)'(src_keep[g][4 * i]);
    end
    assign dw1 = dw + (LaneW+1)'(1);
    // Multicast of the host, in this form on both link layers.
    assign mc  = ok && !loop && vl != 4'd15 && to[15:14] == 2'b11 && to != 16'hffff;
    assign src_head[g] = {ring, ok, loop, mc, {src_data[g][34:32], src_data[g][47:40]} >= 11'd6, dw1, dw};
  end

  // {head, words, to_host, ipd, err, keep, data}
  localparam int unsigned InW = HW + DataWidth + Bytes + 1 + 1 + 8 + 10;
  logic           mgo_valid, mgo_ready, mg_drop;   // of the management core, with its room; one is dropped for want of
                                                   // it
  logic [9:0]     mg_words;
  logic           m_valid, m_ready, m_last, w_valid, w_ready, w_last;
  logic [InW-1:0] m_data;
  logic [1:0]     m_gnt;
  logic           m_sel;
  ohca_arb_rr #(.N(2), .Width(InW), .Lock(1'b1)) u_merge (
    .clk_i(clk_i), .rst_i(rst_i),
    .valid_i({mgo_valid, in_valid_i}), .ready_o({mgo_ready, in_ready_o}),
    .data_i({src_head[1], mg_words, mgs_host, 8'd0, 1'b0, mgs_keep, mgs_data,
             src_head[0], (NumVl > 1) ? in_words_i : 10'd0, 1'b0, in_ipd_i, in_err_i, in_keep_i, in_data_i}),
    .last_i({mgs_last, in_last_i}),
    .valid_o(m_valid), .ready_i(m_ready), .data_o(m_data), .last_o(m_last), .sel_o(m_sel), .gnt_o(m_gnt)
  );

  logic [DataWidth-1:0] w_data;
  logic [Bytes-1:0]     w_keep;
  logic                 w_err, w_host, h_loop, h_ok, h_both, h_size;
  logic [7:0]           w_ipd;
  logic [9:0]           w_words;
  logic [LaneW:0]       n_dw, n_dw1;
  logic [QW-1:0]        h_q;
  logic [3:0]           h_vl;
  logic [15:0]          h_dlid;
  logic [10:0]          h_pktlen;
  ohca_skid #(.Width(InW + 1)) u_skid (
    .clk_i(clk_i), .rst_i(rst_i),
    .valid_i(m_valid), .ready_o(m_ready), .data_i({m_last, m_data}),
    .valid_o(w_valid), .ready_i(w_ready),
    .data_o({w_last, h_q, h_ok, h_loop, h_both, h_size, n_dw1, n_dw, w_words, w_host, w_ipd, w_err, w_keep, w_data})
  );
  assign h_vl     = w_data[7:4];
  assign h_dlid   = {w_data[23:16], w_data[31:24]};
  assign h_pktlen = {w_data[34:32], w_data[47:40]};

  // ------------------------------------------------------------------ writer
  // State of the packet that is being written
  logic                      first_q, drop_q;
  logic [QW-1:0]             q_q, q;
  logic [PtrW:0]             start_q, start_l_q;
  logic [10:0]               len_q, len;
  logic [10:0]               want_q, want;        // what its header says, and its ICRC, less what came: dwords
  logic [10:0]               rest_q, rest;        // what it may have yet
  logic [15:0]               dlid_q, dlid;
  logic                      host_q, host, drop, both_q, both, size_q, size, end_q;
  logic                      w_fire, room, too_long, good, had_ring, held_ring_q;
  logic [NumQ-1:0]           open;

  // Rings, of powers of two
  logic [NumQ-1:0][PtrW:0]   wr_ptr_q, rd_ptr_q;
  logic [NumQ-1:0]           full;
  logic [NumQ-1:0][$clog2(Descs):0] held_q;       // packets of the ring, from their first beat on
  logic [NumQ-1:0]           desc_full;
  for (genvar g = 0; g < NumQ; g++) begin : g_full
    localparam int unsigned FullB = (g == Q15) ? $clog2(Words15) : PtrW;
    localparam int unsigned DescB = $clog2((g < NumVl) ? Descs : 16);
    assign full[g]      = (wr_ptr_q[g][FullB:0] ^ rd_ptr_q[g][FullB:0]) == {1'b1, FullB'(0)};
    assign desc_full[g] = held_q[g][DescB];
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
  assign host   = first_q ? w_host : host_q;
  assign both   = first_q ? h_both : both_q;
  assign size   = first_q ? h_size : size_q;
  assign room   = !full[q] && (!first_q || !desc_full[q]) && !(both && (full[QLoop] || (first_q && desc_full[QLoop])));
  assign len    = (first_q ? 11'd0 : len_q) + 11'(n_dw);
  assign want   = first_q ? h_pktlen : want_q;
  assign rest   = (first_q ? ((h_q == QW'(Q15)) ? 11'(MaxDw15) : 11'(MaxDw)) : rest_q) - 11'(n_dw);
  // The first beat never is; those behind it are when less than a beat is left.
  assign too_long = !first_q && end_q && n_dw > {1'b0, rest_q[LaneW-1:0]};
  assign w_ready  = drop || too_long || room;
  assign w_fire   = w_valid && w_ready;
  // A packet counts if it ended well and its header tells its true length. Five dwords and the ICRC: LRH and BTH.
  assign good     = !drop && !too_long && !w_err && want == 11'(n_dw1) && size;

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
      want_q   <= want - 11'(n_dw);
      rest_q   <= rest;
      end_q    <= rest[10:LaneW] == '0;
      dlid_q   <= dlid;
      host_q   <= host;
      both_q   <= both;
      size_q   <= size;
      if (first_q) start_q <= wr_ptr_q[h_q];
      if (first_q) start_l_q <= wr_ptr_q[QLoop];
    end
  end

  // The reservation of a ring's descriptor: from the first beat until the packet is read, or found bad.
  logic [NumQ-1:0] reserve, unreserve, popped, h_valid, less1_q, less2_q;
  logic            take_ring, give_ring;
  assign had_ring = first_q ? h_ok : held_ring_q;
  always_comb begin
    // q is nothing while no beat is here.
    take_ring = w_fire && first_q && had_ring;
    give_ring = w_fire && w_last && had_ring && !good;
    for (int unsigned i = 0; i < NumQ; i++) begin
      reserve[i]   = take_ring && (q == QW'(i) || (both && i == QLoop));
      unreserve[i] = give_ring && (q == QW'(i) || (both && i == QLoop));
    end
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
        held_q[i] <= held_q[i] +
            ($clog2(Descs)+1)'(reserve[i]) - ($clog2(Descs)+1)'(less1_q[i]) - ($clog2(Descs)+1)'(less2_q[i]);
        if (unreserve[i])                  wr_ptr_q[i] <= first_q ? wr_ptr_q[i] : (i == QLoop && both) ? start_l_q :
            start_q;
        else if (put && (q == QW'(i) || (i == QLoop && both))) wr_ptr_q[i] <= wr_ptr_q[i] + (PtrW+1)'(1);
      end
    end
  end

  // ------------------------------------------------------------------ room
  logic          flush;
  logic [QW-1:0] flush_pick;
  logic [PtrW:0] flush_words, flush_words_q;
  logic [NumQ-1:0] flushed_q;
  logic          rd_en;
  logic [QW-1:0] rd_q;
  if (NumVl > 1) begin : g_room
    logic [3:0]       vl_q, w_vl;
    logic             charged;
    logic [NumVl-1:0] read;
    assign w_vl    = first_q ? h_vl : vl_q;
    // Of the management core only what goes out on a data VL.
    assign charged = w_vl < 4'(NumVl) && !host;
    always_comb for (int unsigned v = 0; v < NumVl; v++) read[v] = rd_en && rd_q == QW'(v);
    always_ff @(posedge clk_i) if (w_fire) vl_q <= w_vl;
    ohca_link_tx_room #(.DataWidth(DataWidth), .NumVl(NumVl), .QWords(QWords), .Descs(Descs), .RoCE(RoCE)) u_room (
      .clk_i(clk_i), .rst_i(rst_i), .room_o(room_o), .desc_o(desc_o), .stuck_o(stuck_o),
      .tk0_valid_i(tk0_valid_i), .tk0_vl_i(tk0_vl_i), .tk0_words_i(tk0_words_i), .tk0_n_i(tk0_n_i),
      .tk1_valid_i(tk1_valid_i), .tk1_vl_i(tk1_vl_i), .tk1_words_i(tk1_words_i),
      .mg_valid_i(mgs_valid), .mg_ready_o(mgs_ready), .mg_last_i(mgs_last), .mg_host_i(mgs_host),
      .mg_vl_i(mgs_data[7:4]), .mg_pktlen_i({mgs_data[34:32], mgs_data[47:40]}),
      .mgo_valid_o(mgo_valid), .mgo_ready_i(mgo_ready), .mgo_words_o(mg_words), .mg_drop_o(mg_drop),
      .end_valid_i(w_fire && w_last && charged), .end_vl_i(w_vl), .end_used_i(good && q == QW'(w_vl[VlW-1:0])),
      .end_took_i(w_words), .end_len_i(len),
      .wait_i(h_valid[NumVl-1:0]), .read_i(read), .pop_i(popped[NumVl-1:0]),
      .flushed_i(flushed_q[NumVl-1:0]), .flush_words_i(13'(flush_words_q))
    );

    `ASSERT(NeverWaits_A, !w_valid || drop || both || h_vl >= 4'(NumVl) || w_host || q == QW'(QLoop) || !first_q ||
        w_ready)
    `ASSERT(NeverWaitsIn_A, !w_valid || first_q || both || q >= QW'(NumVl) || w_ready)
    `ASSERT(TookEnough_A, !(w_fire && w_last && charged && good && q < QW'(NumVl)) || 32'(w_words) * Lanes >= 32'(len))
  end else begin : g_one
    assign room_o     = '0;
    assign desc_o     = '0;
    assign stuck_o    = '0;
    assign mg_drop    = 1'b0;
    assign mg_words   = '0;
    assign mgo_valid  = mgs_valid;
    assign mgs_ready  = mgo_ready;
    logic unused_room;
    assign unused_room = &{1'b0, tk0_valid_i, tk0_vl_i, tk0_words_i, tk0_n_i,
                           tk1_valid_i, tk1_vl_i, tk1_words_i, w_words, in_words_i, h_vl};
  end

  // ------------------------------------------------------------------ CRCs, in step with the writer
  logic [DataWidth-1:0] masked;
  logic [31:0]          seed, icrc;
  logic [15:0]          vcrc_d;
  logic                 icrc_valid, vcrc_valid, icrc_ok, vcrc_ok;
  ohca_icrc_mask #(.DataWidth(DataWidth), .RoCE(RoCE)) u_mask (
    .clk_i(clk_i), .rst_i(rst_i), .mode_i(2'd0), .fire_i(w_fire), .last_i(w_last), .data_i(w_data), .data_o(masked),
    .seed_o(seed)
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
  // Chosen a cycle before the grant, so by what could go a cycle before; the grant looks whether it can.
  logic [NumVl-1:0][7:0] need;
  logic [QW-1:0]         pick;
  for (genvar g = 0; g < NumVl; g++) begin : g_need
    assign need[g] = cr_need[g][7:0];
  end
  ohca_link_tx_arb #(.NumVl(NumVl)) u_arb (
    .clk_i(clk_i), .rst_i(rst_i), .limit_i(cfg_i.vl_high_limit), .low_i(arb_low_i), .high_i(arb_high_i),
    .may_i(may_q[NumVl-1:0]), .may15_i(may_q[Q15]), .need_i(need), .pick_o(pick), .take_i(grant)
  );

  // ------------------------------------------------------------------ grant
  // A packet granted before the link went down must not be sent, nor counted, after it is up again: it bears an epoch.
  localparam int unsigned MetaW = QW + 1 + 1 + RateW + 8 + 1;      // {queue, mcast, rated, rate entry, ipd, epoch (or
                                                                   // from firmware)}
  logic             epoch_q, wire_busy;
  logic             g_valid_q, g_ready, can_go, grant;
  logic [NumQ-1:0]  go;
  logic [10:0]      g_len_q;
  logic [47:0]      g_crc_q;
  logic [MetaW-1:0] g_meta_q;
  logic [7:0]       pick_ipd;
  logic [15:0]      pick_dlid;
  logic             pick_rated;
  assign pick_dlid   = hd_dlid[pick];
  assign pick_ipd    = hd_ipd[pick];
  assign pick_rated  = pick_ipd != 8'd0;

  // What a closed ring holds is dropped. A ring is read in order: what was granted from it is read first.
  logic             fl_valid_q;
  logic [QW-1:0]    flush_d_pick;
  always_comb begin
    flush_d_pick = '0;
    for (int unsigned i = NumQ; i > 0; i--) if (flush_q[i-1]) flush_d_pick = QW'(i - 1);
  end
  always_ff @(posedge clk_i) begin
    fl_valid_q  <= flush_q != '0 && !rst_i;
    flush_pick  <= flush_d_pick;
    flush_words <= (PtrW+1)'((32'(hd_len[flush_d_pick]) + Lanes - 1) / Lanes);
  end
  assign flush = fl_valid_q && flush_q[flush_pick] && !cool_q && !g_valid_q && !wire_busy;
  assign can_go = !fl_valid_q && !cool_q && !g_valid_q;
  always_comb for (int unsigned i = 0; i < NumQ; i++) go[i] = can_go && pick == QW'(i) && may_q[i];
  assign grant = go != '0;

  logic lg_ready;
  always_comb begin
    h_pop = go;
    for (int unsigned i = 0; i < NumQ; i++) if (flush && flush_pick == QW'(i)) h_pop[i] = 1'b1;
    h_pop[QLoop] = lg_ready;
    for (int unsigned v = 0; v < NumVl; v++) cr_take[v] = go[v] && !eth;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      may_q      <= '0;
      flush_q    <= '0;
      cool_q     <= 1'b0;
      g_valid_q  <= 1'b0;
    end else begin
      may_q   <= may_d;
      flush_q <= flush_d;
      cool_q  <= grant || flush || fc_valid_i;
      if (grant)        g_valid_q <= 1'b1;
      else if (g_ready) g_valid_q <= 1'b0;
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
  assign wr_addr = (q == QW'(Q15)) ? AddrW'({QW'(QLoop), wr_ptr_q[q][PtrW-1:0] & PtrW'(Words15 - 1)}) :
      AddrW'({q, wr_ptr_q[q][PtrW-1:0]});
  assign rd_addr = (rd_q == QW'(Q15)) ? AddrW'({QW'(QLoop), rd_ptr_q[rd_q][PtrW-1:0] & PtrW'(Words15 - 1)}) :
      AddrW'({rd_q, rd_ptr_q[rd_q][PtrW-1:0]});
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
    .wr_en_i(put && (both || q == QW'(QLoop))), .wr_be_i(1'b1), .wr_addr_i(wr_ptr_q[QLoop][PtrW-1:0]),
    .wr_data_i(w_data),
    .rd_en_i(lr_req), .rd_addr_i(rd_ptr_q[QLoop][PtrW-1:0]), .rd_data_o(lr_data)
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) rd_ptr_q <= '0;
    else begin
      for (int unsigned i = 0; i < NumQ; i++) begin
        if ((i == QLoop) ? lr_req : rd_en && rd_q == QW'(i)) rd_ptr_q[i] <= rd_ptr_q[i] + (PtrW+1)'(1);
        if (flushed_q[i]) rd_ptr_q[i] <= rd_ptr_q[i] + flush_words_q;
      end
    end
    // A cycle behind the flush: nothing is granted in it.
    flush_words_q <= flush_words;
    for (int unsigned i = 0; i < NumQ; i++) flushed_q[i] <= flush && flush_pick == QW'(i) && !rst_i;
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
    .valid_o(x_valid), .ready_i(x_ready), .data_o(x_data), .keep_o(x_keep), .last_o(x_last), .len_o(x_len),
    .meta_o(x_meta)
  );
  ohca_link_tx_rd #(.DataWidth(DataWidth), .MetaW(MetaW)) u_loop (
    .clk_i(clk_i), .rst_i(rst_i), .idle_o(loop_idle), .busy_o(),
    .g_valid_i(h_valid[QLoop]), .g_ready_o(lg_ready), .g_len_i(hd_len[QLoop]), .g_crc_i(h_desc[QLoop][47:0]),
    .g_meta_i(MetaW'(h_desc[QLoop][48])),
    .rd_valid_o(lr_req), .rd_ready_i(1'b1), .rd_meta_o(lr_meta), .rd_data_i(lr_data),
    .valid_o(lb_valid_o), .ready_i(lb_ready_i), .data_o(lb_data_o), .keep_o(lb_keep_o), .last_o(lb_last_o),
    .len_o(l_len), .meta_o(l_meta)
  );
  assign lb_from_fw_o = l_meta[0];

  // ------------------------------------------------------------------ flow-control packets
  logic [NumVl-1:0] fc_ask, x_vl;
  logic             fc_valid, fc_old, fc_send, fc_idle;
  logic [31:0]      due_in;
  logic [47:0]      fc_data;
  always_comb for (int unsigned v = 0; v < NumVl; v++) begin
    fc_ask[v] = h_valid[v] && open[v] && !eth && !cr_ok[v];
    x_vl[v]   = x_q == QW'(v);
  end
  ohca_link_tx_fc #(.NumVl(NumVl)) u_fcp (
    .clk_i(clk_i), .rst_i(rst_i), .idle_o(fc_idle), .now_i(now_i[31:0]), .due_in_o(due_in),
    .en_i(cfg_i.smp_en), .eth_i(eth), .init_i(cfg_i.fc_init), .vls_i(vl_mask_n), .period_i(fc_period_i),
    .fccl_i(rx_fccl_i), .thr_i(rx_thr_i), .wait_i(fc_ask),
    .begin_i(x_sent && !xs_q), .begin_vl_i(x_vl), .begin_blocks_i(x_blocks),
    .valid_o(fc_valid), .old_o(fc_old), .data_o(fc_data), .send_i(fc_send)
  );

  // ---------------------------------------------------------------- mux to the wire: flow control goes between packets
  logic                 mid_q, o_ready, o_valid, o_last, fc_go, fc_wait;
  logic                 xs_q, kill_q, kill;       // inside a packet of the reader; it is not to be sent
  logic                 en_q;
  logic [DataWidth-1:0] o_data;
  logic [Bytes-1:0]     o_keep;
  assign fc_wait = fc_valid && !mid_q && cfg_i.smp_en;
  assign fc_go   = fc_wait && !fc_old;
  assign fc_send = fc_go && o_ready;
  assign kill    = xs_q ? kill_q : (!cfg_i.smp_en || x_meta[0] != epoch_q);
  assign o_valid = fc_go || (x_valid && !kill && !fc_wait);
  assign o_last  = fc_go || x_last;
  assign o_data  = fc_go ? DataWidth'(fc_data) : x_data;
  assign o_keep  = fc_go ? Bytes'(6'h3f) : x_keep;
  assign x_ready = kill || (o_ready && !fc_wait);

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
      ra_busy_q <= '0;
      ra_hold_q <= '0;
      ra_rr_q   <= '0;
    end else begin
      if (x_fire) xs_q  <= !x_last;
      if (x_sent) mid_q <= !x_last;
      en_q <= cfg_i.smp_en;
      if (en_q && !cfg_i.smp_en) epoch_q <= !epoch_q;

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
  assign tx_work = w_valid || m_valid || mgs_valid || !first_q || pend_valid || c_valid_q || h_valid != '0 ||
      g_valid_q ||
                   !wire_idle || !loop_idle || x_valid || tx_valid_o || !fc_idle;
  assign idle_o  = !tx_work;

  for (genvar g = 0; g < NumQ; g++) begin : g_held
    `ASSERT(HeldBound_A, held_q[g] <= ($clog2(Descs)+1)'((g < NumVl) ? Descs : 16))
  end
  `ASSERT(PendRoom_A, !(w_fire && w_last) || pend_ready)
  `ASSERT(PendThere_A, !icrc_valid || pend_valid)
  `ASSERT(CrcsTogether_A, icrc_valid == vcrc_valid)
  `ASSERT(DescRoom_A, !c_valid_q || d_ready[c_q_q])

  logic unused;
  assign unused = &{1'b0, cfg_i, m_sel, m_gnt, icrc_ok, vcrc_ok, pend_ready, d_ready, lr_meta, l_len, l_meta, hd_ipd,
      cr_ok, vcrc_valid,
                    may_q[QLoop], flush_q[QLoop], seed, rate_wait, wr_meta, h_loop, x_epoch};

endmodule

`default_nettype wire
