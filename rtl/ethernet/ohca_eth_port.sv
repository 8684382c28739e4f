// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Registers of an Ethernet port, on the register bus of ohca_port (formats/80-ethernet.toml), and what is written to
// its GID table.
//
// Writes act in the next cycle (that of an entry's last word changes the table in the one after that), reads answer in
// the next one (0 for what is not here, so that the answers of both modules can be joined by OR). It does NOT hold the
// table (ohca_gid_table).

`include "ohca_assert.svh"
`default_nettype none

module ohca_eth_port #(
  localparam int unsigned Gids  = ohca_fmt_pkg::PORT_GIDS
) (
  input  logic                          clk_i,
  input  logic                          rst_i,

  // Management bus, shared with ohca_port
  input  logic                          mg_valid_i,
  input  logic                          mg_we_i,
  input  logic [9:0]                    mg_addr_i,      // dword address
  input  logic [31:0]                   mg_wdata_i,
  output logic [31:0]                   mg_rdata_o,     // next cycle

  output ohca_fmt_pkg::eth_ctrl_t       ctrl_o,
  output logic [47:0]                   mac_o,          // first wire byte in [47:40]
  output logic [63:0]                   hash_o,
  output ohca_fmt_pkg::eth_pfc_t        pfc_o,
  output ohca_fmt_pkg::eth_pfc_lim_t    pfc_lim_o,
  output ohca_fmt_pkg::eth_pfc_lim_t    pfc_own_o,
  output logic [31:0]                   quantum_o,
  output ohca_fmt_pkg::eth_cnp_t        cnp_o,
  input  ohca_fmt_pkg::eth_state_t      state_i,

  output logic [Gids-1:0]               gid_put_o,      // this entry of the table is written
  output ohca_fmt_pkg::gid_ent_t        gid_ent_o
);

  localparam int unsigned WCtrl  = ohca_fmt_pkg::PORT_REG_ETH_CTRL / 4;
  localparam int unsigned WMacLo = ohca_fmt_pkg::PORT_REG_ETH_MAC_LO / 4;
  localparam int unsigned WMacHi = ohca_fmt_pkg::PORT_REG_ETH_MAC_HI / 4;
  localparam int unsigned WHashL = ohca_fmt_pkg::PORT_REG_ETH_HASH_LO / 4;
  localparam int unsigned WHashH = ohca_fmt_pkg::PORT_REG_ETH_HASH_HI / 4;
  localparam int unsigned WPfc   = ohca_fmt_pkg::PORT_REG_ETH_PFC / 4;
  localparam int unsigned WLim   = ohca_fmt_pkg::PORT_REG_ETH_PFC_LIM / 4;
  localparam int unsigned WQuant = ohca_fmt_pkg::PORT_REG_ETH_QUANTUM / 4;
  localparam int unsigned WCnp   = ohca_fmt_pkg::PORT_REG_ETH_CNP / 4;
  localparam int unsigned WState = ohca_fmt_pkg::PORT_REG_ETH_STATE / 4;
  localparam int unsigned WOwn   = ohca_fmt_pkg::PORT_REG_ETH_PFC_OWN / 4;
  localparam int unsigned WGid   = ohca_fmt_pkg::PORT_REG_GID / 4;
  localparam int unsigned WAttr  = ohca_fmt_pkg::PORT_REG_GID_ATTR / 4;

  logic [31:0] ctrl_q, mac_lo_q, hash_lo_q, hash_hi_q, pfc_q, lim_q, own_q, quantum_q, cnp_q;
  logic [15:0] mac_hi_q;
  logic        wr, is_gid, is_attr;
  assign wr      = mg_valid_i && mg_we_i;
  assign is_gid  = mg_addr_i[9:6] == 4'(WGid >> 6);
  assign is_attr = mg_addr_i[9:6] == 4'(WAttr >> 6);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      ctrl_q    <= '0;
      mac_lo_q  <= '0;
      mac_hi_q  <= '0;
      hash_lo_q <= '0;
      hash_hi_q <= '0;
      pfc_q     <= '0;
      lim_q     <= '0;
      own_q     <= '0;
      quantum_q <= '0;
      cnp_q     <= '0;
    end else if (wr) begin
      case (mg_addr_i)
        10'(WCtrl):  ctrl_q    <= mg_wdata_i & ~ohca_fmt_pkg::ETH_CTRL_RSVD;
        10'(WMacLo): mac_lo_q  <= mg_wdata_i;
        10'(WMacHi): mac_hi_q  <= mg_wdata_i[15:0];
        10'(WHashL): hash_lo_q <= mg_wdata_i;
        10'(WHashH): hash_hi_q <= mg_wdata_i;
        10'(WPfc):   pfc_q     <= mg_wdata_i;
        10'(WLim):   lim_q     <= mg_wdata_i;
        10'(WOwn):   own_q     <= mg_wdata_i;
        10'(WQuant): quantum_q <= mg_wdata_i;
        10'(WCnp):   cnp_q     <= mg_wdata_i & ~ohca_fmt_pkg::ETH_CNP_RSVD;
        default: ;
      endcase
    end
  end

  assign ctrl_o    = ctrl_q;
  assign mac_o     = {ohca_fmt_pkg::bswap32(mac_lo_q), mac_hi_q[7:0], mac_hi_q[15:8]};
  assign hash_o    = {hash_hi_q, hash_lo_q};
  assign pfc_o     = pfc_q;
  assign pfc_lim_o = lim_q;
  assign pfc_own_o = own_q;
  assign quantum_o = quantum_q;
  assign cnp_o     = cnp_q;

  // ------------------------------------------------------------------ GIDs
  // An entry's dwords and its attributes wait here until the last one is written; the entry changes a cycle later, as
  // its enables go to flops all over the table.
  logic [3:0][31:0]          gid_q;
  logic [31:0]               attr_lo_q, attr_hi_q;
  logic [Gids-1:0]           put_q;
  ohca_fmt_pkg::gid_attr_t   attr;
  ohca_fmt_pkg::gid_ent_t    ent;
  assign attr     = {attr_hi_q, attr_lo_q};
  assign ent.gtype = attr.gtype;
  assign ent.tag  = attr.tag;
  assign ent.vid  = attr.vid;
  assign ent.mac  = {ohca_fmt_pkg::bswap32(attr.mac[31:0]), attr.mac[39:32], attr.mac[47:40]};
  assign ent.gid  = {ohca_fmt_pkg::bswap32(gid_q[0]), ohca_fmt_pkg::bswap32(gid_q[1]), ohca_fmt_pkg::bswap32(gid_q[2]),
      ohca_fmt_pkg::bswap32(gid_q[3])};
  always_ff @(posedge clk_i) begin
    if (wr && is_gid) begin
      for (int unsigned i = 0; i < 4; i++) if (mg_addr_i[1:0] == 2'(i)) gid_q[i] <= mg_wdata_i;
    end
    if (wr && is_attr && mg_addr_i[1:0] == 2'd0) attr_lo_q <= mg_wdata_i;
    if (wr && is_attr && mg_addr_i[1:0] == 2'd1) attr_hi_q <= mg_wdata_i;
    for (int unsigned i = 0; i < Gids; i++)
      put_q[i] <= !rst_i && wr && is_attr && mg_addr_i[1:0] == 2'd1 && mg_addr_i[5:2] == 4'(i);
  end
  assign {gid_put_o, gid_ent_o} = {put_q, ent};

  // ------------------------------------------------------------------ read
  always_ff @(posedge clk_i) begin
    if (mg_valid_i) begin
      case (mg_addr_i)
        10'(WCtrl):  mg_rdata_o <= ctrl_q;
        10'(WMacLo): mg_rdata_o <= mac_lo_q;
        10'(WMacHi): mg_rdata_o <= {16'd0, mac_hi_q};
        10'(WHashL): mg_rdata_o <= hash_lo_q;
        10'(WHashH): mg_rdata_o <= hash_hi_q;
        10'(WPfc):   mg_rdata_o <= pfc_q;
        10'(WLim):   mg_rdata_o <= lim_q;
        10'(WOwn):   mg_rdata_o <= own_q;
        10'(WQuant): mg_rdata_o <= quantum_q;
        10'(WCnp):   mg_rdata_o <= cnp_q;
        10'(WState): mg_rdata_o <= state_i;
        default:     mg_rdata_o <= '0;
      endcase
    end
  end

  logic unused;
  assign unused = &{1'b0, attr};

endmodule

`default_nettype wire
