// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Memory translation and protection: checks a key against its MPT entry and turns the virtual address into a bus
// address by the MTT. One request per cycle and 9 cycles from request to answer when both caches hit; misses overlap,
// answers are in request order. Grants are flops.
//
//   clients -> arbiter -> queue -> MPT cache -> rights | bounds, page number -> MTT cache -> answer
//                                                                                  |
//                                                                            ohca_tpt_ahead -> host
//
// Of a region that is walked through, lines of the MTT are read before the cache asks for them (ohca_tpt_ahead). A READ
// request is checked as a whole when it comes, long before its responses are read for: if they need more than one line,
// the next one is looked up behind it, for nobody, in a cycle in which there is no request.
// A request that needs no MPT entry (mtt_op) or no MTT entry (refused, phys, no bytes) passes the cache under a number
// that never exists. Nothing waits for a client: it has room for the answer when it asks. MTT lines hold 8 entries, so
// an MTT allocation must be a multiple of 8 entries, aligned: else a line cached for a neighbour would show the old
// state of a new entry.
`include "ohca_assert.svh"
`default_nettype none

module ohca_tpt_full #(
  parameter int unsigned DW         = 64,
  parameter int unsigned NumClients = 6,
  parameter int unsigned MptLines   = 256,   // cached MPT entries, power of two
  parameter int unsigned MttLines   = 512,   // cached lines of 8 MTT entries, power of two
  parameter int unsigned Fills      = 16,    // outstanding fills of each cache, power of two
  parameter int unsigned Depth      = 32,    // requests in each cache, power of two
  parameter int unsigned Streams    = 8      // regions walked through at a time whose MTT is read ahead, power of two
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

  localparam int unsigned CliW  = (NumClients > 1) ? $clog2(NumClients) : 1;
  localparam int unsigned TCliW = $clog2(NumClients + 1);      // in the MTT cache: there is one more number, of nobody
  localparam int unsigned ReqW  = ohca_fmt_pkg::TPT_REQ_BITS;
  localparam logic [23:0] NoId  = 24'hffffff;    // never exists: the caches' limits stay at or below it
  localparam int unsigned MptKeep = 224;         // dwords 0 to 6

  typedef enum logic [2:0] {
    InvNone,
    InvWait,     // no grants until all is answered, so no fill is under way either
    InvLookup,   // drop the MPT entry
    InvWalk,     // drop lines of the MTT cache, one after the other
    InvClear,    // restart the MTT cache
    InvEnd,
    InvDone
  } inv_e;
  inv_e inv_q, inv_d;

  // Limits of the caches: both stay where they are while anything is translated.
  logic [24:0] mtt_lines, mpt_end_q, mtt_end_q;
  assign mtt_lines = mtt_limit_i[27:3];
  always_ff @(posedge clk_i) begin
    mpt_end_q <= (mpt_limit_i > {1'b0, NoId}) ? {1'b0, NoId} : mpt_limit_i;
    mtt_end_q <= (mtt_lines > {1'b0, NoId}) ? {1'b0, NoId} : mtt_lines;
  end

  // ------------------------------------------------------------------------------------------------ grant, MPT
  logic            arb_valid, arb_ready, arb_room, a_valid, a_pop, p_lk_valid, p_lk_ready, p_valid, p_ready, p_err,
      p_inval, p_idle, p_missing;
  logic [ReqW-1:0] arb_data;
  logic [CliW-1:0] arb_sel, a_cli, p_cli;
  logic [2:0]      a_count;
  ohca_fmt_pkg::tpt_req_t g, a, p;
  logic            g_missing, a_missing;
  logic [23:0]     p_id;
  logic [511:0]    p_line;
  logic [ReqW-1:0] p_flat;

  assign arb_room = inv_q == InvNone && !inv_valid_i && a_count <= 3'd2;
  ohca_arb_early #(.N(NumClients), .Width(ReqW)) u_arb (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(req_valid_i), .ready_o(req_ready_o), .data_i(req_i),
    .room_i(arb_room), .valid_o(arb_valid), .data_o(arb_data), .sel_o(arb_sel)
  );
  assign g         = ohca_fmt_pkg::tpt_req_t'(arb_data);
  assign g_missing = !g.mtt_op && ({1'b0, g.key[31:8]} >= mpt_limit_i || g.key[31:8] == NoId);
  ohca_fifo #(.Width(1 + CliW + ReqW), .Depth(4)) u_req (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(arb_valid), .ready_o(arb_ready), .data_i({g_missing, arb_sel, arb_data}),
    .valid_o(a_valid), .ready_i(a_pop), .data_o({a_missing, a_cli, a}), .count_o(a_count), .almost_full_o()
  );
  // When an entry is looked up to be dropped, nothing is here.
  assign p_lk_valid = inv_q == InvLookup || a_valid;
  assign a_pop      = p_lk_ready && inv_q != InvLookup;

  ohca_ctx #(
    .DW(DW), .LineBytes(64), .Sets(MptLines), .Ways(1), .TokenW(1 + CliW + ReqW), .Stride(64), .Offset(0),
    .Fills(Fills), .Depth(Depth), .Evicts(2), .ReadOnly(1'b1), .KeepBits(MptKeep)
  ) u_mpt (
    .clk_i(clk_i), .rst_i(rst_i), .idle_o(p_idle),
    .base_i(mpt_base_i), .limit_i(mpt_end_q),
    .lk_valid_i(p_lk_valid), .lk_ready_o(p_lk_ready),
    .lk_set_i('0), .lk_id_i(inv_q == InvLookup ? inv_num_i : (a.mtt_op || a_missing) ? NoId : a.key[31:8]),
    .lk_token_i({a_missing, a_cli, a}), .lk_inval_i(inv_q == InvLookup), .lk_block_i('0), .lk_hint_i(1'b0),
    .rd_hint_o(), .nx_valid_o(), .nx_token_o(), .out_valid_o(p_valid), .out_ready_i(p_ready), .out_id_o(p_id),
    .out_token_o({p_missing, p_cli, p_flat}), .out_line_o(p_line),
    .out_err_o(p_err), .out_inval_o(p_inval), .out_we_i(1'b0), .out_wline_i('0),
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
  assign p = ohca_fmt_pkg::tpt_req_t'(p_flat);

  // ------------------------------------------------------------------------------------------------ rights (stage 1)
  ohca_fmt_pkg::mpt_t        m;
  ohca_fmt_pkg::vendor_err_e p_verr;
  logic                      bad_shift;
  logic [63:0]               off_mask, first;
  logic [64:0]               p_end;
  logic [5:0]                p_shift;
  assign m         = ohca_fmt_pkg::mpt_t'(p_line);
  assign bad_shift = m.page_shift < 6'd12 || m.page_shift > 6'd47;
  assign p_shift   = (p.mtt_op || bad_shift) ? 6'd12 : m.page_shift;
  // Offset in a page, straight from the entry: for mtt_op it does not matter, and a shift that is bad is refused or, of
  // a physical region, not used.
  always_comb for (int unsigned i = 0; i < 64; i++) off_mask[i] = m.page_shift > 6'(i);
  assign first     = p.mtt_op ? '0 : m.start & ~off_mask;         // address that the first MTT entry maps
  assign p_end     = {1'b0, p.va} + {33'd0, p.chk_len};

  always_comb begin
    p_verr = ohca_fmt_pkg::VENDOR_ERR_NONE;
    if (p.mtt_op) p_verr = ohca_fmt_pkg::VENDOR_ERR_NONE;
    else if (p_missing) p_verr = ohca_fmt_pkg::VENDOR_ERR_TPT_KEY;
    else if (p_err) p_verr = p_line[0] ? ohca_fmt_pkg::VENDOR_ERR_DMA : ohca_fmt_pkg::VENDOR_ERR_TPT_KEY;
    else if (!m.valid || m.free || m.key != p.key[7:0]) p_verr = ohca_fmt_pkg::VENDOR_ERR_TPT_KEY;
    else if (m.priv_only && !p.priv) p_verr = ohca_fmt_pkg::VENDOR_ERR_TPT_ACCESS;
    else if (!m.priv_only && m.pd != p.pd) p_verr = ohca_fmt_pkg::VENDOR_ERR_TPT_PD;
    else if ((p.need_lw && !m.acc_lw) || (p.need_rw && !m.acc_rw) || (p.need_rr && !m.acc_rr))
      p_verr = ohca_fmt_pkg::VENDOR_ERR_TPT_ACCESS;
    else if (p_end[64] && p_end[63:0] != '0) p_verr = ohca_fmt_pkg::VENDOR_ERR_TPT_BOUNDS;
    else if (!m.phys && p.va < m.start) p_verr = ohca_fmt_pkg::VENDOR_ERR_TPT_BOUNDS;
    else if (!m.phys && bad_shift) p_verr = ohca_fmt_pkg::VENDOR_ERR_TPT_INVALID;
  end

  logic                      b_valid_q, b_ready, b_mtt_op_q, b_rr_q, b_phys_q, b_empty_q;
  logic [CliW-1:0]           b_cli_q;
  logic [7:0]                b_tag_q;
  ohca_fmt_pkg::vendor_err_e b_verr_q;
  logic [63:0]               b_va_q, b_off_q, b_pages_q, b_length_q, b_togo_q, b_span_q;
  logic [31:0]               b_chk_q, b_rest_q, b_mtt_q;
  logic [5:0]                b_shift_q;

  assign p_ready = p_inval || !b_valid_q || b_ready;
  always_ff @(posedge clk_i) begin
    if (rst_i) b_valid_q <= 1'b0;
    else if (p_valid && p_ready && !p_inval) b_valid_q <= 1'b1;
    else if (b_ready) b_valid_q <= 1'b0;
    if (p_valid && p_ready && !p_inval) begin
      b_mtt_op_q <= p.mtt_op;
      b_rr_q     <= p.need_rr && !p.mtt_op;
      b_phys_q   <= m.phys && !p.mtt_op;
      b_empty_q  <= p.chk_len == '0 && !p.mtt_op;
      b_cli_q    <= p_cli;
      b_tag_q    <= p.tag;
      b_verr_q   <= p_verr;
      b_va_q     <= p.va;
      b_off_q    <= p.va - m.start;
      b_pages_q  <= p.va - first;                       // what the page number is cut from
      b_length_q <= m.length;
      b_togo_q   <= m.start + m.length + ~p.va;         // bytes of the region behind the first one
      b_span_q   <= {off_mask[60:0], 3'b111};           // offset in what an MTT line maps
      b_chk_q    <= p.chk_len;
      b_rest_q   <= p.chk_len - 32'd1;
      b_mtt_q    <= p.mtt_op ? '0 : m.mtt;
      b_shift_q  <= p_shift;
    end
  end

  // ------------------------------------------------------------------ bounds, page (stage 2)
  logic                      b_more, b_far, b_more3;
  logic [64:0]               b_need;
  logic [63:0]               b_page, b_left, b_line;
  logic [32:0]               b_index;
  ohca_fmt_pkg::vendor_err_e b_verr;
  assign b_need  = {1'b0, b_off_q} + {33'd0, b_chk_q};
  assign b_page  = b_pages_q >> b_shift_q;
  // Bytes that the MTT line maps behind the first one; behind it the region goes on for two more lines, for three; a
  // READ goes on with the next line. A line maps as many bytes as b_line says by its bit.
  assign b_left  = ~b_pages_q & b_span_q;
  assign b_line  = {b_span_q[62:0], 1'b1} & ~b_span_q;
  assign b_more  = !b_mtt_op_q && b_togo_q > (b_left | b_line);
  assign b_more3 = b_togo_q > (b_left | {b_line[62:0], 1'b0});
  assign b_far   = b_rr_q && {32'd0, b_rest_q} > b_left;
  assign b_index = {1'b0, b_page[31:0]} + {1'b0, b_mtt_q};
  always_comb begin
    b_verr = b_verr_q;
    if (b_verr_q != ohca_fmt_pkg::VENDOR_ERR_NONE || b_phys_q) b_verr = b_verr_q;
    else if (!b_mtt_op_q && b_need > {1'b0, b_length_q})       b_verr = ohca_fmt_pkg::VENDOR_ERR_TPT_BOUNDS;
    else if (!b_empty_q && (b_page[63:32] != '0 || b_index >= {5'd0, mtt_limit_i}))
        b_verr = ohca_fmt_pkg::VENDOR_ERR_TPT_INVALID;
  end

  logic                      c_valid, c_ready, c_direct, c_more, c_far, c_more3;
  logic [CliW-1:0]           c_cli;
  logic [7:0]                c_tag;
  logic [63:0]               c_va;
  logic [26:0]               c_index;
  logic [5:0]                c_shift;
  // Two places, so that what waits for the MTT cache does not wait for it in the same cycle.
  localparam int unsigned CW = 1 + CliW + 8 + 8 + 64 + 27 + 6 + 3;
  logic [7:0] c_verr;
  ohca_skid #(.Width(CW)) u_found (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(b_valid_q), .ready_o(b_ready),
    .data_i({b_phys_q || b_empty_q || b_verr != ohca_fmt_pkg::VENDOR_ERR_NONE, b_cli_q, b_tag_q, b_verr, b_va_q,
             b_index[26:0], b_shift_q, b_more, b_far, b_more3}),
    .valid_o(c_valid), .ready_i(c_ready),
    .data_o({c_direct, c_cli, c_tag, c_verr, c_va, c_index, c_shift, c_more, c_far, c_more3})
  );
  // The lines behind, to be looked up when nobody else is; one for which there is no room is left out.
  logic        far_q, far_more_q, far_room, again, again_more;
  logic [23:0] far_id_q, again_id;
  always_ff @(posedge clk_i) begin
    far_q                  <= !rst_i && c_valid && c_ready && c_far && !c_direct;
    {far_id_q, far_more_q} <= {c_index[26:3] + 24'd1, c_more3};
  end
  ohca_fifo #(.Width(25), .Depth(16)) u_again (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(far_q && far_room), .ready_o(far_room), .data_i({far_id_q, far_more_q}),
    .valid_o(again), .ready_i(c_ready && !c_valid), .data_o({again_id, again_more}), .count_o(), .almost_full_o()
  );

  // ------------------------------------------------------------------------------------------------ MTT
  localparam int unsigned TokW = 1 + TCliW + 8 + 8 + 64 + 3 + 6;
  logic [TokW-1:0]  c_token;
  logic             walk_q;                 // inv_q == InvWalk
  logic [5:0]       line_q;
  logic            t_valid, t_err, t_inval, t_idle, t_direct;
  logic [TCliW-1:0] t_cli;
  logic [7:0]      t_verr;
  logic [7:0]      t_tag;
  logic [63:0]     t_va, t_mask;
  logic [2:0]      t_pos;
  logic [5:0]      t_shift;
  logic [23:0]     t_id;
  logic [511:0]    t_line;
  ohca_fmt_pkg::mtt_t e;
  logic            f_valid, f_ready, f_more, f_idle, f_rsp_valid, f_rsp_last, f_rsp_err;     // fills of the MTT cache
  logic [DW-1:0]   f_rsp_data;
  ohca_fmt_pkg::dma_rd_req_t f_req, h_req;

  // A line that is dropped passes as an answer to nobody, and so does the line behind a request's.
  always_comb begin
    c_token = {c_direct, TCliW'(c_cli), c_verr, c_tag, c_va, c_index[2:0], c_shift};
    if (!c_valid) c_token[TokW-1 -: 1+TCliW+8] = {1'b1, TCliW'(NumClients), ohca_fmt_pkg::VENDOR_ERR_NONE};
  end
  ohca_ctx #(
    .DW(DW), .LineBytes(64), .Sets(MttLines), .Ways(1), .TokenW(TokW), .Stride(64), .Offset(0),
    .Fills(Fills), .Depth(Depth), .Evicts(2), .ReadOnly(1'b1), .KeepBits(512)
  ) u_mtt (
    .clk_i(clk_i), .rst_i(rst_i || inv_q == InvClear), .idle_o(t_idle),
    .base_i(mtt_base_i), .limit_i(mtt_end_q),
    .lk_valid_i(c_valid || walk_q || again), .lk_ready_o(c_ready), .lk_set_i('0), .lk_id_i(c_valid ?
    (c_direct ? NoId : c_index[26:3]) : walk_q ? {inv_num_i[23:6], line_q} : again_id),
    .lk_token_i(c_token), .lk_inval_i(walk_q), .lk_block_i(inv_block_i),
    .lk_hint_i(c_valid ? c_more : again_more && !walk_q),
    .nx_valid_o(), .nx_token_o(), .out_valid_o(t_valid), .out_ready_i(1'b1), .out_id_o(t_id),
    .out_token_o({t_direct, t_cli, t_verr, t_tag, t_va, t_pos, t_shift}),
    .out_line_o(t_line), .out_err_o(t_err), .out_inval_o(t_inval), .out_we_i(1'b0), .out_wline_i('0),
    .out_word_i(5'd0), .out_word_data_i(32'd0), .out_word_mask_i(32'd0), .out_edit_i(1'b0), .out_edit_done_o(),
    .out_word_o(),
    .icm_valid_o(icm_valid_o[1]), .icm_ready_i(icm_ready_i[1]), .icm_addr_o(icm_addr_o[1]),
    .icm_rsp_valid_i(icm_rsp_valid_i[1]), .icm_rsp_ok_i(icm_rsp_ok_i), .icm_rsp_addr_i(icm_rsp_addr_i),
    .rd_valid_o(f_valid), .rd_ready_i(f_ready), .rd_o(f_req), .rd_hint_o(f_more),
    .rd_rsp_valid_i(f_rsp_valid), .rd_rsp_data_i(f_rsp_data), .rd_rsp_last_i(f_rsp_last), .rd_rsp_err_i(f_rsp_err),
    .wr_valid_o(), .wr_ready_i(1'b0), .wr_o(), .wr_dat_valid_o(), .wr_dat_ready_i(1'b0), .wr_dat_o(), .wr_dat_last_o(),
    .wr_issued_i('0), .wr_acked_i('0)
  );
  // Whatever is forgotten, nothing of what was read ahead stays.
  ohca_tpt_ahead #(.DW(DW), .Slots(Streams), .Fills(Fills)) u_ahead (
    .clk_i(clk_i), .rst_i(rst_i), .idle_o(f_idle), .flush_i(inv_q != InvNone),
    .c_valid_i(f_valid), .c_ready_o(f_ready), .c_i(f_req), .more_i(f_more),
    .c_rsp_valid_o(f_rsp_valid), .c_rsp_data_o(f_rsp_data), .c_rsp_last_o(f_rsp_last), .c_rsp_err_o(f_rsp_err),
    .h_valid_o(rd_valid_o[1]), .h_ready_i(rd_ready_i[1]), .h_o(h_req),
    .h_rsp_valid_i(rd_rsp_valid_i[1]), .h_rsp_data_i(rd_rsp_data_i), .h_rsp_last_i(rd_rsp_last_i),
    .h_rsp_err_i(rd_rsp_err_i)
  );
  assign rd_o[1] = h_req;

  // ------------------------------------------------------------------------------------------------ answer
  ohca_fmt_pkg::vendor_err_e r_verr;
  assign e      = ohca_fmt_pkg::mtt_t'(t_line[64*32'(t_pos) +: 64]);
  always_comb for (int unsigned i = 0; i < 64; i++) t_mask[i] = t_shift > 6'(i);     // 2^t_shift - 1, a LUT a bit
  always_comb begin
    r_verr = ohca_fmt_pkg::vendor_err_e'(t_verr);
    if (!t_direct) begin
      if (t_err)           r_verr = t_line[0] ? ohca_fmt_pkg::VENDOR_ERR_DMA : ohca_fmt_pkg::VENDOR_ERR_TPT_INVALID;
      else if (!e.present) r_verr = ohca_fmt_pkg::VENDOR_ERR_TPT_INVALID;
    end
    rsp_o.verr = r_verr;
    rsp_o.ok   = r_verr == ohca_fmt_pkg::VENDOR_ERR_NONE;
    rsp_o.addr = t_direct ? t_va : (({e.addr_hi, e.addr_lo, 12'd0} & ~t_mask) | (t_va & t_mask));
    rsp_o.tag  = t_tag;
    for (int unsigned i = 0; i < NumClients; i++) rsp_valid_o[i] = t_valid && t_cli == TCliW'(i);
  end

  always_ff @(posedge clk_i) begin
    cnt_o <= '0;
    cnt_o[ohca_fmt_pkg::COUNTER_TPT_KEY]    <= !rst_i && t_valid && r_verr == ohca_fmt_pkg::VENDOR_ERR_TPT_KEY;
    cnt_o[ohca_fmt_pkg::COUNTER_TPT_BOUNDS] <= !rst_i && t_valid && (r_verr == ohca_fmt_pkg::VENDOR_ERR_TPT_BOUNDS ||
        r_verr == ohca_fmt_pkg::VENDOR_ERR_TPT_INVALID);
    cnt_o[ohca_fmt_pkg::COUNTER_TPT_ACCESS] <= !rst_i && t_valid && r_verr == ohca_fmt_pkg::VENDOR_ERR_TPT_ACCESS;
    cnt_o[ohca_fmt_pkg::COUNTER_TPT_PD]     <= !rst_i && t_valid && r_verr == ohca_fmt_pkg::VENDOR_ERR_TPT_PD;
  end

  // ------------------------------------------------------------------------------------------------ forgetting
  assign quiet_o     = !arb_valid && !a_valid && p_idle && !b_valid_q && !c_valid && !far_q && !again && t_idle &&
                       f_idle;
  assign idle_o      = quiet_o && inv_q == InvNone;
  assign inv_ready_o = inv_q == InvDone;

  always_comb begin
    inv_d = inv_q;
    unique case (inv_q)
      InvNone:   if (inv_valid_i) inv_d = InvWait;
      InvWait:   if (quiet_o) inv_d = !inv_mtt_i ? InvLookup : inv_all_i ? InvClear : InvWalk;
      InvLookup: if (p_lk_ready) inv_d = InvEnd;
      InvWalk:   if (c_ready && line_q == inv_last_i) inv_d = InvEnd;
      InvClear:  inv_d = InvEnd;
      InvEnd:    if (quiet_o) inv_d = InvDone;      // the token has come out; the tags are clear
      InvDone:   inv_d = InvNone;
      default:   inv_d = InvNone;
    endcase
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) inv_q <= InvNone;
    else       inv_q <= inv_d;
    walk_q <= !rst_i && inv_d == InvWalk;
    line_q <= !walk_q ? inv_num_i[5:0] : c_ready ? line_q + 6'd1 : line_q;
  end

  logic unused;
  assign unused = &{1'b0, a, g, p_id, t_id, t_inval, m.acc_ra, m.rsvd0, m.rsvd1, m.rsvd2, m.rsvd3, e.rsvd0, b_index};

  `ASSERT(ReqRoom_A, !arb_valid || arb_ready)
  `ASSERT(WalkAlone_A, !walk_q || !(c_valid || far_q || again))
  `ASSERT(InvHeld_A, inv_q == InvNone || inv_valid_i)

endmodule

`default_nettype wire
