// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Receive side of the InfiniBand link layer: wire buffer with credits per VL, CRC and header checks, receive buffer
// with release by slot.
//
// Last beat on the wire to rxd_valid_o: 10 cycles (9 up to 64 bits) when empty, 4 more for datagrams; one beat a cycle,
// also with packets of one beat. Store and forward: what fails a check never shows, is counted, and its room comes back
// by itself. Loopback comes a cycle later than the wire would, frames for the network interface and counters (flops,
// nic_* and cnt_o) a cycle later than they are known. It does NOT look at P_Key, QP or PSN.
// lint: DataWidth=128
// lint: DataWidth=256
// lint: DataWidth=512 NumVl=4 BufBytes=65536
// lint: NumVl=1 FrontBytes=16384
// lint: RoCE=0
// lint: RoCE=0 DataWidth=512
// lint: RoCE=0 Compact=1
//
// On an Ethernet port (docs/roce.md) frames take the place of packets: the wire buffer is one for all, and ohca_eth_in
// between it and the receive buffer makes packets in the internal form of them. A frame's way is its own: the port may
// change its link layer while one is still inside.

// wire ─► class, room ─► wire buffer ─┐           ┌─► receive buffer ◄── rb_* (ohca_place)
//   │     (FIFO, credits count it)    ├─ merge ─► ┼─► VCRC, ICRC ────► verdict ─┐
//   │                       loopback ─┘           ├─► Internet checksums (datagrams) ─┤
//   │                                             └─► headers ──────► FIFO ─────┴─► checks, parse ─► rxd
//   └─ flow control ─► ohca_link_tx
//
// Two buffers. The wire cannot be stopped, so the wire buffer (ohca_link_rx_front) is what credits promise: each data
// VL owns a share of it, VL15 (and garbage) has a small allowance and is dropped beyond it. The receive buffer behind
// it (ohca_link_rx_buf) is held by packets that are being worked on, 64 at most; when it is full the stream waits in
// the wire buffer, credits are not renewed, and nothing is lost. Loopback waits at its own door for the same.

`include "ohca_assert.svh"
`include "ohca_lazy.svh"
`default_nettype none

module ohca_link_rx #(
  parameter int unsigned DataWidth  = 64,
  parameter int unsigned NumVl      = 4,
  parameter int unsigned BufBytes   = (DataWidth > 64) ? 65536 : 32768,   // receive buffer, power of two
  parameter int unsigned FrontBytes = 131072,  // wire buffer, power of two; three quarters are credits, shared by VLs
  parameter int unsigned NumRel     = 3,
  parameter bit          RoCE       = 1'b1,
  parameter bit          Compact    = 1'b0,             // a packet takes a cycle more, fewer are held, no Internet
                                                        // checksums; at 64 bits without RoCE: ohca_link_rx_hdr
  localparam int unsigned Bytes     = DataWidth / 8,
  localparam int unsigned AddrW     = $clog2(BufBytes / Bytes),
  parameter int unsigned GidLanes   = (DataWidth == 64) ? 2 : ohca_fmt_pkg::PORT_GIDS,   // of ohca_eth_in
  localparam int unsigned GidTabW   = GidLanes * ohca_fmt_pkg::GID_ENT_BITS,
  localparam int unsigned GidSteps  = ohca_fmt_pkg::PORT_GIDS / GidLanes,
  localparam int unsigned GidStepW  = (GidSteps > 1) ? $clog2(GidSteps) : 1,
  localparam int unsigned GuidTabW  = ohca_fmt_pkg::PORT_GIDS * 64
) (
  input  logic                          clk_i,
  input  logic                          rst_i,
  output logic                          idle_o,

  input  ohca_fmt_pkg::port_cfg_t       cfg_i,
  input  ohca_fmt_pkg::eth_ctrl_t       eth_ctrl_i,
  input  logic [47:0]                   eth_mac_i,
  input  logic [63:0]                   eth_hash_i,
  output logic [GidStepW-1:0]           gid_step_o,     // Ethernet: of ohca_gid_table
  input  logic [GidTabW-1:0]            gids_i,
  input  logic [GuidTabW-1:0]           guids_i,        // InfiniBand

  // Wire: a beat is taken whenever it is valid
  input  logic                          rx_valid_i,
  input  logic [DataWidth-1:0]          rx_data_i,      // first wire byte in [7:0]
  input  logic [Bytes-1:0]              rx_keep_i,
  input  logic                          rx_last_i,
  input  logic                          rx_error_i,     // with last: the sender marked it bad
  // 0 packet, 1 flow control, 2 Ethernet frame; what is not the port's is ignored
  input  logic [1:0]                    rx_kind_i,

  // Loopback from ohca_link_tx
  input  logic                          lb_valid_i,
  output logic                          lb_ready_o,
  input  logic [DataWidth-1:0]          lb_data_i,
  input  logic [Bytes-1:0]              lb_keep_i,
  input  logic                          lb_last_i,
  input  logic                          lb_from_fw_i,
  input  logic                          lb_eth_i,       // an Ethernet frame

  // To ohca_link_tx
  output logic                          fc_valid_o,     // a flow-control packet arrived
  output logic [3:0]                    fc_vl_o,
  output logic [11:0]                   fc_fccl_o,
  output logic [NumVl-1:0][11:0]        rx_fccl_o,      // limits to advertise
  output logic [11:0]                   rx_thr_o,

  // Good packets
  output logic                          rxd_valid_o,
  input  logic                          rxd_ready_i,
  output ohca_fmt_pkg::rxd_t            rxd_o,
  input  logic [NumRel-1:0]             rel_valid_i,    // the slot's packet is done with, in any order
  input  logic [NumRel-1:0][5:0]        rel_slot_i,

  // Receive buffer, for ohca_place: data one cycle later; addresses wrap around at BufBytes
  input  logic                          rb_en_i,
  input  logic [AddrW-1:0]              rb_addr_i,      // word address
  output logic [DataWidth-1:0]          rb_data_o,

  // Ethernet: frames for the network interface, filling of the wire buffer, congestion notifications
  output logic                          nic_valid_o,
  input  logic                          nic_room_i,     // there is room for a whole frame
  output logic [DataWidth-1:0]          nic_data_o,
  output logic [Bytes-1:0]              nic_keep_o,
  output logic                          nic_last_o,
  output logic                          nic_err_o,
  output logic [15:0]                   fill_o,         // units of 64 bytes
  output logic                          put_o,          // a unit of a priority's frames came in
  output logic [2:0]                    put_prio_o,
  output logic                          get_o,          // and one left, never before it came
  output logic [2:0]                    get_prio_o,
  output logic                          cnp_valid_o,
  output logic [23:0]                   cnp_qpn_o,      // the QP that is to slow down; its path has not been checked
  output logic [127:0]                  cnp_sgid_o,     // who says so

  output ohca_fmt_pkg::port_rx_stat_t   stat_o,
  output logic [63:0]                   cnt_o
);

  localparam int unsigned BytesW  = $clog2(Bytes);
  localparam int unsigned NumW    = BytesW + 1;
  `include "ohca_keep_bytes.svh"
  localparam int unsigned HdrBeats = ((RoCE ? 116 : 88) + Bytes - 1) / Bytes;    // as ohca_link_rx_whole keeps them
  localparam int unsigned Slots   = Compact ? 16 : 64;

  // ------------------------------------------------------------------ wire buffer, credits, flow-control packets
  logic                 f_valid, f_pop, f_last, f_bad, f_eth, f_idle;
  logic                 f_words, f_remote, f_over_x, f_over_d, f_nocr, f_lpcrc;
  logic [NumW-1:0]      f_bytes;
  logic [DataWidth-1:0] f_data;
  ohca_link_rx_front #(.DataWidth(DataWidth), .NumVl(NumVl), .FrontBytes(FrontBytes), .RoCE(RoCE)) u_front (
    .clk_i(clk_i), .rst_i(rst_i), .idle_o(f_idle), .cfg_i(cfg_i),
    .rx_valid_i(rx_valid_i), .rx_data_i(rx_data_i), .rx_keep_i(rx_keep_i), .rx_last_i(rx_last_i),
    .rx_error_i(rx_error_i), .rx_kind_i(rx_kind_i),
    .valid_o(f_valid), .ready_i(f_pop), .data_o(f_data), .bytes_o(f_bytes), .last_o(f_last), .bad_o(f_bad),
    .eth_o(f_eth),
    .fc_valid_o(fc_valid_o), .fc_vl_o(fc_vl_o), .fc_fccl_o(fc_fccl_o), .rx_fccl_o(rx_fccl_o), .rx_thr_o(rx_thr_o),
    .fill_o(fill_o), .put_o(put_o), .put_prio_o(put_prio_o), .get_o(get_o), .get_prio_o(get_prio_o),
    .words_o(f_words), .remote_o(f_remote), .over_x_o(f_over_x), .over_d_o(f_over_d), .nocr_o(f_nocr), .lpcrc_o(f_lpcrc)
  );

  // ------------------------------------------------------------------ merge with loopback, packet by packet
  localparam int unsigned MW = DataWidth + NumW + 4;            // {eth, loop, from_fw, bad, bytes, data}
  logic [NumW-1:0] lb_bytes;
  logic            m_valid, m_ready, m_last, k_valid, k_ready, k_last, k_loop, k_fw, k_bad, k_eth, m_sel;
  logic            s_valid, s_ready, s_last, s_loop, s_fw, s_bad, s_eth;
  logic [NumW-1:0] s_bytes;
  logic [DataWidth-1:0] s_data;
  logic [1:0]      m_gnt;
  logic [MW-1:0]   m_data;
  logic [NumW-1:0] k_bytes;
  logic [DataWidth-1:0] k_data;
  logic            j_valid, j_ready, j_last, j_loop, j_fw, j_bad, j_eth;   // what becomes k, a cycle before
  logic [NumW-1:0] j_bytes;
  logic [DataWidth-1:0] j_data;
  // Loopback comes out of a FIFO: a register lies between that and whose turn it is.
  logic                 p_valid, p_ready, p_last, p_fw, p_eth;
  logic [NumW-1:0]      p_bytes;
  logic [DataWidth-1:0] p_data;
  always_comb begin
    lb_bytes = '0;
    `WHEN(lb_valid_i && lb_last_i) lb_bytes = keep_bytes(lb_keep_i);
  end
  ohca_skid #(.Width(DataWidth + NumW + 3)) u_loop (
    .clk_i(clk_i), .rst_i(rst_i),
    .valid_i(lb_valid_i), .ready_o(lb_ready_o), .data_i({lb_last_i, lb_eth_i, lb_from_fw_i, lb_bytes, lb_data_i}),
    .valid_o(p_valid), .ready_i(p_ready), .data_o({p_last, p_eth, p_fw, p_bytes, p_data})
  );
  ohca_arb_rr #(.N(2), .Width(MW), .Lock(1'b1)) u_merge (
    .clk_i(clk_i), .rst_i(rst_i),
    .valid_i({p_valid, f_valid}), .ready_o({p_ready, f_pop}),
    .data_i({p_eth, 1'b1, p_fw, 1'b0, p_bytes, p_data, f_eth, 1'b0, 1'b0, f_bad, f_bytes, f_data}),
    .last_i({p_last, f_last}),
    .valid_o(m_valid), .ready_i(m_ready), .data_o(m_data), .last_o(m_last), .sel_o(m_sel), .gnt_o(m_gnt)
  );
  ohca_skid #(.Width(MW + 1)) u_skid (
    .clk_i(clk_i), .rst_i(rst_i),
    .valid_i(m_valid), .ready_o(m_ready), .data_i({m_last, m_data}),
    .valid_o(s_valid), .ready_i(s_ready), .data_o({s_last, s_eth, s_loop, s_fw, s_bad, s_bytes, s_data})
  );

  // ------------------------------------------------------------------ Ethernet frames become packets
  // The two ways do not overtake each other: one opens when the other is empty.
  logic        e_idle;
  logic [63:0] e_cnt;
  if (RoCE) begin : g_eth
    logic                 e_valid, e_ready, e_last, e_bad, e_loop, n_valid, n_ready, n_last, n_bad, n_loop, i_ready;
    logic [DataWidth-1:0] e_data, n_data;
    logic [NumW-1:0]      e_bytes, n_bytes;
    logic                 in_idle, use_eth, w_valid, w_last, w_err;
    logic [DataWidth-1:0] w_data;
    logic [Bytes-1:0]     w_keep;
    ohca_eth_in #(.DataWidth(DataWidth), .GidLanes(GidLanes)) u_eth_in (
      .clk_i(clk_i), .rst_i(rst_i), .idle_o(in_idle), .cnt_o(e_cnt),
      .ctrl_i(eth_ctrl_i), .mac_i(eth_mac_i), .hash_i(eth_hash_i), .gid_step_o(gid_step_o), .gids_i(gids_i),
      .valid_i(s_valid && s_eth && first_q_or_eth), .ready_o(i_ready), .data_i(s_data), .bytes_i(s_bytes),
      .last_i(s_last), .bad_i(s_bad), .loop_i(s_loop),
      .valid_o(e_valid), .ready_i(e_ready), .data_o(e_data), .bytes_o(e_bytes), .last_o(e_last), .bad_o(e_bad),
      .loop_o(e_loop),
      .nic_valid_o(w_valid), .nic_room_i(nic_room_i), .nic_data_o(w_data), .nic_keep_o(w_keep),
      .nic_last_o(w_last), .nic_err_o(w_err)
    );
    // Others begin behind a register: their lengths are added up by who takes them.
    always_ff @(posedge clk_i) begin
      nic_valid_o <= w_valid && !rst_i;
      `WHEN(w_valid) {nic_last_o, nic_err_o, nic_keep_o, nic_data_o} <= {w_last, w_err, w_keep, w_data};
    end
    ohca_skid #(.Width(DataWidth + NumW + 3)) u_eth_skid (
      .clk_i(clk_i), .rst_i(rst_i),
      .valid_i(e_valid), .ready_o(e_ready), .data_i({e_last, e_bad, e_loop, e_bytes, e_data}),
      .valid_o(n_valid), .ready_i(n_ready), .data_o({n_last, n_bad, n_loop, n_bytes, n_data})
    );
    // A flop says whether there are frames in that way: it closes a cycle after the last one has left.
    logic first_q_or_eth, mid_ib_q, eth_q;
    always_ff @(posedge clk_i) begin
      if (rst_i) mid_ib_q <= 1'b0;
      else if (!use_eth && j_valid && j_ready) mid_ib_q <= !j_last;
      eth_q <= !e_idle && !rst_i;
    end
    assign first_q_or_eth = !mid_ib_q;
    assign e_idle  = in_idle && !n_valid;
    assign use_eth = !mid_ib_q && (eth_q || s_eth);
    assign s_ready = s_eth ? first_q_or_eth && i_ready : !use_eth && j_ready;
    assign n_ready = use_eth && j_ready;
    assign j_valid = use_eth ? n_valid : s_valid;
    assign j_last  = use_eth ? n_last : s_last;
    assign j_loop  = use_eth ? n_loop : s_loop;
    assign j_fw    = !use_eth && s_fw;
    assign j_bad   = use_eth ? n_bad : s_bad;
    assign j_bytes = use_eth ? n_bytes : s_bytes;
    assign j_data  = use_eth ? n_data : s_data;
    assign j_eth   = use_eth;
  end else begin : g_ib
    assign e_idle  = 1'b1;
    assign e_cnt   = '0;
    assign s_ready = j_ready;
    assign j_valid = s_valid;
    assign j_last  = s_last;
    assign j_loop  = s_loop;
    assign j_fw    = s_fw;
    assign j_bad   = s_bad;
    assign j_bytes = s_bytes;
    assign j_data  = s_data;
    assign j_eth   = 1'b0;
    assign {nic_valid_o, nic_data_o, nic_keep_o, nic_last_o, nic_err_o, gid_step_o} = '0;
    logic unused_eth;
    assign unused_eth = &{1'b0, s_eth, f_eth, p_eth, eth_ctrl_i, eth_mac_i, eth_hash_i, gids_i, nic_room_i};
  end

  // ------------------------------------------------------------------ LRH: room, position, length
  // How much room a packet needs, and what of it the ICRC covers, is known with its first beat: a register lies between
  // that and whether there is as much.
  logic        first_q, k_fire, k_room, room_q;
  logic [10:0] j_pktlen, pktlen_q, pktlen;
  logic [10:0] idx_q, idx;                        // beat within the packet, stops at its highest value
  logic        j_over, k_over, over_q, over;      // longer than the MTU allows: nothing is stored
  logic [10:0] j_words, k_words, k_need;          // words from LRH to pad; what of the receive buffer it needs
  logic        j_first_q, j_end, k_end;           // the ICRC ends in this beat
  logic [13:0] max_len, j_left, j_left_q;         // left: bytes up to its end, from this beat on
  logic [Bytes/2-1:0] j_vk, k_vk;                 // bytes that came, by two; those that the ICRC covers, by four
  logic [Bytes/4-1:0] j_ik, k_ik;

  assign j_pktlen = {j_data[34:32], j_data[47:40]};
  assign max_len  = (j_data[7:4] == 4'd15) ? 14'd288 : 14'(ohca_fmt_pkg::mtu_bytes(cfg_i.mtu)) + 14'd124;
  assign j_over   = {1'b0, j_pktlen, 2'd0} > max_len || j_pktlen < 11'd6;
  assign j_words  = 11'((32'(j_pktlen) * 4 + Bytes - 5) / Bytes);      // of one less: without the ICRC
  // It ends where PktLen says.
  assign j_left   = !j_first_q ? j_left_q : (j_pktlen == '0) ? 14'd4 : {1'b0, j_pktlen, 2'd0};
  assign j_end    = j_left <= 14'(Bytes);
  always_comb begin
    j_vk = '1;
    j_ik = '1;
    `WHEN(j_last || j_end) for (int unsigned i = 0; i < Bytes / 4; i++) begin
      for (int unsigned h = 0; h < 2; h++) j_vk[2*i+h] = !j_last || j_bytes > NumW'(4 * i + 2 * h);
      if (i != 0) j_ik[i] = (j_first_q ? j_pktlen > 11'(i) : j_left_q[13:2] > 12'(i)) && j_vk[2*i];
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) j_first_q <= 1'b1;
    else if (j_valid && j_ready) j_first_q <= j_last;
    if (j_valid && j_ready) j_left_q <= j_left - 14'(Bytes);
  end
  ohca_skid #(.Width(DataWidth + NumW + Bytes / 2 + Bytes / 4 + 18)) u_known (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(j_valid), .ready_o(j_ready),
    .data_i({j_over, j_words, j_end, j_vk, j_ik, j_last, j_eth, j_loop, j_fw, j_bad, j_bytes, j_data}),
    .valid_o(k_valid), .ready_i(k_ready),
    .data_o({k_over, k_words, k_end, k_vk, k_ik, k_last, k_eth, k_loop, k_fw, k_bad, k_bytes, k_data})
  );
  assign k_need   = k_over ? 11'd0 : k_words;
  assign pktlen   = first_q ? {k_data[34:32], k_data[47:40]} : pktlen_q;
  assign over     = first_q ? k_over : over_q;
  assign idx      = first_q ? 11'd0 : idx_q;

  logic             h_ready, b_slot_ok, b_idle, drop_rel, back_q;
  logic [AddrW:0]   b_room;
  logic [AddrW-1:0] base;
  logic [5:0]       slot, drop_slot, back_slot_q;
  // Not by k_need: both that it is chosen by are there before it. Compact: what was found in the last cycle (room_q).
  assign k_room  = k_over || 32'(b_room) >= 32'(k_words);
  assign k_ready = !first_q || ((Compact ? room_q : k_room) && b_slot_ok && h_ready);
  assign k_fire  = k_valid && k_ready;
  always_ff @(posedge clk_i) begin
    room_q <= k_valid && !k_fire && k_room && !rst_i;
    if (rst_i) first_q <= 1'b1;
    else if (k_fire) first_q <= k_last;
    if (k_fire) begin
      pktlen_q <= pktlen;
      over_q   <= over;
      idx_q    <= (idx == 11'h7ff) ? idx : idx + 11'd1;
    end
  end

  // ------------------------------------------------------------------ receive buffer
  // What is dropped gives its slot back a cycle later: whether it is comes late.
  always_ff @(posedge clk_i) {back_q, back_slot_q} <= {drop_rel && !rst_i, drop_slot};
  ohca_link_rx_buf #(.DataWidth(DataWidth), .BufBytes(BufBytes), .Slots(Slots), .NumRel(NumRel + 1)) u_buf (
    .clk_i(clk_i), .rst_i(rst_i), .idle_o(b_idle), .room_o(b_room), .slot_ok_o(b_slot_ok),
    .fire_i(k_fire), .first_i(first_q), .need_i(k_need), .idx_i(idx), .data_i(k_data), .slot_o(slot), .base_o(base),
    .rel_valid_i({back_q, rel_valid_i}), .rel_slot_i({back_slot_q, rel_slot_i}),
    .rd_en_i(rb_en_i), .rd_addr_i(rb_addr_i), .rd_data_o(rb_data_o)
  );

  // ------------------------------------------------------------------ CRCs
  // A packet that is shorter than PktLen says ends the ICRC early (and fails by its length).
  logic [DataWidth-1:0] masked;
  logic [31:0]          seed, icrc_x;
  logic [15:0]          vcrc_x;
  logic                 ic_done_q, ic_done, ic_last, icrc_valid, icrc_ok, vcrc_valid, vcrc_ok;
  logic [Bytes-1:0]     k_keep, ic_keep;
  assign ic_done = first_q ? 1'b0 : ic_done_q;
  assign ic_last = k_end || k_last;
  always_comb begin
    for (int unsigned i = 0; i < Bytes; i++) begin
      k_keep[i]  = k_vk[i/2];
      ic_keep[i] = k_ik[i/4];
    end
  end
  always_ff @(posedge clk_i) if (k_fire) ic_done_q <= ic_done || ic_last;
  ohca_icrc_mask #(.DataWidth(DataWidth), .RoCE(RoCE)) u_mask (
    .clk_i(clk_i), .rst_i(rst_i), .mode_i(2'd0), .fire_i(k_fire), .last_i(k_last), .data_i(k_data),
    .data_o(masked), .seed_o(seed)
  );
  ohca_crc32 #(.DataWidth(DataWidth), .Ones(1'b1)) u_icrc (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(k_fire && !ic_done), .data_i(masked), .keep_i(ic_keep), .last_i(ic_last),
    .seed_i(seed), .crc_valid_o(icrc_valid), .crc_o(icrc_x), .ok_o(icrc_ok)
  );
  ohca_crc16_vcrc #(.DataWidth(DataWidth), .Granule(2), .Ones(1'b1)) u_vcrc (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(k_fire), .data_i(k_data), .keep_i(k_keep), .last_i(k_last),
    .crc_valid_o(vcrc_valid), .crc_o(vcrc_x), .ok_o(vcrc_ok)
  );

  // The ICRC's result comes with or before the VCRC's of the same packet, and after that of the packet before.
  logic icrc_q, icrc_now;
  assign icrc_now = icrc_valid ? icrc_ok : icrc_q;
  always_ff @(posedge clk_i) if (icrc_valid) icrc_q <= icrc_ok;

  logic v_valid, v_pop, v_vcrc, v_icrc, v_ready;
  ohca_fifo #(.Width(2), .Depth(16)) u_verdict (
    .clk_i(clk_i), .rst_i(rst_i),
    .valid_i(vcrc_valid), .ready_o(v_ready), .data_i({vcrc_ok, icrc_now}),
    .valid_o(v_valid), .ready_i(v_pop), .data_o({v_vcrc, v_icrc}), .count_o(), .almost_full_o()
  );

  // ------------------------------------------------------------------ headers
  // In wire order, first byte in the most significant place
  logic [DataWidth-1:0] k_wire;
  always_comb begin
    k_wire = '0;
    `WHEN(idx < 11'(HdrBeats)) for (int unsigned i = 0; i < Bytes; i++) k_wire[8*(Bytes-1-i) +: 8] = k_data[8*i +: 8];
  end

  // Length: the bytes that came against PktLen, which leaves out the VCRC.
  logic                 len_ok;
  logic [11+BytesW-1:0] got_bytes;
  assign got_bytes = {idx, {BytesW{1'b0}}} + (11+BytesW)'(k_bytes);
  assign len_ok    = got_bytes == (11+BytesW)'({pktlen, !k_eth, 1'b0}) && idx != 11'h7ff;

  // What becomes of a packet, and what is known of it then
  logic        take, d_quiet, d_loop, d_v15, d_eth, d_cnp, d_ce, h_idle;
  logic [15:0] d_dlid;
  logic [10:0] d_dw;
  logic [5:0]  d_why;

  if (Compact && !RoCE && DataWidth == 64) begin : g_words
    ohca_link_rx_hdr #(.AddrW(AddrW), .Slots(Slots)) u_hdr (
      .clk_i(clk_i), .rst_i(rst_i), .idle_o(h_idle), .cfg_i(cfg_i), .guids_i(guids_i),
      .fire_i(k_fire), .last_i(k_last), .idx_i(idx), .data_i(k_wire), .slot_i(slot), .base_i(base),
      .loop_i(k_loop), .fw_i(k_fw), .bad_i(k_bad), .len_ok_i(len_ok), .over_i(over),
      .v_valid_i(v_valid), .v_pop_o(v_pop), .v_vcrc_i(v_vcrc), .v_icrc_i(v_icrc),
      .rxd_valid_o(rxd_valid_o), .rxd_ready_i(rxd_ready_i), .rxd_o(rxd_o),
      .take_o(take), .drop_o(drop_rel), .slot_o(drop_slot), .loop_o(d_loop), .v15_o(d_v15), .quiet_o(d_quiet),
      .dlid_o(d_dlid), .pktlen_o(d_dw), .why_o(d_why)
    );
    assign h_ready     = 1'b1;                    // there are as many places as slots
    assign d_eth       = 1'b0;
    assign d_cnp       = 1'b0;
    assign d_ce        = 1'b0;
    assign cnp_valid_o = 1'b0;
    assign cnp_qpn_o   = '0;
    assign cnp_sgid_o  = '0;
  end else begin : g_whole
    ohca_link_rx_whole #(.DataWidth(DataWidth), .AddrW(AddrW), .RoCE(RoCE), .Compact(Compact)) u_hdr (
      .clk_i(clk_i), .rst_i(rst_i), .idle_o(h_idle), .cfg_i(cfg_i), .guids_i(guids_i), .ready_o(h_ready),
      .fire_i(k_fire), .last_i(k_last), .idx_i(idx), .data_i(k_data), .wire_i(k_wire), .eth_i(k_eth), .slot_i(slot),
      .base_i(base), .loop_i(k_loop), .fw_i(k_fw), .bad_i(k_bad), .len_ok_i(len_ok), .over_i(over),
      .v_valid_i(v_valid), .v_pop_o(v_pop), .v_vcrc_i(v_vcrc), .v_icrc_i(v_icrc),
      .rxd_valid_o(rxd_valid_o), .rxd_ready_i(rxd_ready_i), .rxd_o(rxd_o),
      .cnp_valid_o(cnp_valid_o), .cnp_qpn_o(cnp_qpn_o), .cnp_sgid_o(cnp_sgid_o),
      .take_o(take), .drop_o(drop_rel), .slot_o(drop_slot), .loop_o(d_loop), .v15_o(d_v15), .quiet_o(d_quiet),
      .eth_o(d_eth), .cnp_o(d_cnp), .ce_o(d_ce), .dlid_o(d_dlid), .pktlen_o(d_dw), .why_o(d_why)
    );
  end

  // ------------------------------------------------------------------ what happened
  ohca_fmt_pkg::port_rx_stat_t stat_q;
  always_ff @(posedge clk_i) begin
    stat_q <= '0;
    if (!rst_i) begin
      stat_q.pkt     <= take && !d_loop;
      stat_q.mcast   <= !d_eth && d_dlid[15:14] == 2'b11 && d_dlid != 16'hffff;
      stat_q.data    <= d_eth || !d_v15;
      stat_q.dw      <= d_eth ? d_dw - 11'd3 : d_dw;
      stat_q.err     <= drop_rel && !d_quiet && !d_loop && !d_cnp;
      stat_q.vcrc    <= drop_rel && !d_quiet && d_why == ohca_fmt_pkg::COUNTER_RX_VCRC;
      stat_q.icrc    <= drop_rel && !d_quiet && d_why == ohca_fmt_pkg::COUNTER_RX_ICRC;
    end
  end
  always_comb begin
    stat_o         = stat_q;
    stat_o.remote  = f_remote;
    stat_o.vl15    = f_over_x;
    stat_o.overrun = f_over_d;
    stat_o.lpcrc   = f_lpcrc;
    stat_o.fc      = fc_valid_o;
    stat_o.fc_vl   = fc_vl_o;
  end
  logic       why_v_q, pkt_q, ce_q;
  logic [5:0] why_q;
  always_ff @(posedge clk_i) begin
    why_v_q <= drop_rel && !d_quiet && !rst_i;
    why_q   <= d_why;
    pkt_q   <= take && !rst_i;
    ce_q    <= take && d_eth && d_ce && !rst_i;
  end
  // A link packet with a wrong CRC has the counter of other packets: it waits while that moves. Each takes a beat of
  // the wire and more than its verdict, so few can wait.
  logic [2:0] lp_q;
  logic       lp_now;
  assign lp_now = (lp_q != '0 || f_lpcrc) && !(why_v_q && why_q == ohca_fmt_pkg::COUNTER_RX_VCRC);
  always_ff @(posedge clk_i) begin
    if (rst_i) lp_q <= '0;
    else       lp_q <= lp_q + 3'(f_lpcrc) - 3'(lp_now);
  end
  logic [63:0] cnt_d;
  always_comb begin
    cnt_d = e_cnt;
    cnt_d[ohca_fmt_pkg::COUNTER_RX_CE] = ce_q;
    for (int unsigned i = 0; i < 64; i++) if (why_v_q && why_q == 6'(i)) cnt_d[i] = 1'b1;
    cnt_d[ohca_fmt_pkg::COUNTER_RX_VL15_DROP] = f_over_x;
    cnt_d[ohca_fmt_pkg::COUNTER_RX_OVERRUN]   = f_over_d;
    cnt_d[ohca_fmt_pkg::COUNTER_RX_NO_CREDIT] = f_nocr;
    cnt_d[ohca_fmt_pkg::COUNTER_RX_PKTS]      = pkt_q;
    cnt_d[ohca_fmt_pkg::COUNTER_RX_WORDS]     = f_words;
    if (lp_now) cnt_d[ohca_fmt_pkg::COUNTER_RX_VCRC] = 1'b1;
  end
  always_ff @(posedge clk_i) cnt_o <= rst_i ? '0 : cnt_d;
  logic cnt_none;                                 // cnt_d is 0
  assign cnt_none = !(why_v_q || ce_q || f_over_x || f_over_d || f_nocr || pkt_q || f_words || lp_now || e_cnt != '0);
  `ASSERT(CntNone_A, cnt_none == (cnt_d == '0))

  // Between the last beat and its verdict
  logic [3:0] pend_q;
  logic       pend_any;
  assign pend_any = pend_q != '0;
  always_ff @(posedge clk_i) begin
    if (rst_i) pend_q <= '0;
    else       pend_q <= pend_q + 4'(k_fire && k_last) - 4'(vcrc_valid);
  end
  // What is told to others is work to the end: clock and counters stand still behind it.
  assign idle_o = f_idle && !m_valid && !s_valid && e_idle && !k_valid && first_q && h_idle && !v_valid && !back_q &&
                  b_idle && !pend_any && lp_q == '0 && !p_valid && !nic_valid_o && cnt_none && cnt_o == '0;
  `ASSERT(LinkPacketCount_A, !(&lp_q) || !f_lpcrc || lp_now)
  // For an assertion: an ICRC result that waits for its VCRC.
  logic ic_held_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) ic_held_q <= 1'b0;
    else       ic_held_q <= (ic_held_q || icrc_valid) && !vcrc_valid;
  end

  `ASSERT(VerdictRoom_A, !vcrc_valid || v_ready)
  `ASSERT(OneIcrcPerVcrc_A, !vcrc_valid || icrc_valid || ic_held_q)

  logic unused;
  assign unused = &{1'b0, cfg_i, guids_i, m_sel, m_gnt, icrc_x, vcrc_x, v_ready, ic_held_q, d_cnp, d_ce, d_eth, seed};

endmodule

`default_nettype wire
