// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Completion: what the engines report becomes entries in host memory, and interrupts. This module only wires.
//
//   completions ─► ohca_cq ─► CQEs         doorbells (arm), accesses ─► both
//                     │ └──► QPs whose CQ overflowed, to the engines
//                     ▼ events
//   events of others ─► ohca_eq ─► EQEs ─► vectors
//
// Latency and throughput are those of the blocks: nothing is registered here but, with Compact, an event on its way to
// ohca_eq (a cycle). It does NOT order completions of different CQs, nor lose an event: who has one waits.

`include "ohca_clocks.svh"
`default_nettype none

module ohca_complete #(
  parameter int unsigned DataWidth = 64,
  parameter int unsigned CqSets    = 64,      // CQ contexts on chip
  parameter int unsigned CtxFills  = 16,      // of a cache of QP contexts: misses, lookups, write-backs in flight
  parameter int unsigned CtxDepth  = 32,
  parameter int unsigned CtxEvicts = 32,
  parameter bit          RoCE      = 1'b1,    // the network interface has events
  parameter bit          Compact   = 1'b0
) (
  input  logic                                   clk_i,
`ifdef OHCA_GATES
  input  logic [`PARTS-1:0]                      clk_part_i,     // "clocks by part" of rtl/ohca.sv
  input  logic                                   all_i,
  output logic [`PARTS-1:0]                      part_busy_o,    // of the parts that are in here
`endif
  input  logic                                   rst_i,
  input  logic [63:0]                            now_i,
  input  logic [31:0]                            time_scale_i,   // cycles per microsecond
  output logic                                   idle_o,         // a timer that waits is idle, also when it has come
  output ohca_fmt_pkg::timer_note_t              timer_o,        // in cycles
  output logic [1:0][63:0]                       cnt_o,          // ohca_cq, ohca_eq

  input  logic [39:0]                            base_i,         // CQ contexts in context memory, and their number
  input  logic [24:0]                            limit_i,
  input  logic [1:0]                             cq_valid_i,     // completions: ohca_ra_stream, ohca_rs
  output logic [1:0]                             cq_ready_o,
  input  logic [1:0][ohca_fmt_pkg::CQ_REQ_BITS-1:0] cq_i,
  output logic                                   qerr_valid_o,   // QPs whose CQ overflowed
  input  logic                                   qerr_ready_i,
  output logic [23:0]                            qerr_qpn_o,
  input  logic                                   arm_valid_i,    // {uar 16, cqn 24, solicited 1, seen 7, ci 24}
  output logic                                   arm_ready_o,
  input  logic [71:0]                            arm_i,
  input  logic                                   acc_valid_i,    // of the management core, to CQ contexts
  output logic                                   acc_ready_o,
  input  ohca_fmt_pkg::ctx_acc_t                 acc_i,
  output ohca_fmt_pkg::acc_rsp_t                 acc_rsp_o,

  input  logic [3:0]                             ev_valid_i,     // events: ohca_rs, ohca_ra_stream, ohca_mgmt, ohca_nic
  output logic [3:0]                             ev_ready_o,
  input  logic [3:0][ohca_fmt_pkg::EV_REQ_BITS-1:0] ev_i,
  input  logic                                   db_valid_i,     // {eqn 8, arm 1, ci 24}
  output logic                                   db_ready_o,
  input  logic [32:0]                            db_i,
  input  ohca_fmt_pkg::eqm_req_t                 eqm_i,          // of the management core, to EQ contexts
  output ohca_fmt_pkg::eqm_rsp_t                 eqm_o,
  output logic                                   irq_valid_o,
  input  logic                                   irq_ready_i,
  output logic [7:0]                             irq_vector_o,

  output ohca_fmt_pkg::cpl_ask_t                 mem_o,          // ohca_host
  input  ohca_fmt_pkg::cpl_told_t                mem_i,
  output logic [2:0][DataWidth-1:0]              wr_dat_o,       // contexts, CQEs, EQEs
  input  logic [DataWidth-1:0]                   rd_data_i,
  input  ohca_fmt_pkg::mem_all_t                 all_mem_i
);

  localparam int unsigned NumEv = RoCE ? 5 : 4;
  // The cache of CQs sees fewer misses than those of QPs.
  localparam int unsigned Fills  = (CtxFills < 8) ? CtxFills : 8;
  localparam int unsigned Depth  = (CtxDepth < 32) ? CtxDepth : 32;
  localparam int unsigned Evicts = (CtxEvicts < 32) ? CtxEvicts : 32;
  logic                             cq_idle, eq_idle;
  logic [4:0]                       ev_valid, ev_ready;
  logic [NumEv-1:0]                 eq_valid, eq_ready;
  logic [ohca_fmt_pkg::EV_REQ_BITS-1:0] ev_cq;
  logic [4:0][ohca_fmt_pkg::EV_REQ_BITS-1:0] ev;
  logic [NumEv-1:0][ohca_fmt_pkg::EV_REQ_BITS-1:0] ev_at;
  assign ev_valid[4:1] = ev_valid_i;
  assign ev_ready_o    = ev_ready[4:1];
  assign ev            = {ev_i, ev_cq};

  // Each block's own copy of the reset.
  logic rst_cq, rst_eq;
  ohca_reset u_rst_cq (.clk_i(`CLOCK(`PART_CQ)), .rst_i, .rst_o(rst_cq));
  ohca_reset u_rst_eq (.clk_i(`CLOCK(`PART_EQ)), .rst_i, .rst_o(rst_eq));

  ohca_cq #(.DW(DataWidth), .Sets(CqSets), .CtxFills(Fills), .CtxDepth(Depth), .CtxEvicts(Evicts),
      .Compact(Compact)) u_cq (
    .clk_i(`CLOCK(`PART_CQ)), .rst_i(rst_cq), .now_i, .cycles_per_us_i(time_scale_i), .idle_o(cq_idle),
    .tmr_any_o(timer_o.any), .tmr_next_o(timer_o.next), .cnt_o(cnt_o[0]), .base_i, .limit_i,
    .cq_valid_i, .cq_ready_o, .cq_i, .arm_valid_i, .arm_ready_o, .arm_i,
    .acc_valid_i, .acc_ready_o, .acc_i, .acc_rsp_o,
    .ev_valid_o(ev_valid[0]), .ev_ready_i(ev_ready[0]), .ev_o(ev_cq),
    .qerr_valid_o, .qerr_ready_i, .qerr_qpn_o,
    .ctx_o(mem_o.ctx), .ctx_i(mem_i.ctx), .ctx_dat_o(wr_dat_o[0]), .dbr_o(mem_o.dbr), .dbr_i(mem_i.dbr),
    .rd_rsp_data_i(rd_data_i), .rd_rsp_i(all_mem_i.beat),
    .tpt_valid_o(mem_o.tpt_valid), .tpt_ready_i(mem_i.tpt_ready), .tpt_o(mem_o.tpt),
    .tpt_rsp_valid_i(mem_i.tpt_rsp_valid), .tpt_rsp_i(mem_i.tpt_rsp),
    .wr_o(mem_o.cqe), .wr_i(mem_i.cqe), .wr_dat_o(wr_dat_o[1]), .wr_cnt_i(all_mem_i.cnt)
  );

  ohca_eq #(.DW(DataWidth), .NumEq(16), .NumSources(NumEv), .Compact(Compact)) u_eq (
    .clk_i(`CLOCK(`PART_EQ)), .rst_i(rst_eq), .idle_o(eq_idle), .cnt_o(cnt_o[1]),
    .ev_valid_i(eq_valid), .ev_ready_o(eq_ready), .ev_i(ev_at),
    .db_valid_i, .db_ready_o, .db_i,
    .mg_valid_i(eqm_i.valid), .mg_ready_o(eqm_o.ready), .mg_we_i(eqm_i.we), .mg_eqn_i(eqm_i.eqn),
    .mg_dw_i(eqm_i.dw), .mg_wdata_i(eqm_i.wdata), .mg_done_o(eqm_o.done), .mg_rdata_o(eqm_o.rdata),
    .wr_valid_o(mem_o.eqe.valid), .wr_ready_i(mem_i.eqe.ready), .wr_o(mem_o.eqe.req),
    .wr_dat_valid_o(mem_o.eqe.dat_valid), .wr_dat_ready_i(mem_i.eqe.dat_ready), .wr_dat_o(wr_dat_o[2]),
    .wr_dat_last_o(mem_o.eqe.dat_last), .wr_issued_i(all_mem_i.cnt.issued), .wr_acked_i(all_mem_i.cnt.acked),
    .irq_valid_o, .irq_ready_i, .irq_vector_o
  );
  // Who has events may be far away: with Compact one of each lies in a register on its way, as what ohca_eq does next
  // is found from all that it has.
  for (genvar g = 0; g < NumEv; g++) begin : g_ev
    ohca_hop #(.Width(ohca_fmt_pkg::EV_REQ_BITS), .On(Compact)) u_far (
      .clk_i(`CLOCK(`PART_EQ)), .rst_i(rst_eq), .valid_i(ev_valid[g]), .ready_o(ev_ready[g]), .data_i(ev[g]),
      .valid_o(eq_valid[g]), .ready_i(eq_ready[g]), .data_o(ev_at[g])
    );
  end
  if (!RoCE) begin : g_no_nic
    assign ev_ready[4] = 1'b0;
  end

  assign idle_o = cq_idle && eq_idle && ev_valid[NumEv-1:0] == '0;

  logic unused;
  assign unused = &{1'b0, clk_i, ev_valid, ev};

`ifdef OHCA_GATES
  always_comb begin
    part_busy_o = '0;
    part_busy_o[`PART_CQ] = all_i || !cq_idle || cq_valid_i != '0 || arm_valid_i || mem_i.tpt_rsp_valid ||
                            mem_i.ctx.rd_rsp_valid || mem_i.dbr.valid || mem_i.ctx.icm_rsp_valid;   // and the timer
    part_busy_o[`PART_EQ] = all_i || !eq_idle || ev_valid[NumEv-1:0] != '0 || db_valid_i || eqm_i.valid;
  end
`endif

endmodule

`default_nettype wire
