// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// OpenHCA: the host channel adapter. This file only wires; what each block does and why is in docs/architecture.md, and
// who is inside of a part at its head.
//
//    BAR 0 ◄──► ohca_registers ─ doorbells ─► ohca_transmit ─ packets ─► ┌───────────┐
//                  ▲                             ▲ │ feedback, jobs      │ ohca_link │ ◄──► wire
//                  ▼        completions            │ ▼                     └───────────┘
//   vectors ◄─ ohca_complete ◄──────────────── ohca_receive ◄─ packets ──┘  ▲ frames
//                  ▲                                                          └─► ohca_nic (RoCE)
//     AXI4 ◄──► ohca_host, for all       ohca_mgmt ─► ohca_acc_route ─► contexts of all
//
// Host side AXI4-Lite (BAR 0), AXI4 (push pages by the WQE; DMA) and interrupts by vector; network side packet streams.
//
// One clock, which comes in twice: clk_on_i always runs, for the time and the management core; clk_i is everything
// else's. Both may be one net. Or clk_i may leave out edges: it must have one at each edge of clk_on_i at which busy_o
// is set, and at the next eight after it. That saves power on an FPGA (a clock buffer with enable) and most of a
// simulator's work while only firmware runs.

`include "ohca_clocks.svh"
`default_nettype none

module ohca #(
  parameter int unsigned DataWidth  = 64,                               // 64, 128, 256 or 512
  parameter int unsigned NumVl      = 4,
  parameter int unsigned IcmChunks  = 2048,                             // 256 KiB each
  parameter int unsigned CtxSets    = (DataWidth > 64) ? 1024 : 256,    // QP contexts on chip, in each of three caches
  parameter int unsigned CtxFills   = (DataWidth > 64) ? 32 : 16,       // misses in flight: latency / CtxFills each
  parameter int unsigned CtxDepth   = (DataWidth > 64) ? 64 : 32,       //   lookups in flight
  parameter int unsigned CtxEvicts  = (DataWidth > 64) ? 64 : 32,       //   write-backs in flight
  parameter bit          Compact    = 1'b0,                             // half the block RAM of caches, WQEs; half rate
  parameter int unsigned CtxWays    = Compact ? 1 : 2,                  // they divide CtxSets; what is much used stays
  parameter int unsigned InFlight   = (DataWidth > 256) ? 64 : 32,      // packets in an engine's stages: 16, 32 or 64
  parameter int unsigned CqSets     = (DataWidth > 64) ? 256 : 64,
  parameter int unsigned MptLines   = (DataWidth > 64) ? 1024 : 256,
  parameter int unsigned MttLines   = (DataWidth > 64) ? 2048 : 512,
  parameter int unsigned DmaTags    = 64,
  parameter int unsigned MaxRead    = 512,
  parameter int unsigned RunQueue   = 65536,                            // QPs that can be active at a time
  parameter int unsigned RespSlots  = 32,                               // QPs with READ responses under way
  parameter int unsigned FwRamBytes = 131072,
  parameter int unsigned BufBytes   = (DataWidth > 64) ? 65536 : 32768, // receive buffer: packets being worked on
  parameter int unsigned FrontBytes = 131072, // wire buffer, what credits promise, shared by the VLs
  parameter int unsigned McastWords = (DataWidth > 64) ? 4096 : Compact ? 1024 : 2048, // 480, 120, 240 nodes
  parameter int unsigned DbStride   = 0,                                // doorbell pages: 4 KiB << 0 to 4 apart
  parameter bit          WidePush   = DataWidth > 64 && !Compact,       // s_push_axi is there, else it answers SLVERR
  parameter bit          RoCE       = 1'b1,                             // the port can be an Ethernet port
  localparam int unsigned NumQps    = FwRamBytes >= 131072 ? 131072 : FwRamBytes >= 65536 ? 16384 : 8192, // LOG_MAX_QP
  localparam int unsigned Bytes     = DataWidth / 8
) (
  input  logic                 clk_on_i,
  input  logic                 clk_i,
  input  logic                 rst_i,
  output logic                 busy_o,            // combinational, from inputs too: clk_i is needed
`ifdef OHCA_GATES
  input  logic [`PARTS-1:0]    clk_part_i,        // "clocks by part", at the end
  output logic [`PARTS-1:0]    part_busy_o,
`endif

  // BAR 0
  input  logic                 s_axil_awvalid_i,
  output logic                 s_axil_awready_o,
  input  logic [20:0]          s_axil_awaddr_i,
  input  logic                 s_axil_wvalid_i,
  output logic                 s_axil_wready_o,
  input  logic [63:0]          s_axil_wdata_i,
  input  logic [7:0]           s_axil_wstrb_i,
  output logic                 s_axil_bvalid_o,
  input  logic                 s_axil_bready_i,
  output logic [1:0]           s_axil_bresp_o,
  input  logic                 s_axil_arvalid_i,
  output logic                 s_axil_arready_o,
  input  logic [20:0]          s_axil_araddr_i,
  output logic                 s_axil_rvalid_o,
  input  logic                 s_axil_rready_i,
  output logic [63:0]          s_axil_rdata_o,
  output logic [1:0]           s_axil_rresp_o,

  // BAR 0's push pages once more, 64 bytes a beat, AXI4 with single beats (ohca_bar_wide)
  input  logic                 s_push_axi_awvalid_i,
  output logic                 s_push_axi_awready_o,
  input  logic [20:0]          s_push_axi_awaddr_i,
  input  logic                 s_push_axi_wvalid_i,
  output logic                 s_push_axi_wready_o,
  input  logic [511:0]         s_push_axi_wdata_i,
  input  logic [63:0]          s_push_axi_wstrb_i,
  output logic                 s_push_axi_bvalid_o,
  input  logic                 s_push_axi_bready_i,
  output logic [1:0]           s_push_axi_bresp_o,

  // Host memory
  output logic                 m_axi_arvalid_o,
  input  logic                 m_axi_arready_i,
  output logic [5:0]           m_axi_arid_o,
  output logic [63:0]          m_axi_araddr_o,
  output logic [7:0]           m_axi_arlen_o,
  output logic [2:0]           m_axi_arsize_o,
  output logic [1:0]           m_axi_arburst_o,
  input  logic                 m_axi_rvalid_i,
  output logic                 m_axi_rready_o,
  input  logic [5:0]           m_axi_rid_i,
  input  logic [DataWidth-1:0] m_axi_rdata_i,
  input  logic [1:0]           m_axi_rresp_i,
  input  logic                 m_axi_rlast_i,
  output logic                 m_axi_awvalid_o,
  input  logic                 m_axi_awready_i,
  output logic [5:0]           m_axi_awid_o,
  output logic [63:0]          m_axi_awaddr_o,
  output logic [7:0]           m_axi_awlen_o,
  output logic [2:0]           m_axi_awsize_o,
  output logic [1:0]           m_axi_awburst_o,
  output logic                 m_axi_wvalid_o,
  input  logic                 m_axi_wready_i,
  output logic [DataWidth-1:0] m_axi_wdata_o,
  output logic [Bytes-1:0]     m_axi_wstrb_o,
  output logic                 m_axi_wlast_o,
  input  logic                 m_axi_bvalid_i,
  output logic                 m_axi_bready_o,
  input  logic [5:0]           m_axi_bid_i,
  input  logic [1:0]           m_axi_bresp_i,

  // Interrupts: a vector, after all memory writes before it were acknowledged (ohca_msix makes memory writes of them)
  output logic                 irq_valid_o,
  output logic [7:0]           irq_vector_o,
  input  logic                 irq_ready_i,

  // Link. kind: 0 InfiniBand packet LRH to VCRC, 1 flow-control packet, 2 Ethernet frame without FCS
  output logic                 tx_valid_o,
  input  logic                 tx_ready_i,
  output logic [DataWidth-1:0] tx_data_o,
  output logic [Bytes-1:0]     tx_keep_o,
  output logic                 tx_last_o,
  output logic [1:0]           tx_kind_o,
  input  logic                 rx_valid_i,        // every beat must be and is taken
  input  logic [DataWidth-1:0] rx_data_i,
  input  logic [Bytes-1:0]     rx_keep_i,
  input  logic                 rx_last_i,
  input  logic                 rx_error_i,        // with last
  input  logic [1:0]           rx_kind_i,

  // PHY
  input  logic                 phy_link_up_i,
  input  logic [3:0]           phy_width_i,       // lanes
  input  logic [15:0]          phy_speed_i,       // 0.1 Gb/s a lane
  output logic                 phy_reset_o,

  // Time: the cycle counter; a simulator may advance it by skip_cycles_i instead of one in a cycle in which idle_o is
  // set
  output logic                 idle_o,            // nothing happens before next_timer_o without new input
  output logic [63:0]          next_timer_o,      // all ones: never
  output logic [63:0]          now_o,
  input  logic                 skip_i,
  input  logic [63:0]          skip_cycles_i,

  input  logic [63:0]          strap_guid_i,
  input  logic [31:0]          strap_mhz_i        // cycles of clk_on_i per microsecond: what the time-scale register
                                                  // says after reset
);

  if (DataWidth != 64 && DataWidth != 128 && DataWidth != 256 && DataWidth != 512) begin : g_width
    $error("DataWidth must be 64, 128, 256 or 512");
  end

  localparam int unsigned IcmLog2 = $clog2(IcmChunks);
  localparam int unsigned HwCfg   = $clog2(DataWidth) | (NumVl << 4) | (IcmLog2 << 8) | (4 << 13) | (1 << 16) |
      (1 << 18) | (32'(RoCE) << 19) | (Compact ? 0 : 3 << 20) | (DbStride << 22) | (($clog2(FrontBytes) - 12) << 25);
  localparam int unsigned RbAddrW = $clog2(BufBytes / Bytes);

  // ------------------------------------------------------------------ reset
  logic soft_rst, rst, core_rst_q, rst_mgmt, rst_nic;
  assign rst = rst_i || soft_rst;                 // of the core: each block makes its own register of it
  ohca_reset u_rst (.clk_i(`CLOCK(`PART_CFG)), .rst_i(rst), .rst_o(core_rst_q));
  ohca_reset u_rst_mgmt (.clk_i(clk_on_i), .rst_i(rst), .rst_o(rst_mgmt));
  ohca_reset u_rst_nic (.clk_i(`CLOCK(`PART_NIC)), .rst_i(rst), .rst_o(rst_nic));

  // ------------------------------------------------------------------ wires
  // Host memory; counters by block
  ohca_fmt_pkg::mem_all_t    mem_all;
  ohca_fmt_pkg::tx_ask_t     tx_ask;   ohca_fmt_pkg::tx_told_t   tx_told;
  ohca_fmt_pkg::rcv_ask_t    rcv_ask;  ohca_fmt_pkg::rcv_told_t  rcv_told;
  ohca_fmt_pkg::cpl_ask_t    cpl_ask;  ohca_fmt_pkg::cpl_told_t  cpl_told;
  ohca_fmt_pkg::mgmt_ask_t   mgmt_ask; ohca_fmt_pkg::mgmt_told_t mgmt_told;
  ohca_fmt_pkg::nic_ask_t    nic_ask;  ohca_fmt_pkg::nic_told_t  nic_told;
  logic [DataWidth-1:0]      rd_data, tx_dat, mgmt_dat, nic_dat;
  logic [2:0][DataWidth-1:0] rcv_dat, cpl_dat;
  logic [13:0][63:0]         cnt;                                    // in the order of ohca_registers
  // Tables: base in context memory, entries
  ohca_fmt_pkg::tables_t     tables;
  // Doorbells
  logic                      sq_db_valid, sq_db_ready, rq_db_valid, rq_db_ready;
  logic                      cq_arm_valid, cq_arm_ready, eq_db_valid, eq_db_ready;
  ohca_fmt_pkg::sq_db_t      sq_db;
  logic [55:0]               rq_db; logic [71:0] cq_arm; logic [32:0] eq_db;
  logic [2:0]                nic_db_we; logic [2:0][15:0] nic_db;
  // Management core
  ohca_fmt_pkg::bar_fw_t     bar_fw; ohca_fmt_pkg::fw_bar_t fw_bar;
  ohca_fmt_pkg::fw_log_t     fw_log;
  ohca_fmt_pkg::icm_set_t    icm_set; ohca_fmt_pkg::inv_req_t inv;
  logic                      icm_init, inv_ready, mgmt_touch, drain, mtx_ready, port_event, con_valid;
  logic [7:0]                acc_valid, acc_ready;                   // by enum ctx_part
  logic [1:0]                draining;
  ohca_fmt_pkg::ctx_acc_t    fw_acc, acc; ohca_fmt_pkg::acc_rsp_t acc_rsp;
  logic [4:0]                acc_v, acc_r;                           // sq, rs, ra, cq, multicast
  logic [4:0][ohca_fmt_pkg::ACC_RSP_BITS-1:0] acc_rsps;
  ohca_fmt_pkg::eqm_req_t    eqm_req; ohca_fmt_pkg::eqm_rsp_t eqm_rsp;
  ohca_fmt_pkg::mad_room_t   mad_room; ohca_fmt_pkg::mad_put_t mad_put;
  ohca_fmt_pkg::mtx_beat_t   mtx; ohca_fmt_pkg::cfg_acc_t port_acc;
  logic [31:0]               port_rdata, link_rdata, nic_rdata;
  // Port: configuration, packets out and in, frames of the network interface
  ohca_fmt_pkg::port_cfg_t   cfg;
  ohca_fmt_pkg::eth_cnp_t    cnp_cfg; ohca_fmt_pkg::cnp_note_t cnp_note;
  logic [2:0][15:0]          pkey_idx, pkey;                         // txbuild, rs, ra
  logic [ohca_fmt_pkg::PORT_PKEYS*16-1:0] pkeys;
  logic [7:0]                gid_idx, con_char;
  logic [127:0]              gid;
  ohca_fmt_pkg::gid_ent_t    eth_gid;
  logic                      bad_pkey, bad_qkey, pk_ready, rxd_valid, rxd_ready;
  logic [1:0][ohca_fmt_pkg::VIOL_NOTE_BITS-1:0] viol;                // rs, ra
  ohca_fmt_pkg::pk_beat_t    pk;
  logic [DataWidth-1:0]      pk_data, mtx_data, ntx_data, nic_data, rb_data;
  logic [Bytes-1:0]          pk_keep, mtx_keep, ntx_keep, nic_keep;
  logic [NumVl-1:0][12:0]    room;                                   // of the egress rings, see ohca_link_tx
  logic [NumVl-1:0][7:0]     room_desc;
  logic [NumVl-1:0]          stuck;
  ohca_fmt_pkg::room_take_t  room_take; ohca_fmt_pkg::rxd_t rxd;
  logic [2:0][6:0]           rel;                                    // dispatch, rs, ra
  logic [RbAddrW:0]          rb;
  ohca_fmt_pkg::nic_beat_t   nic_beat; ohca_fmt_pkg::ntx_beat_t ntx_beat;
  logic                      nic_room, ntx_ready, ntx_en;
  // Between transmit side, receive side and completion
  logic [1:0]                up_v, up_r, cqr_v, cqr_r;               // sq, txbuild; ra, rs
  logic [1:0][ohca_fmt_pkg::RA_UP_BITS-1:0]  up;
  logic [1:0][ohca_fmt_pkg::CQ_REQ_BITS-1:0] cqr;
  ohca_fmt_pkg::sq_note_t    sq_note;
  logic                      fb_valid, fb_ready, job_valid, job_ready, ce_valid, qe_cq_v, qe_cq_r;
  ohca_fmt_pkg::sq_fb_t      fb;
  ohca_fmt_pkg::rjob_t       job, ce;
  ohca_fmt_pkg::resp_note_t  resp_note;
  logic [23:0]               qe_cq;
  logic [3:0]                ev_valid, ev_ready;                     // rs, ra, mgmt, network interface
  logic [3:0][ohca_fmt_pkg::EV_REQ_BITS-1:0] ev;
  // Idle, timers
  logic                      host_idle, bar_idle, tx_idle, rcv_idle, cpl_idle, link_idle, nic_idle, mgmt_idle;
  logic                      ra_due, cq_due, link_due, nic_due, link_next_valid, nic_next_valid;
  logic [63:0]               link_next, nic_next, mgmt_wake;
  ohca_fmt_pkg::timer_note_t ra_timer, cq_timer;
`ifdef OHCA_GATES
  logic                      all, cpu_waits, mgmt_busy, ltx_busy, lrx_busy, pfc_busy;
  logic [`PARTS-1:0]         host_parts, bar_parts, tx_parts, rcv_parts, cpl_parts;
`endif

  // ------------------------------------------------------------------ host
  ohca_host #(.DataWidth(DataWidth), .IcmChunks(IcmChunks), .MptLines(MptLines), .MttLines(MttLines),
      .CtxFills(CtxFills), .CtxDepth(CtxDepth), .DmaTags(DmaTags), .MaxRead(MaxRead), .RoCE(RoCE),
      .Compact(Compact)) u_host (
`ifdef OHCA_GATES
    .clk_part_i, .all_i(all), .part_busy_o(host_parts),
`endif
    .clk_i, .rst_i, .core_rst_i(rst), .idle_o(host_idle), .init_o(icm_init), .cnt_o(cnt[2:0]),
    .icm_i(icm_set), .tables_i(tables), .inv_i(inv), .inv_ready_o(inv_ready),
    .rd_data_o(rd_data), .all_o(mem_all), .tx_i(tx_ask), .tx_o(tx_told), .tx_dat_i(tx_dat),
    .rcv_i(rcv_ask), .rcv_o(rcv_told), .rcv_dat_i(rcv_dat), .cpl_i(cpl_ask), .cpl_o(cpl_told), .cpl_dat_i(cpl_dat),
    .mgmt_i(mgmt_ask), .mgmt_o(mgmt_told), .mgmt_dat_i(mgmt_dat),
    .nic_i(nic_ask), .nic_o(nic_told), .nic_dat_i(nic_dat),
    .m_axi_arvalid_o, .m_axi_arready_i, .m_axi_arid_o, .m_axi_araddr_o, .m_axi_arlen_o, .m_axi_arsize_o,
    .m_axi_arburst_o, .m_axi_rvalid_i, .m_axi_rready_o, .m_axi_rid_i, .m_axi_rdata_i, .m_axi_rresp_i, .m_axi_rlast_i,
    .m_axi_awvalid_o, .m_axi_awready_i, .m_axi_awid_o, .m_axi_awaddr_o, .m_axi_awlen_o, .m_axi_awsize_o,
    .m_axi_awburst_o, .m_axi_wvalid_o, .m_axi_wready_i, .m_axi_wdata_o, .m_axi_wstrb_o, .m_axi_wlast_o,
    .m_axi_bvalid_i, .m_axi_bready_o, .m_axi_bid_i, .m_axi_bresp_i
  );

  ohca_registers #(.HwCfg(HwCfg), .DbStride(DbStride), .RoCE(RoCE), .Wide(WidePush), .Compact(Compact)) u_registers (
`ifdef OHCA_GATES
    .clk_part_i, .all_i(all), .part_busy_o(bar_parts),
`endif
    .clk_i, .clk_on_i, .rst_i, .soft_rst_o(soft_rst), .now_i(now_o), .idle_o(bar_idle),
    .s_axil_awvalid_i, .s_axil_awready_o, .s_axil_awaddr_i, .s_axil_wvalid_i, .s_axil_wready_o, .s_axil_wdata_i,
    .s_axil_wstrb_i, .s_axil_bvalid_o, .s_axil_bready_i, .s_axil_bresp_o, .s_axil_arvalid_i, .s_axil_arready_o,
    .s_axil_araddr_i, .s_axil_rvalid_o, .s_axil_rready_i, .s_axil_rdata_o, .s_axil_rresp_o,
    .push_i({s_push_axi_awvalid_i, s_push_axi_awaddr_i, s_push_axi_wvalid_i, s_push_axi_wdata_i, s_push_axi_wstrb_i,
             s_push_axi_bready_i}),
    .push_o({s_push_axi_awready_o, s_push_axi_wready_o, s_push_axi_bvalid_o, s_push_axi_bresp_o}),
    .sq_db_valid_o(sq_db_valid), .sq_db_ready_i(sq_db_ready), .sq_db_o(sq_db),
    .rq_db_valid_o(rq_db_valid), .rq_db_ready_i(rq_db_ready), .rq_db_o(rq_db),
    .cq_arm_valid_o(cq_arm_valid), .cq_arm_ready_i(cq_arm_ready), .cq_arm_o(cq_arm),
    .eq_db_valid_o(eq_db_valid), .eq_db_ready_i(eq_db_ready), .eq_db_o(eq_db),
    .nic_db_we_o(nic_db_we), .nic_db_o(nic_db),
    .fw_i(fw_bar), .fw_o(bar_fw), .log_i(fw_log), .strap_mhz_i, .cnt_i(cnt)
  );

  // ------------------------------------------------------------------ management core
  ohca_acc_route #(.Compact(Compact)) u_acc (
    .clk_i, .rst_i(core_rst_q), .acc_valid_i(acc_valid), .acc_ready_o(acc_ready), .acc_i(fw_acc), .acc_rsp_o(acc_rsp),
    .valid_o(acc_v), .ready_i(acc_r), .acc_o(acc), .rsp_i(acc_rsps), .inv_o(inv), .inv_ready_i(inv_ready)
  );

  ohca_mgmt #(.DataWidth(DataWidth), .RamBytes(FwRamBytes), .Compact(Compact), .IcmLog2(IcmLog2),
      .HwCfg(HwCfg)) u_mgmt (
`ifdef OHCA_GATES
    .clk_i(clk_part_i[`PART_MGMT]), .clk_on_i, .clk_cpu_i(clk_part_i[`PART_CPU]), .clk_cfg_i(clk_part_i[`PART_CFG]),
    .cpu_waits_o(cpu_waits), .busy_o(mgmt_busy),
`else
    .clk_i(clk_on_i),
`endif
    .rst_i(rst_mgmt), .now_i(now_o), .strap_guid_i, .idle_o(mgmt_idle), .touch_o(mgmt_touch), .wake_o(mgmt_wake),
    .drain_o(drain), .draining_i(draining),
    .bar_i(bar_fw), .bar_o(fw_bar), .log_o(fw_log),
    .port_o(port_acc), .port_rdata_i(port_rdata), .port_event_i(port_event),
    .cnp_i(cnp_note), .rs_viol_i(viol[0]), .ra_viol_i(viol[1]), .mad_o(mad_room), .mad_i(mad_put),
    .mtx_o(mtx), .mtx_ready_i(mtx_ready), .mtx_data_o(mtx_data), .mtx_keep_o(mtx_keep),
    .acc_valid_o(acc_valid), .acc_ready_i(acc_ready), .acc_o(fw_acc), .acc_rsp_i(acc_rsp),
    .icm_o(icm_set), .tbl_base_o(tables.base), .tbl_limit_o(tables.limit), .eq_o(eqm_req), .eq_i(eqm_rsp),
    .ev_valid_o(ev_valid[2]), .ev_ready_i(ev_ready[2]), .ev_o(ev[2]),
    .rd_o(mgmt_ask.rd), .rd_i(mgmt_told.rd), .rd_rsp_data_i(rd_data), .rd_rsp_i(mem_all.beat),
    .wr_o(mgmt_ask.wr), .wr_i(mgmt_told.wr), .wr_dat_o(mgmt_dat), .wr_cnt_i(mem_all.cnt),
    .phy_i({phy_link_up_i, phy_width_i, phy_speed_i}), .phy_reset_o,
    .con_valid_o(con_valid), .con_o(con_char)
  );

`ifdef VERILATOR
  // Firmware's console, with +console
  logic con_on;
  initial con_on = $test$plusargs("console") != 0;
  always_ff @(posedge clk_on_i) if (con_on && con_valid) $write("%c", con_char);
`endif

  // ------------------------------------------------------------------ link
  ohca_link #(.DataWidth(DataWidth), .NumVl(NumVl), .BufBytes(BufBytes), .FrontBytes(FrontBytes),
      .RateEntries(Compact ? 2 : 4), .RoCE(RoCE), .Compact(Compact)) u_link (
    .clk_i, .rst_i(rst), .now_i(now_o), .idle_o(link_idle), .next_valid_o(link_next_valid), .next_o(link_next),
`ifdef OHCA_GATES
    .clk_tx_i(clk_part_i[`PART_LTX]), .clk_rx_i(clk_part_i[`PART_LRX]), .clk_pfc_i(clk_part_i[`PART_PFC]),
    .clk_cfg_i(clk_part_i[`PART_CFG]),
    .tx_busy_o(ltx_busy), .rx_busy_o(lrx_busy), .pfc_busy_o(pfc_busy),
`endif
    .mg_i(port_acc), .mg_rdata_o(link_rdata), .event_o(port_event),
    .cfg_o(cfg), .ask_i({pkey_idx, gid_idx}), .say_o({pkey, gid, eth_gid}), .pkeys_o(pkeys),
    .note_i({bad_pkey, bad_qkey, 1'b0}),
    .nic_o(nic_beat), .nic_room_i(nic_room), .nic_data_o(nic_data), .nic_keep_o(nic_keep),
    .ntx_i(ntx_beat), .ntx_ready_o(ntx_ready), .ntx_data_i(ntx_data), .ntx_keep_i(ntx_keep), .ntx_en_o(ntx_en),
    .cnp_cfg_o(cnp_cfg), .cnp_o(cnp_note),
    .in_i(pk), .in_ready_o(pk_ready), .in_data_i(pk_data), .in_keep_i(pk_keep),
    .room_o(room), .desc_o(room_desc), .stuck_o(stuck),
    .take_i(room_take),
    .mtx_i(mtx), .mtx_ready_o(mtx_ready), .mtx_data_i(mtx_data), .mtx_keep_i(mtx_keep),
    .rxd_valid_o(rxd_valid), .rxd_ready_i(rxd_ready), .rxd_o(rxd), .rel_valid_i({rel[2][6], rel[1][6], rel[0][6]}),
    .rel_slot_i({rel[2][5:0], rel[1][5:0], rel[0][5:0]}),
    .rb_en_i(rb[RbAddrW]), .rb_addr_i(rb[RbAddrW-1:0]), .rb_data_o(rb_data),
    .tx_o({tx_valid_o, tx_last_o, tx_kind_o}), .tx_ready_i, .tx_data_o, .tx_keep_o,
    .rx_i({rx_valid_i, rx_last_i, rx_error_i, rx_kind_i}), .rx_data_i, .rx_keep_i,
    .cnt_o(cnt[3])
  );

  // ------------------------------------------------------------------ network interface
  assign port_rdata = link_rdata | nic_rdata;
  if (RoCE) begin : g_nic
    ohca_nic #(.DataWidth(DataWidth)) u_nic (
      .clk_i(`CLOCK(`PART_NIC)), .rst_i(rst_nic), .now_i(now_o), .idle_o(nic_idle), .next_valid_o(nic_next_valid),
      .next_o(nic_next), .cnt_o(cnt[12]),
      .mg_valid_i(port_acc.valid), .mg_we_i(port_acc.we), .mg_addr_i(port_acc.addr), .mg_wdata_i(port_acc.wdata),
      .mg_rdata_o(nic_rdata), .db_we_i(nic_db_we), .db_i(nic_db),
      .rd_valid_o({nic_ask.data.valid, nic_ask.desc.valid}), .rd_ready_i({nic_told.data.ready, nic_told.desc.ready}),
      .rd_o({nic_ask.data.req, nic_ask.desc.req}), .rd_rsp_valid_i({nic_told.data.valid, nic_told.desc.valid}),
      .rd_rsp_data_i(rd_data), .rd_rsp_last_i(mem_all.beat.last), .rd_rsp_err_i(mem_all.beat.err),
      .wr_valid_o(nic_ask.wr.valid), .wr_ready_i(nic_told.wr.ready), .wr_o(nic_ask.wr.req),
      .wr_dat_valid_o(nic_ask.wr.dat_valid), .wr_dat_ready_i(nic_told.wr.dat_ready), .wr_dat_o(nic_dat),
      .wr_dat_last_o(nic_ask.wr.dat_last), .wr_issued_i(mem_all.cnt.issued), .wr_acked_i(mem_all.cnt.acked),
      .ev_valid_o(ev_valid[3]), .ev_ready_i(ev_ready[3]), .ev_o(ev[3]),
      .in_valid_i(nic_beat.valid), .in_room_o(nic_room), .in_data_i(nic_data), .in_keep_i(nic_keep),
      .in_last_i(nic_beat.last), .in_err_i(nic_beat.err),
      .wire_en_i(ntx_en), .out_valid_o(ntx_beat.valid), .out_ready_i(ntx_ready), .out_data_o(ntx_data),
      .out_keep_o(ntx_keep), .out_last_o(ntx_beat.last)
    );
  end else begin : g_no_nic
    assign nic_idle = 1'b1;
    assign {nic_next_valid, nic_next, cnt[12], nic_rdata, nic_room, ntx_beat, ntx_data, ntx_keep, nic_ask, nic_dat,
            ev_valid[3], ev[3]} = '0;
    logic unused_nic;
    assign unused_nic = &{1'b0, nic_beat, nic_data, nic_keep, ntx_ready, ntx_en, nic_db_we, nic_db, nic_told,
        ev_ready[3]};
  end

  // ------------------------------------------------------------------ transmit, receive
  ohca_transmit #(.DataWidth(DataWidth), .NumVl(NumVl), .CtxSets(CtxSets), .CtxWays(CtxWays), .CtxFills(CtxFills),
      .CtxDepth(CtxDepth), .CtxEvicts(CtxEvicts), .InFlight(InFlight), .RunQueue(RunQueue), .NumQps(NumQps),
      .RespSlots(RespSlots), .RoCE(RoCE), .Compact(Compact)) u_transmit (
`ifdef OHCA_GATES
    .clk_part_i, .all_i(all), .part_busy_o(tx_parts),
`endif
    .clk_i, .rst_i(rst), .now_i(now_o), .idle_o(tx_idle), .drain_i(drain), .draining_o(draining[1]),
    .cnt_o({cnt[13], cnt[6:4]}), .base_i({6'h0, tables.base[15:0], 18'h0}), .limit_i(tables.limit[24:0]), .cfg_i(cfg),
    .cnp_cfg_i(cnp_cfg), .pkey_idx_o(pkey_idx[0]), .pkey_i(pkey[0]), .gid_idx_o(gid_idx), .gid_i(gid),
    .eth_gid_i(eth_gid), .db_valid_i(sq_db_valid), .db_ready_o(sq_db_ready), .db_i(sq_db),
    .acc_valid_i(acc_v[0]), .acc_ready_o(acc_r[0]), .acc_i(acc), .acc_rsp_o(acc_rsps[0]),
    .up_valid_o(up_v), .up_ready_i(up_r), .up_o(up), .sq_note_o(sq_note),
    .fb_valid_i(fb_valid), .fb_ready_o(fb_ready), .fb_i(fb),
    .job_valid_i(job_valid), .job_ready_o(job_ready), .job_i(job), .ce_valid_i(ce_valid), .ce_i(ce),
    .note_o(resp_note), .room_i(room), .desc_i(room_desc), .stuck_i(stuck), .take_o(room_take),
    .out_o(pk), .out_ready_i(pk_ready), .out_data_o(pk_data), .out_keep_o(pk_keep),
    .mem_o(tx_ask), .mem_i(tx_told), .ctx_dat_o(tx_dat), .rd_data_i(rd_data), .all_mem_i(mem_all)
  );

  ohca_receive #(.DataWidth(DataWidth), .CtxSets(CtxSets), .CtxWays(CtxWays), .CtxFills(CtxFills), .CtxDepth(CtxDepth),
      .CtxEvicts(CtxEvicts), .InFlight(InFlight), .NumQps(NumQps), .BufBytes(BufBytes), .McastWords(McastWords),
      .RoCE(RoCE), .Compact(Compact)) u_receive (
`ifdef OHCA_GATES
    .clk_part_i, .all_i(all), .part_busy_o(rcv_parts),
`endif
    .clk_i, .rst_i(rst), .now_i(now_o), .idle_o(rcv_idle), .timer_o(ra_timer), .drain_i(drain),
    .draining_o(draining[0]), .cnt_o(cnt[9:7]),
    .base_i({6'h0, tables.base[15:0], 18'h0}), .limit_i(tables.limit[24:0]), .cfg_i(cfg),
    .pkey_idx_o(pkey_idx[2:1]), .pkey_i(pkey[2:1]), .pkeys_i(pkeys), .rxd_valid_i(rxd_valid),
    .rxd_ready_o(rxd_ready), .rxd_i(rxd),
    .rel_o(rel), .rb_o(rb), .rb_data_i(rb_data), .mad_i(mad_room), .mad_o(mad_put),
    .db_valid_i(rq_db_valid), .db_ready_o(rq_db_ready), .db_i(rq_db),
    .acc_valid_i({acc_v[4], acc_v[2:1]}), .acc_ready_o({acc_r[4], acc_r[2:1]}), .acc_i(acc),
    .acc_rsp_o({acc_rsps[4], acc_rsps[2:1]}), .up_valid_i(up_v), .up_ready_o(up_r), .up_i(up), .sq_note_i(sq_note),
    .fb_valid_o(fb_valid), .fb_ready_i(fb_ready), .fb_o(fb),
    .job_valid_o(job_valid), .job_ready_i(job_ready), .job_o(job), .ce_valid_o(ce_valid), .ce_o(ce), .note_i(resp_note),
    .cq_valid_o(cqr_v), .cq_ready_i(cqr_r), .cq_o(cqr), .qerr_valid_i(qe_cq_v), .qerr_ready_o(qe_cq_r),
    .qerr_qpn_i(qe_cq),
    .ev_valid_o(ev_valid[1:0]), .ev_ready_i(ev_ready[1:0]), .ev_o(ev[1:0]), .viol_o(viol),
    .mem_o(rcv_ask), .mem_i(rcv_told), .wr_dat_o(rcv_dat), .rd_data_i(rd_data), .all_mem_i(mem_all)
  );
  // P_Key and Q_Key violations for the port's counters
  assign bad_pkey = cnt[8][ohca_fmt_pkg::COUNTER_RX_PKEY] || cnt[9][ohca_fmt_pkg::COUNTER_RX_PKEY];
  assign bad_qkey = cnt[8][ohca_fmt_pkg::COUNTER_RX_QKEY];

  // ------------------------------------------------------------------ completion
  ohca_complete #(.DataWidth(DataWidth), .CqSets(CqSets), .CtxFills(CtxFills), .CtxDepth(CtxDepth),
      .CtxEvicts(CtxEvicts), .RoCE(RoCE), .Compact(Compact)) u_complete (
`ifdef OHCA_GATES
    .clk_part_i, .all_i(all), .part_busy_o(cpl_parts),
`endif
    .clk_i, .rst_i(rst), .now_i(now_o), .time_scale_i(bar_fw.time_scale), .idle_o(cpl_idle), .timer_o(cq_timer),
    .cnt_o(cnt[11:10]), .base_i({6'h0, tables.base[31:16], 18'h0}), .limit_i(tables.limit[56:32]),
    .cq_valid_i(cqr_v), .cq_ready_o(cqr_r), .cq_i(cqr), .qerr_valid_o(qe_cq_v), .qerr_ready_i(qe_cq_r),
    .qerr_qpn_o(qe_cq),
    .arm_valid_i(cq_arm_valid), .arm_ready_o(cq_arm_ready), .arm_i(cq_arm),
    .acc_valid_i(acc_v[3]), .acc_ready_o(acc_r[3]), .acc_i(acc), .acc_rsp_o(acc_rsps[3]),
    .ev_valid_i(ev_valid), .ev_ready_o(ev_ready), .ev_i(ev),
    .db_valid_i(eq_db_valid), .db_ready_o(eq_db_ready), .db_i(eq_db), .eqm_i(eqm_req), .eqm_o(eqm_rsp),
    .irq_valid_o, .irq_ready_i, .irq_vector_o,
    .mem_o(cpl_ask), .mem_i(cpl_told), .wr_dat_o(cpl_dat), .rd_data_i(rd_data), .all_mem_i(mem_all)
  );

  // ------------------------------------------------------------------ time and idle
  ohca_time u_time (
    .clk_on_i, .rst_i, .skip_i, .skip_cycles_i, .now_o, .ra_i(ra_timer), .cq_i(cq_timer),
    .link_valid_i(link_next_valid), .link_i(link_next), .nic_valid_i(nic_next_valid), .nic_i(nic_next),
    .wake_i(mgmt_wake), .next_o(next_timer_o),
    .ra_due_o(ra_due), .cq_due_o(cq_due), .link_due_o(link_due), .nic_due_o(nic_due)
  );

  logic core_idle;
  assign core_idle = host_idle && bar_idle && tx_idle && rcv_idle && cpl_idle && link_idle && nic_idle &&
                     !core_rst_q && !soft_rst;
  assign idle_o    = core_idle && mgmt_idle;

  // What the blocks can not know: that a timer of theirs has come, what the management core wants, the host, the wire.
  assign busy_o = !core_idle || ra_due || cq_due || link_due || nic_due || mgmt_touch || rst_i || skip_i ||
                  m_axi_rvalid_i || m_axi_bvalid_i || rx_valid_i || tx_valid_o || irq_valid_o ||
                  s_axil_awvalid_i || s_axil_wvalid_i || s_axil_arvalid_i || s_axil_bvalid_o || s_axil_rvalid_o ||
                  s_push_axi_awvalid_i || s_push_axi_wvalid_i || s_push_axi_bvalid_o;

  logic unused;
  assign unused = &{1'b0, rst_nic, icm_init, con_valid, con_char, ev, cnt};

`ifdef OHCA_GATES
  // ------------------------------------------------------------------ clocks by part
  // In simulation a part that has nothing to do gets no edges: clk_part_i[n] must have the edge of clk_i at which
  // part_busy_o[n] is set, and the next eight. A part is idle by its own word, and what may begin something in it
  // wakes it, here or in the module that it is in: what is valid at its inputs, a timer of its own, and whatever the
  // management core does, which may change levels that the part looks at (`all`). The clocks are pins, as those that
  // logic in here made would have a simulator follow that logic a second time. clk_part_i[`PART_CPU] and
  // clk_part_i[`PART_MGMT] go with clk_on_i.
`ifdef OHCA_EAGER
  assign all = 1'b1;
`else
  assign all = rst_i || core_rst_q || soft_rst || skip_i || mgmt_touch || drain || (|draining) || port_acc.valid ||
               acc_valid != '0 || icm_set.we || icm_init;
`endif
  always_comb begin
    part_busy_o = host_parts | bar_parts | tx_parts | rcv_parts | cpl_parts;
    part_busy_o[`PART_RA]   = rcv_parts[`PART_RA] || ra_due;
    part_busy_o[`PART_CQ]   = cpl_parts[`PART_CQ] || cq_due;
    part_busy_o[`PART_NIC]  = all || !nic_idle || nic_beat.valid || ntx_beat.valid || (|nic_db_we) || nic_due ||
                              nic_told.data.valid || nic_told.desc.valid;
    part_busy_o[`PART_LTX]  = all || ltx_busy || tx_valid_o || ntx_beat.valid || link_due;
    part_busy_o[`PART_LRX]  = all || lrx_busy;
    part_busy_o[`PART_PFC]  = all || pfc_busy;
    part_busy_o[`PART_CPU]  = all || !cpu_waits;
    part_busy_o[`PART_MGMT] = all || mgmt_busy;
    // What is configured: registers that only the management core writes, and that logic of all parts looks at.
    part_busy_o[`PART_CFG]  = all;
  end
`endif

endmodule

`default_nettype wire
