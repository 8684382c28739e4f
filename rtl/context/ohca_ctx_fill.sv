// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Fills of a cache: miss queue -> translation -> read, all in lookup order; answers come in the same order.
//
// Whether its number is in the list of evictions, and where (ohca_ctx_evict), goes with a fill until its line is there.
// A miss takes a cycle to the translation. Room for all that is asked for is there before: the readys of what comes
// back are constant. It does NOT put lines into the cache.

`include "ohca_assert.svh"
`default_nettype none

module ohca_ctx_fill #(
  parameter int unsigned  DW        = 64,
  parameter int unsigned  LineBytes = 128,
  parameter int unsigned  Stride    = 1024,
  parameter int unsigned  Offset    = 0,
  parameter int unsigned  Fills     = 8,     // lines in flight, power of two
  parameter int unsigned  Allocs    = 8,     // misses inside, power of two
  parameter int unsigned  EvW       = 5,
  localparam int unsigned LineSh    = $clog2(LineBytes),
  localparam int unsigned AdrW      = 64 - LineSh
) (
  input  logic                      clk_i,
  input  logic                      rst_i,
  input  logic [39:0]               base_i,        // of the table in context memory

  input  logic                      valid_i,       // pulse: a miss
  input  logic                      hint_i,
  input  logic [23:0]               id_i,
  input  logic [EvW:0]              conflict_i,    // of ohca_ctx_evict: {is there, where}
  input  logic                      full_i,        // no line more may be asked for

  output logic                      icm_valid_o,
  input  logic                      icm_ready_i,
  output logic [39:0]               icm_addr_o,
  input  logic                      icm_rsp_valid_i,
  input  logic                      icm_rsp_ok_i,
  input  logic [63:0]               icm_rsp_addr_i,
  output logic                      rd_valid_o,
  input  logic                      rd_ready_i,
  output ohca_fmt_pkg::dma_rd_req_t rd_o,
  output logic                      rd_hint_o,
  input  logic                      rd_rsp_valid_i,
  input  logic [DW-1:0]             rd_rsp_data_i,
  input  logic                      rd_rsp_err_i,

  output logic                      begun_o,       // pulse: a miss goes to the translation
  output logic                      asked_o,       // pulse: its line is asked for, or (not asked_ok_o) has no address
  output logic                      asked_ok_o,
  output logic                      line_valid_o,  // the same, in order, and its beats:
  input  logic                      line_ready_i,
  output logic                      line_ok_o,
  output logic [AdrW-1:0]           line_addr_o,
  output logic [EvW:0]              line_conflict_o,
  output logic                      beat_valid_o,
  input  logic                      beat_ready_i,
  output logic                      beat_err_o,
  output logic [DW-1:0]             beat_o
);

  localparam int unsigned Beats    = 8 * LineBytes / DW;
  localparam int unsigned StrideSh = $clog2(Stride);
  localparam int unsigned IcmRoom  = 4;

  logic              mq_valid, mq_ready, x_valid, x_ok, x_pop, x_ready, info_ready, beat_ready, icm_fire;
  logic [23:0]       mq_id;
  logic              mq_hint, hint_ready, hint_valid;
  logic [EvW:0]      mq_conf, x_conf;
  logic [AdrW-1:0]   x_addr;
  logic [2:0]        icm_out_q;

  ohca_fifo #(.Width(1 + 24 + 1 + EvW), .Depth(Allocs)) u_missq (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(valid_i), .ready_o(mq_ready),
    .data_i({hint_i, id_i, conflict_i}),
    .valid_o(mq_valid), .ready_i(icm_fire), .data_o({mq_hint, mq_id, mq_conf}), .count_o(), .almost_full_o()
  );
  assign icm_valid_o = mq_valid && icm_out_q != 3'(IcmRoom) && !full_i;
  assign icm_fire    = icm_valid_o && icm_ready_i;
  assign icm_addr_o  = base_i + (40'(mq_id) << StrideSh) + 40'(Offset);

  ohca_fifo #(.Width(1 + AdrW), .Depth(IcmRoom)) u_xlated (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(icm_rsp_valid_i), .ready_o(x_ready),
    .data_i({icm_rsp_ok_i, icm_rsp_addr_i[63:LineSh]}),
    .valid_o(x_valid), .ready_i(x_pop), .data_o({x_ok, x_addr}), .count_o(), .almost_full_o()
  );
  ohca_fifo #(.Width(2 + EvW), .Depth(IcmRoom)) u_hints (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(icm_fire), .ready_o(hint_ready), .data_i({mq_hint, mq_conf}),
    .valid_o(hint_valid), .ready_i(x_pop), .data_o({rd_hint_o, x_conf}), .count_o(), .almost_full_o()
  );
  assign rd_valid_o = x_valid && x_ok;
  assign rd_o.addr  = {x_addr, LineSh'(0)};
  assign rd_o.len   = 13'(LineBytes);
  assign rd_o.tag   = 8'd0;
  assign x_pop      = x_valid && (!x_ok || rd_ready_i);
  assign begun_o    = icm_fire;
  assign asked_o    = x_pop;
  assign asked_ok_o = x_ok;

  ohca_fifo #(.Width(2 + EvW + AdrW), .Depth(Fills)) u_info (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(x_pop), .ready_o(info_ready), .data_i({x_conf, x_ok, x_addr}),
    .valid_o(line_valid_o), .ready_i(line_ready_i), .data_o({line_conflict_o, line_ok_o, line_addr_o}), .count_o(),
    .almost_full_o()
  );
  ohca_fifo #(.Width(1 + DW), .Depth(Fills * Beats)) u_beats (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(rd_rsp_valid_i), .ready_o(beat_ready),
    .data_i({rd_rsp_err_i, rd_rsp_data_i}),
    .valid_o(beat_valid_o), .ready_i(beat_ready_i), .data_o({beat_err_o, beat_o}), .count_o(), .almost_full_o()
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) icm_out_q <= '0;
    else       icm_out_q <= icm_out_q + 3'(icm_fire) - 3'(x_pop);
  end

  logic unused;
  assign unused = &{1'b0, mq_ready, x_ready, info_ready, beat_ready, hint_ready, hint_valid,
                    icm_rsp_addr_i[LineSh-1:0]};

  // Room is reserved before anything is asked for, so none of these queues can be full when pushed.
  `ASSERT(MissqRoom_A, !valid_i || mq_ready)
  `ASSERT(HintRoom_A, !icm_fire || hint_ready)
  `ASSERT(XlatedRoom_A, !icm_rsp_valid_i || x_ready)
  `ASSERT(InfoRoom_A, !x_pop || info_ready)
  `ASSERT(BeatRoom_A, !rd_rsp_valid_i || beat_ready)

endmodule

`default_nettype wire
