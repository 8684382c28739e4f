// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Responder of connected QPs, and receive side of datagram QPs: requests in; placed payload, acknowledgements, READ
// jobs, receive completions and events out. Two cycles a packet on context hits, about ten cycles of latency before a
// WRITE's placement request (with Compact eighteen a packet, one after the other, and 24).
//
//   lookup -> ctx -> commit --+--> W: is the receive WQE there? fetch it --> S: scatter --> R: result ---+
//      ^                      +--> (all three queues get their part of the token)                        |
//      +------- fix-ups: go to ERR, or back to where the failed packet was <-----------------------------+
//                                                                      ACK/NAK job, CQE, event, release <+
//
// The commit moves the context as if the packet's payload will be placed and its receive WQE exists; consecutive
// packets of one QP so overlap. When W, S or R finds otherwise the packet *poisons* its QP: later packets of that QP
// which are already past the commit die in the stage where the poison lies, and a fix-up token carries the context back
// (RNR, datagram without room) or to ERR. The fix-up sends a mark down the same queues; where the mark passes, the
// poison ends. Every packet past the lookup has a number (tid), which its poison keeps until its mark has come through:
// so there is always room for poison, and nothing here waits for anything but the host's memory and the completion
// unit.
//
// What the placement unit finds out comes back to R; packets of the QP that S has handed over meanwhile name the one
// before them, so that a refusal passes on inside the placement unit (chain, prev of pl_req). So nothing behind a
// refused packet is ever written.
//
// An access of the management core that takes a QP to RESET sends a fence down the queues and is answered when that has
// left R and the completions and events before it have left this engine; what R still finds of the QP until then is
// dropped.
//
// It does NOT keep a history of READs: a duplicate READ is checked anew and answered from memory; of the newest one it
// keeps the PSN, so that the acknowledgement of a duplicate does not reach past it. Atomics and invalidates are
// refused.

`include "ohca_assert.svh"
`default_nettype none

module ohca_rs #(
  parameter int unsigned DW       = 64,
  parameter int unsigned Sets     = 256,     // context cache
  parameter int unsigned Ways     = 1,
  parameter int unsigned CtxFills  = 8,     // misses, lookups and write-backs of it in flight, powers of two
  parameter int unsigned CtxDepth  = 32,
  parameter int unsigned CtxEvicts = 32,
  parameter bit          Compact   = 1'b0,   // contexts one after the other (ohca_ctx), packets coming in wait in
                                             // front, fewer doorbell records read at a time
  parameter bit          RoCE      = 1'b1,   // responses may need what only Ethernet paths have
  parameter int unsigned InFlight = 32,      // tokens past the lookup, power of two, at least 16
  parameter int unsigned JobDepth = 32,      // response jobs waiting for the response engine, power of two, at least
                                             // InFlight
  parameter int unsigned Flushing = 256,     // QPs whose receive queues can be flushed at a time, power of two, at
                                             // least 256
  parameter int unsigned NumPkeys = 32
) (
  input  logic                      clk_i,
  input  logic                      rst_i,
  output logic                      idle_o,
  output logic [63:0]               cnt_o,

  input  logic [39:0]               base_i,           // QP contexts in context memory
  input  logic [24:0]               limit_i,          // QP numbers that exist
  input  logic [2:0]                lmc_i,
  output logic [15:0]               pkey_idx_o,       // P_Key table, combinational
  input  logic [15:0]               pkey_i,
  input  logic [16*NumPkeys-1:0]    pkeys_i,          // all of it, entry n at 16 n

  input  logic                      rxd_valid_i,
  output logic                      rxd_ready_o,
  input  ohca_fmt_pkg::rxd_t        rxd_i,

  input  logic                      rq_db_valid_i,
  output logic                      rq_db_ready_o,
  input  logic [55:0]               rq_db_i,          // {uar 16, qpn 24, pi 16}

  input  logic                      acc_valid_i,
  output logic                      acc_ready_o,
  input  ohca_fmt_pkg::ctx_acc_t    acc_i,            // stays until its answer
  output ohca_fmt_pkg::acc_rsp_t    acc_rsp_o,

  input  ohca_fmt_pkg::qp_fault_t   rerr_i,           // data of a READ response could not be read (from ohca_txbuild)
  input  ohca_fmt_pkg::qp_fault_t   over_i,           // a READ beyond those that were agreed upon (from ohca_resp)

  input  ohca_fmt_pkg::qp_fault_t   lost_i,           // payload did not reach the host's memory (from ohca_wr_owner);
                                                      // its PSN is not looked at

  input  logic                      qerr_valid_i,     // the requester side of this QP went to ERR
  output logic                      qerr_ready_o,
  input  logic [23:0]               qerr_qpn_i,
  output logic                      qerr_valid_o,     // the responder side went to ERR
  input  logic                      qerr_ready_i,
  output logic [23:0]               qerr_qpn_o,

  output logic                      rjob_valid_o,
  input  logic                      rjob_ready_i,
  output ohca_fmt_pkg::rjob_t       rjob_o,
  input  logic                      rjob_moved_i,     // an answer, or a part of one, has left
  input  logic                      rd_few_i,         // READs find no place: they are refused
  output logic                      ce_valid_o,       // RoCEv2: a packet of a connected QP came marked; always taken
  output ohca_fmt_pkg::rjob_t       ce_o,             // whom to tell

  output logic                      pl_req_valid_o,
  input  logic                      pl_req_ready_i,
  output ohca_fmt_pkg::pl_req_t     pl_req_o,
  input  logic                      pl_rsp_valid_i,
  input  ohca_fmt_pkg::pl_rsp_t     pl_rsp_i,

  output logic                      cq_valid_o,
  input  logic                      cq_ready_i,
  output ohca_fmt_pkg::cq_req_t     cq_o,

  output logic                      ev_valid_o,
  input  logic                      ev_ready_i,
  output ohca_fmt_pkg::ev_req_t     ev_o,

  output logic                      rel_valid_o,      // always taken
  output logic [5:0]                rel_slot_o,

  output ohca_fmt_pkg::viol_note_t  viol_o,           // a packet was refused for its P_Key or Q_Key; always taken

  // Shared response of ohca_dma_rd; the three clients below have a valid each.
  input  logic [DW-1:0]             rd_rsp_data_i,
  input  ohca_fmt_pkg::hrd_beat_t   rd_rsp_i,

  output ohca_fmt_pkg::ctx_req_t    ctx_o,            // dma_rd, dma_wr and icm client 2
  input  ohca_fmt_pkg::ctx_rsp_t    ctx_i,
  output logic [DW-1:0]             ctx_dat_o,
  input  ohca_fmt_pkg::hwr_cnt_t    wr_cnt_i,

  output ohca_fmt_pkg::fetch_req_t  ring_o,           // tpt client 2, dma_rd client 8
  input  ohca_fmt_pkg::fetch_rsp_t  ring_i,

  output ohca_fmt_pkg::hrd_req_t    dbr_rd_o,         // client 10
  input  ohca_fmt_pkg::hrd_rsp_t    dbr_rd_i
);

  localparam int unsigned TidW    = $clog2(InFlight);
  localparam int unsigned JobW    = $clog2(JobDepth);
  localparam int unsigned PayW    = Compact ? 32 : 69;   // with Compact what an access is to do stays where it comes
                                                         // from
  localparam bit          Slow    = DW <= 64;   // a packet has at least four beats: queues that only decouple need no
                                                // more than half the rate
  localparam int unsigned Words   = 28;                  // of a context; the rest is reserved

  if ((1 << TidW) != InFlight || InFlight < 16 || InFlight > 64 || JobDepth < InFlight || Flushing < 256)
      begin : g_bad_size
    $error("ohca_rs: InFlight 16 to 64, JobDepth >= InFlight, Flushing >= 256");
  end

  // ================================================================================================ inputs
  logic                     pq_valid, pq_pop, iq_valid, iq_pop, iq_dg, fix_push, fix_room, fix_wait, fi_valid, fi_pop;
  logic [23:0]              iq_qpn, fi_qpn;
  logic [TidW-1:0]          iq_slot, fix_tid;
  ohca_fmt_pkg::rxd_t       p;
  ohca_fmt_pkg::rs_fix_t    fix_in, fix;
  logic [PayW-1:0]          cpay;                // what came with the context at the commit
  ohca_rs_wait #(.InFlight(InFlight), .Compact(Compact)) u_wait (
    .clk_i(clk_i), .rst_i(rst_i), .any_o(pq_valid), .rxd_valid_i(rxd_valid_i), .rxd_ready_o(rxd_ready_o), .rxd_i(rxd_i),
    .lk_valid_o(iq_valid), .lk_ready_i(iq_pop), .lk_qpn_o(iq_qpn), .lk_slot_o(iq_slot), .lk_dg_o(iq_dg),
    .slot_i(o_token[TidW-1:0]), .packet_o(p), .free_i(pq_pop)
  );
  ohca_rs_fix #(.TidW(TidW), .Compact(Compact)) u_fix (
    .clk_i(clk_i), .rst_i(rst_i), .put_i(fix_push), .room_o(fix_room), .qpn_i(rt.qpn), .tid_i(r_tid), .fix_i(fix_in),
    .lk_valid_o(fi_valid), .lk_ready_i(fi_pop), .lk_qpn_o(fi_qpn),
    .wait_o(fix_wait), .take_i(c_fire && ck == ohca_fmt_pkg::RS_KIND_FIX), .tid_o(fix_tid), .fix_o(fix)
  );

  // ================================================================================================ lookup
  logic                      lk_valid, lk_ready, lk_inval, lk_idle, lk_miss, rerr_out, qerr_room;
  logic [23:0]               lk_qpn;
  ohca_fmt_pkg::rs_kind_e    lk_kind;
  logic [PayW-1:0]           lk_pay;
  logic                      pkt_freed, x_freed, c_x_free;
  logic                      pi_valid, pi_pop;           // a producer index was read, for the context
  logic [40:0]               pi;
  // Accesses, doorbells and errors of the other side are seen a cycle after they came, as they stay until they are
  // taken: so whose turn it is comes from flops. None of them comes in every cycle.
  logic                      acc_q, db_q, qerr_q;
  always_ff @(posedge clk_i) begin
    acc_q  <= acc_valid_i && !acc_ready_o && !rst_i;
    db_q   <= rq_db_valid_i && !rq_db_ready_o && !rst_i;
    qerr_q <= qerr_valid_i && !qerr_ready_o && !rst_i;
  end
  ohca_rs_lookup #(.InFlight(InFlight), .JobDepth(JobDepth), .Flushing(Flushing), .Compact(Compact),
      .Slow(Slow)) u_lookup (
    .clk_i(clk_i), .rst_i(rst_i), .idle_o(lk_idle),
    .acc_valid_i(acc_q), .acc_ready_o(acc_ready_o), .acc_i(acc_i),
    .fix_valid_i(fi_valid), .fix_ready_o(fi_pop), .fix_qpn_i(fi_qpn),
    .pkt_valid_i(iq_valid), .pkt_ready_o(iq_pop), .pkt_qpn_i(iq_qpn), .pkt_dg_i(iq_dg), .pkt_slot_i(iq_slot),
    .pi_valid_i(pi_valid), .pi_ready_o(pi_pop), .pi_i(pi),
    .db_valid_i(db_q), .db_ready_o(rq_db_ready_o), .db_i(rq_db_i),
    .qerr_valid_i(qerr_q), .qerr_ready_o(qerr_ready_o), .qerr_qpn_i(qerr_qpn_i),
    .flush_valid_i(c_fire && flq_push), .flush_qpn_i(cid),
    .rerr_valid_i(rerr_i.valid), .rerr_i({rerr_i.qpn, rerr_i.psn}), .over_valid_i(over_i.valid),
    .over_i({over_i.qpn, over_i.psn}), .lost_valid_i(lost_i.valid), .lost_qpn_i(lost_i.qpn), .miss_o(lk_miss),
    .jobs_i(jobs), .moved_i(rjob_moved_i), .qerr_room_i(qerr_room),
    .end_i(c_fire), .end_kind_i(ck), .end_pkt_free_i(c_rel), .end_x_free_i(c_x_free),
    .pkt_free_i(pkt_freed), .x_free_i(x_freed), .rerr_out_o(rerr_out),
    .lk_valid_o(lk_valid), .lk_ready_i(lk_ready), .lk_inval_o(lk_inval), .lk_qpn_o(lk_qpn), .lk_kind_o(lk_kind),
    .lk_pay_o(lk_pay)
  );

  logic                     o_valid, o_ready, o_err, o_inval, o_we, ctx_idle;
  logic [23:0]              o_id;
  logic [PayW+2:0]          o_token;
  logic [ohca_fmt_pkg::RSC_BITS-1:0] o_line, o_wline;

  ohca_ctx #(
    .DW(DW), .LineBytes(ohca_fmt_pkg::RSC_BYTES), .Sets(Sets), .Ways(Ways), .TokenW(PayW + 3),
    .Stride(ohca_fmt_pkg::QPC_STRIDE), .Offset(ohca_fmt_pkg::QPC_RSC_OFFSET),
    .Fills(CtxFills), .Depth(CtxDepth), .Evicts(CtxEvicts), .KeepBits(32 * Words),
    .HotBytes(ohca_fmt_pkg::QPC_HOT_BYTES), .Pass(1'b1), .Same(1),
    .Small(Compact),
    .Words(32'h0000_ff03)                                        // only the management core writes the others
  ) u_ctx (
    .clk_i(clk_i), .rst_i(rst_i), .idle_o(ctx_idle), .base_i(base_i), .limit_i(limit_i),
    .lk_valid_i(lk_valid), .lk_ready_o(lk_ready), .lk_id_i(lk_qpn), .lk_set_i('0), .lk_token_i({lk_kind, lk_pay}),
    .lk_inval_i(lk_inval), .lk_block_i('0), .lk_hint_i(1'b0), .rd_hint_o(),
    .nx_valid_o(), .nx_token_o(), .out_valid_o(o_valid), .out_ready_i(o_ready), .out_id_o(o_id), .out_token_o(o_token),
    .out_line_o(o_line),
    .out_err_o(o_err), .out_inval_o(o_inval), .out_we_i(o_we), .out_wline_i(o_wline),
    .out_word_i(acc_dw), .out_word_data_i(acc_wdata), .out_word_mask_i(acc_mask),
    .out_edit_i(edit), .out_edit_done_o(ed_done), .out_word_o(ed_old),
    .icm_valid_o(ctx_o.icm_valid), .icm_ready_i(ctx_i.icm_ready), .icm_addr_o(ctx_o.icm_addr),
    .icm_rsp_valid_i(ctx_i.icm_rsp_valid), .icm_rsp_ok_i(ctx_i.icm_rsp_ok), .icm_rsp_addr_i(ctx_i.icm_rsp_addr),
    .rd_valid_o(ctx_o.rd_valid), .rd_ready_i(ctx_i.rd_ready), .rd_o(ctx_o.rd),
    .rd_rsp_valid_i(ctx_i.rd_rsp_valid), .rd_rsp_data_i(rd_rsp_data_i), .rd_rsp_last_i(rd_rsp_i.last),
    .rd_rsp_err_i(rd_rsp_i.err),
    .wr_valid_o(ctx_o.wr_valid), .wr_ready_i(ctx_i.wr_ready), .wr_o(ctx_o.wr),
    .wr_dat_valid_o(ctx_o.dat_valid), .wr_dat_ready_i(ctx_i.dat_ready), .wr_dat_o(ctx_dat_o),
    .wr_dat_last_o(ctx_o.dat_last),
    .wr_issued_i(wr_cnt_i.issued), .wr_acked_i(wr_cnt_i.acked)
  );

  // ================================================================================================ commit
  // Two cycles: take the context and compare (ohca_rs_hold, ohca_rs_look); decide (ohca_rs_decide) and write back.
  ohca_fmt_pkg::rsc_t       cx, n;
  ohca_fmt_pkg::rs_kind_e   ck;
  logic [23:0]              cid;
  logic                     c_act, c_idle, c_load, cerr, acc_chg, edit, ed_done;
  logic [31:0]              acc_wdata, acc_mask, acc_old, ed_old;
  logic [4:0]               acc_dw;
  ohca_fmt_pkg::qp_state_e  was;                       // the state before an access
  ohca_rs_hold #(.Compact(Compact)) u_hold (
    .clk_i(clk_i), .rst_i(rst_i),
    .in_valid_i(o_valid), .in_qpn_i(o_id), .in_err_i(o_err), .in_token_i(o_token), .in_i(o_line), .load_o(c_load),
    .acc_i(acc_i), .edit_o(edit), .edit_done_i(ed_done), .edit_old_i(ed_old),
    .idle_o(c_idle), .ready_o(c_act), .end_i(c_fire), .kind_o(ck), .pay_o(cpay), .qpn_o(cid), .err_o(cerr), .cx_o(cx),
    .was_o(was), .acc_dw_o(acc_dw), .acc_wdata_o(acc_wdata), .acc_mask_o(acc_mask), .acc_chg_o(acc_chg),
    .acc_old_o(acc_old)
  );

  // What there is to compare, in the cycle in which the context comes. The packet is there, too, until the commit.
  ohca_fmt_pkg::rs_look_t lk;
  logic                   gsi_any;
  logic [5:0]             gsi_first;
  ohca_rs_look #(.NumPkeys(NumPkeys)) u_look (
    .clk_i(clk_i), .load_i(c_load), .kind_i(ohca_fmt_pkg::rs_kind_e'(o_token[PayW+2:PayW])),
    .cx_i(1024'(o_line[32*Words-1:0])), .err_i(o_err), .p_i(p), .lmc_i(lmc_i),
    .pi_i(o_token[15:0]), .uar_i(o_token[31:16]), .pkey_idx_o(pkey_idx_o), .pkey_i(pkey_i), .pkeys_i(pkeys_i),
    .gsi_any_o(gsi_any), .gsi_first_o(gsi_first), .look_o(lk)
  );

  // ---- second cycle: decision
  logic                   c_fire, c_known, c_push, c_rel, c_chg, flq_push, dbr_ask, dbr_wait, job_room, dbr_room,
      dq_ready, wq_ready, sq_ready;
  logic                   r_rel, rel_q;          // rel_q: the slot of a packet that ended here is told after R's
  ohca_fmt_pkg::rs_wtok_t wt_in;
  ohca_fmt_pkg::rs_stok_t st_in;
  ohca_fmt_pkg::rs_rtok_t rt_in;
  ohca_fmt_pkg::rs_path_t rp_in;
  ohca_fmt_pkg::rx_viol_t viol;
  logic [63:0]            c_cnt;
  logic [TidW-1:0]        tid_free, c_tid;
  assign c_tid = ck == ohca_fmt_pkg::RS_KIND_FIX ? fix_tid : tid_free;
  // W waits for the host's memory and for S, never for the commit.
  ohca_rs_commit #(.Compact(Compact)) u_commit (
    .clk_i(clk_i), .rst_i(rst_i), .act_i(c_act), .pkt_i(ck == ohca_fmt_pkg::RS_KIND_PKT), .rel_busy_i(rel_q),
    .w_ready_i(wq_ready), .st_ready_i(sq_ready), .dbr_ready_i(dq_ready), .known_o(c_known), .fire_o(c_fire),
    .pay_i(cpay[25:0]), .qpn_i(cid), .err_i(cerr), .cx_i(cx), .was_i(was), .look_i(lk),
    .gsi_any_i(gsi_any), .gsi_first_i(gsi_first), .p_i(p), .fix_i(fix), .lmc_i(lmc_i), .job_room_i(job_room),
    .rd_few_i(rd_few_i), .dbr_room_i(dbr_room), .chg_o(c_chg), .next_o(n), .push_o(c_push), .wt_o(wt_in),
    .st_o(st_in), .rt_o(rt_in), .path_o(rp_in), .rel_o(c_rel), .x_free_o(c_x_free), .flush_o(flq_push),
    .dbr_ask_o(dbr_ask), .dbr_wait_o(dbr_wait), .cnt_o(c_cnt), .viol_o(viol)
  );

  assign o_ready = c_fire;
  // the cache has written what it edited
  assign o_we    = !cerr && (c_chg || (!Compact && ck == ohca_fmt_pkg::RS_KIND_ACC && acc_chg));
  assign o_wline = n;
  assign pq_pop  = c_fire && ck == ohca_fmt_pkg::RS_KIND_PKT;

  // One access is under way at a time; that of a reset ends at R.
  logic        fence_q, r_fence;                         // a fence is under way; it leaves
  logic [23:0] fence_qpn_q;                              // whose
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      fence_q         <= 1'b0;
      acc_rsp_o.valid <= 1'b0;
    end else begin
      fence_q         <= (c_fire && c_push && rt_in.fence) || (fence_q && !r_fence);
      acc_rsp_o.valid <= (c_fire && ck == ohca_fmt_pkg::RS_KIND_ACC && !rt_in.fence) || r_fence;
    end
    if (c_fire && ck == ohca_fmt_pkg::RS_KIND_ACC) begin
      fence_qpn_q     <= cid;
      acc_rsp_o.rdata <= acc_old;
      acc_rsp_o.err   <= cerr;
    end
  end

  // ================================================================================================ token queues,
  // numbers, poison
  ohca_fmt_pkg::rs_stok_t st, st_h, st_q;
  ohca_fmt_pkg::rs_rtok_t rt, rt_h, rt_q;                // _h: in front, _q: a cycle before
  logic                 st_valid, st_pop, rt_valid, rt_pop;
  logic [TidW-1:0]      w_tid, s_tid_h, s_tid, r_tid_h, r_tid_q, r_tid;   // whose turn; same: what was of its QP then
  logic [InFlight-1:0]  w_same, s_same, r_same;
  logic [InFlight-1:0]  same;
  logic                 tid_take, same_ok;
  logic                 jobs_any, r_job, jq_ready;
  logic [JobW+1:0]      jobs;
  ohca_fmt_pkg::rs_jres_t r_jres;
  ohca_rs_tokens #(.InFlight(InFlight), .JobDepth(JobDepth), .Compact(Compact), .RoCE(RoCE)) u_tokens (
    .clk_i(clk_i), .rst_i(rst_i),
    .ahead_i(c_act && ck != ohca_fmt_pkg::RS_KIND_ACC), .known_i(c_known && c_push), .drop_i(c_fire && !c_push),
    .push_valid_i(c_fire && c_push), .push_last_i(same_ok), .push_ready_o(sq_ready), .tid_i(c_tid),
    .same_i(same), .st_i(st_in), .rt_i(rt_in), .path_i(rp_in),
    .s_valid_o(st_valid), .s_pop_i(st_pop), .s_tid_o(s_tid_h), .s_same_o(s_same), .s_o(st_h),
    .r_valid_o(rt_valid), .r_pop_i(rt_pop), .r_hold_i(fix_wait || fi_valid), .r_tid_o(r_tid_h), .r_same_o(r_same),
    .r_o(rt_h), .r_job_i(r_job), .r_jres_i(r_jres), .job_ready_o(jq_ready),
    .rjob_valid_o(rjob_valid_o), .rjob_ready_i(rjob_ready_i), .rjob_o(rjob_o), .jobs_any_o(jobs_any), .jobs_o(jobs),
    .keep_one_i(rerr_out), .job_room_o(job_room)
  );

  // Which packets die because of another, see there.
  logic [23:0]     s_qpn;
  logic            prev_v, hit_w, hit_s, hit_r;
  logic [TidW-1:0] prev_tid;
  logic            w_fire, w_mark, w_poison, s_fire, s_poison, s_heads, r_fire, r_poison, r_tid_free;
  assign tid_take = c_fire && c_push && rt_in.poisons;
  ohca_rs_poison #(.InFlight(InFlight), .Compact(Compact)) u_poison (
    .clk_i(clk_i), .rst_i(rst_i),
    .look_i(Compact ? o_valid : c_idle), .look_qpn_i(o_id), .end_i(c_fire), .same_ok_o(same_ok), .same_o(same),
    .tid_o(tid_free), .turn_i(c_act && ck == ohca_fmt_pkg::RS_KIND_PKT), .qpn_i(cid), .take_i(tid_take),
    .w_tid_i(w_tid), .w_same_i(w_same), .w_hit_o(hit_w), .w_fire_i(w_fire), .w_mark_i(w_mark), .w_poison_i(w_poison),
    .s_tid_i(s_tid_h), .s_same_i(s_same), .s_tid_o(s_tid), .s_hit_o(hit_s), .s_qpn_o(s_qpn),
    .s_prev_v_o(prev_v), .s_prev_o(prev_tid), .s_fire_i(s_fire), .s_mark_i(st.mark), .s_poison_i(s_poison),
    .s_heads_i(s_heads),
    .r_tid_i(r_tid), .r_same_i(r_same), .r_hit_o(hit_r), .r_fire_i(r_fire), .r_poison_i(r_poison), .r_free_i(r_tid_free)
  );

  // ================================================================================================ W: receive WQE
  // Doorbell records: some reads a token waits for, others only refresh the context.
  logic        dbr_idle, vf_valid, vf_pop, vf_err;
  logic [15:0] vf_pi;
  ohca_rs_dbr #(.DW(DW), .InFlight(InFlight), .Compact(Compact)) u_dbr (
    .clk_i(clk_i), .rst_i(rst_i), .idle_o(dbr_idle),
    .ask_i(c_fire && dbr_ask), .wait_i(dbr_wait),
    .addr_i(cx.dbr), .qpn_i(cid), .ready_o(dq_ready), .bg_room_o(dbr_room),
    .rd_valid_o(dbr_rd_o.valid), .rd_ready_i(dbr_rd_i.ready), .rd_o(dbr_rd_o.req),
    .rd_rsp_valid_i(dbr_rd_i.valid), .rd_rsp_data_i(rd_rsp_data_i), .rd_rsp_last_i(rd_rsp_i.last),
    .rd_rsp_err_i(rd_rsp_i.err),
    .vf_valid_o(vf_valid), .vf_ready_i(vf_pop), .vf_err_o(vf_err), .vf_pi_o(vf_pi),
    .pi_valid_o(pi_valid), .pi_ready_i(pi_pop), .pi_err_o(pi[40]), .pi_qpn_o(pi[39:16]), .pi_o(pi[15:0])
  );

  logic                        rfi_valid, rfi_ready, wo_valid, word_valid, word_ready, rf_idle;
  ohca_fmt_pkg::rs_wout_t      wo;
  ohca_fmt_pkg::ring_req_t     rf;
  ohca_fmt_pkg::ring_word_t    word;

  ohca_rs_fetch #(.InFlight(InFlight), .Compact(Compact), .Slow(Slow), .IdW(TidW + InFlight)) u_fetch (
    .clk_i(clk_i), .rst_i(rst_i),
    .tok_valid_i(c_fire && c_push), .tok_ready_o(wq_ready), .tok_i(wt_in), .id_i({c_tid, same}),
    .dbr_valid_i(vf_valid), .dbr_ready_o(vf_pop), .dbr_err_i(vf_err), .dbr_pi_i(vf_pi),
    .id_o({w_tid, w_same}), .hit_i(hit_w), .fire_o(w_fire), .mark_o(w_mark), .poison_o(w_poison),
    .ring_valid_o(rfi_valid), .ring_ready_i(rfi_ready), .ring_o(rf),
    .out_valid_o(wo_valid), .out_ready_i(st_pop), .out_o(wo)
  );
  ohca_ring_fetch #(.DW(DW), .Depth(16), .BufBytes(4096), .Single(Compact)) u_ring (
    .clk_i(clk_i), .rst_i(rst_i), .idle_o(rf_idle),
    .req_valid_i(rfi_valid), .req_ready_o(rfi_ready), .req_i(rf),
    .word_valid_o(word_valid), .word_ready_i(word_ready), .word_o(word),
    .pass_i(1'b0), .pass_last_o(), .beat_o(),
    .tpt_valid_o(ring_o.tpt_valid), .tpt_ready_i(ring_i.tpt_ready), .tpt_o(ring_o.tpt),
    .tpt_rsp_valid_i(ring_i.tpt_rsp_valid), .tpt_rsp_i(ring_i.tpt_rsp),
    .rd_valid_o(ring_o.rd_valid), .rd_ready_i(ring_i.rd_ready), .rd_o(ring_o.rd),
    .rd_rsp_valid_i(ring_i.rd_rsp_valid), .rd_rsp_data_i(rd_rsp_data_i), .rd_rsp_last_i(rd_rsp_i.last),
    .rd_rsp_err_i(rd_rsp_i.err)
  );
  // ================================================================================================ S: scatter
  // A token is here from its second cycle on, taken from a register: by then it is known whether it dies of another,
  // and which it follows.
  ohca_fmt_pkg::rs_sout_t so, so_h, so_q;
  logic                   so_valid, so_seen_q, st_seen_q;
  always_ff @(posedge clk_i) begin
    st_seen_q <= !rst_i && st_valid && !st_pop;
    st_q      <= st_h;
  end
  assign st = Compact ? st_h : st_q;
  ohca_rs_scatter #(.InFlight(InFlight), .Compact(Compact), .Slow(Slow)) u_scatter (
    .clk_i(clk_i), .rst_i(rst_i),
    .tok_valid_i(st_valid && (Compact || st_seen_q)), .tok_i(st), .id_i(6'(s_tid)), .qpn_i(s_qpn),
    .wqe_valid_i(wo_valid), .wqe_i(wo),
    .hit_i(hit_s), .prev_v_i(prev_v), .prev_i(6'(prev_tid)), .fire_o(s_fire), .poison_o(s_poison), .heads_o(s_heads),
    .word_valid_i(word_valid), .word_ready_o(word_ready), .word_i(word),
    .pl_valid_o(pl_req_valid_o), .pl_ready_i(pl_req_ready_i), .pl_o(pl_req_o),
    .out_valid_o(so_valid), .out_ready_i(rt_pop), .out_o(so_h)
  );
  assign st_pop = s_fire;

  // ================================================================================================ R: result
  // Whether a token dies of another is looked at in its first cycle here: only what leaves R changes it. It is taken
  // from a register in its second. So is whether its QP is reset behind it: the fence of a reset comes after it. And so
  // is what S says of it, which comes last.
  logic r_rnr, r_lost, r_idle, hit_r_q, gone, gone_q;
  assign gone = fence_q && rt_h.qpn == fence_qpn_q;
  always_ff @(posedge clk_i) begin
    so_seen_q <= !rst_i && so_valid && !rt_pop;
    so_q      <= so_h;
    hit_r_q   <= hit_r;
    gone_q    <= gone;
    {r_tid_q, rt_q} <= {r_tid_h, rt_h};
  end
  assign {r_tid, rt} = Compact ? {r_tid_h, rt_h} : {r_tid_q, rt_q};
  assign so = Compact ? so_h : so_q;
  ohca_rs_result #(.InFlight(InFlight), .Compact(Compact), .Slow(Slow)) u_result (
    .clk_i(clk_i), .rst_i(rst_i), .idle_o(r_idle),
    .tok_valid_i(rt_valid), .tok_i(rt), .sc_valid_i(Compact ? so_valid : so_seen_q),
    .sc_i(so),
    .pl_rsp_valid_i(pl_rsp_valid_i), .pl_rsp_i(pl_rsp_i),
    .hit_i(Compact ? hit_r : hit_r_q), .gone_i(Compact ? gone : gone_q),
    .fire_o(r_fire), .poison_o(r_poison), .fix_ready_i(fix_room), .fix_o(fix_in),
    .job_o(r_job), .job_ready_i(jq_ready), .jres_o(r_jres), .rnr_o(r_rnr), .lost_o(r_lost),
    .cq_valid_o(cq_valid_o), .cq_ready_i(cq_ready_i), .cq_o(cq_o),
    .ev_valid_o(ev_valid_o), .ev_ready_i(ev_ready_i), .ev_o(ev_o),
    .qerr_valid_o(qerr_valid_o), .qerr_ready_i(qerr_ready_i), .qerr_qpn_o(qerr_qpn_o), .qerr_room_o(qerr_room)
  );
  assign rt_pop = r_fire;

  assign fix_push   = r_fire && r_poison;
  // The number is free again with the mark, or when the token ends without poison (a dead token's own poison is covered
  // by what killed it).
  assign r_tid_free = r_fire && (rt.mark || (rt.poisons && !r_poison));
  assign pkt_freed  = r_tid_free;
  assign x_freed    = r_fire && !rt.mark && !rt.poisons;
  assign r_rel      = r_fire && rt.rel;
  assign r_fence    = r_fire && rt.fence;

  // What is told to others leaves from flops: nobody needs it in the cycle.
  logic [63:0]            cnt;
  logic [5:0]             rel_slot_q;
  always_ff @(posedge clk_i) begin
    rel_q        <= !rst_i && ((c_fire && c_rel) || (rel_q && r_rel));
    if (!rel_q) rel_slot_q <= p.slot;
    rel_valid_o  <= !rst_i && (r_rel || rel_q);
    rel_slot_o   <= r_rel ? rt.slot : rel_slot_q;
    viol_o.valid <= !rst_i && c_fire && (c_cnt[ohca_fmt_pkg::COUNTER_RX_PKEY] || c_cnt[ohca_fmt_pkg::COUNTER_RX_QKEY]);
    if (c_act) viol_o.viol <= viol;
    cnt_o <= rst_i ? '0 : cnt;
  end

  logic ce_now;
  assign ce_now = c_fire && ck == ohca_fmt_pkg::RS_KIND_PKT && lk.conn && p.ce;
  if (Compact) begin : g_ce_now
    assign ce_valid_o = ce_now;
  end else begin : g_ce
    // The commit's copy of the context is still there.
    always_ff @(posedge clk_i) ce_valid_o <= !rst_i && ce_now;
  end
  always_comb begin
    ce_o            = '0;
    ce_o.kind       = ohca_fmt_pkg::RJK_CNP;
    ce_o.qpn        = cid;
    ce_o.migreq     = 1'b1;
    ce_o.pkey_index = cx.pkey_index;
    ce_o.dqpn       = cx.dqpn;
    ce_o.av         = cx.av;
  end

  always_comb begin
    cnt = c_fire ? c_cnt : 64'd0;
    if (r_fire && r_rnr)  cnt[ohca_fmt_pkg::COUNTER_RX_RNR] = 1'b1;
    if (r_fire && r_lost) cnt[ohca_fmt_pkg::COUNTER_RX_UD_DROP] = 1'b1;
    if (lk_miss)          cnt[ohca_fmt_pkg::COUNTER_RESP_FULL] = 1'b1;
  end

  assign idle_o = ctx_idle && rf_idle && !pq_valid && !fi_valid && !fix_wait && lk_idle && c_idle && !o_valid &&
                  !acc_rsp_o.valid && !rel_valid_o && !rel_q && cnt_o == '0 && !ce_valid_o && dbr_idle &&
                  !pl_req_valid_o && r_idle && !ev_valid_o && !jobs_any && !qerr_valid_o;

  `ASSERT(TokenRoom_A, !(c_fire && c_push) || (wq_ready && sq_ready))
  `ASSERT(Changed_A, !c_fire || cerr || c_chg || n == cx)
  `ASSERT(PacketThere_A, !(c_fire && ck == ohca_fmt_pkg::RS_KIND_PKT) || pq_valid)

  logic unused;
  assign unused = &{1'b0, same_ok, o_inval, dq_ready, acc_i, cpay, o_line, rd_rsp_i.tag, lost_i.psn};

endmodule

`default_nettype wire
