// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// The registers of the management core that only hold something: health and status for the host, the answer to a
// command, where the tables are, the PHY, the console, when to wake, random numbers.
//
// A write shows in the next cycle; pulses are one cycle long. Nothing waits here. What a register means is said in
// formats/70-mgmt.toml.

`include "ohca_clocks.svh"
`default_nettype none

module ohca_mgmt_regs (
  input  logic              clk_i,
`ifdef OHCA_GATES
  input  logic              clk_on_i,        // has all edges
  input  logic              clk_cfg_i,       // "clocks by part" of rtl/ohca.sv: an edge where a register is written
`endif
  input  logic              rst_i,
  input  logic [63:0]       now_i,
  input  logic [63:0]       strap_guid_i,

  input  logic              wr_i,            // pulse: register off_i is written
  input  logic              rd_i,            // pulse: it is read
  input  logic [9:0]        off_i,
  input  logic [31:0]       wdata_i,
  output logic [31:0]       now_hi_o,        // [63:32] of the time whose lower half was read last
  output logic [31:0]       rand_o,
  output logic [63:0]       wake_o,
  output logic              busy_o,          // a pulse, or the PHY's state, is on its way

  output logic              cmd_done_o,      // pulse
  output logic [7:0]        cmd_status_o,
  output logic [31:0]       cmd_imm_o,
  output logic [31:0]       fw_version_o,
  output logic [31:0]       status_o,
  output logic [31:0]       health_o,

  output logic              icm_we_o,        // pulse
  output logic [15:0]       icm_chunk_o,
  output logic              icm_valid_o,
  output logic [63:18]      icm_addr_o,
  output logic [3:0][15:0]  tbl_base_o,      // chunk, order of enum icm_table
  output logic [3:0][31:0]  tbl_limit_o,     // entries

  input  logic              phy_link_up_i,
  output logic              phy_evt_o,       // it changed since the register was read
  output logic              phy_reset_o,
  output logic              con_valid_o,     // pulse
  output logic [7:0]        con_o
);

  logic [31:0] now_hi_q, fw_version_q, status_q, health_q, cmd_imm_q;
  logic [63:0] wake_q;
  logic [31:0] wake_lo_q;
  logic        cmd_done_q;
  logic [7:0]  cmd_status_q;
  logic [3:0][15:0] tbl_base_q;
  logic [3:0][31:0] tbl_limit_q;
  logic [15:0] icm_chunk_q;
  logic [31:0] icm_hi_q;
  logic        icm_we_q, icm_valid_q;
  logic [63:18] icm_addr_q;
  logic        phy_seen_q, phy_evt_q, phy_reset_q, phy_hold_q;
  logic [63:0] rand_q;
  logic        con_valid_q;
  logic [7:0]  con_q;

  assign fw_version_o = fw_version_q;
  assign status_o     = status_q;
  assign health_o     = health_q;
  assign cmd_done_o   = cmd_done_q;
  assign cmd_status_o = cmd_status_q;
  assign cmd_imm_o    = cmd_imm_q;
  assign tbl_base_o   = tbl_base_q;
  assign tbl_limit_o  = tbl_limit_q;
  assign icm_we_o     = icm_we_q;
  assign icm_chunk_o  = icm_chunk_q;
  assign icm_valid_o  = icm_valid_q;
  assign icm_addr_o   = icm_addr_q;
  assign phy_reset_o  = phy_reset_q;
  assign con_valid_o  = con_valid_q;
  assign con_o        = con_q;
  assign now_hi_o     = now_hi_q;
  assign rand_o       = rand_q[63:32] ^ rand_q[31:0];
  assign wake_o       = wake_q;
  assign phy_evt_o    = phy_evt_q;
  assign busy_o       = cmd_done_q || icm_we_q || con_valid_q || phy_seen_q != phy_link_up_i ||
      phy_reset_q != phy_hold_q;

  always_ff @(posedge clk_i) begin
    cmd_done_q  <= 1'b0;
    icm_we_q    <= 1'b0;
    phy_reset_q <= phy_hold_q;
    con_valid_q <= 1'b0;
    if (wr_i) begin
      unique case (off_i)
        10'(ohca_fmt_pkg::M_SYS_WAKE_LO):    wake_lo_q    <= wdata_i;
        10'(ohca_fmt_pkg::M_SYS_WAKE_HI):    wake_q       <= {wdata_i, wake_lo_q};
        10'(ohca_fmt_pkg::M_SYS_FW_VERSION): fw_version_q <= wdata_i;
        10'(ohca_fmt_pkg::M_SYS_STATUS):     status_q     <= wdata_i;
        10'(ohca_fmt_pkg::M_SYS_HEALTH):     health_q     <= wdata_i;
        10'(ohca_fmt_pkg::M_SYS_CMD_IMM):    cmd_imm_q    <= wdata_i;
        10'(ohca_fmt_pkg::M_SYS_CMD_DONE): begin
          cmd_done_q   <= 1'b1;
          cmd_status_q <= wdata_i[7:0];
        end
        10'(ohca_fmt_pkg::M_SYS_ICM_CHUNK):  icm_chunk_q  <= wdata_i[15:0];
        10'(ohca_fmt_pkg::M_SYS_ICM_HI):     icm_hi_q     <= wdata_i;
        10'(ohca_fmt_pkg::M_SYS_ICM_LO): begin
          icm_we_q    <= 1'b1;
          icm_valid_q <= wdata_i[0];
          icm_addr_q  <= {icm_hi_q, wdata_i[31:18]};
        end
        10'(ohca_fmt_pkg::M_SYS_PHY): begin
          phy_reset_q  <= |wdata_i[1:0];
          phy_hold_q   <= wdata_i[1];
        end
        10'(ohca_fmt_pkg::M_SYS_CONSOLE): begin
          con_valid_q <= 1'b1;
          con_q       <= wdata_i[7:0];
        end
        default: ;
      endcase
    end
    if (rd_i && off_i == 10'(ohca_fmt_pkg::M_SYS_NOW_LO)) now_hi_q <= now_i[63:32];

    phy_seen_q <= phy_link_up_i;
    if (phy_seen_q != phy_link_up_i) phy_evt_q <= 1'b1;
    else if (rd_i && off_i == 10'(ohca_fmt_pkg::M_SYS_PHY)) phy_evt_q <= 1'b0;

    if (rst_i) begin
      wake_q       <= '1;
      wake_lo_q    <= '1;
      fw_version_q <= '0;
      status_q     <= '0;
      health_q     <= '0;
      phy_seen_q   <= 1'b0;
      phy_evt_q    <= 1'b0;
      phy_hold_q   <= 1'b0;
      icm_we_q     <= 1'b0;
    end
  end

  // It goes on while all else rests.
  always_ff @(posedge `CLOCK_ON) begin
    if (rst_i)       rand_q <= strap_guid_i | 64'h1;
    else if (wr_i) rand_q <= rand_q ^ {now_i[31:0], wdata_i};
    else             rand_q <= {rand_q[62:0], rand_q[63] ^ rand_q[62] ^ rand_q[60] ^ rand_q[59]};
  end

  // What other parts look at all the time
  always_ff @(posedge `CLOCK_CFG) begin
    if (rst_i) begin
      tbl_base_q  <= '0;
      tbl_limit_q <= '0;
    end else if (wr_i) begin
      unique case (off_i)
        10'(ohca_fmt_pkg::M_SYS_TBL_BASE):       tbl_base_q[0]  <= wdata_i[15:0];
        10'(ohca_fmt_pkg::M_SYS_TBL_BASE + 4):   tbl_base_q[1]  <= wdata_i[15:0];
        10'(ohca_fmt_pkg::M_SYS_TBL_BASE + 8):   tbl_base_q[2]  <= wdata_i[15:0];
        10'(ohca_fmt_pkg::M_SYS_TBL_BASE + 12):  tbl_base_q[3]  <= wdata_i[15:0];
        10'(ohca_fmt_pkg::M_SYS_TBL_LIMIT):      tbl_limit_q[0] <= wdata_i;
        10'(ohca_fmt_pkg::M_SYS_TBL_LIMIT + 4):  tbl_limit_q[1] <= wdata_i;
        10'(ohca_fmt_pkg::M_SYS_TBL_LIMIT + 8):  tbl_limit_q[2] <= wdata_i;
        10'(ohca_fmt_pkg::M_SYS_TBL_LIMIT + 12): tbl_limit_q[3] <= wdata_i;
        default: ;
      endcase
    end
  end

endmodule

`default_nettype wire
