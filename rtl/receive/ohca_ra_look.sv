// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Works out what a token of the acknowledge engine comes to for its context: whether a response counts and as what,
// what a report or a timer asks for, retries that are left, times. All kinds of tokens at once, in the cycle in which
// the context comes; the result lies in registers while the commit decides, which then needs no adder of its own before
// its answer. The time of a wait for a receiver is found in the cycle after that, from what was kept.
//
// Latency one cycle, a result a cycle; the inputs belong to one token. It does NOT say what becomes of the QP
// (ohca_ra_decide and ohca_ra_retry do), and what an access of the management core changes is not in it. pkey_i is
// combinational of pkey_idx_o. cyc_*_i are settings: they stand still two cycles before they count. No port has a
// ready. Compact: pkey_i goes to a flop first, as it comes from afar, and what depends on it (is it an answer, and of
// which kind; are there credits) follows the context and packet at the inputs, whatever load_i, two cycles later. Then
// both stay until the token is done with.
// lint: Compact=1

`default_nettype none

module ohca_ra_look #(
  parameter bit                    Compact = 1'b0
) (
  input  logic                     clk_i,
  input  logic                     load_i,       // look_o changes

  input  logic [31:0]              tick_i,
  input  logic [15:0]              cyc_4us_i,
  input  logic [15:0]              cyc_10us_i,

  input  ohca_fmt_pkg::ra_ck_e     kind_i,
  input  ohca_fmt_pkg::rac_t       cx_i,
  input  logic                     err_i,        // cx_i is none
  input  ohca_fmt_pkg::ra_up_t     up_i,         // a report
  input  ohca_fmt_pkg::rxd_t       p_i,          // a response
  input  logic [2:0]               lmc_i,
  output logic [15:0]              pkey_idx_o,
  input  logic [15:0]              pkey_i,

  input  logic                     news_i,       // news of the walk: its state
  input  logic [15:0]              una_i,
  input  logic [23:0]              acked_i,
  input  logic [7:0]               rd_done_i,

  input  logic                     rnr_i,        // not load_i: a wait is asked for, the times change
  input  logic [4:0]               rnr_code_i,   //   to this one
  input  logic [31:0]              rnr_tmr_i,    //   of the context that was loaded

  output ohca_fmt_pkg::ra_look_t   look_o
);

  ohca_fmt_pkg::ra_look_t d;

  // A time from now in ticks, at least what was asked for; what deadlines cannot tell apart is waited for in rounds of
  // 2^30 ticks. The QP's timeout, or where an RNR NAK is dealt with its code: one or one and a half times a power of
  // two of 10 us.
  logic [4:0]  t_sh;
  logic [17:0] t_base;                                               // in half cycles
  logic [48:0] t_raw;
  logic [31:0] t_less1, t_now, t_end_left;
  logic [17:0] t_15us_q;                                             // a setting, which stands still
  always_ff @(posedge clk_i) t_15us_q <= {1'b0, cyc_10us_i, 1'b0} + {2'd0, cyc_10us_i};
  always_comb begin
    t_base = {1'b0, rnr_i ? cyc_10us_i : cyc_4us_i, 1'b0};
    if (rnr_i && rnr_code_i[0] && rnr_code_i[4:1] != 4'd0) t_base = t_15us_q;
  end
  assign t_sh       = !rnr_i ? cx_i.timeout : rnr_code_i == 5'd0 ? 5'd16 : {1'b0, rnr_code_i[4:1]};
  assign t_raw      = {31'd0, t_base} << t_sh;
  assign t_less1    = {2'd0, t_raw[38:9]};
  assign t_now      = tick_i - (rnr_i ? rnr_tmr_i : cx_i.tmr);
  assign t_end_left = t_now - ~t_less1;                              // t_end - tmr, beside the adder of t_end

  always_comb begin
    d.tick      = tick_i;
    d.t_end     = tick_i - ~t_less1;                                 // tick + t_less1 + 1, in one adder
    d.t_more    = t_raw[48:39];
    d.early     = ohca_fmt_pkg::time_lt(cx_i.deadline, cx_i.tmr);
    d.early_end = t_end_left[31];
  end

  // The context itself.
  logic        run, alive, una_lerr, tmr, past;
  logic [15:0] pi_ahead;
  assign run      = !err_i && (cx_i.state == ohca_fmt_pkg::QP_STATE_RTS || cx_i.state == ohca_fmt_pkg::QP_STATE_SQD);
  assign alive    = !err_i && cx_i.state >= ohca_fmt_pkg::QP_STATE_RTS;
  assign pi_ahead = cx_i.pi - cx_i.una;
  assign una_lerr = cx_i.err_valid && cx_i.una == cx_i.err_idx;
  assign tmr      = kind_i == ohca_fmt_pkg::RA_CK_TMR && run;
  assign past     = !ohca_fmt_pkg::time_lt(tick_i, cx_i.deadline);
  always_comb begin
    for (int unsigned k = 0; k < 8; k++) d.on[k] = kind_i == ohca_fmt_pkg::ra_ck_e'(k);
    d.run   = run;
    d.alive = alive;
    d.bad   = !err_i && (cx_i.state == ohca_fmt_pkg::QP_STATE_ERR || cx_i.state == ohca_fmt_pkg::QP_STATE_SQE);
    d.dg    = cx_i.qtype == ohca_fmt_pkg::QP_TYPE_UD || cx_i.qtype == ohca_fmt_pkg::QP_TYPE_SMI ||
              cx_i.qtype == ohca_fmt_pkg::QP_TYPE_GSI;
    d.timed = cx_i.timeout != 5'd0 && !d.dg;
    d.arms  = run && kind_i != ohca_fmt_pkg::RA_CK_ACC;
    d.work  = pi_ahead != 16'd0;
    d.work1 = pi_ahead != 16'd1;
    d.open  = cx_i.acked_psn != cx_i.sent_psn;
    d.due   = tmr && past && cx_i.dl_more == 10'd0;
    d.tmo   = d.due && !cx_i.rnr_wait && d.open && d.timed;
    d.round = tmr && past && cx_i.dl_more != 10'd0;
  end

  // News of the walk. After an error the failed WQE is behind una already.
  logic [15:0] una1;
  assign una1 = una_i + 16'd1;
  always_comb begin
    d.u_step  = una_i - cx_i.una;
    d.u_apply = news_i && alive && (run || !d.u_step[15]);
    d.u_moved = acked_i != cx_i.acked_psn;
    d.u_read  = rd_done_i != cx_i.rd_done;
    d.u_run   = kind_i == ohca_fmt_pkg::RA_CK_UPD && news_i && run;
    d.u_lerr  = d.u_run && cx_i.err_valid && una_i == cx_i.err_idx;
    d.u_free  = d.u_run && !(cx_i.err_valid && una_i == cx_i.err_idx) && !cx_i.rnr_wait;
    // Of what may cost a retry only news of the walk come with progress.
    d.u_fresh  = d.u_run && d.u_moved && !d.dg;
    d.none     = (d.u_fresh ? cx_i.retry_cnt : cx_i.retry_left) == 3'd0;
    d.rnr_none = (d.u_fresh ? cx_i.rnr_retry : cx_i.rnr_left) == 3'd0 && cx_i.rnr_retry != 3'd7;
    d.u_open  = acked_i != cx_i.sent_psn;
    d.u_work  = una_i != cx_i.pi;
    d.u_work1 = una1 != cx_i.pi;
  end

  // Reports of the send engine.
  logic [15:0] up_ahead, idx_ahead, err_ahead, idx2;
  assign up_ahead  = up_i.pi - cx_i.una;
  assign idx_ahead = up_i.idx - cx_i.una;
  assign err_ahead = cx_i.err_idx - cx_i.una;
  assign idx2      = up_i.idx + 16'd2;
  logic        up;
  assign up        = kind_i == ohca_fmt_pkg::RA_CK_UP && alive;
  always_comb begin
    d.up_sent   = up && up_i.kind == ohca_fmt_pkg::UPK_SENT;
    d.up_flush  = up && up_i.kind == ohca_fmt_pkg::UPK_FLUSH;
    d.up_ud     = up && up_i.kind == ohca_fmt_pkg::UPK_UD_DONE && d.dg && run && !idx_ahead[15];
    d.up_fail   = up && up_i.kind == ohca_fmt_pkg::UPK_LOCAL_ERR && !idx_ahead[15];
    d.idx1      = up_i.idx + 16'd1;
    d.ud_lerr   = d.up_ud && cx_i.err_valid && d.idx1 == cx_i.err_idx;
    d.up_una    = up && up_i.kind == ohca_fmt_pkg::UPK_LOCAL_ERR && run && up_i.idx == cx_i.una && !una_lerr;
    d.up_pi     = !up_ahead[15] && up_ahead > pi_ahead;
    d.up_psn    = ohca_fmt_pkg::psn_lt(cx_i.sent_psn, up_i.psn);
    d.up_open   = cx_i.acked_psn != up_i.psn;
    d.idx_pi    = idx_ahead >= pi_ahead;
    d.idx_err   = !cx_i.err_valid || idx_ahead < err_ahead;
    d.idx2_work = idx2 != cx_i.pi;
  end

  // Responses.
  ohca_fmt_pkg::bth_t    bth;
  ohca_fmt_pkg::grh_t    grh;
  ohca_fmt_pkg::aeth_t   aeth;
  ohca_fmt_pkg::av_t     cav;
  ohca_fmt_pkg::opcode_t op;
  ohca_opcode u_opcode (.op_i(bth.opcode), .is_o(op));
  assign bth        = p_i.bth;
  assign grh        = p_i.grh;
  assign aeth       = p_i.ext[223:192];
  assign cav        = cx_i.av;
  logic                newest, ours;                                 // once more; of the QP's by all but its PSN
  assign ours       = kind_i == ohca_fmt_pkg::RA_CK_RESP && run && d.type_ok && d.pkey_ok && d.path_ok;
  assign newest     = 24'(bth.psn + 24'd1) == cx_i.acked_psn;
  assign pkey_idx_o = cx_i.pkey_index;
  logic [15:0] pkey;
  if (Compact) begin : g_late
    always_ff @(posedge clk_i) pkey <= pkey_i;
  end else begin : g_now
    assign pkey = pkey_i;
  end
  always_comb begin
    d.type_ok = cx_i.qtype == ohca_fmt_pkg::QP_TYPE_RC && op.rc;
    d.pkey_ok = pkey[14:0] == bth.pkey[14:0] && pkey[14:0] != 15'd0 && (pkey[15] || bth.pkey[15]);
    d.path_ok = !p_i.vl15 && p_i.slid == cav.dlid && p_i.grh_v == cav.grh &&
                ((p_i.dlid[6:0] ^ cav.path_bits) & ~(7'h7f << lmc_i)) == 7'd0 &&
                (!cav.grh || (grh.sgid == ohca_fmt_pkg::bswap128(cav.dgid) && p_i.gidx == cav.sgid_index));
    d.in_win  = 24'(bth.psn - cx_i.acked_psn) < 24'(cx_i.sent_psn - cx_i.acked_psn);
    d.is_old  = ohca_fmt_pkg::psn_lt(bth.psn, cx_i.acked_psn);
    // Reserved syndromes are ignored.
    d.aeth_ok = !aeth.rsvd0 && aeth.kind != ohca_fmt_pkg::AETH_KIND_RSVD &&
                !(aeth.kind == ohca_fmt_pkg::AETH_KIND_NAK && aeth.value > 5'd3);
    d.op_ack  = op.ack;
    d.op_rd   = op.resp;
    d.ack     = aeth.kind == ohca_fmt_pkg::AETH_KIND_ACK;
    d.psn1    = bth.psn + 24'd1;
    d.r_open  = d.psn1 != cx_i.sent_psn;
    d.lsn     = aeth.msn + {8'd0, ohca_fmt_pkg::credit_decode(aeth.value)};
    d.lsn_tell = newest || (aeth.value < 5'd16 && aeth.value != 5'd0);
    d.answer   = ours && (op.resp || (op.ack && d.aeth_ok));
    d.a_ack    = d.answer && !op.resp && d.ack;
    d.a_nak    = d.answer && !op.resp && !d.ack;
    d.a_middle = d.a_ack && cx_i.end_valid && ohca_fmt_pkg::psn_lt(bth.psn, cx_i.end_psn);
    d.a_lerr   = d.a_middle && una_lerr;
    d.credits  = ours && (d.in_win || newest) && d.ack && (op.ack ? d.aeth_ok : op.resp && op.aeth);
  end

  always_ff @(posedge clk_i) begin
    if (load_i) look_o <= d;
    if (Compact) begin
      {look_o.pkey_ok, look_o.answer, look_o.credits}                <= {d.pkey_ok, d.answer, d.credits};
      {look_o.a_ack, look_o.a_nak, look_o.a_middle, look_o.a_lerr}   <= {d.a_ack, d.a_nak, d.a_middle, d.a_lerr};
    end
    if (rnr_i) begin
      look_o.t_end     <= d.t_end;
      look_o.t_more    <= d.t_more;
      look_o.early_end <= d.early_end;
    end
  end

  logic unused;
  assign unused = &{1'b0, cx_i, up_i, p_i, bth, op, grh, aeth, cav, t_raw[8:0], t_end_left[30:0]};

endmodule

`default_nettype wire
