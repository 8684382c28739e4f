// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Responder, result: a token ends here, when its payload is placed, or is found not to be. What comes of it is decided
// in this cycle: an answer (ACK, NAK, READ response), a completion, an event, and if it failed the poison of its QP
// with the fix-up that takes the context to ERR or back to where the packet was.
//
// A token whose QP is poisoned (hit_i), or was reset behind it (gone_i), says nothing to anybody; the fence of the
// reset waits until the completions and events before it have left. What is wrong, and what follows from it (the
// responder's classes of IBA 9.9.3, completion statuses of 11.6.2):
//
//   a READ that finds no place              RNR NAK: it comes as one (job_nak, job_synd ack), nothing has failed
//   no receive WQE                          RNR NAK with the QP's code, back; a datagram: dropped and counted, back
//   the receive queue cannot be read        NAK remote operational error, event QP_FATAL, ERR
//   a duplicate's                           nothing
//   invalid request                         NAK invalid request, ERR; the receive that has begun, else an event, tells
//   R_Key                                   NAK remote access error, ERR; the immediate data's receive, else an event
//   the receive WQE is too short            NAK invalid request, LOC_LEN, ERR; a datagram: dropped and counted, back
//   the receive WQE is bad, its keys are    NAK remote operational error, LOC_QP_OP, LOC_PROT, ERR
//
// A token a cycle, in order, as soon as sc_valid_i says what became of it, the placement has answered two cycles ago
// (where it was asked), and there is room for all that may follow; fire_o and what goes with it are in that cycle,
// completions and events a cycle later. cq, ev and qerr leave from FIFOs. It does NOT keep who is poisoned, it places
// nothing, and it does not write the context.

`include "ohca_assert.svh"
`default_nettype none

module ohca_rs_result #(
  parameter int unsigned InFlight = 32,                // tokens, power of two
  parameter bit          Compact  = 1'b0,
  parameter bit          Slow     = 1'b0               // completions and events leave at most every second cycle
) (
  input  logic                     clk_i,
  input  logic                     rst_i,
  output logic                     idle_o,             // no completion lies in here

  input  logic                     tok_valid_i,        // stays until it fires
  input  ohca_fmt_pkg::rs_rtok_t   tok_i,
  input  logic                     sc_valid_i,         // what the scatter stage says of it
  input  ohca_fmt_pkg::rs_sout_t   sc_i,
  input  logic                     pl_rsp_valid_i,     // in the order of the tokens that wait for one; always taken
  input  ohca_fmt_pkg::pl_rsp_t    pl_rsp_i,
  input  logic                     hit_i,              // its QP is poisoned
  input  logic                     gone_i,             // a reset of it is under way

  output logic                     fire_o,             // the token ends; poison_o, job_o, rnr_o, lost_o count now
  output logic                     poison_o,           // it poisons its QP, and its fix-up goes
  input  logic                     fix_ready_i,
  output ohca_fmt_pkg::rs_fix_t    fix_o,              // Compact: from the cycle after, while tok_i stays
  output logic                     job_o,              // it has an answer
  input  logic                     job_ready_i,
  output ohca_fmt_pkg::rs_jres_t   jres_o,
  output logic                     rnr_o,              // to be counted, with fire_o: no receive WQE for a connection
  output logic                     lost_o,             //   a datagram without a receive

  output logic                     cq_valid_o,
  input  logic                     cq_ready_i,
  output ohca_fmt_pkg::cq_req_t    cq_o,
  output logic                     ev_valid_o,
  input  logic                     ev_ready_i,
  output ohca_fmt_pkg::ev_req_t    ev_o,
  output logic                     qerr_valid_o,       // to the requester side
  input  logic                     qerr_ready_i,
  output logic [23:0]              qerr_qpn_o,
  output logic                     qerr_room_o         // there will be room for those of InFlight tokens more
);

  localparam int unsigned QeDepth = Compact ? InFlight : 2 * InFlight;

  ohca_fmt_pkg::rs_rtok_t rt;
  ohca_fmt_pkg::rs_sout_t so;
  ohca_fmt_pkg::pl_rsp_t  pr;
  ohca_fmt_pkg::cq_req_t  cqe;
  ohca_fmt_pkg::ev_req_t  ev;
  logic                   pr_valid, pr_ready, pr_flush, can, quiet, cqf_valid, cqf_ready, cqf_room, evf_valid,
      evf_ready, evf_room, qf_ready;
  logic                   fix_err, fix_step;
  logic                   dead, place_bad, failed, has_cqe, has_ev, has_qerr, to_err, back, nak;
  logic [7:0]             synd, evt, status, verr;
  logic [$clog2(QeDepth):0] qe_count;
  assign rt = tok_i;
  assign so = sc_i;

  // What a refusal is for is compared on the way in: whether the token fails begins here.
  logic                               pm_valid, pm_ready;
  logic [ohca_fmt_pkg::PL_RSP_BITS:0] pm;
  ohca_fifo #(.Width(1 + ohca_fmt_pkg::PL_RSP_BITS), .Depth(InFlight), .UseRam(1'b0)) u_pr (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(pl_rsp_valid_i), .ready_o(pr_ready),
    .data_i({pl_rsp_i.verr == ohca_fmt_pkg::VENDOR_ERR_FLUSH, pl_rsp_i}),
    .valid_o(pm_valid), .ready_i(pm_ready), .data_o(pm), .count_o(), .almost_full_o()
  );
  ohca_stage #(.Width(1 + ohca_fmt_pkg::PL_RSP_BITS)) u_first (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(pm_valid), .ready_o(pm_ready), .data_i(pm),
    .valid_o(pr_valid), .ready_i(fire_o && so.placed), .data_o({pr_flush, pr})
  );

  assign can    = tok_valid_i && sc_valid_i && (!so.placed || pr_valid) && evf_room && qf_ready && job_ready_i &&
                  (!poison_o || fix_ready_i) && (!rt.fence || quiet);
  assign fire_o = can && cqf_room;
  // Slow: at most every second token ends, so that there is room is known by flops of its own, which may lie here.
  if (Slow) begin : g_room_late
    logic free_q;
    always_ff @(posedge clk_i) free_q <= !cqf_valid && !evf_valid && !fire_o;
    assign {cqf_room, evf_room} = {2{free_q}};
  end else begin : g_room_at_once
    assign {cqf_room, evf_room} = {cqf_ready, evf_ready};
  end
  // A flop, as they go far.
  always_ff @(posedge clk_i) quiet <= !ev_valid_o && !cq_valid_o && !cqf_valid && !fire_o;

  // ---- whether it failed
  assign dead      = !rt.mark && (so.dead || hit_i || gone_i);
  assign place_bad = so.placed && !pr.ok &&
                     !(so.fail != ohca_fmt_pkg::RS_FAIL_OK && pr_flush);
  assign failed    = !dead && !rt.mark &&
                     (so.rnr || so.lost || so.fail != ohca_fmt_pkg::RS_FAIL_OK || place_bad || rt.inv);

  // ---- what follows
  always_comb begin
    has_cqe = rt.cqe;
    status  = rt.flushed ? ohca_fmt_pkg::WC_STATUS_WR_FLUSH : ohca_fmt_pkg::WC_STATUS_SUCCESS;
    verr    = rt.flushed ? ohca_fmt_pkg::VENDOR_ERR_FLUSH : ohca_fmt_pkg::VENDOR_ERR_NONE;
    has_ev  = rt.ev;
    evt     = (rt.job_synd == ohca_fmt_pkg::RS_SYND_INV) ? ohca_fmt_pkg::EQE_TYPE_QP_REQ_ERR
                                                         : ohca_fmt_pkg::EQE_TYPE_QP_FATAL;
    job_o   = rt.job;
    case (rt.job_synd)
      ohca_fmt_pkg::RS_SYND_SEQ:    synd = {3'b011, 5'(ohca_fmt_pkg::AETH_NAK_PSN_SEQ)};
      ohca_fmt_pkg::RS_SYND_REM_OP: synd = {3'b011, 5'(ohca_fmt_pkg::AETH_NAK_REM_OP)};
      ohca_fmt_pkg::RS_SYND_INV:    synd = {3'b011, 5'(ohca_fmt_pkg::AETH_NAK_INV_REQ)};
      default:                      synd = rt.job_nak ? {3'b001, rt.min_rnr} : {3'b000, so.code};
    endcase
    nak      = rt.job_nak;
    has_qerr = rt.qerr;
    to_err   = 1'b0;
    back     = 1'b0;
    if (failed) begin
      job_o   = rt.rc;
      nak     = 1'b1;
      has_cqe = 1'b0;
      has_ev  = 1'b0;
      if (so.rnr) begin
        back = 1'b1;
        synd = {3'b001, rt.min_rnr};
      end else if (so.lost) begin
        to_err = 1'b1;
        synd   = {3'b011, 5'(ohca_fmt_pkg::AETH_NAK_REM_OP)};
        has_ev = 1'b1;
        evt    = ohca_fmt_pkg::EQE_TYPE_QP_FATAL;
      end else if (rt.dup) begin
        job_o = 1'b0;                             // errors of duplicates are silent
      end else if (rt.inv) begin
        to_err  = 1'b1;
        synd    = {3'b011, 5'(ohca_fmt_pkg::AETH_NAK_INV_REQ)};
        has_cqe = rt.cqe;
        status  = ohca_fmt_pkg::WC_STATUS_REM_INV_REQ;
        verr    = ohca_fmt_pkg::VENDOR_ERR_OPCODE;
        has_ev  = !rt.cqe;
        evt     = ohca_fmt_pkg::EQE_TYPE_QP_REQ_ERR;
      end else if (place_bad && rt.mode != ohca_fmt_pkg::RS_MODE_SCATTER) begin
        // The immediate data's receive tells of it; where there is none, an event does.
        to_err  = 1'b1;
        synd    = {3'b011, 5'(ohca_fmt_pkg::AETH_NAK_REM_ACCESS)};
        has_cqe = rt.cqe;
        status  = ohca_fmt_pkg::WC_STATUS_LOC_ACCESS;
        verr    = pr.verr;
        has_ev  = !rt.cqe;
        evt     = ohca_fmt_pkg::EQE_TYPE_QP_ACCESS_ERR;
      end else if (so.fail == ohca_fmt_pkg::RS_FAIL_SHORT && !place_bad && !rt.rc) begin
        back = 1'b1;                              // a datagram too long for the receive WQE
      end else begin
        to_err  = 1'b1;
        has_cqe = 1'b1;
        verr    = place_bad ? pr.verr : so.verr;
        status  = place_bad ? ohca_fmt_pkg::WC_STATUS_LOC_PROT :
                  so.fail == ohca_fmt_pkg::RS_FAIL_SHORT ? ohca_fmt_pkg::WC_STATUS_LOC_LEN
                                                         : ohca_fmt_pkg::WC_STATUS_LOC_QP_OP;
        synd[7:5] = 3'b011;
        synd[4:0] = (so.fail == ohca_fmt_pkg::RS_FAIL_SHORT && !place_bad) ? ohca_fmt_pkg::AETH_NAK_INV_REQ
                                                                           : ohca_fmt_pkg::AETH_NAK_REM_OP;
      end
      has_qerr = to_err;
    end
    if (dead || rt.mark) begin
      has_cqe  = 1'b0;
      has_ev   = 1'b0;
      job_o    = 1'b0;
      has_qerr = 1'b0;
    end
    if (rt.est && !has_ev && !dead) begin
      has_ev = 1'b1;
      evt    = ohca_fmt_pkg::EQE_TYPE_COMM_EST;
    end
  end
  assign poison_o = failed && (so.rnr || so.lost || !rt.dup);          // to_err || back
  assign rnr_o    = failed && so.rnr && rt.rc;
  // The first datagram without a receive WQE, and those that were behind it already.
  assign lost_o   = rt.poisons && !rt.rc && (dead || (failed && back));

  always_comb begin
    cqe           = '0;
    cqe.cqn       = rt.cqn;
    cqe.qpn       = rt.qpn;
    cqe.recv      = 1'b1;
    cqe.opcode    = (failed || rt.flushed || !rt.cqe_imm) ? ohca_fmt_pkg::WC_OP_RECV :
                    rt.cqe_write ? ohca_fmt_pkg::WC_OP_RECV_RDMA_IMM : ohca_fmt_pkg::WC_OP_RECV_IMM;
    cqe.idx       = rt.idx;
    cqe.status    = ohca_fmt_pkg::wc_status_e'(status);
    cqe.verr      = ohca_fmt_pkg::vendor_err_e'(verr);
    cqe.solicited = rt.solicited;
    if (status == ohca_fmt_pkg::WC_STATUS_SUCCESS) begin
      cqe.byte_len = rt.byte_len;
      cqe.imm      = rt.imm;
      if (!rt.rc) begin
        cqe.grh        = rt.grh;
        cqe.src_qp     = rt.src_qp;
        cqe.sl         = rt.sl;
        cqe.slid       = rt.slid;
        cqe.pkey_index = rt.pkey_index;
        cqe.path_bits  = rt.path_bits;
        cqe.csum_ok    = rt.csum_ok;
      end
    end

    ev       = '0;
    ev.etype = ohca_fmt_pkg::eqe_type_e'(evt);
    ev.num   = {8'd0, rt.qpn};

    jres_o.read = rt.job_read && !failed;
    jres_o.nak  = nak;
    jres_o.synd = synd;
    jres_o.done = rt.job_done && !failed;
    jres_o.lim  = rt.min_rnr;

    fix_o.err     = fix_err;
    fix_o.rc      = rt.rc;
    fix_o.wr_last = rt.wr_last;
    fix_o.head    = rt.idx + {15'd0, fix_step};
    fix_o.psn     = rt.psn;
    fix_o.msn     = rt.msn;
    fix_o.va      = rt.va;
    fix_o.rkey    = rt.rkey;
    fix_o.remain  = rt.len;
    fix_o.dmalen  = rt.byte_len;
  end

  // What was decided, for the fix-up; with Compact the rest of what it is about stays in the token.
  if (Compact) begin : g_fix_what
    always_ff @(posedge clk_i) begin
      if (fire_o) begin
        fix_err  <= to_err;
        fix_step <= has_cqe && to_err;
      end
    end
  end else begin : g_fix_now
    assign fix_err  = to_err;
    assign fix_step = has_cqe && to_err;
  end

  // ---- what leaves
  assign idle_o = !cqf_valid && !cq_valid_o;
  // Slow: through a second register, as the first one's room is asked for here, and completions go far.
  logic [ohca_fmt_pkg::CQ_REQ_BITS-1:0] cqf, cq_flat;
  logic                                 cqf_take;
  ohca_fifo #(.Width(ohca_fmt_pkg::CQ_REQ_BITS), .Depth(4), .Single(Slow), .ValidFlop(!Slow)) u_cqf (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(fire_o && has_cqe), .ready_o(cqf_ready), .data_i(cqe),
    .valid_o(cqf_valid), .ready_i(cqf_take), .data_o(cqf), .count_o(), .almost_full_o()
  );
  ohca_hop #(.Width(ohca_fmt_pkg::CQ_REQ_BITS), .On(Slow)) u_far (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(cqf_valid), .ready_o(cqf_take), .data_i(cqf),
    .valid_o(cq_valid_o), .ready_i(cq_ready_i), .data_o(cq_flat)
  );
  assign cq_o = ohca_fmt_pkg::cq_req_t'(cq_flat);
  ohca_fifo #(.Width(ohca_fmt_pkg::EV_REQ_BITS), .Depth(4), .Single(Slow), .ValidFlop(!Slow)) u_evf (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(fire_o && has_ev), .ready_o(evf_ready), .data_i(ev),
    .valid_o(evf_valid), .ready_i(ev_ready_i), .data_o(ev_o), .count_o(), .almost_full_o()
  );
  assign ev_valid_o = evf_valid;
  // Room for all tokens past the lookup is there before one is let in, so nothing here waits for the other engine.
  ohca_fifo #(.Width(24), .Depth(QeDepth), .UseRam(1'b0), .ValidFlop(1'b1)) u_qe (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(fire_o && has_qerr), .ready_o(qf_ready), .data_i(rt.qpn),
    .valid_o(qerr_valid_o), .ready_i(qerr_ready_i), .data_o(qerr_qpn_o), .count_o(qe_count), .almost_full_o()
  );
  if (Compact) begin : g_room_now
    assign qerr_room_o = !qerr_valid_o;
  end else begin : g_room
    always_ff @(posedge clk_i) qerr_room_o <= 32'(qe_count) < InFlight;
  end

  `ASSERT(Poison_A, poison_o == (to_err || back))
  `ASSERT(OutRoom_A, !fire_o || (cqf_ready && evf_ready))
  `ASSERT(RspRoom_A, !pl_rsp_valid_i || pr_ready)

  logic unused;
  assign unused = &{1'b0, pr_ready, qe_count, rt.resv, rt.rel, rt.slot};

endmodule

`default_nettype wire
