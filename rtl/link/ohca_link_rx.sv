// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Receive side of the InfiniBand link layer: wire buffer with credits per VL, CRC and header checks, receive buffer
// with release by slot.
//
// Last beat on the wire to rxd_valid_o: 10 cycles (9 up to 64 bits) when empty, 4 more for datagrams; one beat a cycle,
// also with packets of one beat. Store and forward: what fails a check never shows, is counted, and its room comes back
// by itself. It does NOT look at P_Key, QP or PSN.
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
// Two buffers. The wire cannot be stopped, so the wire buffer is what credits promise: each data VL owns a share of it,
// VL15 (and garbage) has a small allowance and is dropped beyond it. The receive buffer behind it is held by packets
// that are being worked on, 64 at most; when it is full the stream waits in the wire buffer, credits are not renewed,
// and nothing is lost. Loopback waits at its own door for the same.
//
// Addresses in the receive buffer wrap around at BufBytes.

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
  parameter bit          Compact    = 1'b0,             // fewer packets are held, no Internet checksums; without RoCE,
                                                        // at 64 bits, headers wait in block RAM: ohca_link_rx_hdr
  localparam int unsigned Bytes     = DataWidth / 8,
  localparam int unsigned AddrW     = $clog2(BufBytes / Bytes),
  localparam int unsigned GidTabW   = ohca_fmt_pkg::PORT_GIDS * ohca_fmt_pkg::GID_ENT_BITS,
  localparam int unsigned GuidTabW  = ohca_fmt_pkg::PORT_GIDS * 64
) (
  input  logic                          clk_i,
  input  logic                          rst_i,
  output logic                          idle_o,

  input  ohca_fmt_pkg::port_cfg_t       cfg_i,
  input  ohca_fmt_pkg::eth_ctrl_t       eth_ctrl_i,
  input  logic [47:0]                   eth_mac_i,
  input  logic [63:0]                   eth_hash_i,
  input  logic [GidTabW-1:0]            gids_i,         // Ethernet
  input  logic [GuidTabW-1:0]           guids_i,        // InfiniBand

  // Wire: a beat is taken whenever it is valid
  input  logic                          rx_valid_i,
  input  logic [DataWidth-1:0]          rx_data_i,      // first wire byte in [7:0]
  input  logic [Bytes-1:0]              rx_keep_i,
  input  logic                          rx_last_i,
  input  logic                          rx_error_i,     // with last: the sender marked it bad
  input  logic [1:0]                    rx_kind_i,      // 0 packet, 1 flow control, 2 Ethernet frame; what is not the
                                                        // port's is ignored

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

  // Receive buffer, for ohca_place: data one cycle later
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
  localparam int unsigned BlkBeats = 64 / Bytes;                 // beats in a block of credit
  localparam int unsigned FWords  = FrontBytes / Bytes;
  localparam int unsigned FBlocks = FrontBytes / 64;
  localparam int unsigned FCountW = $clog2(FWords) + 1;
  localparam int unsigned Credits = FBlocks * 3 / 4;
  localparam int unsigned XMax    = FBlocks / 8;                 // allowance of VL15 and of what is no data VL
  localparam int unsigned VlW     = (NumVl > 1) ? $clog2(NumVl) : 1;
  localparam int unsigned HdrB    = RoCE ? 116 : 88;             // LRH 8, GRH 40, BTH 12, ext 28; Ethernet: IP at 28,
                                                                 // IPv6 40, UDP 8, BTH 12, ext 28
  localparam int unsigned HdrBeats = (HdrB + Bytes - 1) / Bytes;
  localparam int unsigned HdrRegB = HdrBeats * Bytes;
  localparam int unsigned Slots   = Compact ? 16 : 64;
  localparam int unsigned SlotW   = $clog2(Slots);

  if (NumVl != 1 && NumVl != 2 && NumVl != 4 && NumVl != 8) begin : g_bad_vl
    $error("ohca_link_rx: NumVl must be 1, 2, 4 or 8");
  end
  if (BufBytes < 8192 || (BufBytes & (BufBytes - 1)) != 0 || FrontBytes < 8192 ||
      (FrontBytes & (FrontBytes - 1)) != 0 || FrontBytes > 131072) begin : g_bad_size
    $error("ohca_link_rx: BufBytes and FrontBytes must be powers of two from 8192, FrontBytes at most 131072");
  end

  if (Credits / NumVl < 67) begin : g_small
    $error("ohca_link_rx: FrontBytes is too small: a data VL could not hold one packet");
  end

  `include "ohca_crc16.svh"

  // ------------------------------------------------------------------ flow-control packets
  // They are acted upon at once: their counts belong to this place in the stream.
  logic        rx_first_q, fc_here, fc_ok, fc_lp_ok;
  logic [3:0]  fc_op;
  logic        eth;
  assign eth      = RoCE && cfg_i.eth;
  assign fc_here  = rx_valid_i && rx_first_q && rx_kind_i == 2'd1 && cfg_i.smp_en && !eth;
  assign fc_lp_ok = rx_last_i && !rx_error_i && rx_keep_i == Bytes'(6'h3f) &&
      ~crc16_dw(16'hffff, rx_data_i[31:0]) == rx_data_i[47:32];
  assign fc_op    = rx_data_i[7:4];
  assign fc_ok    = fc_here && fc_lp_ok && fc_op < 4'd2;

  logic        fc_valid_q;
  logic [3:0]  fc_vl_q;
  logic [11:0] fc_fccl_q;
  assign fc_valid_o = fc_valid_q;
  assign fc_vl_o    = fc_vl_q;
  assign fc_fccl_o  = fc_fccl_q;
  always_ff @(posedge clk_i) begin
    fc_valid_q <= fc_ok && !rst_i;
    fc_vl_q    <= rx_data_i[23:20];
    fc_fccl_q  <= {rx_data_i[19:16], rx_data_i[31:24]};
  end

  // ------------------------------------------------------------------ entrance of the wire buffer
  logic                in_beat, in_first, in_last, in_x, in_store, in_dead, in_over, in_term, in_abort, room_bad,
      blk_first;
  logic [3:0]          in_vl, vl_q;
  logic                dead_q;                    // the rest of the packet is thrown away
  logic [2:0]          beat_q;                    // beat within its block
  logic [11:0]         x_used_q;
  logic [NumVl-1:0]    cr_get, cr_put, cr_full;
  logic [NumVl-1:0][11:0] cr_used;
  logic [FCountW-1:0]  f_count;
  logic [NumW-1:0]     in_bytes;
  logic                in_none;
  logic [11:0]         share, most;               // a data VL's share of the credits, and what it may have at most
  logic                own_full;

  assign in_beat  = rx_valid_i && rx_kind_i == (eth ? 2'd2 : 2'd0) && cfg_i.smp_en;
  assign in_first = rx_first_q;
  assign in_vl    = in_first ? rx_data_i[7:4] : vl_q;
  assign in_x     = eth || in_vl >= 4'(NumVl);
  assign blk_first = in_first || beat_q == '0;

  // A data VL may go one packet beyond its share, for a peer whose count is off until the next flow-control packet.
  always_comb begin
    own_full = 1'b0;
    room_bad = f_count >= FCountW'(FWords - 2);
    if (in_x) begin
      if (x_used_q >= 12'(XMax) && !eth) room_bad = 1'b1;
    end else begin
      own_full = cr_full[in_vl[VlW-1:0]];
      if (cr_used[in_vl[VlW-1:0]] >= most) room_bad = 1'b1;
    end
  end
  // Beyond the room: the first beat is not stored at all; later, one beat ends the packet as bad and the rest is not
  // stored.
  assign in_over  = in_beat && !in_dead && room_bad;
  assign in_dead  = !in_first && dead_q;
  // A packet that the end of the link cuts is ended here, whether or not the rest of it comes.
  assign in_abort = !cfg_i.smp_en && !in_first && !dead_q;
  assign in_term  = (in_over && !in_first) || in_abort;
  assign in_store = (in_beat && !in_dead && !room_bad) || in_term;
  assign in_last  = rx_last_i || in_term;

  always_comb begin
    in_bytes = '0;
    `WHEN(rx_valid_i && rx_last_i) for (int unsigned i = 0; i < Bytes; i++) in_bytes = in_bytes + NumW'(rx_keep_i[i]);
    in_none  = in_bytes == '0;
    if (in_none || in_term) in_bytes = NumW'(Bytes);
    cr_get = '0;
    if (in_store && !in_x && blk_first) cr_get[in_vl[VlW-1:0]] = 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      rx_first_q <= 1'b1;
      dead_q     <= 1'b0;
      beat_q     <= '0;
    end else if (rx_valid_i) begin
      rx_first_q <= rx_last_i;
      // A packet that began while the port was down stays out to its end.
      dead_q     <= in_first ? (!in_beat || in_over) : (dead_q || !in_beat || in_over);
      beat_q     <= rx_last_i ? 3'd0 : (blk_first && in_first) ? 3'(1 % BlkBeats) :
          (beat_q == 3'(BlkBeats - 1)) ? 3'd0 : beat_q + 3'd1;
    end else if (in_abort) dead_q <= 1'b1;
    if (in_beat && in_first) vl_q <= rx_data_i[7:4];
  end

  // Each entry: {eth, bad, last, bytes, data}; bytes with last.
  localparam int unsigned FW = DataWidth + NumW + 3;
  logic                 f_ready, f_valid, f_pop, f_last, f_bad, f_eth;
  logic [NumW-1:0]      f_bytes;
  logic [DataWidth-1:0] f_data;
  ohca_fifo #(.Width(FW), .Depth(FWords), .UseRam(1'b1)) u_front (
    .clk_i(clk_i), .rst_i(rst_i),
    .valid_i(in_store), .ready_o(f_ready), .data_i({eth, in_term || (rx_last_i && (rx_error_i || in_none)), in_last,
    in_bytes, rx_data_i}),
    .valid_o(f_valid), .ready_i(f_pop), .data_o({f_eth, f_bad, f_last, f_bytes, f_data}),
    .count_o(f_count), .almost_full_o()
  );

  // ------------------------------------------------------------------ exit of the wire buffer, credits
  logic       fo_first_q, fo_x, fo_blk_last;
  logic [3:0] fo_vl, fo_vl_q;
  logic [2:0] fo_beat_q;
  assign fo_vl       = fo_first_q ? f_data[7:4] : fo_vl_q;
  assign fo_x        = f_eth || fo_vl >= 4'(NumVl);
  assign fo_blk_last = f_last || fo_beat_q == 3'(BlkBeats - 1);
  logic       fo_fire;
  assign fo_fire = f_valid && f_pop;
  always_comb begin
    cr_put = '0;
    if (fo_fire && fo_blk_last && !fo_x) cr_put[fo_vl[VlW-1:0]] = 1'b1;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      fo_first_q <= 1'b1;
      fo_beat_q  <= '0;
      x_used_q   <= '0;
    end else begin
      if (fo_fire) begin
        fo_first_q <= f_last;
        fo_beat_q  <= fo_blk_last ? 3'd0 : fo_beat_q + 3'd1;
      end
      x_used_q <= x_used_q + 12'(in_store && in_x && blk_first) - 12'(fo_fire && fo_blk_last && fo_x);
    end
    if (fo_fire && fo_first_q) fo_vl_q <= f_data[7:4];
  end

  // What priorities have in it is for flow control: the frames themselves say it, on both sides alike.
  if (RoCE) begin : g_units
    ohca_eth_units #(.DataWidth(DataWidth)) u_put (
      .clk_i(clk_i), .rst_i(rst_i), .fire_i(in_store), .eth_i(eth), .last_i(in_last), .data_i(rx_data_i),
      .unit_o(put_o), .prio_o(put_prio_o)
    );
    ohca_eth_units #(.DataWidth(DataWidth)) u_get (
      .clk_i(clk_i), .rst_i(rst_i), .fire_i(fo_fire), .eth_i(f_eth), .last_i(f_last), .data_i(f_data), .unit_o(get_o),
      .prio_o(get_prio_o)
    );
  end else begin : g_no_units
    assign put_o      = 1'b0;
    assign put_prio_o = '0;
    assign get_o      = 1'b0;
    assign get_prio_o = '0;
  end

  // The credits are shared evenly by the VLs in use.
  always_ff @(posedge clk_i) begin
    case (cfg_i.oper_vls)
      4'd2:    {share, most} <= {12'(Credits / 2), 12'(Credits / 2 + 67)};
      4'd4:    {share, most} <= {12'(Credits / 4), 12'(Credits / 4 + 67)};
      4'd8:    {share, most} <= {12'(Credits / 8), 12'(Credits / 8 + 67)};
      default: {share, most} <= {12'(Credits), 12'(Credits + 67)};
    endcase
  end
  assign rx_thr_o = {2'd0, share[11:2]};
  for (genvar g = 0; g < NumVl; g++) begin : g_fc
    ohca_fc_rx u_fc (
      .clk_i(clk_i), .rst_i(rst_i), .en_i(cfg_i.smp_en),
      .sync_valid_i(fc_ok && rx_data_i[23:20] == 4'(g)), .sync_abr_i({rx_data_i[3:0], rx_data_i[15:8]}),
      .get_i(cr_get[g]), .put_i(cr_put[g]), .share_i((4'(g) < cfg_i.oper_vls) ? share : 12'd0),
      .used_o(cr_used[g]), .full_o(cr_full[g]), .fccl_o(rx_fccl_o[g])
    );
  end

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
  always_comb begin
    lb_bytes = '0;
    `WHEN(lb_valid_i && lb_last_i) for (int unsigned i = 0; i < Bytes; i++) lb_bytes = lb_bytes + NumW'(lb_keep_i[i]);
  end
  ohca_arb_rr #(.N(2), .Width(MW), .Lock(1'b1)) u_merge (
    .clk_i(clk_i), .rst_i(rst_i),
    .valid_i({lb_valid_i, f_valid}), .ready_o({lb_ready_o, f_pop}),
    .data_i({lb_eth_i, 1'b1, lb_from_fw_i, 1'b0, lb_bytes, lb_data_i, f_eth, 1'b0, 1'b0, f_bad, f_bytes, f_data}),
    .last_i({lb_last_i, f_last}),
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
    logic                 in_idle, use_eth;
    ohca_eth_in #(.DataWidth(DataWidth)) u_eth_in (
      .clk_i(clk_i), .rst_i(rst_i), .idle_o(in_idle), .cnt_o(e_cnt), .ctrl_i(eth_ctrl_i), .mac_i(eth_mac_i),
      .hash_i(eth_hash_i), .gids_i(gids_i),
      .valid_i(s_valid && s_eth && first_q_or_eth), .ready_o(i_ready), .data_i(s_data), .bytes_i(s_bytes),
      .last_i(s_last), .bad_i(s_bad), .loop_i(s_loop),
      .valid_o(e_valid), .ready_i(e_ready), .data_o(e_data), .bytes_o(e_bytes), .last_o(e_last), .bad_o(e_bad),
      .loop_o(e_loop),
      .nic_valid_o(nic_valid_o), .nic_room_i(nic_room_i), .nic_data_o(nic_data_o), .nic_keep_o(nic_keep_o),
      .nic_last_o(nic_last_o),
      .nic_err_o(nic_err_o)
    );
    ohca_skid #(.Width(DataWidth + NumW + 3)) u_eth_skid (
      .clk_i(clk_i), .rst_i(rst_i), .valid_i(e_valid), .ready_o(e_ready),
      .data_i({e_last, e_bad, e_loop, e_bytes, e_data}),
      .valid_o(n_valid), .ready_i(n_ready), .data_o({n_last, n_bad, n_loop, n_bytes, n_data})
    );
    logic first_q_or_eth, mid_ib_q;
    always_ff @(posedge clk_i) begin
      if (rst_i) mid_ib_q <= 1'b0;
      else if (!use_eth && j_valid && j_ready) mid_ib_q <= !j_last;
    end
    assign first_q_or_eth = !mid_ib_q;
    assign e_idle  = in_idle && !n_valid;
    assign use_eth = !mid_ib_q && (!e_idle || s_eth);
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
    assign nic_valid_o = 1'b0;
    assign nic_data_o  = '0;
    assign nic_keep_o  = '0;
    assign nic_last_o  = 1'b0;
    assign nic_err_o   = 1'b0;
    logic unused_eth;
    assign unused_eth = &{1'b0, s_eth, f_eth, lb_eth_i, eth_ctrl_i, eth_mac_i, eth_hash_i, gids_i, nic_room_i};
  end

  // ------------------------------------------------------------------ LRH: room, position, length
  // How much room a packet needs, and what of it the ICRC covers, is known with its first beat: a register lies between
  // that and whether there is as much.
  logic        first_q, k_fire;
  logic [10:0] j_pktlen, h_pktlen, pktlen_q, pktlen;
  logic [10:0] idx_q, idx;                        // beat within the packet, stops at its highest value
  logic        j_over, k_over, over_q, over;      // longer than the MTU allows: nothing is stored
  logic [13:0] max_len;
  logic [10:0] j_need, k_need, need_q, need;      // words of the receive buffer, LRH to pad
  logic [10:0] dw_store;
  logic        j_first_q, j_end, k_end;           // the ICRC ends in this beat
  logic [13:0] j_left, j_left_q;                  // bytes up to its end, from this beat on
  logic [NumW-1:0] j_part, k_part;                // of this beat

  assign j_pktlen = {j_data[34:32], j_data[47:40]};
  assign max_len  = (j_data[7:4] == 4'd15) ? 14'd288 : 14'(ohca_fmt_pkg::mtu_bytes(cfg_i.mtu)) + 14'd124;
  assign j_over   = {1'b0, j_pktlen, 2'd0} > max_len || j_pktlen < 11'd6;
  assign dw_store = j_pktlen - 11'd1;
  assign j_need   = j_over ? 11'd0 : 11'((32'(dw_store) * 4 + Bytes - 1) / Bytes);
  // It ends where PktLen says.
  assign j_left   = !j_first_q ? j_left_q : (j_pktlen == '0) ? 14'd4 : {1'b0, j_pktlen, 2'd0};
  assign j_end    = j_left <= 14'(Bytes);
  assign j_part   = j_end ? NumW'(j_left) : NumW'(Bytes);
  always_ff @(posedge clk_i) begin
    if (rst_i) j_first_q <= 1'b1;
    else if (j_valid && j_ready) j_first_q <= j_last;
    if (j_valid && j_ready) j_left_q <= j_left - 14'(Bytes);
  end
  ohca_skid #(.Width(DataWidth + 2 * NumW + 18)) u_known (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(j_valid), .ready_o(j_ready),
    .data_i({j_over, j_need, j_end, j_part, j_last, j_eth, j_loop, j_fw, j_bad, j_bytes, j_data}),
    .valid_o(k_valid), .ready_i(k_ready),
    .data_o({k_over, k_need, k_end, k_part, k_last, k_eth, k_loop, k_fw, k_bad, k_bytes, k_data})
  );
  assign h_pktlen = {k_data[34:32], k_data[47:40]};
  assign pktlen   = first_q ? h_pktlen : pktlen_q;
  assign over     = first_q ? k_over : over_q;
  assign need     = first_q ? k_need : need_q;
  assign idx      = first_q ? 11'd0 : idx_q;

  logic [AddrW:0]  tail_q, head_q, base_q, base;
  logic [AddrW:0]  room_q, freed_q, room_more;    // room comes back a cycle after its slot
  logic            freed_v_q;
  logic [SlotW:0]  slots_used;
  logic [SlotW:0]  slot_wr_q, slot_rd_q;
  logic            start_ok, h_ready;
  assign room_more = room_q + freed_q;
  assign slots_used = slot_wr_q - slot_rd_q;
  assign start_ok = 32'(room_q) >= 32'(k_need) && slots_used < (SlotW+1)'(Slots) && h_ready;
  assign k_ready  = !first_q || start_ok;
  assign k_fire   = k_valid && k_ready;
  assign base     = first_q ? tail_q : base_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      first_q   <= 1'b1;
      tail_q    <= '0;
      slot_wr_q <= '0;
      room_q    <= (AddrW+1)'(BufBytes / Bytes);
    end else begin
      if (k_fire) first_q <= k_last;
      if (k_fire && first_q) begin
        tail_q    <= tail_q + (AddrW+1)'(k_need);
        slot_wr_q <= slot_wr_q + (SlotW+1)'(1);
      end
      room_q <= (k_fire && first_q) ? room_more - (AddrW+1)'(k_need) : room_more;
    end
    if (k_fire) begin
      pktlen_q <= pktlen;
      over_q   <= over;
      need_q   <= need;
      base_q   <= base;
      idx_q    <= (idx == 11'h7ff) ? idx : idx + 11'd1;
    end
  end

  // ------------------------------------------------------------------ receive buffer
  // Only packets that were handed on are read, so no read meets a write.
  ohca_ram_sdp #(.Width(DataWidth), .Depth(BufBytes / Bytes), .OldData(1'b0)) u_buf (
    .clk_i(clk_i),
    .wr_en_i(k_fire && idx < need), .wr_be_i(1'b1), .wr_addr_i(base[AddrW-1:0] + AddrW'(idx)), .wr_data_i(k_data),
    .rd_en_i(rb_en_i), .rd_addr_i(rb_addr_i), .rd_data_o(rb_data_o)
  );

  // Slots are given in order, come back in any order, and their room is reclaimed in order.
  logic [AddrW:0]    slot_end [Slots];
  logic [Slots-1:0]  done_q;
  logic              drop_rel, reclaim;
  logic [5:0]        drop_slot;
  assign reclaim = slots_used != '0 && done_q[slot_rd_q[SlotW-1:0]];
  always_ff @(posedge clk_i) begin
    if (k_fire && first_q) slot_end[slot_wr_q[SlotW-1:0]] <= tail_q + (AddrW+1)'(k_need);
    freed_q <= (reclaim && !rst_i) ? slot_end[slot_rd_q[SlotW-1:0]] - head_q : '0;
    if (rst_i) begin
      done_q    <= '0;
      slot_rd_q <= '0;
      head_q    <= '0;
      freed_v_q <= 1'b0;
    end else begin
      freed_v_q <= reclaim;
      if (reclaim) begin
        slot_rd_q                     <= slot_rd_q + (SlotW+1)'(1);
        head_q                        <= slot_end[slot_rd_q[SlotW-1:0]];
        done_q[slot_rd_q[SlotW-1:0]]  <= 1'b0;
      end
      for (int unsigned i = 0; i < NumRel; i++) if (rel_valid_i[i]) done_q[rel_slot_i[i][SlotW-1:0]] <= 1'b1;
      if (drop_rel) done_q[drop_slot[SlotW-1:0]] <= 1'b1;
    end
  end

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
    k_keep  = '1;
    ic_keep = '1;
    `WHEN(k_last || k_end) for (int unsigned i = 0; i < Bytes; i++) begin
      k_keep[i]  = !k_last || k_bytes > NumW'(i);
      ic_keep[i] = k_part > NumW'(i) && (i < 4 || !k_last || k_bytes > NumW'(i));
    end
  end
  always_ff @(posedge clk_i) begin
    if (k_fire) begin
      ic_done_q <= ic_done || ic_last;
    end
  end
  ohca_icrc_mask #(.DataWidth(DataWidth), .RoCE(RoCE)) u_mask (
    .clk_i(clk_i), .rst_i(rst_i), .mode_i(2'd0), .fire_i(k_fire), .last_i(k_last), .data_i(k_data), .data_o(masked),
    .seed_o(seed)
  );
  ohca_crc32 #(.DataWidth(DataWidth)) u_icrc (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(k_fire && !ic_done), .data_i(masked), .keep_i(ic_keep), .last_i(ic_last),
    .seed_i(seed),
    .crc_valid_o(icrc_valid), .crc_o(icrc_x), .ok_o(icrc_ok)
  );
  ohca_crc16_vcrc #(.DataWidth(DataWidth), .Granule(2)) u_vcrc (
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
  // In wire order, first byte in the most significant place. What a short packet does not have is left over from the
  // one before.
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

  logic [5:0] slot_q, slot;
  assign slot = first_q ? 6'(slot_wr_q[SlotW-1:0]) : slot_q;
  always_ff @(posedge clk_i) if (k_fire) slot_q <= slot;

  // What becomes of a packet, and what is known of it then
  logic        take, d_quiet, d_loop, d_v15, d_eth, d_cnp, d_ce, h_idle;
  logic [15:0] d_dlid;
  logic [10:0] d_dw;
  logic [5:0]  d_why;

  if (Compact && !RoCE && DataWidth == 64) begin : g_words
    ohca_link_rx_hdr #(.AddrW(AddrW), .Slots(Slots)) u_hdr (
      .clk_i(clk_i), .rst_i(rst_i), .idle_o(h_idle), .cfg_i(cfg_i), .guids_i(guids_i),
      .fire_i(k_fire), .last_i(k_last), .idx_i(idx), .data_i(k_wire), .slot_i(slot), .base_i(base[AddrW-1:0]),
      .loop_i(k_loop), .fw_i(k_fw), .bad_i(k_bad), .len_ok_i(len_ok), .over_i(over),
      .v_valid_i(v_valid), .v_pop_o(v_pop), .v_vcrc_i(v_vcrc), .v_icrc_i(v_icrc),
      .rxd_valid_o(rxd_valid_o), .rxd_ready_i(rxd_ready_i), .rxd_o(rxd_o),
      .take_o(take), .drop_o(drop_rel), .slot_o(drop_slot), .loop_o(d_loop), .v15_o(d_v15), .quiet_o(d_quiet),
      .dlid_o(d_dlid), .pktlen_o(d_dw),
      .why_o(d_why)
    );
    assign h_ready     = 1'b1;                    // there are as many places as slots
    assign d_eth       = 1'b0;
    assign d_cnp       = 1'b0;
    assign d_ce        = 1'b0;
    assign cnp_valid_o = 1'b0;
    assign cnp_qpn_o   = '0;
    assign cnp_sgid_o  = '0;
  end else begin : g_whole
    logic [HdrRegB*8-1:0] hdr_q, hdr;
    always_comb begin
      hdr = hdr_q;
      for (int unsigned b = 0; b < HdrBeats; b++) begin
        if (idx == 11'(b)) hdr[(HdrBeats-1-b)*DataWidth +: DataWidth] = k_wire;
      end
    end
    always_ff @(posedge clk_i) begin
      `WHEN(idx < 11'(HdrBeats)) if (k_fire) hdr_q <= hdr;
    end

    logic k_ud, p_ud, c_valid, c_ok;
    localparam int unsigned HW = HdrB*8 + AddrW + 6 + 7;         // {hdr, base, slot, loop, from_fw, bad, len_ok, over,
                                                                 // eth, ud}
    logic              hf_valid, hf_ready, hf_pop;
    // verilator lint_off UNUSEDSIGNAL
    logic [HdrB*8-1:0] p_hdr;                     // the reserved bits of the LRH are not looked at
    // verilator lint_on UNUSEDSIGNAL
    logic [AddrW-1:0] p_base;
    logic [5:0]       p_slot;
    logic             p_loop, p_fw, p_bad, p_lenok, p_over, p_eth;
    logic [4:0]       hf_count;
    ohca_fifo #(.Width(HW), .Depth(16)) u_hdr (
      .clk_i(clk_i), .rst_i(rst_i),
      .valid_i(k_fire && k_last), .ready_o(hf_ready),
      .data_i({hdr[HdrRegB*8-1 -: HdrB*8], base[AddrW-1:0], slot, k_loop, k_fw, k_bad, len_ok, over, k_eth, k_ud}),
      .valid_o(hf_valid), .ready_i(hf_pop), .data_o({p_hdr, p_base, p_slot, p_loop, p_fw, p_bad, p_lenok, p_over, p_eth,
      p_ud}),
      .count_o(hf_count), .almost_full_o()
    );
    // Internet checksums, in an adapter that has room for them. Datagrams have one more result to wait for.
    if (!Compact) begin : g_sums
      logic        done, ok, has_v4, has_l4, has_udp, c_ready;
      logic [16:0] sum4;
      logic [17:0] sum;
      logic [11:0] start;
      logic [4:0]  at;
      ohca_ip_sum #(.DataWidth(DataWidth), .RoCE(RoCE)) u_sum (
        .clk_i(clk_i), .rst_i(rst_i), .valid_i(k_fire), .last_i(k_last), .data_i(k_data), .eth_i(k_eth), .ud_o(k_ud),
        .done_o(done), .ok_o(ok), .v4_o(has_v4), .l4_o(has_l4), .udp_o(has_udp), .sum4_o(sum4), .sum_o(sum),
        .start_o(start), .at_o(at)
      );
      ohca_fifo #(.Width(1), .Depth(16)) u_ok (
        .clk_i(clk_i), .rst_i(rst_i), .valid_i(done), .ready_o(c_ready), .data_i(ok), .valid_o(c_valid),
        .ready_i(hf_pop && p_ud), .data_o(c_ok),
        .count_o(), .almost_full_o()
      );
      `ASSERT(SumRoom_A, !done || c_ready)
      logic unused_sum;
      assign unused_sum = &{1'b0, has_v4, has_l4, has_udp, sum4, sum, start, at, c_ready};
    end else begin : g_no_sums
      assign k_ud    = 1'b0;
      assign c_valid = 1'b1;
      assign c_ok    = 1'b0;
    end

    // Room for this packet and for one whose verdict is still on its way.
    assign h_ready = hf_count < 5'd14;

    // ---------------------------------------------------------------- first stage: both results together, link checks
    logic [10:0] l_pktlen;
    logic        l_grh, l_ok, l_quiet;
    logic [1:0]  l_lnh;
    logic [5:0]  l_why;
    ohca_link_lrh u_lrh (
      .cfg_i(cfg_i), .lrh_i(p_hdr[HdrB*8-1 -: 64]), .eth_i(p_eth), .fw_i(p_fw), .bad_i(p_bad), .over_i(p_over),
      .len_ok_i(p_lenok),
      .vcrc_i(v_vcrc), .icrc_i(v_icrc), .ok_o(l_ok), .quiet_o(l_quiet), .why_o(l_why)
    );
    assign l_lnh    = p_hdr[HdrB*8-15 -: 2];
    assign l_pktlen = p_hdr[HdrB*8-38 -: 11];
    assign l_grh    = l_lnh == 2'd3;

    // Raw header fields of both forms
    logic         hv_both;
    logic [319:0] s_grh;
    logic [95:0]  s_bth;
    logic [223:0] s_ext;
    if (RoCE) begin : g_hdr_eth
      ohca_fmt_pkg::ipv4_t v4;
      logic [319:0] grh4;                          // the canonical form
      assign v4    = p_hdr[HdrB*8-225 -: 160];
      assign grh4  = `TAKEN(hv_both, {4'd6, v4.dscp, v4.ecn, 20'd0, v4.len - 16'd20, 8'h1b, v4.ttl, 80'd0, 16'hffff,
          v4.src, 80'd0, 16'hffff, v4.dst});
      assign s_grh = `TAKEN(hv_both, !p_eth ? p_hdr[HdrB*8-65 -: 320] : l_lnh[0] ? p_hdr[HdrB*8-225 -: 320] : grh4);
      assign s_bth = p_eth ? (l_lnh[0] ? p_hdr[HdrB*8-609 -: 96] : p_hdr[HdrB*8-449 -: 96]) :
          l_grh ? p_hdr[HdrB*8-385 -: 96] : p_hdr[HdrB*8-65 -: 96];
      assign s_ext = `TAKEN(hv_both, p_eth ? (l_lnh[0] ? p_hdr[223:0] : p_hdr[HdrB*8-545 -: 224]) :
                                     l_grh ? p_hdr[HdrB*8-481 -: 224] : p_hdr[HdrB*8-161 -: 224]);
      logic unused_v4;
      assign unused_v4 = &{1'b0, v4};
    end else begin : g_hdr_ib
      assign s_grh = p_hdr[HdrB*8-65 -: 320];
      assign s_bth = l_grh ? p_hdr[HdrB*8-385 -: 96] : p_hdr[HdrB*8-65 -: 96];
      assign s_ext = l_grh ? p_hdr[223:0] : p_hdr[HdrB*8-161 -: 224];
    end

    logic       s_ok;
    logic [5:0] s_why;
    always_comb begin
      s_ok  = l_ok;
      s_why = l_why;
      if (l_ok && l_grh && !p_eth) begin
        if (s_grh[319:316] != 4'd6 || s_grh[271:264] != 8'h1b) begin
          s_ok  = 1'b0;
          s_why = ohca_fmt_pkg::COUNTER_RX_BTH;
        end else if (s_grh[287:272] != {3'd0, l_pktlen - 11'd12, 2'd0}) begin
          s_ok  = 1'b0;
          s_why = ohca_fmt_pkg::COUNTER_RX_LEN;
        end
      end
    end

    // What the opcode says of the headers' length, and whether it is one of a congestion notification.
    logic [5:0] s_off;
    logic       s_cnp;
    ohca_link_ext u_ext (.op_i(s_bth[95:88]), .start_i(p_eth ? (l_lnh[0] ? 6'd22 : 6'd17) : l_grh ? 6'd15 : 6'd5),
        .off_o(s_off));
    assign s_cnp = p_eth && s_bth[95:88] == 8'h81;

    localparam int unsigned AW = 320 + 96 + 224 + AddrW + 6 + 3 + 4 + 16 + 16 + 11 + 1 + 6 + 2 + 3 + 7;
    logic          a_valid_q, a_ready;
    logic [AW-1:0] a_q;
    assign hv_both = hf_valid && v_valid && (!p_ud || c_valid);
    assign hf_pop  = hv_both && a_ready;
    assign v_pop   = hf_pop;
    always_ff @(posedge clk_i) begin
      if (rst_i) a_valid_q <= 1'b0;
      else if (a_ready) a_valid_q <= hv_both;
      if (hf_pop) a_q <= {s_grh, s_bth, s_ext, p_base, p_slot, p_hdr[HdrB*8-1 -: 4] == 4'd15, p_fw, p_loop,
          p_hdr[HdrB*8-9 -: 4], p_hdr[HdrB*8-17 -: 16],
                          p_hdr[HdrB*8-49 -: 16], l_pktlen, p_eth || l_grh, s_why, s_ok, l_quiet, p_eth, l_lnh[0],
                              p_ud && c_ok, s_off, s_cnp};
    end

    // Where a GRH leads to; known with the second stage.
    logic [7:0] a_gidx;
    ohca_link_gid u_gid (
      .clk_i(clk_i), .prefix_i(cfg_i.gid_prefix), .guids_i(guids_i), .prefix_en_i(hf_pop), .guid_en_i(hf_pop),
      .dprefix_i(p_hdr[HdrB*8-65-192 -: 64]), .dguid_i(p_hdr[HdrB*8-65-256 -: 64]), .idx_o(a_gidx)
    );

    // ---------------------------------------------------------------- second stage: transport header length
    logic [319:0] a_grh;
    logic [95:0]  a_bth;
    logic [223:0] a_ext;
    logic [AddrW-1:0] a_base;
    logic [5:0]   a_slot, a_why, a_off;
    logic         a_v15, a_fw, a_loop, a_grhv, a_ok, a_quiet, a_eth, a_v6, a_cnp, a_sum;
    logic [3:0]   a_sl;
    logic [15:0]  a_dlid, a_slid;
    logic [10:0]  a_pktlen;
    assign {a_grh, a_bth, a_ext, a_base, a_slot, a_v15, a_fw, a_loop, a_sl, a_dlid, a_slid, a_pktlen, a_grhv, a_why,
        a_ok, a_quiet, a_eth, a_v6, a_sum, a_off, a_cnp} = a_q;

    logic [7:0]  t_off;
    logic [12:0] t_left;                          // bytes after the headers, up to the ICRC, without padding
    logic        t_len_ok, t_good, out_free;
    ohca_link_bth u_bth (.off_i(a_off), .pad_i(a_bth[85:84]), .pktlen_i(a_pktlen), .ok_o(t_len_ok), .left_o(t_left));
    // A congestion notification ends here.
    assign t_off    = {a_off, 2'd0};
    assign t_good   = a_ok && t_len_ok && !a_cnp;

    logic rxd_valid_q;
    ohca_fmt_pkg::rxd_t rxd_q;
    assign out_free    = !rxd_valid_q || rxd_ready_i;
    assign a_ready     = !a_valid_q || !t_good || out_free;
    assign rxd_valid_o = rxd_valid_q;
    assign rxd_o       = rxd_q;
    assign drop_rel    = a_valid_q && !t_good;
    assign drop_slot   = a_slot;
    assign take        = a_valid_q && t_good && out_free;
    always_ff @(posedge clk_i) begin
      if (rst_i) rxd_valid_q <= 1'b0;
      else if (out_free) rxd_valid_q <= take;
      if (take) begin
        rxd_q.slot    <= a_slot;
        rxd_q.vl15    <= a_v15 && !a_eth;
        rxd_q.from_fw <= a_fw;
        rxd_q.loop    <= a_loop;
        rxd_q.sl      <= (a_eth && a_v6) ? {1'b1, a_sl[2:0]} : a_sl;   // a priority has three bits
        rxd_q.dlid    <= a_eth ? 16'd0 : a_dlid;
        rxd_q.slid    <= !a_eth ? a_slid : (a_bth[95:93] == 3'd3) ? a_dlid : 16'd0;
        rxd_q.grh_v   <= a_grhv;
        rxd_q.grh     <= a_grh;
        rxd_q.bth     <= a_bth;
        rxd_q.ext     <= a_ext;
        // The IPv6 header is where a GRH would be, seen from 20 bytes further on; so are the last 20 bytes of one with
        // IPv4.
        rxd_q.base    <= 20'({a_base, {BytesW{1'b0}}}) + ((a_eth && a_v6) ? 20'd20 : 20'd0);
        rxd_q.pay_off <= (a_eth && a_v6) ? t_off - 8'd20 : t_off;
        rxd_q.plen    <= t_left;
        rxd_q.eth     <= a_eth;
        rxd_q.ce      <= a_eth && a_slid[8];
        rxd_q.csum_ok <= a_sum;
        rxd_q.gidx    <= a_eth ? a_slid[7:0] : a_gidx;
      end
      cnp_valid_o <= drop_rel && a_ok && t_len_ok && a_cnp && !rst_i;
      cnp_qpn_o   <= a_bth[55:32];
      cnp_sgid_o  <= a_grh[255:128];
    end
    assign d_quiet = a_quiet;
    assign d_loop  = a_loop;
    assign d_v15   = a_v15;
    assign d_eth   = a_eth;
    assign d_cnp   = a_ok && t_len_ok;
    assign d_ce    = a_slid[8];
    assign d_dlid  = a_dlid;
    assign d_dw    = a_pktlen;
    assign d_why   = (a_ok && !t_len_ok) ? ohca_fmt_pkg::COUNTER_RX_LEN :
        (a_ok && a_cnp) ? ohca_fmt_pkg::COUNTER_CNP_RX : a_why;
    assign h_idle  = !hf_valid && !a_valid_q && !rxd_valid_q;

    `ASSERT(HdrRoom_A, !(k_fire && k_last) || hf_ready)
    logic unused_whole;
    assign unused_whole = &{1'b0, hf_ready, hdr};
  end

  // ------------------------------------------------------------------ what happened
  logic       over_x_q, over_d_q, words_q, nocr_q;
  always_ff @(posedge clk_i) begin
    // A packet lost for want of room is counted where that shows.
    over_x_q <= in_over && !eth && in_vl == 4'd15 && !rst_i;
    over_d_q <= in_over && (eth || in_vl != 4'd15) && !rst_i;
    nocr_q   <= in_beat && in_first && !eth && own_full && in_vl < cfg_i.oper_vls && !rst_i;
    words_q  <= in_beat && !rst_i;
    stat_o   <= '0;
    if (!rst_i) begin
      stat_o.pkt     <= take && !d_loop;
      stat_o.mcast   <= !d_eth && d_dlid[15:14] == 2'b11 && d_dlid != 16'hffff;
      stat_o.data    <= d_eth || !d_v15;
      stat_o.dw      <= d_eth ? d_dw - 11'd3 : d_dw;
      stat_o.err     <= drop_rel && !d_quiet && !d_loop && !d_cnp;
      stat_o.vcrc    <= drop_rel && !d_quiet && d_why == ohca_fmt_pkg::COUNTER_RX_VCRC;
      stat_o.icrc    <= drop_rel && !d_quiet && d_why == ohca_fmt_pkg::COUNTER_RX_ICRC;
      stat_o.remote  <= rx_valid_i && rx_last_i && rx_error_i && cfg_i.smp_en;
      stat_o.vl15    <= in_over && !eth && in_vl == 4'd15;
      stat_o.overrun <= in_over && (eth || in_vl != 4'd15);
      stat_o.lpcrc   <= fc_here && !fc_lp_ok;
      stat_o.fc      <= fc_ok;
      stat_o.fc_vl   <= rx_data_i[23:20];
    end
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
  assign lp_now = lp_q != '0 && !(why_v_q && why_q == ohca_fmt_pkg::COUNTER_RX_VCRC);
  always_ff @(posedge clk_i) begin
    if (rst_i) lp_q <= '0;
    else       lp_q <= lp_q + 3'(fc_here && !fc_lp_ok) - 3'(lp_now);
  end
  assign fill_o = 16'(f_count >> $clog2(64 / Bytes));
  always_comb begin
    cnt_o = e_cnt;
    cnt_o[ohca_fmt_pkg::COUNTER_RX_CE] = ce_q;
    if (why_v_q) cnt_o[why_q] = 1'b1;
    cnt_o[ohca_fmt_pkg::COUNTER_RX_VL15_DROP] = over_x_q;
    cnt_o[ohca_fmt_pkg::COUNTER_RX_OVERRUN]   = over_d_q;
    cnt_o[ohca_fmt_pkg::COUNTER_RX_NO_CREDIT] = nocr_q;
    cnt_o[ohca_fmt_pkg::COUNTER_RX_PKTS]      = pkt_q;
    cnt_o[ohca_fmt_pkg::COUNTER_RX_WORDS]     = words_q;
    if (lp_now) cnt_o[ohca_fmt_pkg::COUNTER_RX_VCRC] = 1'b1;
  end

  // Between the last beat and its verdict
  logic [3:0] pend_q;
  logic       pend_any;
  assign pend_any = pend_q != '0;
  always_ff @(posedge clk_i) begin
    if (rst_i) pend_q <= '0;
    else       pend_q <= pend_q + 4'(k_fire && k_last) - 4'(vcrc_valid);
  end
  // A packet that is on the wire is work, too.
  assign idle_o = !rx_valid_i && rx_first_q && f_count == '0 && !m_valid && !s_valid && e_idle && !k_valid && first_q &&
      h_idle && !v_valid &&
                  !reclaim && !freed_v_q && !fc_valid_q && !pend_any && lp_q == '0;
  `ASSERT(LinkPacketCount_A, !(&lp_q) || !(fc_here && !fc_lp_ok) || lp_now)
  // For an assertion: an ICRC result that waits for its VCRC.
  logic ic_held_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) ic_held_q <= 1'b0;
    else       ic_held_q <= (ic_held_q || icrc_valid) && !vcrc_valid;
  end

  `ASSERT(FrontRoom_A, !in_store || f_ready)
  `ASSERT(VerdictRoom_A, !vcrc_valid || v_ready)
  `ASSERT(OneIcrcPerVcrc_A, !vcrc_valid || icrc_valid || ic_held_q)
  `ASSERT(BufBound_A, (tail_q - head_q) <= (AddrW+1)'(BufBytes / Bytes))
  `ASSERT(Room_A, room_more == (AddrW+1)'(BufBytes / Bytes) - (tail_q - head_q))
  for (genvar g = 0; g < NumRel; g++) begin : g_rel
    `ASSERT(ReleaseOfHeld_A, !rel_valid_i[g] || ({1'b0, rel_slot_i[g][SlotW-1:0] - slot_rd_q[SlotW-1:0]} < slots_used &&
        !done_q[rel_slot_i[g][SlotW-1:0]]))
  end

  logic unused;
  assign unused = &{1'b0, cfg_i, guids_i, m_sel, m_gnt, icrc_x, vcrc_x, f_ready, v_ready, ic_held_q, rel_slot_i,
      drop_slot, d_cnp, d_ce, d_eth, seed};

endmodule

`default_nettype wire
