// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Responder of connected QPs, and receive side of datagram QPs: requests in; placed payload, acknowledgements, READ jobs, receive
// completions and events out. Two cycles a packet on context hits, about ten cycles of latency before a WRITE's placement request (with
// Compact thirteen a packet, one after the other, and nineteen).
//
//   lookup -> ctx -> commit --+--> W: is the receive WQE there? fetch it --> S: scatter --> R: result -> ACK/NAK job, CQE, event, release
//      ^                      +--> (all three queues get their part of the token)                |
//      +------- fix-ups: go to ERR, or back to where the failed packet was <---------------------+
//
// The commit moves the context as if the packet's payload will be placed and its receive WQE exists; consecutive packets of one QP so
// overlap. When W, S or R finds otherwise the packet *poisons* its QP: later packets of that QP which are already past the commit die in
// the stage where the poison lies, and a fix-up token carries the context back (RNR, datagram without room) or to ERR. The fix-up sends a
// mark down the same queues; where the mark passes, the poison ends. Every packet past the lookup has a number (tid), which its poison
// keeps until its mark has come through: so there is always room for poison, and nothing here waits for anything but the host's
// memory and the completion unit.
//
// What the placement unit finds out comes back to R; packets of the QP that S has handed over meanwhile name the one before them, so
// that a refusal passes on inside the placement unit (chain, prev of pl_req). So nothing behind a refused packet is ever written.
//
// An access of the management core that takes a QP to RESET sends a fence down the queues and is answered when that has left R and the
// completions and events before it have left this engine; what R still finds of the QP until then is dropped.
//
// It does NOT keep a history of READs: a duplicate READ is checked anew and answered from memory; of the newest one it keeps the PSN, so that
// the acknowledgement of a duplicate does not reach past it. Atomics and invalidates are refused.

`include "ohca_assert.svh"
`default_nettype none

module ohca_rs #(
  parameter int unsigned DW       = 64,
  parameter int unsigned Sets     = 256,     // context cache
  parameter int unsigned Ways     = 1,
  parameter int unsigned CtxFills  = 8,     // misses, lookups and write-backs of it in flight, powers of two
  parameter int unsigned CtxDepth  = 32,
  parameter int unsigned CtxEvicts = 32,
  parameter bit          Compact   = 1'b0,   // contexts one after the other (ohca_ctx), packets coming in wait in front, fewer doorbell records read at a time
  parameter bit          RoCE      = 1'b1,   // responses may need what only Ethernet paths have
  parameter int unsigned InFlight = 32,      // tokens past the lookup, power of two, at least 16
  parameter int unsigned JobDepth = 32,      // response jobs waiting for the response engine, power of two, at least InFlight
  parameter int unsigned Flushing = 256,     // QPs whose receive queues can be flushed at a time, power of two, at least 256
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
  input  logic [47:0]               rq_db_i,          // {uar 8, qpn 24, pi 16}

  input  logic                      acc_valid_i,
  output logic                      acc_ready_o,
  input  ohca_fmt_pkg::ctx_acc_t    acc_i,            // stays until its answer
  output logic                      acc_rsp_valid_o,
  output logic [31:0]               acc_rdata_o,
  output logic                      acc_err_o,

  input  logic                      rerr_valid_i,     // data of a READ response could not be read (from ohca_txbuild); always taken
  input  logic [23:0]               rerr_qpn_i,
  input  logic [23:0]               rerr_psn_i,
  input  logic                      over_valid_i,     // a READ beyond those that were agreed upon (from ohca_resp); always taken
  input  logic [23:0]               over_qpn_i,
  input  logic [23:0]               over_psn_i,

  input  logic                      lost_valid_i,     // payload of this QP did not reach the host's memory (from ohca_wr_owner); always taken
  input  logic [23:0]               lost_qpn_i,

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

  output logic                      viol_valid_o,     // a packet was refused for its P_Key or Q_Key; always taken
  output ohca_fmt_pkg::rx_viol_t    viol_o,

  // Shared response of ohca_dma_rd; the three clients below have a valid each.
  input  logic [DW-1:0]             rd_rsp_data_i,
  input  logic                      rd_rsp_last_i,
  input  logic                      rd_rsp_err_i,

  output logic                      ctx_rd_valid_o,   // client 2
  input  logic                      ctx_rd_ready_i,
  output ohca_fmt_pkg::dma_rd_req_t ctx_rd_o,
  input  logic                      ctx_rd_rsp_valid_i,
  output logic                      ctx_wr_valid_o,   // dma_wr client 2
  input  logic                      ctx_wr_ready_i,
  output ohca_fmt_pkg::dma_wr_req_t ctx_wr_o,
  output logic                      ctx_wr_dat_valid_o,
  input  logic                      ctx_wr_dat_ready_i,
  output logic [DW-1:0]             ctx_wr_dat_o,
  output logic                      ctx_wr_dat_last_o,
  input  logic [31:0]               wr_issued_i,
  input  logic [31:0]               wr_acked_i,
  output logic                      icm_valid_o,      // icm client 2
  input  logic                      icm_ready_i,
  output logic [39:0]               icm_addr_o,
  input  logic                      icm_rsp_valid_i,
  input  logic                      icm_rsp_ok_i,
  input  logic [63:0]               icm_rsp_addr_i,

  output logic                      ring_tpt_valid_o, // tpt client 2
  input  logic                      ring_tpt_ready_i,
  output ohca_fmt_pkg::tpt_req_t    ring_tpt_o,
  input  logic                      ring_tpt_rsp_valid_i,
  input  ohca_fmt_pkg::tpt_rsp_t    tpt_rsp_i,
  output logic                      ring_rd_valid_o,  // client 8
  input  logic                      ring_rd_ready_i,
  output ohca_fmt_pkg::dma_rd_req_t ring_rd_o,
  input  logic                      ring_rd_rsp_valid_i,

  output logic                      dbr_rd_valid_o,   // client 10
  input  logic                      dbr_rd_ready_i,
  output ohca_fmt_pkg::dma_rd_req_t dbr_rd_o,
  input  logic                      dbr_rd_rsp_valid_i
);

  localparam int unsigned TidW    = $clog2(InFlight);
  localparam int unsigned JobW    = $clog2(JobDepth);
  localparam int unsigned PayW    = Compact ? 26 : 69;   // with Compact what an access is to do stays where it comes from
  localparam bit          Slow    = DW <= 64;   // a packet has at least four beats: queues that only decouple need no more than half the rate
  localparam int unsigned Words   = 28;                  // of a context; the rest is reserved
  localparam int unsigned Turned  = 7;                   // of them in a cycle, when one is changed

  if ((1 << TidW) != InFlight || InFlight < 16 || InFlight > 32 || JobDepth < InFlight || Flushing < 256) begin : g_bad_size
    $error("ohca_rs: InFlight 16 or 32, JobDepth >= InFlight, Flushing >= 256");
  end


  // ================================================================================================ inputs
  // Packets come out of the cache in another order than they went in, where their contexts take their time.
  logic                     pq_valid, pq_pop, iq_valid, iq_pop, iq_dg;
  logic [23:0]              iq_qpn;
  logic [TidW-1:0]          iq_slot;             // where the packet waits
  ohca_fmt_pkg::rxd_t       p;
  ohca_fmt_pkg::bth_t       in_bth;
  logic [PayW-1:0]          cpay;                // what came with the context at the commit

  assign in_bth = rxd_i.bth;
  if (Compact) begin : g_in_held
    // The packet stays where it comes from until its commit.
    logic asked_q;                                       // its context is on the way
    assign p           = rxd_i;
    assign pq_valid    = rxd_valid_i;
    assign iq_valid    = rxd_valid_i && !asked_q;
    assign iq_qpn      = in_bth.destqp;
    assign iq_dg       = in_bth.opcode[7:5] == 3'd3;
    assign iq_slot     = '0;
    assign rxd_ready_o = pq_pop;
    always_ff @(posedge clk_i) begin
      if (rst_i || pq_pop) asked_q <= 1'b0;
      else if (iq_pop)     asked_q <= 1'b1;
    end
  end else begin : g_in
    logic            pq_in_ready, iq_in_ready;
    logic [TidW-1:0] in_slot;
    assign rxd_ready_o = pq_in_ready && iq_in_ready;
    ohca_rxd_slots #(.Slots(InFlight)) u_pq (
      .clk_i(clk_i), .rst_i(rst_i), .any_o(pq_valid), .in_valid_i(rxd_valid_i && iq_in_ready), .in_ready_o(pq_in_ready), .in_i(rxd_i), .in_slot_o(in_slot),
      .slot_i(o_token[TidW-1:0]), .packet_o(p), .free_i(pq_pop)
    );
    ohca_fifo #(.Width(TidW + 24), .Depth(InFlight)) u_iq (
      .clk_i(clk_i), .rst_i(rst_i), .valid_i(rxd_valid_i && pq_in_ready), .ready_o(iq_in_ready), .data_i({in_slot, in_bth.destqp}),
      .valid_o(iq_valid), .ready_i(iq_pop), .data_o({iq_slot, iq_qpn}), .count_o(), .almost_full_o()
    );
    // Whether the first of them is a datagram, in a flop: the lookup asks for it.
    logic            dgs [InFlight];
    logic            in_dg, in_fire;
    logic [TidW-1:0] dg_wr_q, dg_rd_q, dg_rd1;
    assign in_dg   = in_bth.opcode[7:5] == 3'd3;
    assign in_fire = rxd_valid_i && rxd_ready_o;
    assign dg_rd1  = dg_rd_q + TidW'(1);
    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        dg_wr_q <= '0;
        dg_rd_q <= '0;
      end else begin
        if (in_fire) dg_wr_q <= dg_wr_q + TidW'(1);
        if (iq_pop)  dg_rd_q <= dg_rd1;
      end
      if (in_fire) dgs[dg_wr_q] <= in_dg;
      if (iq_pop) iq_dg <= (in_fire && dg_wr_q == dg_rd1) ? in_dg : dgs[dg_rd1];
      else        iq_dg <= (in_fire && dg_wr_q == dg_rd_q && !iq_valid) ? in_dg : dgs[dg_rd_q];
    end
  end

  // Fix-ups, one at a time: the QP's number for the lookup, the rest for the commit. R waits for room, but the commit never waits for R.
  logic                     fix_push, fq_valid, fq_pop, fi_valid, fi_pop, fq_ready, fi_ready;
  ohca_fmt_pkg::rs_fix_t    fix_in, fix;
  logic [TidW-1:0]          fix_tid;
  logic [23:0]              fi_qpn;
  if (Compact) begin : g_fix_held
    // R takes no token until the fix-up has been made: its own shows what is to be known.
    logic fi_q, fq_q;
    assign fi_ready = !fi_q;
    assign fq_ready = !fq_q;
    assign fi_valid = fi_q;
    assign fq_valid = fq_q;
    assign {fix_tid, fix} = {r_tid, fix_in};
    assign fi_qpn   = rt.qpn;
    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        fi_q <= 1'b0;
        fq_q <= 1'b0;
      end else begin
        fi_q <= fix_push || (fi_q && !fi_pop);
        fq_q <= fix_push || (fq_q && !fq_pop);
      end
    end
  end else begin : g_fix
    ohca_fifo #(.Width(TidW + ohca_fmt_pkg::RS_FIX_BITS), .Depth(2), .Single(1'b1)) u_fq (
      .clk_i(clk_i), .rst_i(rst_i), .valid_i(fix_push), .ready_o(fq_ready), .data_i({r_tid, fix_in}),
      .valid_o(fq_valid), .ready_i(fq_pop), .data_o({fix_tid, fix}), .count_o(), .almost_full_o()
    );
    ohca_fifo #(.Width(24), .Depth(2), .Single(1'b1)) u_fi (
      .clk_i(clk_i), .rst_i(rst_i), .valid_i(fix_push), .ready_o(fi_ready), .data_i(rt.qpn),
      .valid_o(fi_valid), .ready_i(fi_pop), .data_o(fi_qpn), .count_o(), .almost_full_o()
    );
  end

  // ================================================================================================ lookup
  logic                      lk_valid, lk_ready, lk_inval, lk_idle, lk_miss, rerr_out, qerr_room;
  logic [23:0]               lk_qpn;
  ohca_fmt_pkg::rs_kind_e    lk_kind;
  logic [PayW-1:0]           lk_pay;
  logic                      pkt_freed, x_freed, c_pkt_free, c_x_free;
  logic                      pi_valid, pi_pop;           // a producer index was read, for the context
  logic [40:0]               pi;
  ohca_rs_lookup #(.InFlight(InFlight), .JobDepth(JobDepth), .Flushing(Flushing), .Compact(Compact), .Slow(Slow)) u_lookup (
    .clk_i(clk_i), .rst_i(rst_i), .idle_o(lk_idle),
    .acc_valid_i(acc_valid_i), .acc_ready_o(acc_ready_o), .acc_i(acc_i),
    .fix_valid_i(fi_valid), .fix_ready_o(fi_pop), .fix_qpn_i(fi_qpn),
    .pkt_valid_i(iq_valid), .pkt_ready_o(iq_pop), .pkt_qpn_i(iq_qpn), .pkt_dg_i(iq_dg), .pkt_slot_i(iq_slot),
    .pi_valid_i(pi_valid), .pi_ready_o(pi_pop), .pi_i(pi),
    .db_valid_i(rq_db_valid_i), .db_ready_o(rq_db_ready_o), .db_i(rq_db_i),
    .qerr_valid_i(qerr_valid_i), .qerr_ready_o(qerr_ready_o), .qerr_qpn_i(qerr_qpn_i),
    .flush_valid_i(c_fire && flq_push), .flush_qpn_i(cid),
    .rerr_valid_i(rerr_valid_i), .rerr_i({rerr_qpn_i, rerr_psn_i}), .over_valid_i(over_valid_i),
    .over_i({over_qpn_i, over_psn_i}), .lost_valid_i(lost_valid_i), .lost_qpn_i(lost_qpn_i), .miss_o(lk_miss),
    .jobs_i(jobs), .moved_i(rjob_moved_i), .qerr_room_i(qerr_room),
    .end_i(c_fire), .end_kind_i(ck), .end_pkt_free_i(c_pkt_free), .end_x_free_i(c_x_free),
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
    .Fills(CtxFills), .Depth(CtxDepth), .Evicts(CtxEvicts), .KeepBits(32 * Words), .Pass(1'b1), .Small(Compact),
    .Words(32'h0800_ff01)                                        // only the management core writes the others
  ) u_ctx (
    .clk_i(clk_i), .rst_i(rst_i), .idle_o(ctx_idle), .base_i(base_i), .limit_i(limit_i),
    .lk_valid_i(lk_valid), .lk_ready_o(lk_ready), .lk_id_i(lk_qpn), .lk_token_i({lk_kind, lk_pay}), .lk_inval_i(lk_inval), .lk_hint_i(1'b0), .rd_hint_o(),
    .nx_valid_o(), .nx_token_o(), .out_valid_o(o_valid), .out_ready_i(o_ready), .out_id_o(o_id), .out_token_o(o_token), .out_line_o(o_line),
    .out_err_o(o_err), .out_inval_o(o_inval), .out_we_i(o_we), .out_wline_i(o_wline),
    .out_word_i(acc_dw), .out_word_data_i(acc_wdata), .out_word_mask_i(acc_mask),
    .out_edit_i(Compact && c_q == C_ROT), .out_edit_done_o(ed_done), .out_word_o(ed_old),
    .icm_valid_o(icm_valid_o), .icm_ready_i(icm_ready_i), .icm_addr_o(icm_addr_o),
    .icm_rsp_valid_i(icm_rsp_valid_i), .icm_rsp_ok_i(icm_rsp_ok_i), .icm_rsp_addr_i(icm_rsp_addr_i),
    .rd_valid_o(ctx_rd_valid_o), .rd_ready_i(ctx_rd_ready_i), .rd_o(ctx_rd_o),
    .rd_rsp_valid_i(ctx_rd_rsp_valid_i), .rd_rsp_data_i(rd_rsp_data_i), .rd_rsp_last_i(rd_rsp_last_i), .rd_rsp_err_i(rd_rsp_err_i),
    .wr_valid_o(ctx_wr_valid_o), .wr_ready_i(ctx_wr_ready_i), .wr_o(ctx_wr_o),
    .wr_dat_valid_o(ctx_wr_dat_valid_o), .wr_dat_ready_i(ctx_wr_dat_ready_i), .wr_dat_o(ctx_wr_dat_o), .wr_dat_last_o(ctx_wr_dat_last_o),
    .wr_issued_i(wr_issued_i), .wr_acked_i(wr_acked_i)
  );

  // ================================================================================================ commit
  // Two cycles: take the context and compare (ohca_rs_look); decide and write back. Packets to QP1, whose P_Key may be any of the table, have one
  // between. An access of the management core instead turns the context once around, some words at a time, and changes the one it is for as it comes by: a
  // multiplexer for any word of a line would be larger than all others together.
  // With Compact the cache makes the change (out_edit_i of ohca_ctx), and the context is taken again.
  typedef enum logic [1:0] { C_IDLE, C_GSI, C_ROT, C_ACT } cstate_e;
  cstate_e                  c_q;
  ohca_fmt_pkg::rsc_t       cx, n, o_cx;
  ohca_fmt_pkg::rs_kind_e   ck, o_kind;
  logic [23:0]              cid;
  logic                     cerr, acc_any, acc_chg_q, ed_done;
  logic [4:0]               rot_q;                     // the first word of those that can be changed
  logic [Turned-1:0]        acc_here;
  logic [Turned-1:0][31:0]  acc_words;
  logic [31:0]              acc_wdata, acc_mask, acc_old, acc_old_q, ed_old;
  logic [4:0]               acc_dw;
  ohca_fmt_pkg::qp_state_e  was_q;                     // the state before an access

  ohca_fmt_pkg::bth_t       bth;
  ohca_fmt_pkg::grh_t       grh;
  ohca_fmt_pkg::reth_t      reth;
  ohca_fmt_pkg::deth_t      deth;
  logic [4:0]               op;
  logic                     op_send, op_write, op_read, op_first, op_middle, op_last, op_only, op_imm, op_reth, op_lo;

  assign bth       = p.bth;
  assign grh       = p.grh;
  assign reth      = p.ext[223:96];
  assign deth      = p.ext[223:160];
  assign op        = bth.opcode[4:0];
  assign op_send   = op <= 5'h05;
  assign op_write  = op >= 5'h06 && op <= 5'h0b;
  assign op_read   = op == 5'h0c;
  assign op_first  = op == 5'h00 || op == 5'h06;
  assign op_middle = op == 5'h01 || op == 5'h07;
  assign op_last   = op == 5'h02 || op == 5'h03 || op == 5'h08 || op == 5'h09;
  assign op_only   = op == 5'h04 || op == 5'h05 || op == 5'h0a || op == 5'h0b;
  assign op_imm    = op == 5'h03 || op == 5'h05 || op == 5'h09 || op == 5'h0b;
  assign op_reth   = op == 5'h06 || op == 5'h0a || op == 5'h0b || op == 5'h0c;
  assign op_lo     = op_last || op_only;

  // What there is to compare, in the cycle in which the context comes. The packet is there, too, until the commit.
  ohca_fmt_pkg::rs_look_t lk;
  logic                   gsi_any;
  logic [5:0]             gsi_first;
  logic [31:0]            rem;                           // WRITE: bytes left
  ohca_rs_look #(.NumPkeys(NumPkeys)) u_look (
    .clk_i(clk_i), .load_i(c_q == C_IDLE && o_valid), .cx_i(1024'(o_line[32*Words-1:0])), .err_i(o_err), .p_i(p),
    .pi_i(o_token[15:0]), .uar_i(o_token[23:16]), .pkey_idx_o(pkey_idx_o), .pkey_i(pkey_i), .pkeys_i(pkeys_i),
    .gsi_any_o(gsi_any), .gsi_first_o(gsi_first), .look_o(lk)
  );
  assign o_cx     = o_line;
  assign o_kind   = ohca_fmt_pkg::rs_kind_e'(o_token[PayW+2:PayW]);
  always_comb begin
    acc_old = '0;
    for (int unsigned i = 0; i < Turned; i++) begin
      acc_here[i]  = rot_q + 5'(i) == acc_dw;
      acc_words[i] = acc_here[i] ? (cx[32*i +: 32] & ~acc_mask) | (acc_wdata & acc_mask) : cx[32*i +: 32];
      if (acc_here[i]) acc_old = acc_old | cx[32*i +: 32];
    end
  end
  assign acc_any = acc_here != '0;
  assign rem     = op_reth ? reth.dmalen : cx.remain;

  always_ff @(posedge clk_i) begin
    if (rst_i) c_q <= C_IDLE;
    else begin
      case (c_q)
        C_IDLE: if (o_valid) c_q <= (o_kind == ohca_fmt_pkg::RS_KIND_ACC) ? C_ROT : (o_kind == ohca_fmt_pkg::RS_KIND_PKT && o_cx.qtype == ohca_fmt_pkg::QP_TYPE_GSI) ? C_GSI : C_ACT;
        C_ROT:  if (Compact ? ed_done : rot_q == 5'(Words - Turned)) c_q <= C_ACT;
        C_GSI:  c_q <= C_ACT;
        default: if (c_fire) c_q <= C_IDLE;
      endcase
    end
    if (c_q == C_IDLE) begin
      was_q     <= o_cx.state;
      acc_old_q <= '0;
      acc_chg_q <= 1'b0;
      rot_q     <= '0;
    end else if (c_q == C_ROT) begin
      rot_q <= rot_q + 5'(Turned);
      if (acc_any) begin
        acc_old_q <= acc_old;
        acc_chg_q <= ((acc_old ^ acc_wdata) & acc_mask) != '0;
      end
    end
  end

  // With Compact the cache holds the context, and what came with it, until it takes it back: no copies.
  if (Compact) begin : g_held
    assign cx   = 1024'(o_line[32*Words-1:0]);
    assign cid  = o_id;
    assign cerr = o_err;
    assign ck   = o_kind;
    assign cpay = o_token[PayW-1:0];
    assign acc_dw    = acc_i.dw;
    assign acc_wdata = acc_i.wdata;
    assign acc_mask  = acc_i.wmask;
  end else begin : g_copy
    assign {acc_dw, acc_wdata, acc_mask} = cpay;
    always_ff @(posedge clk_i) begin
      if (c_q == C_IDLE) begin
        cid  <= o_id;
        cerr <= o_err;
        ck   <= o_kind;
        cpay <= o_token[PayW-1:0];
      end
      if (c_q == C_IDLE || c_q == C_ROT) cx <= 1024'((c_q == C_ROT) ? {acc_words, cx[32*Words-1:32*Turned]} : o_line[32*Words-1:0]);
    end
  end

  // ---- second cycle: decision
  logic            c_fire, c_push, c_rel, c_resv, c_chg, flq_push, dbr_bg, dbr_wait, to_err, is_dg, fix_head, fix_back, head_step, pi_set, ring_zero;
  ohca_fmt_pkg::rs_wtok_t wt_in;
  ohca_fmt_pkg::rs_stok_t st_in;
  ohca_fmt_pkg::rs_rtok_t rt_in;
  ohca_fmt_pkg::rs_path_t rp_in;
  logic            job_room_q, c_take_wqe, p_room, pkey_ok, p_dg, d_ack, d_read, p_nak, p_next, p_inv, p_exec;
  logic [15:0]     db_pi;
  logic [63:0]     c_cnt;
  logic            dbr_room, dbr_need, dq_ready;
  logic [TidW-1:0] tid_free, c_tid;

  assign is_dg = lk.dg;
  assign c_tid = ck == ohca_fmt_pkg::RS_KIND_FIX ? fix_tid : tid_free;
  assign db_pi = cpay[15:0];

  // What becomes of a packet. Flat, so that each field of the context and of the tokens has one small choice.
  assign pkey_ok = lk.gsi ? gsi_any : lk.pkey_ok;
  assign p_dg   = ck == ohca_fmt_pkg::RS_KIND_PKT && lk.msg && pkey_ok;
  assign p_room = ck == ohca_fmt_pkg::RS_KIND_PKT && lk.conn && job_room_q;
  assign d_ack  = p_room && lk.is_dup && (op_send || op_write);
  assign d_read = p_room && lk.is_dup && op_read && lk.len_ok && lk.acc_ok && lk.sum_ok && lk.dup_end;
  assign p_nak  = p_room && !lk.is_dup && !lk.is_new && !cx.nak_sent;
  assign p_next = p_room && lk.is_new;
  assign p_exec = p_next && lk.valid;
  assign p_inv  = p_next && !lk.valid;

  always_comb begin
    n          = cx;
    wt_in      = '0;
    st_in      = '0;
    rt_in      = '0;
    c_push     = 1'b0;
    c_rel      = 1'b0;
    c_resv     = 1'b0;
    c_chg      = 1'b0;                   // n may differ from cx: cheaper than a comparison
    c_pkt_free = 1'b0;
    c_x_free   = 1'b0;
    flq_push   = 1'b0;
    dbr_bg     = 1'b0;
    dbr_wait   = 1'b0;
    dbr_need   = 1'b0;
    to_err     = 1'b0;
    fix_head   = 1'b0;
    fix_back   = 1'b0;
    head_step  = 1'b0;
    pi_set     = 1'b0;
    ring_zero  = 1'b0;
    c_take_wqe = 1'b0;
    c_cnt      = '0;

    // What every token to the queues has in common.
    wt_in.left    = lk.left;
    wt_in.idx     = cx.head;
    wt_in.size    = lk.size;
    wt_in.buf_mtt = cx.buf_mtt;
    wt_in.ring    = cx.buf_;
    wt_in.offset  = lk.offset;
    wt_in.len     = 13'd1 << cx.log_stride;
    st_in.mode    = ohca_fmt_pkg::RS_MODE_NONE;
    st_in.ud      = is_dg;
    st_in.grh     = p.grh_v;
    st_in.priv    = cx.priv;
    st_in.pd      = cx.pd;
    st_in.key     = op_reth ? reth.rkey : cx.rkey;
    st_in.va      = op_reth ? reth.va : cx.va;
    st_in.chk_len = rem;
    st_in.more    = (op_middle || op_last) && !is_dg;
    st_in.base    = p.base;
    st_in.pay_off = p.pay_off;
    st_in.plen    = p.plen;
    rt_in.qpn     = cid;
    rt_in.slot    = p.slot;
    rt_in.rc      = !is_dg;
    rt_in.wr_last = op_last;
    rt_in.psn     = bth.psn;
    rt_in.msn     = cx.msn;
    rt_in.job_synd = ohca_fmt_pkg::RS_SYND_ACK;
    rt_in.va      = st_in.va;
    rt_in.rkey    = st_in.key;
    rt_in.len     = rem;
    rt_in.pkey_index = lk.gsi ? {10'd0, gsi_first} : cx.pkey_index;
    rt_in.min_rnr = !op_read ? cx.min_rnr : lk.is_dup ? 5'd0 : cx.max_rd;
    rt_in.cqn     = cx.cqn;
    rt_in.idx     = cx.head;
    rt_in.solicited = bth.se && ck == ohca_fmt_pkg::RS_KIND_PKT;
    // These are looked at only with a completion that has no error.
    rt_in.cqe_write = op_write && !is_dg;
    rt_in.cqe_imm   = op_imm && ck == ohca_fmt_pkg::RS_KIND_PKT;
    rt_in.byte_len = (is_dg || op_send) ? lk.got : op_reth ? reth.dmalen : cx.dmalen;
    rt_in.imm      = ohca_fmt_pkg::bswap32(is_dg ? p.ext[159:128] : op_reth ? p.ext[95:64] : p.ext[223:192]);
    rt_in.grh     = p.grh_v;
    rt_in.src_qp  = deth.srcqp;
    rt_in.sl      = p.sl;
    rt_in.slid    = p.slid;
    rt_in.path_bits = p.dlid[6:0] & ~(7'h7f << lmc_i);
    rt_in.csum_ok = p.csum_ok;
    rp_in.av      = cx.av;
    rp_in.dqpn    = cx.dqpn;
    rp_in.mtu     = cx.mtu;
    rp_in.priv    = cx.priv;
    rp_in.pd      = cx.pd;
    rp_in.base    = p.base;
    rp_in.pay_off = p.pay_off;

    case (ck)
      // -------------------------------------------------------------------------------------------- packet
      ohca_fmt_pkg::RS_KIND_PKT: begin
        rt_in.poisons = 1'b1;
        rt_in.rel     = 1'b1;
        if (cerr)              c_cnt[ohca_fmt_pkg::COUNTER_RX_QPN]      = 1'b1;
        else if (!lk.run)      c_cnt[ohca_fmt_pkg::COUNTER_RX_QP_STATE] = 1'b1;
        else if (!lk.type_ok)  c_cnt[ohca_fmt_pkg::COUNTER_RX_OPCODE]   = 1'b1;
        else if (!pkey_ok)     c_cnt[ohca_fmt_pkg::COUNTER_RX_PKEY]     = 1'b1;
        else if (!lk.path_ok)  c_cnt[ohca_fmt_pkg::COUNTER_RX_PATH]     = 1'b1;
        else if (is_dg) begin
          if (!lk.qkey_ok)     c_cnt[ohca_fmt_pkg::COUNTER_RX_QKEY]     = 1'b1;
          else if (!lk.mad_ok) c_cnt[ohca_fmt_pkg::COUNTER_RX_UD_DROP]  = 1'b1;
        end else begin
          if (lk.is_dup)       c_cnt[ohca_fmt_pkg::COUNTER_RX_DUP] = 1'b1;
          else if (!lk.is_new) c_cnt[ohca_fmt_pkg::COUNTER_RX_OOO] = 1'b1;
          if (!job_room_q && (lk.is_dup || lk.is_new || !cx.nak_sent)) c_cnt[ohca_fmt_pkg::COUNTER_RESP_FULL] = 1'b1;
        end

        c_push         = p_dg || d_ack || d_read || p_nak || p_next;
        c_rel          = !c_push;
        c_pkt_free     = !c_push;
        c_resv         = c_push && !is_dg;
        if (p_dg || (p_exec && op_send))                                  st_in.mode = ohca_fmt_pkg::RS_MODE_SCATTER;
        else if (p_exec && op_write && p.plen != 13'd0)                   st_in.mode = ohca_fmt_pkg::RS_MODE_DIRECT;
        else if ((p_exec || d_read) && op_read && reth.dmalen != 32'd0) st_in.mode = ohca_fmt_pkg::RS_MODE_CHECK;
        rt_in.mode     = st_in.mode;
        rt_in.dup      = lk.is_dup && !is_dg;
        st_in.dup      = lk.is_dup && !is_dg;
        rt_in.job_read = op_read && (p_exec || d_read);
        rt_in.job      = d_ack || d_read || p_nak || (p_exec && (op_read || bth.ackreq));
        rt_in.job_nak  = p_nak;
        // Acknowledged again, up to the newest packet executed; but never past a READ, whose data may be lost.
        if (lk.is_dup && !op_read && !lk.behind) rt_in.psn = lk.epsn_1;
        else if (!lk.is_dup && !lk.is_new)     rt_in.psn = cx.epsn;
        if (p_nak) rt_in.job_synd = ohca_fmt_pkg::RS_SYND_SEQ;
        // Invalid request: the context is left alone: it may be ahead of the truth; if it is not, the fix-up takes it to ERR.
        // Another packet may come with the same PSN until then: the poison begins in S.
        rt_in.inv      = p_inv;
        st_in.inv      = p_inv;
        rt_in.est      = p_exec && lk.est;
        rt_in.cqe      = p_dg || (p_exec && (op_send ? op_lo : op_write && op_imm)) || (p_inv && cx.wqe_taken);
        wt_in.wqe      = p_dg || (p_exec && op_send);
        wt_in.used     = rt_in.cqe && !p_inv;
        c_take_wqe     = p_dg || (p_exec && (op_send ? op_first || op_only : op_write && op_imm));

        c_chg = p_dg || p_exec || p_nak || ((d_ack || d_read) && cx.nak_sent);
        if (d_ack || d_read || p_exec) n.nak_sent = 1'b0;
        if (p_nak)                     n.nak_sent = 1'b1;
        if (rt_in.est)                 n.est_sent = 1'b1;
        if (p_exec && op_read)         n.rd_any = 1'b1;
        if (p_exec && op_write) n.cur_op = op_lo ? 2'd0 : 2'd2;
        if (p_exec && op_send) begin
          n.cur_op    = op_lo ? 2'd0 : 2'd1;
          n.wqe_taken = !op_lo;
        end
        rt_in.job_done = p_exec && (op_lo || op_read);
        head_step      = wt_in.used;

        // The receive WQE: known to be there, or the doorbell record will tell.
        if (c_take_wqe) begin
          wt_in.verify = lk.none;
          dbr_wait     = lk.none;
          // The record is read every now and then, long before what is known is used up: nobody waits for that, and the peer gets new credits while
          // it still has some.
          dbr_bg       = !lk.none && lk.renew;
        end
      end
      // -------------------------------------------------------------------------------------------- fix-up
      ohca_fmt_pkg::RS_KIND_FIX: begin
        c_push       = 1'b1;
        wt_in.mark   = 1'b1;
        st_in.mark   = 1'b1;
        rt_in.mark   = 1'b1;
        if (!cerr && lk.back_ok) begin
          c_chg  = 1'b1;
          fix_head = 1'b1;
          if (fix.err) to_err = 1'b1;
          else if (fix.rc && !lk.failed) begin
            fix_back    = 1'b1;
            n.nak_sent  = 1'b1;
            n.wqe_taken = 1'b0;
            n.cur_op    = fix.wr_last ? 2'd2 : 2'd0;
          end
          // Some of the flushes may have died from the poison.
          if (lk.failed && !cx.flushing) begin
            n.flushing = 1'b1;
            flq_push   = 1'b1;
          end
        end
      end
      // -------------------------------------------------------------------------------------------- producer index
      ohca_fmt_pkg::RS_KIND_PI, ohca_fmt_pkg::RS_KIND_DB: begin
        if (!cerr && lk.alive) begin
          if (ck == ohca_fmt_pkg::RS_KIND_DB && !lk.uar_ok) c_cnt[ohca_fmt_pkg::COUNTER_DB_BAD_PAGE] = 1'b1;
          else begin
            if (!(ck == ohca_fmt_pkg::RS_KIND_PI && cpay[16])) begin
              pi_set = lk.pi_ok;
              c_chg  = lk.pi_ok;
            end
            if (lk.failed && !cx.flushing && (!lk.none || c_chg)) begin
              c_chg      = 1'b1;
              n.flushing = 1'b1;
              flq_push   = 1'b1;
            end
          end
        end else if (ck == ohca_fmt_pkg::RS_KIND_DB) c_cnt[ohca_fmt_pkg::COUNTER_DB_BAD_QP] = 1'b1;
      end
      // -------------------------------------------------------------------------------------------- flush, one WQE
      ohca_fmt_pkg::RS_KIND_FLUSH: begin
        c_x_free = 1'b1;
        if (!cerr && lk.failed) begin
          c_chg      = 1'b1;
          n.flushing = 1'b0;
          if (!cx.err_sent) begin
            // First what the doorbell record says; its answer comes back as ohca_fmt_pkg::RS_KIND_PI.
            dbr_need = 1'b1;
            if (dbr_room) n.err_sent = 1'b1;
            else begin
              flq_push   = 1'b1;
              n.flushing = 1'b1;
            end
          end else if (!lk.none) begin
            c_push           = 1'b1;
            c_x_free         = 1'b0;
            rt_in.cqe        = 1'b1;
            rt_in.flushed    = 1'b1;
            head_step        = 1'b1;
            if (!lk.one) begin
              flq_push   = 1'b1;
              n.flushing = 1'b1;
            end
          end
        end
      end
      // -------------------------------------------------------------------------------------------- errors from elsewhere
      ohca_fmt_pkg::RS_KIND_QERR: begin
        if (!cerr && lk.run) to_err = 1'b1;
      end
      ohca_fmt_pkg::RS_KIND_RERR: begin
        c_x_free = 1'b1;
        // Payload that is lost has been acknowledged already: the NAK is for what the requester is waiting for now, if it is.
        if (!cerr && lk.run && (!is_dg || cpay[25])) begin
          to_err           = 1'b1;
          c_push           = 1'b1;
          c_x_free         = 1'b0;
          c_resv           = !is_dg;
          rt_in.job        = !is_dg;
          rt_in.job_nak    = 1'b1;
          rt_in.psn        = cpay[25] ? cx.epsn : cpay[23:0];
          rt_in.job_synd   = cpay[24] ? ohca_fmt_pkg::RS_SYND_INV : ohca_fmt_pkg::RS_SYND_REM_OP;
          rt_in.ev         = 1'b1;
          rt_in.qerr       = 1'b1;
        end
      end
      // -------------------------------------------------------------------------------------------- management core
      default: begin
        c_x_free = 1'b1;
        if (!cerr && cx.state != was_q) begin
          c_chg = 1'b1;
          if (cx.state == ohca_fmt_pkg::QP_STATE_ERR) begin
            n.err_sent = 1'b0;
            n.flushing = 1'b1;
            flq_push   = 1'b1;
          end
          if (cx.state == ohca_fmt_pkg::QP_STATE_RESET) begin
            n.nak_sent  = 1'b0;
            n.cur_op    = 2'd0;
            n.est_sent  = 1'b0;
            n.wqe_taken = 1'b0;
            n.flushing  = 1'b0;
            n.err_sent  = 1'b0;
            n.rd_any    = 1'b0;
            ring_zero   = 1'b1;
            rt_in.fence = 1'b1;
            c_push      = 1'b1;
            c_x_free    = 1'b0;
          end
        end
      end
    endcase

    // Wide fields in one place, so that each has one small choice.
    n.head = ring_zero ? 16'd0 : fix_head ? fix.head : head_step ? lk.head1 : cx.head;
    n.pi   = ring_zero ? 16'd0 : pi_set ? db_pi : cx.pi;
    n.epsn = fix_back ? fix.psn : p_exec ? lk.next : cx.epsn;
    n.msn  = fix_back ? fix.msn : rt_in.job_done ? lk.msn1 : cx.msn;
    {n.rd_psn_hi, n.rd_psn} = (p_exec && op_read) ? bth.psn : {cx.rd_psn_hi, cx.rd_psn};
    n.va   = fix_back ? fix.va : (p_exec && op_write) ? lk.va1 : cx.va;
    n.rkey = fix_back ? fix.rkey : (p_exec && op_write) ? st_in.key : cx.rkey;
    n.remain = fix_back ? fix.remain : (p_exec && !op_read) ? (op_send ? lk.got : lk.rest) : cx.remain;
    n.dmalen = fix_back ? fix.dmalen : (p_exec && op_write && op_reth) ? reth.dmalen : cx.dmalen;

    if (to_err && !lk.failed) begin
      c_chg      = 1'b1;
      n.state    = ohca_fmt_pkg::QP_STATE_ERR;
      n.err_sent = 1'b0;
      n.flushing = 1'b1;
      flq_push   = 1'b1;
    end
    rt_in.resv = c_resv;
  end

  logic wq_ready, sq_ready, r_rel, rel_q;         // rel_q: the slot of a packet that ended at the commit is told after R's
  // W waits for the host's memory and for S, never for the commit. With Compact the token's words are written one after the other.
  assign c_fire  = c_q == C_ACT && !(c_rel && rel_q) && (!Compact || !c_push || (wq_ready && sq_ready && (dq_ready || !dbr_wait)));
  assign o_ready = c_fire;
  assign o_we    = !cerr && (c_chg || (!Compact && ck == ohca_fmt_pkg::RS_KIND_ACC && acc_chg_q));   // the cache has written what it edited
  assign o_wline = n;
  assign pq_pop  = c_fire && ck == ohca_fmt_pkg::RS_KIND_PKT;
  assign fq_pop  = c_fire && ck == ohca_fmt_pkg::RS_KIND_FIX;

  // One access is under way at a time; that of a reset ends at R.
  logic        fence_q, r_fence;                         // a fence is under way; it leaves
  logic [23:0] fence_qpn_q;                              // whose
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      fence_q         <= 1'b0;
      acc_rsp_valid_o <= 1'b0;
    end else begin
      fence_q         <= (c_fire && c_push && rt_in.fence) || (fence_q && !r_fence);
      acc_rsp_valid_o <= (c_fire && ck == ohca_fmt_pkg::RS_KIND_ACC && !rt_in.fence) || r_fence;
    end
    if (c_fire && ck == ohca_fmt_pkg::RS_KIND_ACC) begin
      fence_qpn_q <= cid;
      acc_rdata_o <= Compact ? ed_old : acc_old_q;
      acc_err_o   <= cerr;
    end
  end

  // ================================================================================================ token queues, numbers, poison
  ohca_fmt_pkg::rs_stok_t st;
  ohca_fmt_pkg::rs_rtok_t rt;
  logic                 st_valid, st_pop, rt_valid, rt_pop;
  logic [TidW-1:0]      w_tid, s_tid, r_tid;             // whose turn it is, and what was of its QP at its commit
  logic [InFlight-1:0]  w_same, s_same, r_same;
  logic [InFlight-1:0]  same;
  logic                 tid_take, same_ok;
  logic                 jobs_any, r_job, jq_ready;
  logic [JobW+1:0]      jobs;
  ohca_fmt_pkg::rs_jres_t r_jres;
  ohca_rs_tokens #(.InFlight(InFlight), .JobDepth(JobDepth), .Compact(Compact), .RoCE(RoCE)) u_tokens (
    .clk_i(clk_i), .rst_i(rst_i),
    .ahead_i(c_q == C_IDLE && o_valid && ck != ohca_fmt_pkg::RS_KIND_ACC), .drop_i(c_fire && !c_push),
    .push_valid_i(Compact ? c_q == C_ACT && c_push && wq_ready && (dq_ready || !dbr_wait) : c_fire && c_push),
    .push_last_i(same_ok), .push_ready_o(sq_ready), .tid_i(c_tid), .same_i(same), .st_i(st_in), .rt_i(rt_in),
    .path_i(rp_in),
    .s_valid_o(st_valid), .s_pop_i(st_pop), .s_tid_o(s_tid), .s_same_o(s_same), .s_o(st),
    .r_valid_o(rt_valid), .r_pop_i(rt_pop), .r_hold_i(fq_valid || fi_valid), .r_tid_o(r_tid), .r_same_o(r_same),
    .r_o(rt), .r_job_i(r_job), .r_jres_i(r_jres), .job_ready_o(jq_ready),
    .rjob_valid_o(rjob_valid_o), .rjob_ready_i(rjob_ready_i), .rjob_o(rjob_o), .jobs_any_o(jobs_any), .jobs_o(jobs),
    .keep_one_i(rerr_out), .job_room_o(job_room_q)
  );

  // Which packets die because of another, see there.
  logic [23:0]     s_qpn;
  logic            prev_v, hit_w, hit_s, hit_r;
  logic [TidW-1:0] prev_tid;
  logic            w_fire, w_mark, w_poison, s_fire, s_poison, s_heads, r_fire, r_poison, r_tid_free;
  assign tid_take = c_fire && c_push && rt_in.poisons;
  ohca_rs_poison #(.InFlight(InFlight), .Compact(Compact)) u_poison (
    .clk_i(clk_i), .rst_i(rst_i),
    .look_i(Compact ? o_valid : c_q == C_IDLE), .look_qpn_i(o_id), .end_i(c_fire), .same_ok_o(same_ok), .same_o(same),
    .tid_o(tid_free), .take_i(tid_take), .qpn_i(cid),
    .w_tid_i(w_tid), .w_same_i(w_same), .w_hit_o(hit_w), .w_fire_i(w_fire), .w_mark_i(w_mark), .w_poison_i(w_poison),
    .s_tid_i(s_tid), .s_same_i(s_same), .s_hit_o(hit_s), .s_qpn_o(s_qpn), .s_prev_v_o(prev_v), .s_prev_o(prev_tid),
    .s_fire_i(s_fire), .s_mark_i(st.mark), .s_poison_i(s_poison), .s_heads_i(s_heads),
    .r_tid_i(r_tid), .r_same_i(r_same), .r_hit_o(hit_r), .r_fire_i(r_fire), .r_poison_i(r_poison), .r_free_i(r_tid_free)
  );

  // ================================================================================================ W: receive WQE
  // Doorbell records: some reads a token waits for, others only refresh the context.
  logic        dbr_idle, vf_valid, vf_pop, vf_err;
  logic [15:0] vf_pi;
  ohca_rs_dbr #(.DW(DW), .InFlight(InFlight), .Compact(Compact)) u_dbr (
    .clk_i(clk_i), .rst_i(rst_i), .idle_o(dbr_idle),
    .ask_i(c_fire && !cerr && (dbr_wait || ((dbr_bg || dbr_need) && dbr_room))), .wait_i(dbr_wait),
    .addr_i(cx.dbr), .qpn_i(cid), .ready_o(dq_ready), .bg_room_o(dbr_room),
    .rd_valid_o(dbr_rd_valid_o), .rd_ready_i(dbr_rd_ready_i), .rd_o(dbr_rd_o),
    .rd_rsp_valid_i(dbr_rd_rsp_valid_i), .rd_rsp_data_i(rd_rsp_data_i), .rd_rsp_last_i(rd_rsp_last_i),
    .rd_rsp_err_i(rd_rsp_err_i),
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
    .tpt_valid_o(ring_tpt_valid_o), .tpt_ready_i(ring_tpt_ready_i), .tpt_o(ring_tpt_o),
    .tpt_rsp_valid_i(ring_tpt_rsp_valid_i), .tpt_rsp_i(tpt_rsp_i),
    .rd_valid_o(ring_rd_valid_o), .rd_ready_i(ring_rd_ready_i), .rd_o(ring_rd_o),
    .rd_rsp_valid_i(ring_rd_rsp_valid_i), .rd_rsp_data_i(rd_rsp_data_i),
    .rd_rsp_last_i(rd_rsp_last_i), .rd_rsp_err_i(rd_rsp_err_i)
  );
  // ================================================================================================ S: scatter
  ohca_fmt_pkg::rs_sout_t so;
  logic                   so_valid;
  ohca_rs_scatter #(.InFlight(InFlight), .Compact(Compact), .Slow(Slow)) u_scatter (
    .clk_i(clk_i), .rst_i(rst_i),
    .tok_valid_i(st_valid), .tok_i(st), .id_i(6'(s_tid)), .qpn_i(s_qpn), .wqe_valid_i(wo_valid), .wqe_i(wo),
    .hit_i(hit_s), .prev_v_i(prev_v), .prev_i(6'(prev_tid)), .fire_o(s_fire), .poison_o(s_poison), .heads_o(s_heads),
    .word_valid_i(word_valid), .word_ready_o(word_ready), .word_i(word),
    .pl_valid_o(pl_req_valid_o), .pl_ready_i(pl_req_ready_i), .pl_o(pl_req_o),
    .out_valid_o(so_valid), .out_ready_i(rt_pop), .out_o(so)
  );
  assign st_pop = s_fire;

  // ================================================================================================ R: result
  logic r_rnr, r_lost;
  ohca_rs_result #(.InFlight(InFlight), .Compact(Compact), .Slow(Slow)) u_result (
    .clk_i(clk_i), .rst_i(rst_i),
    .tok_valid_i(rt_valid), .tok_i(rt), .sc_valid_i(so_valid), .sc_i(so),
    .pl_rsp_valid_i(pl_rsp_valid_i), .pl_rsp_i(pl_rsp_i),
    .hit_i(hit_r), .gone_valid_i(fence_q), .gone_qpn_i(fence_qpn_q),
    .fire_o(r_fire), .poison_o(r_poison), .fix_ready_i(fq_ready), .fix_o(fix_in),
    .job_o(r_job), .job_ready_i(jq_ready), .jres_o(r_jres), .rnr_o(r_rnr), .lost_o(r_lost),
    .cq_valid_o(cq_valid_o), .cq_ready_i(cq_ready_i), .cq_o(cq_o),
    .ev_valid_o(ev_valid_o), .ev_ready_i(ev_ready_i), .ev_o(ev_o),
    .qerr_valid_o(qerr_valid_o), .qerr_ready_i(qerr_ready_i), .qerr_qpn_o(qerr_qpn_o), .qerr_room_o(qerr_room)
  );
  assign rt_pop = r_fire;

  assign fix_push   = r_fire && r_poison;
  // The number is free again with the mark, or when the token ends without poison (a dead token's own poison is covered by what killed it).
  assign r_tid_free = r_fire && (rt.mark || (rt.poisons && !r_poison));
  assign pkt_freed  = r_tid_free;
  assign x_freed    = r_fire && !rt.mark && !rt.poisons;
  assign r_rel      = r_fire && rt.rel;
  assign r_fence    = r_fire && rt.fence;

  // What is told to others leaves from flops: nobody needs it in the cycle.
  ohca_fmt_pkg::rx_viol_t viol;
  logic [63:0]            cnt;
  logic [5:0]             rel_slot_q;
  always_ff @(posedge clk_i) begin
    rel_q        <= !rst_i && ((c_fire && c_rel) || (rel_q && r_rel));
    if (!rel_q) rel_slot_q <= p.slot;
    rel_valid_o  <= !rst_i && (r_rel || rel_q);
    rel_slot_o   <= r_rel ? rt.slot : rel_slot_q;
    viol_valid_o <= !rst_i && c_fire && (c_cnt[ohca_fmt_pkg::COUNTER_RX_PKEY] || c_cnt[ohca_fmt_pkg::COUNTER_RX_QKEY]);
    if (c_q == C_ACT) viol_o <= viol;
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
    viol        = '0;
    viol.qkey   = pkey_ok;
    viol.sl     = p.sl;
    viol.slid   = p.slid;
    viol.dlid   = p.dlid;
    viol.key    = pkey_ok ? deth.qkey : {16'd0, bth.pkey};
    viol.srcqp  = is_dg ? deth.srcqp : 24'd0;
    viol.destqp = bth.destqp;
    viol.grh    = p.grh_v;
    viol.sgid   = grh.sgid;
    viol.dgid   = grh.dgid;
  end

  always_comb begin
    cnt = c_fire ? c_cnt : 64'd0;
    if (r_fire && r_rnr)  cnt[ohca_fmt_pkg::COUNTER_RX_RNR] = 1'b1;
    if (r_fire && r_lost) cnt[ohca_fmt_pkg::COUNTER_RX_UD_DROP] = 1'b1;
    if (lk_miss)          cnt[ohca_fmt_pkg::COUNTER_RESP_FULL] = 1'b1;
  end

  assign idle_o = ctx_idle && rf_idle && !pq_valid && !fi_valid && !fq_valid && lk_idle && c_q == C_IDLE && !o_valid &&
                  !acc_rsp_valid_o && !rel_valid_o && !rel_q && cnt_o == '0 && !ce_valid_o && dbr_idle &&
                  !pl_req_valid_o && !cq_valid_o && !ev_valid_o && !jobs_any && !qerr_valid_o;

  `ASSERT(TokenRoom_A, !(c_fire && c_push) || (wq_ready && sq_ready))
  `ASSERT(Changed_A, !c_fire || cerr || c_chg || n == cx)
  `ASSERT(FixRoom_A, !fix_push || (fq_ready && fi_ready))
  `ASSERT(PacketThere_A, !(c_fire && ck == ohca_fmt_pkg::RS_KIND_PKT) || pq_valid)

  logic unused;
  assign unused = &{1'b0, same_ok, o_inval, fq_ready, fi_ready, dq_ready, acc_i.part, p.from_fw, p.loop, p.eth, acc_words,
                    in_bth, bth, grh, deth.rsvd0, o_cx, o_line};

endmodule

`default_nettype wire
