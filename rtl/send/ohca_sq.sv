// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Send engine: doorbells in, packet descriptors with their payload pieces out. Segments WQEs, keeps PSN, SSN, window,
// credits and fences, goes back on the acknowledge engine's word. Pushed WQE to descriptor 10 cycles (13 with several
// VLs); a message every 4 cycles pushed, every 2.5 from the ring (batches of 4).
// lint: DW=128 RunQueue=65536
// lint: DW=256
// lint: Compact=1
// lint: DW=512 Ways=2 Sets=1024
// lint: DW=512 NumVl=4
// lint: DW=64 NumVl=8
//
//   db, fb, acc ---------------------------------------+                     +--> up (sent, local_err, flush)
//   run queue -> T1 ------------------------------+    |                     |
//                 T2 <- rows <- ring fetch <- q --|----|--> lookup -> ctx -> commit -> jobs -+-> headers -> txd
//                                              ^  +----+                     |               +-> payload -> txp, inl
//                                              +-----------------------------+
//
// A *turn* is one batch of adjacent WQEs. T1 looks at the context and has the WQEs fetched, T2 plans what of them is
// sent now: it moves the context on and hands one job per WQE to the two emitters, which walk packets and scatter lists
// at their own pace. A pushed WQE is planned when its doorbell commits. The context's `fetch` runs ahead of `next`, so
// one QP can have several turns in flight; when a turn ends early (budget, fence, window, credits, error) or the
// acknowledge engine steps in, `gen` changes and what was fetched ahead is thrown away.
//
// The commit stage never waits for a transmit queue or for the acknowledge engine: jobs and reports have their room
// before a token is looked up, and feedback needs neither. So no cyclic wait can form with the peer or with ohca_ra.
//
// A QP is in the run queue at most once (in_runq). When the queue has no room the QP is left out and a scan over all
// contexts finds it later.
//
// With several VLs (NumVl > 1) nothing that has been handed to the emitters waits for a VL: jobs wait in a queue per VL
// until the VL's egress ring has room for their next packets (ohca_sq_lanes). A VL that is stopped would
// come to hold every turn, so a VL that has its share of them gets no more: its QPs are parked, a list per VL, where
// they are looked at when turns come back, and one every 256 cycles all the same, for those that are to be flushed.
// Packets of one QP stay in order: a connected QP has one VL, a datagram QP waits where it changes the VL until what it
// sent on others has left. Each VL is sure of Own turns, one may have Own + Pool.

`include "ohca_assert.svh"
`include "ohca_lazy.svh"
`default_nettype none

module ohca_sq #(
  parameter int unsigned DW       = 64,
  parameter int unsigned Sets     = 256,    // context cache
  parameter int unsigned Ways     = 1,
  parameter int unsigned CtxFills  = 8,     // misses, lookups and write-backs of it in flight, powers of two
  parameter int unsigned CtxDepth  = 32,
  parameter int unsigned CtxEvicts = 32,
  parameter bit          Compact  = 1'b0,   // a third of the block RAM: contexts one after the other (ohca_ctx), WQEs
                                            // in words
  parameter int unsigned RunQueue = 1024,   // power of two, at least 64
  parameter int unsigned NumQps   = 1 << 24, // QP numbers that can be, power of two
  parameter int unsigned NumVl    = 1,      // data VLs; 1: no room is asked for
  parameter bit          RoCE     = 1'b1,   // as in ohca_txbuild: what a packet is reckoned at
  parameter int unsigned Turns    = (NumVl > 1) ? 64 : 16,   // power of two, at least 8; with several VLs at least 64
  parameter int unsigned Ahead    = (Turns >= 64) ? 64 : 32,    // WQEs of one QP that may be fetched ahead
  parameter int unsigned BudgetSh = 15      // log2 of the bytes of one message that a turn sends
) (
  input  logic                      clk_i,
  input  logic                      rst_i,
  output logic                      idle_o,
  output logic [63:0]               cnt_o,

  input  logic [39:0]               base_i,            // QP contexts in context memory
  input  logic [24:0]               limit_i,           // QP numbers that exist

  input  logic                      db_valid_i,
  output logic                      db_ready_o,
  input  ohca_fmt_pkg::sq_db_t      db_i,              // Compact: a pushed WQE in words of wqe[63:0], the seven behind
                                                       // the first one a cycle each

  input  logic                      fb_valid_i,
  output logic                      fb_ready_o,
  input  ohca_fmt_pkg::sq_fb_t      fb_i,

  input  logic                      acc_valid_i,
  output logic                      acc_ready_o,
  input  ohca_fmt_pkg::ctx_acc_t    acc_i,
  output ohca_fmt_pkg::acc_rsp_t    acc_rsp_o,

  output logic                      up_valid_o,
  input  logic                      up_ready_i,
  output ohca_fmt_pkg::ra_up_t      up_o,
  output logic [9:0]                up_seq_o,          // how many there were, those that wait included; modulo 1024

  output logic                      sent_valid_o,      // to ohca_ra_stream: a WQE whose packets are made now; flops.
  output ohca_fmt_pkg::wqe_sent_t   sent_o,            // With Compact there is none

  input  logic [63:0]               sl2vl_i,
  input  logic [NumVl-1:0][12:0]    room_i,            // of the egress rings (ohca_link_tx): words and packets; to be
                                                       // left to others: ResW and ResN
  input  logic [NumVl-1:0][7:0]     desc_i,
  output logic [NumVl-1:0]          want_o,            // jobs wait for room
  output logic [7:0]                tk_vl_o,           // flops; one VL's bit, or none
  output logic [12:0]               tk_words_o,
  output logic [4:0]                tk_n_o,

  output logic                      txd_valid_o,
  input  logic                      txd_ready_i,
  output ohca_fmt_pkg::txd_t        txd_o,
  output logic                      txp_valid_o,
  input  logic                      txp_ready_i,
  output ohca_fmt_pkg::txp_t        txp_o,
  output logic [7:0]                gone_o,            // by txp_o.slot, to ohca_txbuild: the piece's QP was reset
  output logic [63:0]               desc_gone_o,       // by txd_o.slot: the descriptor's
  output logic                      inl_valid_o,
  input  logic                      inl_ready_i,
  output logic [127:0]              inl_o,

  // Shared response of ohca_dma_rd; the two clients below have a valid each.
  input  logic [DW-1:0]             rd_rsp_data_i,
  input  ohca_fmt_pkg::hrd_beat_t   rd_rsp_i,

  output ohca_fmt_pkg::ctx_req_t    ctx_o,             // dma_rd, dma_wr and icm client 0
  input  ohca_fmt_pkg::ctx_rsp_t    ctx_i,
  output logic [DW-1:0]             ctx_dat_o,
  input  ohca_fmt_pkg::hwr_cnt_t    wr_cnt_i,

  output ohca_fmt_pkg::fetch_req_t  ring_o,            // tpt client 0, dma_rd client 6
  input  ohca_fmt_pkg::fetch_rsp_t  ring_i
);

  localparam int unsigned TurnW   = $clog2(Turns);
  localparam int unsigned RqW     = $clog2(RunQueue);
  localparam int unsigned UpDepth = 64;
  localparam int unsigned Descs   = Compact ? 16 : 64;   // more than there are between here and a packet's end
  localparam int unsigned PayW    = 125;
  // Classes: the data VLs, and one for what takes no room (VL15; no VL: dropped later).
  localparam bit          Shared  = NumVl > 1;
  localparam int unsigned NumC    = Shared ? NumVl + 1 : 1;
  localparam int unsigned ClsW    = Shared ? 4 : 1;
  localparam int unsigned Own     = (NumVl > 2) ? 6 : 8;        // turns that a VL is sure of; what takes no room: OwnX
  localparam int unsigned OwnX    = 2;
  localparam int unsigned Pool    = (NumVl > 4) ? 12 : 36; // that any VL may have besides; two are left: the count is a
                                                           // cycle old
  localparam int unsigned HdrW    = ((RoCE ? 108 : 80) + DW / 8 - 1) / (DW / 8);
  // Left to responses and notifications. Those chosen in the three cycles before do not show yet here, nor does what is
  // taken here for three cycles there: two responses with data, as they are chosen three cycles apart at least, four
  // without and a notification.
  localparam int unsigned ResW    = 2 * 4096 / (DW / 8) + 7 * HdrW;
  localparam int unsigned ResN    = 7;

  if ((1 << TurnW) != Turns || Turns < 8 || (1 << RqW) != RunQueue || RunQueue < 4 * Turns || BudgetSh < 12 ||
      BudgetSh > 15) begin : g_bad
    $error("ohca_sq: Turns a power of two of at least 8, RunQueue one of at least 4 * Turns, BudgetSh 12 to 15");
  end

  // ------------------------------------------------------------------------------------------------ turns
  logic [TurnW-1:0] t_free;                // a free one
  logic             t_any, t_push, t_take, t_idle, c_free, push_busy;
  logic [TurnW-1:0] c_turn;
  logic             h_end, w_end;
  logic [TurnW-1:0] h_turn, w_turn;
  logic             tc_set;                // the committing turn's class is known now: it counts
  logic [ClsW-1:0]  tc_cls, t_cls;         // ... and what was said of it before
  logic [NumC-1:0]  adm_q;
  logic             ud_ask, ud_clash;      // this datagram QP has jobs of another class waiting
  logic [ClsW-1:0]  ud_clash_cls, ud_cls;
  ohca_sq_turns #(
    .Turns(Turns), .NumVl(NumVl), .Many(Shared ? 32 : Turns - Turns / 4), .Own(Own), .OwnX(OwnX), .Pool(Pool),
    .RoomW(4096 / (DW / 8) + 4 * HdrW + ResW), .RoomN(20)
  ) u_turns (
    .clk_i(clk_i), .rst_i(rst_i), .idle_o(t_idle), .any_o(t_any), .turn_o(t_free), .push_o(t_push), .take_i(t_take),
    .h_end_i(h_end), .h_turn_i(h_turn), .w_end_i(w_end), .w_turn_i(w_turn),
    .at_i(c_turn), .free_i(c_free), .set_i(tc_set), .set_cls_i(tc_cls), .hash_i(o_id[7:0]), .cls_o(t_cls),
    .ask_i(ud_ask), .ask_cls_i(ud_cls), .clash_o(ud_clash), .clash_cls_o(ud_clash_cls),
    .room_i(room_i), .desc_i(desc_i), .adm_o(adm_q)
  );

  // ------------------------------------------------------------------------------------------------ lookup
  logic [63:0]            sl2vl_q;               // the table of VLs stands still
  always_ff @(posedge clk_i) sl2vl_q <= sl2vl_i;
  logic                   lk_valid, lk_ready, lk_inval, lk_idle, push_we, push_near;
  logic [23:0]            lk_id, lk_set;
  logic [PayW+2:0]        lk_token;
  logic                   rq_valid, rq_take, rq_push, rq_ready, rq_room;
  logic [23:0]            rq_id;
  logic                   t2_valid, t2_take;
  logic [TurnW+31:0]      t2_data;         // {turn, gen 8, start 16, n 3, words that were fetched 5}
  logic [23:0]            t2_id;
  logic [$clog2(UpDepth):0] up_count;
  logic                   lost, up_in_ready, acc_wrote, acc_q;
  logic                   walks;           // what a QP left that was reset is being looked for

  logic                   pk_push, rq_idle, rq_few;
  logic [ClsW-1:0]        pk_cls;
  logic [NumC-1:0]        pk_ready;
  // Turns put their QP back without fail: others leave them this room.
  ohca_sq_runq #(.RunQueue(RunQueue), .Leave(2 * Turns), .NumVl(NumVl), .IdW($clog2(NumQps))) u_runq (
    .clk_i(clk_i), .rst_i(rst_i), .idle_o(rq_idle), .push_i(rq_push), .park_i(pk_push), .cls_i(pk_cls), .id_i(o_id),
    .ready_o(rq_ready), .park_ready_o(pk_ready),
    .room_o(rq_room), .few_o(rq_few), .adm_i(adm_q), .valid_o(rq_valid), .id_o(rq_id), .take_i(rq_take)
  );
  ohca_sq_lookup #(.Turns(Turns), .UpDepth(UpDepth), .Sets(Sets)) u_lookup (
    .clk_i(clk_i), .rst_i(rst_i), .idle_o(lk_idle), .fb_valid_i(fb_valid_i), .fb_ready_o(fb_ready_o), .fb_i(fb_i),
    .acc_valid_i(acc_q), .acc_ready_o(acc_ready_o), .acc_i(acc_i),
    .t2_valid_i(t2_valid), .t2_ready_o(t2_take), .t2_id_i(t2_id), .t2_i(t2_data),
    .db_valid_i(db_valid_i), .db_ready_o(db_ready_o), .db_i(db_i), .push_o(push_we), .push_near_o(push_near),
    .rq_valid_i(rq_valid), .rq_ready_o(rq_take), .rq_id_i(rq_id), .rq_room_i(rq_room), .rq_few_i(rq_few),
    .turn_valid_i(t_any), .turn_i(t_free), .turn_take_o(t_take), .turn_push_i(t_push && !push_busy),
    .up_count_i(up_count + ($clog2(UpDepth)+1)'(Compact && up_push)),
    .end_i(c_fire), .end_kind_i(o_kind), .end_id_i(o_id), .wrote_i(acc_wrote), .lost_i(lost),
    .limit_i(limit_i), .lk_valid_o(lk_valid), .lk_ready_i(lk_ready), .lk_id_o(lk_id), .lk_token_o(lk_token),
    .lk_set_o(lk_set), .lk_inval_o(lk_inval)
  );

  // ------------------------------------------------------------------------------------------------ context
  if (Shared && Own * NumVl + OwnX + Pool + 2 > Turns) begin : g_few
    $error("ohca_sq: with several VLs at least 64 turns");
  end

  logic                     nx_valid, o_valid, o_err, o_inval, o_we, ctx_idle, c_fire, ed_go, ed_done;
  logic [23:0]              o_id;
  logic [PayW+2:0]          o_token, nx_token;
  logic [31:0]              ed_old;
  logic [1023:0]            o_line;
  ohca_fmt_pkg::ctx_acc_t   acc;
  ohca_fmt_pkg::sq_kind_e   o_kind;
  ohca_fmt_pkg::sqc_t       l, n;

  ohca_ctx #(
    .DW(DW), .LineBytes(128), .Sets(Sets), .Ways(Ways), .TokenW(PayW + 3), .Stride(ohca_fmt_pkg::QPC_STRIDE),
    .Offset(ohca_fmt_pkg::QPC_SQC_OFFSET),
    // the rest is reserved
    .Fills(CtxFills), .Depth(CtxDepth), .Evicts(CtxEvicts), .KeepBits(32 * 26),
    .HotBytes(ohca_fmt_pkg::QPC_HOT_BYTES), .Pass(1'b1), .Same(2),
    .Small(Compact), .SetIn(!Compact),
    .Words(32'h0000_ffc1)                                        // only the management core writes the others
  ) u_ctx (
    .clk_i(clk_i), .rst_i(rst_i), .idle_o(ctx_idle), .base_i(base_i), .limit_i(limit_i),
    .lk_valid_i(lk_valid), .lk_ready_o(lk_ready), .lk_id_i(lk_id), .lk_set_i(lk_set), .lk_token_i(lk_token),
    .lk_inval_i(lk_inval), .lk_block_i('0), .lk_hint_i(1'b0), .rd_hint_o(),
    .nx_valid_o(nx_valid), .nx_token_o(nx_token), .out_valid_o(o_valid), .out_ready_i(c_fire), .out_id_o(o_id),
    .out_token_o(o_token), .out_line_o(o_line),
    .out_err_o(o_err), .out_inval_o(o_inval),
    .out_we_i(o_we), .out_wline_i(n), .out_word_i(acc.dw), .out_word_data_i(acc.wdata), .out_word_mask_i(acc.wmask),
    .out_edit_i(ed_go), .out_edit_done_o(ed_done), .out_word_o(ed_old),
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
  assign l = ohca_fmt_pkg::sqc_t'(o_line);

  // ------------------------------------------------------------------------------------------------ WQEs of the turns
  logic                     fq_valid, fq_ready, fq_pop, f_push, rw_valid, rw_ready, rf_idle, rows_idle;
  ohca_fmt_pkg::ring_req_t  f_req, fq_req;
  ohca_fmt_pkg::ring_word_t rw;
  logic [ohca_fmt_pkg::RING_REQ_BITS-1:0] fq_flat;
  logic [26:0]              f_meta;
  // Read ports: heads for the plan; all of a row for the headers (p0), a word for the payload (p1).
  logic                     hr_en, p0_en, p1_en, p0_busy, p0_go;
  logic [TurnW+1:0]         hr_addr;
  logic [TurnW-1:0]         p0_turn, p1_turn;
  logic [1:0]               p0_row;
  logic [3:0]               p1_at;
  localparam int unsigned   Beat = (DW > 128 && !Compact) ? DW / 128 : 1;      // words of 16 bytes that come at once
  logic                     rw_last, rw_beat_last;
  logic [DW-1:0]            rw_beat;
  logic [128*Beat-1:0]      rw_data;
  logic [255:0]             hr_data;
  logic [511:0]             p0_data;
  logic [127:0]             p1_data;

  assign fq_req  = ohca_fmt_pkg::ring_req_t'(fq_flat);
  ohca_fifo #(.Width(ohca_fmt_pkg::RING_REQ_BITS), .Depth(Turns), .UseRam(1'b0)) u_fetchq (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(f_push), .ready_o(fq_ready), .data_i(f_req),
    .valid_o(fq_valid), .ready_i(fq_pop), .data_o(fq_flat), .count_o(), .almost_full_o()
  );
  // Wide hosts are asked for as many batches of four at a time as there are requests: 32.
  ohca_ring_fetch #(.DW(DW), .Depth((Turns > 32) ? 32 : Turns), .BufBytes((DW == 512) ? 8192 : 4096),
                    .Single(Compact)) u_fetch (
    .clk_i(clk_i), .rst_i(rst_i), .idle_o(rf_idle), .req_valid_i(fq_valid), .req_ready_o(fq_pop), .req_i(fq_req),
    .word_valid_o(rw_valid), .word_ready_i(rw_ready), .word_o(rw),
    .pass_i(Beat != 1), .pass_last_o(rw_beat_last), .beat_o(rw_beat),
    .tpt_valid_o(ring_o.tpt_valid), .tpt_ready_i(ring_i.tpt_ready), .tpt_o(ring_o.tpt),
    .tpt_rsp_valid_i(ring_i.tpt_rsp_valid), .tpt_rsp_i(ring_i.tpt_rsp),
    .rd_valid_o(ring_o.rd_valid), .rd_ready_i(ring_i.rd_ready), .rd_o(ring_o.rd),
    .rd_rsp_valid_i(ring_i.rd_rsp_valid), .rd_rsp_data_i(rd_rsp_data_i), .rd_rsp_last_i(rd_rsp_i.last),
    .rd_rsp_err_i(rd_rsp_i.err)
  );
  if (Beat == 1) begin : g_by_word
    assign rw_data = rw.data;
    assign rw_last = rw.last;
    logic unused_beat;
    assign unused_beat = &{1'b0, rw, rw_beat, rw_beat_last};
  end else begin : g_by_beat
    assign rw_data = rw_beat;
    assign rw_last = rw_beat_last;
    logic unused_word;
    assign unused_word = &{1'b0, rw};
  end
  ohca_sq_rows #(.Turns(Turns), .Beat(Beat), .Compact(Compact)) u_rows (
    .clk_i(clk_i), .rst_i(rst_i), .idle_o(rows_idle),
    .ask_i(f_push), .ask_turn_i(c_turn), .ask_id_i(o_id), .ask_meta_i(f_meta),
    .word_valid_i(rw_valid), .word_ready_o(rw_ready), .word_err_i(rw.err), .word_last_i(rw_last), .word_i(rw_data),
    .push_near_i(push_near), .push_i(push_we), .push_turn_i(t_free), .push_wqe_i(db_i.wqe), .push_busy_o(push_busy),
    .t2_valid_o(t2_valid), .t2_ready_i(t2_take), .t2_id_o(t2_id), .t2_turn_o(t2_data[32 +: TurnW]),
    .t2_meta_o(t2_data[31:5]), .t2_words_o(t2_data[4:0]),
    .head_en_i(hr_en), .head_at_i(hr_addr), .head_o(hr_data),
    .row_en_i(p0_en), .row_turn_i(p0_turn), .row_at_i(p0_row), .row_busy_o(p0_busy), .row_go_o(p0_go), .row_o(p0_data),
    .dat_en_i(p1_en), .dat_turn_i(p1_turn), .dat_at_i(p1_at), .dat_o(p1_data)
  );

  // ------------------------------------------------------------------------------------------------ plan
  // Which token with a batch comes next: the plan reads ahead. Compact: one at a time, the one that was looked up.
  logic [PayW+2:0]        nt;
  ohca_fmt_pkg::sq_kind_e nt_kind;
  logic                   nt_batch, pq_valid, pq_pop;
  logic [TurnW-1:0]       nt_turn, pq_turn;
  assign nt       = Compact ? lk_token : nx_token;
  assign nt_kind  = ohca_fmt_pkg::sq_kind_e'(nt[PayW+2:PayW]);
  assign nt_batch = nt_kind == ohca_fmt_pkg::SQ_KIND_T2 || (nt_kind == ohca_fmt_pkg::SQ_KIND_DB && nt[32]);
  assign nt_turn  = (nt_kind == ohca_fmt_pkg::SQ_KIND_T2) ? nt[32 +: TurnW] : nt[33 +: TurnW];
  if (Compact) begin : g_next_asked
    logic valid_q;
    assign pq_valid = valid_q;
    always_ff @(posedge clk_i) begin
      if (rst_i) valid_q <= 1'b0;
      else       valid_q <= (lk_valid && lk_ready && nt_batch) || (valid_q && !pq_pop);
      if (lk_valid && lk_ready) pq_turn <= nt_turn;
    end
    logic unused_next;
    assign unused_next = &{1'b0, nx_valid, nx_token};
  end else begin : g_next_known
    assign pq_valid = nx_valid && nt_batch;
    assign pq_turn  = nt_turn;
  end
  logic unused_nt;
  assign unused_nt = &{1'b0, nt};

  ohca_fmt_pkg::sq_plan_t     w;
  ohca_fmt_pkg::sq_job_t      j_in;
  ohca_fmt_pkg::wc_status_e   d_status;
  ohca_fmt_pkg::vendor_err_e  d_verr;
  logic                       job_push, plan_go, plan_done, cls_set;
  logic [15:0]                plan_start;
  logic [2:0]                 b_n;                  // the batch: WQEs, words that came of it, or one pushed
  logic [4:0]                 b_words;
  logic                       b_pushed, up_push;
  ohca_fmt_pkg::ra_up_t       up;
  logic [ClsW-1:0]            rc_cls;
  ohca_sq_plan #(.NumVl(NumVl), .Turns(Turns), .BudgetSh(BudgetSh), .Csum(!Compact)) u_plan (
    .clk_i(clk_i), .rst_i(rst_i), .ahead_valid_i(pq_valid), .ahead_turn_i(pq_turn), .hold_i(push_busy),
    .begin_i(pq_pop), .go_i(plan_go), .line_i(l), .turn_i(c_turn), .n_i(b_n),
    .words_i(b_words), .pushed_i(b_pushed), .cls_i(b_pushed ? rc_cls : t_cls), .sl2vl_i(sl2vl_q),
    .row_en_o(hr_en), .row_o(hr_addr), .row_i(hr_data),
    .ask_o(ud_ask), .cls_o(ud_cls), .clash_i(ud_clash), .clash_cls_i(ud_clash_cls), .adm_i(adm_q), .cls_set_o(cls_set),
    .job_valid_o(job_push), .job_o(j_in), .done_o(plan_done),
    .plan_o(w), .start_o(plan_start), .status_o(d_status), .verr_o(d_verr)
  );

  // ------------------------------------------------------------------------------------------------ commit
  logic [63:0] cnt;
  always_ff @(posedge clk_i) cnt_o <= rst_i ? '0 : cnt;
  ohca_sq_commit #(.NumVl(NumVl), .Turns(Turns), .Ahead(Ahead), .Compact(Compact)) u_commit (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(o_valid), .id_i(o_id), .token_i(o_token), .line_i(l), .err_i(o_err),
    .inval_i(o_inval), .end_o(c_fire), .we_o(o_we), .next_o(n), .acc_o(acc), .edit_o(ed_go), .edit_done_i(ed_done),
    .edit_old_i(ed_old), .kind_o(o_kind), .turn_o(c_turn), .free_o(c_free), .wrote_o(acc_wrote),
    .acc_rsp_valid_o(acc_rsp_o.valid), .acc_rdata_o(acc_rsp_o.rdata), .acc_err_o(acc_rsp_o.err),
    .push_busy_i(push_busy), .begin_o(pq_pop), .go_o(plan_go), .n_o(b_n), .words_o(b_words), .pushed_o(b_pushed),
    .plan_done_i(plan_done), .plan_i(w), .plan_start_i(plan_start), .plan_status_i(d_status), .plan_verr_i(d_verr),
    .plan_set_i(cls_set), .plan_cls_i(ud_cls), .sl2vl_i(sl2vl_q), .adm_i(adm_q), .cls_o(rc_cls),
    .set_o(tc_set), .set_cls_o(tc_cls), .rq_ready_i(rq_ready), .rq_room_i(rq_room), .pk_ready_i(pk_ready),
    .rq_push_o(rq_push), .pk_push_o(pk_push), .pk_cls_o(pk_cls), .lost_o(lost),
    .fetch_o(f_push), .fetch_req_o(f_req), .fetch_meta_o(f_meta), .up_valid_o(up_d), .up_o(up_in), .cnt_o(cnt)
  );

  // Compact: a report comes a cycle after its commit.
  ohca_fmt_pkg::ra_up_t up_in;
  logic                 up_d;
  if (Compact) begin : g_up_q
    always_ff @(posedge clk_i) begin
      up_push <= up_d && !rst_i;
      up      <= up_in;
    end
  end else begin : g_up
    assign {up_push, up} = {up_d, up_in};
  end
  ohca_fifo #(.Width(ohca_fmt_pkg::RA_UP_BITS), .Depth(UpDepth), .UseRam(Compact)) u_up (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(up_push), .ready_o(up_in_ready), .data_i(up),
    .valid_o(up_valid_o), .ready_i(up_ready_i), .data_o(up_o), .count_o(up_count), .almost_full_o()
  );
  always_ff @(posedge clk_i) begin
    if (rst_i) up_seq_o <= '0;
    else       up_seq_o <= up_seq_o + 10'(up_push);
  end

  // ------------------------------------------------------------------------------------------------ jobs
  logic                  e_idle;
  ohca_fmt_pkg::sq_com_t com;
  always_comb begin
    com.qpn        = o_id;
    com.qtype      = l.qtype;
    com.mtu_sh     = (l.mtu >= 3'd2 && l.mtu <= 3'd5) ? 4'd7 + {1'b0, l.mtu} : 4'd8;
    com.migreq     = l.migreq;
    com.sig_all    = l.sig_all;
    com.pkey_index = l.pkey_index;
    com.dqpn       = l.dqpn;
    com.qkey       = l.qkey;
    com.av         = l.av;
  end

  // An access takes a QP to RESET. The next one, which comes after the answer to it, waits until all that it left is
  // known, so whoever goes on with the QP finds it done. An access is seen a cycle late, as it stays until it is taken.
  always_ff @(posedge clk_i) acc_q <= acc_valid_i && !acc_ready_o && !walks && !rst_i;
  logic [Turns-1:0] gone;
  logic             put, desc, desc_gone, resets;
  logic [2:0]       put_slot;
  logic [Descs-1:0] descs_gone;
  assign resets      = c_fire && o_kind == ohca_fmt_pkg::SQ_KIND_ACC && !o_inval && acc.dw == '0 &&
                       (&acc.wmask[2:0]) && acc.wdata[2:0] == ohca_fmt_pkg::QP_STATE_RESET;
  assign desc_gone_o = 64'(descs_gone);
  ohca_sq_gone #(.Turns(Turns), .Descs(Descs)) u_gone (
    .clk_i(clk_i), .rst_i(rst_i), .begin_i(pq_pop), .begin_turn_i(c_turn), .begin_qpn_i(o_id),
    .reset_i(resets), .reset_qpn_i(o_id), .busy_o(walks),
    .pay_turn_i(p1_turn), .put_i(put), .put_slot_i(put_slot),
    .desc_i(desc), .desc_slot_i(txd_o.slot[$clog2(Descs)-1:0]), .desc_qpn_i(txd_o.qpn), .desc_gone_i(desc_gone),
    .turn_gone_o(gone), .slot_gone_o(gone_o), .desc_gone_o(descs_gone)
  );
  ohca_sq_emit #(
    .DW(DW), .NumVl(NumVl), .Turns(Turns), .Compact(Compact), .MostVl(Own + Pool), .HdrW(HdrW), .ResW(ResW),
    .ResN(ResN), .Descs(Descs)
  ) u_emit (
    .clk_i(clk_i), .rst_i(rst_i), .idle_o(e_idle), .com_en_i(pq_pop), .com_turn_i(c_turn), .com_i(com),
    .job_valid_i(job_push), .job_i(j_in), .end_i(c_fire),
    .room_i(room_i), .desc_i(desc_i), .want_o(want_o), .tk_vl_o(tk_vl_o),
    .tk_words_o(tk_words_o), .tk_n_o(tk_n_o),
    .row_en_o(p0_en), .row_turn_o(p0_turn), .row_at_o(p0_row), .row_busy_i(p0_busy), .row_go_i(p0_go), .row_i(p0_data),
    .dat_en_o(p1_en), .dat_turn_o(p1_turn), .dat_at_o(p1_at), .dat_i(p1_data),
    .gone_i(gone), .put_o(put), .put_slot_o(put_slot), .desc_o(desc), .desc_gone_o(desc_gone),
    .sent_valid_o(h_sent), .sent_o(h_wqe),
    .h_end_o(h_end), .h_turn_o(h_turn), .w_end_o(w_end), .w_turn_o(w_turn),
    .txd_valid_o(txd_valid_o), .txd_ready_i(txd_ready_i), .txd_o(txd_o),
    .txp_valid_o(txp_valid_o), .txp_ready_i(txp_ready_i), .txp_o(txp_o),
    .inl_valid_o(inl_valid_o), .inl_ready_i(inl_ready_i), .inl_o(inl_o)
  );

  // A QP that is reset goes before a WQE: that would be void then.
  logic                    h_sent;
  ohca_fmt_pkg::wqe_sent_t h_wqe;
  if (Compact) begin : g_forget
    assign sent_valid_o = 1'b0;
    assign sent_o       = '0;
    logic unused_sent;
    assign unused_sent = &{1'b0, h_sent, h_wqe};
  end else begin : g_sent
    always_ff @(posedge clk_i) begin
      sent_valid_o <= !rst_i && (h_sent || resets);
      sent_o       <= h_wqe;
      sent_o.reset <= resets;
    end
  end

  assign idle_o = ctx_idle && rf_idle && rq_idle && lk_idle && !fq_valid && rows_idle && !o_valid && !up_valid_o &&
                  !(Compact && up_push) && e_idle && t_idle && !sent_valid_o && !walks && !acc_rsp_o.valid &&
                  !fb_valid_i && !db_valid_i && !acc_valid_i && cnt_o == '0;

  logic unused;
  assign unused = &{1'b0, fq_ready, up_in_ready, l, acc, rd_rsp_i.tag};

  `ASSERT(FetchRoom_A, !f_push || fq_ready)
  `ASSERT(UpRoom_A, !up_push || up_in_ready)

endmodule

`default_nettype wire
