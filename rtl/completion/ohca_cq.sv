// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Completion queues: writes CQEs to the rings of the host, keeps the contexts, arms CQs and sends completion events.
// lint: DW=128
// lint: DW=256
// lint: DW=512
// lint: Compact=1
//
// Two ways to build it: ohca_cq_full has many operations under way, and a CQ whose ring looks full stops no other; with
// Compact, ohca_cq_small does one operation after the other in a third of the LUTs, and moderates no events.

`default_nettype none

module ohca_cq #(
  parameter int unsigned DW       = 64,
  parameter int unsigned Sets     = 64,       // cached contexts: Sets * Ways
  parameter int unsigned Ways     = 1,        // Compact: 1
  parameter int unsigned CtxFills  = 8,       // misses, lookups and write-backs of it in flight, powers of two;
                                              // Compact: 1
  parameter int unsigned CtxDepth  = 32,
  parameter int unsigned CtxEvicts = 32,
  parameter int unsigned InFlight  = 16,      // completions between look-up and commit, parked ones included, power of
                                              // two; Compact: 1
  parameter bit          Compact   = 1'b0     // DW = 64
) (
  input  logic                                clk_i,
  input  logic                                rst_i,
  input  logic [63:0]                         now_i,
  input  logic [31:0]                         cycles_per_us_i,
  output logic                                idle_o,
  output logic                                tmr_any_o,    // an event waits for its time, which with idle_o
  output logic [31:0]                         tmr_next_o,   // does not come before this cycle
  output logic [63:0]                         cnt_o,
  input  logic [39:0]                         base_i,       // CQ contexts in context memory
  input  logic [24:0]                         limit_i,

  input  logic [1:0]                          cq_valid_i,   // 0 ra, 1 rs
  output logic [1:0]                          cq_ready_o,
  input  logic [1:0][ohca_fmt_pkg::CQ_REQ_BITS-1:0] cq_i,
  input  logic                                arm_valid_i,
  output logic                                arm_ready_o,
  input  logic [71:0]                         arm_i,        // {uar 16, cqn 24, solicited 1, seen 7, ci 24}

  input  logic                                acc_valid_i,
  output logic                                acc_ready_o,
  input  ohca_fmt_pkg::ctx_acc_t              acc_i,
  output ohca_fmt_pkg::acc_rsp_t              acc_rsp_o,

  output logic                                ev_valid_o,
  input  logic                                ev_ready_i,
  output ohca_fmt_pkg::ev_req_t               ev_o,

  output logic                                qerr_valid_o, // a completion of this QP could not be written
  input  logic                                qerr_ready_i,
  output logic [23:0]                         qerr_qpn_o,

  // context: icm 3, dma_rd 3, dma_wr 3
  output ohca_fmt_pkg::ctx_req_t              ctx_o,
  input  ohca_fmt_pkg::ctx_rsp_t              ctx_i,
  output logic [DW-1:0]                       ctx_dat_o,

  // doorbell record: dma_rd 11
  output ohca_fmt_pkg::hrd_req_t              dbr_o,
  input  ohca_fmt_pkg::hrd_rsp_t              dbr_i,

  // the response bus of ohca_dma_rd
  input  ohca_fmt_pkg::hrd_beat_t             rd_rsp_i,
  input  logic [DW-1:0]                       rd_rsp_data_i,

  // ring: tpt 5, dma_wr 5
  output logic                                tpt_valid_o,
  input  logic                                tpt_ready_i,
  output ohca_fmt_pkg::tpt_req_t              tpt_o,
  input  logic                                tpt_rsp_valid_i,
  input  ohca_fmt_pkg::tpt_rsp_t              tpt_rsp_i,
  output ohca_fmt_pkg::hwr_req_t              wr_o,
  input  ohca_fmt_pkg::hwr_rsp_t              wr_i,
  output logic [DW-1:0]                       wr_dat_o,
  input  ohca_fmt_pkg::hwr_cnt_t              wr_cnt_i
);

  if (Compact) begin : g_small
    if (Ways != 1) begin : g_bad_ways
      $error("ohca_cq: Compact has one way");
    end
    ohca_cq_small #(.DW(DW), .Sets(Sets)) u_cq (
      .clk_i, .rst_i, .now_i, .idle_o, .cnt_o, .base_i, .limit_i, .cq_valid_i, .cq_ready_o, .cq_i, .arm_valid_i,
      .arm_ready_o, .arm_i, .acc_valid_i,
      .acc_ready_o, .acc_i, .acc_rsp_o, .ev_valid_o, .ev_ready_i, .ev_o, .qerr_valid_o, .qerr_ready_i, .qerr_qpn_o,
      .ctx_o, .ctx_i, .ctx_dat_o, .dbr_o, .dbr_i, .rd_rsp_data_i, .rd_rsp_i, .tpt_valid_o, .tpt_ready_i, .tpt_o,
      .tpt_rsp_valid_i, .tpt_rsp_i, .wr_o, .wr_i, .wr_dat_o, .wr_cnt_i
    );
    // Events are not moderated.
    logic unused;
    assign unused     = &{1'b0, cycles_per_us_i};
    assign tmr_any_o  = 1'b0;
    assign tmr_next_o = '0;
  end else begin : g_full
    ohca_cq_full #(.DW(DW), .Sets(Sets), .Ways(Ways), .CtxFills(CtxFills), .CtxDepth(CtxDepth), .CtxEvicts(CtxEvicts),
        .InFlight(InFlight)) u_cq (
      .clk_i, .rst_i, .now_i, .cycles_per_us_i, .idle_o, .tmr_any_o, .tmr_next_o, .cnt_o, .base_i, .limit_i,
      .cq_valid_i, .cq_ready_o, .cq_i, .arm_valid_i, .arm_ready_o, .arm_i, .acc_valid_i,
      .acc_ready_o, .acc_i, .acc_rsp_o, .ev_valid_o, .ev_ready_i, .ev_o, .qerr_valid_o, .qerr_ready_i, .qerr_qpn_o,
      .ctx_o, .ctx_i, .ctx_dat_o, .dbr_o, .dbr_i, .rd_rsp_data_i, .rd_rsp_i, .tpt_valid_o, .tpt_ready_i, .tpt_o,
      .tpt_rsp_valid_i, .tpt_rsp_i, .wr_o, .wr_i, .wr_dat_o, .wr_cnt_i
    );
  end

endmodule

`default_nettype wire
