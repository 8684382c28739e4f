// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Acknowledge engine, retire: the late state of one QP while a token walks its WQEs. It is advanced by one WQE at a
// time, the oldest, whose header has just been read: that WQE retires, goes on, or fails, or nothing follows.
//
// Of the IBA it keeps: an ACK completes what is before it, but no READ, which is asked for again, once (9.7.5); a READ
// is what its own responses, in order and as long as they should be, have brought; a NAK acts where all before it has
// retired (9.7.5.2); what a NAK's or a response's fault is called (10.7.3.1, Local Length and Bad Response Errors).
//
// A verdict takes a cycle: from the cycle behind judge_i on what leaves is a flop and stays until load_i or the next
// judge_i (even_o is a comparison of two). The order of a token is load, take, then for each WQE head, judge, and end
// behind the last; judge_i comes two cycles after take_i or another judge_i at the earliest, fail_i at any time. No
// port has a ready. It does NOT read WQEs or place data (ohca_ra_walk, ohca_ra_scatter), and does not decide about
// retries: the commit does, with what is confirmed (ohca_ra_result).

`default_nettype none

module ohca_ra_retire (
  input  logic                      clk_i,

  input  logic                      load_i,            // a token begins, with its QP's late state
  input  ohca_fmt_pkg::ra_late_t    late_i,
  input  ohca_fmt_pkg::ra_tok_t     tok_i,             // these stay from the next cycle on
  input  logic [2:0]                mtu_i,
  input  logic                      sig_all_i,

  input  logic                      take_i,            // what it answers is known
  input  logic [23:0]               psn_i,
  input  logic                      head_i,            // the header of a WQE
  input  logic [127:0]              head_data_i,
  input  logic                      judge_i,           //   it is the oldest's
  input  logic                      end_i,             // behind the WQE that has retired nothing was fetched
  input  logic                      fail_i,            // a WQE could not be read, or data not be placed
  input  ohca_fmt_pkg::wc_status_e  status_i,
  input  ohca_fmt_pkg::vendor_err_e verr_i,

  output ohca_fmt_pkg::ra_late_t    late_o,
  output logic [23:0]               to_o,              // all before it is acknowledged
  output logic                      even_o,            //   and late_o has come to it: a function of flops
  output logic                      done_o,            // of the WQE judged last: it has retired, no READ
  output logic                      place_o,           //   it is a READ, whose data the token brings
  output logic                      sig_o,             //   it has a completion
  output logic                      cqe_o,             // a READ has retired that has one
  output logic [15:0]               idx_o,             // the WQE that data or completion is of
  output logic [4:0]                op_o,
  output logic [31:0]               len_o,
  output logic [3:0]                nsge_o,
  output logic [31:0]               skip_o,            // bytes of the READ before the token's
  output ohca_fmt_pkg::ra_act_e     act_o,             // what follows
  output logic [7:0]                status_o,
  output logic [7:0]                verr_o
);

  ohca_fmt_pkg::wqe_ctrl_t hdr;
  ohca_fmt_pkg::ra_late_t  s_q, s_d;
  logic [23:0] to_q, whole_q;            // whole packets of the WQE
  logic        part_q;                   //   and one more that is none, or empty
  logic [4:0]  op_q;
  logic        sig_q, is_ack, is_nak, is_resp;
  logic [15:0] idx_q, una_q;
  logic [3:0]  nsge_q;
  logic [31:0] len_q;

  assign hdr     = {128'd0, head_data_i};
  assign is_ack  = tok_i.kind == ohca_fmt_pkg::RA_TK_ACK;
  assign is_nak  = tok_i.kind == ohca_fmt_pkg::RA_TK_NAK;
  assign is_resp = tok_i.kind == ohca_fmt_pkg::RA_TK_RESP;
  always_ff @(posedge clk_i) begin
    if (head_i) begin
      op_q   <= hdr.opcode;
      sig_q  <= hdr.signaled;
      nsge_q <= hdr.nsge;
      idx_q  <= hdr.idx;
      len_q  <= hdr.length;
      // The header comes late, so they are not added up here.
      {whole_q, part_q} <= ohca_fmt_pkg::npkts(hdr.length, mtu_i);
    end
    if (take_i) to_q <= psn_i + 24'(is_ack);
  end

  // What does not need the header is worked out while that comes: the late state stands still since the WQE before.
  logic [23:0] cover_q, off_q, off1_q;
  logic [12:0] plen_q;                   // of the token: its length less whole packets
  logic [11:0] mask_q;                   // what is less than a packet
  logic        full_q;                   // it is a whole packet
  logic        behind_una_q, behind_acked_q, even_una_q, even_acked_q;
  always_ff @(posedge clk_i) begin
    behind_una_q   <= ohca_fmt_pkg::psn_lt(s_q.una_psn, to_q);
    behind_acked_q <= ohca_fmt_pkg::psn_lt(s_q.acked, to_q);
    even_una_q     <= s_q.una_psn == to_q;
    even_acked_q   <= s_q.acked == to_q;
    cover_q        <= to_q - s_q.una_psn;
    off_q          <= tok_i.psn - s_q.una_psn;
    off1_q         <= tok_i.psn - s_q.una_psn + 24'd1;
    full_q         <= tok_i.plen == ohca_fmt_pkg::mtu_bytes(mtu_i);
    mask_q         <= 12'(ohca_fmt_pkg::mtu_bytes(mtu_i) - 13'd1);
    plen_q         <= tok_i.plen == ohca_fmt_pkg::mtu_bytes(mtu_i) ? 13'd0 : tok_i.plen;
    skip_o         <= {8'd0, off_q} << (4'd7 + {1'b0, mtu_i});
  end

  // ---- the WQE
  logic        is_read, is_write, done, begins, behind, even, known, part;
  logic [23:0] next_psn, exp_psn, beyond;
  logic        next_low, beyond_low;
  assign is_read  = op_q == ohca_fmt_pkg::WR_OP_RDMA_READ;
  assign is_write = op_q == ohca_fmt_pkg::WR_OP_SEND || op_q == ohca_fmt_pkg::WR_OP_SEND_IMM ||
                    op_q == ohca_fmt_pkg::WR_OP_RDMA_WRITE || op_q == ohca_fmt_pkg::WR_OP_RDMA_WRITE_IMM;
  assign known    = idx_q == s_q.una && (is_read || is_write);
  // One adder each: una_psn + whole + part, cover - whole - part.
  assign {next_psn, next_low} = {s_q.una_psn, 1'b1} + {whole_q, part_q};
  assign {beyond, beyond_low} = {cover_q, 1'b1} + {~whole_q, !part_q};
  assign done     = !beyond[23];                                     // all of it is acknowledged
  assign begins   = is_read && !s_q.rd_active;
  assign exp_psn  = begins ? s_q.una_psn : s_q.acked;
  // Whether what is expected is behind what the token is about, or just that; a response is about its PSN.
  assign behind   = begins ? behind_una_q : behind_acked_q;
  assign even     = begins ? even_una_q : even_acked_q;
  assign part     = known && is_write && !done;

  // ---- a response of the READ: the last one carries what is left behind whole packets, or a whole one
  ohca_fmt_pkg::opcode_t op;
  logic        resp_first, resp_last, final_, len_ok, seq_ok, aeth_ok, mine, piece, ask;
  logic [11:0] odd;
  logic        rest_ok;
  ohca_opcode u_opcode (.op_i({3'd0, tok_i.op}), .is_o(op));
  assign resp_first = op.first || op.only;
  assign resp_last  = op.last || op.only;
  assign final_     = (part_q ? off_q : off1_q) == whole_q;
  // What is left behind whole packets, or where nothing is, a whole one; nothing of a READ of nothing.
  assign odd        = len_q[11:0] & mask_q;
  assign rest_ok    = plen_q == {1'b0, odd} && full_q == (odd == 12'd0 && len_q != 32'd0);
  assign len_ok     = final_ ? rest_ok : full_q;
  // A stream of responses begins with FIRST or ONLY, again after a restart; old and new responses hold the same data.
  assign seq_ok     = final_ == resp_last && (s_q.rd_active || resp_first);
  assign aeth_ok    = !op.aeth || tok_i.ak == ohca_fmt_pkg::AETH_KIND_ACK;
  assign mine       = known && is_read && !is_ack && even;
  assign piece      = mine && !is_nak && seq_ok && aeth_ok && len_ok;
  // Something behind the READ was answered: its own responses are lost. Ask again, once.
  assign ask        = known && is_read && (is_ack || !even) && behind;

  always_comb begin
    s_d = s_q;
    if (known && is_write) begin
      if (done) begin
        s_d.una       = s_q.una + 16'd1;
        s_d.una_psn   = next_psn;
        s_d.acked     = next_psn;
        s_d.end_valid = 1'b0;
        s_d.end_psn   = (whole_q == {23'd0, !part_q}) ? 24'd1 : 24'd2;
      end else begin
        s_d.end_valid = 1'b1;
        s_d.end_psn   = next_psn - 24'd1;
        if (behind) s_d.acked = to_q;
      end
    end
    if (mine && is_nak) s_d.seq_wait = 1'b0;
    if (piece) begin                     // the next piece of the oldest READ
      s_d.acked     = tok_i.psn + 24'd1;
      s_d.rd_active = !final_;
      s_d.seq_wait  = 1'b0;
      s_d.end_valid = 1'b0;
      s_d.end_psn   = 24'd1;
      if (final_) begin
        s_d.una     = s_q.una + 16'd1;
        s_d.una_psn = next_psn;
        s_d.rd_done = s_q.rd_done + 8'd1;
      end
    end
    if (ask) begin
      s_d.acked    = exp_psn;
      s_d.seq_wait = 1'b1;
    end
  end

  // ---- what follows. A NAK acts at the front: in the oldest WQE, or where all before it has retired.
  logic                      front, nak;
  ohca_fmt_pkg::ra_act_e     nak_act;
  ohca_fmt_pkg::wc_status_e  nak_status;
  ohca_fmt_pkg::vendor_err_e nak_verr;
  assign front  = is_nak && tok_i.psn == s_q.acked;
  assign even_o = s_q.una_psn == to_q;
  assign nak    = is_nak && ((take_i && front) || (judge_i && (part || mine)) || (end_i && even_o));
  always_comb begin
    nak_act = ohca_fmt_pkg::RA_ACT_ERR;
    if (tok_i.ak == ohca_fmt_pkg::AETH_KIND_RNR) nak_act = ohca_fmt_pkg::RA_ACT_RNR;
    else if (tok_i.av == 5'd0)                   nak_act = ohca_fmt_pkg::RA_ACT_SEQ;
    case (tok_i.av)
      5'd1:    {nak_status, nak_verr} = {ohca_fmt_pkg::WC_STATUS_REM_INV_REQ, ohca_fmt_pkg::VENDOR_ERR_NAK_INV_REQ};
      5'd2:    {nak_status, nak_verr} = {ohca_fmt_pkg::WC_STATUS_REM_ACCESS, ohca_fmt_pkg::VENDOR_ERR_NAK_REM_ACCESS};
      default: {nak_status, nak_verr} = {ohca_fmt_pkg::WC_STATUS_REM_OP, ohca_fmt_pkg::VENDOR_ERR_NAK_REM_OP};
    endcase
  end

  logic       odd_wqe, odd_resp, odd_len;
  assign odd_wqe  = judge_i && !known;
  assign odd_resp = judge_i && ((part && is_resp) || (mine && !is_nak && !(seq_ok && aeth_ok)));
  assign odd_len  = judge_i && mine && !is_nak && !len_ok;
  always_ff @(posedge clk_i) begin
    if (load_i) act_o <= ohca_fmt_pkg::RA_ACT_NONE;
    else if (fail_i || odd_wqe || odd_resp || odd_len) act_o <= ohca_fmt_pkg::RA_ACT_ERR;
    else if (nak) act_o <= nak_act;
    else if (judge_i && ask && !s_q.seq_wait) act_o <= ohca_fmt_pkg::RA_ACT_SEQ;

    if (fail_i) begin
      status_o <= status_i;
      verr_o   <= verr_i;
    end else if (nak) begin
      status_o <= nak_status;
      verr_o   <= nak_act == ohca_fmt_pkg::RA_ACT_RNR ? {3'd0, tok_i.av} : nak_verr;
    end else if (odd_wqe) begin
      status_o <= ohca_fmt_pkg::WC_STATUS_LOC_QP_OP;
      verr_o   <= idx_q != s_q.una ? ohca_fmt_pkg::VENDOR_ERR_WQE_IDX : ohca_fmt_pkg::VENDOR_ERR_WQE_FORMAT;
    end else if (odd_resp) begin
      status_o <= ohca_fmt_pkg::WC_STATUS_BAD_RESP;
      verr_o   <= ohca_fmt_pkg::VENDOR_ERR_RESP_OPCODE;
    end else if (odd_len) begin
      status_o <= ohca_fmt_pkg::WC_STATUS_LOC_LEN;
      verr_o   <= ohca_fmt_pkg::VENDOR_ERR_RESP_LENGTH;
    end
  end

  always_ff @(posedge clk_i) begin
    if (load_i) s_q <= late_i;
    else if (judge_i) s_q <= s_d;
    else if (take_i && front) s_q.seq_wait <= 1'b0;
    if (load_i || take_i) una_q <= s_q.una;
    else if (judge_i && piece) una_q <= s_q.una;
    if (load_i) cqe_o <= 1'b0;
    else if (judge_i && piece && final_) cqe_o <= sig_q || sig_all_i;
    if (judge_i) begin
      done_o  <= known && is_write && done;
      place_o <= piece && tok_i.plen != 13'd0;
      sig_o   <= sig_q || sig_all_i;
    end
  end
  assign late_o = s_q;
  assign to_o   = to_q;
  assign idx_o  = una_q;
  assign op_o   = op_q;
  assign len_o  = len_q;
  assign nsge_o = nsge_q;

  logic unused;
  assign unused = &{1'b0, hdr, next_low, beyond, beyond_low, tok_i, op, nak_status, nak_verr};

endmodule

`default_nettype wire
