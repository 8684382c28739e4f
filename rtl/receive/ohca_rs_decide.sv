// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Responder, decision: what a token does to its context, and what it sends to the stages behind the commit. A table, no
// state: everything it needs to know was compared a cycle before (ohca_rs_look), so each field has one small choice.
//
//   packet   counted and dropped if it is none of the QP's; a duplicate is answered again, a gap is told once, an
//            invalid request goes to R as it is, with the context left alone; else it is executed: the context moves on
//            as if the payload will be placed and the receive WQE is there, and the token asks for both. A READ that
//            the response engine has no place for (rd_few_i), new or repeated, gets an RNR NAK as often as it comes,
//            and what follows a new one is a gap that was told already
//   fix-up   the context goes to ERR, or back to where the packet that failed was; the mark ends the poison
//   index    of the receive queue, read or rung: taken if it lies ahead
//   flush    in ERR: first what the doorbell record says, then one receive WQE at a time is completed
//   errors   of the requester side, or found behind the responder: ERR, here with a NAK and an event
//   access   of the management core: ERR begins the flush, RESET clears what the responder keeps, and sends a fence
//
// Of the IBA it keeps: one NAK for a gap until a packet is accepted (9.7.5.1), duplicates acknowledged up to the newest
// packet executed, never past a READ (C9-105, 9.7.5.1), the MSN of complete messages and accepted READs (C9-148), a
// receive for SENDs and immediate data only (C10-87), and what is counted for packets that are discarded. It does NOT
// know whether a receive WQE is there, and of a READ no history.

// comb: all of it, into the registers of the commit.

`default_nettype none

module ohca_rs_decide (
  input  logic [25:0]              pay_i,              // what came with it: see ohca_rs_lookup
  input  logic [23:0]              qpn_i,
  input  logic                     err_i,              // there is no such context
  input  ohca_fmt_pkg::rsc_t       cx_i,               // an access has changed it already
  input  ohca_fmt_pkg::qp_state_e  was_i,              // the state before that
  input  ohca_fmt_pkg::rs_look_t   look_i,
  input  logic                     gsi_any_i,          // QP1: the P_Key is one of the table, and which
  input  logic [5:0]               gsi_first_i,
  input  ohca_fmt_pkg::rxd_t       p_i,
  input  ohca_fmt_pkg::rs_fix_t    fix_i,
  input  logic [2:0]               lmc_i,
  input  logic                     job_room_i,         // an answer may be promised
  input  logic                     rd_few_i,           // READs find no place: they are refused
  input  logic                     dbr_room_i,         // a doorbell record may be read that nobody waits for

  output logic                     chg_o,              // next_o may differ from cx_i: cheaper than a comparison
  output ohca_fmt_pkg::rsc_t       next_o,
  output logic                     push_o,             // a token goes to the stages
  output ohca_fmt_pkg::rs_wtok_t   wt_o,
  output ohca_fmt_pkg::rs_stok_t   st_o,
  output ohca_fmt_pkg::rs_rtok_t   rt_o,
  output ohca_fmt_pkg::rs_path_t   path_o,
  output logic                     rel_o,              // the packet ends here: its slot and its number are free
  output logic                     x_free_o,           // so does a token without a number
  output logic                     flush_o,            // receive WQEs of this QP are to be flushed
  output logic                     dbr_ask_o,          // its doorbell record is read
  output logic                     dbr_wait_o,         //   and the token waits for that
  output logic [63:0]              cnt_o,
  output ohca_fmt_pkg::rx_viol_t   viol_o              // the packet, if it is refused for a key
);

  ohca_fmt_pkg::rsc_t     cx, n;
  ohca_fmt_pkg::rs_look_t lk;
  ohca_fmt_pkg::rs_fix_t  fix;
  ohca_fmt_pkg::rxd_t     p;
  ohca_fmt_pkg::bth_t     bth;
  ohca_fmt_pkg::grh_t     grh;
  ohca_fmt_pkg::reth_t    reth;
  ohca_fmt_pkg::deth_t    deth;
  assign cx   = cx_i;
  assign lk   = look_i;
  assign fix  = fix_i;
  assign p    = p_i;
  assign bth  = p.bth;
  assign grh  = p.grh;
  assign reth = p.ext[223:96];
  assign deth = p.ext[223:160];

  ohca_fmt_pkg::opcode_t op;
  logic                  op_end;               // the message is complete with it
  assign op     = lk.op;
  assign op_end = op.last || op.only;

  logic k_acc, k_fix, k_pkt, k_pi, k_flush, k_db, k_qerr, k_rerr;
  assign k_acc   = lk.on[ohca_fmt_pkg::RS_KIND_ACC];
  assign k_fix   = lk.on[ohca_fmt_pkg::RS_KIND_FIX];
  assign k_pkt   = lk.on[ohca_fmt_pkg::RS_KIND_PKT];
  assign k_pi    = lk.on[ohca_fmt_pkg::RS_KIND_PI];
  assign k_flush = lk.on[ohca_fmt_pkg::RS_KIND_FLUSH];
  assign k_db    = lk.on[ohca_fmt_pkg::RS_KIND_DB];
  assign k_qerr  = lk.on[ohca_fmt_pkg::RS_KIND_QERR];
  assign k_rerr  = lk.on[ohca_fmt_pkg::RS_KIND_RERR];

  // ---- packet
  logic is_dg, pkey_ok, p_dg, p_room, d_valid, d_ack, d_read, p_nak, p_rnr, p_next, p_inv, p_exec, p_push, p_cqe,
      p_job, take_wqe;
  logic exec_send, exec_write, exec_read;
  ohca_fmt_pkg::rs_mode_e mode;
  logic [31:0] rem;                            // WRITE: bytes left
  assign is_dg      = lk.dg;
  assign pkey_ok    = lk.gsi ? gsi_any_i : lk.pkey_ok;
  assign p_dg       = k_pkt && lk.msg && pkey_ok;
  assign p_room     = k_pkt && lk.conn && job_room_i;
  assign d_ack      = p_room && lk.is_dup && (op.send || op.write);
  assign d_valid    = lk.is_dup && op.read && lk.len_ok && lk.acc_ok && lk.sum_ok && lk.dup_end;
  assign d_read     = p_room && d_valid && !rd_few_i;
  assign p_rnr      = p_room && op.read && rd_few_i && (d_valid || (lk.is_new && lk.valid));
  assign p_nak      = p_room && !lk.is_dup && !lk.is_new && !cx.nak_sent;
  assign p_next     = p_room && lk.is_new;
  assign p_exec     = p_next && lk.valid && !(op.read && rd_few_i);
  assign p_inv      = p_next && !lk.valid;
  assign exec_send  = p_exec && op.send;
  assign exec_write = p_exec && op.write;
  assign exec_read  = p_exec && op.read;
  assign p_push     = p_dg || d_ack || d_read || p_nak || p_rnr || p_next;
  // Invalid request: a receive WQE already begun tells of it. The context is left alone: it may be ahead of the truth;
  // if it is not, the fix-up takes it to ERR. Another packet may come with the same PSN until then: the poison begins
  // in S.
  assign p_cqe      = p_dg || (exec_send && op_end) || (exec_write && op.imm) || (p_inv && cx.wqe_taken);
  assign p_job      = d_ack || d_read || p_nak || p_rnr || (p_exec && (op.read || bth.ackreq));
  assign take_wqe   = p_dg || (exec_send && (op.first || op.only)) || (exec_write && op.imm);
  assign rem        = op.reth ? reth.dmalen : cx.remain;
  always_comb begin
    mode = ohca_fmt_pkg::RS_MODE_NONE;
    if (p_dg || exec_send)                                             mode = ohca_fmt_pkg::RS_MODE_SCATTER;
    else if (exec_write && p.plen != 13'd0)                            mode = ohca_fmt_pkg::RS_MODE_DIRECT;
    else if ((exec_read || d_read) && reth.dmalen != 32'd0)             mode = ohca_fmt_pkg::RS_MODE_CHECK;
  end

  // ---- the others
  logic fix_ok, fix_back, idx_ok, pi_set, again, fl_on, fl_ask, fl_one, rerr, to_err, acc_set, acc_err, reset, new_err;
  assign fix_ok   = k_fix && lk.back_ok;
  assign fix_back = fix_ok && !fix.err && fix.rc && !lk.failed;
  assign idx_ok   = (k_pi || k_db) && lk.alive && !(k_db && !lk.uar_ok);
  assign pi_set   = idx_ok && !(k_pi && pay_i[16]) && lk.pi_ok;
  // Some of the flushes may have died from the poison; or there is more to flush now.
  assign again    = lk.failed && !cx.flushing && (fix_ok || (idx_ok && (!lk.none || pi_set)));
  assign fl_on    = k_flush && lk.failed;
  assign fl_ask   = fl_on && !cx.err_sent;     // its answer comes back as an index
  assign fl_one   = fl_on && cx.err_sent && !lk.none;
  // Payload that is lost has been acknowledged already: the NAK is for what the requester is waiting for now, if it is.
  assign rerr     = k_rerr && lk.run && (!is_dg || pay_i[25]);
  assign to_err   = ((fix_ok && fix.err) || (k_qerr && lk.run) || rerr) && !lk.failed;
  assign acc_set  = k_acc && !err_i && cx.state != was_i;
  assign acc_err  = acc_set && cx.state == ohca_fmt_pkg::QP_STATE_ERR;
  assign reset    = acc_set && cx.state == ohca_fmt_pkg::QP_STATE_RESET;
  assign new_err  = to_err || acc_err;

  logic fl_more;
  assign fl_more    = (fl_ask && !dbr_room_i) || (fl_one && !lk.one);
  assign flush_o    = new_err || again || fl_more;
  assign push_o     = p_push || k_fix || fl_one || rerr || reset;
  assign rel_o      = k_pkt && !p_push;
  assign x_free_o   = (k_flush && !fl_one) || (k_rerr && !rerr) || (k_acc && !reset);
  assign dbr_wait_o = take_wqe && lk.none;
  // The record is read every now and then, long before what is known is used up: nobody waits for that, and the peer
  // gets new credits while it still has some.
  assign dbr_ask_o  = !err_i && (dbr_wait_o || (((take_wqe && lk.renew) || fl_ask) && dbr_room_i));

  // ---- what the stages get
  always_comb begin
    wt_o         = '0;
    wt_o.mark    = k_fix;
    wt_o.wqe     = p_dg || exec_send;
    wt_o.verify  = dbr_wait_o;
    wt_o.used    = p_cqe && !p_inv;
    wt_o.code    = ohca_fmt_pkg::credit_less(lk.left, wt_o.used);
    wt_o.idx     = cx.head;
    wt_o.size    = lk.size;
    wt_o.buf_mtt = cx.buf_mtt;
    wt_o.ring    = cx.buf_;
    wt_o.offset  = lk.offset;
    wt_o.len     = 13'd1 << cx.log_stride;

    st_o         = '0;
    st_o.mark    = k_fix;
    st_o.mode    = mode;
    st_o.inv     = p_inv;
    st_o.dup     = k_pkt && lk.is_dup && !is_dg;
    st_o.ud      = is_dg;
    st_o.grh     = p.grh_v;
    st_o.priv    = cx.priv;
    st_o.pd      = cx.pd;
    st_o.key     = op.reth ? reth.rkey : cx.rkey;
    st_o.va      = op.reth ? reth.va : cx.va;
    st_o.chk_len = rem;
    st_o.more    = (op.middle || op.last) && !is_dg;
    st_o.base    = p.base;
    st_o.pay_off = p.pay_off;
    st_o.plen    = p.plen;

    path_o.av      = cx.av;
    path_o.dqpn    = cx.dqpn;
    path_o.mtu     = cx.mtu;
    path_o.priv    = cx.priv;
    path_o.pd      = cx.pd;
    path_o.base    = p.base;
    path_o.pay_off = p.pay_off;
  end

  always_comb begin
    rt_o            = '0;
    rt_o.mark       = k_fix;
    rt_o.fence      = reset;
    rt_o.poisons    = k_pkt;
    rt_o.rel        = k_pkt;
    rt_o.rc         = !is_dg;
    rt_o.dup        = st_o.dup;
    rt_o.inv        = p_inv;
    rt_o.mode       = mode;
    rt_o.wr_last    = op.last;
    rt_o.resv       = (p_push || rerr) && !is_dg;
    rt_o.job        = p_job || (rerr && !is_dg);
    rt_o.job_nak    = p_nak || p_rnr || rerr;
    rt_o.job_read   = exec_read || d_read;
    rt_o.job_synd   = p_nak ? ohca_fmt_pkg::RS_SYND_SEQ : !rerr ? ohca_fmt_pkg::RS_SYND_ACK :
                      pay_i[24] ? ohca_fmt_pkg::RS_SYND_INV : ohca_fmt_pkg::RS_SYND_REM_OP;
    rt_o.job_done   = p_exec && (op_end || op.read);
    rt_o.cqe        = p_cqe || fl_one;
    rt_o.flushed    = fl_one;
    rt_o.solicited  = bth.se && k_pkt;
    rt_o.est        = p_exec && lk.est;
    rt_o.ev         = rerr;
    rt_o.qerr       = rerr;
    rt_o.slot       = p.slot;
    rt_o.min_rnr    = (!op.read || p_rnr) ? cx.min_rnr : lk.is_dup ? 5'd0 : cx.max_rd;
    rt_o.cqn        = cx.cqn;
    rt_o.idx        = cx.head;
    // These are looked at only with a completion that has no error.
    rt_o.cqe_write  = op.write && !is_dg;
    rt_o.cqe_imm    = op.imm && k_pkt;
    rt_o.byte_len   = (is_dg || op.send) ? lk.got : op.reth ? reth.dmalen : cx.dmalen;
    rt_o.imm        = ohca_fmt_pkg::bswap32(is_dg ? p.ext[159:128] : op.reth ? p.ext[95:64] : p.ext[223:192]);
    rt_o.grh        = p.grh_v;
    rt_o.src_qp     = deth.srcqp;
    rt_o.sl         = p.sl;
    rt_o.slid       = p.slid;
    rt_o.path_bits  = p.dlid[6:0] & ~(7'h7f << lmc_i);
    rt_o.csum_ok    = p.csum_ok;
    rt_o.qpn        = qpn_i;
    rt_o.msn        = cx.msn;
    rt_o.pkey_index = lk.gsi ? {10'd0, gsi_first_i} : cx.pkey_index;
    rt_o.va         = st_o.va;
    rt_o.rkey       = st_o.key;
    rt_o.len        = rem;
    // Acknowledged again, up to the newest packet executed; but never past a READ, whose data may be lost.
    rt_o.psn        = bth.psn;
    if (k_rerr)                                          rt_o.psn = pay_i[25] ? cx.epsn : pay_i[23:0];
    else if (k_pkt && lk.is_dup && !op.read && !lk.behind) rt_o.psn = lk.epsn_1;
    else if (k_pkt && !lk.is_dup && !lk.is_new)          rt_o.psn = cx.epsn;
  end

  // ---- the context
  assign chg_o  = p_dg || p_exec || p_nak || p_rnr || ((d_ack || d_read) && cx.nak_sent) || fix_ok || pi_set || again ||
                  fl_on || acc_set || to_err;
  assign next_o = n;
  always_comb begin
    n = cx;
    if (d_ack || d_read || p_exec || reset)  n.nak_sent = 1'b0;
    if (p_nak || fix_back || (p_rnr && lk.is_new)) n.nak_sent = 1'b1;
    if (rt_o.est)                            n.est_sent = 1'b1;
    if (reset)                               n.est_sent = 1'b0;
    if (exec_read)                           n.rd_any = 1'b1;
    if (reset)                               n.rd_any = 1'b0;
    if (exec_write || exec_send)             n.cur_op = op.leaves;
    if (fix_back || reset)                   n.cur_op = ohca_fmt_pkg::RS_MSG_NONE;
    if (fix_back && fix.wr_last)             n.cur_op = ohca_fmt_pkg::RS_MSG_WRITE;
    if (exec_send)                           n.wqe_taken = !op_end;
    if (fix_back || reset)                   n.wqe_taken = 1'b0;
    if (fl_on || reset)                      n.flushing = 1'b0;
    if (new_err || again || fl_more)         n.flushing = 1'b1;
    if (fl_ask && dbr_room_i)                n.err_sent = 1'b1;
    if (new_err || reset)                    n.err_sent = 1'b0;
    if (to_err)                              n.state = ohca_fmt_pkg::QP_STATE_ERR;
    // Wide fields, each with one small choice.
    n.head = reset ? 16'd0 : fix_ok ? fix.head : (wt_o.used || fl_one) ? lk.head1 : cx.head;
    n.pi   = reset ? 16'd0 : pi_set ? pay_i[15:0] : cx.pi;
    n.epsn = fix_back ? fix.psn : p_exec ? lk.next : cx.epsn;
    n.msn  = fix_back ? fix.msn : rt_o.job_done ? lk.msn1 : cx.msn;
    {n.rd_psn_hi, n.rd_psn} = exec_read ? bth.psn : {cx.rd_psn_hi, cx.rd_psn};
    n.va     = fix_back ? fix.va : exec_write ? lk.va1 : cx.va;
    n.rkey   = fix_back ? fix.rkey : exec_write ? st_o.key : cx.rkey;
    n.remain = fix_back ? fix.remain : exec_send ? lk.got : exec_write ? lk.rest : cx.remain;
    n.dmalen = fix_back ? fix.dmalen : (exec_write && op.reth) ? reth.dmalen : cx.dmalen;
  end

  // ---- what is counted
  always_comb begin
    cnt_o = '0;
    if (k_pkt) begin
      if (err_i)             cnt_o[ohca_fmt_pkg::COUNTER_RX_QPN]      = 1'b1;
      else if (!lk.run)      cnt_o[ohca_fmt_pkg::COUNTER_RX_QP_STATE] = 1'b1;
      else if (!lk.type_ok)  cnt_o[ohca_fmt_pkg::COUNTER_RX_OPCODE]   = 1'b1;
      else if (!pkey_ok)     cnt_o[ohca_fmt_pkg::COUNTER_RX_PKEY]     = 1'b1;
      else if (!lk.path_ok)  cnt_o[ohca_fmt_pkg::COUNTER_RX_PATH]     = 1'b1;
      else if (is_dg) begin
        if (!lk.qkey_ok)     cnt_o[ohca_fmt_pkg::COUNTER_RX_QKEY]     = 1'b1;
        else if (!lk.mad_ok) cnt_o[ohca_fmt_pkg::COUNTER_RX_UD_DROP]  = 1'b1;
      end else begin
        if (lk.is_dup)       cnt_o[ohca_fmt_pkg::COUNTER_RX_DUP] = 1'b1;
        else if (!lk.is_new) cnt_o[ohca_fmt_pkg::COUNTER_RX_OOO] = 1'b1;
        if (p_rnr)           cnt_o[ohca_fmt_pkg::COUNTER_RX_RNR] = 1'b1;
        if (!job_room_i && (lk.is_dup || lk.is_new || !cx.nak_sent)) cnt_o[ohca_fmt_pkg::COUNTER_RESP_FULL] = 1'b1;
      end
    end
    if (k_db && lk.alive && !lk.uar_ok) cnt_o[ohca_fmt_pkg::COUNTER_DB_BAD_PAGE] = 1'b1;
    if (k_db && !lk.alive)              cnt_o[ohca_fmt_pkg::COUNTER_DB_BAD_QP]   = 1'b1;

    viol_o        = '0;
    viol_o.qkey   = pkey_ok;
    viol_o.sl     = p.sl;
    viol_o.slid   = p.slid;
    viol_o.dlid   = p.dlid;
    viol_o.key    = pkey_ok ? deth.qkey : {16'd0, bth.pkey};
    viol_o.srcqp  = is_dg ? deth.srcqp : 24'd0;
    viol_o.destqp = bth.destqp;
    viol_o.grh    = p.grh_v;
    viol_o.sgid   = grh.sgid;
    viol_o.dgid   = grh.dgid;
  end

  logic unused;
  assign unused = &{1'b0, p.from_fw, p.loop, p.eth, p.ce, p.vl15, p.gidx, bth, op, grh, deth.rsvd0, lk.conn,
                    pay_i[25:0]};

endmodule

`default_nettype wire
