// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Memory translation and protection: checks a key against its MPT entry and turns the virtual address into a bus
// address by the MTT.
// lint: Small=1
// lint: Small=1 Rings=39
//
// Two ways to build it: ohca_tpt_full answers a request per cycle; with Small, ohca_tpt_small takes one after the
// other, 6 to 12 cycles each.
//
// Nothing waits for a client: it has room for the answer when it asks. MTT lines hold 8 entries, so an MTT allocation
// must be a multiple of 8 entries, aligned: else a line cached for a neighbour would show the old state of a new entry.

`default_nettype none

module ohca_tpt #(
  parameter int unsigned           DW         = 64,
  parameter int unsigned           NumClients = 6,
  parameter int unsigned           MptLines   = 256,   // cached MPT entries, power of two
  parameter int unsigned           MttLines   = 512,   // cached lines of 8 MTT entries, power of two
  parameter int unsigned           Fills      = 16,    // outstanding fills of each cache, power of two; Small: 1
  parameter int unsigned           Depth      = 32,    // requests in each cache, power of two; Small: 1
  parameter bit                    Small      = 1'b0,  // DW = 64
  parameter int unsigned           Rings      = 0      // Small: clients that access rings only (mtt_op): of their
                                                       // requests nothing but the address is looked at
) (
  input  logic                                                   clk_i,
  input  logic                                                   rst_i,
  output logic                                                   idle_o,
  output logic [63:0]                                            cnt_o,

  input  logic [39:0]                                            mpt_base_i,    // tables in context memory
  input  logic [24:0]                                            mpt_limit_i,   // entries
  input  logic [39:0]                                            mtt_base_i,
  input  logic [27:0]                                            mtt_limit_i,   // entries, multiple of 8

  input  logic [NumClients-1:0]                                  req_valid_i,
  output logic [NumClients-1:0]                                  req_ready_o,
  input  logic [NumClients-1:0][ohca_fmt_pkg::TPT_REQ_BITS-1:0]  req_i,
  output logic [NumClients-1:0]                                  rsp_valid_o,   // one-hot; must be taken
  output ohca_fmt_pkg::tpt_rsp_t                                 rsp_o,

  input  logic                                                   inv_valid_i,   // forget: accepted when it is done
  output logic                                                   inv_ready_o,
  // 0: MPT entry inv_num_i, 1: of the MTT cache
  input  logic                                                   inv_mtt_i,
  input  logic                                                   inv_all_i,     //   everything, or
  // the lines (of 8 entries) from this one on
  input  logic [23:0]                                            inv_num_i,
  input  logic [5:0]                                             inv_last_i,    //   to this one of the same 64
  input  logic [4:0]                                             inv_block_i,   //   (not 0: and what is in their sets
                                                                                //   of the same block of 2^inv_block_i)
  // every request granted so far is answered
  output logic                                                   quiet_o,

  // Context memory and host reads, [0] MPT, [1] MTT.
  output logic [1:0]                                             icm_valid_o,
  input  logic [1:0]                                             icm_ready_i,
  output logic [1:0][39:0]                                       icm_addr_o,
  input  logic [1:0]                                             icm_rsp_valid_i,
  input  logic                                                   icm_rsp_ok_i,
  input  logic [63:0]                                            icm_rsp_addr_i,
  output logic [1:0]                                             rd_valid_o,
  input  logic [1:0]                                             rd_ready_i,
  output logic [1:0][ohca_fmt_pkg::DMA_RD_REQ_BITS-1:0]          rd_o,
  input  logic [1:0]                                             rd_rsp_valid_i,
  input  logic [DW-1:0]                                          rd_rsp_data_i,
  input  logic                                                   rd_rsp_last_i,
  input  logic                                                   rd_rsp_err_i
);

  if (MttLines > 2048) begin : g_bad_sets
    $error("ohca_tpt: firmware walks 2048 sets to drop a block (MTT_LOG_SETS)");
  end
  if (Small) begin : g_small
    ohca_tpt_small #(
      .DW(DW), .NumClients(NumClients), .MptLines(MptLines), .MttLines(MttLines), .Rings(NumClients'(Rings))
    ) u_tpt (
      .clk_i, .rst_i, .idle_o, .cnt_o, .mpt_base_i, .mpt_limit_i, .mtt_base_i, .mtt_limit_i, .req_valid_i, .req_ready_o,
      .req_i, .rsp_valid_o, .rsp_o,
      .inv_valid_i, .inv_ready_o, .inv_mtt_i, .inv_all_i, .inv_num_i, .inv_last_i, .inv_block_i,
      .quiet_o, .icm_valid_o, .icm_ready_i, .icm_addr_o, .icm_rsp_valid_i, .icm_rsp_ok_i,
      .icm_rsp_addr_i, .rd_valid_o, .rd_ready_i, .rd_o, .rd_rsp_valid_i, .rd_rsp_data_i, .rd_rsp_last_i, .rd_rsp_err_i
    );
  end else begin : g_full
    ohca_tpt_full #(
      .DW(DW), .NumClients(NumClients), .MptLines(MptLines), .MttLines(MttLines), .Fills(Fills), .Depth(Depth)
    ) u_tpt (
      .clk_i, .rst_i, .idle_o, .cnt_o, .mpt_base_i, .mpt_limit_i, .mtt_base_i, .mtt_limit_i, .req_valid_i, .req_ready_o,
      .req_i, .rsp_valid_o, .rsp_o,
      .inv_valid_i, .inv_ready_o, .inv_mtt_i, .inv_all_i, .inv_num_i, .inv_last_i, .inv_block_i,
      .quiet_o, .icm_valid_o, .icm_ready_i, .icm_addr_o, .icm_rsp_valid_i, .icm_rsp_ok_i,
      .icm_rsp_addr_i, .rd_valid_o, .rd_ready_i, .rd_o, .rd_rsp_valid_i, .rd_rsp_data_i, .rd_rsp_last_i, .rd_rsp_err_i
    );
  end

endmodule

`default_nettype wire
