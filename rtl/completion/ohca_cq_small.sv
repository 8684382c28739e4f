// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_cq where LUTs and wires are dear: one operation at a time, from its request to its last effect, with the context
// held at the cache's output. 14 cycles a CQE, 19 with translation. A full ring's doorbell record and a translation are
// waited for, and all CQs wait with it.
//
//   completions, arm, access in turn -> body -> ohca_ctx -> decide -> doorbell record -> translation -> write -> event
//   -> commit
//
// No translation: the CQE is lost, its CQ in error, and the producer index stays.

`include "ohca_assert.svh"
`default_nettype none

module ohca_cq_small #(
  parameter int unsigned DW   = 64,
  parameter int unsigned Sets = 64
) (
  input  logic                                clk_i,
  input  logic                                rst_i,
  input  logic [63:0]                         now_i,
  output logic                                idle_o,
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

  localparam int unsigned ReqW = ohca_fmt_pkg::CQ_REQ_BITS;
  if (DW != 64) begin : g_bad_width
    $error("ohca_cq_small: 64 bits");
  end

  typedef enum logic [3:0] {
    R_IDLE,
    R_LOOK,      // to the cache
    R_OUT,       // decide
    R_DBR, R_DBR_WAIT,
    R_TPT, R_TPT_WAIT,
    R_WRITE,
    R_EVENT,
    R_DONE,      // commit
    R_FENCE, R_ANSWER   // of an access
  } step_e;
  typedef enum logic [1:0] { K_COMP, K_ARM, K_ACC } kind_e;
  step_e step_q;
  kind_e kind_q;

  // ---------------------------------------------------------------- choose
  // What arms and accesses need lies where completions have fields that no decision looks at; the number is the same
  // field of all. Grants are flops.
  localparam int unsigned BodyW = 2 + 24 + ReqW;
  logic                  req_valid, room, idle;
  logic [3:0]            req_ready;
  logic [3:0][BodyW-1:0] asks;                 // {kind, consumer index, request}
  logic [BodyW-1:0]      req;
  logic [ReqW-1:0]       body_q;
  logic [47:0]           ts_q;
  logic [23:0]           ci_q;                 // consumer index: of an arm, of a new ring, or out of the doorbell
                                               // record
  // A write of dword 0 is a fence: behind all that came before it.
  logic acc_fence, acc_pass, take_acc;
  assign acc_fence   = acc_i.dw == 5'd0 && acc_i.wmask != 32'd0;
  ohca_cq_pass u_pass (
    .clk_i, .rst_i, .fence_i(acc_valid_i && acc_fence), .taken_i(acc_ready_o), .go_o(acc_pass), .valid_i(cq_valid_i),
    .ready_i(cq_ready_o)
  );
  assign take_acc    = acc_valid_i && (!acc_fence || acc_pass);
  always_comb begin
    asks = '0;
    for (int unsigned i = 0; i < 2; i++) asks[i] = {K_COMP, 24'd0, cq_i[i]};
    asks[2][BodyW-1:ReqW]     = {K_ARM, arm_i[23:0]};
    asks[2][23:0]             = {arm_i[71:56], arm_i[31:24]};
    asks[2][ReqW-1 -: 24]     = arm_i[55:32];
    asks[3][BodyW-1:ReqW]     = {K_ACC, acc_i.wdata[23:0]};
    asks[3][93:24]            = {acc_i.inval, acc_i.dw, acc_i.wdata, acc_i.wmask};
    asks[3][ReqW-1 -: 24]     = acc_i.num;
  end
  ohca_arb_early #(.N(4), .Width(BodyW)) u_arb (
    .clk_i, .rst_i, .valid_i({take_acc, arm_valid_i, cq_valid_i}), .ready_o(req_ready), .data_i(asks), .room_i(room),
    .valid_o(req_valid), .data_o(req), .sel_o()
  );
  assign idle = step_q == R_IDLE;
  // The next one is granted as the last one ends.
  assign room = (idle || (step_q == R_DONE && kind_q != K_ACC)) && req_ready == '0;
  assign {acc_ready_o, arm_ready_o, cq_ready_o} = req_ready;

  logic            asked_q, ci_ok_q, known_q, ok_q, req_done_q, dat_done_q;
  logic [7:0]      verr_q;
  logic [63:5]     addr_q;
  logic [1:0]      beat_q;

  // ---------------------------------------------------------------- context
  logic            out_valid, out_err, out_we, lk_ready, edit_done, ctx_idle, acc_err_q;
  logic [511:0]    out_line, out_wline;
  ohca_fmt_pkg::cq_req_t t;
  ohca_fmt_pkg::cqc_t    c, n;
  logic [4:0]      x_dw;
  logic [31:0]     x_wdata, x_wmask;
  logic            x_inval, x_err;
  logic [15:0]     a_uar;
  logic            a_sol;
  logic [6:0]      a_seen;
  assign t = body_q;
  assign c = out_line;
  assign {x_inval, x_dw, x_wdata, x_wmask, a_uar, a_sol, a_seen} = body_q[93:0];
  // Accesses from dword 16 on are for a new ring (see ohca_cq_full), whose address waits here for the rest.
  ohca_fmt_pkg::acc_cq_ring_t x_ring;
  logic [63:0]     ring_q;
  logic [23:0]     x_mask;
  logic            x_write, x_wait, x_swap;
  logic [31:0]     x_word;
  assign x_ring  = x_wdata;
  assign x_mask  = ~(24'hffffff << x_ring.log_size);
  assign x_write = x_wmask != 32'd0;
  assign x_wait  = x_write && (x_dw == ohca_fmt_pkg::ACC_CQ_BUF || x_dw == ohca_fmt_pkg::ACC_CQ_BUF_HI);
  assign x_swap  = x_write && x_dw == ohca_fmt_pkg::ACC_CQ_RING && good && !c.err && (used_now & ~x_mask) == '0;
  assign x_err   = out_err || (x_dw[4] && !x_wait && !x_swap);
  assign acc_rsp_o.rdata = x_dw[4] ? out_line[191:160] : x_word;    // dword 5
  always_ff @(posedge clk_i) begin
    if (step_q == R_DONE && kind_q == K_ACC && x_wait && x_dw[0])  ring_q[31:0]  <= x_wdata;
    if (step_q == R_DONE && kind_q == K_ACC && x_wait && !x_dw[0]) ring_q[63:32] <= x_wdata;
  end
  ohca_ctx #(
    // the rest is reserved
    .DW(DW), .LineBytes(64), .Sets(Sets), .Ways(1), .TokenW(1), .Stride(64), .Offset(0), .KeepBits(256), .Small(1'b1),
    .Words(32'h0000_00e7)                                        // only the management core writes the others
  ) u_ctx (
    .clk_i, .rst_i, .idle_o(ctx_idle), .base_i, .limit_i,
    .lk_valid_i(step_q == R_LOOK), .lk_ready_o(lk_ready), .lk_id_i(t.cqn), .lk_set_i('0), .lk_token_i(1'b0),
    .lk_inval_i(kind_q == K_ACC && x_inval), .lk_block_i('0), .lk_hint_i(1'b0), .rd_hint_o(),
    .nx_valid_o(), .nx_token_o(), .out_valid_o(out_valid), .out_ready_i(step_q == R_DONE), .out_id_o(), .out_token_o(),
    .out_line_o(out_line),
    .out_err_o(out_err), .out_inval_o(), .out_we_i(out_we), .out_wline_i(out_wline),
    .out_word_i(x_dw), .out_word_data_i(x_wdata), .out_word_mask_i(x_wmask),
    .out_edit_i(step_q == R_OUT && out_valid && kind_q == K_ACC && !x_err && !x_dw[4]), .out_edit_done_o(edit_done),
    .out_word_o(x_word),
    .icm_valid_o(ctx_o.icm_valid), .icm_ready_i(ctx_i.icm_ready), .icm_addr_o(ctx_o.icm_addr),
    .icm_rsp_valid_i(ctx_i.icm_rsp_valid), .icm_rsp_ok_i(ctx_i.icm_rsp_ok), .icm_rsp_addr_i(ctx_i.icm_rsp_addr),
    .rd_valid_o(ctx_o.rd_valid), .rd_ready_i(ctx_i.rd_ready), .rd_o(ctx_o.rd),
    .rd_rsp_valid_i(ctx_i.rd_rsp_valid), .rd_rsp_data_i, .rd_rsp_last_i(rd_rsp_i.last),
    .rd_rsp_err_i(rd_rsp_i.err),
    .wr_valid_o(ctx_o.wr_valid), .wr_ready_i(ctx_i.wr_ready), .wr_o(ctx_o.wr),
    .wr_dat_valid_o(ctx_o.dat_valid), .wr_dat_ready_i(ctx_i.dat_ready), .wr_dat_o(ctx_dat_o),
    .wr_dat_last_o(ctx_o.dat_last),
    .wr_issued_i(wr_cnt_i.issued), .wr_acked_i(wr_cnt_i.acked)
  );

  // ---------------------------------------------------------------- decide
  logic [23:0] size, mask, used, rec_used, used_now, sol_age;
  logic        good, live, full, sol, newer, lost, a_good, a_fire, a_fire_in, a_fire_out, write, over, ev_comp;
  assign size     = 24'd1 << ((c.log_size > 5'd21) ? 5'd21 : c.log_size);
  assign mask     = size - 24'd1;
  assign used     = c.pi - c.ci;
  assign rec_used = c.pi - ci_q;
  // A consumer index that is not between the last one and the producer index is nonsense and changes nothing.
  assign newer    = ci_ok_q && rec_used <= used;
  assign used_now = ((asked_q || kind_q == K_ACC) && newer) ? rec_used : used;
  assign full     = |(used_now & ~mask);
  assign good     = !out_err && c.valid;
  assign sol      = t.solicited || t.status != ohca_fmt_pkg::WC_STATUS_SUCCESS;
  assign live     = kind_q == K_COMP && good && !c.err;
  assign write    = live && !full;
  assign over     = live && full && asked_q;
  assign lost     = known_q && !ok_q;
  assign sol_age  = c.pi - c.sol_pi;            // 0: the last CQE was a solicited one
  // Entries that the host did not see when it armed: those of rec_used beyond a_seen.
  assign a_good   = kind_q == K_ARM && good && {c.uar_hi, c.uar_mid, c.uar_lo} == a_uar;
  // Not between the last index known and the producer's: all that is not consumed. Not again for entries for which an
  // event has been sent (see ohca_cq_full).
  assign a_fire_in  = rec_used > {17'd0, a_seen} && (!a_sol ||
      (c.sol_any && {1'b0, sol_age} + {18'd0, a_seen} < {1'b0, rec_used}));
  assign a_fire_out = a_sol ? (c.sol_any && sol_age < used) : used != 24'd0;
  assign a_fire   = a_good && !c.told && (newer ? a_fire_in : a_fire_out);
  assign ev_comp  = (write && !lost && (c.armed || (c.armed_sol && sol))) || a_fire;

  // What was decided, in the steps after R_OUT, in which nothing changes that it follows from.
  logic        newer_q, live_q, over_q, write_q, a_good_q, a_fire_q, ev_comp_q, swap_q;
  always_ff @(posedge clk_i) begin
    newer_q   <= newer;
    live_q    <= live;
    over_q    <= over;
    write_q   <= write;
    a_good_q  <= a_good;
    a_fire_q  <= a_fire;
    ev_comp_q <= ev_comp;
    swap_q    <= x_swap;
  end

  always_comb begin
    n      = c;
    out_we = 1'b0;
    if (kind_q == K_ARM) begin
      if (newer_q) n.ci = ci_q;
      n.told      = c.told || a_fire_q;
      n.armed     = !a_fire_q && (c.armed || !a_sol);
      n.armed_sol = !a_fire_q && (c.armed_sol || a_sol);
      out_we      = a_good_q;
    end else if (kind_q == K_ACC) begin
      n.buf_     = ring_q[31:5];
      n.buf_hi   = ring_q[63:32];
      n.buf_mtt  = x_ring.buf_mtt;
      n.log_size = x_ring.log_size;
      if (newer_q) n.ci = ci_q;
      {n.base_hi, n.base_mid, n.base_lo} = c.pi[21:0];
      out_we     = swap_q;                      // other writes have gone the cache's own way
    end else begin
      if (lost || !write_q) begin
        n.err = 1'b1;
      end else begin
        n.pi = c.pi + 24'd1;
        if (asked_q && newer_q) n.ci = ci_q;
        if (sol) begin
          n.sol_pi  = c.pi + 24'd1;
          n.sol_any = 1'b1;
        end else if (|(sol_age & ~mask)) begin
          n.sol_any = 1'b0;                     // out of the ring; its number would come round again
        end
        n.told = ev_comp_q;
        if (ev_comp_q) begin
          n.armed     = 1'b0;
          n.armed_sol = 1'b0;
        end
      end
      out_we = live_q;
    end
    out_wline = n;
  end

  always_ff @(posedge clk_i) begin
    case (step_q)
      R_IDLE: begin
        asked_q    <= 1'b0;
        ci_ok_q    <= 1'b1;
        known_q    <= 1'b0;
        req_done_q <= 1'b0;
        dat_done_q <= 1'b0;
        beat_q     <= '0;
        ts_q       <= now_i[47:0];
        {kind_q, ci_q, body_q} <= req;
        if (req_valid) step_q <= R_LOOK;
      end
      R_LOOK: if (lk_ready) step_q <= R_OUT;
      R_OUT: begin
        acc_err_q <= x_err;
        if (!known_q) addr_q <= {c.buf_hi, c.buf_} + {35'd0, c.pi & mask};
        if (out_valid) begin
          if (kind_q == K_ACC) begin
            if (x_err || x_dw[4] || edit_done) step_q <= R_DONE;
          end else if (kind_q == K_ARM) begin
            step_q <= a_fire ? R_EVENT : R_DONE;
          end else if (!live) begin
            step_q <= R_DONE;
          end else if (full) begin
            step_q <= asked_q ? R_EVENT : R_DBR;
          end else if (c.buf_mtt && !known_q) begin
            step_q <= R_TPT;
          end else begin
            step_q <= lost ? R_EVENT : R_WRITE;
          end
        end
      end
      R_DBR: if (dbr_i.ready) step_q <= R_DBR_WAIT;
      R_DBR_WAIT: begin
        asked_q <= dbr_i.valid;
        ci_ok_q <= !rd_rsp_i.err;
        ci_q    <= rd_rsp_data_i[23:0];
        if (dbr_i.valid) step_q <= R_OUT;
      end
      R_TPT: if (tpt_ready_i) step_q <= R_TPT_WAIT;
      R_TPT_WAIT: begin
        known_q <= tpt_rsp_valid_i;
        ok_q    <= tpt_rsp_i.ok;
        verr_q  <= tpt_rsp_i.verr;
        if (tpt_rsp_valid_i) begin
          addr_q <= tpt_rsp_i.addr[63:5];
          step_q <= R_OUT;
        end
      end
      R_WRITE: begin
        if (wr_i.ready) req_done_q <= 1'b1;
        if (wr_o.dat_valid && wr_i.dat_ready) begin
          beat_q     <= beat_q + 2'd1;
          dat_done_q <= wr_o.dat_last;
        end
        if (req_done_q && dat_done_q) step_q <= ev_comp_q ? R_EVENT : R_DONE;
      end
      R_EVENT: if (ev_ready_i) step_q <= R_DONE;
      R_DONE: step_q <= (kind_q == K_ACC) ? R_FENCE : R_IDLE;
      R_FENCE: step_q <= R_ANSWER;
      default: if (acc_rsp_o.valid) step_q <= R_IDLE;
    endcase
    if (rst_i) step_q <= R_IDLE;
  end

  // ---------------------------------------------------------------- doorbell record, translation, write, event
  assign dbr_o.valid = step_q == R_DBR;
  assign dbr_o.req   = {c.dbr_hi, c.dbr[31:3], 3'd0, 13'd8, {5'd0, c.dbr[5:3]}};
  assign tpt_valid_o = step_q == R_TPT;
  assign tpt_o       = {1'b1, 4'd0, 24'd0, 32'd0, {addr_q, 5'd0}, 32'd32, 8'd0};

  logic [21:0] pass;
  assign pass = c.pi[21:0] - {c.base_hi, c.base_mid, c.base_lo};
  ohca_fmt_pkg::cqe_t cqe;
  always_comb begin
    cqe            = '0;
    cqe.qpn        = t.qpn;
    cqe.opcode     = t.opcode;
    cqe.grh        = t.grh;
    cqe.solicited  = t.solicited;
    cqe.recv       = t.recv;
    cqe.wqe_idx    = t.idx;
    cqe.status     = t.status;
    cqe.vendor_err = t.verr;
    cqe.byte_len   = t.byte_len;
    cqe.imm        = t.imm;
    cqe.src_qp     = t.src_qp;
    cqe.sl         = t.sl;
    cqe.slid       = t.slid;
    cqe.pkey_index = t.pkey_index;
    cqe.ts_lo      = ts_q[31:0];
    cqe.ts_hi      = ts_q[47:32];
    cqe.path_bits  = t.path_bits;
    cqe.csum_ok    = t.csum_ok;
    cqe.phase      = !(|(pass & size[21:0]));
  end
  logic [255:0] cqe_bits;
  assign cqe_bits       = cqe;
  assign wr_o.valid     = step_q == R_WRITE && !req_done_q;
  assign wr_o.req       = {addr_q, 5'd0, 13'd32};
  assign wr_o.dat_valid = step_q == R_WRITE && !dat_done_q;
  assign wr_dat_o       = cqe_bits[64*32'(beat_q) +: 64];
  assign wr_o.dat_last  = beat_q == 2'd3;

  // Completion events to the CQ's EQ, errors to EQ 0.
  assign ev_valid_o = step_q == R_EVENT;
  assign ev_o       = {(lost || over_q) ? 8'd0 : c.eqn, (lost || over_q) ? ohca_fmt_pkg::EQE_TYPE_CQ_ERROR :
      ohca_fmt_pkg::EQE_TYPE_COMP, 8'd0, 8'd0,
                       lost ? verr_q : over_q ? ohca_fmt_pkg::VENDOR_ERR_CQ_OVERFLOW : ohca_fmt_pkg::VENDOR_ERR_NONE,
                           8'd0, t.cqn, 32'd0};

  // Whose completions are dropped, or cannot be written.
  ohca_cq_fail #(.Depth(32)) u_fail (
    .clk_i, .rst_i, .valid_i(step_q == R_DONE && kind_q == K_COMP && (!live_q || over_q || lost)), .qpn_i(t.qpn),
    .flush_i(t.status == ohca_fmt_pkg::WC_STATUS_WR_FLUSH), .qerr_valid_o, .qerr_ready_i, .qerr_qpn_o
  );

  // The answer to a write of dword 0, and to a new ring, waits until every CQE before it is acknowledged.
  logic [15:0] snap_q, behind;
  always_ff @(posedge clk_i) if (step_q == R_FENCE) snap_q <= wr_cnt_i.issued[15:0];
  assign behind          = wr_cnt_i.acked[15:0] - snap_q;
  assign acc_rsp_o.valid = step_q == R_ANSWER && !(behind[15] && x_write &&
      (x_dw == 5'd0 || x_dw == ohca_fmt_pkg::ACC_CQ_RING));
  assign acc_rsp_o.err   = acc_err_q;

  always_comb begin
    cnt_o = '0;
    cnt_o[ohca_fmt_pkg::COUNTER_DB_BAD_PAGE] = step_q == R_DONE && kind_q == K_ARM && !a_good_q;
    cnt_o[ohca_fmt_pkg::COUNTER_CQ_OVERFLOW] = step_q == R_DONE && kind_q == K_COMP && (!live_q || over_q);
  end
  assign idle_o = ctx_idle && idle && !qerr_valid_o && !(|cq_valid_i) && !arm_valid_i && !acc_valid_i;

  logic unused;
  assign unused = &{1'b0, acc_i.part, tpt_rsp_i.tag, tpt_rsp_i.addr[4:0], rd_rsp_i.tag, behind[14:0], now_i[63:48],
      c.dbr[2:0], ring_q[4:0], size[23:22],
                    x_ring.ci, x_ring.rsvd0,
                    wr_cnt_i.issued[31:16], wr_cnt_i.acked[31:16]};

  `ASSERT(OutHeld_A, out_valid || step_q == R_IDLE || step_q == R_LOOK || step_q == R_OUT || step_q == R_FENCE ||
      step_q == R_ANSWER)
  `ASSERT(OneBeat_A, !dbr_i.valid || rd_rsp_i.last)

endmodule

`default_nettype wire
