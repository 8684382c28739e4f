// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Send engine, plan: the WQEs of a batch, one after the other: what of them is sent now. It hands a job on for each WQE
// that goes, and moves the context's numbers on, up to the batch's end or what stops it: a WQE that is refused or has
// failed before, a fence, READs, credits, the window, the budget of a turn, a datagram's VL that gets no turn, or SQD.
//
//   ahead_i ─► header read ─► decoder (ohca_sq_wqe) ─► decision ─► job_o
//   begin_i ───────▲                   ▲    cut ──────────┤
//                  └──────── next ─────┴──────────────────┴──► plan_o (flops)
//
// begin_i names a token that has a batch, and go_i, with it, that this is to be planned; line_i and what came with the
// token stay until the cycle behind done_o. A WQE a cycle from the second cycle on, if the first header was read ahead
// (ahead_i, before begin_i), else from the third; three cycles for the WQE in which it starts sending again, two for
// each before that. With done_o the plan ends: plan_o holds what became of it from the next cycle on until the next
// begin_i, and in that cycle the turn's last job is marked by one of its own, if none was.
//
// Of the IBA it keeps: PSNs follow each other, a READ takes one for each response (9.7.3), no more than half of their
// circle is out, no more READs than agreed, fences (10.8.3.3), one request beyond the credits (9.7.7.2), SQD (10.3.1).
// It does NOT look at the context while nothing is planned, and writes none; job_* and done_o are a table behind flops,
// which nothing holds up: there is room for five jobs when a batch begins. Nothing has a ready.
// lint: NumVl=4 Turns=64

`include "ohca_assert.svh"
`default_nettype none

module ohca_sq_plan #(
  parameter int unsigned NumVl    = 1,           // data VLs; 1: no classes
  parameter int unsigned Turns    = 16,          // power of two
  parameter int unsigned BudgetSh = 15,          // log2 of the bytes of one message that a turn sends
  parameter bit          Csum     = 1'b1,        // as in ohca_sq_wqe
  localparam int unsigned TurnW   = $clog2(Turns),
  localparam bit          Shared  = NumVl > 1,
  localparam int unsigned NumC    = Shared ? NumVl + 1 : 1,
  localparam int unsigned ClsW    = Shared ? 4 : 1
) (
  input  logic                        clk_i,
  input  logic                        rst_i,

  input  logic                        ahead_valid_i,   // the next token with a batch, unless it is this one
  input  logic [TurnW-1:0]            ahead_turn_i,
  input  logic                        hold_i,          // its rows are not there yet: nothing is read ahead

  input  logic                        begin_i,
  input  logic                        go_i,
  input  ohca_fmt_pkg::sqc_t          line_i,
  input  logic [TurnW-1:0]            turn_i,
  input  logic [2:0]                  n_i,             // WQEs of the batch, 1 to 4
  input  logic [4:0]                  words_i,         // of 16 bytes that were fetched of it
  input  logic                        pushed_i,        // one, which came with its doorbell
  input  logic [ClsW-1:0]             cls_i,           // the turn's class, if the QP is connected
  input  logic [63:0]                 sl2vl_i,

  output logic                        row_en_o,        // the headers' rows: data a cycle later, until another is read
  output logic [TurnW+1:0]            row_o,
  input  logic [255:0]                row_i,

  output logic                        ask_o,           // a datagram QP's class: clash_i is about cls_o a cycle later
  output logic [ClsW-1:0]             cls_o,
  input  logic                        clash_i,         // this QP has jobs of another class waiting
  input  logic [ClsW-1:0]             clash_cls_i,
  input  logic [NumC-1:0]             adm_i,           // classes that may have another turn
  output logic                        cls_set_o,       // the turn's class is cls_o

  output logic                        job_valid_o,
  output ohca_fmt_pkg::sq_job_t       job_o,
  output logic                        done_o,
  output ohca_fmt_pkg::sq_plan_t      plan_o,
  output logic [15:0]                 start_o,         // with plan_o: the first WQE of the batch
  output ohca_fmt_pkg::wc_status_e    status_o,        // ... why one is refused
  output ohca_fmt_pkg::vendor_err_e   verr_o
);

  typedef struct packed {
    logic [23:0] psn;
    logic [23:0] sent_psn;
    logic [23:0] ssn;
    logic [15:0] next;
    logic        in_msg;
    logic [31:0] offset;
    logic        skip;
    logic [7:0]  rd_issued;
    // What follows from these, so that the decision to send begins with it.
    logic [23:0] out;         // psn - una_psn, of a connected QP; one READ may take 2^23 PSNs, so it may be just that
    logic        again;       // psn was sent before
    logic        beyond;      // ssn is beyond the credits
    logic [7:0]  rd_out;      // READs without their answer; rd_unsafe: or whose data the host may not have yet
    logic [7:0]  rd_unsafe;
    logic [3:0]  acks;        // packets since the last AckReq
    logic [6:0]  left;        // budget
    logic        jobs;        // one was handed on
    logic        closed;      // ... and marked as the turn's last
    logic        sent;
    logic        ackreq;
    logic        stop;
    logic        fence_wait;
    logic        credit_wait;
    logic        window_wait;
    logic        err;
    logic        classed;     // the turn has its class
    logic [ClsW-1:0] cls;
    logic        park;
    logic [ClsW-1:0] park_cls;
  } work_t;
  typedef enum logic [1:0] { P_IDLE, P_RUN, P_END } pstate_e;
  pstate_e            p_q;
  work_t              w_q, w_d;
  ohca_fmt_pkg::sqc_t l;
  logic               run, ends, last, first_q;    // first_q: kr_q is 0
  logic [2:0]         pn_q, ki_q, kr_q, ka_q;      // WQEs in the batch; next to be read, in the decoder, in the planner
  logic [3:0]         mtu_sh, sh_q;                // sh_q: of the plan under way
  logic [1:0]         row_sh;                      // rows of a WQE, log2
  logic               is_ud, sqd;
  logic [6:0]         budget;
  assign l      = line_i;
  assign run    = p_q == P_RUN;
  assign ends   = p_q == P_END;
  assign mtu_sh = (l.mtu >= 3'd2 && l.mtu <= 3'd5) ? 4'd7 + {1'b0, l.mtu} : 4'd8;
  assign row_sh = l.log_stride[1:0] - 2'd2;        // 6, 7, 8 -> 0, 1, 2
  assign is_ud  = l.qtype == ohca_fmt_pkg::QP_TYPE_UD || l.qtype == ohca_fmt_pkg::QP_TYPE_SMI ||
                  l.qtype == ohca_fmt_pkg::QP_TYPE_GSI;
  assign sqd    = l.state == ohca_fmt_pkg::QP_STATE_SQD;
  assign budget = (mtu_sh > 4'(BudgetSh - 6)) ? 7'd1 << (4'(BudgetSh) - mtu_sh) : 7'd64;

  // ---- headers: the first of the next batch is read while the one before is still under way
  logic             pre_q, pre_rd, rdv_q, dec_q, dec_load, act_next, act_stop;
  logic [TurnW-1:0] pre_turn_q;                    // whose it is
  assign dec_load = run && rdv_q && (!dec_q || act_next);            // behind the last one nothing is read
  assign pre_rd   = ahead_valid_i && !pre_q && !begin_i && !rdv_q && !hold_i;
  always_comb begin
    row_en_o = pre_rd;
    row_o    = {ahead_turn_i, 2'd0};
    if (begin_i) begin
      row_en_o = go_i && (!pre_q || n_i != 3'd1);
      row_o    = {turn_i, 2'({1'b0, pre_q} << row_sh)};
    end else if (run && rdv_q) begin
      row_en_o = dec_load && ki_q != pn_q;
      row_o    = {turn_i, 2'(ki_q[1:0] << row_sh)};
    end
  end
  always_ff @(posedge clk_i) begin
    if (pre_rd) pre_turn_q <= ahead_turn_i;
    if (rst_i) begin
      p_q   <= P_IDLE;
      pre_q <= 1'b0;
      rdv_q <= 1'b0;
      dec_q <= 1'b0;
    end else begin
      p_q <= go_i ? P_RUN : done_o ? P_END : ends ? P_IDLE : p_q;
      if (begin_i) pre_q <= 1'b0;
      else if (pre_rd) pre_q <= 1'b1;
      if (go_i) rdv_q <= !pre_q || n_i != 3'd1;
      else if (ends || act_stop) rdv_q <= 1'b0;
      else if (dec_load) rdv_q <= ki_q != pn_q;
      if (go_i) dec_q <= pre_q;
      else if (ends) dec_q <= 1'b0;
      else if (dec_load) dec_q <= 1'b1;
      else if (act_next) dec_q <= 1'b0;
    end
    if (rst_i || ends || (begin_i && !go_i)) {first_q, kr_q} <= 4'b1000; // before a plan: a header may be there
    else if (begin_i)  {first_q, kr_q} <= {!pre_q, 2'd0, pre_q};
    else if (dec_load) {first_q, kr_q} <= {1'b0, kr_q + 3'd1};
    // A plan begins, if that is what comes of the token; else nobody looks at it.
    if (begin_i) begin
      pn_q    <= n_i;
      start_o <= l.next;
      sh_q    <= mtu_sh;
      ki_q    <= pre_q ? 3'd2 : 3'd1;
      ka_q    <= '0;
    end else begin
      if (dec_load) ki_q <= ki_q + 3'd1;
      if (act_next) ka_q <= ka_q + 3'd1;
    end
  end

  logic                      d_read, d_fence, d_credit, d_inl, d_nopkt, d_err;
  logic [3:0]                d_vl, d_nsge;
  logic [ClsW-1:0]           d_cls;
  logic [31:0]               d_rem;                 // bytes not sent yet
  logic [23:0]               d_tr, gap, gap_q;      // their packets; those of them that are not sent again
  logic                      cut;                   // ... are taken off
  logic                      d_many, d_huge;        // more than 127, 2^22 packets
  ohca_sq_wqe #(.NumVl(NumVl), .Csum(Csum)) u_wqe (
    .clk_i(clk_i), .load_i(dec_load || begin_i), .head_i(row_i), .line_i(l), .pushed_i(pushed_i),
    .k_i(kr_q), .first_i(first_q), .words_i(words_i), .sl2vl_i(sl2vl_i), .cut_i(cut), .cut_n_i(gap_q),
    .cut_sh_i(sh_q), .read_o(d_read), .fence_o(d_fence), .credit_o(d_credit), .inl_o(d_inl), .nopkt_o(d_nopkt),
    .cls_o(d_vl), .nsge_o(d_nsge), .rem_o(d_rem), .tr_o(d_tr), .many_o(d_many), .huge_o(d_huge), .err_o(d_err),
    .status_o(status_o), .verr_o(verr_o)
  );
  assign d_cls = d_vl[ClsW-1:0];
  assign cls_o = d_cls;
  assign ask_o = Shared && (run || go_i) && is_ud;

  // ---- what each field may become: all at once, beside the decision which it is
  logic [23:0] psn_all, psn_part, psn_one, past_one, out_all, out_skip, ssn_one;
  logic        new_all, new_part, new_one, new_none, beyond_one;
  logic        again_all, again_part, again_one, again_skip;
  logic [31:0] off_next;
  logic [6:0]  left_done;
  logic [4:0]  acks;
  assign psn_all  = w_q.psn + d_tr;
  assign psn_part = w_q.psn + 24'(w_q.left);
  assign psn_one  = w_q.psn + 24'd1;
  assign new_all  = ohca_fmt_pkg::psn_lt(w_q.sent_psn, psn_all);
  assign new_part = ohca_fmt_pkg::psn_lt(w_q.sent_psn, psn_part);
  assign past_one = w_q.sent_psn + ~w_q.psn;        // sent_psn - psn_one
  assign new_one  = past_one[23];
  assign new_none = ohca_fmt_pkg::psn_lt(w_q.sent_psn, w_q.psn);
  // ... and whether the next WQE was sent before.
  assign again_all  = !new_all && ohca_fmt_pkg::psn_lt(psn_all, w_q.sent_psn);
  assign again_part = !new_part && ohca_fmt_pkg::psn_lt(psn_part, w_q.sent_psn);
  assign again_one  = !past_one[23] && past_one[22:0] != '0;
  assign again_skip = ohca_fmt_pkg::psn_lt(l.skip_psn, w_q.sent_psn);
  assign out_all    = w_q.out + d_tr;               // nobody asks for it where the turn ends inside of a WQE
  assign out_skip   = l.skip_psn - l.una_psn;
  assign ssn_one    = w_q.ssn + 24'd1;
  assign beyond_one = ohca_fmt_pkg::psn_lt(l.lsn, ssn_one);
  // What is left of a WQE, and of the budget behind a whole one, begins with flops, too, whatever is decided.
  assign off_next   = (w_q.in_msg ? w_q.offset : 32'd0) + ((w_q.skip ? 32'(gap_q) : 32'(w_q.left)) << sh_q);
  assign left_done  = w_q.left - ((d_read || is_ud) ? 7'd1 : d_tr[6:0]);
  assign acks       = {1'b0, w_q.acks} + 5'(w_q.left[3:0]);

  // What lies before the first packet to be sent again takes a cycle more: it is compared a cycle before.
  logic gone_seen_q, gone_all_q;
  assign gap = l.skip_psn - w_q.psn;
  always_ff @(posedge clk_i) begin
    gone_seen_q <= run && dec_q && w_q.skip && !gone_seen_q;
    gone_all_q  <= gap >= d_tr;
    gap_q       <= gap;
  end

  // ---- the decision
  // What a connected QP's WQE waits for, each by itself: whether it goes does not wait for which of them it is.
  logic hold_sqd, hold_fence, hold_credit, hold_window, hold, some_out, half_out;
  assign hold_sqd    = !w_q.in_msg && sqd && !w_q.again;
  // A fence waits for the data, too, which the host may get later; so that this can be counted READs wait for half of
  // the numbers.
  assign hold_fence  = (!w_q.in_msg && d_fence && w_q.rd_unsafe != '0) ||
                       (d_read && (w_q.rd_out[7:5] != '0 || w_q.rd_out[4:0] >= l.max_rd || w_q.rd_unsafe[7]));
  assign some_out    = w_q.out != '0;
  assign half_out    = w_q.out == 24'h800000;
  assign hold_credit = !w_q.in_msg && d_credit && l.lsn_valid && w_q.beyond && some_out;
  assign hold_window = w_q.out[23:22] == 2'b01 || half_out || (d_read && d_huge && some_out);
  assign hold        = hold_sqd || hold_fence || hold_credit || hold_window || w_q.left == '0;

  // One of these, or none while a comparison is under way.
  logic act_at_err, act_refused, act_ud_ends, act_park, act_ud, act_gone, act_again, act_hold, act_send;
  logic act_job, act_done, left_none, ud_ends, ud_waits;
  assign ud_ends   = w_q.left == '0 || sqd || (Shared && w_q.classed && d_cls != w_q.cls);  // a turn is of one class
  assign ud_waits  = Shared && !w_q.classed && (clash_i || !adm_i[d_cls[$clog2(NumC+1)-1:0]]);
  assign act_done  = d_read || is_ud || (!d_many && d_tr[6:0] <= w_q.left);                 // all of it goes
  assign left_none = (d_read || is_ud) ? w_q.left == 7'd1 : d_many || d_tr[6:0] >= w_q.left;     // after this job
  always_comb begin
    act_at_err  = 1'b0;
    act_refused = 1'b0;
    act_ud_ends = 1'b0;
    act_park    = 1'b0;
    act_ud      = 1'b0;
    act_gone    = 1'b0;                            // all its packets lie before the first to be sent again
    act_again   = 1'b0;                            // that one is its
    act_hold    = 1'b0;
    act_send    = 1'b0;
    if (!run || !dec_q) begin
    end else if (l.err_valid && w_q.next == l.err_idx) act_at_err = 1'b1;
    else if (d_err) act_refused = 1'b1;
    else if (is_ud) begin
      if (ud_ends) act_ud_ends = 1'b1;
      else if (ud_waits) act_park = 1'b1;
      else act_ud = 1'b1;
    end else if (w_q.skip) begin
      act_gone  = gone_seen_q && gone_all_q;
      act_again = gone_seen_q && !gone_all_q;
    end else if (hold) act_hold = 1'b1;
    else act_send = 1'b1;
  end
  assign act_job  = act_ud || act_send;
  assign act_next = act_ud || act_gone || (act_send && act_done);
  assign act_stop = act_at_err || act_refused || act_ud_ends || act_park || act_hold || (act_send && !act_done);
  assign last     = ka_q == pn_q - 3'd1;
  assign done_o   = act_stop || (act_next && last);
  assign cut      = act_again && gap_q != '0;
  assign cls_set_o = act_ud && !w_q.classed;

  // ---- what follows
  logic newer;
  always_comb begin
    w_d   = w_q;
    newer = 1'b0;
    if (act_refused) w_d.err = 1'b1;
    if (act_park) begin
      w_d.park     = 1'b1;
      w_d.park_cls = clash_i ? clash_cls_i : d_cls;
    end
    if (act_ud) begin
      w_d.classed = 1'b1;
      w_d.cls     = d_cls;
      if (!d_nopkt) w_d.psn = psn_one;
      newer       = d_nopkt ? new_none : new_one;
      w_d.again   = d_nopkt ? !new_none && w_q.again : again_one;
    end
    if (act_gone || (act_send && act_done)) begin
      w_d.psn   = psn_all;
      newer     = new_all;
      w_d.again = again_all;
    end
    if (act_again) begin
      w_d.skip = 1'b0;
      if (cut) begin
        w_d.in_msg = 1'b1;
        w_d.offset = off_next;
        w_d.psn    = l.skip_psn;
        w_d.out    = out_skip;
        w_d.again  = again_skip;
      end
    end
    if (act_gone || act_send) begin
      w_d.out       = out_all;
      w_d.rd_issued = w_q.rd_issued + 8'(d_read);
      w_d.rd_out    = w_q.rd_out + 8'(d_read);
      w_d.rd_unsafe = w_q.rd_unsafe + 8'(d_read);
    end
    if (act_send && !act_done) begin
      w_d.psn    = psn_part;
      newer      = new_part;
      w_d.again  = again_part;
      w_d.in_msg = 1'b1;
      w_d.offset = off_next;
      w_d.acks   = acks[3:0];
    end
    if (act_hold) begin
      w_d.fence_wait  = !hold_sqd && hold_fence;
      w_d.credit_wait = !hold_sqd && !hold_fence && hold_credit;
      w_d.window_wait = !hold_sqd && !hold_fence && !hold_credit && hold_window;
    end
    if (act_send) begin
      w_d.sent   = 1'b1;
      w_d.ackreq = w_q.ackreq || act_done || acks[4] || w_q.left[6:4] != '0;
    end
    if (act_next) begin
      w_d.next   = w_q.next + 16'd1;
      w_d.ssn    = ssn_one;
      w_d.beyond = beyond_one;
      w_d.in_msg = 1'b0;
      w_d.offset = '0;
      if (!act_gone) w_d.acks = '0;
    end
    if (act_job) begin
      w_d.left   = act_done ? left_done : '0;
      w_d.jobs   = 1'b1;
      w_d.closed = !act_done || last || left_none;
    end
    if (act_stop) w_d.stop = 1'b1;
    if (newer) w_d.sent_psn = w_d.psn;
  end

  always_ff @(posedge clk_i) begin
    if (begin_i) begin
      w_q           <= '0;
      w_q.psn       <= l.psn;
      w_q.sent_psn  <= l.sent_psn;
      w_q.ssn       <= l.ssn;
      w_q.next      <= l.next;
      w_q.in_msg    <= l.in_msg;
      w_q.offset    <= l.offset;
      w_q.skip      <= l.skip;
      w_q.rd_issued <= l.rd_issued;
      w_q.out       <= l.psn - l.una_psn;
      w_q.again     <= ohca_fmt_pkg::psn_lt(l.psn, l.sent_psn);
      w_q.beyond    <= ohca_fmt_pkg::psn_lt(l.lsn, l.ssn);
      w_q.rd_out    <= l.rd_issued - l.rd_done;
      w_q.rd_unsafe <= l.rd_issued - l.rd_safe;
      w_q.acks      <= l.ackreq_cnt[3:0];
      w_q.left      <= budget;
      w_q.classed   <= l.qtype == ohca_fmt_pkg::QP_TYPE_RC;
      w_q.cls       <= cls_i;
    end else w_q <= w_d;
  end

  // ---- jobs
  logic [6:0] npk;
  assign npk = !act_done ? w_q.left : (d_read || is_ud) ? 7'd1 : d_tr[6:0];
  assign job_valid_o = act_job || (ends && w_q.jobs && !w_q.closed);
  always_comb begin
    job_o        = '0;
    job_o.turn   = 8'(turn_i);
    job_o.row    = 2'(ka_q[1:0] << row_sh);
    job_o.cls    = Shared ? 4'((run && is_ud) ? w_d.cls : w_q.cls) : '0;
    job_o.psn    = w_q.psn;
    job_o.npk    = run ? npk : 7'd0;
    job_o.acks   = w_q.acks;
    job_o.nopkt  = d_nopkt;
    job_o.ud     = is_ud;
    job_o.inl    = d_inl;
    job_o.nsge   = d_nsge;
    job_o.offset = w_q.in_msg ? w_q.offset : 32'd0;
    job_o.bytes  = (!run || d_read || d_nopkt) ? 16'd0 : act_done ? d_rem[15:0] : 16'(npk) << sh_q;
    job_o.mtu_sh = sh_q;
    job_o.priv   = l.priv;
    job_o.pd     = l.pd;
    job_o.last   = !run || w_d.closed;
  end

  always_comb begin
    plan_o             = '0;
    plan_o.psn         = w_q.psn;
    plan_o.sent_psn    = w_q.sent_psn;
    plan_o.ssn         = w_q.ssn;
    plan_o.next        = w_q.next;
    plan_o.in_msg      = w_q.in_msg;
    plan_o.offset      = w_q.offset;
    plan_o.skip        = w_q.skip;
    plan_o.rd_issued   = w_q.rd_issued;
    plan_o.acks        = w_q.acks;
    plan_o.fence_wait  = w_q.fence_wait;
    plan_o.credit_wait = w_q.credit_wait;
    plan_o.window_wait = w_q.window_wait;
    plan_o.again       = w_q.again;
    plan_o.stop        = w_q.stop;
    plan_o.err         = w_q.err;
    plan_o.jobs        = w_q.jobs;
    plan_o.sent        = w_q.sent;
    plan_o.ackreq      = w_q.ackreq;
    plan_o.park        = w_q.park;
    plan_o.park_cls    = 4'(w_q.park_cls);
  end

  logic unused;
  assign unused = &{1'b0, l, d_vl, d_rem[31:16], pre_turn_q};

  `ASSERT(Go_A, !go_i || begin_i)
  `ASSERT(One_A, !begin_i || p_q == P_IDLE)
  `ASSERT(Order_A, !begin_i || !pre_q || pre_turn_q == turn_i)
  `ASSERT(DecLoad_A, !dec_load || !done_o)
  // What is kept beside the PSN of a plan that goes on is what follows from it.
  `ASSERT(Again_A, p_q == P_IDLE || w_q.again == ohca_fmt_pkg::psn_lt(w_q.psn, w_q.sent_psn))
  `ASSERT(Kept_A, !run || is_ud || (w_q.out == 24'(w_q.psn - l.una_psn) &&
                  w_q.beyond == ohca_fmt_pkg::psn_lt(l.lsn, w_q.ssn) &&
                  w_q.rd_out == 8'(w_q.rd_issued - l.rd_done) && w_q.rd_unsafe == 8'(w_q.rd_issued - l.rd_safe)))

endmodule

`default_nettype wire
