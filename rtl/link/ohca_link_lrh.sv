// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Link-layer checks of a received packet, from its local route header and what is known of it as a whole.
// Combinational.
//
// Those of the GRH and of the transport headers' length follow elsewhere, and count only when these find nothing.

`default_nettype none

module ohca_link_lrh (
  input  ohca_fmt_pkg::port_cfg_t cfg_i,
  // verilator lint_off UNUSEDSIGNAL
  input  logic [63:0]             lrh_i,        // wire order, first byte in [63:56]; reserved bits are not looked at
  // verilator lint_on UNUSEDSIGNAL
  input  logic                    eth_i,        // an Ethernet frame in the internal form
  input  logic                    fw_i,         // from firmware, to the host
  input  logic                    bad_i,        // marked by the sender or cut: thrown away without a count
  input  logic                    over_i,       // longer than the MTU allows
  input  logic                    len_ok_i,     // as many bytes came as it says
  input  logic                    vcrc_i,
  input  logic                    icrc_i,

  output logic                    ok_o,
  output logic                    quiet_o,
  output logic [5:0]              why_o         // counter of the first check that fails; 63: none failed, or nothing to
                                                // count
);

  logic [3:0]  vl, lver;
  logic [1:0]  lnh;
  logic [15:0] dlid, lid_mask;
  logic        mcast, mine, v15;
  assign vl       = lrh_i[63:60];
  assign lver     = lrh_i[59:56];
  assign lnh      = lrh_i[49:48];
  assign dlid     = lrh_i[47:32];
  assign v15      = vl == 4'd15;
  assign mcast    = dlid[15:14] == 2'b11 && dlid != 16'hffff;
  assign lid_mask = 16'hffff << cfg_i.lmc;
  assign mine     = (dlid == 16'hffff) ? v15 :
                    mcast ? !v15 :
                    (dlid != 16'd0 && cfg_i.lid != 16'd0 && ((dlid ^ cfg_i.lid) & lid_mask) == 16'd0);

  always_comb begin
    ok_o    = 1'b0;
    quiet_o = 1'b0;
    why_o   = 6'd63;
    if (bad_i)                                                 quiet_o = 1'b1;
    else if (eth_i) begin
      if (over_i)                                              why_o = ohca_fmt_pkg::COUNTER_ETH_JUMBO;
      else if (!len_ok_i)                                      why_o = ohca_fmt_pkg::COUNTER_ETH_TRUNC;
      else if (!cfg_i.rx_data_en)                              why_o = ohca_fmt_pkg::COUNTER_RX_VL;
      else if (!icrc_i)                                        why_o = ohca_fmt_pkg::COUNTER_RX_ICRC;
      else                                                     ok_o = 1'b1;
    end
    else if (!vcrc_i)                                          why_o = ohca_fmt_pkg::COUNTER_RX_VCRC;
    else if (lver != 4'd0)                                     why_o = ohca_fmt_pkg::COUNTER_RX_LVER;
    else if (!len_ok_i || over_i)                              why_o = ohca_fmt_pkg::COUNTER_RX_LEN;
    else if (v15 ? lnh != 2'd2 && !fw_i : !fw_i && vl >= cfg_i.oper_vls) why_o = ohca_fmt_pkg::COUNTER_RX_VL;
    else if (!v15 && !cfg_i.rx_data_en && !fw_i)               why_o = ohca_fmt_pkg::COUNTER_RX_VL;
    else if (!mine && !fw_i)                                   why_o = ohca_fmt_pkg::COUNTER_RX_DLID;
    else if (lnh < 2'd2)                                       why_o = ohca_fmt_pkg::COUNTER_RX_BTH;
    else if (!icrc_i)                                          why_o = ohca_fmt_pkg::COUNTER_RX_ICRC;
    else if (lnh == 2'd3 && lrh_i[26:16] < 11'd16)             why_o = ohca_fmt_pkg::COUNTER_RX_LEN;
    else                                                       ok_o = 1'b1;
  end

  logic unused;
  assign unused = &{1'b0, cfg_i};

endmodule

`default_nettype wire
