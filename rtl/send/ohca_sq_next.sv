// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Send engine: what a token makes of its context. A table, no state:
//
//   feedback  counts READs and credits; progress beyond what is to be sent next (behind_i), or into it, moves that on;
//             restart goes back to a WQE; RNR waits; an error stops the QP. All but the first two change gen, so that
//             what was fetched ahead is thrown away
//   access    of the management core: its word, and where the state changes gen, too
//   T2        that is not planned: what was fetched is thrown away
//   doorbell  pi
//   T1        the QP has left the run queue (in_runq); its WQEs are fetched (C_FETCH: fetched_i), or flushed
//   a plan    what the plan came to (plan_i), in place of all that
//
// Of the IBA it keeps: what is sent again asks for an answer with its first packet (9.7.5.1.2), a datagram QP's error
// leads to SQE, a connected one's to ERR (10.3.1). It does NOT know whether the context is written, or whether the QP
// goes into the run queue (in_runq of next_o is only cleared). What its inputs say has to be true of the token.

// comb: all of it, into the memory of the context cache.

`default_nettype none

// lint: Compact=1

module ohca_sq_next #(
  parameter bit Compact = 1'b0                     // the cache has changed an access's word already
) (
  input  ohca_fmt_pkg::sqc_t          line_i,
  input  ohca_fmt_pkg::sq_kind_e      kind_i,
  input  ohca_fmt_pkg::sq_fb_t        fb_i,
  input  logic                        behind_i,    // progress: all that is to be sent next is completed (ohca_sq_want)
  input  ohca_fmt_pkg::ctx_acc_t      acc_i,
  input  ohca_fmt_pkg::qp_state_e     was_i,       // the state before the access
  input  logic                        state_new_i, // it changes the state
  input  logic                        stale_i,     // T2 of an old generation: nothing
  input  logic                        moves_i,     // the doorbell moves pi
  input  logic [15:0]                 db_pi_i,
  input  logic                        flush_i,     // T1: all WQEs are reported as flushed
  input  logic                        fetch_i,     // T1: so many are fetched
  input  logic [2:0]                  fetched_i,
  input  logic                        planned_i,
  input  ohca_fmt_pkg::sq_plan_t      plan_i,
  output ohca_fmt_pkg::sqc_t          next_o
);

  ohca_fmt_pkg::sqc_t l, f, n;
  logic               alive, is_ud;
  logic [23:0]        ahead;
  logic [7:0]         gen;
  assign l     = line_i;
  assign alive = l.state == ohca_fmt_pkg::QP_STATE_RTS || l.state == ohca_fmt_pkg::QP_STATE_SQD;
  assign is_ud = l.qtype == ohca_fmt_pkg::QP_TYPE_UD || l.qtype == ohca_fmt_pkg::QP_TYPE_SMI ||
                 l.qtype == ohca_fmt_pkg::QP_TYPE_GSI;
  assign ahead = fb_i.una_psn - (l.skip ? l.skip_psn : l.psn);
  assign gen   = l.gen + 8'd1;

  // Feedback, of a QP that sends.
  always_comb begin
    f = l;
    if (fb_i.kind != ohca_fmt_pkg::FBK_READS) begin
      f.rd_done   = fb_i.rd_done;
      f.lsn_valid = fb_i.lsn_valid;
      f.lsn       = fb_i.lsn;
      if (fb_i.rd_safe) f.rd_safe = fb_i.rd_done;
    end
    case (fb_i.kind)
      // One from before a reset names READs that there are not.
      ohca_fmt_pkg::FBK_READS: if (8'(fb_i.rd_done - l.rd_safe) <= 8'(l.rd_done - l.rd_safe)) begin
        f.rd_safe    = fb_i.rd_done;
        f.fence_wait = 1'b0;
      end
      ohca_fmt_pkg::FBK_PROGRESS: begin
        f.una_psn = fb_i.una_psn;
        if (behind_i) begin
          // A late acknowledgement completed WQEs that were to be sent again: their ring slots are the host's now.
          f.next        = fb_i.idx;
          f.fetch       = fb_i.idx;
          f.psn         = fb_i.psn;
          f.skip        = fb_i.una_psn != fb_i.psn;
          f.skip_psn    = fb_i.una_psn;
          f.ssn         = fb_i.ssn;
          f.in_msg      = 1'b0;
          f.offset      = '0;
          f.rd_issued   = fb_i.rd_done;
          f.fence_wait  = 1'b0;
          f.credit_wait = 1'b0;
          f.window_wait = 1'b0;
          f.ackreq_cnt  = 8'd15;
          f.gen         = gen;
        end else if (ahead != '0 && !ahead[23]) begin        // 2^23: nothing of the longest READ has come
          // ... or packets of the one that is being sent again.
          f.skip     = 1'b1;
          f.skip_psn = fb_i.una_psn;
        end
        if (fb_i.rd_done != l.rd_done) f.fence_wait = 1'b0;
        if (fb_i.una_psn != l.una_psn) f.window_wait = 1'b0;
        if (!fb_i.lsn_valid || fb_i.lsn != l.lsn || fb_i.una_psn == l.psn) f.credit_wait = 1'b0;
      end
      ohca_fmt_pkg::FBK_RESTART: begin
        f.next        = fb_i.idx;
        f.fetch       = fb_i.idx;
        f.psn         = fb_i.una_psn;
        f.una_psn     = fb_i.psn;
        f.skip_psn    = fb_i.psn;
        f.skip        = fb_i.una_psn != fb_i.psn;
        f.ssn         = fb_i.ssn;
        f.in_msg      = 1'b0;
        f.offset      = '0;
        f.rd_issued   = fb_i.rd_done;
        f.ackreq_cnt  = 8'd15;           // the first packet asks for an answer
        f.rnr_wait    = 1'b0;
        f.fence_wait  = 1'b0;
        f.credit_wait = 1'b0;
        f.window_wait = 1'b0;
        f.gen         = gen;
      end
      ohca_fmt_pkg::FBK_RNR_WAIT: begin
        f.rnr_wait = 1'b1;
        f.fetch    = l.next;
        f.gen      = gen;
      end
      ohca_fmt_pkg::FBK_ERROR: begin
        f.state = is_ud ? ohca_fmt_pkg::QP_STATE_SQE : ohca_fmt_pkg::QP_STATE_ERR;
        f.fetch = l.next;
        f.gen   = gen;
      end
      default: ;
    endcase
  end

  always_comb begin
    n = l;
    case (kind_i)
      ohca_fmt_pkg::SQ_KIND_FB: if (alive) n = f;
      ohca_fmt_pkg::SQ_KIND_ACC: if (state_new_i) begin
        // Nothing fetched before counts any more.
        n.fetch = l.next;
        n.gen   = gen;
        if (was_i == ohca_fmt_pkg::QP_STATE_RTR) n.sent_psn = l.psn;
        if (was_i == ohca_fmt_pkg::QP_STATE_SQE) n.err_valid = 1'b0;
      end
      ohca_fmt_pkg::SQ_KIND_T2: if (!planned_i && !stale_i) begin
        n.fetch = l.next;
        n.gen   = gen;
      end
      ohca_fmt_pkg::SQ_KIND_DB: if (planned_i || moves_i) n.pi = db_pi_i;
      ohca_fmt_pkg::SQ_KIND_T1: begin
        n.in_runq = 1'b0;
        if (flush_i) begin
          n.next   = l.pi;
          n.fetch  = l.pi;
          n.in_msg = 1'b0;
          n.skip   = 1'b0;
        end
        if (fetch_i) n.fetch = l.fetch + 16'(fetched_i);
      end
      default: ;
    endcase
    // Only what is through is written: then nothing of a plan changes any more.
    if (planned_i) begin
      n.psn         = plan_i.psn;
      n.sent_psn    = plan_i.sent_psn;
      n.ssn         = plan_i.ssn;
      n.next        = plan_i.next;
      n.in_msg      = plan_i.in_msg;
      n.offset      = plan_i.offset;
      n.skip        = plan_i.skip;
      n.rd_issued   = plan_i.rd_issued;
      n.ackreq_cnt  = {4'd0, plan_i.acks};
      n.fence_wait  = plan_i.fence_wait;
      n.credit_wait = plan_i.credit_wait;
      n.window_wait = plan_i.window_wait;
      if (plan_i.err) begin
        n.err_valid = 1'b1;
        n.err_idx   = plan_i.next;
      end
      if (kind_i == ohca_fmt_pkg::SQ_KIND_DB || plan_i.stop) n.fetch = plan_i.next;
      if (plan_i.stop) n.gen = gen;
    end
    // What an access writes is no number that is worked out above, but for the state.
    if (!Compact)
      for (int unsigned i = 0; i < ohca_fmt_pkg::QPC_HOT_BYTES / 4; i++)
        if (kind_i == ohca_fmt_pkg::SQ_KIND_ACC && 5'(i) == acc_i.dw)
          n[32*i +: 32] = (n[32*i +: 32] & ~acc_i.wmask) | (acc_i.wdata & acc_i.wmask);
  end
  assign next_o = n;

  logic unused;
  assign unused = &{1'b0, fb_i, acc_i, plan_i};

endmodule

`default_nettype wire
