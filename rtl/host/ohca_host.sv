// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Host memory for all parts of the adapter: who is which client, and the blocks that serve them. This module only
// wires.
//
//   contexts ───────────┬─► ohca_icm ─► their addresses
//                       ├──────────────────────────────► ohca_dma_rd ─► AXI4 reads, and the beats that all see
//   rings, payload ─────┴─► ohca_tpt ─► answers     ┌──►   ▲          (of rings through ohca_ring_page)
//                              └── MPT, MTT ────────┘      │ doorbell records, management core, network interface
//   contexts, payload, CQEs, EQEs, management core, network interface ─► ohca_dma_wr ─► AXI4 writes
//
// Latency and throughput are those of the blocks: nothing is registered here. core_rst_i resets the clients alone: the
// buses stay legal. It does NOT arbitrate, nor know what a client does: the numbers are those of docs/modules.md.

`include "ohca_clocks.svh"
`default_nettype none

module ohca_host #(
  parameter int unsigned DataWidth = 64,
  parameter int unsigned IcmChunks = 2048,    // 256 KiB each
  parameter int unsigned MptLines  = 256,
  parameter int unsigned MttLines  = 512,
  parameter int unsigned CtxFills  = 16,      // of a cache of QP contexts: misses and lookups in flight
  parameter int unsigned CtxDepth  = 32,
  parameter int unsigned DmaTags   = 64,
  parameter int unsigned MaxRead   = 512,
  parameter bit          RoCE      = 1'b1,    // the network interface is a client
  parameter bit          Compact   = 1'b0
) (
  input  logic                           clk_i,
`ifdef OHCA_GATES
  input  logic [`PARTS-1:0]              clk_part_i,     // "clocks by part" of rtl/ohca.sv
  input  logic                           all_i,
  output logic [`PARTS-1:0]              part_busy_o,    // of the parts that are in here
`endif
  input  logic                           rst_i,
  input  logic                           core_rst_i,
  output logic                           idle_o,
  output logic                           init_o,         // ohca_icm is being cleared
  output logic [2:0][63:0]               cnt_o,          // ohca_dma_rd, ohca_dma_wr, ohca_tpt

  input  ohca_fmt_pkg::icm_set_t         icm_i,
  input  ohca_fmt_pkg::tables_t          tables_i,
  input  ohca_fmt_pkg::inv_req_t         inv_i,
  output logic                           inv_ready_o,

  output logic [DataWidth-1:0]           rd_data_o,
  output ohca_fmt_pkg::mem_all_t         all_o,
  input  ohca_fmt_pkg::tx_ask_t          tx_i,           // ohca_transmit
  output ohca_fmt_pkg::tx_told_t         tx_o,
  input  logic [DataWidth-1:0]           tx_dat_i,
  input  ohca_fmt_pkg::rcv_ask_t         rcv_i,          // ohca_receive
  output ohca_fmt_pkg::rcv_told_t        rcv_o,
  input  logic [2:0][DataWidth-1:0]      rcv_dat_i,
  input  ohca_fmt_pkg::cpl_ask_t         cpl_i,          // ohca_cq, ohca_eq
  output ohca_fmt_pkg::cpl_told_t        cpl_o,
  input  logic [2:0][DataWidth-1:0]      cpl_dat_i,
  input  ohca_fmt_pkg::mgmt_ask_t        mgmt_i,         // ohca_mgmt
  output ohca_fmt_pkg::mgmt_told_t       mgmt_o,
  input  logic [DataWidth-1:0]           mgmt_dat_i,
  input  ohca_fmt_pkg::nic_ask_t         nic_i,          // ohca_nic
  output ohca_fmt_pkg::nic_told_t        nic_o,
  input  logic [DataWidth-1:0]           nic_dat_i,

  output logic                           m_axi_arvalid_o,
  input  logic                           m_axi_arready_i,
  output logic [5:0]                     m_axi_arid_o,
  output logic [63:0]                    m_axi_araddr_o,
  output logic [7:0]                     m_axi_arlen_o,
  output logic [2:0]                     m_axi_arsize_o,
  output logic [1:0]                     m_axi_arburst_o,
  input  logic                           m_axi_rvalid_i,
  output logic                           m_axi_rready_o,
  input  logic [5:0]                     m_axi_rid_i,
  input  logic [DataWidth-1:0]           m_axi_rdata_i,
  input  logic [1:0]                     m_axi_rresp_i,
  input  logic                           m_axi_rlast_i,
  output logic                           m_axi_awvalid_o,
  input  logic                           m_axi_awready_i,
  output logic [5:0]                     m_axi_awid_o,
  output logic [63:0]                    m_axi_awaddr_o,
  output logic [7:0]                     m_axi_awlen_o,
  output logic [2:0]                     m_axi_awsize_o,
  output logic [1:0]                     m_axi_awburst_o,
  output logic                           m_axi_wvalid_o,
  input  logic                           m_axi_wready_i,
  output logic [DataWidth-1:0]           m_axi_wdata_o,
  output logic [DataWidth/8-1:0]         m_axi_wstrb_o,
  output logic                           m_axi_wlast_o,
  input  logic                           m_axi_bvalid_i,
  output logic                           m_axi_bready_o,
  input  logic [5:0]                     m_axi_bid_i,
  input  logic [1:0]                     m_axi_bresp_i
);

  localparam int unsigned NumRd  = RoCE ? 15 : 13;       // the network interface has the last ones
  localparam int unsigned NumWr  = RoCE ? 9 : 8;
  localparam int unsigned NumTpt = 6;
  localparam int unsigned NumIcm = 6;
  // The caches of translations see fewer misses than those of QPs.
  localparam int unsigned TptFills = (CtxFills < 16) ? CtxFills : 16;
  localparam int unsigned TptDepth = (CtxDepth < 32) ? CtxDepth : 32;

  logic [NumRd-1:0]                                     rd_valid, rd_ready, rd_rsp_valid;
  logic [NumRd-1:0][ohca_fmt_pkg::DMA_RD_REQ_BITS-1:0]  rd_req;
  logic                                                 rd_rsp_last, rd_rsp_err;
  logic [7:0]                                           rd_rsp_tag;
  logic [NumWr-1:0]                                     wr_valid, wr_ready, wr_dat_valid, wr_dat_ready, wr_dat_last;
  logic [NumWr-1:0][ohca_fmt_pkg::DMA_WR_REQ_BITS-1:0]  wr_req;
  logic [NumWr-1:0][DataWidth-1:0]                      wr_dat;
  logic [31:0]                                          wr_issued, wr_acked;
  logic                                                 wr_err;
  logic [NumTpt-1:0]                                    tpt_valid, tpt_ready, tpt_rsp_valid;
  logic [NumTpt-1:0][ohca_fmt_pkg::TPT_REQ_BITS-1:0]    tpt_req;
  ohca_fmt_pkg::tpt_rsp_t                               tpt_rsp, ring_rsp;
  logic [3:0][ohca_fmt_pkg::TPT_REQ_BITS-1:0]           ring_req;                      // with pages of their own size
  logic [NumIcm-1:0]                                    icm_valid, icm_ready, icm_rsp_valid;
  logic [NumIcm-1:0][39:0]                              icm_addr;
  logic                                                 icm_rsp_ok;
  logic [63:0]                                          icm_rsp_addr;
  logic                                                 rd_idle, wr_idle, icm_idle, tpt_idle, tpt_quiet;
  logic                                                 rst_drd, rst_dwr, rst_icm, rst_tpt;
  assign all_o = {rd_rsp_last, rd_rsp_err, rd_rsp_tag, wr_issued, wr_acked};

  // ------------------------------------------------------------------ clients
  // Contexts: ohca_sq 0, ohca_ra_stream 1, ohca_rs 2, ohca_cq 3
  assign {rd_valid[0], rd_req[0], wr_valid[0], wr_req[0], wr_dat_valid[0], wr_dat_last[0],
          icm_valid[0], icm_addr[0]} = tx_i.ctx;
  assign {rd_valid[1], rd_req[1], wr_valid[1], wr_req[1], wr_dat_valid[1], wr_dat_last[1],
          icm_valid[1], icm_addr[1]} = rcv_i.ra_ctx;
  assign {rd_valid[2], rd_req[2], wr_valid[2], wr_req[2], wr_dat_valid[2], wr_dat_last[2],
          icm_valid[2], icm_addr[2]} = rcv_i.rs_ctx;
  assign {rd_valid[3], rd_req[3], wr_valid[3], wr_req[3], wr_dat_valid[3], wr_dat_last[3],
          icm_valid[3], icm_addr[3]} = cpl_i.ctx;
  // Rings: 6, 7, 8, in the order of their translations; payload out 9
  assign {tpt_valid[0], ring_req[0], rd_valid[6], rd_req[6]} = tx_i.ring;
  assign {tpt_valid[1], ring_req[1], rd_valid[7], rd_req[7]} = rcv_i.ra_ring;
  assign {tpt_valid[2], ring_req[2], rd_valid[8], rd_req[8]} = rcv_i.rs_ring;
  assign {tpt_valid[3], tpt_req[3], rd_valid[9], rd_req[9]} = tx_i.pay;
  assign {tpt_valid[4], tpt_req[4]} = {rcv_i.tpt_valid, rcv_i.tpt};
  assign {tpt_valid[5], ring_req[3]} = {cpl_i.tpt_valid, cpl_i.tpt};
  assign {rd_valid[10], rd_req[10]} = rcv_i.dbr;
  assign {rd_valid[11], rd_req[11]} = cpl_i.dbr;
  assign {rd_valid[12], rd_req[12]} = mgmt_i.rd;
  assign {wr_valid[4], wr_req[4], wr_dat_valid[4], wr_dat_last[4]} = rcv_i.pay;
  assign {wr_valid[5], wr_req[5], wr_dat_valid[5], wr_dat_last[5]} = cpl_i.cqe;
  assign {wr_valid[6], wr_req[6], wr_dat_valid[6], wr_dat_last[6]} = cpl_i.eqe;
  assign {wr_valid[7], wr_req[7], wr_dat_valid[7], wr_dat_last[7]} = mgmt_i.wr;
  assign wr_dat[7:0] = {mgmt_dat_i, cpl_dat_i[2:1], rcv_dat_i[2], cpl_dat_i[0], rcv_dat_i[1:0], tx_dat_i};

  logic [3:0][ohca_fmt_pkg::CTX_RSP_BITS-1:0]   ctx_rsp;
  logic [3:0][ohca_fmt_pkg::FETCH_RSP_BITS-1:0] fetch_rsp;
  for (genvar i = 0; i < 4; i++) begin : g_rsp
    assign ctx_rsp[i]   = {rd_ready[i], rd_rsp_valid[i], wr_ready[i], wr_dat_ready[i], icm_ready[i],
                           icm_rsp_valid[i], icm_rsp_ok, icm_rsp_addr};
    assign fetch_rsp[i] = {tpt_ready[i], tpt_rsp_valid[i], (i < 3) ? ring_rsp : tpt_rsp, rd_ready[6 + i],
                           rd_rsp_valid[6 + i]};
  end
  assign tx_o   = {ctx_rsp[0], fetch_rsp[0], fetch_rsp[3]};
  assign rcv_o  = {ctx_rsp[1], fetch_rsp[1], ctx_rsp[2], fetch_rsp[2], rd_ready[10], rd_rsp_valid[10],
                   tpt_ready[4], tpt_rsp_valid[4], tpt_rsp, wr_ready[4], wr_dat_ready[4], wr_err};
  assign cpl_o  = {ctx_rsp[3], rd_ready[11], rd_rsp_valid[11], tpt_ready[5], tpt_rsp_valid[5], ring_rsp,
                   wr_ready[5], wr_dat_ready[5], wr_ready[6], wr_dat_ready[6]};
  assign mgmt_o = {rd_ready[12], rd_rsp_valid[12], wr_ready[7], wr_dat_ready[7]};
  if (RoCE) begin : g_nic
    assign {rd_valid[14], rd_req[14], rd_valid[13], rd_req[13], wr_valid[8], wr_req[8], wr_dat_valid[8],
            wr_dat_last[8]} = nic_i;
    assign wr_dat[8] = nic_dat_i;
    assign nic_o = {rd_ready[14], rd_rsp_valid[14], rd_ready[13], rd_rsp_valid[13], wr_ready[8], wr_dat_ready[8]};
  end else begin : g_no_nic
    assign nic_o = '0;
    logic unused_nic;
    assign unused_nic = &{1'b0, nic_i, nic_dat_i};
  end

  // ------------------------------------------------------------------ blocks
  ohca_reset u_rst_drd (.clk_i(`CLOCK(`PART_DRD)), .rst_i(core_rst_i), .rst_o(rst_drd));
  ohca_reset u_rst_dwr (.clk_i(`CLOCK(`PART_DWR)), .rst_i(core_rst_i), .rst_o(rst_dwr));
  ohca_reset u_rst_icm (.clk_i(`CLOCK(`PART_ICM)), .rst_i(core_rst_i), .rst_o(rst_icm));
  ohca_reset u_rst_tpt (.clk_i(`CLOCK(`PART_TPT)), .rst_i(core_rst_i), .rst_o(rst_tpt));

  // Orders by client (docs/modules.md): rings 0, contexts 1, doorbell records 2, tables 3, management and network
  // interface 4, payload 5. Contexts of all engines have one order: with one for each, the send engine's fetches leave
  // the acknowledge engine behind when both fetch all the time.
  ohca_dma_rd #(.DW(DataWidth), .NumClients(NumRd), .Tags(DmaTags), .MaxRead(MaxRead),
      .MaxBeats(DataWidth > 64 ? 512 : 256), .Orders(Compact ? 1 : 6),
      .OrderOf(Compact ? '0 : (4 * NumRd)'(60'h444225000331111)), .Compact(Compact)) u_dma_rd (
    .clk_i(`CLOCK(`PART_DRD)), .rst_i, .soft_rst_i(rst_drd), .idle_o(rd_idle), .cnt_o(cnt_o[0]),
    .req_valid_i(rd_valid), .req_ready_o(rd_ready), .req_i(rd_req),
    .rsp_valid_o(rd_rsp_valid), .rsp_tag_o(rd_rsp_tag), .rsp_data_o(rd_data_o), .rsp_last_o(rd_rsp_last),
    .rsp_err_o(rd_rsp_err),
    .m_axi_arvalid_o, .m_axi_arready_i, .m_axi_arid_o, .m_axi_araddr_o, .m_axi_arlen_o, .m_axi_arsize_o,
    .m_axi_arburst_o,
    .m_axi_rvalid_i, .m_axi_rready_o, .m_axi_rid_i, .m_axi_rdata_i, .m_axi_rresp_i, .m_axi_rlast_i
  );

  ohca_dma_wr #(.DW(DataWidth), .NumClients(NumWr), .Compact(Compact)) u_dma_wr (
    .clk_i(`CLOCK(`PART_DWR)), .rst_i, .soft_rst_i(rst_dwr), .idle_o(wr_idle), .cnt_o(cnt_o[1]),
    .req_valid_i(wr_valid), .req_ready_o(wr_ready), .req_i(wr_req),
    .dat_valid_i(wr_dat_valid), .dat_ready_o(wr_dat_ready), .dat_i(wr_dat), .dat_last_i(wr_dat_last),
    .issued_o(wr_issued), .acked_o(wr_acked), .err_o(wr_err),
    .m_axi_awvalid_o, .m_axi_awready_i, .m_axi_awid_o, .m_axi_awaddr_o, .m_axi_awlen_o, .m_axi_awsize_o,
    .m_axi_awburst_o,
    .m_axi_wvalid_o, .m_axi_wready_i, .m_axi_wdata_o, .m_axi_wstrb_o, .m_axi_wlast_o,
    .m_axi_bvalid_i, .m_axi_bready_o, .m_axi_bid_i, .m_axi_bresp_i
  );

  ohca_icm #(.NumClients(NumIcm), .Chunks(IcmChunks)) u_icm (
    .clk_i(`CLOCK(`PART_ICM)), .rst_i(rst_icm), .idle_o(icm_idle), .init_o,
    .req_valid_i(icm_valid), .req_ready_o(icm_ready), .req_addr_i(icm_addr),
    .rsp_valid_o(icm_rsp_valid), .rsp_ok_o(icm_rsp_ok), .rsp_addr_o(icm_rsp_addr),
    .wr_en_i(icm_i.we), .wr_chunk_i(icm_i.chunk), .wr_valid_i(icm_i.valid), .wr_addr_i(icm_i.addr)
  );

  logic [3:0] ring_go;
  assign ring_go = {tpt_valid[5] && tpt_ready[5], tpt_valid[2:0] & tpt_ready[2:0]};
  ohca_ring_page #(.Rings(4), .Held(Compact)) u_ring_page (
    .clk_i(`CLOCK(`PART_TPT)), .rst_i(rst_tpt), .go_i(ring_go),
    .req_i(ring_req), .req_o({tpt_req[5], tpt_req[2:0]}), .rsp_i(tpt_rsp), .rsp_o(ring_rsp)
  );

  ohca_tpt #(.DW(DataWidth), .NumClients(NumTpt), .MptLines(MptLines), .MttLines(MttLines), .Fills(TptFills),
      .Depth(TptDepth), .Small(Compact), .Rings('b100111)) u_tpt (
    .clk_i(`CLOCK(`PART_TPT)), .rst_i(rst_tpt), .idle_o(tpt_idle), .cnt_o(cnt_o[2]),
    .mpt_base_i({6'h0, tables_i.base[47:32], 18'h0}), .mpt_limit_i(tables_i.limit[88:64]),
    .mtt_base_i({6'h0, tables_i.base[63:48], 18'h0}), .mtt_limit_i(tables_i.limit[123:96]),
    .req_valid_i(tpt_valid), .req_ready_o(tpt_ready), .req_i(tpt_req), .rsp_valid_o(tpt_rsp_valid), .rsp_o(tpt_rsp),
    .inv_valid_i(inv_i.valid), .inv_ready_o, .inv_mtt_i(inv_i.mtt), .inv_all_i(inv_i.all), .inv_num_i(inv_i.num),
    .inv_last_i(inv_i.last), .inv_block_i(inv_i.block), .quiet_o(tpt_quiet),
    .icm_valid_o(icm_valid[5:4]), .icm_ready_i(icm_ready[5:4]), .icm_addr_o(icm_addr[5:4]),
    .icm_rsp_valid_i(icm_rsp_valid[5:4]), .icm_rsp_ok_i(icm_rsp_ok), .icm_rsp_addr_i(icm_rsp_addr),
    .rd_valid_o(rd_valid[5:4]), .rd_ready_i(rd_ready[5:4]), .rd_o(rd_req[5:4]), .rd_rsp_valid_i(rd_rsp_valid[5:4]),
    .rd_rsp_data_i(rd_data_o), .rd_rsp_last_i(rd_rsp_last), .rd_rsp_err_i(rd_rsp_err)
  );

  assign idle_o = rd_idle && wr_idle && icm_idle && tpt_idle;

  logic unused;
  assign unused = &{1'b0, tpt_quiet, tables_i, clk_i};

`ifdef OHCA_GATES
  always_comb begin
    part_busy_o = '0;
    part_busy_o[`PART_DRD] = all_i || !rd_idle || rd_valid != '0 || m_axi_rvalid_i;
    part_busy_o[`PART_DWR] = all_i || !wr_idle || m_axi_bvalid_i;
    part_busy_o[`PART_ICM] = all_i || !icm_idle;
    part_busy_o[`PART_TPT] = all_i || !tpt_idle || tpt_valid != '0 || inv_i.valid || rd_rsp_valid[5:4] != '0 ||
                             icm_rsp_valid[5:4] != '0;
  end
  if (IcmChunks < 512) begin : g_bad_init
    $error("ohca_port's tables are cleared while ohca_icm's are");
  end
`endif

endmodule

`default_nettype wire
