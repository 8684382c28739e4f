// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Test top: the package's functions as ports. Combinational.

`default_nettype none

module ohca_functions (
  input  logic         clk_i,
  input  logic         rst_i,
  input  logic [159:0] a_i,
  input  logic [31:0]  b_i,
  output logic [23:0]  diff_o,
  output logic         lt_o,
  output logic         le_o,
  output logic         pos_o,
  output logic         time_o,
  output logic [12:0]  mtu_o,
  output logic [23:0]  npkts_o,
  output logic [1:0]   pad_o,
  output logic [63:0]  mask_o,
  output logic [6:0]   count_o,
  output logic [15:0]  credits_o,
  output logic [4:0]   code_o,
  output logic [16:0]  rnr_o,
  output logic [15:0]  csum_o,
  output logic [15:0]  sport_o,
  output logic [127:0] swap_o,
  output logic [47:0]  swap2_o
);

  logic unused;
  assign unused    = ^{clk_i, rst_i};
  assign diff_o    = ohca_fmt_pkg::psn_diff(a_i[23:0], b_i[23:0]);
  assign lt_o      = ohca_fmt_pkg::psn_lt(a_i[23:0], b_i[23:0]);
  assign le_o      = ohca_fmt_pkg::psn_le(a_i[23:0], b_i[23:0]);
  assign pos_o     = ohca_fmt_pkg::pos_lt(a_i[15:0], b_i[15:0]);
  assign time_o    = ohca_fmt_pkg::time_lt(a_i[31:0], b_i);
  assign mtu_o     = ohca_fmt_pkg::mtu_bytes(b_i[2:0]);
  logic [24:0] npkts;
  assign npkts     = ohca_fmt_pkg::npkts(a_i[31:0], b_i[2:0]);
  assign npkts_o   = npkts[24:1] + 24'(npkts[0]);
  assign pad_o     = ohca_fmt_pkg::padcnt(a_i[1:0]);
  assign mask_o    = ohca_fmt_pkg::keep_mask(b_i[6:0]);
  assign count_o   = ohca_fmt_pkg::keep_count(a_i[63:0]);
  assign credits_o = ohca_fmt_pkg::credit_decode(b_i[4:0]);
  assign code_o    = ohca_fmt_pkg::credit_encode(a_i[15:0]);
  assign rnr_o     = ohca_fmt_pkg::rnr_timer(b_i[4:0]);
  assign csum_o    = ohca_fmt_pkg::ipv4_csum(a_i);
  assign sport_o   = ohca_fmt_pkg::flow_sport(a_i[19:0]);
  assign swap_o    = ohca_fmt_pkg::bswap128(a_i[127:0]);
  assign swap2_o   = {ohca_fmt_pkg::bswap16(a_i[15:0]), ohca_fmt_pkg::bswap32(a_i[31:0])};

endmodule

`default_nettype wire
