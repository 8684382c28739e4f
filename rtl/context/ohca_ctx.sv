// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Cache of one kind of context, with the table in host memory behind it: tokens go in with a number and come out, those
// of one number in the same order, each with the newest content of its context. With Pass a miss holds up only what is
// for its set, else all tokens come out in order.
//
// Two ways to build it: ohca_ctx_full takes a token per cycle and has many fills under way; with Small, ohca_ctx_small
// takes one after the other (9 cycles to a line of 128 bytes) in a fifth of the LUTs, and can change any word by itself
// before the accept (out_edit_i).
//
// ohca_ctx #(.DW(DW), .LineBytes(128), .Sets(256), .Ways(1), .TokenW(40), .Stride(1024), .Offset(0)) u_ctx (...);
// lint: Pass=1
// lint: Small=1
// lint: HotBytes=64
// lint: Small=1 Words=65473 KeepBits=832 HotBytes=64
// lint: Small=1 Words=231 KeepBits=256 LineBytes=64
// lint: Small=1 ReadOnly=1 KeepBits=224 LineBytes=64
// lint: Small=1 ReadOnly=1 Pick=3 LineBytes=64

`default_nettype none

module ohca_ctx #(
  parameter int unsigned DW        = 64,    // data path, 64..512 bits
  parameter int unsigned LineBytes = 128,   // 64 or 128
  parameter int unsigned Sets      = 256,   // power of two, at least 2
  parameter int unsigned Ways      = 1,     // 1 or 2; Small: 1
  parameter int unsigned TokenW    = 32,    // bits that travel with a lookup
  parameter int unsigned Stride    = 1024,  // bytes of host memory per number, power of two, at least LineBytes
  parameter int unsigned Offset    = 0,     // of the line in the stride, multiple of LineBytes
  parameter int unsigned Fills     = 8,     // outstanding fills, power of two; Small: 1
  parameter int unsigned Depth     = 32,    // tokens in flight, power of two; Small: 1
  parameter int unsigned Evicts    = 32,    // evictions whose write-back is not yet acknowledged, power of two; Small:
                                            // 1
  parameter bit          ReadOnly  = 1'b0,  // out_we_i is ignored, nothing is written back
  parameter int unsigned KeepBits  = 8 * LineBytes,  // the cache keeps the lowest bits only: the others read 0 and are
                                                     // written back as 0
  parameter int unsigned HotBytes  = LineBytes,      // these of the line, the first, out_wline_i changes and are
                                                     // written back; the others come from host memory only
  parameter bit          Pass      = 1'b0,  // tokens of other sets pass a miss; Small: none does, as there is one token
                                            // at a time
  parameter int unsigned Same      = 0,     // tokens of one number, one after the other: 1: out_wline_i is out_line_o
                                            // where out_we_i is low at an accept, the path from out_we_i is shorter
                                            // then; 2: one in two cycles at most, that of out_wline_i is shorter, too
  parameter bit          Small     = 1'b0,
  parameter bit          SetIn     = 1'b0,  // lk_set_i is the set of lk_id_i (ohca_ctx_set.svh); not with Small
  parameter int unsigned Pick      = 0,     // Small: so many low bits of the token name a beat of the line, which is
                                            // all that out_line_o shows, in its lowest bits
  parameter logic [31:0] Words     = '1,    // Small: which words of 32 bits out_wline_i changes; the others of HotBytes
                                            // change by out_edit_i only
  localparam int unsigned LineBits = 8 * LineBytes
) (
  input  logic                         clk_i,
  input  logic                         rst_i,
  output logic                         idle_o,

  input  logic [39:0]                  base_i,         // table base in context memory, aligned to LineBytes
  input  logic [24:0]                  limit_i,        // numbers that exist: id < limit_i, else out_err_o

  input  logic                         lk_valid_i,
  output logic                         lk_ready_o,
  input  logic [23:0]                  lk_id_i,
  input  logic [23:0]                  lk_set_i,
  input  logic [TokenW-1:0]            lk_token_i,
  input  logic                         lk_inval_i,     // after its accept: write back if dirty, drop; ReadOnly: a line
                                                       // that is not there is not fetched (out_err_o)
  input  logic [4:0]                   lk_block_i,     // ReadOnly, with lk_inval_i: drop whatever is in the set of
                                                       // lk_id_i and the same aligned block of 2^lk_block_i numbers
  input  logic                         lk_hint_i,      // comes out as rd_hint_o, if this lookup has the line read; not
                                                       // with Small

  output logic                         nx_valid_o,     // this token is the next that is offered; not with Small
  output logic [TokenW-1:0]            nx_token_o,
  output logic                         out_valid_o,
  input  logic                         out_ready_i,
  output logic [23:0]                  out_id_o,
  output logic [TokenW-1:0]            out_token_o,
  output logic [LineBits-1:0]          out_line_o,
  output logic                         out_err_o,      // no content; out_line_o[0] = 1: read failed, 0: out of range or
                                                       // chunk not mapped
  output logic                         out_inval_o,    // echo of lk_inval_i
  input  logic                         out_we_i,       // with the accept: out_wline_i is the new content (ignored with
                                                       // out_err_o)
  input  logic [LineBits-1:0]          out_wline_i,
  input  logic [4:0]                   out_word_i,     // Small: number of the word that an edit is for
  input  logic [31:0]                  out_word_data_i,
  input  logic [31:0]                  out_word_mask_i,
  input  logic                         out_edit_i,     // Small: before the accept, change this word where the mask is
                                                       // set; with what belongs to it held until
  output logic                         out_edit_done_o,  // a cycle, from which on out_line_o shows it
  output logic [31:0]                  out_word_o,     // the word as it was, until the next edit

  output logic                         icm_valid_o,
  input  logic                         icm_ready_i,
  output logic [39:0]                  icm_addr_o,
  input  logic                         icm_rsp_valid_i,
  input  logic                         icm_rsp_ok_i,
  input  logic [63:0]                  icm_rsp_addr_i,

  output logic                         rd_valid_o,
  input  logic                         rd_ready_i,
  output ohca_fmt_pkg::dma_rd_req_t    rd_o,
  output logic                         rd_hint_o,
  input  logic                         rd_rsp_valid_i,
  input  logic [DW-1:0]                rd_rsp_data_i,
  input  logic                         rd_rsp_last_i,
  input  logic                         rd_rsp_err_i,

  output logic                         wr_valid_o,
  input  logic                         wr_ready_i,
  output ohca_fmt_pkg::dma_wr_req_t    wr_o,
  output logic                         wr_dat_valid_o,
  input  logic                         wr_dat_ready_i,
  output logic [DW-1:0]                wr_dat_o,
  output logic                         wr_dat_last_o,
  input  logic [31:0]                  wr_issued_i,    // of ohca_dma_wr, all clients
  input  logic [31:0]                  wr_acked_i
);

  if (Small) begin : g_small
    if (Ways != 1) begin : g_bad_ways
      $error("ohca_ctx: Small has one way");
    end
    // Its reads leave from a register, as it may lie far from host memory.
    logic                                     rd_valid, rd_ready;
    logic [ohca_fmt_pkg::DMA_RD_REQ_BITS-1:0] rd, rd_flat;
    ohca_ctx_small #(
      .DW(DW), .LineBytes(LineBytes), .Sets(Sets), .TokenW(TokenW), .Stride(Stride), .Offset(Offset),
      .ReadOnly(ReadOnly), .KeepBits(KeepBits), .HotBytes(HotBytes), .Words(Words), .Pick(Pick)
    ) u_cache (
      .clk_i, .rst_i, .idle_o, .base_i, .limit_i, .lk_valid_i, .lk_ready_o, .lk_id_i, .lk_token_i, .lk_inval_i,
      .lk_block_i, .out_valid_o, .out_ready_i, .out_id_o,
      .out_token_o, .out_line_o, .out_err_o, .out_inval_o, .out_we_i, .out_wline_i, .out_word_i, .out_word_data_i,
      .out_word_mask_i, .out_edit_i,
      .out_edit_done_o, .out_word_o, .icm_valid_o, .icm_ready_i, .icm_addr_o, .icm_rsp_valid_i, .icm_rsp_ok_i,
      .icm_rsp_addr_i, .rd_valid_o(rd_valid), .rd_ready_i(rd_ready),
      .rd_o(rd), .rd_rsp_valid_i, .rd_rsp_data_i, .rd_rsp_last_i, .rd_rsp_err_i, .wr_valid_o, .wr_ready_i, .wr_o,
      .wr_dat_valid_o, .wr_dat_ready_i, .wr_dat_o,
      .wr_dat_last_o, .wr_issued_i, .wr_acked_i
    );
    ohca_hop #(.Width(ohca_fmt_pkg::DMA_RD_REQ_BITS)) u_rd (
      .clk_i, .rst_i, .valid_i(rd_valid), .ready_o(rd_ready), .data_i(rd), .valid_o(rd_valid_o), .ready_i(rd_ready_i),
      .data_o(rd_flat)
    );
    assign rd_o = ohca_fmt_pkg::dma_rd_req_t'(rd_flat);
    assign {nx_valid_o, nx_token_o, rd_hint_o} = '0;
    logic unused;
    assign unused = &{1'b0, lk_hint_i, lk_set_i, SetIn};
  end else begin : g_full
    if (Pick != 0) begin : g_bad_pick
      $error("ohca_ctx: Pick is for Small");
    end
    ohca_ctx_full #(
      .DW(DW), .LineBytes(LineBytes), .Sets(Sets), .Ways(Ways), .TokenW(TokenW), .Stride(Stride), .Offset(Offset),
      .Fills(Fills), .Depth(Depth), .Evicts(Evicts), .ReadOnly(ReadOnly), .KeepBits(KeepBits),
      .HotBytes(HotBytes), .Pass(Pass), .Same(Same), .SetIn(SetIn)
    ) u_cache (
      .clk_i, .rst_i, .idle_o, .base_i, .limit_i, .lk_valid_i, .lk_ready_o, .lk_id_i, .lk_set_i, .lk_token_i,
      .lk_inval_i, .lk_block_i, .lk_hint_i, .nx_valid_o, .nx_token_o, .out_valid_o, .out_ready_i, .out_id_o,
      .out_token_o, .out_line_o, .out_err_o, .out_inval_o, .out_we_i, .out_wline_i, .icm_valid_o, .icm_ready_i,
      .icm_addr_o, .icm_rsp_valid_i, .icm_rsp_ok_i,
      .icm_rsp_addr_i, .rd_valid_o, .rd_ready_i, .rd_o, .rd_hint_o, .rd_rsp_valid_i, .rd_rsp_data_i, .rd_rsp_last_i,
      .rd_rsp_err_i, .wr_valid_o, .wr_ready_i, .wr_o,
      .wr_dat_valid_o, .wr_dat_ready_i, .wr_dat_o, .wr_dat_last_o, .wr_issued_i, .wr_acked_i
    );
    assign {out_edit_done_o, out_word_o} = '0;
    logic unused;
    assign unused = &{1'b0, out_word_i, out_word_data_i, out_word_mask_i, out_edit_i, Words};
  end

endmodule

`default_nettype wire
