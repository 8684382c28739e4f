// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Acknowledge engine, follow: carries out what a commit has decided besides the context: feedback to the send engine,
// completions, an event, the word to the responder's side, a turn to flush, a timer, a receive slot that is free.
//
// All of it is taken in one cycle (fire_i) and leaves from registers and queues, in the order of the commits in each:
// progress before what follows from it, the completion of a datagram before that of the WQE that fails behind it
// (completions come in the order of the requests), and these are out of here before the next commit. A slot that the
// result stage frees (r_rel_i) goes first.
//
// A commit every second cycle, and no more; what it decides is in its queue a cycle later, at a port two, a slot or a
// flush one or two. ready: room_o and rel_room_o are functions of flops, and fire_i comes only with room_o (with rel_i:
// and rel_room_o); the queues of feedback and qerr have no ready: who fires goes by their counts, some cycles old, with
// room for what is under way (ohca_ra_in). It does NOT decide anything.

`include "ohca_assert.svh"
`default_nettype none

module ohca_ra_follow #(
  parameter int unsigned QpW   = 12,                   // bits of a QP number that have a timer
  parameter int unsigned Arms  = 32,                   // timers waiting to be armed
  parameter bit          Slow  = 1'b0
) (
  input  logic                      clk_i,
  input  logic                      rst_i,
  output logic                      idle_o,

  output logic                      room_o,
  output logic                      rel_room_o,
  input  logic                      fire_i,            // now: what was decided
  input  logic                      progress_i,        // feedback: progress
  input  logic                      fb_valid_i,        //   and what fb_i says
  input  ohca_fmt_pkg::sq_fb_t      fb_i,
  input  logic                      cqe_i,             // a completion
  input  logic                      cqe2_i,            //   and another behind it: WQE idx2_i fails with status and verr
  input  ohca_fmt_pkg::cq_req_t     cq_i,
  input  logic [15:0]               idx2_i,
  input  logic [7:0]                status_i,
  input  logic [7:0]                verr_i,
  input  logic                      ev_i,              // QP_FATAL
  input  logic                      qerr_i,            // the responder's side is to go to ERR
  input  logic                      flush_i,           // a WQE of it is to be flushed
  input  logic                      arm_i,             // its timer
  input  logic [31:0]               deadline_i,
  input  logic                      rel_i,             // a slot is free
  input  logic [5:0]                slot_i,

  input  logic                      r_rel_i,
  input  logic [5:0]                r_slot_i,

  output logic                      fb_valid_o,
  input  logic                      fb_ready_i,
  output ohca_fmt_pkg::sq_fb_t      fb_o,
  output logic [7:0]                fb_count_o,
  output logic                      cq_valid_o,
  input  logic                      cq_ready_i,
  output ohca_fmt_pkg::cq_req_t     cq_o,
  output logic                      ev_valid_o,
  input  logic                      ev_ready_i,
  output ohca_fmt_pkg::ev_req_t     ev_o,
  output logic                      qerr_valid_o,
  input  logic                      qerr_ready_i,
  output logic [23:0]               qerr_qpn_o,
  output logic [7:0]                qerr_count_o,
  output logic                      flush_valid_o,     // always taken
  output logic [23:0]               flush_qpn_o,
  output logic                      arm_valid_o,
  input  logic                      arm_ready_i,
  output logic [QpW-1:0]            arm_qpn_o,
  output logic [31:0]               arm_deadline_o,
  output logic                      rel_valid_o,       // always taken
  output logic [5:0]                rel_slot_o
);

  // Progress, feedback, one completion and another, event, error, flush, timer, slot.
  logic                  xp_q, xf_q, xc_q, xc2_q, xe_q, xq_q, xl_q, xa_q, xr_q;
  ohca_fmt_pkg::sq_fb_t  fb_q, fb;
  ohca_fmt_pkg::cq_req_t cq_q;
  ohca_fmt_pkg::ev_req_t ev;
  logic [15:0]           idx2_q;
  logic [7:0]            status_q, verr_q;
  logic [23:0]           qpn_q;
  logic [31:0]           deadline_q;
  logic [5:0]            slot_q;
  logic                  cq_pop, fb_ready, qerr_ready, arm_ready, arm_most, arm_room_q, ev_ready;
  assign room_o     = arm_room_q && !xc_q && !xe_q;
  assign rel_room_o = !xr_q;
  assign cq_pop     = xc_q && cq_ready_i;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      {xp_q, xf_q, xc_q, xc2_q, xe_q, xq_q, xl_q, xa_q, xr_q} <= '0;
    end else begin
      xp_q <= fire_i && progress_i;
      xf_q <= (fire_i && fb_valid_i) || (xf_q && xp_q);
      if (fire_i && cqe_i) begin
        xc_q  <= 1'b1;
        xc2_q <= cqe2_i;
      end else if (cq_pop) begin
        xc_q  <= xc2_q;
        xc2_q <= 1'b0;
      end
      xe_q <= (fire_i && ev_i) || (xe_q && !ev_ready);
      xq_q <= fire_i && qerr_i;
      xl_q <= fire_i && flush_i;
      xa_q <= fire_i && arm_i;
      xr_q <= (fire_i && rel_i) || (xr_q && r_rel_i);
    end
    if (fire_i) begin
      fb_q       <= fb_i;
      idx2_q     <= idx2_i;
      status_q   <= status_i;
      verr_q     <= verr_i;
      qpn_q      <= fb_i.qpn;
      deadline_q <= deadline_i;
    end
    if (fire_i && rel_i) slot_q <= slot_i;
    if (fire_i) cq_q <= cq_i;
    else if (cq_pop) begin
      cq_q.opcode <= ohca_fmt_pkg::wr_op_e'(5'd0);
      cq_q.idx    <= idx2_q;
      cq_q.status <= ohca_fmt_pkg::wc_status_e'(status_q);
      cq_q.verr   <= ohca_fmt_pkg::vendor_err_e'(verr_q);
    end
    rel_valid_o <= !rst_i && (r_rel_i || xr_q);
    rel_slot_o  <= r_rel_i ? r_slot_i : slot_q;
  end

  assign cq_valid_o    = xc_q;
  assign cq_o          = cq_q;
  assign flush_valid_o = xl_q;
  assign flush_qpn_o   = qpn_q;

  // Progress first, then what follows: it says how far it is by its last field.
  always_comb begin
    fb = fb_q;
    if (xp_q) begin
      fb.kind    = ohca_fmt_pkg::FBK_PROGRESS;
      fb.una_psn = fb_q.psn;
      fb.psn     = fb_q.una_psn;
    end
  end
  ohca_fifo #(.Width(ohca_fmt_pkg::SQ_FB_BITS), .Depth(128)) u_fb (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(xp_q || xf_q), .ready_o(fb_ready), .data_i(fb),
    .valid_o(fb_valid_o), .ready_i(fb_ready_i), .data_o(fb_o), .count_o(fb_count_o), .almost_full_o()
  );
  ohca_fifo #(.Width(24), .Depth(128)) u_qe (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(xq_q), .ready_o(qerr_ready), .data_i(qpn_q),
    .valid_o(qerr_valid_o), .ready_i(qerr_ready_i), .data_o(qerr_qpn_o), .count_o(qerr_count_o), .almost_full_o()
  );
  // Arming always goes on, so a commit that waits for room here waits a bounded time.
  // Whether there is room is seen a cycle late, and a commit's timer comes a cycle after it: two may be on their way.
  ohca_fifo #(.Width(QpW + 32), .Depth(Arms), .AlmostFull(Arms - 2)) u_arm (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(xa_q), .ready_o(arm_ready), .data_i({qpn_q[QpW-1:0], deadline_q}),
    .valid_o(arm_valid_o), .ready_i(arm_ready_i), .data_o({arm_qpn_o, arm_deadline_o}), .count_o(),
    .almost_full_o(arm_most)
  );
  always_ff @(posedge clk_i) arm_room_q <= !rst_i && !arm_most;
  always_comb begin
    ev          = '0;
    ev.etype    = ohca_fmt_pkg::EQE_TYPE_QP_FATAL;
    ev.port     = 8'd1;
    ev.syndrome = {8'h0, status_q};
    ev.num      = {8'd0, qpn_q};
  end
  ohca_fifo #(.Width(ohca_fmt_pkg::EV_REQ_BITS), .Depth(4), .Single(Slow)) u_ev (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(xe_q), .ready_o(ev_ready), .data_i(ev),
    .valid_o(ev_valid_o), .ready_i(ev_ready_i), .data_o(ev_o), .count_o(), .almost_full_o()
  );

  assign idle_o = !arm_valid_o && fb_count_o == '0 && qerr_count_o == '0 && !rel_valid_o && !ev_valid_o &&
                  !(xp_q || xf_q || xc_q || xe_q || xq_q || xl_q || xa_q || xr_q);

  `ASSERT(FireRoom_A, !fire_i || (room_o && (!rel_i || rel_room_o)))
  `ASSERT(FbRoom_A, !(xp_q || xf_q) || fb_ready)
  `ASSERT(FbOnce_A, !(fire_i && xp_q))
  `ASSERT(QerrRoom_A, !xq_q || qerr_ready)
  `ASSERT(ArmRoom_A, !xa_q || arm_ready)

  logic unused;
  assign unused = &{1'b0, fb_ready, qerr_ready, arm_ready};

endmodule

`default_nettype wire
