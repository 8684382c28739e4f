// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// What the commit of ohca_cq_full has decided is done here, in order: a CQE is written to the ring, and the event that
// belongs to it leaves when that write has been accepted, so an event is never ahead of its CQE on the bus.
//
//   entry -> FIFO ---------------------------+--> write requests, their data -> host
//      \---> address -> tpt -> answer -> FIFO -+--> what follows an accepted write: event, access
//
// An entry is a CQE to be written (write; mtt: its address is to be translated), an event of the CQ (comp) or of its
// error (over), or an access that has passed the commit (acc): it is reported when all before it has been accepted.
// Entries may be several of these. Events of errors go to EQ 0. What cannot be translated is lost: it makes an event of
// the error, with the cause, before the CQ's own if it has one, and lost_* names CQ and QP.
//
// A write is offered two cycles after its entry came, where nothing is translated; an entry a cycle, four with DW = 64
// for a CQE. ready_o is a flop's; lost_*, leave_o and acc_* come from flops, the cycle after. Translations run ahead,
// at most Depth of them, and so do up to Ahead requests: what was requested has its data here, and waits for no event.
// It does NOT know of contexts: whether there is room in the ring has been looked at before.

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
  localparam int unsigned Ahead = 8;
  localparam int unsigned Beats = (DW >= 256) ? 1 : 256 / DW;
  localparam int unsigned BeatW = (Beats > 1) ? $clog2(Beats) : 1;
  logic             known, put, b_lost, rq_ready, dq_ready, dq_valid, pq_ready, dat_pop;
  logic [63:0]      rq_addr;
  logic [255:0]     dat;
  logic [BeatW-1:0] beat_q;
  assign known  = !b_mtt || ts_valid;                             // address and fate of the CQE
  assign put    = b_write && (!b_mtt || ts_ok);                   // with known
  assign b_lost = b_write && b_mtt && !ts_ok;
  assign b_pop  = b_valid && known && pq_ready;                   // what is in one of them is in u_pq, too
  // verilator lint_off PINCONNECTEMPTY
  ohca_fifo #(.Width(64), .Depth(Ahead)) u_rq (
    .clk_i, .rst_i, .valid_i(b_pop && put), .ready_o(rq_ready), .data_i(b_mtt ? ts_addr : b_addr),
    .valid_o(wr_valid_o), .ready_i(wr_ready_i), .data_o(rq_addr), .count_o(), .almost_full_o()
  );
  ohca_fifo #(.Width(256), .Depth(Ahead)) u_dq (
    .clk_i, .rst_i, .valid_i(b_pop && put), .ready_o(dq_ready), .data_i(b_cqe),
    .valid_o(dq_valid), .ready_i(dat_pop), .data_o(dat), .count_o(), .almost_full_o()
  );
  // verilator lint_on PINCONNECTEMPTY
  assign wr_o          = {rq_addr, 13'd32};
  assign wr_dat_last_o = beat_q == BeatW'(Beats - 1);
  assign dat_pop       = wr_dat_valid_o && wr_dat_ready_i && wr_dat_last_o;
  if (DW >= 256) begin : g_wide
    assign wr_dat_o = {(DW / 256){dat}};
  end else begin : g_narrow
    assign wr_dat_o = dat[beat_q * DW +: DW];
  end

  // ---------------------------------------------------------------- what follows it
  // Data is offered behind its request. asked_q: requests accepted whose data was not; done_q: writes accepted whose
  // entries are still here.
  logic        p_valid, p_pop, p_put, p_lost, p_comp, p_over, p_acc, p_fence, p_xerr;
  logic [3:0]  asked_q, asked_d, done_q, done_d;
  logic        any_q, dat_q;
  logic [23:0] p_cqn;
  logic [7:0]  p_eqn, p_verr;
  logic [31:0] p_word, p_rdata;                                   // {status 8, QP 24}
  // verilator lint_off PINCONNECTEMPTY
  ohca_fifo #(.Width(7 + 24 + 8 + 8 + 64), .Depth(Ahead)) u_pq (
    .clk_i, .rst_i, .valid_i(b_pop), .ready_o(pq_ready),
    .data_i({put, b_lost, b_comp, b_over, b_acc, b_fence, b_xerr, b_cqn, b_eqn, ts_verr, b_cqe[55:48], b_cqe[23:0],
             b_cqe[31:0]}),
    .valid_o(p_valid), .ready_i(p_pop),
    .data_o({p_put, p_lost, p_comp, p_over, p_acc, p_fence, p_xerr, p_cqn, p_eqn, p_verr, p_word, p_rdata}),
    .count_o(), .almost_full_o()
  );
  // verilator lint_on PINCONNECTEMPTY

  // What waited may be for others that are there, though this CQE cannot be written: the error's event, then the CQ's.
  logic eq_ready, p_event, p_both, both_q, err_event;
  assign p_event   = p_comp || p_over || p_lost;
  assign p_both    = p_comp && p_lost && !both_q;
  assign p_pop     = p_valid && (!p_put || any_q) && (!p_event || eq_ready) && !p_both;
  assign err_event = p_over || (p_lost && !both_q);
  assign asked_d   = asked_q + 4'(wr_valid_o && wr_ready_i) - 4'(dat_pop);
  assign done_d    = done_q + 4'(dat_pop) - 4'(p_pop && p_put);
  assign wr_dat_valid_o = dq_valid && dat_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      both_q <= 1'b0;
      beat_q <= '0;
      asked_q <= '0;
      dat_q   <= 1'b0;
      done_q  <= '0;
      any_q   <= 1'b0;
    end else begin
      both_q <= !p_pop && (both_q || (p_valid && eq_ready && p_both));
      if (wr_dat_valid_o && wr_dat_ready_i) beat_q <= wr_dat_last_o ? '0 : beat_q + BeatW'(1);
      asked_q <= asked_d;
      dat_q   <= asked_d != '0;
      done_q  <= done_d;
      any_q   <= done_d != '0;
    end
  end

  // ------------------------------------------------------- events: those of completions to the CQ's EQ, errors to EQ 0
  // verilator lint_off PINCONNECTEMPTY
  ohca_fifo #(.Width(ohca_fmt_pkg::EV_REQ_BITS), .Depth(8)) u_ev (
    .clk_i, .rst_i, .valid_i((p_pop && p_event) || (p_valid && p_both)), .ready_o(eq_ready),
    .data_i({err_event ? 8'd0 : p_eqn, err_event ? ohca_fmt_pkg::EQE_TYPE_CQ_ERROR : ohca_fmt_pkg::EQE_TYPE_COMP, 8'd0,
    8'd0,
             (p_lost && !both_q) ? p_verr : p_over ? ohca_fmt_pkg::VENDOR_ERR_CQ_OVERFLOW :
                 ohca_fmt_pkg::VENDOR_ERR_NONE, 8'd0, p_cqn, 32'd0}),
    .valid_o(ev_valid_o), .ready_i(ev_ready_i), .data_o(ev_o), .count_o(), .almost_full_o()
  );
  // verilator lint_on PINCONNECTEMPTY

  // ---------------------------------------------------------------- what the commit hears
  always_ff @(posedge clk_i) begin
    leave_o      <= !rst_i && p_pop;
    acc_done_o   <= !rst_i && p_pop && p_acc;
    lost_valid_o <= !rst_i && p_pop && p_lost;
    lost_cqn_o   <= p_cqn;
    lost_qpn_o   <= p_word[23:0];
    lost_flush_o <= p_word[31:24] == ohca_fmt_pkg::WC_STATUS_WR_FLUSH;
    if (p_pop && p_acc) begin
      acc_rdata_o <= p_rdata;
      acc_err_o   <= p_xerr;
      acc_fence_o <= p_fence;
    end
  end
  assign idle_o = !b_valid && !p_valid && !ev_valid_o && !leave_o;

  logic unused;
  assign unused = &{1'b0, tpt_rsp_i.tag, tq_ready, ts_ready, rq_ready, dq_ready};

  `ASSERT(WriteRoom_A, !(b_pop && put) || (rq_ready && dq_ready))
  `ASSERT(Done_A, done_q <= 4'(Ahead) && asked_q <= 4'(Ahead))
  `ASSERT(TptRoom_A, !ask_q || tq_ready)
  `ASSERT(TptRspRoom_A, !tpt_rsp_valid_i || ts_ready)
  `ASSERT(Kind_A, !(valid_i && ready_o) || ((write_i || comp_i || over_i || acc_i) && (write_i || !mtt_i) &&
      !(acc_i && (write_i || over_i))))

endmodule

`default_nettype wire
