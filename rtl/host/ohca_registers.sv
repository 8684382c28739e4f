// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// What the host sees in BAR 0: registers and doorbells, the event counters of all blocks, firmware's log. This module
// only wires, and says which counters a block can move.
//
//   BAR 0, push pages ◄──► ohca_bar ─► doorbells ─► ohca_sq, ohca_rs, ohca_cq, ohca_eq, ohca_nic
//                             ▲  ▲ └──► commands ◄─► management core
//   counters ─────────────────┘  └── log memory ◄── management core
//
// Latency and throughput are those of ohca_bar: nothing is registered here. It does NOT know what a counter counts.

`include "ohca_clocks.svh"
`default_nettype none

module ohca_registers #(
  parameter int unsigned HwCfg    = 0,       // value of reg_hw_cfg
  parameter int unsigned DbStride = 0,       // doorbell pages are 2^(12 + DbStride) bytes apart
  parameter bit          RoCE     = 1'b1,    // there is a network interface
  parameter bit          Wide     = 1'b0,    // the wide port for push pages is there; doorbells that wait are merged
  parameter bit          Compact  = 1'b0
) (
  input  logic                          clk_i,
`ifdef OHCA_GATES
  input  logic [`PARTS-1:0]             clk_part_i,        // "clocks by part" of rtl/ohca.sv
  input  logic                          all_i,
  output logic [`PARTS-1:0]             part_busy_o,       // of the parts that are in here
`endif
  input  logic                          clk_on_i,          // of the log memory
  input  logic                          rst_i,             // not the soft reset
  output logic                          soft_rst_o,
  input  logic [63:0]                   now_i,
  output logic                          idle_o,

  input  logic                          s_axil_awvalid_i,
  output logic                          s_axil_awready_o,
  input  logic [20:0]                   s_axil_awaddr_i,
  input  logic                          s_axil_wvalid_i,
  output logic                          s_axil_wready_o,
  input  logic [63:0]                   s_axil_wdata_i,
  input  logic [7:0]                    s_axil_wstrb_i,
  output logic                          s_axil_bvalid_o,
  input  logic                          s_axil_bready_i,
  output logic [1:0]                    s_axil_bresp_o,
  input  logic                          s_axil_arvalid_i,
  output logic                          s_axil_arready_o,
  input  logic [20:0]                   s_axil_araddr_i,
  output logic                          s_axil_rvalid_o,
  input  logic                          s_axil_rready_i,
  output logic [63:0]                   s_axil_rdata_o,
  output logic [1:0]                    s_axil_rresp_o,
  input  ohca_fmt_pkg::push_bus_t       push_i,
  output ohca_fmt_pkg::push_say_t       push_o,

  output logic                          sq_db_valid_o,
  input  logic                          sq_db_ready_i,
  output ohca_fmt_pkg::sq_db_t          sq_db_o,
  output logic                          rq_db_valid_o,
  input  logic                          rq_db_ready_i,
  output logic [55:0]                   rq_db_o,           // {uar 16, qpn 24, pi 16}
  output logic                          cq_arm_valid_o,
  input  logic                          cq_arm_ready_i,
  output logic [71:0]                   cq_arm_o,          // {uar 16, cqn 24, solicited 1, seen 7, ci 24}
  output logic                          eq_db_valid_o,
  input  logic                          eq_db_ready_i,
  output logic [32:0]                   eq_db_o,           // {eqn 8, arm 1, ci 24}
  output logic [2:0]                    nic_db_we_o,
  output logic [2:0][15:0]              nic_db_o,

  input  ohca_fmt_pkg::fw_bar_t         fw_i,              // management core
  output ohca_fmt_pkg::bar_fw_t         fw_o,
  input  ohca_fmt_pkg::fw_log_t         log_i,
  input  logic [31:0]                   strap_mhz_i,
  // By source: ohca_dma_rd, ohca_dma_wr, ohca_tpt, ohca_link, ohca_sq, ohca_resp, ohca_txbuild, ohca_rxdispatch,
  // ohca_rs, ohca_ra_stream, ohca_cq, ohca_eq; with RoCE ohca_nic, ohca_eth_cnp
  input  logic [13:0][63:0]             cnt_i
);

  // Which event counters each source can move: the others cost nothing (ohca_bar checks it).
  localparam int unsigned NumCnt = RoCE ? 14 : 12;
  localparam logic [63:0] One     = 64'd1;
  localparam logic [63:0] CntRd   = One << ohca_fmt_pkg::COUNTER_DMA_RD_ERR;
  localparam logic [63:0] CntWr   = One << ohca_fmt_pkg::COUNTER_DMA_WR_ERR;
  localparam logic [63:0] CntTpt  = One << ohca_fmt_pkg::COUNTER_TPT_KEY | One << ohca_fmt_pkg::COUNTER_TPT_BOUNDS |
                                    One << ohca_fmt_pkg::COUNTER_TPT_ACCESS | One << ohca_fmt_pkg::COUNTER_TPT_PD;
  localparam logic [63:0] CntSq   = One << ohca_fmt_pkg::COUNTER_DB_BAD_PAGE | One << ohca_fmt_pkg::COUNTER_DB_BAD_QP |
                                    One << ohca_fmt_pkg::COUNTER_TX_LOCAL_ERR;
  localparam logic [63:0] CntResp = One << ohca_fmt_pkg::COUNTER_RESP_FULL;
  localparam logic [63:0] CntTxb  = One << ohca_fmt_pkg::COUNTER_TX_LOCAL_ERR | One << ohca_fmt_pkg::COUNTER_TX_DROP;
  localparam logic [63:0] CntDisp = One << ohca_fmt_pkg::COUNTER_RX_BTH | One << ohca_fmt_pkg::COUNTER_RX_QPN |
                                    One << ohca_fmt_pkg::COUNTER_RX_OPCODE | One << ohca_fmt_pkg::COUNTER_RX_VL15_DROP;
  localparam logic [63:0] CntCq   = One << ohca_fmt_pkg::COUNTER_DB_BAD_PAGE | One << ohca_fmt_pkg::COUNTER_CQ_OVERFLOW;
  localparam logic [63:0] CntEq   = One << ohca_fmt_pkg::COUNTER_EQ_OVERFLOW;
  localparam logic [63:0] CntNic  = One << ohca_fmt_pkg::COUNTER_DB_BAD_PAGE |
                                    (~64'd0) << ohca_fmt_pkg::COUNTER_RX_LVER;
  localparam logic [63:0] CntCnp  = One << ohca_fmt_pkg::COUNTER_CNP_TX;
  // The receive engines: anything but what belongs to hosts' memory, translation and the port. The link: the port's.
  localparam logic [63:0] CntPort = One << ohca_fmt_pkg::COUNTER_RX_VCRC | One << ohca_fmt_pkg::COUNTER_RX_ICRC |
                                    One << ohca_fmt_pkg::COUNTER_RX_LEN | One << ohca_fmt_pkg::COUNTER_RX_DLID |
                                    One << ohca_fmt_pkg::COUNTER_RX_VL | One << ohca_fmt_pkg::COUNTER_RX_OVERRUN |
                                    (~64'd0) << ohca_fmt_pkg::COUNTER_RX_LVER;
  localparam logic [63:0] CntRecv = ~(CntRd | CntWr | CntTpt | CntCq | CntEq | CntPort) |
                                    One << ohca_fmt_pkg::COUNTER_DB_BAD_PAGE;
  localparam logic [NumCnt*64-1:0] CntMask = (NumCnt*64)'({
    CntCnp, CntNic, CntEq, CntCq, CntRecv, CntRecv, CntDisp, CntTxb, CntResp, CntSq, CntPort, CntTpt, CntWr, CntRd});

  logic [9:0]  log_raddr;
  logic [31:0] log_rdata;
`ifdef OHCA_GATES
  logic        bar_busy;
`endif

  ohca_bar #(.HwCfg(HwCfg), .CntSources(NumCnt), .CntMask(CntMask), .Nic(RoCE), .Wide(Wide), .Merge(Wide),
      .Compact(Compact), .DbDepth(Compact ? 16 : 32), .PushSlots(Wide ? 32 : 16), .DbStride(DbStride)) u_bar (
`ifdef OHCA_GATES
    .clk_cnt_i(clk_part_i[`PART_CNT]), .busy_o(bar_busy),
`endif
    .clk_i(`CLOCK(`PART_BAR)), .rst_i, .now_i, .idle_o,
    .s_axil_awvalid_i, .s_axil_awready_o, .s_axil_awaddr_i, .s_axil_wvalid_i, .s_axil_wready_o, .s_axil_wdata_i,
    .s_axil_wstrb_i,
    .s_axil_bvalid_o, .s_axil_bready_i, .s_axil_bresp_o, .s_axil_arvalid_i, .s_axil_arready_o, .s_axil_araddr_i,
    .s_axil_rvalid_o, .s_axil_rready_i, .s_axil_rdata_o, .s_axil_rresp_o, .push_i, .push_o,
    .sq_db_valid_o, .sq_db_ready_i, .sq_db_o,
    .rq_db_valid_o, .rq_db_ready_i, .rq_db_o,
    .cq_arm_valid_o, .cq_arm_ready_i, .cq_arm_o,
    .eq_db_valid_o, .eq_db_ready_i, .eq_db_o,
    .nic_db_we_o, .nic_db_o,
    .cmd_go_o(fw_o.cmd_go), .cmd_done_i(fw_i.cmd_done), .cmd_status_i(fw_i.cmd_status),
    .cmd_imm_i(fw_i.cmd_imm), .fw_version_i(fw_i.version), .status_i(fw_i.status), .health_i(fw_i.health),
    .strap_mhz_i, .time_scale_o(fw_o.time_scale), .log_addr_o(log_raddr), .log_data_i(log_rdata),
    .cnt_i(cnt_i[NumCnt-1:0]), .mem_rd_i(fw_i.rd), .mem_rd_addr_i(fw_i.addr), .mem_rd_data_o(fw_o.rdata),
    .soft_rst_o
  );

  ohca_ram_sdp #(.Width(32), .Depth(1024)) u_log (
    .clk_i(clk_on_i), .wr_en_i(log_i.we), .wr_be_i(1'b1), .wr_addr_i(log_i.addr), .wr_data_i(log_i.wdata),
    .rd_en_i(1'b1), .rd_addr_i(log_raddr), .rd_data_o(log_rdata)
  );

  logic unused;
  assign unused = &{1'b0, cnt_i, clk_i};

`ifdef OHCA_GATES
  always_comb begin
    part_busy_o = '0;
    part_busy_o[`PART_BAR] = all_i || bar_busy;
    part_busy_o[`PART_CNT] = all_i || bar_busy || !idle_o || cnt_i[NumCnt-1:0] != '0;
  end
`endif

endmodule

`default_nettype wire
