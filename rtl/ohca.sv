// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// OpenHCA: the host channel adapter. This file only wires; what each block does and why is in docs/architecture.md.
//
// Host side AXI4-Lite (BAR 0), AXI4 (DMA) and interrupts by vector; network side packet streams.
//
// One clock, which comes in twice: clk_on_i always runs, for the time and the management core; clk_i is everything
// else's. Both may be one net. Or clk_i may leave out edges: it must have one at each edge of clk_on_i at which busy_o
// is set, and at the next eight after it. That saves power on an FPGA (a clock buffer with enable) and most of a
// simulator's work while only firmware runs.

`default_nettype none

`ifdef OHCA_GATES
  `define CLOCK(__part) clk_part_i[__part]
`else
  `define CLOCK(__part) clk_i
`endif

module ohca #(
  parameter int unsigned DataWidth  = 64,                               // 64, 128, 256 or 512
  parameter int unsigned NumVl      = 4,
  parameter int unsigned IcmChunks  = 2048,                             // 256 KiB each
  parameter int unsigned CtxSets    = (DataWidth > 64) ? 1024 : 256,    // QP contexts on chip, in each of three caches
  parameter int unsigned CtxFills   = (DataWidth > 64) ? 32 : 16,       // of each of them: misses in flight (host
                                                                        // latency / CtxFills cycles a miss)
  parameter int unsigned CtxDepth   = (DataWidth > 64) ? 64 : 32,       //   lookups in flight
  parameter int unsigned CtxEvicts  = (DataWidth > 64) ? 64 : 32,       //   write-backs in flight
  parameter bit          Compact    = 1'b0,                             // half the block RAM of caches and WQEs, half
                                                                        // their rate: at 64 bits seldom felt
  parameter int unsigned CtxWays    = Compact ? 1 : 2,                  // CtxSets is divided by them: what somebody
                                                                        // uses all the time stays
  parameter int unsigned InFlight   = 32,                               // packets in each receive engine's stages, 16
                                                                        // or 32; queues of the transmit side
  parameter int unsigned CqSets     = (DataWidth > 64) ? 256 : 64,
  parameter int unsigned MptLines   = (DataWidth > 64) ? 1024 : 256,
  parameter int unsigned MttLines   = (DataWidth > 64) ? 2048 : 512,
  parameter int unsigned DmaTags    = 64,
  parameter int unsigned MaxRead    = 512,
  parameter int unsigned RunQueue   = 65536,                            // QPs that can be active at a time
  parameter int unsigned RespSlots  = (DataWidth > 64) ? 64 : 32,       // QPs with READ responses under way
  parameter int unsigned FwRamBytes = 131072,
  parameter int unsigned BufBytes   = (DataWidth > 64) ? 65536 : 32768, // receive buffer: packets being worked on
  parameter int unsigned FrontBytes = 131072, // wire buffer, what credits promise, shared by the VLs
  // multicast table: 480, 120, 240 nodes
  parameter int unsigned McastWords = (DataWidth > 64) ? 4096 : Compact ? 1024 : 2048,
  parameter int unsigned DbStride   = 0,                                // doorbell pages are 4 KiB << DbStride apart, 0
                                                                        // to 4
  parameter bit          RoCE       = 1'b1,                             // the port can be an Ethernet port
  // LOG_MAX_QP of the firmware (firmware/dev.h)
  localparam int unsigned NumQps    = (FwRamBytes >= 131072) ? 131072 : 16384,
  localparam int unsigned Bytes     = DataWidth / 8
) (
  input  logic                 clk_on_i,
  input  logic                 clk_i,
  input  logic                 rst_i,
  output logic                 busy_o,            // combinational, from inputs too: clk_i is needed
`ifdef OHCA_GATES
  input  logic [22:0]          clk_part_i,        // "clocks by part", at the end
  output logic [22:0]          part_busy_o,
`endif

  // BAR 0
  input  logic                 s_axil_awvalid_i,
  output logic                 s_axil_awready_o,
  input  logic [19:0]          s_axil_awaddr_i,
  input  logic                 s_axil_wvalid_i,
  output logic                 s_axil_wready_o,
  input  logic [63:0]          s_axil_wdata_i,
  input  logic [7:0]           s_axil_wstrb_i,
  output logic                 s_axil_bvalid_o,
  input  logic                 s_axil_bready_i,
  output logic [1:0]           s_axil_bresp_o,
  input  logic                 s_axil_arvalid_i,
  output logic                 s_axil_arready_o,
  input  logic [19:0]          s_axil_araddr_i,
  output logic                 s_axil_rvalid_o,
  input  logic                 s_axil_rready_i,
  output logic [63:0]          s_axil_rdata_o,
  output logic [1:0]           s_axil_rresp_o,

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

  // The caches of CQs and of translations see fewer misses than those of QPs.
  localparam int unsigned SmallFills  = (CtxFills < 8) ? CtxFills : 8;
  localparam int unsigned TptFills    = (CtxFills < 16) ? CtxFills : 16;
  localparam int unsigned SmallDepth  = (CtxDepth < 32) ? CtxDepth : 32;
  localparam int unsigned SmallEvicts = (CtxEvicts < 32) ? CtxEvicts : 32;

  localparam int unsigned NumRd  = RoCE ? 15 : 13;                       // the network interface has the last ones
  localparam int unsigned NumWr  = RoCE ? 9 : 8;
  localparam int unsigned NumEv  = RoCE ? 5 : 4;
  localparam int unsigned NumTpt = 6;
  localparam int unsigned NumIcm = 6;
  localparam int unsigned IcmLog2 = $clog2(IcmChunks);
  localparam int unsigned HwCfg  = $clog2(DataWidth) | (NumVl << 4) | (IcmLog2 << 8) | (4 << 13) | (1 << 16) |
      (1 << 18) | (32'(RoCE) << 19) | (32'(!Compact) << 20) |
                                   (32'(!Compact) << 21) | (DbStride << 22);
  localparam int unsigned RbAddrW = $clog2(BufBytes / Bytes);

`ifdef OHCA_GATES
  // Parts with a clock of their own in simulation ("clocks by part", at the end)
  localparam int unsigned PSq = 0, PTxb = 1, PResp = 2, PRs = 3, PRa = 4, PPl = 5, PCq = 6, PEq = 7, PNic = 8,
                          PTpt = 9, PDisp = 10, PLtx = 11, PLrx = 12, PPfc = 13, PDrd = 14, PCpu = 15, PCfg = 16,
                              PIcm = 17, PDwr = 18,
                          PMgmt = 19, PBar = 20, PMux = 21, PCnt = 22;
`endif

  // ------------------------------------------------------------------ time and reset
  logic [63:0] now_q;
  logic        soft_rst, rst;
  always_ff @(posedge clk_on_i) begin
    if (rst_i)       now_q <= '0;
    else if (skip_i) now_q <= now_q + skip_cycles_i;
    else             now_q <= now_q + 64'd1;
  end
  assign now_o = now_q;
  // A register, as it drives everything.
  logic core_rst_q;
  always_ff @(posedge `CLOCK(PCfg)) core_rst_q <= rst_i || soft_rst;
  assign rst = core_rst_q || rst_i;

  // ------------------------------------------------------------------ host memory
  logic [NumRd-1:0]                                     rd_valid, rd_ready, rd_rsp_valid;
  logic [NumRd-1:0][ohca_fmt_pkg::DMA_RD_REQ_BITS-1:0]  rd_req;
  logic [7:0]                                           rd_rsp_tag;
  logic [DataWidth-1:0]                                 rd_rsp_data;
  logic                                                 rd_rsp_last, rd_rsp_err;
  logic [NumWr-1:0]                                     wr_valid, wr_ready, wr_dat_valid, wr_dat_ready, wr_dat_last;
  logic [NumWr-1:0][ohca_fmt_pkg::DMA_WR_REQ_BITS-1:0]  wr_req;
  logic [NumWr-1:0][DataWidth-1:0]                      wr_dat;
  logic [31:0]                                          wr_issued, wr_acked;
  logic                                                 wr_err;
  logic [NumTpt-1:0]                                    tpt_valid, tpt_ready, tpt_rsp_valid;
  logic [NumTpt-1:0][ohca_fmt_pkg::TPT_REQ_BITS-1:0]    tpt_req;
  ohca_fmt_pkg::tpt_rsp_t                               tpt_rsp;
  logic [NumIcm-1:0]                                    icm_valid, icm_ready, icm_rsp_valid;
  logic [NumIcm-1:0][39:0]                              icm_addr;
  logic                                                 icm_rsp_ok;
  logic [63:0]                                          icm_rsp_addr;
  ohca_fmt_pkg::hrd_beat_t                              rd_beat;
  ohca_fmt_pkg::hwr_cnt_t                               wr_cnt;
  ohca_fmt_pkg::ctx_req_t                               sq_ctx_req, ra_ctx_req, rs_ctx_req, cq_ctx_req;
  ohca_fmt_pkg::ctx_rsp_t                               sq_ctx_rsp, ra_ctx_rsp, rs_ctx_rsp, cq_ctx_rsp;
  ohca_fmt_pkg::fetch_req_t                             sq_ring_req, ra_ring_req, rs_ring_req;
  ohca_fmt_pkg::fetch_rsp_t                             sq_ring_rsp, ra_ring_rsp, rs_ring_rsp;
  assign rd_beat = {rd_rsp_last, rd_rsp_err, rd_rsp_tag};
  assign wr_cnt  = {wr_issued, wr_acked};
  assign {rd_valid[0], rd_req[0], wr_valid[0], wr_req[0], wr_dat_valid[0], wr_dat_last[0],
          icm_valid[0], icm_addr[0]} = sq_ctx_req;
  assign {rd_valid[1], rd_req[1], wr_valid[1], wr_req[1], wr_dat_valid[1], wr_dat_last[1],
          icm_valid[1], icm_addr[1]} = ra_ctx_req;
  assign {rd_valid[2], rd_req[2], wr_valid[2], wr_req[2], wr_dat_valid[2], wr_dat_last[2],
          icm_valid[2], icm_addr[2]} = rs_ctx_req;
  assign {rd_valid[3], rd_req[3], wr_valid[3], wr_req[3], wr_dat_valid[3], wr_dat_last[3],
          icm_valid[3], icm_addr[3]} = cq_ctx_req;
  assign sq_ctx_rsp = {rd_ready[0], rd_rsp_valid[0], wr_ready[0], wr_dat_ready[0], icm_ready[0],
                       icm_rsp_valid[0], icm_rsp_ok, icm_rsp_addr};
  assign ra_ctx_rsp = {rd_ready[1], rd_rsp_valid[1], wr_ready[1], wr_dat_ready[1], icm_ready[1],
                       icm_rsp_valid[1], icm_rsp_ok, icm_rsp_addr};
  assign rs_ctx_rsp = {rd_ready[2], rd_rsp_valid[2], wr_ready[2], wr_dat_ready[2], icm_ready[2],
                       icm_rsp_valid[2], icm_rsp_ok, icm_rsp_addr};
  assign cq_ctx_rsp = {rd_ready[3], rd_rsp_valid[3], wr_ready[3], wr_dat_ready[3], icm_ready[3],
                       icm_rsp_valid[3], icm_rsp_ok, icm_rsp_addr};
  assign {tpt_valid[0], tpt_req[0], rd_valid[6], rd_req[6]} = sq_ring_req;
  assign {tpt_valid[1], tpt_req[1], rd_valid[7], rd_req[7]} = ra_ring_req;
  assign {tpt_valid[2], tpt_req[2], rd_valid[8], rd_req[8]} = rs_ring_req;
  assign sq_ring_rsp = {tpt_ready[0], tpt_rsp_valid[0], tpt_rsp, rd_ready[6], rd_rsp_valid[6]};
  assign ra_ring_rsp = {tpt_ready[1], tpt_rsp_valid[1], tpt_rsp, rd_ready[7], rd_rsp_valid[7]};
  assign rs_ring_rsp = {tpt_ready[2], tpt_rsp_valid[2], tpt_rsp, rd_ready[8], rd_rsp_valid[8]};

  // Which event counters each source can move: the others cost nothing (ohca_bar checks it).
  localparam int unsigned NumCnt = RoCE ? 14 : 12;
  localparam logic [63:0] One      = 64'd1;
  localparam logic [63:0] CntRd    = One << ohca_fmt_pkg::COUNTER_DMA_RD_ERR;
  localparam logic [63:0] CntWr    = One << ohca_fmt_pkg::COUNTER_DMA_WR_ERR;
  localparam logic [63:0] CntTpt   = One << ohca_fmt_pkg::COUNTER_TPT_KEY | One << ohca_fmt_pkg::COUNTER_TPT_BOUNDS |
      One << ohca_fmt_pkg::COUNTER_TPT_ACCESS |
                                     One << ohca_fmt_pkg::COUNTER_TPT_PD;
  localparam logic [63:0] CntSq    = One << ohca_fmt_pkg::COUNTER_DB_BAD_PAGE | One << ohca_fmt_pkg::COUNTER_DB_BAD_QP |
                                     One << ohca_fmt_pkg::COUNTER_TX_LOCAL_ERR;
  localparam logic [63:0] CntResp  = One << ohca_fmt_pkg::COUNTER_RESP_FULL;
  localparam logic [63:0] CntTxb   = One << ohca_fmt_pkg::COUNTER_TX_LOCAL_ERR | One << ohca_fmt_pkg::COUNTER_TX_DROP;
  localparam logic [63:0] CntDisp  = One << ohca_fmt_pkg::COUNTER_RX_BTH | One << ohca_fmt_pkg::COUNTER_RX_QPN |
      One << ohca_fmt_pkg::COUNTER_RX_OPCODE |
                                     One << ohca_fmt_pkg::COUNTER_RX_VL15_DROP;
  localparam logic [63:0] CntCq    = One << ohca_fmt_pkg::COUNTER_DB_BAD_PAGE |
      One << ohca_fmt_pkg::COUNTER_CQ_OVERFLOW;
  localparam logic [63:0] CntEq    = One << ohca_fmt_pkg::COUNTER_EQ_OVERFLOW;
  localparam logic [63:0] CntNic   = One << ohca_fmt_pkg::COUNTER_DB_BAD_PAGE |
      ((~64'd0) << ohca_fmt_pkg::COUNTER_RX_LVER);
  localparam logic [63:0] CntCnp   = One << ohca_fmt_pkg::COUNTER_CNP_TX;
  // The receive engines: anything but what belongs to hosts' memory, translation and the port. The link: the port's.
  localparam logic [63:0] CntPort  = One << ohca_fmt_pkg::COUNTER_RX_VCRC | One << ohca_fmt_pkg::COUNTER_RX_ICRC |
      One << ohca_fmt_pkg::COUNTER_RX_LEN |
                                     One << ohca_fmt_pkg::COUNTER_RX_DLID | One << ohca_fmt_pkg::COUNTER_RX_VL |
                                         One << ohca_fmt_pkg::COUNTER_RX_OVERRUN |
                                     ((~64'd0) << ohca_fmt_pkg::COUNTER_RX_LVER);
  localparam logic [63:0] CntRecv  = ~(CntRd | CntWr | CntTpt | CntCq | CntEq | CntPort) |
      One << ohca_fmt_pkg::COUNTER_DB_BAD_PAGE;
  localparam logic [NumCnt*64-1:0] CntMask = (NumCnt*64)'({
    CntCnp, CntNic, CntEq, CntCq, CntRecv, CntRecv, CntDisp, CntTxb, CntResp, CntSq, CntPort, CntTpt, CntWr, CntRd});
  logic [NumCnt-1:0][63:0] cnt;
  logic                    rd_idle, wr_idle, icm_idle, bar_idle, tpt_idle, cq_idle, eq_idle, sq_idle, resp_idle,
      mux_idle, txb_idle;
  logic                    disp_idle, mc_idle, rs_idle, ra_idle, pl_idle, link_idle, mgmt_idle, mgmt_touch, drain;
  logic [1:0]              draining;

  // By client (docs/modules.md): rings 0, contexts 1, doorbell records 2, tables 3, management and network interface 4,
  // payload 5. Contexts of all engines have one order: with one for each, the send engine's fetches leave the
  // acknowledge engine behind when both fetch all the time.
  ohca_dma_rd #(.DW(DataWidth), .NumClients(NumRd), .Tags(DmaTags), .MaxRead(MaxRead),
      .MaxBeats(DataWidth > 64 ? 512 : 256),
                .Orders(Compact ? 1 : 6), .OrderOf(Compact ? '0 : (4 * NumRd)'(60'h444225000331111)),
                .Compact(Compact)) u_dma_rd (
    .clk_i(`CLOCK(PDrd)), .rst_i, .soft_rst_i(core_rst_q), .idle_o(rd_idle), .cnt_o(cnt[0]),
    .req_valid_i(rd_valid), .req_ready_o(rd_ready), .req_i(rd_req),
    .rsp_valid_o(rd_rsp_valid), .rsp_tag_o(rd_rsp_tag), .rsp_data_o(rd_rsp_data), .rsp_last_o(rd_rsp_last),
    .rsp_err_o(rd_rsp_err),
    .m_axi_arvalid_o, .m_axi_arready_i, .m_axi_arid_o, .m_axi_araddr_o, .m_axi_arlen_o, .m_axi_arsize_o,
    .m_axi_arburst_o,
    .m_axi_rvalid_i, .m_axi_rready_o, .m_axi_rid_i, .m_axi_rdata_i, .m_axi_rresp_i, .m_axi_rlast_i
  );

  ohca_dma_wr #(.DW(DataWidth), .NumClients(NumWr), .Compact(Compact)) u_dma_wr (
    .clk_i(`CLOCK(PDwr)), .rst_i, .soft_rst_i(core_rst_q), .idle_o(wr_idle), .cnt_o(cnt[1]),
    .req_valid_i(wr_valid), .req_ready_o(wr_ready), .req_i(wr_req),
    .dat_valid_i(wr_dat_valid), .dat_ready_o(wr_dat_ready), .dat_i(wr_dat), .dat_last_i(wr_dat_last),
    .issued_o(wr_issued), .acked_o(wr_acked), .err_o(wr_err),
    .m_axi_awvalid_o, .m_axi_awready_i, .m_axi_awid_o, .m_axi_awaddr_o, .m_axi_awlen_o, .m_axi_awsize_o,
    .m_axi_awburst_o,
    .m_axi_wvalid_o, .m_axi_wready_i, .m_axi_wdata_o, .m_axi_wstrb_o, .m_axi_wlast_o,
    .m_axi_bvalid_i, .m_axi_bready_o, .m_axi_bid_i, .m_axi_bresp_i
  );

  logic                   icm_init;
  ohca_fmt_pkg::icm_set_t icm_set;
  ohca_icm #(.NumClients(NumIcm), .Chunks(IcmChunks)) u_icm (
    .clk_i(`CLOCK(PIcm)), .rst_i(rst), .idle_o(icm_idle), .init_o(icm_init),
    .req_valid_i(icm_valid), .req_ready_o(icm_ready), .req_addr_i(icm_addr),
    .rsp_valid_o(icm_rsp_valid), .rsp_ok_o(icm_rsp_ok), .rsp_addr_o(icm_rsp_addr),
    .wr_en_i(icm_set.we), .wr_chunk_i(icm_set.chunk), .wr_valid_i(icm_set.valid), .wr_addr_i(icm_set.addr)
  );

  // Tables: base in context memory, entries
  logic [3:0][15:0] tbl_base;
  logic [3:0][31:0] tbl_limit;
  logic [39:0]      qpc_base, cqc_base, mpt_base, mtt_base;
  assign qpc_base = {6'h0, tbl_base[0], 18'h0};
  assign cqc_base = {6'h0, tbl_base[1], 18'h0};
  assign mpt_base = {6'h0, tbl_base[2], 18'h0};
  assign mtt_base = {6'h0, tbl_base[3], 18'h0};

  // ------------------------------------------------------------------ registers and doorbells
  logic                   sq_db_valid, sq_db_ready, rq_db_valid, rq_db_ready, cq_arm_valid, cq_arm_ready, eq_db_valid,
      eq_db_ready;
  ohca_fmt_pkg::sq_db_t   sq_db;
  logic [47:0]            rq_db;
  logic [63:0]            cq_arm;
  logic [32:0]            eq_db;
  logic [31:0]            time_scale, log_rdata;
  logic [9:0]             log_raddr;
  ohca_fmt_pkg::bar_fw_t  bar_fw;
  ohca_fmt_pkg::fw_bar_t  fw_bar;
  ohca_fmt_pkg::fw_log_t  fw_log;

  logic [2:0]             nic_db_we;
`ifdef OHCA_GATES
  logic                   bar_busy;
`endif
  logic [2:0][15:0]       nic_db;
  ohca_bar #(.HwCfg(HwCfg), .CntSources(NumCnt), .CntMask(CntMask), .Nic(RoCE), .Compact(Compact),
      .DbDepth(Compact ? 16 : 32),
             .DbStride(DbStride)) u_bar (
`ifdef OHCA_GATES
    .clk_cnt_i(clk_part_i[PCnt]), .busy_o(bar_busy),
`endif
    .clk_i(`CLOCK(PBar)), .rst_i, .now_i(now_q), .idle_o(bar_idle),
    .s_axil_awvalid_i, .s_axil_awready_o, .s_axil_awaddr_i, .s_axil_wvalid_i, .s_axil_wready_o, .s_axil_wdata_i,
    .s_axil_wstrb_i,
    .s_axil_bvalid_o, .s_axil_bready_i, .s_axil_bresp_o, .s_axil_arvalid_i, .s_axil_arready_o, .s_axil_araddr_i,
    .s_axil_rvalid_o, .s_axil_rready_i, .s_axil_rdata_o, .s_axil_rresp_o,
    .sq_db_valid_o(sq_db_valid), .sq_db_ready_i(sq_db_ready), .sq_db_o(sq_db),
    .rq_db_valid_o(rq_db_valid), .rq_db_ready_i(rq_db_ready), .rq_db_o(rq_db),
    .cq_arm_valid_o(cq_arm_valid), .cq_arm_ready_i(cq_arm_ready), .cq_arm_o(cq_arm),
    .eq_db_valid_o(eq_db_valid), .eq_db_ready_i(eq_db_ready), .eq_db_o(eq_db),
    .nic_db_we_o(nic_db_we), .nic_db_o(nic_db),
    .cmd_go_o(bar_fw.cmd_go), .cmd_done_i(fw_bar.cmd_done), .cmd_status_i(fw_bar.cmd_status),
    .cmd_imm_i(fw_bar.cmd_imm), .fw_version_i(fw_bar.version), .status_i(fw_bar.status), .health_i(fw_bar.health),
    .strap_mhz_i, .time_scale_o(time_scale), .log_addr_o(log_raddr), .log_data_i(log_rdata),
    .cnt_i(cnt), .mem_rd_i(fw_bar.rd), .mem_rd_addr_i(fw_bar.addr), .mem_rd_data_o(bar_fw.rdata),
    .soft_rst_o(soft_rst)
  );
  assign bar_fw.time_scale = time_scale;

  ohca_ram_sdp #(.Width(32), .Depth(1024)) u_log (
    .clk_i(clk_on_i), .wr_en_i(fw_log.we), .wr_be_i(1'b1), .wr_addr_i(fw_log.addr), .wr_data_i(fw_log.wdata),
    .rd_en_i(1'b1), .rd_addr_i(log_raddr), .rd_data_o(log_rdata)
  );

  // ------------------------------------------------------------------ translation
  logic inv_valid, inv_ready, inv_mtt, inv_all, tpt_quiet;
  logic [23:0] inv_num;
  logic [5:0]  inv_last;
  logic [4:0]  inv_block;
  ohca_tpt #(.DW(DataWidth), .NumClients(NumTpt), .MptLines(MptLines), .MttLines(MttLines), .Fills(TptFills),
      .Depth(SmallDepth), .Small(Compact),
             .Rings('b100111)) u_tpt (
    .clk_i(`CLOCK(PTpt)), .rst_i(rst), .idle_o(tpt_idle), .cnt_o(cnt[2]),
    .mpt_base_i(mpt_base), .mpt_limit_i(tbl_limit[2][24:0]), .mtt_base_i(mtt_base), .mtt_limit_i(tbl_limit[3][27:0]),
    .req_valid_i(tpt_valid), .req_ready_o(tpt_ready), .req_i(tpt_req), .rsp_valid_o(tpt_rsp_valid), .rsp_o(tpt_rsp),
    .inv_valid_i(inv_valid), .inv_ready_o(inv_ready), .inv_mtt_i(inv_mtt), .inv_all_i(inv_all), .inv_num_i(inv_num),
    .inv_last_i(inv_last), .inv_block_i(inv_block), .quiet_o(tpt_quiet),
    .icm_valid_o(icm_valid[5:4]), .icm_ready_i(icm_ready[5:4]), .icm_addr_o(icm_addr[5:4]),
    .icm_rsp_valid_i(icm_rsp_valid[5:4]), .icm_rsp_ok_i(icm_rsp_ok), .icm_rsp_addr_i(icm_rsp_addr),
    .rd_valid_o(rd_valid[5:4]), .rd_ready_i(rd_ready[5:4]), .rd_o(rd_req[5:4]), .rd_rsp_valid_i(rd_rsp_valid[5:4]),
    .rd_rsp_data_i(rd_rsp_data), .rd_rsp_last_i(rd_rsp_last), .rd_rsp_err_i(rd_rsp_err)
  );

  // ------------------------------------------------------------------ management core
  logic                     acc_valid, acc_ready;
  ohca_fmt_pkg::acc_rsp_t   acc_rsp, sq_acc_rsp, rs_acc_rsp, ra_acc_rsp, cq_acc_rsp, mc_acc_rsp;
  ohca_fmt_pkg::ctx_acc_t   acc;
  logic [4:0]               acc_v, acc_r;                           // sq, rs, ra, cq: order of enum ctx_part; then
                                                                    // multicast
  logic                     acc_mc;
  logic                     inv_done_q;
  ohca_fmt_pkg::eqm_req_t   eqm_req;
  ohca_fmt_pkg::eqm_rsp_t   eqm_rsp;
  logic [NumEv-1:0]         ev_valid, ev_ready;                     // cq, rs, ra, mgmt, network interface
  ohca_fmt_pkg::ev_req_t    ev_cq, ev_rs, ev_ra, ev_mg, ev_nic;
  logic                     mad_free, mad_take, mad_done, mad_we;
  logic [1:0]               mad_slot;
  logic [9:0]               mad_len;
  logic [8:0]               mad_addr;
  logic [31:0]              mad_data;
  logic                     mtx_ready;
  ohca_fmt_pkg::mtx_beat_t  mtx;
  logic [DataWidth-1:0]     mtx_data;
  logic [Bytes-1:0]         mtx_keep;
  logic                     port_event;
  ohca_fmt_pkg::cfg_acc_t   port_acc;
  logic [31:0]              port_rdata;
  logic [63:0]              mgmt_wake;
  logic                     con_valid;
  logic [7:0]               con_char;

  assign acc_mc = acc.part == ohca_fmt_pkg::CTX_PART_MCAST;
  always_comb begin
    acc_v = '0;
    if (acc.part < ohca_fmt_pkg::CTX_PART_MPT) acc_v[{1'b0, acc.part[1:0]}] = acc_valid;
    acc_v[4] = acc_valid && acc_mc;
  end
  assign inv_valid = acc_valid && acc.part >= ohca_fmt_pkg::CTX_PART_MPT && !acc_mc && !inv_done_q;
  assign inv_mtt   = acc.part == ohca_fmt_pkg::CTX_PART_MTT;
  assign inv_all   = !acc.wmask[0];
  assign inv_num   = acc.num;
  assign inv_last  = acc.wdata[5:0];
  assign inv_block = acc.wdata[12:8];
  always_ff @(posedge clk_i) inv_done_q <= !rst && inv_valid && inv_ready;
  assign acc_ready = (acc.part < ohca_fmt_pkg::CTX_PART_MPT) ? acc_r[{1'b0, acc.part[1:0]}] : acc_mc ? acc_r[4] :
      (inv_valid && inv_ready);
  always_comb begin
    acc_rsp       = '0;
    acc_rsp.valid = inv_done_q;
    if (sq_acc_rsp.valid) acc_rsp = sq_acc_rsp;
    if (rs_acc_rsp.valid) acc_rsp = rs_acc_rsp;
    if (ra_acc_rsp.valid) acc_rsp = ra_acc_rsp;
    if (cq_acc_rsp.valid) acc_rsp = cq_acc_rsp;
    if (mc_acc_rsp.valid) acc_rsp = mc_acc_rsp;
  end
`ifdef OHCA_GATES
  logic cpu_waits, mgmt_busy;
`endif

  ohca_mgmt #(.DataWidth(DataWidth), .RamBytes(FwRamBytes), .Compact(Compact), .IcmLog2(IcmLog2),
      .HwCfg(HwCfg)) u_mgmt (
`ifdef OHCA_GATES
    .clk_i(clk_part_i[PMgmt]), .clk_on_i, .clk_cpu_i(clk_part_i[PCpu]), .clk_cfg_i(clk_part_i[PCfg]),
    .cpu_waits_o(cpu_waits), .busy_o(mgmt_busy),
`else
    .clk_i(clk_on_i),
`endif
    .rst_i(rst), .now_i(now_q), .strap_guid_i, .idle_o(mgmt_idle), .touch_o(mgmt_touch), .wake_o(mgmt_wake),
    .drain_o(drain), .draining_i(draining),
    .bar_i(bar_fw), .bar_o(fw_bar), .log_o(fw_log),
    .port_o(port_acc), .port_rdata_i(port_rdata), .port_event_i(port_event),
    .cnp_i(cnp_note), .rs_viol_i(rs_viol), .ra_viol_i(ra_viol),
    .mad_o({mad_free, mad_slot}), .mad_i({mad_take, mad_len, mad_done, mad_we, mad_addr, mad_data}),
    .mtx_o(mtx), .mtx_ready_i(mtx_ready), .mtx_data_o(mtx_data), .mtx_keep_o(mtx_keep),
    .acc_valid_o(acc_valid), .acc_ready_i(acc_ready), .acc_o(acc), .acc_rsp_i(acc_rsp),
    .icm_o(icm_set), .tbl_base_o(tbl_base), .tbl_limit_o(tbl_limit), .eq_o(eqm_req), .eq_i(eqm_rsp),
    .ev_valid_o(ev_valid[3]), .ev_ready_i(ev_ready[3]), .ev_o(ev_mg),
    .rd_o({rd_valid[12], rd_req[12]}), .rd_i({rd_ready[12], rd_rsp_valid[12]}), .rd_rsp_data_i(rd_rsp_data),
    .rd_rsp_i(rd_beat),
    .wr_o({wr_valid[7], wr_req[7], wr_dat_valid[7], wr_dat_last[7]}), .wr_i({wr_ready[7], wr_dat_ready[7]}),
    .wr_dat_o(wr_dat[7]), .wr_cnt_i(wr_cnt),
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
  ohca_fmt_pkg::port_cfg_t cfg;
  logic [2:0][15:0]        pkey_idx, pkey;
  logic [7:0]              gid_idx;
  logic [127:0]            gid;
  ohca_fmt_pkg::gid_ent_t  eth_gid;
  ohca_fmt_pkg::eth_cnp_t  cnp_cfg;
  ohca_fmt_pkg::nic_beat_t nic_beat;
  ohca_fmt_pkg::ntx_beat_t ntx_beat;
  ohca_fmt_pkg::cnp_note_t cnp_note;
  logic                    nic_room, ntx_ready, ntx_en;
  logic [DataWidth-1:0]    ntx_data;
  logic [Bytes-1:0]        ntx_keep;
  logic                    nic_idle, nic_next_valid;
  logic [63:0]             nic_next;
  logic [31:0]             link_rdata, nic_rdata;
  logic [DataWidth-1:0]    nic_data;
  logic [Bytes-1:0]        nic_keep;
  logic                    bad_pkey, bad_qkey;
  ohca_fmt_pkg::viol_note_t rs_viol, ra_viol;
  logic                    pk_ready;
  ohca_fmt_pkg::pk_beat_t  pk;                                       // of ohca_txbuild
  logic [DataWidth-1:0]    pk_data;
  logic [Bytes-1:0]        pk_keep;
  logic [9:0]              tk1_words;
  logic [NumVl-1:0][12:0]  room;                                     // of the egress rings, see ohca_link_tx
  logic [NumVl-1:0][7:0]   room_desc;
  logic [NumVl-1:0]        stuck, room_want, room_yield;
  logic                    tk0_v, tk1_v;
  logic [2:0]              tk0_vl, tk1_vl;
  logic [12:0]             tk0_words;
  logic [4:0]              tk0_n;
  logic                    rxd_valid, rxd_ready;
  ohca_fmt_pkg::rxd_t      rxd;
  logic [2:0]              rel_valid;                                // dispatch, rs, ra
  logic [2:0][5:0]         rel_slot;
  logic                    rb_en;
  logic [RbAddrW-1:0]      rb_addr;
  logic [DataWidth-1:0]    rb_data;
  logic                    link_next_valid;
  logic [63:0]             link_next;
  logic [ohca_fmt_pkg::PORT_PKEYS*16-1:0] pkeys;
`ifdef OHCA_GATES
  logic                    ltx_busy, lrx_busy, pfc_busy;
`endif

  ohca_link #(.DataWidth(DataWidth), .NumVl(NumVl), .BufBytes(BufBytes), .FrontBytes(FrontBytes),
      .RateEntries(Compact ? 2 : 4), .RoCE(RoCE), .Compact(Compact)) u_link (
    .clk_i, .rst_i(rst), .now_i(now_q), .idle_o(link_idle), .next_valid_o(link_next_valid), .next_o(link_next),
`ifdef OHCA_GATES
    .clk_tx_i(clk_part_i[PLtx]), .clk_rx_i(clk_part_i[PLrx]), .clk_pfc_i(clk_part_i[PPfc]),
    .clk_cfg_i(clk_part_i[PCfg]),
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
    .take_i({tk0_v, tk0_vl, tk0_words, tk0_n, tk1_v, tk1_vl, tk1_words}),
    .mtx_i(mtx), .mtx_ready_o(mtx_ready), .mtx_data_i(mtx_data), .mtx_keep_i(mtx_keep),
    .rxd_valid_o(rxd_valid), .rxd_ready_i(rxd_ready), .rxd_o(rxd), .rel_valid_i(rel_valid), .rel_slot_i(rel_slot),
    .rb_en_i(rb_en), .rb_addr_i(rb_addr), .rb_data_o(rb_data),
    .tx_o({tx_valid_o, tx_last_o, tx_kind_o}), .tx_ready_i, .tx_data_o, .tx_keep_o,
    .rx_i({rx_valid_i, rx_last_i, rx_error_i, rx_kind_i}), .rx_data_i, .rx_keep_i,
    .cnt_o(cnt[3])
  );

  // ------------------------------------------------------------------ network interface
  assign port_rdata = link_rdata | nic_rdata;
  if (RoCE) begin : g_nic
    ohca_nic #(.DataWidth(DataWidth)) u_nic (
      .clk_i(`CLOCK(PNic)), .rst_i(rst), .now_i(now_q), .idle_o(nic_idle), .next_valid_o(nic_next_valid),
      .next_o(nic_next), .cnt_o(cnt[12]),
      .mg_valid_i(port_acc.valid), .mg_we_i(port_acc.we), .mg_addr_i(port_acc.addr), .mg_wdata_i(port_acc.wdata),
      .mg_rdata_o(nic_rdata),
      .db_we_i(nic_db_we), .db_i(nic_db),
      .rd_valid_o(rd_valid[14:13]), .rd_ready_i(rd_ready[14:13]), .rd_o(rd_req[14:13]),
      .rd_rsp_valid_i(rd_rsp_valid[14:13]),
      .rd_rsp_data_i(rd_rsp_data), .rd_rsp_last_i(rd_rsp_last), .rd_rsp_err_i(rd_rsp_err),
      .wr_valid_o(wr_valid[8]), .wr_ready_i(wr_ready[8]), .wr_o(wr_req[8]), .wr_dat_valid_o(wr_dat_valid[8]),
      .wr_dat_ready_i(wr_dat_ready[8]),
      .wr_dat_o(wr_dat[8]), .wr_dat_last_o(wr_dat_last[8]), .wr_issued_i(wr_issued), .wr_acked_i(wr_acked),
      .ev_valid_o(ev_valid[4]), .ev_ready_i(ev_ready[4]), .ev_o(ev_nic),
      .in_valid_i(nic_beat.valid), .in_room_o(nic_room), .in_data_i(nic_data), .in_keep_i(nic_keep),
      .in_last_i(nic_beat.last), .in_err_i(nic_beat.err),
      .wire_en_i(ntx_en), .out_valid_o(ntx_beat.valid), .out_ready_i(ntx_ready), .out_data_o(ntx_data),
      .out_keep_o(ntx_keep), .out_last_o(ntx_beat.last)
    );
  end else begin : g_no_nic
    assign nic_idle       = 1'b1;
    assign nic_next_valid = 1'b0;
    assign nic_next       = '0;
    assign nic_rdata      = '0;
    assign nic_room       = 1'b0;
    assign ntx_beat       = '0;
    assign ntx_data       = '0;
    assign ntx_keep       = '0;
    assign ev_nic         = '0;
    logic unused_nic;
    assign unused_nic = &{1'b0, nic_beat, nic_data, nic_keep, ntx_ready, ntx_en, nic_db_we, nic_db,
        ev_nic};
  end

  // ------------------------------------------------------------------ send
  logic                   up_sq_v, up_sq_r, up_tx_v, up_tx_r, fb_valid, fb_ready, job_valid, job_ready;
  ohca_fmt_pkg::ra_up_t   up_sq, up_tx;
  logic [9:0]             up_seq;
  ohca_fmt_pkg::sq_fb_t   fb, ra_fb;
  logic                   ra_fb_valid, ra_fb_ready, fence_idle;
  ohca_fmt_pkg::rjob_t    job;
  logic                   rtxd_v, rtxd_r, rtxp_v, rtxp_r, stxd_v, stxd_r, stxp_v, stxp_r, txd_v, txd_r, txp_v, txp_r,
      inl_v, inl_r;
  ohca_fmt_pkg::txd_t     rtxd, stxd, txd, atxd;
  ohca_fmt_pkg::rjob_t    ce;
  logic                   atxd_v, atxd_r, ce_valid, cnp_idle;
  ohca_fmt_pkg::txp_t     rtxp, stxp, txp;
  logic [127:0]           inl;
  logic                   lost_v, owner_idle, tmr_any, rd_few;
  ohca_fmt_pkg::qp_fault_t rerr, over;
  logic [23:0]            lost_qpn, pl_wr_qpn;
  logic [3:0]             pk_vl;
  logic [7:0]             sq_gone;
  logic [31:0]            tmr_next;

  ohca_sq #(.DW(DataWidth), .Sets(CtxSets / CtxWays), .Ways(CtxWays), .CtxFills(CtxFills), .CtxDepth(CtxDepth),
      .CtxEvicts(CtxEvicts), .Compact(Compact), .RunQueue(RunQueue),
            .NumVl(NumVl), .RoCE(RoCE)) u_sq (
    .clk_i(`CLOCK(PSq)), .rst_i(rst), .idle_o(sq_idle), .cnt_o(cnt[4]), .base_i(qpc_base), .limit_i(tbl_limit[0][24:0]),
    .db_valid_i(sq_db_valid), .db_ready_o(sq_db_ready), .db_i(sq_db), .fb_valid_i(fb_valid), .fb_ready_o(fb_ready),
    .fb_i(fb),
    .acc_valid_i(acc_v[0]), .acc_ready_o(acc_r[0]), .acc_i(acc), .acc_rsp_o(sq_acc_rsp),
    .up_valid_o(up_sq_v), .up_ready_i(up_sq_r), .up_o(up_sq), .up_seq_o(up_seq),
    .sl2vl_i(cfg.sl2vl), .room_i(room), .desc_i(room_desc), .want_o(room_want),
    .tk_valid_o(tk0_v), .tk_vl_o(tk0_vl), .tk_words_o(tk0_words), .tk_n_o(tk0_n),
    .txd_valid_o(stxd_v), .txd_ready_i(stxd_r), .txd_o(stxd), .txp_valid_o(stxp_v), .txp_ready_i(stxp_r), .txp_o(stxp),
    .gone_o(sq_gone),
    .inl_valid_o(inl_v), .inl_ready_i(inl_r), .inl_o(inl),
    .rd_rsp_data_i(rd_rsp_data), .rd_rsp_i(rd_beat),
    .ctx_o(sq_ctx_req), .ctx_i(sq_ctx_rsp), .ctx_dat_o(wr_dat[0]), .wr_cnt_i(wr_cnt),
    .ring_o(sq_ring_req), .ring_i(sq_ring_rsp)
  );

  ohca_rd_fence #(.Depth(Compact ? 16 : 64)) u_fence (
    .clk_i(`CLOCK(PMux)), .rst_i(rst), .idle_o(fence_idle), .wr_issued_i(wr_issued), .wr_acked_i(wr_acked),
    .fb_valid_i(ra_fb_valid), .fb_ready_o(ra_fb_ready), .fb_i(ra_fb), .fb_valid_o(fb_valid), .fb_ready_i(fb_ready),
    .fb_o(fb)
  );

  // Coming: as many READs as the responder may have accepted (JobDepth), and those that wait at the input.
  ohca_resp #(.Slots(RespSlots), .Acks(Compact ? 8 : 16), .Compact(Compact), .RoCE(RoCE), .NumVl(NumVl),
      .Places(Compact ? 64 : 128), .Coming(InFlight + 4), .DW(DataWidth)) u_resp (
    .clk_i(`CLOCK(PResp)), .rst_i(rst), .idle_o(resp_idle), .cnt_o(cnt[5]), .job_valid_i(job_valid),
    .job_ready_o(job_ready), .job_i(job), .job_done_o(), .few_o(rd_few),
    .wr_issued_i(wr_issued), .wr_acked_i(wr_acked), .sl2vl_i(cfg.sl2vl), .room_i(room), .desc_i(room_desc),
    .stuck_i(stuck), .yield_i(room_yield),
    .over_valid_o(over.valid), .over_qpn_o(over.qpn), .over_psn_o(over.psn),
    .txd_valid_o(atxd_v), .txd_ready_i(atxd_r), .txd_o(atxd), .txp_valid_o(rtxp_v), .txp_ready_i(rtxp_r), .txp_o(rtxp)
  );

  logic moved_q;                         // a response has left
  always_ff @(posedge clk_i) moved_q <= atxd_v && atxd_r && !rst;

  // Congestion notifications have no payload: they may stand anywhere among the response engine's packets.
  if (RoCE) begin : g_cnp
    logic [NumVl-1:0] cnp_room;
    always_comb begin
      for (int unsigned v = 0; v < NumVl; v++) cnp_room[v] = room[v] >= 13'(4096 / Bytes +
          2 * ((108 + Bytes - 1) / Bytes)) && room_desc[v] >= 8'd2;
    end
    ohca_eth_cnp #(.NumVl(NumVl)) u_cnp (
      .clk_i(`CLOCK(PMux)), .rst_i(rst), .now_i(now_q), .idle_o(cnp_idle), .cnt_o(cnt[13]), .cnp_i(cnp_cfg),
      .sl2vl_i(cfg.sl2vl), .room_i(cnp_room), .ce_valid_i(ce_valid), .ce_i(ce),
      .txd_valid_i(atxd_v), .txd_ready_o(atxd_r), .txd_i(atxd), .txd_valid_o(rtxd_v), .txd_ready_i(rtxd_r), .txd_o(rtxd)
    );
  end else begin : g_no_cnp
    assign rtxd_v   = atxd_v;
    assign atxd_r   = rtxd_r;
    assign rtxd     = atxd;
    assign cnp_idle = 1'b1;
    logic unused_cnp;
    assign unused_cnp = &{1'b0, ce_valid, ce, cnp_cfg};
  end

  ohca_txmux #(.NumVl(NumVl), .DW(DataWidth), .RoCE(RoCE)) u_txmux (
    .clk_i(`CLOCK(PMux)), .rst_i(rst), .idle_o(mux_idle),
    .want_i(room_want), .sq_tk_valid_i(tk0_v), .sq_tk_vl_i(tk0_vl), .yield_o(room_yield),
    .tk_valid_o(tk1_v), .tk_vl_o(tk1_vl), .tk_words_o(tk1_words),
    .resp_txd_valid_i(rtxd_v), .resp_txd_ready_o(rtxd_r), .resp_txd_i(rtxd), .resp_txp_valid_i(rtxp_v),
    .resp_txp_ready_o(rtxp_r),
    .resp_txp_i(rtxp),
    .sq_txd_valid_i(stxd_v), .sq_txd_ready_o(stxd_r), .sq_txd_i(stxd), .sq_txp_valid_i(stxp_v), .sq_txp_ready_o(stxp_r),
    .sq_txp_i(stxp),
    .txd_valid_o(txd_v), .txd_ready_i(txd_r), .txd_o(txd), .txp_valid_o(txp_v), .txp_ready_i(txp_r), .txp_o(txp)
  );

  ohca_txbuild #(.DW(DataWidth), .TxdDepth(InFlight), .Pieces(2 * InFlight), .InlDepth(InFlight), .RoCE(RoCE),
      .Compact(Compact),
                 .NumVl(NumVl)) u_txbuild (
    .clk_i(`CLOCK(PTxb)), .rst_i(rst), .idle_o(txb_idle), .drain_i(drain), .draining_o(draining[1]), .cnt_o(cnt[6]),
    .cfg_i(cfg),
    .pkey_idx_o(pkey_idx[0]), .pkey_i(pkey[0]), .gid_idx_o(gid_idx), .gid_i(gid), .eth_gid_i(eth_gid),
    .txd_valid_i(txd_v), .txd_ready_o(txd_r), .txd_i(txd), .txp_valid_i(txp_v), .txp_ready_o(txp_r), .txp_i(txp),
    .gone_i(sq_gone), .inl_valid_i(inl_v), .inl_ready_o(inl_r), .inl_i(inl),
    .tpt_valid_o(tpt_valid[3]), .tpt_ready_i(tpt_ready[3]), .tpt_o(tpt_req[3]), .tpt_rsp_valid_i(tpt_rsp_valid[3]),
    .tpt_rsp_i(tpt_rsp),
    .rd_valid_o(rd_valid[9]), .rd_ready_i(rd_ready[9]), .rd_o(rd_req[9]), .rd_rsp_valid_i(rd_rsp_valid[9]),
    .rd_rsp_data_i(rd_rsp_data), .rd_rsp_err_i(rd_rsp_err),
    .up_valid_o(up_tx_v), .up_ready_i(up_tx_r), .up_o(up_tx),
    .rerr_valid_o(rerr.valid), .rerr_ready_i(1'b1), .rerr_qpn_o(rerr.qpn), .rerr_psn_o(rerr.psn),
    .out_valid_o(pk.valid), .out_ready_i(pk_ready), .out_data_o(pk_data), .out_keep_o(pk_keep), .out_last_o(pk.last),
    .out_err_o(pk.err), .out_vl_o(pk_vl), .out_ipd_o(pk.ipd), .out_words_o(pk.words), .out_sum_o(pk.sum)
  );

  // ------------------------------------------------------------------ receive
  logic                   d_rs_v, d_rs_r, d_ra_v, d_ra_r;
  ohca_fmt_pkg::rxd_t     d_rs, d_ra;
  logic [2:0]             pl_v, pl_r, pl_rsp_v;
  ohca_fmt_pkg::pl_req_t  pl_rs, pl_ra, pl_mad;
  ohca_fmt_pkg::pl_rsp_t  pl_rsp;
  logic                   qe_rs_v, qe_rs_r, qe_ra_v, qe_ra_r, qe_cq_v, qe_cq_r;
  logic                   cqt_any;
  logic [31:0]            cqt_next;
  logic [23:0]            qe_rs, qe_ra, qe_cq;
  logic [1:0]             cqr_v, cqr_r;
  ohca_fmt_pkg::cq_req_t  cqr_ra, cqr_rs;
  logic                   mc_go, mc_valid, mc_ready, mc_last, mc_none, mc_none_ready, rs_rel_valid;
  logic [127:0]           mc_mgid;
  logic [5:0]             mc_slot, rs_rel_slot;
  logic [23:0]            mc_qpn;

  ohca_rxdispatch #(.Slow(DataWidth <= 64)) u_dispatch (
    .clk_i(`CLOCK(PDisp)), .rst_i(rst), .idle_o(disp_idle), .cnt_o(cnt[7]), .limit_i(tbl_limit[0][24:0]),
    .rxd_valid_i(rxd_valid), .rxd_ready_o(rxd_ready), .rxd_i(rxd),
    .rs_valid_o(d_rs_v), .rs_ready_i(d_rs_r), .rs_o(d_rs), .ra_valid_o(d_ra_v), .ra_ready_i(d_ra_r), .ra_o(d_ra),
    .mc_go_o(mc_go), .mc_mgid_o(mc_mgid), .mc_slot_o(mc_slot), .mc_valid_i(mc_valid), .mc_ready_o(mc_ready),
    .mc_qpn_i(mc_qpn), .mc_last_i(mc_last),
    .mc_none_i(mc_none), .mc_none_ready_o(mc_none_ready),
    .mad_free_i(mad_free), .mad_slot_i(mad_slot), .mad_take_o(mad_take),
    .pl_req_valid_o(pl_v[2]), .pl_req_ready_i(pl_r[2]), .pl_req_o(pl_mad), .pl_rsp_valid_i(pl_rsp_v[2]),
    .rel_valid_o(rel_valid[0]), .rel_slot_o(rel_slot[0])
  );
  assign mad_done = pl_rsp_v[2];
  // The request for the buffer carries the length at the moment in which it is taken.
  assign mad_len  = pl_mad.len[9:0];

  ohca_rx_mcast #(.Words(McastWords), .Slots(Compact ? 16 : 64)) u_mcast (
    .clk_i(`CLOCK(PDisp)), .rst_i(rst), .idle_o(mc_idle), .go_i(mc_go), .mgid_i(mc_mgid), .slot_i(mc_slot),
    .valid_o(mc_valid), .ready_i(mc_ready), .qpn_o(mc_qpn), .last_o(mc_last), .none_o(mc_none),
    .none_ready_i(mc_none_ready),
    .rel_valid_i(rs_rel_valid), .rel_slot_i(rs_rel_slot), .rel_valid_o(rel_valid[1]), .rel_slot_o(rel_slot[1]),
    .acc_valid_i(acc_v[4]), .acc_ready_o(acc_r[4]), .acc_i(acc), .acc_rsp_valid_o(mc_acc_rsp.valid),
    .acc_rdata_o(mc_acc_rsp.rdata), .acc_err_o(mc_acc_rsp.err)
  );

  ohca_rs #(.DW(DataWidth), .Sets(CtxSets / CtxWays), .Ways(CtxWays), .CtxFills(CtxFills), .CtxDepth(CtxDepth),
      .CtxEvicts(CtxEvicts), .Compact(Compact),
            .InFlight(InFlight), .JobDepth(InFlight), .RoCE(RoCE)) u_rs (
    .clk_i(`CLOCK(PRs)), .rst_i(rst), .idle_o(rs_idle), .cnt_o(cnt[8]), .base_i(qpc_base), .limit_i(tbl_limit[0][24:0]),
    .lmc_i(cfg.lmc),
    .pkey_idx_o(pkey_idx[1]), .pkey_i(pkey[1]), .pkeys_i(pkeys),
    .rxd_valid_i(d_rs_v), .rxd_ready_o(d_rs_r), .rxd_i(d_rs),
    .rq_db_valid_i(rq_db_valid), .rq_db_ready_o(rq_db_ready), .rq_db_i(rq_db),
    .acc_valid_i(acc_v[1]), .acc_ready_o(acc_r[1]), .acc_i(acc), .acc_rsp_o(rs_acc_rsp),
    .lost_i({lost_v, lost_qpn, 24'd0}), .rerr_i(rerr), .over_i(over),
    .qerr_valid_i(qe_ra_v), .qerr_ready_o(qe_ra_r), .qerr_qpn_i(qe_ra), .qerr_valid_o(qe_rs_v), .qerr_ready_i(qe_rs_r),
    .qerr_qpn_o(qe_rs),
    .rjob_valid_o(job_valid), .rjob_ready_i(job_ready), .rjob_o(job), .rjob_moved_i(moved_q),
    .rd_few_i(rd_few), .ce_valid_o(ce_valid),
    .ce_o(ce),
    .pl_req_valid_o(pl_v[0]), .pl_req_ready_i(pl_r[0]), .pl_req_o(pl_rs), .pl_rsp_valid_i(pl_rsp_v[0]),
    .pl_rsp_i(pl_rsp),
    .cq_valid_o(cqr_v[1]), .cq_ready_i(cqr_r[1]), .cq_o(cqr_rs), .ev_valid_o(ev_valid[1]), .ev_ready_i(ev_ready[1]),
    .ev_o(ev_rs),
    .rel_valid_o(rs_rel_valid), .rel_slot_o(rs_rel_slot), .viol_o(rs_viol),
    .rd_rsp_data_i(rd_rsp_data), .rd_rsp_i(rd_beat),
    .ctx_o(rs_ctx_req), .ctx_i(rs_ctx_rsp), .ctx_dat_o(wr_dat[2]), .wr_cnt_i(wr_cnt),
    .ring_o(rs_ring_req), .ring_i(rs_ring_rsp),
    .dbr_rd_o({rd_valid[10], rd_req[10]}), .dbr_rd_i({rd_ready[10], rd_rsp_valid[10]})
  );

  ohca_ra_stream #(.DW(DataWidth), .Sets(CtxSets / CtxWays), .Ways(CtxWays), .CtxFills(CtxFills), .CtxDepth(CtxDepth),
      .CtxEvicts(CtxEvicts), .Compact(Compact),
                   .InFlight(Compact ? InFlight / 2 : InFlight), .TimerDepth(NumQps)) u_ra (
    .clk_i(`CLOCK(PRa)), .rst_i(rst), .now_i(now_q), .idle_o(ra_idle), .cnt_o(cnt[9]), .tmr_any_o(tmr_any),
    .tmr_next_o(tmr_next),
    .base_i(qpc_base), .limit_i(tbl_limit[0][24:0]), .cfg_i(cfg), .pkey_idx_o(pkey_idx[2]), .pkey_i(pkey[2]),
    .rxd_valid_i(d_ra_v), .rxd_ready_o(d_ra_r), .rxd_i(d_ra),
    .up_valid_i({up_tx_v, up_sq_v}), .up_ready_o({up_tx_r, up_sq_r}), .up_i({up_tx, up_sq}), .up_seq_i(up_seq),
    .acc_valid_i(acc_v[2]), .acc_ready_o(acc_r[2]), .acc_i(acc), .acc_rsp_o(ra_acc_rsp),
    .qerr_valid_i(qe_rs_v), .qerr_ready_o(qe_rs_r), .qerr_qpn_i(qe_rs), .qerr_valid_o(qe_ra_v), .qerr_ready_i(qe_ra_r),
    .qerr_qpn_o(qe_ra),
    .cqerr_valid_i(qe_cq_v), .cqerr_ready_o(qe_cq_r), .cqerr_qpn_i(qe_cq),
    .fb_valid_o(ra_fb_valid), .fb_ready_i(ra_fb_ready), .fb_o(ra_fb),
    .pl_req_valid_o(pl_v[1]), .pl_req_ready_i(pl_r[1]), .pl_req_o(pl_ra), .pl_rsp_valid_i(pl_rsp_v[1]),
    .pl_rsp_i(pl_rsp),
    .cq_valid_o(cqr_v[0]), .cq_ready_i(cqr_r[0]), .cq_o(cqr_ra), .ev_valid_o(ev_valid[2]), .ev_ready_i(ev_ready[2]),
    .ev_o(ev_ra),
    .rel_valid_o(rel_valid[2]), .rel_slot_o(rel_slot[2]), .viol_o(ra_viol),
    .rd_rsp_data_i(rd_rsp_data), .rd_rsp_i(rd_beat),
    .ctx_o(ra_ctx_req), .ctx_i(ra_ctx_rsp), .ctx_dat_o(wr_dat[1]), .wr_cnt_i(wr_cnt),
    .ring_o(ra_ring_req), .ring_i(ra_ring_rsp)
  );

  ohca_place #(.DW(DataWidth), .BufBytes(BufBytes)) u_place (
    .clk_i(`CLOCK(PPl)), .rst_i(rst), .idle_o(pl_idle), .drain_i(drain), .draining_o(draining[0]), .req_valid_i(pl_v),
    .req_ready_o(pl_r), .req_i({pl_mad, pl_ra, pl_rs}),
    .rsp_valid_o(pl_rsp_v), .rsp_o(pl_rsp), .rb_en_o(rb_en), .rb_addr_o(rb_addr), .rb_data_i(rb_data),
    .tpt_valid_o(tpt_valid[4]), .tpt_ready_i(tpt_ready[4]), .tpt_o(tpt_req[4]), .tpt_rsp_valid_i(tpt_rsp_valid[4]),
    .tpt_rsp_i(tpt_rsp),
    .wr_valid_o(wr_valid[4]), .wr_ready_i(wr_ready[4]), .wr_o(wr_req[4]), .wr_qpn_o(pl_wr_qpn),
    .wr_dat_valid_o(wr_dat_valid[4]),
    .wr_dat_ready_i(wr_dat_ready[4]), .wr_dat_o(wr_dat[4]), .wr_dat_last_o(wr_dat_last[4]),
    .mad_we_o(mad_we), .mad_addr_o(mad_addr), .mad_data_o(mad_data)
  );
  ohca_wr_owner #(.Depth(Compact ? 64 : 256)) u_wr_owner (
    .clk_i(`CLOCK(PDwr)), .rst_i(rst), .idle_o(owner_idle), .put_i(wr_valid[4] && wr_ready[4]), .qpn_i(pl_wr_qpn),
    .issued_i(wr_issued), .acked_i(wr_acked),
    .err_i(wr_err), .lost_valid_o(lost_v), .lost_qpn_o(lost_qpn)
  );

  // P_Key and Q_Key violations for the port's counters
  assign bad_pkey = cnt[8][ohca_fmt_pkg::COUNTER_RX_PKEY] || cnt[9][ohca_fmt_pkg::COUNTER_RX_PKEY];
  assign bad_qkey = cnt[8][ohca_fmt_pkg::COUNTER_RX_QKEY];

  // ------------------------------------------------------------------ completion
  ohca_cq #(.DW(DataWidth), .Sets(CqSets), .CtxFills(SmallFills), .CtxDepth(SmallDepth), .CtxEvicts(SmallEvicts),
      .Compact(Compact)) u_cq (
    .clk_i(`CLOCK(PCq)), .rst_i(rst), .now_i(now_q), .cycles_per_us_i(time_scale), .idle_o(cq_idle),
    .tmr_any_o(cqt_any), .tmr_next_o(cqt_next), .cnt_o(cnt[10]), .base_i(cqc_base), .limit_i(tbl_limit[1][24:0]),
    .cq_valid_i(cqr_v), .cq_ready_o(cqr_r), .cq_i({cqr_rs, cqr_ra}),
    .arm_valid_i(cq_arm_valid), .arm_ready_o(cq_arm_ready), .arm_i(cq_arm),
    .acc_valid_i(acc_v[3]), .acc_ready_o(acc_r[3]), .acc_i(acc), .acc_rsp_o(cq_acc_rsp),
    .ev_valid_o(ev_valid[0]), .ev_ready_i(ev_ready[0]), .ev_o(ev_cq),
    .qerr_valid_o(qe_cq_v), .qerr_ready_i(qe_cq_r), .qerr_qpn_o(qe_cq),
    .ctx_o(cq_ctx_req), .ctx_i(cq_ctx_rsp), .ctx_dat_o(wr_dat[3]),
    .dbr_o({rd_valid[11], rd_req[11]}), .dbr_i({rd_ready[11], rd_rsp_valid[11]}),
    .rd_rsp_data_i(rd_rsp_data), .rd_rsp_i(rd_beat),
    .tpt_valid_o(tpt_valid[5]), .tpt_ready_i(tpt_ready[5]), .tpt_o(tpt_req[5]), .tpt_rsp_valid_i(tpt_rsp_valid[5]),
    .tpt_rsp_i(tpt_rsp),
    .wr_o({wr_valid[5], wr_req[5], wr_dat_valid[5], wr_dat_last[5]}), .wr_i({wr_ready[5], wr_dat_ready[5]}),
    .wr_dat_o(wr_dat[5]), .wr_cnt_i(wr_cnt)
  );

  logic [5*ohca_fmt_pkg::EV_REQ_BITS-1:0] ev_all;
  assign ev_all = {ev_nic, ev_mg, ev_ra, ev_rs, ev_cq};
  ohca_eq #(.DW(DataWidth), .NumEq(16), .NumSources(NumEv), .Compact(Compact)) u_eq (
    .clk_i(`CLOCK(PEq)), .rst_i(rst), .idle_o(eq_idle), .cnt_o(cnt[11]),
    .ev_valid_i(ev_valid), .ev_ready_o(ev_ready), .ev_i(ev_all[NumEv*ohca_fmt_pkg::EV_REQ_BITS-1:0]),
    .db_valid_i(eq_db_valid), .db_ready_o(eq_db_ready), .db_i(eq_db),
    .mg_valid_i(eqm_req.valid), .mg_ready_o(eqm_rsp.ready), .mg_we_i(eqm_req.we), .mg_eqn_i(eqm_req.eqn),
    .mg_dw_i(eqm_req.dw), .mg_wdata_i(eqm_req.wdata), .mg_done_o(eqm_rsp.done), .mg_rdata_o(eqm_rsp.rdata),
    .wr_valid_o(wr_valid[6]), .wr_ready_i(wr_ready[6]), .wr_o(wr_req[6]), .wr_dat_valid_o(wr_dat_valid[6]),
    .wr_dat_ready_i(wr_dat_ready[6]), .wr_dat_o(wr_dat[6]), .wr_dat_last_o(wr_dat_last[6]),
    .wr_issued_i(wr_issued), .wr_acked_i(wr_acked),
    .irq_valid_o, .irq_ready_i, .irq_vector_o
  );

  logic unused;
  assign unused = &{1'b0, icm_init, tpt_quiet, pk_vl, ev_all, con_valid, con_char, tbl_base, tbl_limit};

  // ------------------------------------------------------------------ idle
  logic [39:0] tmr_tick;
  logic [31:0] tmr_delta;
  logic [63:0] tmr_cycle, cqt_cycle, next_a, next_b, next_c;
  logic [31:0] cqt_delta;
  logic        cqt_due;                           // an event that waits for its time: its cycle, or this one once it
                                                  // has passed
  assign cqt_delta = cqt_next - now_q[31:0];
  assign cqt_due   = cqt_any && (cqt_delta[31] || cqt_delta == 32'd0);
  assign cqt_cycle = now_q + {32'd0, cqt_delta[31] ? 32'd0 : cqt_delta};
  assign tmr_delta = tmr_next - now_q[39:8];
  assign tmr_tick  = {8'h0, tmr_delta};
  assign tmr_cycle = {(now_q[63:8] + {16'h0, tmr_tick}), 8'h0};
  assign next_a    = (link_next_valid && link_next < mgmt_wake) ? link_next : mgmt_wake;
  assign next_b    = (nic_next_valid && nic_next < next_a) ? nic_next : next_a;
  assign next_c    = (cqt_any && cqt_cycle < next_b) ? cqt_cycle : next_b;
  assign next_timer_o = (tmr_any && tmr_cycle < next_c) ? tmr_cycle : next_c;
  logic core_idle, due;
  assign core_idle = rd_idle && wr_idle && icm_idle && bar_idle && tpt_idle && cq_idle && eq_idle && sq_idle &&
      fence_idle && resp_idle && cnp_idle && mux_idle &&
                     txb_idle && disp_idle && mc_idle && rs_idle && ra_idle && pl_idle && owner_idle && link_idle &&
                         nic_idle && !core_rst_q && !soft_rst;
  assign idle_o    = core_idle && mgmt_idle;

  // What the blocks can not know: that a timer of theirs has come, that the management core wants something, that the
  // host or the wire has.
  assign due    = (tmr_any && tmr_cycle <= now_q) || cqt_due || (link_next_valid && link_next <= now_q) ||
      (nic_next_valid && nic_next <= now_q);
  assign busy_o = !core_idle || due || mgmt_touch || rst_i || skip_i || m_axi_rvalid_i || m_axi_bvalid_i ||
      rx_valid_i || tx_valid_o || irq_valid_o ||
                  s_axil_awvalid_i || s_axil_wvalid_i || s_axil_arvalid_i || s_axil_bvalid_o || s_axil_rvalid_o;

`ifdef OHCA_GATES
  // ------------------------------------------------------------------ clocks by part
  // In simulation a part that has nothing to do gets no edges: clk_part_i[n] must have the edge of clk_i at which
  // part_busy_o[n] is set, and the next eight. A part is idle by its own word, and what may begin something in it
  // wakes it here: what is valid at its inputs, a timer of its own, and whatever the management core does, which may
  // change levels that the part looks at. The clocks are pins, as those that logic in here made would have a simulator
  // follow that logic a second time. clk_part_i[PCpu] and clk_part_i[PMgmt] go with clk_on_i.
  logic all;
`ifdef OHCA_EAGER
  assign all = 1'b1;
`else
  assign all = rst_i || core_rst_q || soft_rst || skip_i || mgmt_touch || drain || (|draining) || port_acc.valid ||
               acc_valid || icm_set.we || icm_init;
`endif
  assign part_busy_o[PSq]   = all || !sq_idle || sq_db_valid || fb_valid || tpt_rsp_valid[0] || rd_rsp_valid[0] ||
                              rd_rsp_valid[6] || icm_rsp_valid[0];
  assign part_busy_o[PTxb]  = all || !txb_idle || txd_v || txp_v || inl_v || tpt_rsp_valid[3] || rd_rsp_valid[9];
  assign part_busy_o[PResp] = all || !resp_idle || job_valid;
  assign part_busy_o[PRs]   = all || !rs_idle || d_rs_v || rq_db_valid || lost_v || rerr.valid || over.valid ||
                              qe_ra_v || (atxd_v && atxd_r) || moved_q || pl_rsp_v[0] || tpt_rsp_valid[2] ||
                              rd_rsp_valid[2] ||
                              rd_rsp_valid[8] || rd_rsp_valid[10] || icm_rsp_valid[2];
  assign part_busy_o[PRa]   = all || !ra_idle || d_ra_v || up_tx_v || up_sq_v || qe_rs_v || qe_cq_v || pl_rsp_v[1] ||
                              tpt_rsp_valid[1] || rd_rsp_valid[1] || rd_rsp_valid[7] || icm_rsp_valid[1] ||
                              (tmr_any && tmr_cycle <= now_q);
  assign part_busy_o[PPl]   = all || !pl_idle || (|pl_v) || tpt_rsp_valid[4];
  assign part_busy_o[PCq]   = all || !cq_idle || (|cqr_v) || cq_arm_valid || tpt_rsp_valid[5] || rd_rsp_valid[3] ||
                              rd_rsp_valid[11] || icm_rsp_valid[3] || cqt_due;
  assign part_busy_o[PEq]   = all || !eq_idle || (|ev_valid) || eq_db_valid || eqm_req.valid;
  assign part_busy_o[PNic]  = all || !nic_idle || nic_beat.valid || ntx_beat.valid || (|nic_db_we) ||
                              (nic_next_valid && nic_next <= now_q) || (rd_rsp_valid >> 13) != '0;
  assign part_busy_o[PTpt]  = all || !tpt_idle || (|tpt_valid) || inv_valid || rd_rsp_valid[4] || rd_rsp_valid[5] ||
                              icm_rsp_valid[4] || icm_rsp_valid[5];
  assign part_busy_o[PDisp] = all || !disp_idle || !mc_idle || rxd_valid || mc_valid || mc_none || pl_rsp_v[2] ||
                              rs_rel_valid;
  assign part_busy_o[PLtx]  = all || ltx_busy || tx_valid_o || ntx_beat.valid || (link_next_valid && link_next <= now_q);
  assign part_busy_o[PLrx]  = all || lrx_busy;
  assign part_busy_o[PPfc]  = all || pfc_busy;
  assign part_busy_o[PDrd]  = all || !rd_idle || (|rd_valid) || m_axi_rvalid_i;
  assign part_busy_o[PCpu]  = all || !cpu_waits;
  assign part_busy_o[PMgmt] = all || mgmt_busy;
  assign part_busy_o[PBar]  = all || bar_busy;
  assign part_busy_o[PCnt]  = all || bar_busy || !bar_idle || cnt != '0;
  assign part_busy_o[PMux]  = all || !mux_idle || !fence_idle || !cnp_idle || atxd_v || rtxp_v || stxp_v ||
      room_yield != '0;
  // What is configured: registers that only the management core writes, and that logic of all parts looks at.
  assign part_busy_o[PCfg]  = all;
  assign part_busy_o[PIcm]  = all || !icm_idle;
  assign part_busy_o[PDwr]  = all || !wr_idle || m_axi_bvalid_i || !owner_idle;
  if (IcmChunks < 512) begin : g_bad_init
    $error("ohca_port's tables are cleared while ohca_icm's are");
  end
`endif

endmodule

`default_nettype wire
