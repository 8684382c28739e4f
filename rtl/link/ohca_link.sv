// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// An InfiniBand port's link layer: ohca_port, ohca_link_tx and ohca_link_rx wired together, as the top level and the tests use them.
//
// Nothing is added here; see the three modules for what they do and how long it takes.
// lint: DataWidth=512

`default_nettype none

module ohca_link #(
  parameter int unsigned DataWidth  = 64,
  parameter int unsigned NumVl      = 4,
  parameter int unsigned BufBytes   = (DataWidth > 64) ? 65536 : 32768,
  parameter int unsigned FrontBytes = (NumVl > 4) ? 65536 : 32768,
  parameter int unsigned QueueBytes = 8192,
  parameter int unsigned Vl15Bytes  = 2048,
  parameter int unsigned NumRel     = 3,
  localparam int unsigned Bytes     = DataWidth / 8,
  localparam int unsigned AddrW     = $clog2(BufBytes / Bytes),
  localparam int unsigned Pkeys     = ohca_fmt_pkg::PORT_PKEYS,
  localparam int unsigned Arb       = ohca_fmt_pkg::PORT_ARB_ENTRIES
) (
  input  logic                          clk_i,
  input  logic                          rst_i,
  input  logic [63:0]                   now_i,
  output logic                          idle_o,
  output logic                          next_valid_o,   // the next flow-control packet is due at next_o
  output logic [63:0]                   next_o,

  // Management: register bus of ohca_port, event
  input  logic                          mg_valid_i,
  input  logic                          mg_we_i,
  input  logic [9:0]                    mg_addr_i,
  input  logic [31:0]                   mg_wdata_i,
  output logic [31:0]                   mg_rdata_o,
  output logic                          event_o,

  // Configuration and tables for the engines
  output ohca_fmt_pkg::port_cfg_t       cfg_o,
  input  logic [2:0][15:0]              pkey_idx_i,     // 0 txbuild, 1 rs, 2 ra
  output logic [2:0][15:0]              pkey_o,
  output logic [Pkeys*16-1:0]           pkeys_o,
  input  logic [7:0]                    gid_idx_i,
  output logic [127:0]                  gid_o,
  input  logic                          bad_pkey_i,
  input  logic                          bad_qkey_i,
  input  logic                          symbol_err_i,

  // Packets to send: ohca_txbuild, ohca_mgmt
  input  logic                          in_valid_i,
  output logic                          in_ready_o,
  input  logic [DataWidth-1:0]          in_data_i,
  input  logic [Bytes-1:0]              in_keep_i,
  input  logic                          in_last_i,
  input  logic                          in_err_i,
  input  logic [7:0]                    in_ipd_i,
  input  logic                          mtx_valid_i,
  output logic                          mtx_ready_o,
  input  logic [DataWidth-1:0]          mtx_data_i,
  input  logic [Bytes-1:0]              mtx_keep_i,
  input  logic                          mtx_last_i,
  input  logic                          mtx_to_host_i,

  // Received packets, release, receive buffer
  output logic                          rxd_valid_o,
  input  logic                          rxd_ready_i,
  output ohca_fmt_pkg::rxd_t            rxd_o,
  input  logic [NumRel-1:0]             rel_valid_i,
  input  logic [NumRel-1:0][5:0]        rel_slot_i,
  input  logic                          rb_en_i,
  input  logic [AddrW-1:0]              rb_addr_i,
  output logic [DataWidth-1:0]          rb_data_o,

  // Wire
  output logic                          tx_valid_o,
  input  logic                          tx_ready_i,
  output logic [DataWidth-1:0]          tx_data_o,
  output logic [Bytes-1:0]              tx_keep_o,
  output logic                          tx_last_o,
  output logic [1:0]                    tx_kind_o,
  input  logic                          rx_valid_i,
  input  logic [DataWidth-1:0]          rx_data_i,
  input  logic [Bytes-1:0]              rx_keep_i,
  input  logic                          rx_last_i,
  input  logic                          rx_error_i,
  input  logic [1:0]                    rx_kind_i,

  output logic [63:0]                   cnt_o
);

  ohca_fmt_pkg::port_tx_stat_t tx_stat;
  ohca_fmt_pkg::port_rx_stat_t rx_stat;
  logic [31:0]            fc_period;
  logic [Arb*12-1:0]      arb_low, arb_high;
  logic [NumVl-1:0][11:0] tx_credit, rx_fccl;
  logic [NumVl-1:0]       rx_empty;
  logic [11:0]            rx_thr, fc_fccl;
  logic                   fc_valid, lb_valid, lb_ready, lb_last, lb_from_fw, port_idle, tx_idle, rx_idle;
  logic [3:0]             fc_vl;
  logic [DataWidth-1:0]   lb_data;
  logic [Bytes-1:0]       lb_keep;
  logic [63:0]            tx_cnt, rx_cnt;

  assign idle_o = port_idle && tx_idle && rx_idle;
  assign cnt_o  = tx_cnt | rx_cnt;

  ohca_port #(.NumVl(NumVl)) u_port (
    .clk_i(clk_i), .rst_i(rst_i), .now_i(now_i), .idle_o(port_idle),
    .mg_valid_i(mg_valid_i), .mg_we_i(mg_we_i), .mg_addr_i(mg_addr_i), .mg_wdata_i(mg_wdata_i), .mg_rdata_o(mg_rdata_o), .event_o(event_o),
    .cfg_o(cfg_o), .fc_period_o(fc_period), .arb_low_o(arb_low), .arb_high_o(arb_high),
    .pkey_idx_i(pkey_idx_i), .pkey_o(pkey_o), .pkeys_o(pkeys_o), .gid_idx_i(gid_idx_i), .gid_o(gid_o),
    .tx_stat_i(tx_stat), .rx_stat_i(rx_stat), .symbol_err_i(symbol_err_i), .bad_pkey_i(bad_pkey_i), .bad_qkey_i(bad_qkey_i),
    .tx_credit_i(tx_credit), .rx_fccl_i(rx_fccl)
  );

  ohca_link_tx #(.DataWidth(DataWidth), .NumVl(NumVl), .QueueBytes(QueueBytes), .Vl15Bytes(Vl15Bytes)) u_tx (
    .clk_i(clk_i), .rst_i(rst_i), .now_i(now_i), .idle_o(tx_idle), .next_valid_o(next_valid_o), .next_o(next_o),
    .cfg_i(cfg_o), .fc_period_i(fc_period), .arb_low_i(arb_low), .arb_high_i(arb_high),
    .in_valid_i(in_valid_i), .in_ready_o(in_ready_o), .in_data_i(in_data_i), .in_keep_i(in_keep_i), .in_last_i(in_last_i), .in_err_i(in_err_i),
    .in_ipd_i(in_ipd_i),
    .mg_valid_i(mtx_valid_i), .mg_ready_o(mtx_ready_o), .mg_data_i(mtx_data_i), .mg_keep_i(mtx_keep_i), .mg_last_i(mtx_last_i),
    .mg_to_host_i(mtx_to_host_i),
    .fc_valid_i(fc_valid), .fc_vl_i(fc_vl), .fc_fccl_i(fc_fccl), .rx_fccl_i(rx_fccl), .rx_empty_i(rx_empty), .rx_thr_i(rx_thr),
    .lb_valid_o(lb_valid), .lb_ready_i(lb_ready), .lb_data_o(lb_data), .lb_keep_o(lb_keep), .lb_last_o(lb_last), .lb_from_fw_o(lb_from_fw),
    .tx_valid_o(tx_valid_o), .tx_ready_i(tx_ready_i), .tx_data_o(tx_data_o), .tx_keep_o(tx_keep_o), .tx_last_o(tx_last_o), .tx_kind_o(tx_kind_o),
    .tx_credit_o(tx_credit), .stat_o(tx_stat), .cnt_o(tx_cnt)
  );

  ohca_link_rx #(.DataWidth(DataWidth), .NumVl(NumVl), .BufBytes(BufBytes), .FrontBytes(FrontBytes), .NumRel(NumRel)) u_rx (
    .clk_i(clk_i), .rst_i(rst_i), .idle_o(rx_idle), .cfg_i(cfg_o),
    .rx_valid_i(rx_valid_i), .rx_data_i(rx_data_i), .rx_keep_i(rx_keep_i), .rx_last_i(rx_last_i), .rx_error_i(rx_error_i), .rx_kind_i(rx_kind_i),
    .lb_valid_i(lb_valid), .lb_ready_o(lb_ready), .lb_data_i(lb_data), .lb_keep_i(lb_keep), .lb_last_i(lb_last), .lb_from_fw_i(lb_from_fw),
    .fc_valid_o(fc_valid), .fc_vl_o(fc_vl), .fc_fccl_o(fc_fccl), .rx_fccl_o(rx_fccl), .rx_empty_o(rx_empty), .rx_thr_o(rx_thr),
    .rxd_valid_o(rxd_valid_o), .rxd_ready_i(rxd_ready_i), .rxd_o(rxd_o), .rel_valid_i(rel_valid_i), .rel_slot_i(rel_slot_i),
    .rb_en_i(rb_en_i), .rb_addr_i(rb_addr_i), .rb_data_o(rb_data_o), .stat_o(rx_stat), .cnt_o(rx_cnt)
  );

endmodule

`default_nettype wire
