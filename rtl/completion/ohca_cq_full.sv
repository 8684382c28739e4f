// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Completion queues: writes CQEs to the rings of the host, keeps the contexts, arms CQs and sends completion events.
// lint: DW=128
// lint: DW=256
// lint: DW=512
// About 14 cycles from request to the CQE's write request; one CQE a cycle on hits (four cycles each with DW = 64). All
// else, and a completion that comes back, stays at the commit for two cycles.
//
//   ohca_cq_door -> ohca_ctx -> commit -> ohca_cq_back: write, then event
//             ^                   |
//             +-------------------+ parked: ring looks full, its doorbell record is read again
//
// A completion that finds the ring full by the consumer index last seen is parked with a read of the doorbell record,
// and comes back with what that says; later ones of the same CQ are parked behind it, so their order stays and no other
// CQ waits. If the ring is still full, the CQ is in error: this and every later CQE is dropped, and its QP told to the
// acknowledge engine (ohca_cq_fail). From half full on the record is read ahead, with every eighth of the ring, so that
// the ring of a host that keeps up does not come to look full. An event leaves after its CQE's write has been accepted.
//
// An arm fires at once for entries that the host had not seen when it armed, unless an event has been sent since the
// last of them was written: that one comes after the entry, so whoever waits will be woken by it, or has been and has
// seen the entry. So no arm, however often or with whatever index, makes more events than there are CQEs. A consumer
// index that is not between the last one known and the producer index is older, or nonsense: all that is not consumed
// counts as not seen.
//
// Moderation (bit mod of the context): what would make an event makes one wait instead, until the completion of index
// last, one in error, or a job of ohca_cq_timer; the wait uses up the arm as the event would have. While one waits it
// stands for all that comes: a later arm stays, and the first completion that it is for uses it up. Whatever the timer
// has no room for is sent at once. None waits beside a ring that holds as many entries as software may have in it, one
// less than there are places, as no completion may come then: that of index last may be beyond, when the host armed
// with entries unread that it knew of. An event that waits is also sent when moderation changes, with another ring, and
// when the CQ gets into error.
//
// A ring is exchanged for another by one access, with all that belongs to it, between two completions: indexes go on,
// so what is known of consumed, armed and solicited entries stays true, and phases begin anew with the new ring. What
// is not consumed must find room in it, as the host copies that.

`include "ohca_assert.svh"
`default_nettype none

module ohca_cq_full #(
  parameter int unsigned DW       = 64,
  parameter int unsigned Sets     = 64,       // cached contexts: Sets * Ways
  parameter int unsigned Ways     = 1,
  parameter int unsigned CtxFills  = 8,      // misses, lookups and write-backs of it in flight, powers of two
  parameter int unsigned CtxDepth  = 32,
  parameter int unsigned CtxEvicts = 32,
  parameter int unsigned InFlight = 16       // completions between look-up and commit with parked ones, power of two
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

  localparam int unsigned ReqW  = ohca_fmt_pkg::CQ_REQ_BITS;
  localparam int unsigned SlotW = $clog2(InFlight);
  localparam int unsigned BeDepth = 16;       // back end

  if ((1 << SlotW) != InFlight || InFlight < 2) begin : g_bad_inflight
    $error("ohca_cq: InFlight must be a power of two, at least 2");
  end

  // ================================================================ look-up: the token is ohca_cq_door's
  localparam logic [1:0] K_COMP = 2'd0, K_ARM = 2'd1, K_ACC = 2'd2, K_ERR = 2'd3;
  localparam int unsigned TokW = 2 + 1 + SlotW + 1 + 24 + ReqW;

  logic            rep_valid, rep_go, rep_ok, rep_look, seterr_q, seterr_go, tmr_go, req_go, acc_busy_q, hold;
  logic            cl_valid, cl_ready, cl_inval, tmr_valid;
  logic [ReqW-1:0] rep_req;
  logic [SlotW-1:0] rep_slot, t_slot;
  logic [7:0]      tmr_gen;
  logic [23:0]     tmr_cqn, rep_ci, cl_id, seterr_cqn_q;
  logic [TokW-1:0] cl_token;
  logic [SlotW-1:0] flight_q;                 // completions that entered and are not committed for good; one less than
                                              // slots, as a record that is read ahead has a place of theirs
  ohca_cq_door #(.SlotW(SlotW)) u_door (
    .clk_i, .rst_i, .cq_valid_i, .cq_ready_o, .cq_i, .room_i(!hold && !(&flight_q)), .cq_go_o(req_go), .arm_valid_i,
    .arm_ready_o, .arm_i, .acc_valid_i, .acc_ready_o, .acc_i, .acc_busy_i(acc_busy_q),
    .rep_valid_i(rep_valid), .rep_ready_o(rep_go), .rep_i(rep_req), .rep_slot_i(rep_slot), .rep_look_i(rep_look),
    .rep_ok_i(rep_ok), .rep_ci_i(rep_ci), .err_valid_i(seterr_q), .err_ready_o(seterr_go), .err_cqn_i(seterr_cqn_q),
    .tmr_valid_i(tmr_valid), .tmr_ready_o(tmr_go), .tmr_cqn_i(tmr_cqn), .tmr_gen_i(tmr_gen),
    .valid_o(cl_valid), .ready_i(cl_ready), .id_o(cl_id), .inval_o(cl_inval), .token_o(cl_token)
  );

  logic              out_valid, out_ready, accept, out_err, out_inval, out_we, ctx_idle;
  logic [23:0]       out_id;
  logic [TokW-1:0]   out_token;
  logic [511:0]      out_line, out_wline;
  logic [4:0]        x_dw;
  logic [31:0]       x_wdata, x_wmask, x_old;
  logic              x_err;
  ohca_ctx #(                                  // dwords from 10 on are reserved
    .DW(DW), .LineBytes(64), .Sets(Sets), .Ways(Ways), .TokenW(TokW), .Stride(64), .Offset(0),
    .Fills(CtxFills), .Depth(CtxDepth), .Evicts(CtxEvicts), .KeepBits(320), .Pass(1'b1), .Same(1)
  ) u_ctx (
    .clk_i, .rst_i, .idle_o(ctx_idle), .base_i, .limit_i, .lk_valid_i(cl_valid), .lk_ready_o(cl_ready), .lk_id_i(cl_id),
    .lk_set_i('0), .lk_token_i(cl_token), .lk_inval_i(cl_inval), .lk_block_i('0), .lk_hint_i(1'b0), .rd_hint_o(),
    .nx_valid_o(), .nx_token_o(), .out_valid_o(out_valid), .out_ready_i(out_ready), .out_id_o(out_id),
    .out_token_o(out_token),
    .out_line_o(out_line), .out_err_o(out_err), .out_inval_o(out_inval), .out_we_i(out_we), .out_wline_i(out_wline),
    .out_word_i(5'd0), .out_word_data_i(32'd0), .out_word_mask_i(32'd0), .out_edit_i(1'b0), .out_edit_done_o(),
    .out_word_o(), .icm_valid_o(ctx_o.icm_valid), .icm_ready_i(ctx_i.icm_ready), .icm_addr_o(ctx_o.icm_addr),
    .icm_rsp_valid_i(ctx_i.icm_rsp_valid), .icm_rsp_ok_i(ctx_i.icm_rsp_ok), .icm_rsp_addr_i(ctx_i.icm_rsp_addr),
    .rd_valid_o(ctx_o.rd_valid), .rd_ready_i(ctx_i.rd_ready), .rd_o(ctx_o.rd),
    .rd_rsp_valid_i(ctx_i.rd_rsp_valid), .rd_rsp_data_i, .rd_rsp_last_i(rd_rsp_i.last),
    .rd_rsp_err_i(rd_rsp_i.err), .wr_valid_o(ctx_o.wr_valid), .wr_ready_i(ctx_i.wr_ready), .wr_o(ctx_o.wr),
    .wr_dat_valid_o(ctx_o.dat_valid), .wr_dat_ready_i(ctx_i.dat_ready), .wr_dat_o(ctx_dat_o),
    .wr_dat_last_o(ctx_o.dat_last), .wr_issued_i(wr_cnt_i.issued), .wr_acked_i(wr_cnt_i.acked)
  );

  // ================================================================ commit
  logic [1:0]      t_kind;
  logic            t_replay, t_ci_ok;
  logic [23:0]     t_ci;
  logic [ReqW-1:0] t_body;
  ohca_fmt_pkg::cq_req_t t_req;
  ohca_fmt_pkg::cqc_t    c, n;
  assign {t_kind, t_replay, t_slot, t_ci_ok, t_ci, t_body} = out_token;
  assign t_req = t_body;
  assign c     = out_line;

  // --- room in the ring
  logic [23:0] size, used, rec_used, ci_now;
  logic [23:0] over;                           // the bits that are set in so many entries as a ring has, or more
  logic        good, sol, newer, brim;         // brim: with one more it holds as many as software may have in it
  assign size     = 24'd1 << ((c.log_size > 5'd21) ? 5'd21 : c.log_size);
  assign over     = 24'hffffff << ((c.log_size > 5'd21) ? 5'd21 : c.log_size);
  assign used     = c.pi - c.ci;
  assign rec_used = c.pi - t_ci;
  // A consumer index that is not between the last one and the producer index is nonsense and changes nothing. Whether
  // it is takes two subtractions and a comparison, so what brings one, all but a new completion, stays a cycle longer.
  logic        stands_q, newer_q, slow;        // stands_q: the token was there a cycle before
  assign slow     = t_kind != K_COMP || t_replay;
  assign newer    = slow && newer_q;
  always_ff @(posedge clk_i) begin
    stands_q <= !rst_i && out_valid && !accept;
    newer_q  <= t_ci_ok && rec_used <= used;
    {rec_full_q, own_full_q, rec_brim_q, own_brim_q} <= {rec_full, own_full, rec_brim, own_brim};
    {rec_half_q, own_half_q} <= {|(rec_used & (over >> 1)), half};
  end
  assign ci_now   = newer ? t_ci : c.ci;
  logic        own_full, own_brim, rec_full, rec_brim, full_q;
  logic        own_full_q, own_brim_q, rec_full_q, rec_brim_q, half, own_half_q, rec_half_q;
  // Neither waits for a difference of the indexes, as much hangs on both. What is used is never more than the ring's
  // size, so it is full where they differ in that bit, and in none below. It holds as many but one or two where ci - pi
  // - 1 is 0 or 1: there each higher bit of ci + ~pi is 0, and so the carry into it, that either bit below has brought.
  logic [23:0] differ, near_end;
  assign differ   = (c.pi ^ c.ci) ^ size;
  assign near_end = c.ci ^ ~c.pi ^ {c.ci[22:1] | ~c.pi[22:1], c.ci[0] && !c.pi[0], 1'b0};
  assign own_full = (differ & (~over | size)) == '0;
  assign own_brim = (near_end[23:1] & ~over[23:1]) == '0;
  assign {rec_full, rec_brim} = {|(rec_used & over), &(rec_used | over | 24'd1)};
  assign half     = |(used & (over >> 1));
  assign full_q   = newer_q ? rec_full_q : own_full_q;
  assign brim     = slow ? (newer_q ? rec_brim_q : own_brim_q) : own_brim;
  assign good     = !out_err && c.valid;
  assign sol      = t_req.solicited || t_req.status != ohca_fmt_pkg::WC_STATUS_SUCCESS;

  logic [InFlight-1:0] parked;                 // what else is, of this CQ
  logic                behind;
  assign behind = parked != '0;

  logic is_comp, live, do_park, do_write, do_over, do_drop, look, looks, looked, calm;
  logic may_write, stop;                       // do_write but for what is known late, which keeps it away
  assign stop      = !t_replay && (own_full || behind);
  assign may_write = live && !(t_replay && full_q);
  assign is_comp  = t_kind == K_COMP;
  assign live     = is_comp && good && !c.err;
  assign do_park  = live && !t_replay && (own_full || behind);
  assign do_over  = live && t_replay && full_q;
  assign do_write = may_write && !stop;
  assign do_drop  = is_comp && !live;
  assign look     = do_write && !t_replay && half && (c.pi & ~{3'b111, over[23:3]}) == '0 && !looks;
  assign looked   = t_kind == K_ERR && t_replay;
  assign calm     = do_write && t_replay && !(newer_q ? rec_half_q : own_half_q);

  // --- arm
  logic [15:0] a_uar;
  logic        a_sol, a_good, a_fire, sol_in, sol_out, used_nz, unseen_neg, unseen_nz;
  logic [23:0] a_ci, a_used, unseen, sol_age;
  logic        a_in, a_all, a_fire_in, a_fire_out, a_now;    // a_in, a_all, sol_*, used_nz, unseen_*: a cycle late
  assign {a_uar, a_sol, a_ci} = {t_body[71:56], t_body[31], t_body[23:0]};   // the index with what it has seen is t_ci
  assign a_good  = good && {c.uar_hi, c.uar_mid, c.uar_lo} == a_uar;
  assign a_used  = c.pi - a_ci;
  assign sol_age = c.pi - c.sol_pi;            // 0: the last CQE was a solicited one
  // Entries that the host did not see when it armed: those of a_used beyond a_seen, negative where it claims more than
  // there are. With a_in a ring's at most.
  assign unseen     = c.pi - t_ci;
  always_ff @(posedge clk_i) {a_in, a_all, sol_in, sol_out, used_nz, unseen_neg, unseen_nz} <= {a_used <= used,
    |(a_used & over) || &(a_used | over), sol_age < unseen, sol_age < used, used != '0, unseen[23], unseen != '0};
  assign a_fire_in  = !unseen_neg && (a_sol ? (c.sol_any && sol_in) : unseen_nz);
  assign a_fire_out = a_sol ? (c.sol_any && sol_out) : used_nz;
  assign a_fire  = t_kind == K_ARM && a_good && !c.told && (a_in ? a_fire_in : a_fire_out);
  assign a_now   = !a_in || a_all;             // nothing may come, or the index cannot be

  // --- moderation: sent or begins to wait
  logic tmr_room, mod_on, bad, hit, hit_now, due, begin_if, begin_comp, begin_arm, t_fire, x_mod;
  logic [23:0] last;
  assign mod_on     = c.mod && tmr_room;
  assign bad        = t_req.status != ohca_fmt_pkg::WC_STATUS_SUCCESS;
  assign hit        = c.armed || (c.armed_sol && sol);                     // uses up the arm
  assign due        = c.wait_ && (c.pi == c.last || bad || brim);
  assign hit_now    = hit && (bad || (!c.wait_ && (!mod_on || brim)));
  assign begin_if   = may_write && hit && !bad && mod_on && !c.wait_ && !brim;
  assign begin_comp = begin_if && !stop;
  assign begin_arm  = a_fire && mod_on && !a_now;                          // told keeps it away while one waits
  assign t_fire     = t_kind == K_ERR && !t_replay && good && c.wait_ && (!t_ci_ok || c.gen == t_body[7:0]);
  assign last       = (is_comp ? c.pi : t_ci) + {8'd0, c.more};

  // --- access; those from dword 16 on are for a new ring, whose address waits here for the rest
  ohca_fmt_pkg::acc_cq_ring_t x_ring;
  logic [63:0] ring_q;
  logic [23:0] x_over;
  logic        x_write, x_wait, x_swap, own_x_q, rec_x_q;
  assign {x_dw, x_wdata, x_wmask} = t_body[68:0];
  assign x_ring  = x_wdata;
  assign x_over  = 24'hffffff << x_ring.log_size;
  assign x_write = x_wmask != 32'd0;
  assign x_wait  = x_write && (x_dw == ohca_fmt_pkg::ACC_CQ_BUF || x_dw == ohca_fmt_pkg::ACC_CQ_BUF_HI);
  assign x_swap  = x_write && x_dw == ohca_fmt_pkg::ACC_CQ_RING && good && !c.err && !(newer_q ? rec_x_q : own_x_q);
  assign x_mod   = x_write && x_dw == ohca_fmt_pkg::ACC_CQ_MOD && good;
  assign x_err   = out_err || (x_dw[4] && !x_wait && !x_swap && !x_mod);
  assign x_old   = out_line[{x_dw[3:0], 5'd0} +: 32];
  always_ff @(posedge clk_i) begin
    {rec_x_q, own_x_q} <= {|(rec_used & x_over), |(used & x_over)};
    if (accept && t_kind == K_ACC && x_wait && x_dw[0])  ring_q[31:0]  <= x_wdata;
    if (accept && t_kind == K_ACC && x_wait && !x_dw[0]) ring_q[63:32] <= x_wdata;
  end

  logic ev_comp, ev_err;
  assign ev_comp = (do_write && (hit_now || due)) || (a_fire && (!mod_on || a_now)) || t_fire ||
                   (t_kind == K_ACC && (x_mod || x_swap) && c.wait_);
  assign ev_err  = do_over;

  // What is not written is as it was (Same of ohca_ctx): of a completion chosen last, as it is known late.
  always_comb begin
    n         = c;
    out_we    = 1'b0;
    out_wline = n;
    unique case (t_kind)
      K_COMP: begin
        if (may_write) begin
          n.pi = c.pi + 24'd1;
          n.ci = ci_now;
          if (sol) begin
            n.sol_pi  = c.pi + 24'd1;
            n.sol_any = 1'b1;
          end else if (|(sol_age & over)) begin
            n.sol_any = 1'b0;                 // out of the ring; its number would come round again
          end
          n.told  = hit || c.wait_;
          n.wait_ = begin_if || (c.wait_ && !hit_now && !due);
          if (hit) begin
            n.armed     = 1'b0;
            n.armed_sol = 1'b0;
          end
          if (begin_if) begin
            n.last = last;
            n.gen  = c.gen + 8'd1;
          end
        end
        if (do_over) n.err = 1'b1;
        out_we    = do_write || do_over;
        out_wline = stop ? out_line : n;
      end
      K_ARM: begin
        if (a_good) begin
          if (a_in) n.ci = a_ci;
          n.told      = c.told || a_fire;
          n.armed     = !a_fire && (c.armed || !a_sol);
          n.armed_sol = !a_fire && (c.armed_sol || a_sol);
          if (begin_arm) begin
            n.wait_ = 1'b1;
            n.last  = last;
            n.gen   = c.gen + 8'd1;
          end
        end
        out_we    = a_good;
        out_wline = n;
      end
      K_ACC: begin
        out_wline = out_line;
        for (int unsigned i = 0; i < 16; i++)
          if (x_dw == 5'(i)) out_wline[32*i +: 32] = (x_old & ~x_wmask) | (x_wdata & x_wmask);
        if (x_mod) begin
          n.mod      = x_wdata[15:0] != 16'd0;
          n.more     = x_wdata[15:0];
          n.period   = x_wdata[31:16];
          n.wait_    = 1'b0;
          out_wline  = n;
        end else if (x_swap) begin
          {n.buf_hi, n.buf_} = ring_q[63:5];
          n.buf_mtt  = x_ring.buf_mtt;
          n.log_size = x_ring.log_size;
          n.ci       = ci_now;
          n.wait_    = 1'b0;
          {n.base_hi, n.base_mid, n.base_lo} = c.pi[21:0];
          out_wline  = n;
        end
        out_we = x_dw[4] ? x_swap || x_mod : !out_err && x_write;
      end
      default: begin
        if (looked) n.ci = ci_now;
        else if (t_ci_ok ? t_fire : good) begin
          n.wait_   = 1'b0;
          if (!t_ci_ok) n.err = 1'b1;
        end
        out_we    = looked ? good && newer : t_ci_ok ? t_fire : good;
        out_wline = n;
      end
    endcase
  end

  // --- the timer of what begins to wait; an arm can be for as many entries as an event waits for: then at once
  logic        tr1_q, tr2_q, soon_q, tmr_idle;
  logic [15:0] tr1_period_q, tr2_period_q;
  logic [7:0]  tr1_gen_q, tr2_gen_q;
  logic [23:0] tr1_cqn_q, tr2_cqn_q, tr1_pi_q, tr1_last_q, to_last;
  assign to_last = tr1_last_q - tr1_pi_q;
  always_ff @(posedge clk_i) begin
    {tr2_q, tr1_q} <= rst_i ? 2'd0 : {tr1_q, accept && (begin_comp || begin_arm)};
    {tr1_cqn_q, tr1_gen_q, tr1_period_q, tr1_pi_q, tr1_last_q} <= {out_id, c.gen + 8'd1, c.period, c.pi, last};
    {tr2_cqn_q, tr2_gen_q, tr2_period_q, soon_q} <= {tr1_cqn_q, tr1_gen_q, tr1_period_q, to_last[23]};
  end
  ohca_cq_timer u_timer (
    .clk_i, .rst_i, .idle_o(tmr_idle), .now_i(now_i[31:0]), .cycles_per_us_i, .req_valid_i(tr2_q),
    .req_room_o(tmr_room), .req_soon_i(soon_q), .req_cqn_i(tr2_cqn_q), .req_gen_i(tr2_gen_q),
    .req_period_i(tr2_period_q), .job_valid_o(tmr_valid), .job_ready_i(tmr_go), .job_cqn_o(tmr_cqn),
    .job_gen_o(tmr_gen), .any_o(tmr_any_o), .next_o(tmr_next_o)
  );

  // --- where it goes: back end, park, or nowhere; all wait for room in the back end, as who needs it is known late
  logic be_ready, now, be_push;   // do_write || ev_comp || ev_err || t_kind == K_ACC, with what is late in it once
  assign be_push   = (live && (t_replay || !(own_full || behind))) || (a_fire && (!mod_on || a_now)) || t_fire ||
      t_kind == K_ACC;
  assign out_ready = be_ready && now;
  assign now       = !lost_valid && (stands_q || !slow);
  assign accept    = out_valid && out_ready;

  logic [21:0] pass;
  assign pass = c.pi[21:0] - {c.base_hi, c.base_mid, c.base_lo};
  ohca_fmt_pkg::cqe_t cqe;
  always_comb begin
    cqe            = '0;
    cqe.qpn        = t_req.qpn;
    cqe.opcode     = t_req.opcode;
    cqe.grh        = t_req.grh;
    cqe.solicited  = t_req.solicited;
    cqe.recv       = t_req.recv;
    cqe.wqe_idx    = t_req.idx;
    cqe.status     = t_req.status;
    cqe.vendor_err = t_req.verr;
    cqe.byte_len   = t_req.byte_len;
    cqe.imm        = t_req.imm;
    cqe.src_qp     = t_req.src_qp;
    cqe.sl         = t_req.sl;
    cqe.slid       = t_req.slid;
    cqe.pkey_index = t_req.pkey_index;
    cqe.ts_lo      = now_i[31:0];
    cqe.ts_hi      = now_i[47:32];
    cqe.path_bits  = t_req.path_bits;
    cqe.csum_ok    = t_req.csum_ok;
    cqe.phase      = !(|(pass & size[21:0]));
  end

  // ================================================================ parked completions
  ohca_cq_park #(.DW(DW), .InFlight(InFlight)) u_park (
    .clk_i, .rst_i, .id_i(out_id), .parked_o(parked), .park_i(accept && do_park), .req_i(t_body),
    .dbr_i({c.dbr_hi, c.dbr[31:3]}), .done_i(accept && is_comp && t_replay), .slot_i(t_slot), .look_i(accept && look),
    .looked_i(accept && looked), .looks_o(looks), .calm_i(accept && calm), .hold_o(hold), .rep_valid_o(rep_valid),
    .rep_ready_i(rep_go), .rep_o(rep_req), .rep_slot_o(rep_slot), .rep_look_o(rep_look), .rep_ok_o(rep_ok),
    .rep_ci_o(rep_ci),
    .rd_valid_o(dbr_o.valid), .rd_ready_i(dbr_i.ready), .rd_o(dbr_o.req), .rd_rsp_valid_i(dbr_i.valid),
    .rd_rsp_tag_i(rd_rsp_i.tag), .rd_rsp_data_i, .rd_rsp_err_i(rd_rsp_i.err)
  );
  always_ff @(posedge clk_i) begin
    flight_q <= rst_i ? '0 : flight_q + SlotW'(req_go) - SlotW'(accept && is_comp && !do_park);
  end

  // ================================================================ back end
  logic         lost_valid, b_idle, b_leave, b_acc_done, b_acc_fence, lost_flush;
  logic [23:0]  lost_cqn, lost_qpn;
  ohca_cq_back #(.DW(DW), .Depth(BeDepth)) u_back (
    .clk_i, .rst_i, .idle_o(b_idle), .valid_i(out_valid && be_push && now), .ready_o(be_ready),
    .write_i(do_write), .mtt_i(do_write && c.buf_mtt), .comp_i(ev_comp), .over_i(ev_err), .acc_i(t_kind == K_ACC),
    .acc_fence_i(x_write && (x_dw == 5'd0 || x_dw == ohca_fmt_pkg::ACC_CQ_RING)), .acc_err_i(x_err), .cqn_i(out_id),
    .eqn_i(c.eqn), .addr_i({c.buf_hi, c.buf_, 5'd0} + {35'd0, c.pi & ~over, 5'd0}), .cqe_i(cqe),
    .acc_rdata_i(x_old), .leave_o(b_leave), .acc_done_o(b_acc_done), .acc_fence_o(b_acc_fence),
    .acc_rdata_o(acc_rsp_o.rdata), .acc_err_o(acc_rsp_o.err),
    .lost_valid_o(lost_valid), .lost_cqn_o(lost_cqn), .lost_qpn_o(lost_qpn), .lost_flush_o(lost_flush),
    .ev_valid_o, .ev_ready_i, .ev_o, .tpt_valid_o, .tpt_ready_i, .tpt_o, .tpt_rsp_valid_i, .tpt_rsp_i,
    .wr_valid_o(wr_o.valid), .wr_ready_i(wr_i.ready), .wr_o(wr_o.req), .wr_dat_valid_o(wr_o.dat_valid),
    .wr_dat_ready_i(wr_i.dat_ready), .wr_dat_o, .wr_dat_last_o(wr_o.dat_last)
  );

  // --- whose completions are dropped, or cannot be written. The commit gives way to the back end.
  logic        fail_q;
  logic [24:0] fail_who_q;                     // {flushed, QP}
  always_ff @(posedge clk_i) begin
    fail_q     <= !rst_i && (lost_valid || (accept && (do_drop || do_over)));
    fail_who_q <= lost_valid ? {lost_flush, lost_qpn} : {t_req.status == ohca_fmt_pkg::WC_STATUS_WR_FLUSH, t_req.qpn};
  end
  ohca_cq_fail #(.Depth(512)) u_fail (
    .clk_i, .rst_i, .valid_i(fail_q), .qpn_i(fail_who_q[23:0]), .flush_i(fail_who_q[24]),
    .qerr_valid_o, .qerr_ready_i, .qerr_qpn_o
  );

  // --- a CQE that could not be written puts its CQ in error; if one is being told already, the next loss does it
  always_ff @(posedge clk_i) begin
    if (rst_i) seterr_q <= 1'b0;
    else       seterr_q <= (seterr_q && !seterr_go) || lost_valid;
    if (lost_valid && (!seterr_q || seterr_go)) seterr_cqn_q <= lost_cqn;
  end

  // --- accesses: one at a time
  logic enter_q;                               // a cycle late, as is what leaves
  always_ff @(posedge clk_i) enter_q <= !rst_i && accept && be_push;
  ohca_cq_answer #(.InFlight(InFlight), .Entries(BeDepth + 8)) u_answer (
    .clk_i, .rst_i, .taken_i(acc_ready_o), .busy_o(acc_busy_q), .commit_i(accept && t_kind == K_ACC),
    .parked_i(parked), .looks_i(looks), .done_i(accept && is_comp && t_replay), .slot_i(t_slot),
    .looked_i(accept && looked), .enter_i(enter_q), .leave_i(b_leave), .acc_done_i(b_acc_done), .fence_i(b_acc_fence),
    .wr_cnt_i,
    .valid_o(acc_rsp_o.valid)
  );

  always_ff @(posedge clk_i) begin
    cnt_o <= '0;
    cnt_o[ohca_fmt_pkg::COUNTER_DB_BAD_PAGE] <= !rst_i && accept && t_kind == K_ARM && !a_good;
    cnt_o[ohca_fmt_pkg::COUNTER_CQ_OVERFLOW] <= !rst_i && accept && (do_drop || do_over);
  end
  assign idle_o = ctx_idle && !cl_valid && flight_q == '0 && !looks && b_idle && !fail_q && !qerr_valid_o &&
                  !seterr_q && !acc_busy_q && !(|cq_valid_i) && !arm_valid_i && !acc_valid_i && !tr1_q && tmr_idle;
  logic unused;
  assign unused = &{1'b0, out_inval, t_req.cqn, rd_rsp_i.last, now_i[63:48],
                    c.dbr[2:0], ring_q[4:0], size[23:22], x_ring.ci, x_ring.rsvd0, to_last[22:0],
                    near_end[0], differ[23:22]};

  // What waits has been told of and is in order: no second event, and no arm makes one beside it.
  `ASSERT(WaitTold_A, !(accept && (do_write || t_kind == K_ARM) && good && c.wait_) || (c.told && c.mod))
  `ASSERT(BeginOne_A, !(accept && (begin_comp || begin_arm)) || (out_we && !c.wait_ && !ev_comp && n.wait_ && n.told))
  `ASSERT(Full_A, !accept || t_kind != K_COMP || !good || own_full == |(used & over))
  `ASSERT(Brim_A, !out_valid || own_brim == &(used | over | 24'd1))
  // None waits beside a ring that is full, so none is left behind by one that overruns.
  `ASSERT(OverTold_A, !(accept && do_over) || !c.wait_)
  `ASSERT(Push_A, !out_valid || be_push == (do_write || ev_comp || ev_err || t_kind == K_ACC))
  `ASSERT(OneBeat_A, !dbr_i.valid || rd_rsp_i.last)

endmodule

`default_nettype wire
