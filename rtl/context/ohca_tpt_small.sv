// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_tpt where LUTs and wires are dear: one request at a time, whose MPT entry stays at its cache's output. A hit
// takes 8 cycles for a ring access, 15 with a key and pages of 4 KiB, two more for each doubling of the page; one less
// for a request that waited for the one before it. Grants are flops.
//
//   grant -> MPT cache -> offset -> checks -> mask of the page, a bit a cycle -> page number, shifted down a bit a
//   cycle -> MTT's index -> MTT cache -> answer
//
// One subtractor gives the offset in the region and, with the start rounded down to its page, what the page number is
// cut from.

`include "ohca_assert.svh"
`default_nettype none

module ohca_tpt_small #(
  parameter int unsigned           DW         = 64,
  parameter int unsigned           NumClients = 6,
  parameter int unsigned           MptLines   = 256,
  parameter int unsigned           MttLines   = 256,
  parameter logic [NumClients-1:0] Rings      = '0      // clients that access rings only: of their requests nothing but
                                                        // the address is looked at
) (
  input  logic                                                   clk_i,
  input  logic                                                   rst_i,
  output logic                                                   idle_o,
  output logic [63:0]                                            cnt_o,

  input  logic [39:0]                                            mpt_base_i,    // tables in context memory
  input  logic [24:0]                                            mpt_limit_i,   // entries
  input  logic [39:0]                                            mtt_base_i,
  input  logic [27:0]                                            mtt_limit_i,   // entries, multiple of 8

  input  logic [NumClients-1:0]                                  req_valid_i,
  output logic [NumClients-1:0]                                  req_ready_o,
  input  logic [NumClients-1:0][ohca_fmt_pkg::TPT_REQ_BITS-1:0]  req_i,
  output logic [NumClients-1:0]                                  rsp_valid_o,   // one-hot; must be taken
  output ohca_fmt_pkg::tpt_rsp_t                                 rsp_o,

  input  logic                                                   inv_valid_i,   // forget: accepted when it is done
  output logic                                                   inv_ready_o,
  // 0: MPT entry inv_num_i, 1: of the MTT cache
  input  logic                                                   inv_mtt_i,
  input  logic                                                   inv_all_i,     //   everything, or
  // the lines (of 8 entries) from this one on
  input  logic [23:0]                                            inv_num_i,
  input  logic [5:0]                                             inv_last_i,    //   to this one of the same 64
  input  logic [4:0]                                             inv_block_i,   //   (not 0: and what is in their sets
                                                                                //   of the same block of 2^inv_block_i)
  // every request granted so far is answered
  output logic                                                   quiet_o,

  // Context memory and host reads, [0] MPT, [1] MTT.
  output logic [1:0]                                             icm_valid_o,
  input  logic [1:0]                                             icm_ready_i,
  output logic [1:0][39:0]                                       icm_addr_o,
  input  logic [1:0]                                             icm_rsp_valid_i,
  input  logic                                                   icm_rsp_ok_i,
  input  logic [63:0]                                            icm_rsp_addr_i,
  output logic [1:0]                                             rd_valid_o,
  input  logic [1:0]                                             rd_ready_i,
  output logic [1:0][ohca_fmt_pkg::DMA_RD_REQ_BITS-1:0]          rd_o,
  input  logic [1:0]                                             rd_rsp_valid_i,
  input  logic [DW-1:0]                                          rd_rsp_data_i,
  input  logic                                                   rd_rsp_last_i,
  input  logic                                                   rd_rsp_err_i
);

  localparam int unsigned CliW    = (NumClients > 1) ? $clog2(NumClients) : 1;
  localparam int unsigned ReqW    = ohca_fmt_pkg::TPT_REQ_BITS;
  localparam int unsigned MptKeep = 224;         // dwords 0 to 6
  localparam int unsigned PickW   = $clog2(512 / DW);
  if (DW != 64) begin : g_bad_width
    $error("ohca_tpt_small: 64 bits");
  end

  typedef enum logic [4:0] {
    T_IDLE,
    T_MPT, T_MPT_WAIT,
    T_FIT, T_CHECK,
    T_MASK,
    T_PAGE, T_DOWN, T_INDEX,
    T_MTT, T_MTT_WAIT,
    T_ANSWER,                     // without the MTT
    T_DROP, T_DROP_WAIT,          // an MPT entry, or lines of the MTT cache one after the other
    T_CLEAR, T_CLEAR_WAIT,        // the MTT cache
    T_DONE
  } step_e;
  step_e step_q;

  // ------------------------------------------------------------------------------------------------ grant
  logic                   arb_valid, room, p_lk_ready, t_lk_ready, p_idle, t_idle, p_valid, t_valid, p_err, t_err,
      answer;
  logic [CliW-1:0]        arb_sel, cli_q;
  logic [5:0]             line_q;                // of the MTT cache, to be dropped
  ohca_fmt_pkg::tpt_req_t a, r_q;
  logic [NumClients-1:0][ReqW-1:0] asked;
  logic [511:0]           p_line, t_line;
  ohca_arb_early #(.N(NumClients), .Width(ReqW)) u_arb (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(req_valid_i), .ready_o(req_ready_o), .data_i(asked), .room_i(room),
    .valid_o(arb_valid), .data_o(a), .sel_o(arb_sel)
  );
  // The next request is granted with the answer, and taken a cycle later.
  assign room = (step_q == T_IDLE || answer) && req_ready_o == '0 && !inv_valid_i;
  ohca_fmt_pkg::tpt_req_t one;
  always_comb begin
    for (int unsigned i = 0; i < NumClients; i++) begin
      one = ohca_fmt_pkg::tpt_req_t'(req_i[i]);
      if (Rings[i]) begin
        {one.need_lw, one.need_rw, one.need_rr, one.priv, one.pd, one.key, one.chk_len, one.tag} = '0;
        one.mtt_op = 1'b1;
      end
      asked[i] = one;
    end
  end

  // ------------------------------------------------------------------------------------------------ MPT
  ohca_ctx #(
    .DW(DW), .LineBytes(64), .Sets(MptLines), .TokenW(1), .Stride(64), .Offset(0), .ReadOnly(1'b1), .KeepBits(MptKeep),
    .Small(1'b1)
  ) u_mpt (
    .clk_i(clk_i), .rst_i(rst_i), .idle_o(p_idle),
    .base_i(mpt_base_i), .limit_i(mpt_limit_i),
    .lk_valid_i(step_q == T_MPT || (step_q == T_DROP && !inv_mtt_i)), .lk_ready_o(p_lk_ready),
    .lk_set_i('0),
    .lk_id_i(step_q == T_DROP ? inv_num_i : r_q.key[31:8]), .lk_token_i(1'b0), .lk_inval_i(step_q == T_DROP),
    .lk_block_i('0), .lk_hint_i(1'b0), .rd_hint_o(),
    .nx_valid_o(), .nx_token_o(), .out_valid_o(p_valid), .out_ready_i((answer && !r_q.mtt_op) || step_q == T_DROP_WAIT),
    .out_id_o(), .out_token_o(), .out_line_o(p_line),
    .out_err_o(p_err), .out_inval_o(), .out_we_i(1'b0), .out_wline_i('0),
    .out_word_i(5'd0), .out_word_data_i(32'd0), .out_word_mask_i(32'd0), .out_edit_i(1'b0), .out_edit_done_o(),
    .out_word_o(),
    .icm_valid_o(icm_valid_o[0]), .icm_ready_i(icm_ready_i[0]), .icm_addr_o(icm_addr_o[0]),
    .icm_rsp_valid_i(icm_rsp_valid_i[0]), .icm_rsp_ok_i(icm_rsp_ok_i), .icm_rsp_addr_i(icm_rsp_addr_i),
    .rd_valid_o(rd_valid_o[0]), .rd_ready_i(rd_ready_i[0]), .rd_o(rd_o[0]),
    .rd_rsp_valid_i(rd_rsp_valid_i[0]), .rd_rsp_data_i(rd_rsp_data_i), .rd_rsp_last_i(rd_rsp_last_i),
    .rd_rsp_err_i(rd_rsp_err_i),
    .wr_valid_o(), .wr_ready_i(1'b0), .wr_o(), .wr_dat_valid_o(), .wr_dat_ready_i(1'b0), .wr_dat_o(), .wr_dat_last_o(),
    .wr_issued_i('0), .wr_acked_i('0)
  );

  // ------------------------------------------------------------------ checks, page number
  ohca_fmt_pkg::mpt_t        m;
  ohca_fmt_pkg::vendor_err_e verr, verr_q, r_verr;
  logic                      bad_shift, below_q, direct_q, top_over_q;
  logic [46:12]              mask_q;           // bits of the offset in a page beyond 4 KiB
  logic [63:0]               from, sum_q, left_q;
  logic                      over_q;           // it begins behind the region's end
  logic [32:0]               low_sum, index;
  logic [26:0]               index_q;
  logic                      beyond_q;         // no MTT has so many entries
  logic [5:0]                sh_q;             // what is left to do, and 12
  assign m         = ohca_fmt_pkg::mpt_t'(p_line);
  assign bad_shift = m.page_shift < 6'd12 || m.page_shift > 6'd47;
  // From the region's start; for the page number from the start of its first page, and of nothing if there is no
  // region.
  assign from      = m.start & ~{17'd0, mask_q, {12{step_q == T_PAGE}}} & {64{!r_q.mtt_op}};
  assign low_sum   = {1'b0, r_q.va[31:0]} + {1'b0, r_q.chk_len};
  always_ff @(posedge clk_i) top_over_q <= &r_q.va[63:32] && low_sum[32] && low_sum[31:0] != '0;   // beyond 2^64

  assign index     = {1'b0, sum_q[43:12]} + {1'b0, m.mtt & {32{!r_q.mtt_op}}};

  always_comb begin
    verr = ohca_fmt_pkg::VENDOR_ERR_NONE;
    if (p_err) verr = p_line[0] ? ohca_fmt_pkg::VENDOR_ERR_DMA : ohca_fmt_pkg::VENDOR_ERR_TPT_KEY;
    else if (!m.valid || m.free || m.key != r_q.key[7:0]) verr = ohca_fmt_pkg::VENDOR_ERR_TPT_KEY;
    else if (m.priv_only && !r_q.priv) verr = ohca_fmt_pkg::VENDOR_ERR_TPT_ACCESS;
    else if (!m.priv_only && m.pd != r_q.pd) verr = ohca_fmt_pkg::VENDOR_ERR_TPT_PD;
    else if ((r_q.need_lw && !m.acc_lw) || (r_q.need_rw && !m.acc_rw) || (r_q.need_rr && !m.acc_rr))
      verr = ohca_fmt_pkg::VENDOR_ERR_TPT_ACCESS;
    else if (top_over_q) verr = ohca_fmt_pkg::VENDOR_ERR_TPT_BOUNDS;
    else if (m.phys) verr = ohca_fmt_pkg::VENDOR_ERR_NONE;
    else if (below_q) verr = ohca_fmt_pkg::VENDOR_ERR_TPT_BOUNDS;
    else if (bad_shift) verr = ohca_fmt_pkg::VENDOR_ERR_TPT_INVALID;
    else if (over_q || left_q < {32'd0, r_q.chk_len}) verr = ohca_fmt_pkg::VENDOR_ERR_TPT_BOUNDS;
  end

  always_ff @(posedge clk_i) begin
    case (step_q)
      T_IDLE: begin
        r_q      <= a;
        cli_q    <= arb_sel;
        mask_q   <= '0;
        verr_q   <= ohca_fmt_pkg::VENDOR_ERR_NONE;
        direct_q <= 1'b0;
        sh_q     <= 6'd12;
        line_q   <= inv_num_i[5:0];
        if (arb_valid) step_q <= a.mtt_op ? T_PAGE : T_MPT;
        else if (inv_valid_i) step_q <= (inv_mtt_i && inv_all_i) ? T_CLEAR : T_DROP;
      end
      T_MPT: if (p_lk_ready) step_q <= T_MPT_WAIT;
      T_MPT_WAIT: if (p_valid) step_q <= T_FIT;
      T_FIT: step_q <= T_CHECK;
      T_CHECK: begin
        verr_q   <= verr;
        sh_q     <= m.page_shift;
        direct_q <= 1'b1;
        step_q   <= T_ANSWER;
        if (verr == ohca_fmt_pkg::VENDOR_ERR_NONE && !m.phys && r_q.chk_len != '0) begin
          direct_q <= 1'b0;
          step_q   <= (m.page_shift == 6'd12) ? T_PAGE : T_MASK;
        end
      end
      T_MASK: begin
        mask_q <= {mask_q[45:12], 1'b1};
        sh_q   <= sh_q - 6'd1;
        if (sh_q == 6'd13) begin
          sh_q   <= m.page_shift;
          step_q <= T_PAGE;
        end
      end
      T_PAGE: step_q <= (sh_q == 6'd12) ? T_INDEX : T_DOWN;
      T_DOWN: begin
        sh_q <= sh_q - 6'd1;
        if (sh_q == 6'd13) step_q <= T_INDEX;
      end
      T_INDEX: step_q <= T_MTT;
      T_MTT: begin
        if (beyond_q) begin
          verr_q   <= ohca_fmt_pkg::VENDOR_ERR_TPT_INVALID;
          direct_q <= 1'b1;
          step_q   <= T_ANSWER;
        end else if (t_lk_ready) begin
          step_q <= T_MTT_WAIT;
        end
      end
      T_MTT_WAIT: if (t_valid) step_q <= T_IDLE;
      T_ANSWER: step_q <= T_IDLE;
      T_DROP: if (inv_mtt_i ? t_lk_ready : p_lk_ready) step_q <= T_DROP_WAIT;
      T_DROP_WAIT: if (inv_mtt_i ? t_valid : p_valid) begin
        line_q <= line_q + 6'd1;
        step_q <= (inv_mtt_i && line_q != inv_last_i) ? T_DROP : T_DONE;
      end
      T_CLEAR: step_q <= T_CLEAR_WAIT;
      T_CLEAR_WAIT: if (t_idle) step_q <= T_DONE;
      default: if (p_idle) step_q <= T_IDLE;                     // T_DONE: the entry is gone
    endcase
    left_q   <= m.length - sum_q;
    over_q   <= sum_q > m.length;
    index_q  <= index[26:0];
    beyond_q <= sum_q[63:44] != '0 || index[32:27] != '0;
    if (step_q == T_DOWN) sum_q <= sum_q >> 1;
    else if (step_q == T_MPT_WAIT || step_q == T_PAGE) {below_q, sum_q} <= {1'b0, r_q.va} - {1'b0, from};
    if (rst_i) step_q <= T_IDLE;
  end

  // ------------------------------------------------------------------------------------------------ MTT, answer
  ohca_fmt_pkg::mtt_t e;
  ohca_ctx #(
    .DW(DW), .LineBytes(64), .Sets(MttLines), .TokenW(PickW), .Stride(64), .Offset(0), .ReadOnly(1'b1), .Small(1'b1),
    .Pick(PickW)
  ) u_mtt (
    .clk_i(clk_i), .rst_i(rst_i || step_q == T_CLEAR), .idle_o(t_idle),
    .base_i(mtt_base_i), .limit_i(mtt_limit_i[27:3]),
    .lk_valid_i((step_q == T_MTT && !beyond_q) || (step_q == T_DROP && inv_mtt_i)),
    .lk_ready_o(t_lk_ready),
    .lk_set_i('0), .lk_id_i(step_q == T_DROP ? {inv_num_i[23:6], line_q} : index_q[26:3]), .lk_token_i(index_q[2:0]),
    .lk_inval_i(step_q == T_DROP), .lk_block_i(inv_block_i), .lk_hint_i(1'b0), .rd_hint_o(),
    .nx_valid_o(), .nx_token_o(), .out_valid_o(t_valid), .out_ready_i(1'b1), .out_id_o(), .out_token_o(),
    .out_line_o(t_line), .out_err_o(t_err), .out_inval_o(), .out_we_i(1'b0), .out_wline_i('0),
    .out_word_i(5'd0), .out_word_data_i(32'd0), .out_word_mask_i(32'd0), .out_edit_i(1'b0), .out_edit_done_o(),
    .out_word_o(),
    .icm_valid_o(icm_valid_o[1]), .icm_ready_i(icm_ready_i[1]), .icm_addr_o(icm_addr_o[1]),
    .icm_rsp_valid_i(icm_rsp_valid_i[1]), .icm_rsp_ok_i(icm_rsp_ok_i), .icm_rsp_addr_i(icm_rsp_addr_i),
    .rd_valid_o(rd_valid_o[1]), .rd_ready_i(rd_ready_i[1]), .rd_o(rd_o[1]),
    .rd_rsp_valid_i(rd_rsp_valid_i[1]), .rd_rsp_data_i(rd_rsp_data_i), .rd_rsp_last_i(rd_rsp_last_i),
    .rd_rsp_err_i(rd_rsp_err_i),
    .wr_valid_o(), .wr_ready_i(1'b0), .wr_o(), .wr_dat_valid_o(), .wr_dat_ready_i(1'b0), .wr_dat_o(), .wr_dat_last_o(),
    .wr_issued_i('0), .wr_acked_i('0)
  );

  logic [63:0] offset;           // bits of the offset in a page
  assign offset = {17'd0, mask_q, 12'hfff};
  assign e      = ohca_fmt_pkg::mtt_t'(t_line[63:0]);
  assign answer = step_q == T_ANSWER || (step_q == T_MTT_WAIT && t_valid);
  always_comb begin
    r_verr = verr_q;
    if (!direct_q) begin
      if (t_err)           r_verr = t_line[0] ? ohca_fmt_pkg::VENDOR_ERR_DMA : ohca_fmt_pkg::VENDOR_ERR_TPT_INVALID;
      else if (!e.present) r_verr = ohca_fmt_pkg::VENDOR_ERR_TPT_INVALID;
    end
    rsp_o.verr = r_verr;
    rsp_o.ok   = r_verr == ohca_fmt_pkg::VENDOR_ERR_NONE;
    rsp_o.addr = r_q.va;
    rsp_o.tag  = r_q.tag;
    if (!direct_q) rsp_o.addr = ({e.addr_hi, e.addr_lo, 12'd0} & ~offset) | (r_q.va & offset);
    for (int unsigned i = 0; i < NumClients; i++) rsp_valid_o[i] = answer && cli_q == CliW'(i);
  end

  always_comb begin
    cnt_o = '0;
    cnt_o[ohca_fmt_pkg::COUNTER_TPT_KEY]    = answer && r_verr == ohca_fmt_pkg::VENDOR_ERR_TPT_KEY;
    cnt_o[ohca_fmt_pkg::COUNTER_TPT_BOUNDS] = answer && (r_verr == ohca_fmt_pkg::VENDOR_ERR_TPT_BOUNDS ||
        r_verr == ohca_fmt_pkg::VENDOR_ERR_TPT_INVALID);
    cnt_o[ohca_fmt_pkg::COUNTER_TPT_ACCESS] = answer && r_verr == ohca_fmt_pkg::VENDOR_ERR_TPT_ACCESS;
    cnt_o[ohca_fmt_pkg::COUNTER_TPT_PD]     = answer && r_verr == ohca_fmt_pkg::VENDOR_ERR_TPT_PD;
  end

  assign quiet_o     = step_q == T_IDLE || step_q >= T_DROP;
  assign idle_o      = step_q == T_IDLE && p_idle && t_idle;
  assign inv_ready_o = step_q == T_DONE && p_idle;

  logic unused;
  assign unused = &{1'b0, m.acc_ra, m.rsvd0, m.rsvd1, m.rsvd2, m.rsvd3, e.rsvd0, t_line, p_line, mtt_limit_i[2:0]};

  `ASSERT(InvHeld_A, !(step_q >= T_DROP) || inv_valid_i)

endmodule

`default_nettype wire
