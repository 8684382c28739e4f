// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Send engine, commit: the token whose context the cache offers is carried out. The only writer of send contexts.
//
//   C_RUN ─┬──────────────────────────────────────────────► end_o     feedback, access, scan, T1 whose QP is parked
//          ├─► C_DB ──────────────────────────────────────► end_o     doorbell: what it rings for
//          ├─► C_FETCH ───────────────────────────────────► end_o     T1: its WQEs are asked for (fetch_*) or flushed
//          ├─► C_DROP ────────────────────────────────────► end_o     T2 that is thrown away
//          └─► C_PLAN (ohca_sq_plan) ─► C_END ─┬──────────► end_o     T2, pushed doorbell: reported (up_*)
//                                              └─► C_ERR ─► end_o     ... a WQE is refused
//
// A token a cycle; a doorbell, a fetch or what is thrown away takes two, a plan two and what it takes itself, one that
// is refused a cycle more. What the context becomes is found in ohca_sq_next, whether the QP has something to do after
// it in ohca_sq_want, beside each other; then the QP goes into the run queue (rq_push_o), or is parked while its class
// gets no turn (pk_push_o), or, where neither has room, lost_o has a scan find it. A QP is in the queue at most once
// (in_runq). What was fetched in another generation (gen) is thrown away, a doorbell counts if it comes from the QP's
// page and lies in the ring.
//
// It waits for nothing but the context and, with a pushed WQE, its words (push_busy_i): reports and batches have their
// room before a token is looked up. It does NOT decide what of a batch is sent. Outputs to the cache, the queues and
// the plan are a table behind its registers and the cache's; acc_* are flops. No port has a ready.
// lint: NumVl=4 Turns=64
// lint: Compact=1

`include "ohca_assert.svh"
`default_nettype none

module ohca_sq_commit #(
  parameter int unsigned NumVl   = 1,            // data VLs; 1: no classes
  parameter int unsigned Turns   = 16,           // power of two
  parameter int unsigned Ahead   = 32,           // WQEs of one QP that may be fetched ahead
  parameter bit          Compact = 1'b0,         // the cache makes the change of an access
  localparam int unsigned TurnW  = $clog2(Turns),
  localparam bit          Shared = NumVl > 1,
  localparam int unsigned NumC   = Shared ? NumVl + 1 : 1,
  localparam int unsigned ClsW   = Shared ? 4 : 1,
  localparam int unsigned PayW   = 125           // as in ohca_sq_lookup
) (
  input  logic                       clk_i,
  input  logic                       rst_i,

  input  logic                       valid_i,         // stays until end_o
  input  logic [23:0]                id_i,
  input  logic [PayW+2:0]            token_i,
  input  ohca_fmt_pkg::sqc_t         line_i,
  input  logic                       err_i,           // there is no such context
  input  logic                       inval_i,         // the line is dropped
  output logic                       end_o,
  output logic                       we_o,
  output ohca_fmt_pkg::sqc_t         next_o,
  output ohca_fmt_pkg::ctx_acc_t     acc_o,
  output logic                       edit_o,          // Compact
  input  logic                       edit_done_i,
  input  logic [31:0]                edit_old_i,

  output ohca_fmt_pkg::sq_kind_e     kind_o,
  output logic [TurnW-1:0]           turn_o,
  output logic                       free_o,          // it comes back unused
  output logic                       wrote_o,         // an access that wrote
  output logic                       acc_rsp_valid_o,
  output logic [31:0]                acc_rdata_o,
  output logic                       acc_err_o,

  input  logic                       push_busy_i,
  output logic                       begin_o,         // to the plan, as there
  output logic                       go_o,
  output logic [2:0]                 n_o,
  output logic [4:0]                 words_o,
  output logic                       pushed_o,
  input  logic                       plan_done_i,
  input  ohca_fmt_pkg::sq_plan_t     plan_i,
  input  logic [15:0]                plan_start_i,
  input  ohca_fmt_pkg::wc_status_e   plan_status_i,
  input  ohca_fmt_pkg::vendor_err_e  plan_verr_i,
  input  logic                       plan_set_i,      // a datagram QP's turn has class plan_cls_i
  input  logic [ClsW-1:0]            plan_cls_i,

  input  logic [63:0]                sl2vl_i,
  input  logic [NumC-1:0]            adm_i,           // classes that may have another turn; seen a cycle late
  output logic [ClsW-1:0]            cls_o,           // a connected QP's
  output logic                       set_o,           // the turn's class is known now
  output logic [ClsW-1:0]            set_cls_o,

  input  logic                       rq_ready_i,      // the run queue has room; rq_room_i: for those without a turn
  input  logic                       rq_room_i,
  input  logic [NumC-1:0]            pk_ready_i,
  output logic                       rq_push_o,
  output logic                       pk_push_o,
  output logic [ClsW-1:0]            pk_cls_o,
  output logic                       lost_o,

  output logic                       fetch_o,
  output ohca_fmt_pkg::ring_req_t    fetch_req_o,
  output logic [26:0]                fetch_meta_o,    // {gen, first WQE, how many}
  output logic                       up_valid_o,
  output ohca_fmt_pkg::ra_up_t       up_o,
  output logic [63:0]                cnt_o
);

  typedef enum logic [2:0] { C_RUN, C_DB, C_FETCH, C_DROP, C_PLAN, C_END, C_ERR } cstate_e;
  cstate_e                  c_q, c_d;
  ohca_fmt_pkg::sqc_t       l, next;
  ohca_fmt_pkg::sq_kind_e   kind;
  logic                     k_acc, k_t2, k_db, k_t1, is_ud, is_rc, log_bad;
  logic [PayW-1:0]          pay;
  ohca_fmt_pkg::sq_fb_t     fb;
  ohca_fmt_pkg::ctx_acc_t   acc;
  logic [15:0]              db_pi, t2_start;
  logic                     tk_push, ed_seen_q, to_park;
  logic [15:0]              db_uar;
  logic [7:0]               t2_gen;
  logic [2:0]               t2_n, f_n;
  ohca_fmt_pkg::qp_state_e  was, was_q;              // the state before an access
  logic        t1_park;
  logic [15:0] adm_q;                                // adm_i by SL, a cycle late
  logic        act, fb_behind, waits, want, want_flush, alive, can_send, c_plan_t2, c_plan_db, t2_stale;
  logic        resched, db_ok, state_new;
  logic [15:0] pi_new, db_ahead, db_or, db_was, ring_mask;
  logic        planning, waits_sqd, t1_ends, acc_ends, run_ends;
  logic        asks, asks_no, asks_we, is_fb, outside, pk_ok, rq_ok, pushes, plan_q;
  logic        db_own, db_one, db_moves, moves_q, db_ok_q, stale_q, can_q, is_want, thrown_want, rung_want, fb_want;
  logic        fetched_want, planned_want, new_want;


  // The class of a VL.
  function automatic logic [ClsW-1:0] qp_cls(input logic [3:0] vl);
    qp_cls = (vl >= 4'(NumVl)) ? ClsW'(NumC - 1) : ClsW'(vl);
    if (!Shared) qp_cls = '0;
  endfunction

  // ---- what the token carries, by kind
  assign l = line_i;
  assign {kind, pay} = token_i;
  assign k_acc = kind == ohca_fmt_pkg::SQ_KIND_ACC;
  assign k_t2  = kind == ohca_fmt_pkg::SQ_KIND_T2;
  assign k_db  = kind == ohca_fmt_pkg::SQ_KIND_DB;
  assign k_t1  = kind == ohca_fmt_pkg::SQ_KIND_T1;
  always_comb begin
    fb     = '0;
    fb.qpn = id_i;
    {fb.kind, fb.idx, fb.una_psn, fb.psn, fb.ssn, fb.lsn_valid, fb.lsn, fb.rd_done, fb.rd_safe} = pay;
    acc    = '0;
    {acc.dw, acc.wdata, acc.wmask} = pay[68:0];
  end
  assign {tk_push, db_uar, db_pi}          = pay[32:0];
  assign {t2_gen, t2_start, t2_n, words_o} = pay[31:0];
  assign turn_o   = k_db ? pay[33 +: TurnW] : k_t2 ? pay[32 +: TurnW] : pay[TurnW-1:0];
  assign kind_o   = kind;
  assign acc_o    = acc;
  assign n_o      = k_db ? 3'd1 : t2_n;
  assign pushed_o = k_db;
  assign begin_o  = c_q == C_RUN && act && (k_t2 || (k_db && tk_push));
  // Compact: the cache changes the word (edit_o), then the line is looked at.
  assign edit_o   = Compact && valid_i && k_acc && c_q == C_RUN && !err_i && !inval_i;
  assign was      = Compact ? was_q : l.state;
  always_ff @(posedge clk_i) begin
    ed_seen_q <= valid_i && !end_o;
    if (!ed_seen_q) was_q <= l.state;
  end

  // ---- what the token may do
  // A pushed WQE is planned when all of it is there.
  // Whether a drained QP has to send something again is compared a cycle before (ohca_sq_want).
  assign act       = valid_i && !(push_busy_i && k_db && tk_push) &&
                     !(waits_sqd && !k_acc);
  assign is_rc     = l.qtype == ohca_fmt_pkg::QP_TYPE_RC;
  assign is_ud     = l.qtype == ohca_fmt_pkg::QP_TYPE_UD || l.qtype == ohca_fmt_pkg::QP_TYPE_SMI ||
                     l.qtype == ohca_fmt_pkg::QP_TYPE_GSI;
  assign log_bad   = l.log_stride < 4'd6 || l.log_stride > 4'd8;
  assign alive     = l.state == ohca_fmt_pkg::QP_STATE_RTS || l.state == ohca_fmt_pkg::QP_STATE_SQD;
  assign waits     = l.rnr_wait || l.fence_wait || l.credit_wait || l.window_wait;
  assign t2_stale  = err_i || !alive || t2_gen != l.gen;
  assign db_moves  = db_ok && db_ahead > db_was;
  assign db_ahead  = db_pi - l.next;
  assign db_was    = l.pi - l.next;
  // db_ahead is 1, without its carries: db_pi and ~next add up to nothing
  assign db_or     = db_pi | ~l.next;
  assign db_one    = (db_pi ^ ~l.next) == {db_or[14:0], 1'b0};
  assign db_own    = db_uar == {l.uar_hi, l.uar_lo};                       // through the QP's page
  assign db_ok     = !err_i && db_own &&
                     (alive || l.state == ohca_fmt_pkg::QP_STATE_SQE || l.state == ohca_fmt_pkg::QP_STATE_ERR) &&
                     ((db_ahead & ~ring_mask) == '0 || db_ahead == 16'd1 << l.log_size);
  always_comb begin
    ring_mask = '0;
    for (int unsigned i = 0; i < 15; i++) ring_mask[i] = l.log_size > 4'(i);
  end
  assign c_plan_t2 = !t2_stale && t2_start == l.next;
  // That one more is not beyond the ring's size need not be asked.
  assign c_plan_db = !err_i && db_own && tk_push && l.state == ohca_fmt_pkg::QP_STATE_RTS && is_rc && !waits &&
                     !l.in_msg && !l.skip && !l.err_valid &&
                     l.fetch == l.next && l.pi == l.next && db_one && !log_bad &&
                     adm_q[l.av[19:16]];
  assign cls_o     = qp_cls(sl2vl_i[{l.av[19:16], 2'b00} +: 4]);
  assign t1_park   = Shared && is_rc && !adm_q[l.av[19:16]];
  assign planning  = c_q == C_PLAN || c_q == C_END || c_q == C_ERR;
  assign to_park   = (c_q == C_RUN) ? k_t1 : planning && plan_i.park;      // if it has something to do
  assign pk_cls_o  = (c_q == C_RUN) ? cls_o : plan_i.park_cls[ClsW-1:0];
  // A turn's class: when it starts, but a datagram QP's with its first job.
  assign set_o     = Shared && ((fetch_o && is_rc) || (plan_q && k_db) || plan_set_i);
  assign set_cls_o = is_ud ? plan_cls_i : cls_o;
  assign go_o      = c_q == C_RUN && act && ((k_t2 && c_plan_t2) || (k_db && c_plan_db));

  ohca_sq_batch u_batch (.clk_i(clk_i), .line_i(l), .n_o(f_n), .req_o(fetch_req_o));
  assign fetch_meta_o = {l.gen, l.fetch, f_n};

  // What the context becomes. Which of it is written is the step's business (we_o); so nothing there waits for that but
  // what differs within a token: a plan, a fetch.
  assign pi_new    = k_db ? db_pi : l.pi;
  assign state_new = Compact ? l.state != was_q : acc.dw == '0 && (3'(l.state ^ acc.wdata[2:0]) & acc.wmask[2:0]) != '0;
  ohca_sq_next #(.Compact(Compact)) u_next (
    .line_i(l), .kind_i(kind), .fb_i(fb), .behind_i(fb_behind), .acc_i(acc), .was_i(was), .state_new_i(state_new),
    .stale_i(t2_stale), .moves_i(moves_q), .db_pi_i(db_pi), .flush_i(want_flush), .fetch_i(c_q == C_FETCH && can_q),
    .fetched_i(f_n), .planned_i(planning), .plan_i(plan_i), .next_o(next)
  );
  always_comb begin
    next_o = next;
    if (pushes) next_o.in_runq = 1'b1;
  end

  // Whether this QP has something to do after it. After an access a token of its own asks that. Whether it can
  // be put into a queue is found beside it.
  always_comb begin
    asks_no = 1'b0;
    case (c_q)
      C_RUN:
        case (kind)
          ohca_fmt_pkg::SQ_KIND_FB: asks_no = 1'b0;
          ohca_fmt_pkg::SQ_KIND_ACC: asks_no = 1'b0;
          ohca_fmt_pkg::SQ_KIND_T2: asks_no = 1'b0;
          ohca_fmt_pkg::SQ_KIND_DB: asks_no = 1'b0;
          ohca_fmt_pkg::SQ_KIND_T1: asks_no = act && alive && is_want && t1_park;
          default: asks_no = act && is_want;
        endcase
      C_DB:    asks_no = moves_q ? rung_want : is_want;
      C_FETCH: asks_no = can_q && fetched_want;
      C_DROP:  asks_no = stale_q ? is_want : thrown_want;
      C_PLAN:  asks_no = 1'b0;
      C_END:   asks_no = !plan_i.err && planned_want;
      default: asks_no = planned_want;
    endcase
    is_fb = c_q == C_RUN && kind == ohca_fmt_pkg::SQ_KIND_FB;
    asks  = is_fb ? act && (alive ? fb_want : is_want) : asks_no;
    // Whether it is written for that: where feedback changes what is asked here, it is written for the feedback. So
    // what feedback brings, the last that is known, is not in it.
    asks_we = is_fb ? act && is_want : asks_no;
    // A turn's QP: the run queue has room for it.
    resched = (c_q != C_RUN && c_q != C_DB && c_q != C_DROP) || k_t1 || (k_t2 && !stale_q);
    outside = (!l.in_runq || k_t1) && !err_i && !inval_i;
    pk_ok   = to_park && pk_ready_i[pk_cls_o[$clog2(NumC+1)-1:0]];
    rq_ok   = resched ? rq_ready_i : rq_room_i;
    want    = asks && outside;
    pk_push_o = asks && outside && pk_ok;
    rq_push_o = asks && outside && !pk_ok && rq_ok;
    lost_o    = asks && outside && !pk_ok && !rq_ok;
    pushes  = asks && outside && (pk_ok || rq_ok);
  end

  // The token's last cycle: whole, so that little of it waits for what the line says. As act, but for a doorbell, which
  // does not end in its first cycle.
  assign waits_sqd = l.state == ohca_fmt_pkg::QP_STATE_SQD && !ed_seen_q;
  assign t1_ends   = err_i || t1_park;                   // else what it has to do is known in the next cycle
  assign acc_ends  = !Compact || err_i || inval_i || edit_done_i;
  always_comb begin
    case (kind)
      ohca_fmt_pkg::SQ_KIND_ACC: run_ends = valid_i && acc_ends;
      ohca_fmt_pkg::SQ_KIND_T1:  run_ends = valid_i && !waits_sqd && t1_ends;
      ohca_fmt_pkg::SQ_KIND_T2,
      ohca_fmt_pkg::SQ_KIND_DB:  run_ends = 1'b0;
      default:                   run_ends = valid_i && !waits_sqd;           // SQ_KIND_FB, SQ_KIND_SCAN
    endcase
    case (c_q)
      C_RUN:   end_o = run_ends;
      C_PLAN:  end_o = 1'b0;
      C_END:   end_o = !plan_i.err;
      default: end_o = 1'b1;
    endcase
  end

  always_comb begin
    c_d       = c_q;
    we_o      = 1'b0;
    free_o    = 1'b0;
    fetch_o    = 1'b0;
    cnt_o     = '0;

    case (c_q)
      C_RUN: if (act) begin
        case (kind)
          ohca_fmt_pkg::SQ_KIND_FB:
            we_o = alive && (fb.kind == ohca_fmt_pkg::FBK_READS || fb.kind == ohca_fmt_pkg::FBK_PROGRESS ||
                             fb.kind == ohca_fmt_pkg::FBK_RESTART || fb.kind == ohca_fmt_pkg::FBK_RNR_WAIT ||
                             fb.kind == ohca_fmt_pkg::FBK_ERROR);
          ohca_fmt_pkg::SQ_KIND_ACC: if (!err_i && !inval_i) we_o = (!Compact && acc.wmask != '0) || state_new;
          ohca_fmt_pkg::SQ_KIND_T2, ohca_fmt_pkg::SQ_KIND_DB:
            c_d   = k_t2 ? (c_plan_t2 ? C_PLAN : C_DROP) : c_plan_db ? C_PLAN : C_DB;
          ohca_fmt_pkg::SQ_KIND_T1: begin
            we_o   = !err_i;
            free_o = err_i || t1_park;
            c_d    = C_FETCH;
          end
          default: we_o = 1'b1;            // SQ_KIND_SCAN
        endcase
      end

      // Where it lies in the ring was looked at in the cycle before.
      C_DB: begin
        free_o = tk_push;
        we_o   = moves_q;
        if (db_ok_q) begin
        end else if (!err_i && !db_own) cnt_o[ohca_fmt_pkg::COUNTER_DB_BAD_PAGE] = 1'b1;
        else cnt_o[ohca_fmt_pkg::COUNTER_DB_BAD_QP] = 1'b1;
      end

      C_FETCH: begin
        we_o    = 1'b1;
        fetch_o = can_q;
        free_o  = !can_q;
      end

      // Why was looked at in the cycle before.
      C_DROP: begin
        free_o = 1'b1;
        we_o   = !stale_q;                 // only after in_runq was tampered with
      end

      C_PLAN: if (plan_done_i) c_d = C_END;
      C_END: begin
        if (plan_i.err) c_d = C_ERR;
        free_o = !plan_i.jobs;
      end
      default: begin // C_ERR
        cnt_o[ohca_fmt_pkg::COUNTER_TX_LOCAL_ERR] = 1'b1;
      end
    endcase

    if (planning) we_o = 1'b1;
    if (asks_we && outside && (pk_ok || rq_ok)) we_o = 1'b1;
    if (kind == ohca_fmt_pkg::SQ_KIND_SCAN && c_q == C_RUN) we_o = asks_we && outside && !pk_ok && rq_ok;
  end

  // What is reported: places for it were promised before the token was looked up_o.
  always_comb begin
    up_valid_o = 1'b0;
    up_o      = '0;
    up_o.qpn  = id_i;
    if (k_t1 && want_flush && (c_q == C_FETCH || (c_q == C_RUN && act && !err_i && t1_park))) begin
      up_valid_o = 1'b1;
      up_o.kind = ohca_fmt_pkg::UPK_FLUSH;
      up_o.idx  = l.next;
      up_o.pi   = l.pi;
      up_o.psn  = l.psn;
    end
    if (c_q == C_END && plan_i.sent) begin
      up_valid_o   = 1'b1;
      up_o.kind   = ohca_fmt_pkg::UPK_SENT;
      up_o.idx    = plan_start_i;
      up_o.pi     = plan_i.next + {15'd0, plan_i.in_msg};
      up_o.psn    = plan_i.sent_psn;
      up_o.ackreq = plan_i.ackreq;
    end
    if (c_q == C_ERR) begin
      up_valid_o   = 1'b1;
      up_o.kind   = ohca_fmt_pkg::UPK_LOCAL_ERR;
      up_o.idx    = plan_i.next;
      up_o.pi     = plan_i.next + 16'd1;
      up_o.psn    = plan_i.psn;
      up_o.status = plan_status_i;
      up_o.verr   = plan_verr_i;
    end
  end

  // Whether it has something to do by the definition, of the line that is written: what the choice is checked against.
  ohca_fmt_pkg::sqc_t n;
  assign n = next_o;
  always_comb begin
    new_want = !n.rnr_wait && !n.fence_wait && !n.credit_wait && !n.window_wait && n.fetch != n.pi && !log_bad &&
               !(n.err_valid && n.fetch == n.err_idx) && 16'(n.fetch - n.next) < 16'(Ahead) &&
               !(n.in_msg && n.fetch != n.next);
    case (n.state)
      ohca_fmt_pkg::QP_STATE_RTS: ;
      ohca_fmt_pkg::QP_STATE_SQD:
        new_want = new_want && (n.in_msg || n.skip || ohca_fmt_pkg::psn_lt(n.psn, n.sent_psn));
      ohca_fmt_pkg::QP_STATE_SQE, ohca_fmt_pkg::QP_STATE_ERR: new_want = n.next != n.pi;
      default: new_want = 1'b0;
    endcase
    new_want = new_want && outside;
  end
  assign wrote_o = k_acc && !err_i && !inval_i && acc.wmask != '0;

  // The same questions of the line as it is, for T1.
  assign want_flush = !alive && is_want;
  assign can_send   = alive && is_want;

  ohca_sq_want #(.Ahead(Ahead)) u_want (
    .clk_i(clk_i), .line_i(l), .as_is_o(is_want), .thrown_o(thrown_want), .db_pi_i(db_pi), .rung_o(rung_want),
    .fb_i(fb), .behind_o(fb_behind), .fb_o(fb_want), .step_i(f_n), .fetched_o(fetched_want),
    .plan_next_i(plan_i.next), .plan_again_i(plan_i.again), .plan_in_msg_i(plan_i.in_msg),
    .plan_skip_i(plan_i.skip),
    .plan_wait_i(plan_i.fence_wait || plan_i.credit_wait || plan_i.window_wait || plan_i.err),
    .plan_drop_i(k_db || plan_i.stop), .plan_pi_i(pi_new), .planned_o(planned_want)
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      c_q        <= C_RUN;
      plan_q     <= 1'b0;
    end else begin
      c_q    <= end_o ? C_RUN : c_d;
      plan_q <= go_o;
    end
    moves_q <= db_moves;
    db_ok_q <= db_ok;
    stale_q <= t2_stale;
    can_q   <= can_send;
    for (int unsigned i = 0; i < 16; i++) adm_q[i] <= adm_i[32'(qp_cls(sl2vl_i[4*i +: 4]))];
  end

  always_ff @(posedge clk_i) begin
    acc_rsp_valid_o <= !rst_i && end_o && k_acc;
    acc_rdata_o     <= Compact ? edit_old_i : l[32*32'(acc.dw[3:0]) +: 32];
    acc_err_o       <= err_i;
  end

  logic unused;
  assign unused = &{1'b0, pay, n, acc, db_or[15]};

  `ASSERT(Want_A, (k_acc && c_q == C_RUN) || want == (end_o && new_want))
  `ASSERT(One_A, db_one == (db_ahead == 16'd1))
  `ASSERT(PlanRing_A, !(act && k_db && c_q == C_RUN && c_plan_db) || db_ok)

endmodule

`default_nettype wire
