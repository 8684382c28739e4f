// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// What the commit of ohca_cq_full has decided is done here, in order: a CQE is written to the ring, and the event that
// belongs to it leaves when that write has been accepted, so an event is never ahead of its CQE on the bus.
//
//   entry -> FIFO ----------------------------> write -> event
//      \---> address -> tpt -> answer -> FIFO ----^
//
// An entry is a CQE to be written (write; mtt: its address is to be translated), an event of the CQ (comp) or of its
// error (over), or an access that has passed the commit (acc): it is reported when all before it has been accepted.
// Entries may be several of these. Events of errors go to EQ 0. What cannot be translated is lost: it makes an event of
// the error, with the cause, before the CQ's own if it has one, and lost_* names CQ and QP.
//
// A write is offered the cycle after its entry came, where nothing is translated; an entry a cycle, four with DW = 64
// for a CQE. ready_o is a flop's; lost_*, leave_o and acc_* come from flops, the cycle after. Translations run ahead,
// at most Depth of them. It does NOT know of contexts: whether there is room in the ring has been looked at before.

`include "ohca_assert.svh"
`default_nettype none

module ohca_cq_back #(
  parameter int unsigned DW    = 64,
  parameter int unsigned Depth = 16            // entries, power of two
) (
  input  logic                       clk_i,
  input  logic                       rst_i,
  output logic                       idle_o,

  input  logic                       valid_i,
  output logic                       ready_o,
  input  logic                       write_i,
  input  logic                       mtt_i,         // only with write
  input  logic                       comp_i,
  input  logic                       over_i,
  input  logic                       acc_i,
  input  logic                       acc_fence_i,   // these two are given back with acc_done_o
  input  logic                       acc_err_i,
  input  logic [23:0]                cqn_i,
  input  logic [7:0]                 eqn_i,
  input  logic [63:0]                addr_i,
  input  ohca_fmt_pkg::cqe_t         cqe_i,
  input  logic [31:0]                acc_rdata_i,   // in place of a CQE

  output logic                       leave_o,       // pulse: an entry is done with
  output logic                       acc_done_o,    // pulse: it was an access
  output logic                       acc_fence_o,   // these stay
  output logic                       acc_err_o,
  output logic [31:0]                acc_rdata_o,
  output logic                       lost_valid_o,  // pulse: a CQE could not be written
  output logic [23:0]                lost_cqn_o,
  output logic [23:0]                lost_qpn_o,
  output logic                       lost_flush_o,  // it was one of a flushed request

  output logic                       ev_valid_o,
  input  logic                       ev_ready_i,
  output ohca_fmt_pkg::ev_req_t      ev_o,

  output logic                       tpt_valid_o,
  input  logic                       tpt_ready_i,
  output ohca_fmt_pkg::tpt_req_t     tpt_o,
  input  logic                       tpt_rsp_valid_i,
  input  ohca_fmt_pkg::tpt_rsp_t     tpt_rsp_i,
  output logic                       wr_valid_o,
  input  logic                       wr_ready_i,
  output ohca_fmt_pkg::dma_wr_req_t  wr_o,
  output logic                       wr_dat_valid_o,
  input  logic                       wr_dat_ready_i,
  output logic [DW-1:0]              wr_dat_o,
  output logic                       wr_dat_last_o
);

  localparam int unsigned BeW = 7 + 24 + 8 + 64 + 256;
  logic         b_valid, b_pop, b_write, b_mtt, b_comp, b_over, b_acc, b_fence, b_xerr;
  logic [23:0]  b_cqn;
  logic [7:0]   b_eqn;
  logic [63:0]  b_addr;
  logic [255:0] b_cqe, in_cqe;
  assign in_cqe = acc_i ? {224'd0, acc_rdata_i} : cqe_i;
  // verilator lint_off PINCONNECTEMPTY
  ohca_fifo #(.Width(BeW), .Depth(Depth)) u_be (
    .clk_i, .rst_i, .valid_i, .ready_o,
    .data_i({write_i, mtt_i, comp_i, over_i, acc_i, acc_fence_i, acc_err_i, cqn_i, eqn_i, addr_i, in_cqe}),
    .valid_o(b_valid), .ready_i(b_pop),
    .data_o({b_write, b_mtt, b_comp, b_over, b_acc, b_fence, b_xerr, b_cqn, b_eqn, b_addr, b_cqe}), .count_o(),
    .almost_full_o()
  );

  // Translations run ahead: at most one for each entry. Which it is that needs one is known late, so it is asked a
  // cycle later.
  logic        ask_q, tq_ready, ts_ready, ts_valid, ts_ok;
  logic [63:0] ask_va_q, tq_va, ts_addr;
  logic [7:0]  ts_verr;
  always_ff @(posedge clk_i) begin
    ask_q    <= !rst_i && valid_i && ready_o && mtt_i;
    ask_va_q <= addr_i;
  end
  ohca_fifo #(.Width(64), .Depth(Depth)) u_tq (
    .clk_i, .rst_i, .valid_i(ask_q), .ready_o(tq_ready), .data_i(ask_va_q),
    .valid_o(tpt_valid_o), .ready_i(tpt_ready_i), .data_o(tq_va), .count_o(), .almost_full_o()
  );
  ohca_fifo #(.Width(73), .Depth(Depth)) u_ts (
    .clk_i, .rst_i, .valid_i(tpt_rsp_valid_i), .ready_o(ts_ready),
    .data_i({tpt_rsp_i.ok, tpt_rsp_i.verr, tpt_rsp_i.addr}),
    .valid_o(ts_valid), .ready_i(b_pop && b_mtt), .data_o({ts_ok, ts_verr, ts_addr}), .count_o(), .almost_full_o()
  );
  // verilator lint_on PINCONNECTEMPTY
  assign tpt_o = {1'b1, 4'd0, 24'd0, 32'd0, tq_va, 32'd32, 8'd0};

  // ---------------------------------------------------------------- the write
  localparam int unsigned Beats = (DW >= 256) ? 1 : 256 / DW;
  localparam int unsigned BeatW = (Beats > 1) ? $clog2(Beats) : 1;
  logic             known, put, lost, req_done_q, dat_done_q, req_ok, dat_ok, dat_last;
  logic [BeatW-1:0] beat_q;
  assign known = !b_mtt || ts_valid;                              // address and fate of the CQE
  assign put   = b_write && known && (!b_mtt || ts_ok);
  assign lost  = b_write && b_mtt && !ts_ok;                      // with known
  assign wr_valid_o     = b_valid && put && !req_done_q;
  assign wr_o           = {b_mtt ? ts_addr : b_addr, 13'd32};
  assign wr_dat_valid_o = b_valid && put && !dat_done_q;
  assign wr_dat_last_o  = dat_last;
  assign dat_last       = beat_q == BeatW'(Beats - 1);
  if (DW >= 256) begin : g_wide
    assign wr_dat_o = {(DW / 256){b_cqe}};
  end else begin : g_narrow
    assign wr_dat_o = b_cqe[beat_q * DW +: DW];
  end
  assign req_ok = !put || req_done_q || wr_ready_i;
  assign dat_ok = !put || dat_done_q || (wr_dat_ready_i && dat_last);

  // What waited may be for others that are there, though this CQE cannot be written: the error's event, then the CQ's.
  logic eq_ready, b_event, b_both, both_q, err_event;
  assign b_event   = b_comp || b_over || lost;
  assign b_both    = b_comp && lost && !both_q;
  assign b_pop     = b_valid && known && req_ok && dat_ok && (!b_event || eq_ready) && !b_both;
  assign err_event = b_over || (lost && !both_q);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      both_q     <= 1'b0;
      req_done_q <= 1'b0;
      dat_done_q <= 1'b0;
      beat_q     <= '0;
    end else begin
      both_q     <= !b_pop && (both_q || (b_valid && known && eq_ready && b_both));
      req_done_q <= !b_pop && (req_done_q || (wr_valid_o && wr_ready_i));
      dat_done_q <= !b_pop && (dat_done_q || (wr_dat_valid_o && wr_dat_ready_i && dat_last));
      if (wr_dat_valid_o && wr_dat_ready_i) beat_q <= dat_last ? '0 : beat_q + BeatW'(1);
    end
  end

  // ------------------------------------------------------- events: those of completions to the CQ's EQ, errors to EQ 0
  // verilator lint_off PINCONNECTEMPTY
  ohca_fifo #(.Width(ohca_fmt_pkg::EV_REQ_BITS), .Depth(8)) u_ev (
    .clk_i, .rst_i, .valid_i((b_pop && b_event) || (b_valid && known && b_both)), .ready_o(eq_ready),
    .data_i({err_event ? 8'd0 : b_eqn, err_event ? ohca_fmt_pkg::EQE_TYPE_CQ_ERROR : ohca_fmt_pkg::EQE_TYPE_COMP, 8'd0,
    8'd0,
             (lost && !both_q) ? ts_verr : b_over ? ohca_fmt_pkg::VENDOR_ERR_CQ_OVERFLOW :
                 ohca_fmt_pkg::VENDOR_ERR_NONE, 8'd0, b_cqn, 32'd0}),
    .valid_o(ev_valid_o), .ready_i(ev_ready_i), .data_o(ev_o), .count_o(), .almost_full_o()
  );
  // verilator lint_on PINCONNECTEMPTY

  // ---------------------------------------------------------------- what the commit hears
  always_ff @(posedge clk_i) begin
    leave_o      <= !rst_i && b_pop;
    acc_done_o   <= !rst_i && b_pop && b_acc;
    lost_valid_o <= !rst_i && b_pop && lost;
    lost_cqn_o   <= b_cqn;
    lost_qpn_o   <= b_cqe[23:0];
    lost_flush_o <= b_cqe[55:48] == ohca_fmt_pkg::WC_STATUS_WR_FLUSH;
    if (b_pop && b_acc) begin
      acc_rdata_o <= b_cqe[31:0];
      acc_err_o   <= b_xerr;
      acc_fence_o <= b_fence;
    end
  end
  assign idle_o = !b_valid && !ev_valid_o && !leave_o;

  logic unused;
  assign unused = &{1'b0, tpt_rsp_i.tag, tq_ready, ts_ready};

  `ASSERT(TptRoom_A, !ask_q || tq_ready)
  `ASSERT(TptRspRoom_A, !tpt_rsp_valid_i || ts_ready)
  `ASSERT(Kind_A, !(valid_i && ready_o) || ((write_i || comp_i || over_i || acc_i) && (write_i || !mtt_i) &&
      !(acc_i && (write_i || over_i))))

endmodule

`default_nettype wire
