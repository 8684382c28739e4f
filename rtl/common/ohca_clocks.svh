// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Clocks by part, which only a simulation has (OHCA_GATES, rtl/ohca.sv): a part stands still while it has nothing to
// do. Everywhere else each of them is clk_i.
`ifndef OHCA_CLOCKS_SVH
  `define OHCA_CLOCKS_SVH
  `ifdef OHCA_GATES
    `define CLOCK_CFG clk_cfg_i
    `define CLOCK_ON clk_on_i
    `define CLOCK_CNT clk_cnt_i
    `define CLOCK_TX clk_tx_i
    `define CLOCK_RX clk_rx_i
    `define CLOCK_PFC clk_pfc_i
  `else
    `define CLOCK_CFG clk_i
    `define CLOCK_ON clk_i
    `define CLOCK_CNT clk_i
    `define CLOCK_TX clk_i
    `define CLOCK_RX clk_i
    `define CLOCK_PFC clk_i
  `endif
`endif
