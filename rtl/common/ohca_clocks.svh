// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Clocks by part, which only a simulation has (OHCA_GATES, rtl/ohca.sv): a part stands still while it has nothing to
// do. Everywhere else each of them is clk_i. The order is that of clk_part_i, and of sim/model_verilator.cpp.
`ifndef OHCA_CLOCKS_SVH
  `define OHCA_CLOCKS_SVH
  `define PART_SQ 0
  `define PART_TXB 1
  `define PART_RESP 2
  `define PART_RS 3
  `define PART_RA 4
  `define PART_PL 5
  `define PART_CQ 6
  `define PART_EQ 7
  `define PART_NIC 8
  `define PART_TPT 9
  `define PART_DISP 10
  `define PART_LTX 11
  `define PART_LRX 12
  `define PART_PFC 13
  `define PART_DRD 14
  `define PART_CPU 15
  `define PART_CFG 16
  `define PART_ICM 17
  `define PART_DWR 18
  `define PART_MGMT 19
  `define PART_BAR 20
  `define PART_MUX 21
  `define PART_CNT 22
  `define PARTS 23
  `ifdef OHCA_GATES
    `define CLOCK(__part) clk_part_i[__part]
    `define CLOCK_CFG clk_cfg_i
    `define CLOCK_ON clk_on_i
    `define CLOCK_CNT clk_cnt_i
    `define CLOCK_TX clk_tx_i
    `define CLOCK_RX clk_rx_i
    `define CLOCK_PFC clk_pfc_i
  `else
    `define CLOCK(__part) clk_i
    `define CLOCK_CFG clk_i
    `define CLOCK_ON clk_i
    `define CLOCK_CNT clk_i
    `define CLOCK_TX clk_i
    `define CLOCK_RX clk_i
    `define CLOCK_PFC clk_i
  `endif
`endif
