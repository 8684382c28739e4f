// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Whether a QP will have something to do when the token that is at the commit of the send engine is through: whether
// it goes into the run queue. The token changes the context, and the answer is about the changed one; but here every
// way of changing it has its own answer, from the context as it was read, and they are all found side by side. The
// commit, which writes the context in the same cycle, chooses one of them last.
//
//   as_is_o    nothing that counts changes
//   thrown_o   what was fetched ahead is thrown away: fetch = next
//   rung_o     the doorbell moves pi to db_pi_i
//   fb_o       the feedback fb_i is applied, RTS and SQD only; behind_o: progress beyond what is to be sent next
//   fetched_o  step_i WQEs from fetch on are fetched, where as_is_o was 1 a cycle before, of the same context
//   planned_o  the plan has come to plan_*: with plan_drop_i what was fetched behind it is thrown away, else it stays
//
// All but fetched_o are combinational of the inputs, one adder deep; fetched_o is of flops and step_i. Whether PSNs
// were sent before is compared a cycle ahead: while the QP is drained (SQD), line_i and fb_i have to be there for a
// cycle before the answers count. It does NOT know whether the QP is in the run queue already, whether the context
// could be read, or what kind the token is of. What an access changes is not in it. No port has a ready.
// lint: Ahead=8

`include "ohca_assert.svh"
`default_nettype none

module ohca_sq_want #(
  parameter int unsigned Ahead = 32            // WQEs of one QP that may be fetched ahead; power of two, at least 8
) (
  input  logic                 clk_i,

  input  ohca_fmt_pkg::sqc_t   line_i,
  output logic                 as_is_o,
  output logic                 thrown_o,

  input  logic [15:0]          db_pi_i,
  output logic                 rung_o,

  input  ohca_fmt_pkg::sq_fb_t fb_i,
  output logic                 behind_o,
  output logic                 fb_o,

  input  logic [2:0]           step_i,         // 1 to 4, not beyond pi
  output logic                 fetched_o,

  input  logic [15:0]          plan_next_i,
  input  logic                 plan_again_i,   // its PSN was sent before
  input  logic                 plan_in_msg_i,
  input  logic                 plan_skip_i,
  input  logic                 plan_wait_i,    // for a fence, credits or the window; or its next WQE has failed
  input  logic                 plan_drop_i,
  input  logic [15:0]          plan_pi_i,
  output logic                 planned_o
);

  localparam int unsigned LowW = $clog2(Ahead);
  if ((1 << LowW) != Ahead || Ahead < 8) begin : g_bad
    $error("ohca_sq_want: Ahead a power of two of at least 8");
  end

  // The context as it is.
  logic        rts, sqd, err, stride_ok, waits, more, at_err, near_, whole, again_q, sends, ready, flush;
  logic [15:0] lead;
  assign rts       = line_i.state == ohca_fmt_pkg::QP_STATE_RTS;
  assign sqd       = line_i.state == ohca_fmt_pkg::QP_STATE_SQD;
  assign err       = line_i.state == ohca_fmt_pkg::QP_STATE_SQE || line_i.state == ohca_fmt_pkg::QP_STATE_ERR;
  assign stride_ok = line_i.log_stride >= 4'd6 && line_i.log_stride <= 4'd8;
  assign waits     = line_i.rnr_wait || line_i.fence_wait || line_i.credit_wait || line_i.window_wait;
  assign more      = line_i.fetch != line_i.pi;
  assign at_err    = line_i.err_valid && line_i.fetch == line_i.err_idx;
  assign lead      = line_i.fetch - line_i.next;
  // fetch - next < Ahead, with no carry through all of it, as the commit's choices wait for it: fetch / Ahead is next /
  // Ahead, or one more if the rest of fetch is less. x + ~y is 0, where x is y + 1, if each carry is what its sum bit
  // needs.
  function automatic logic near(input logic [15:0] fetch, input logic [15:0] next);
    logic [15-LowW:0] x, y;
    x      = fetch[15:LowW];
    y      = ~next[15:LowW];
    near   = (fetch[LowW-1:0] < next[LowW-1:0]) ? (x ^ y) == {x[14-LowW:0] | y[14-LowW:0], 1'b0} : x == ~y;
  endfunction
  assign near_     = near(line_i.fetch, line_i.next);
  assign whole     = !(line_i.in_msg && line_i.fetch != line_i.next);
  assign sends     = rts || (sqd && (line_i.in_msg || line_i.skip || again_q));
  assign ready     = !at_err && stride_ok && near_ && whole;      // but for waits, and whether there is more
  assign flush     = line_i.next != line_i.pi;
  assign as_is_o   = err ? flush : sends && ready && more && !waits;
  assign thrown_o  = err ? flush : sends && stride_ok && flush && !waits &&
                                   !(line_i.err_valid && line_i.next == line_i.err_idx);
  assign rung_o    = err ? line_i.next != db_pi_i : sends && ready && line_i.fetch != db_pi_i && !waits;

  // Feedback. What goes back starts with a whole WQE and nothing fetched. una_psn and psn, of which one is where it
  // starts, are the same unless packets of it are left out.
  logic        back_ok, fb_skip_q, back_again, back_again_q, fence, credit, window, safe, fb_back, fb_on;
  logic [23:0] fb_ahead;
  logic [15:0] fb_past;
  assign fb_past    = line_i.next - fb_i.idx;
  assign behind_o   = fb_past[15];
  assign fb_ahead   = fb_i.una_psn - (line_i.skip ? line_i.skip_psn : line_i.psn);
  assign back_ok    = stride_ok && fb_i.idx != line_i.pi && !(line_i.err_valid && fb_i.idx == line_i.err_idx);
  assign back_again = fb_i.una_psn != fb_i.psn || ohca_fmt_pkg::psn_lt(fb_i.psn, line_i.sent_psn);
  assign fence      = line_i.fence_wait && fb_i.rd_done == line_i.rd_done;
  assign window     = line_i.window_wait && fb_i.una_psn == line_i.una_psn;
  assign credit     = line_i.credit_wait && fb_i.lsn_valid && fb_i.lsn == line_i.lsn && fb_i.una_psn != line_i.psn;
  assign safe       = 8'(fb_i.rd_done - line_i.rd_safe) <= 8'(line_i.rd_done - line_i.rd_safe);

  assign fb_back = (rts || (sqd && back_again_q)) && back_ok && !line_i.rnr_wait;
  assign fb_on   = (rts || (sqd && (line_i.in_msg || fb_skip_q || again_q))) && ready && more &&
                   !line_i.rnr_wait && !fence && !credit && !window;
  always_comb begin
    case (fb_i.kind)
      ohca_fmt_pkg::FBK_PROGRESS: fb_o = behind_o ? fb_back : fb_on;
      ohca_fmt_pkg::FBK_RESTART:  fb_o = (rts || (sqd && back_again_q)) && back_ok;
      ohca_fmt_pkg::FBK_RNR_WAIT: fb_o = 1'b0;
      ohca_fmt_pkg::FBK_ERROR:    fb_o = flush;
      ohca_fmt_pkg::FBK_READS:    fb_o = sends && ready && more && !line_i.rnr_wait && !(line_i.fence_wait && !safe) &&
                                         !line_i.credit_wait && !line_i.window_wait;
      default:                    fb_o = as_is_o;
    endcase
  end

  always_ff @(posedge clk_i) begin
    again_q      <= ohca_fmt_pkg::psn_lt(line_i.psn, line_i.sent_psn);
    fb_skip_q    <= line_i.skip || (fb_ahead != '0 && !fb_ahead[23]);
    back_again_q <= back_again;
  end

  // A fetch: how far it is from here to what ends it, up to 7, a cycle before the number of WQEs is known.
  function automatic logic [2:0] upto7(input logic [15:0] x);
    upto7 = (x[15:3] != '0) ? 3'd7 : x[2:0];
  endfunction
  logic        single_q;
  logic [2:0]  left_q, err_q, room_q;
  always_ff @(posedge clk_i) begin
    single_q <= line_i.in_msg;                                 // one of which a part is sent already goes alone
    left_q   <= upto7(line_i.pi - line_i.fetch);
    err_q    <= line_i.err_valid ? upto7(line_i.err_idx - line_i.fetch) : 3'd7;
    room_q   <= upto7(16'(Ahead) - lead);
  end
  assign fetched_o = !single_q && left_q != step_i && err_q != step_i && room_q > step_i;

  // A plan. What was fetched behind it stays, unless it ended early.
  logic        plan_sends, plan_drop, plan_keep;
  assign plan_sends = rts || (sqd && (plan_in_msg_i || plan_skip_i || plan_again_i));
  assign plan_drop  = plan_next_i != plan_pi_i && !(line_i.err_valid && plan_next_i == line_i.err_idx);
  assign plan_keep  = line_i.fetch != plan_pi_i && !at_err && near(line_i.fetch, plan_next_i) &&
                      !(plan_in_msg_i && line_i.fetch != plan_next_i);
  assign planned_o  = plan_sends && stride_ok && !line_i.rnr_wait && !plan_wait_i &&
                      (plan_drop_i ? plan_drop : plan_keep);

  logic unused;
  assign unused = &{1'b0, line_i, fb_i, fb_past[14:0]};

endmodule

`default_nettype wire
