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
// looped back. So no packet of a data VL ever waits at its ring, and a VL that is stopped stops nobody else. Of a wide
// ring no more is shown than keeps the wire busy: what lies there everybody's acknowledgements go behind. The
// management core's packets take theirs here, while nobody is shown any room for some cycles; when the VL is stuck
// (stuck_o: a packet waits and for StuckCycles none left) they are dropped. VL15 and loopback take none: they always
// move on.
//
// Its rooms: ohca_link_tx_head (merge, a packet's ring), ohca_link_tx_room (above), ohca_link_tx_ring (writer, CRCs,
// memories, descriptors), ohca_link_tx_may (credits, static rate), ohca_link_tx_arb (VL arbitration), ohca_link_tx_rd
// (readers), ohca_link_tx_fc and ohca_link_tx_out (flow-control packets, the way to the wire). The grant is made here.
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
  parameter int unsigned HostCycles  = 256,         // until host memory answers a read: 1 us
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
  input  logic [NumVl-1:0]              tk0_vl_i,       // from ohca_sq: one VL's bit, or none
  input  logic [12:0]                   tk0_words_i,
  input  logic [4:0]                    tk0_n_i,        // packets
  input  logic [NumVl-1:0]              tk1_vl_i,       // responses: one packet
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
  localparam int unsigned Q15     = NumVl + 1;
  localparam int unsigned QW      = $clog2(NumQ);
  localparam int unsigned QWords  = QueueBytes / Bytes;
  localparam int unsigned PtrW    = $clog2(QWords);
  localparam int unsigned RateW   = (RateEntries > 1) ? $clog2(RateEntries) : 1;
  // The wire sends without a pause when a packet is asked for while that before it and as many words as cycles go by
  // before the first one comes are ahead: HostCycles, as many again as what is asked for at once comes in any order
  // (MaxBeats of ohca_dma_rd), and twice as many for the way there and back and for what others read (with half of that
  // both directions at once lose 1 % at 64 bits). Who asks for the longest packet leaves ResW more to others (ohca_sq).
  localparam int unsigned HdrW    = ((RoCE ? 108 : 80) + Bytes - 1) / Bytes;
  localparam int unsigned PkW     = 4096 / Bytes + HdrW;
  localparam int unsigned ResW    = 2 * 4096 / Bytes + 7 * HdrW;
  localparam int unsigned Enough  = PkW + 4 * HostCycles + PkW + ResW;
  localparam int unsigned RoomW   = (Enough < QWords) ? Enough : QWords;
  localparam int unsigned DescW   = 11 + 16 + 8 + 1 + 48;      // {len, dlid, ipd, host, vcrc, icrc}

  if (NumVl > 1 && (QueueBytes < 16384 || QWords > 4096 || Descs < 32 || Descs > 128)) begin : g_bad_room
    $error("ohca_link_tx: with several VLs QueueBytes must be at least 16384, Descs 32 to 128");
  end

  logic            eth;
  logic [NumQ-1:0] open;
  assign eth = RoCE && cfg_i.eth;
  always_comb begin
    for (int unsigned v = 0; v < NumVl; v++) open[v] = cfg_i.smp_en && cfg_i.tx_data_en && 4'(v) < cfg_i.oper_vls;
    open[QLoop] = 1'b1;
    open[Q15]   = cfg_i.smp_en;
  end

  // ------------------------------------------------------------------ in
  // The management core's packets wait for room here, so that nobody else's ready depends on it: in one register until
  // there is (mgs), and in one behind, where they wait for their turn (mgo). So a beat goes every second cycle.
  localparam int unsigned MgW = DataWidth + Bytes + 2;
  logic                 mgs_valid, mgs_ready, mgo_valid, mgo_ready, mgo_last, mgo_host;
  logic [MgW-1:0]       mgs;                             // {to_host, last, keep, data}
  logic [DataWidth-1:0] mgo_data;
  logic [Bytes-1:0]     mgo_keep;
  logic [9:0]           mg_words;
  logic                 mg_busy, mg_drop;                // one is dropped for want of room
  logic                 w_valid, w_ready, w_last, w_err, w_host, w_ok, w_size, head_busy, ring_busy;
  logic [DataWidth-1:0] w_data;
  logic [Bytes-1:0]     w_keep;
  logic [7:0]           w_ipd;
  logic [9:0]           w_words;
  logic [LaneW:0]       w_dw, w_dw1;
  logic [QW-1:0]        w_ring;
  logic [NumQ-1:0]      w_rings;
  ohca_link_tx_head #(.DataWidth(DataWidth), .NumVl(NumVl), .RoCE(RoCE)) u_head (
    .clk_i(clk_i), .rst_i(rst_i), .busy_o(head_busy), .cfg_i(cfg_i),
    .in_valid_i(in_valid_i), .in_ready_o(in_ready_o), .in_data_i(in_data_i), .in_keep_i(in_keep_i),
    .in_last_i(in_last_i), .in_err_i(in_err_i), .in_ipd_i(in_ipd_i), .in_words_i((NumVl > 1) ? in_words_i : 10'd0),
    .mg_valid_i(mgo_valid), .mg_ready_o(mgo_ready), .mg_data_i(mgo_data), .mg_keep_i(mgo_keep), .mg_last_i(mgo_last),
    .mg_host_i(mgo_host), .mg_words_i(mg_words),
    .valid_o(w_valid), .ready_i(w_ready), .data_o(w_data), .keep_o(w_keep), .last_o(w_last), .err_o(w_err),
    .ipd_o(w_ipd), .words_o(w_words), .host_o(w_host), .dw_o(w_dw), .dw1_o(w_dw1),
    .ring_o(w_ring), .rings_o(w_rings), .ok_o(w_ok), .size_o(w_size)
  );

  // ------------------------------------------------------------------ rings
  logic                       end_valid, end_good, end_used, end_host, rd_en, lr_req;
  logic [3:0]                 end_vl;
  logic [10:0]                end_len;
  logic [NumQ-1:0]            have, pop, flushed_q, hd_rated_q;
  logic [NumQ-1:0][DescW-1:0] desc;
  logic [NumQ-1:0][10:0]      hd_len;
  logic [NumQ-1:0][15:0]      hd_dlid;
  logic [NumQ-1:0][7:0]       hd_ipd;
  logic [QW-1:0]              rd_q;
  logic [DataWidth-1:0]       rd_data, lr_data;
  logic [PtrW:0]              flush_words, flush_words_q;
  ohca_link_tx_ring #(.DataWidth(DataWidth), .NumVl(NumVl), .QueueBytes(QueueBytes), .Vl15Bytes(Vl15Bytes),
      .Descs(Descs), .RoCE(RoCE)) u_ring (
    .clk_i(clk_i), .rst_i(rst_i), .busy_o(ring_busy), .open_i(open),
    .valid_i(w_valid), .ready_o(w_ready), .data_i(w_data), .keep_i(w_keep), .dw_i(w_dw), .dw1_i(w_dw1),
    .last_i(w_last), .err_i(w_err), .ipd_i(w_ipd), .host_i(w_host), .ring_i(w_ring), .rings_i(w_rings),
    .ok_i(w_ok), .size_i(w_size),
    .end_o(end_valid), .end_good_o(end_good), .end_used_o(end_used), .end_vl_o(end_vl), .end_host_o(end_host),
    .end_len_o(end_len),
    .have_o(have), .desc_o(desc), .pop_i(pop & have),
    .rd_en_i(rd_en), .rd_ring_i(rd_q), .rd_data_o(rd_data), .lp_en_i(lr_req), .lp_data_o(lr_data),
    .drop_i(flushed_q), .drop_words_i(flush_words_q)
  );
  for (genvar g = 0; g < NumQ; g++) begin : g_desc
    assign hd_len[g]  = desc[g][DescW-1 -: 11];
    assign hd_dlid[g] = desc[g][DescW-12 -: 16];
    assign hd_ipd[g]  = desc[g][DescW-28 -: 8];
    // As old as may: nothing is granted in the cycle behind a grant, so it is of the same packet.
    always_ff @(posedge clk_i) hd_rated_q[g] <= hd_ipd[g] != 8'd0;
  end

  // ------------------------------------------------------------------ room
  if (NumVl > 1) begin : g_room
    logic             charged, fit_valid, fit_ready;
    logic [9:0]       fit_words;
    logic [NumVl-1:0] read, popped;
    ohca_hop #(.Width(MgW)) u_mg (
      .clk_i(clk_i), .rst_i(rst_i), .valid_i(mg_valid_i), .ready_o(mg_ready_o),
      .data_i({mg_to_host_i, mg_last_i, mg_keep_i, mg_data_i}),
      .valid_o(mgs_valid), .ready_i(mgs_ready), .data_o(mgs)
    );
    ohca_hop #(.Width(10 + MgW)) u_mg_turn (
      .clk_i(clk_i), .rst_i(rst_i), .valid_i(fit_valid), .ready_o(fit_ready), .data_i({fit_words, mgs}),
      .valid_o(mgo_valid), .ready_i(mgo_ready), .data_o({mg_words, mgo_host, mgo_last, mgo_keep, mgo_data})
    );
    assign mg_busy = mgs_valid || mgo_valid;
    // Of the management core only what goes out on a data VL.
    assign charged = end_vl < 4'(NumVl) && !end_host;
    assign popped  = pop[NumVl-1:0] & have[NumVl-1:0];
    always_comb for (int unsigned v = 0; v < NumVl; v++) read[v] = rd_en && rd_q == QW'(v);
    ohca_link_tx_room #(.DataWidth(DataWidth), .NumVl(NumVl), .QWords(RoomW), .Descs(Descs), .RoCE(RoCE)) u_room (
      .clk_i(clk_i), .rst_i(rst_i), .room_o(room_o), .desc_o(desc_o), .stuck_o(stuck_o),
      .tk0_vl_i(tk0_vl_i), .tk0_words_i(tk0_words_i), .tk0_n_i(tk0_n_i),
      .tk1_vl_i(tk1_vl_i), .tk1_words_i(tk1_words_i),
      .mg_valid_i(mgs_valid), .mg_ready_o(mgs_ready), .mg_last_i(mgs[MgW-2]), .mg_host_i(mgs[MgW-1]),
      .mg_vl_i(mgs[7:4]), .mg_pktlen_i({mgs[34:32], mgs[47:40]}),
      .mgo_valid_o(fit_valid), .mgo_ready_i(fit_valid && fit_ready), .mgo_words_o(fit_words), .mg_drop_o(mg_drop),
      .end_valid_i(end_valid && charged), .end_vl_i(end_vl), .end_used_i(end_used), .end_took_i(w_words),
      .end_len_i(end_len), .wait_i(have[NumVl-1:0]), .read_i(read), .pop_i(popped),
      .flushed_i(flushed_q[NumVl-1:0]), .flush_words_i(13'(flush_words_q))
    );
    `ASSERT(TookEnough_A, !(end_valid && charged && end_used) || 32'(w_words) * Lanes >= 32'(end_len))
  end else begin : g_one
    assign room_o     = '0;
    assign desc_o     = '0;
    assign stuck_o    = '0;
    assign mg_drop    = 1'b0;
    assign mg_words   = '0;
    ohca_skid #(.Width(MgW)) u_mg (
      .clk_i(clk_i), .rst_i(rst_i), .valid_i(mg_valid_i), .ready_o(mg_ready_o),
      .data_i({mg_to_host_i, mg_last_i, mg_keep_i, mg_data_i}),
      .valid_o(mgs_valid), .ready_i(mgs_ready), .data_o(mgs)
    );
    assign mgo_valid = mgs_valid;
    assign mgs_ready = mgo_ready;
    assign {mgo_host, mgo_last, mgo_keep, mgo_data} = mgs;
    assign mg_busy   = mgs_valid;
    logic unused_room;
    assign unused_room = &{1'b0, tk0_vl_i, tk0_words_i, tk0_n_i, tk1_vl_i, tk1_words_i,
                           w_words, in_words_i, end_used, end_vl, end_host, end_len};
  end

  // ------------------------------------------------------------------ who may go, and who is next
  // The choice is made a cycle before the grant, so by what could go a cycle before; the grant looks whether it can.
  logic [NumQ-1:0]        may, flush_may, go;
  logic [NumVl-1:0]       fc_ask;
  logic [NumVl-1:0][11:0] cr_need;
  logic [NumVl-1:0][7:0]  need;
  logic [QW-1:0]          pick;
  logic                   grant, pick_rated, left;
  logic [RateW-1:0]       rate_new, left_rate;
  logic [23:0]            left_hold;
  logic [7:0]             pick_ipd;
  logic [15:0]            pick_dlid;
  assign pick_dlid  = hd_dlid[pick];
  assign pick_ipd   = hd_ipd[pick];
  assign pick_rated = hd_rated_q[pick];
  for (genvar g = 0; g < NumVl; g++) begin : g_need
    assign need[g] = cr_need[g][7:0];
  end
  ohca_link_tx_may #(.NumVl(NumVl), .RateEntries(RateEntries)) u_may (
    .clk_i(clk_i), .rst_i(rst_i), .now_i(now_i[31:0]), .en_i(cfg_i.smp_en), .eth_i(eth),
    .open_i(open), .have_i(have), .len_i(hd_len), .dlid_i(hd_dlid), .ipd_i(hd_ipd), .pause_i(pause_i),
    .upd_valid_i(fc_valid_i), .upd_vl_i(fc_vl_i), .upd_fccl_i(fc_fccl_i), .credit_o(tx_credit_o),
    .may_o(may), .flush_o(flush_may), .wait_o(fc_ask), .need_o(cr_need),
    .take_i(go), .take_rated_i(pick_rated), .take_dlid_i(pick_dlid), .rate_o(rate_new),
    .left_i(left), .left_rate_i(left_rate), .left_hold_i(left_hold)
  );
  ohca_link_tx_arb #(.NumVl(NumVl)) u_arb (
    .clk_i(clk_i), .rst_i(rst_i), .limit_i(cfg_i.vl_high_limit), .low_i(arb_low_i), .high_i(arb_high_i),
    .may_i(may[NumVl-1:0]), .may15_i(may[Q15]), .need_i(need), .pick_o(pick), .take_i(grant)
  );

  // ------------------------------------------------------------------ grant
  // A packet granted before the link went down must not be sent, nor counted, after it is up again: it bears an epoch.
  localparam int unsigned MetaW = QW + 1 + 1 + RateW + 8 + 1;      // {queue, mcast, rated, rate entry, ipd, epoch (or
                                                                   // from firmware)}
  logic             epoch, wire_busy, cool_q;                      // a grant or new limits in the last cycle: may is
                                                                   // stale
  logic             g_valid_q, g_ready, can_go;
  logic [10:0]      g_len_q;
  logic [47:0]      g_crc_q;
  logic [MetaW-1:0] g_meta_q;

  // What a closed ring holds is dropped. A ring is read in order: what was granted from it is read first.
  logic            fl_valid_q, lg_ready;
  logic [QW-1:0]   flush_d;
  logic [NumQ-1:0] flush_pick, flush;             // by ring
  always_comb begin
    flush_d = '0;
    for (int unsigned i = NumQ; i > 0; i--) if (flush_may[i-1]) flush_d = QW'(i - 1);
  end
  always_ff @(posedge clk_i) begin
    fl_valid_q  <= flush_may != '0 && !rst_i;
    flush_pick  <= NumQ'(1) << flush_d;
    flush_words <= (PtrW+1)'((32'(hd_len[flush_d]) + Lanes - 1) / Lanes);
    // A cycle behind the flush: nothing is granted in it.
    flush_words_q <= flush_words;
    flushed_q <= rst_i ? '0 : flush;
  end
  assign flush  = flush_pick & flush_may & {NumQ{fl_valid_q && !cool_q && !g_valid_q && !wire_busy}};
  assign can_go = !fl_valid_q && !cool_q && !g_valid_q;
  always_comb for (int unsigned i = 0; i < NumQ; i++) go[i] = can_go && pick == QW'(i) && may[i];
  assign grant = go != '0;
  always_comb begin
    pop = go | flush;
    pop[QLoop] = lg_ready;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      cool_q     <= 1'b0;
      g_valid_q  <= 1'b0;
    end else begin
      cool_q  <= grant || flush != '0 || fc_valid_i;
      if (grant)        g_valid_q <= 1'b1;
      else if (g_ready) g_valid_q <= 1'b0;
    end
    if (grant) begin
      g_len_q  <= hd_len[pick];
      g_crc_q  <= desc[pick][47:0];
      g_meta_q <= {pick, pick_dlid >= 16'hc000 && pick_dlid != 16'hffff, pick_rated, rate_new, pick_ipd, epoch};
    end
  end

  // ------------------------------------------------------------------ readers
  // verilator lint_off UNUSEDSIGNAL
  logic [MetaW-1:0]     rd_meta;
  // verilator lint_on UNUSEDSIGNAL
  logic                 x_valid, x_ready, x_last, x_mcast, x_rated, x_epoch, wire_idle, loop_idle;
  logic [DataWidth-1:0] x_data;
  logic [Bytes-1:0]     x_keep;
  logic [10:0]          x_len, l_len;
  logic [QW-1:0]        x_q;
  logic [RateW-1:0]     x_rate;
  logic [7:0]           x_ipd;
  logic [MetaW-1:0]     lr_meta, l_meta;
  assign rd_q = rd_meta[MetaW-1 -: QW];
  ohca_link_tx_rd #(.DataWidth(DataWidth), .MetaW(MetaW)) u_wire (
    .clk_i(clk_i), .rst_i(rst_i), .idle_o(wire_idle), .busy_o(wire_busy),
    .g_valid_i(g_valid_q), .g_ready_o(g_ready), .g_len_i(g_len_q), .g_crc_i(g_crc_q), .g_meta_i(g_meta_q),
    .rd_valid_o(rd_en), .rd_ready_i(1'b1), .rd_meta_o(rd_meta), .rd_data_i(rd_data),
    .valid_o(x_valid), .ready_i(x_ready), .data_o(x_data), .keep_o(x_keep), .last_o(x_last), .len_o(x_len),
    .meta_o({x_q, x_mcast, x_rated, x_rate, x_ipd, x_epoch})
  );
  ohca_link_tx_rd #(.DataWidth(DataWidth), .MetaW(MetaW)) u_loop (
    .clk_i(clk_i), .rst_i(rst_i), .idle_o(loop_idle), .busy_o(),
    .g_valid_i(have[QLoop]), .g_ready_o(lg_ready), .g_len_i(hd_len[QLoop]), .g_crc_i(desc[QLoop][47:0]),
    .g_meta_i(MetaW'(desc[QLoop][48])),
    .rd_valid_o(lr_req), .rd_ready_i(1'b1), .rd_meta_o(lr_meta), .rd_data_i(lr_data),
    .valid_o(lb_valid_o), .ready_i(lb_ready_i), .data_o(lb_data_o), .keep_o(lb_keep_o), .last_o(lb_last_o),
    .len_o(l_len), .meta_o(l_meta)
  );
  assign lb_from_fw_o = l_meta[0];

  // ------------------------------------------------------------------ flow-control packets, wire
  logic             fc_valid, fc_old, fc_send, fc_idle, x_begin, data_waits;
  logic [NumVl-1:0] x_vl;
  logic [11:0]      x_blocks;
  logic [31:0]      due_in;
  logic [47:0]      fc_data;
  ohca_link_tx_fc #(.NumVl(NumVl)) u_fcp (
    .clk_i(clk_i), .rst_i(rst_i), .idle_o(fc_idle), .now_i(now_i[31:0]), .due_in_o(due_in),
    .en_i(cfg_i.smp_en), .eth_i(eth), .init_i(cfg_i.fc_init), .vls_i(cfg_i.oper_vls), .period_i(fc_period_i),
    .fccl_i(rx_fccl_i), .thr_i(rx_thr_i), .wait_i(fc_ask),
    .begin_i(x_begin), .begin_vl_i(x_vl), .begin_blocks_i(x_blocks),
    .valid_o(fc_valid), .old_o(fc_old), .data_o(fc_data), .send_i(fc_send)
  );

  assign data_waits = have[NumVl-1:0] != '0 && cfg_i.tx_data_en;
  ohca_link_tx_out #(.DataWidth(DataWidth), .NumVl(NumVl), .RateW(RateW)) u_out (
    .clk_i(clk_i), .rst_i(rst_i), .en_i(cfg_i.smp_en), .eth_i(eth), .epoch_o(epoch),
    .valid_i(x_valid), .ready_o(x_ready), .data_i(x_data), .keep_i(x_keep), .last_i(x_last), .len_i(x_len),
    .ring_i(x_q), .mcast_i(x_mcast), .rated_i(x_rated), .rate_i(x_rate), .ipd_i(x_ipd), .epoch_i(x_epoch),
    .fc_valid_i(fc_valid), .fc_old_i(fc_old), .fc_data_i(fc_data), .fc_send_o(fc_send),
    .begin_o(x_begin), .begin_vl_o(x_vl), .begin_blocks_o(x_blocks),
    .left_o(left), .left_rate_o(left_rate), .left_hold_o(left_hold),
    .tx_valid_o(tx_valid_o), .tx_ready_i(tx_ready_i), .tx_data_o(tx_data_o), .tx_keep_o(tx_keep_o),
    .tx_last_o(tx_last_o), .tx_kind_o(tx_kind_o),
    .lost_i((end_valid && !end_good) || mg_drop || flush != '0), .waits_i(data_waits), .stat_o(stat_o), .cnt_o(cnt_o)
  );

  assign next_valid_o = cfg_i.smp_en && !eth && cfg_i.oper_vls != 4'd0;
  assign next_o       = now_i + 64'(due_in);       // while it is not over

  `ASSERT(Rated_A, !grant || pick_rated == (pick_ipd != 8'd0))

  logic tx_work;
  assign tx_work = head_busy || mg_busy || ring_busy || have != '0 || g_valid_q || !wire_idle || !loop_idle ||
                   x_valid || tx_valid_o || !fc_idle;
  assign idle_o  = !tx_work;

  logic unused;
  assign unused = &{1'b0, cfg_i, lr_meta, l_len, l_meta, hd_ipd, may[QLoop], flush_may[QLoop], cr_need};

endmodule

`default_nettype wire
