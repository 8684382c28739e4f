// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Completion queues: writes CQEs to the rings of the host, keeps the contexts, arms CQs and sends completion events.
// lint: DW=128
// lint: DW=256
// lint: DW=512
// About 14 cycles from request to the CQE's write request; one CQE a cycle on hits (four cycles each with DW = 64).
//
//   replay > set error > timer > access > arm > completions -> ohca_ctx -> commit -> back end -> write, then event
//             ^                                                     |
//             +------ parked: ring looks full, its doorbell record is read again
//
// A completion that finds the ring full by the consumer index last seen is parked with a read of the doorbell record,
// and comes back with what that says; later ones of the same CQ are parked behind it, so their order stays and no other
// CQ waits. If the ring is still full, the CQ is in error: this and every later CQE is dropped, and its QP told to the
// acknowledge engine (ohca_cq_fail). An event leaves after its CQE's write has been accepted.
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
  parameter int unsigned InFlight = 16        // completions between look-up and commit, parked ones included, power of two
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
  input  logic [63:0]                         arm_i,        // {uar 8, cqn 24, solicited 1, seen 7, ci 24}

  input  logic                                acc_valid_i,
  output logic                                acc_ready_o,
  input  ohca_fmt_pkg::ctx_acc_t              acc_i,
  output logic                                acc_rsp_valid_o,
  output logic [31:0]                         acc_rdata_o,
  output logic                                acc_err_o,

  output logic                                ev_valid_o,
  input  logic                                ev_ready_i,
  output ohca_fmt_pkg::ev_req_t               ev_o,

  output logic                                qerr_valid_o, // a completion of this QP could not be written
  input  logic                                qerr_ready_i,
  output logic [23:0]                         qerr_qpn_o,

  // context: icm 3, dma_rd 3, dma_wr 3
  output logic                                icm_valid_o,
  input  logic                                icm_ready_i,
  output logic [39:0]                         icm_addr_o,
  input  logic                                icm_rsp_valid_i,
  input  logic                                icm_rsp_ok_i,
  input  logic [63:0]                         icm_rsp_addr_i,
  output logic                                ctx_rd_valid_o,
  input  logic                                ctx_rd_ready_i,
  output ohca_fmt_pkg::dma_rd_req_t           ctx_rd_o,
  input  logic                                ctx_rd_rsp_valid_i,
  output logic                                ctx_wr_valid_o,
  input  logic                                ctx_wr_ready_i,
  output ohca_fmt_pkg::dma_wr_req_t           ctx_wr_o,
  output logic                                ctx_wr_dat_valid_o,
  input  logic                                ctx_wr_dat_ready_i,
  output logic [DW-1:0]                       ctx_wr_dat_o,
  output logic                                ctx_wr_dat_last_o,

  // doorbell record: dma_rd 11
  output logic                                dbr_valid_o,
  input  logic                                dbr_ready_i,
  output ohca_fmt_pkg::dma_rd_req_t           dbr_o,
  input  logic                                dbr_rsp_valid_i,

  // the response bus of ohca_dma_rd
  input  logic [7:0]                          rd_rsp_tag_i,
  input  logic [DW-1:0]                       rd_rsp_data_i,
  input  logic                                rd_rsp_last_i,
  input  logic                                rd_rsp_err_i,

  // ring: tpt 5, dma_wr 5
  output logic                                tpt_valid_o,
  input  logic                                tpt_ready_i,
  output ohca_fmt_pkg::tpt_req_t              tpt_o,
  input  logic                                tpt_rsp_valid_i,
  input  ohca_fmt_pkg::tpt_rsp_t              tpt_rsp_i,
  output logic                                wr_valid_o,
  input  logic                                wr_ready_i,
  output ohca_fmt_pkg::dma_wr_req_t           wr_o,
  output logic                                wr_dat_valid_o,
  input  logic                                wr_dat_ready_i,
  output logic [DW-1:0]                       wr_dat_o,
  output logic                                wr_dat_last_o,
  input  logic [31:0]                         wr_issued_i,  // of ohca_dma_wr, all clients
  input  logic [31:0]                         wr_acked_i
);

  localparam int unsigned ReqW  = ohca_fmt_pkg::CQ_REQ_BITS;
  localparam int unsigned SlotW = $clog2(InFlight);
  localparam int unsigned BeDepth = 16;       // back end

  if ((1 << SlotW) != InFlight || InFlight < 2) begin : g_bad_inflight
    $error("ohca_cq: InFlight must be a power of two, at least 2");
  end

  // ================================================================ look-up
  // Token: {kind, replay, its slot, ci valid, ci of a replay or a new ring, body}; body is a cq_req, or an arm, or an
  // access, in its low bits. An arm has the first index that the host did not see in place of ci. K_ERR with ci valid
  // is the timer's, of the generation in body.
  localparam logic [1:0] K_COMP = 2'd0, K_ARM = 2'd1, K_ACC = 2'd2, K_ERR = 2'd3;
  localparam int unsigned TokW = 2 + 1 + SlotW + 1 + 24 + ReqW;

  logic            req_valid, req_take;
  logic [ReqW-1:0] req_raw;
  ohca_fmt_pkg::cq_req_t req;
  // verilator lint_off PINCONNECTEMPTY
  ohca_arb_rr #(.N(2), .Width(ReqW)) u_arb (
    .clk_i, .rst_i,
    .valid_i(cq_valid_i), .ready_o(cq_ready_o), .data_i(cq_i), .last_i('0),
    .valid_o(req_valid), .ready_i(req_take), .data_o(req_raw), .last_o(), .sel_o(), .gnt_o()
  );
  // verilator lint_on PINCONNECTEMPTY
  assign req = req_raw;

  logic            park_valid, res_valid, rep_go, seterr_q, seterr_go, tmr_go, acc_go, arm_go, req_go, acc_busy_q, lk_valid, lk_ready, lk_inval;
  logic [ReqW-1:0] park_raw;
  logic [SlotW-1:0] park_slot, t_slot;
  logic            tmr_valid;
  logic [7:0]      tmr_gen;
  logic [23:0]     tmr_cqn, arm_end;
  logic [23:0]     res_ci, lk_id, seterr_cqn_q;
  logic            res_ok;
  ohca_fmt_pkg::cq_req_t park;
  logic [TokW-1:0] lk_token;
  logic [SlotW:0]  flight_q;                  // completions that entered and are not committed for good
  assign park = park_raw;

  logic want_rep, want_acc, want_req, arm_last_q;   // arms and completions take turns
  assign want_rep  = park_valid && res_valid;
  // A write of dword 0 is a fence: behind all that came before it. So is a new ring, but for what waits at the door,
  // which goes there.
  logic acc_fence, acc_pass;
  assign acc_fence = acc_i.dw == 5'd0 && acc_i.wmask != 32'd0;
  ohca_cq_pass u_pass (
    .clk_i, .rst_i, .fence_i(acc_valid_i && !acc_busy_q && acc_fence), .taken_i(acc_go), .go_o(acc_pass), .valid_i(cq_valid_i), .ready_i(cq_ready_o)
  );
  assign want_acc  = acc_valid_i && !acc_busy_q && (!acc_fence || acc_pass);
  assign want_req  = req_valid && !flight_q[SlotW];
  assign rep_go    = lk_ready && want_rep;
  assign seterr_go = lk_ready && !want_rep && seterr_q;
  // goes before accesses, arms and completions; none of it comes more often than these
  logic want_ctl;
  assign want_ctl  = want_rep || seterr_q || tmr_valid;
  assign tmr_go    = lk_ready && !want_rep && !seterr_q && tmr_valid;
  assign acc_go    = lk_ready && !want_ctl && want_acc;
  assign arm_go    = lk_ready && !want_ctl && !want_acc && arm_valid_i && !(want_req && arm_last_q);
  assign req_go    = lk_ready && !want_ctl && !want_acc && want_req && !(arm_valid_i && !arm_last_q);
  assign arm_end   = arm_i[23:0] + {17'd0, arm_i[30:24]};
  assign acc_ready_o = acc_go;
  assign arm_ready_o = arm_go;
  assign req_take    = req_go;

  always_comb begin
    lk_valid = want_ctl || want_acc || arm_valid_i || want_req;
    lk_inval = 1'b0;
    if (want_rep) begin
      lk_id    = park.cqn;
      lk_token = {K_COMP, 1'b1, park_slot, res_ok, res_ci, park_raw};
    end else if (seterr_q) begin
      lk_id    = seterr_cqn_q;
      lk_token = {K_ERR, (26 + SlotW)'(0), {ReqW{1'b0}}};
    end else if (tmr_valid) begin
      lk_id    = tmr_cqn;
      lk_token = {K_ERR, (1 + SlotW)'(0), 1'b1, 24'd0, {(ReqW - 8){1'b0}}, tmr_gen};
    end else if (want_acc) begin
      lk_id    = acc_i.num;
      lk_inval = acc_i.inval;
      lk_token = {K_ACC, (1 + SlotW)'(0), 1'b1, acc_i.wdata[23:0], {(ReqW - 69){1'b0}}, acc_i.dw, acc_i.wdata, acc_i.wmask};
    end else if (arm_valid_i && !(want_req && arm_last_q)) begin
      lk_id    = arm_i[55:32];
      lk_token = {K_ARM, (2 + SlotW)'(0), arm_end, {(ReqW - 64){1'b0}}, arm_i};
    end else begin
      lk_id    = req.cqn;
      lk_token = {K_COMP, (26 + SlotW)'(0), req_raw};
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) arm_last_q <= 1'b0;
    else if (arm_go || req_go) arm_last_q <= arm_go;
  end

  // The choice may change while this is full; what is in it does not.
  localparam int unsigned LkW = 24 + 1 + TokW;
  logic            cl_valid, cl_ready, cl_inval;
  logic [23:0]     cl_id;
  logic [TokW-1:0] cl_token;
  // verilator lint_off PINCONNECTEMPTY
  ohca_fifo #(.Width(LkW), .Depth(2)) u_lk (
    .clk_i, .rst_i,
    .valid_i(lk_valid), .ready_o(lk_ready), .data_i({lk_id, lk_inval, lk_token}),
    .valid_o(cl_valid), .ready_i(cl_ready), .data_o({cl_id, cl_inval, cl_token}), .count_o(), .almost_full_o()
  );
  // verilator lint_on PINCONNECTEMPTY

  logic              out_valid, out_ready, accept, out_err, out_inval, out_we, ctx_idle;
  logic [23:0]       out_id;
  logic [TokW-1:0]   out_token;
  logic [511:0]      out_line, out_wline;
  logic [4:0]        x_dw;
  logic [31:0]       x_wdata, x_wmask, x_old;
  logic              x_err;
  ohca_ctx #(
    .DW(DW), .LineBytes(64), .Sets(Sets), .Ways(Ways), .TokenW(TokW), .Stride(64), .Offset(0),
    .Fills(CtxFills), .Depth(CtxDepth), .Evicts(CtxEvicts), .KeepBits(320), .Pass(1'b1)   // the rest is reserved
  ) u_ctx (
    .clk_i, .rst_i, .idle_o(ctx_idle), .base_i, .limit_i,
    .lk_valid_i(cl_valid), .lk_ready_o(cl_ready), .lk_id_i(cl_id), .lk_token_i(cl_token), .lk_inval_i(cl_inval), .lk_hint_i(1'b0), .rd_hint_o(),
    .nx_valid_o(), .nx_token_o(), .out_valid_o(out_valid), .out_ready_i(out_ready), .out_id_o(out_id), .out_token_o(out_token), .out_line_o(out_line),
    .out_err_o(out_err), .out_inval_o(out_inval), .out_we_i(out_we), .out_wline_i(out_wline),
    .out_word_i(5'd0), .out_word_data_i(32'd0), .out_word_mask_i(32'd0), .out_edit_i(1'b0), .out_edit_done_o(), .out_word_o(),
    .icm_valid_o, .icm_ready_i, .icm_addr_o, .icm_rsp_valid_i, .icm_rsp_ok_i, .icm_rsp_addr_i,
    .rd_valid_o(ctx_rd_valid_o), .rd_ready_i(ctx_rd_ready_i), .rd_o(ctx_rd_o),
    .rd_rsp_valid_i(ctx_rd_rsp_valid_i), .rd_rsp_data_i, .rd_rsp_last_i, .rd_rsp_err_i,
    .wr_valid_o(ctx_wr_valid_o), .wr_ready_i(ctx_wr_ready_i), .wr_o(ctx_wr_o),
    .wr_dat_valid_o(ctx_wr_dat_valid_o), .wr_dat_ready_i(ctx_wr_dat_ready_i), .wr_dat_o(ctx_wr_dat_o),
    .wr_dat_last_o(ctx_wr_dat_last_o), .wr_issued_i, .wr_acked_i
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
  logic [23:0] size, used, rec_used, used_now, ci_now;
  logic [23:0] over;                           // the bits that are set in so many entries as a ring has, or more
  logic        good, full, sol, newer;
  assign size     = 24'd1 << ((c.log_size > 5'd21) ? 5'd21 : c.log_size);
  assign over     = 24'hffffff << ((c.log_size > 5'd21) ? 5'd21 : c.log_size);
  assign used     = c.pi - c.ci;
  assign rec_used = c.pi - t_ci;
  // A consumer index that is not between the last one and the producer index is nonsense and changes nothing.
  assign newer    = t_ci_ok && rec_used <= used;
  assign used_now = newer ? rec_used : used;
  assign ci_now   = c.pi - used_now;
  assign full     = newer ? |(rec_used & over) : |(used & over);
  logic        brim;                           // with one more it holds as many entries as software may have in it
  assign brim     = newer ? &(rec_used | over | 24'd1) : &(used | over | 24'd1);
  assign good     = !out_err && c.valid;
  assign sol      = t_req.solicited || t_req.status != ohca_fmt_pkg::WC_STATUS_SUCCESS;

  // --- what else is parked of this CQ. Slots are given back in any order, as replays of different CQs may pass each other.
  logic [InFlight-1:0]       cam_valid_q;
  logic [InFlight-1:0][23:0] cam_q;
  logic [SlotW-1:0]          cam_free;
  logic [InFlight-1:0]       parked;
  logic                      behind;
  assign behind = parked != '0;
  always_comb begin
    cam_free = '0;
    for (int unsigned i = 0; i < InFlight; i++) parked[i] = cam_valid_q[i] && cam_q[i] == out_id;
    for (int unsigned i = InFlight; i > 0; i--) if (!cam_valid_q[i-1]) cam_free = SlotW'(i - 1);
  end

  logic is_comp, live, do_park, do_write, do_over, do_drop;
  assign is_comp  = t_kind == K_COMP;
  assign live     = is_comp && good && !c.err;
  assign do_park  = live && !t_replay && (full || behind);
  assign do_over  = live && t_replay && full;
  assign do_write = live && !do_park && !do_over;
  assign do_drop  = is_comp && !live;

  // --- arm
  logic [7:0]  a_uar;
  logic        a_sol, a_good, a_fire;
  logic [23:0] a_ci, a_used, unseen, sol_age;
  logic        a_in, a_fire_in, a_fire_out, a_now;
  assign {a_uar, a_sol, a_ci} = {t_body[63:56], t_body[31], t_body[23:0]};   // the index with what it has seen is t_ci
  assign a_good  = good && c.uar == a_uar;
  assign a_used  = c.pi - a_ci;
  assign a_in    = a_used <= used;
  assign sol_age = c.pi - c.sol_pi;            // 0: the last CQE was a solicited one
  // Entries that the host did not see when it armed: those of a_used beyond a_seen, negative where it claims more than
  // there are. With a_in a ring's at most.
  assign unseen     = c.pi - t_ci;
  assign a_fire_in  = !unseen[23] && (a_sol ? (c.sol_any && sol_age < unseen) : unseen != 24'd0);
  assign a_fire_out = a_sol ? (c.sol_any && sol_age < used) : used != 24'd0;
  assign a_fire  = t_kind == K_ARM && a_good && !c.told && (a_in ? a_fire_in : a_fire_out);
  assign a_now   = !a_in || |(a_used & over) || &(a_used | over);      // nothing may come, or the index cannot be

  // --- moderation: sent or begins to wait
  logic tmr_room, mod_on, bad, hit, hit_now, due, begin_comp, begin_arm, t_fire, x_mod;
  logic [23:0] last;
  assign mod_on     = c.mod && tmr_room;
  assign bad        = t_req.status != ohca_fmt_pkg::WC_STATUS_SUCCESS;
  assign hit        = c.armed || (c.armed_sol && sol);                     // uses up the arm
  assign due        = c.wait_ && (c.pi == c.last || bad || brim);
  assign hit_now    = hit && (bad || (!c.wait_ && (!mod_on || brim)));
  assign begin_comp = do_write && hit && !bad && mod_on && !c.wait_ && !brim;
  assign begin_arm  = a_fire && mod_on && !a_now;                          // told keeps it away while one waits
  assign t_fire     = t_kind == K_ERR && good && c.wait_ && (!t_ci_ok || c.gen == t_body[7:0]);
  assign last       = (is_comp ? c.pi : t_ci) + {8'd0, c.more};

  // --- access; those from dword 16 on are for a new ring, whose address waits here for the rest
  ohca_fmt_pkg::acc_cq_ring_t x_ring;
  logic [63:0] ring_q;
  logic [23:0] x_over;
  logic        x_write, x_wait, x_swap;
  assign {x_dw, x_wdata, x_wmask} = t_body[68:0];
  assign x_ring  = x_wdata;
  assign x_over  = 24'hffffff << x_ring.log_size;
  assign x_write = x_wmask != 32'd0;
  assign x_wait  = x_write && (x_dw == ohca_fmt_pkg::ACC_CQ_BUF || x_dw == ohca_fmt_pkg::ACC_CQ_BUF_HI);
  assign x_swap  = x_write && x_dw == ohca_fmt_pkg::ACC_CQ_RING && good && !c.err && !(newer ? |(rec_used & x_over) : |(used & x_over));
  assign x_mod   = x_write && x_dw == ohca_fmt_pkg::ACC_CQ_MOD && good;
  assign x_err   = out_err || (x_dw[4] && !x_wait && !x_swap && !x_mod);
  assign x_old   = out_line[{x_dw[3:0], 5'd0} +: 32];
  always_ff @(posedge clk_i) begin
    if (accept && t_kind == K_ACC && x_wait && x_dw[0])  ring_q[31:0]  <= x_wdata;
    if (accept && t_kind == K_ACC && x_wait && !x_dw[0]) ring_q[63:32] <= x_wdata;
  end

  logic ev_comp, ev_err;
  assign ev_comp = (do_write && (hit_now || due)) || (a_fire && (!mod_on || a_now)) || t_fire ||
                   (t_kind == K_ACC && (x_mod || x_swap) && c.wait_);
  assign ev_err  = do_over;

  always_comb begin
    n         = c;
    out_we    = 1'b0;
    out_wline = n;
    unique case (t_kind)
      K_COMP: begin
        if (do_write) begin
          n.pi = c.pi + 24'd1;
          n.ci = ci_now;
          if (sol) begin
            n.sol_pi  = c.pi + 24'd1;
            n.sol_any = 1'b1;
          end else if (|(sol_age & over)) begin
            n.sol_any = 1'b0;                 // out of the ring; its number would come round again
          end
          n.told  = hit || c.wait_;
          n.wait_ = begin_comp || (c.wait_ && !hit_now && !due);
          if (hit) begin
            n.armed     = 1'b0;
            n.armed_sol = 1'b0;
          end
          if (begin_comp) begin
            n.last = last;
            n.gen  = c.gen + 8'd1;
          end
        end
        if (do_over) n.err = 1'b1;
        out_we    = do_write || do_over;
        out_wline = n;
      end
      K_ARM: begin
        if (a_in) n.ci = a_ci;
        n.told      = c.told || a_fire;
        n.armed     = !a_fire && (c.armed || !a_sol);
        n.armed_sol = !a_fire && (c.armed_sol || a_sol);
        if (begin_arm) begin
          n.wait_ = 1'b1;
          n.last  = last;
          n.gen   = c.gen + 8'd1;
        end
        out_we    = a_good;
        out_wline = n;
      end
      K_ACC: begin
        out_wline = out_line;
        for (int unsigned i = 0; i < 16; i++) if (x_dw[3:0] == 4'(i)) out_wline[32*i +: 32] = (x_old & ~x_wmask) | (x_wdata & x_wmask);
        if (x_dw[4] && x_dw[3]) begin
          n.mod      = x_wdata[15:0] != 16'd0;
          n.more     = x_wdata[15:0];
          n.period   = x_wdata[31:16];
          n.wait_    = 1'b0;
          out_wline  = n;
        end else if (x_dw[4]) begin
          n.buf_     = ring_q[31:0];
          n.buf_hi   = ring_q[63:32];
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
        n.wait_   = 1'b0;
        if (!t_ci_ok) n.err = 1'b1;
        out_we    = t_ci_ok ? t_fire : good;
        out_wline = n;
      end
    endcase
  end

  // --- the timer of what begins to wait; an arm can be for as many entries as an event waits for: then at once
  logic        tr1_q, tr2_q, soon_q, tmr_idle;
  logic [7:0]  tr1_gen_q, tr2_gen_q;
  logic [15:0] tr1_period_q, tr2_period_q;
  logic [23:0] tr1_cqn_q, tr2_cqn_q, tr1_pi_q, tr1_last_q, to_last;
  assign to_last = tr1_last_q - tr1_pi_q;
  always_ff @(posedge clk_i) begin
    tr1_q        <= !rst_i && accept && (begin_comp || begin_arm);
    tr1_cqn_q    <= out_id;
    tr1_gen_q    <= c.gen + 8'd1;
    tr1_period_q <= c.period;
    tr1_pi_q     <= c.pi;
    tr1_last_q   <= last;
    tr2_q        <= !rst_i && tr1_q;
    tr2_cqn_q    <= tr1_cqn_q;
    tr2_gen_q    <= tr1_gen_q;
    tr2_period_q <= tr1_period_q;
    soon_q       <= to_last[23];
  end
  ohca_cq_timer u_timer (
    .clk_i, .rst_i, .idle_o(tmr_idle), .now_i(now_i[31:0]), .cycles_per_us_i,
    .req_valid_i(tr2_q), .req_room_o(tmr_room), .req_soon_i(soon_q), .req_cqn_i(tr2_cqn_q), .req_gen_i(tr2_gen_q), .req_period_i(tr2_period_q),
    .job_valid_o(tmr_valid), .job_ready_i(tmr_go), .job_cqn_o(tmr_cqn), .job_gen_o(tmr_gen), .any_o(tmr_any_o), .next_o(tmr_next_o)
  );

  // --- where it goes: back end, park, or nowhere; all wait for room in the back end, as who needs it is known late
  logic be_ready, be_push;
  // do_write || ev_comp || ev_err || t_kind == K_ACC, with what is late in it once
  assign be_push   = (live && (t_replay || !(full || behind))) || (a_fire && (!mod_on || a_now)) || t_fire || t_kind == K_ACC;
  assign out_ready = be_ready && !lost_pop;
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
  // In order: look-up number and request in u_park, the answer of the doorbell record in u_res.
  logic        rd_fifo_ready, park_ready, res_ready;
  logic [63:3] rd_addr;
  logic [DW-1:0] rsp_sh;
  // verilator lint_off PINCONNECTEMPTY
  ohca_fifo #(.Width(SlotW + ReqW), .Depth(InFlight)) u_park (
    .clk_i, .rst_i,
    .valid_i(accept && do_park), .ready_o(park_ready), .data_i({cam_free, t_body}),
    .valid_o(park_valid), .ready_i(rep_go), .data_o({park_slot, park_raw}), .count_o(), .almost_full_o()
  );
  ohca_fifo #(.Width(61), .Depth(InFlight)) u_dbr (
    .clk_i, .rst_i,
    .valid_i(accept && do_park), .ready_o(rd_fifo_ready), .data_i({c.dbr_hi, c.dbr[31:3]}),
    .valid_o(dbr_valid_o), .ready_i(dbr_ready_i), .data_o(rd_addr), .count_o(), .almost_full_o()
  );
  ohca_fifo #(.Width(25), .Depth(InFlight)) u_res (
    .clk_i, .rst_i,
    .valid_i(dbr_rsp_valid_i), .ready_o(res_ready), .data_i({!rd_rsp_err_i, rsp_sh[23:0]}),
    .valid_o(res_valid), .ready_i(rep_go), .data_o({res_ok, res_ci}), .count_o(), .almost_full_o()
  );
  // verilator lint_on PINCONNECTEMPTY
  assign dbr_o = {rd_addr, 3'd0, 13'd8, {5'd0, rd_addr[5:3]}};
  if (DW == 64) begin : g_sh64
    assign rsp_sh = rd_rsp_data_i;
  end else begin : g_sh
    assign rsp_sh = rd_rsp_data_i >> {rd_rsp_tag_i[$clog2(DW/64)-1:0], 6'd0};
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      cam_valid_q <= '0;
      flight_q    <= '0;
    end else begin
      if (accept && do_park) cam_valid_q[cam_free] <= 1'b1;
      if (accept && is_comp && t_replay) cam_valid_q[t_slot] <= 1'b0;
      flight_q <= flight_q + {{SlotW{1'b0}}, req_go} - {{SlotW{1'b0}}, accept && is_comp && !do_park};
    end
    for (int unsigned i = 0; i < InFlight; i++) if (accept && do_park && cam_free == SlotW'(i)) cam_q[i] <= out_id;
  end

  // ================================================================ back end
  // In order: {what, cqn, eqn, ring address or dword of an access, CQE}.
  localparam int unsigned BeW = 7 + 24 + 8 + 64 + 256;
  logic         lost_pop;
  logic         b_valid, b_pop, b_write, b_mtt, b_comp, b_over, b_acc, b_fence, b_xerr;
  logic [23:0]  b_cqn;
  logic [7:0]   b_eqn;
  logic [63:0]  b_addr, ring_addr;
  logic [255:0] b_cqe;
  assign ring_addr = {c.buf_hi, c.buf_[31:5], 5'd0} + {35'd0, c.pi & (size - 24'd1), 5'd0};
  // verilator lint_off PINCONNECTEMPTY
  ohca_fifo #(.Width(BeW), .Depth(BeDepth)) u_be (
    .clk_i, .rst_i,
    .valid_i(out_valid && be_push && !lost_pop), .ready_o(be_ready),
    .data_i({do_write, do_write && c.buf_mtt, ev_comp, ev_err, t_kind == K_ACC, x_write && (x_dw == 5'd0 || x_dw == ohca_fmt_pkg::ACC_CQ_RING), x_err,
             out_id, c.eqn, ring_addr, (t_kind == K_ACC) ? {224'd0, x_old} : cqe}),
    .valid_o(b_valid), .ready_i(b_pop),
    .data_o({b_write, b_mtt, b_comp, b_over, b_acc, b_fence, b_xerr, b_cqn, b_eqn, b_addr, b_cqe}), .count_o(), .almost_full_o()
  );

  // Translations run ahead: at most one for each entry of the back end.
  logic        tq_ready, ts_ready, ts_valid, ts_ok, ts_pop;
  logic [63:0] tq_va, ts_addr;
  logic [7:0]  ts_verr;
  ohca_fifo #(.Width(64), .Depth(BeDepth)) u_tq (
    .clk_i, .rst_i,
    .valid_i(accept && do_write && c.buf_mtt), .ready_o(tq_ready), .data_i(ring_addr),
    .valid_o(tpt_valid_o), .ready_i(tpt_ready_i), .data_o(tq_va), .count_o(), .almost_full_o()
  );
  ohca_fifo #(.Width(73), .Depth(BeDepth)) u_ts (
    .clk_i, .rst_i,
    .valid_i(tpt_rsp_valid_i), .ready_o(ts_ready), .data_i({tpt_rsp_i.ok, tpt_rsp_i.verr, tpt_rsp_i.addr}),
    .valid_o(ts_valid), .ready_i(ts_pop), .data_o({ts_ok, ts_verr, ts_addr}), .count_o(), .almost_full_o()
  );
  // verilator lint_on PINCONNECTEMPTY
  assign tpt_o = {1'b1, 4'd0, 24'd0, 32'd0, tq_va, 32'd32, 8'd0};

  // --- the write
  localparam int unsigned Beats = (DW >= 256) ? 1 : 256 / DW;
  localparam int unsigned BeatW = (Beats > 1) ? $clog2(Beats) : 1;
  logic             known, put, lost, req_done_q, dat_done_q, req_ok, dat_ok, dat_last;
  logic [BeatW-1:0] beat_q;
  assign known = !b_mtt || ts_valid;                              // address and fate of the CQE
  assign put   = b_write && known && (!b_mtt || ts_ok);
  // with known: no translation, the CQE cannot be written
  assign lost  = b_write && b_mtt && !ts_ok;
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
  logic eq_ready, b_event, b_both, both_q, acc_hold_q;
  assign b_event = b_comp || b_over || lost;
  assign b_both  = b_comp && lost && !both_q;
  assign b_pop   = b_valid && known && req_ok && dat_ok && (!b_event || eq_ready) && !b_both;
  always_ff @(posedge clk_i) both_q <= !rst_i && !b_pop && (both_q || (b_valid && known && eq_ready && b_both));
  assign ts_pop  = b_pop && b_mtt;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      req_done_q <= 1'b0;
      dat_done_q <= 1'b0;
      beat_q     <= '0;
    end else begin
      req_done_q <= !b_pop && (req_done_q || (wr_valid_o && wr_ready_i));
      dat_done_q <= !b_pop && (dat_done_q || (wr_dat_valid_o && wr_dat_ready_i && dat_last));
      if (wr_dat_valid_o && wr_dat_ready_i) beat_q <= dat_last ? '0 : beat_q + BeatW'(1);
    end
  end

  // --- events: completion events to the CQ's EQ, errors to EQ 0
  logic err_event;
  assign err_event = b_over || (lost && !both_q);
  // verilator lint_off PINCONNECTEMPTY
  ohca_fifo #(.Width(ohca_fmt_pkg::EV_REQ_BITS), .Depth(8)) u_ev (
    .clk_i, .rst_i,
    .valid_i((b_pop && b_event) || (b_valid && known && b_both)), .ready_o(eq_ready),
    .data_i({err_event ? 8'd0 : b_eqn, err_event ? ohca_fmt_pkg::EQE_TYPE_CQ_ERROR : ohca_fmt_pkg::EQE_TYPE_COMP, 8'd0, 8'd0,
             (lost && !both_q) ? ts_verr : b_over ? ohca_fmt_pkg::VENDOR_ERR_CQ_OVERFLOW : ohca_fmt_pkg::VENDOR_ERR_NONE, 8'd0, b_cqn, 32'd0}),
    .valid_o(ev_valid_o), .ready_i(ev_ready_i), .data_o(ev_o), .count_o(), .almost_full_o()
  );
  // verilator lint_on PINCONNECTEMPTY

  // --- whose completions are dropped, or cannot be written. The commit gives way to the back end.
  assign lost_pop = b_pop && lost;
  ohca_cq_fail #(.Depth(512)) u_fail (
    .clk_i, .rst_i, .valid_i(lost_pop || (accept && (do_drop || do_over))), .qpn_i(lost_pop ? b_cqe[23:0] : t_req.qpn),
    .flush_i((lost_pop ? b_cqe[55:48] : t_req.status) == ohca_fmt_pkg::WC_STATUS_WR_FLUSH),
    .qerr_valid_o, .qerr_ready_i, .qerr_qpn_o
  );

  // --- a CQE that could not be written puts its CQ in error; if one is being told already, the next loss does it
  always_ff @(posedge clk_i) begin
    if (rst_i) seterr_q <= 1'b0;
    else       seterr_q <= (seterr_q && !seterr_go) || (b_pop && lost);
    if (b_pop && lost && (!seterr_q || seterr_go)) seterr_cqn_q <= b_cqn;
  end

  // --- accesses: one at a time; the answer to one that is a fence waits until every CQE before it, parked ones included, is acknowledged
  logic                acc_new_q, acc_fence_q, acc_park_q, acc_drain_q, acc_pend, acc_mark;
  logic [InFlight-1:0] before_q;                // parked ones before it
  assign acc_mark = acc_park_q && before_q == '0;
  // a cycle late, as is the mark: what it is for was accepted at least a cycle before
  logic                enter_q, leave_q;
  always_ff @(posedge clk_i) begin
    enter_q <= !rst_i && accept && be_push;
    leave_q <= !rst_i && b_pop;
  end
  ohca_drain #(.Max(BeDepth + 1)) u_drain (
    .clk_i, .rst_i, .enter_i(enter_q), .leave_i(leave_q), .mark_i(acc_mark), .pending_o(acc_pend)
  );
  logic [31:0] acc_snap_q, acc_left;
  assign acc_left = wr_acked_i - acc_snap_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      acc_busy_q      <= 1'b0;
      acc_park_q      <= 1'b0;
      acc_drain_q     <= 1'b0;
      acc_new_q       <= 1'b0;
      acc_hold_q      <= 1'b0;
      acc_rsp_valid_o <= 1'b0;
    end else begin
      acc_park_q  <= (b_pop && b_acc && b_fence) || (acc_park_q && !acc_mark);
      acc_drain_q <= acc_mark || (acc_drain_q && acc_pend);
      acc_new_q   <= (b_pop && b_acc && !b_fence) || (acc_drain_q && !acc_pend);
      acc_hold_q <= acc_new_q || (acc_hold_q && acc_fence_q && acc_left[31]);
      acc_rsp_valid_o <= acc_hold_q && !(acc_fence_q && acc_left[31]);
      acc_busy_q <= acc_go || (acc_busy_q && !acc_rsp_valid_o);
    end
    if (b_pop && b_acc) begin
      acc_rdata_o <= b_cqe[31:0];
      acc_err_o   <= b_xerr;
      acc_fence_q <= b_fence;
    end
    if (acc_new_q) acc_snap_q <= wr_issued_i;
    if (accept && t_kind == K_ACC) before_q <= parked;
    else if (accept && is_comp && t_replay) before_q[t_slot] <= 1'b0;
  end

  logic [63:0] cnt;
  always_ff @(posedge clk_i) cnt_o <= rst_i ? '0 : cnt;
  always_comb begin
    cnt = '0;
    cnt[ohca_fmt_pkg::COUNTER_DB_BAD_PAGE] = accept && t_kind == K_ARM && !a_good;
    cnt[ohca_fmt_pkg::COUNTER_CQ_OVERFLOW] = accept && (do_drop || do_over);
  end
  assign idle_o = ctx_idle && !cl_valid && flight_q == '0 && !b_valid && !ev_valid_o && !qerr_valid_o && !seterr_q && !acc_busy_q && !(|cq_valid_i) && !arm_valid_i &&
                  !acc_valid_i && !tr1_q && tmr_idle;

  logic unused;
  assign unused = &{1'b0, out_inval, acc_i.part, t_req.cqn, req, park, tpt_rsp_i.tag, rd_rsp_tag_i, rsp_sh, rd_rsp_last_i, acc_left[30:0], now_i[63:48],
                    c.dbr[2:0], c.buf_[4:0], size[23:22], x_ring.ci, x_ring.rsvd0, to_last[22:0], res_ready, park_ready, rd_fifo_ready, tq_ready, ts_ready};

  `ASSERT(ParkRoom_A, !(accept && do_park) || (park_ready && rd_fifo_ready))
  `ASSERT(ResRoom_A, !dbr_rsp_valid_i || res_ready)
  `ASSERT(TptRoom_A, !(accept && do_write && c.buf_mtt) || tq_ready)
  `ASSERT(TptRspRoom_A, !tpt_rsp_valid_i || ts_ready)
  `ASSERT(ReplayParked_A, !(accept && is_comp && t_replay) || (cam_valid_q[t_slot] && cam_q[t_slot] == out_id))
  `ASSERT(SlotFree_A, !(accept && do_park) || !cam_valid_q[cam_free])
  // What waits has been told of and is in order: it needs no second event, and no arm makes one beside it.
  `ASSERT(WaitTold_A, !(accept && (do_write || t_kind == K_ARM) && good && c.wait_) || (c.told && c.mod))
  `ASSERT(BeginOne_A, !(accept && (begin_comp || begin_arm)) || (out_we && !c.wait_ && !ev_comp && n.wait_ && n.told))
  // None waits beside a ring that is full, so none is left behind by one that overruns.
  `ASSERT(OverTold_A, !(accept && do_over) || !c.wait_)
  `ASSERT(Push_A, !out_valid || be_push == (do_write || ev_comp || ev_err || t_kind == K_ACC))
  `ASSERT(OneBeat_A, !dbr_rsp_valid_i || rd_rsp_last_i)

endmodule

`default_nettype wire
