// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Responder, doorbell records: how many receive WQEs the host has posted is in its memory, and is read from here.
//
// Two kinds of reads share the way there. For some a token waits (wait_i): their answers leave in the order in which
// they were asked for (vf), and refresh the context, too, if there is room for that. The others only refresh it: they
// may be asked for while bg_room_o says so, a cycle old. What is for a context leaves as a producer index of a QP (pi).
//
// One is asked for every second cycle at most, and leaves a cycle later, up to 64 being under way (Compact: 16); one is
// answered a cycle, and is there a cycle after its data. ready_o, bg_room_o, the reads and both kinds of answers come
// from flops and FIFOs; a token that waits always finds room, if there are never more than InFlight (Compact: one, and
// ready_o says when). It does NOT look at the index, nor whether the QP still wants to know, and it knows of no queue
// but by address and QP: a record of a shared queue would be read in the same way.

`include "ohca_assert.svh"
`default_nettype none

module ohca_rs_dbr #(
  parameter int unsigned DW       = 64,
  parameter int unsigned InFlight = 32,                // tokens, power of two
  parameter bit          Compact  = 1'b0               // one token waits at a time
) (
  input  logic                      clk_i,
  input  logic                      rst_i,
  output logic                      idle_o,

  input  logic                      ask_i,
  input  logic                      wait_i,             // a token waits for it
  input  logic [63:0]               addr_i,
  input  logic [23:0]               qpn_i,
  output logic                      ready_o,            // for one that a token waits for
  output logic                      bg_room_o,          // for one that nobody waits for

  output logic                      rd_valid_o,
  input  logic                      rd_ready_i,
  output ohca_fmt_pkg::dma_rd_req_t rd_o,
  input  logic                      rd_rsp_valid_i,
  input  logic [DW-1:0]             rd_rsp_data_i,
  input  logic                      rd_rsp_last_i,
  input  logic                      rd_rsp_err_i,

  output logic                      vf_valid_o,         // for the token that waits longest
  input  logic                      vf_ready_i,
  output logic                      vf_err_o,
  output logic [15:0]               vf_pi_o,

  output logic                      pi_valid_o,         // for a context
  input  logic                      pi_ready_i,
  output logic                      pi_err_o,
  output logic [23:0]               pi_qpn_o,
  output logic [15:0]               pi_o
);

  localparam int unsigned PiMax = Compact ? 16 : 32;   // indices for contexts, those to come included
  localparam int unsigned BgMax = PiMax / 2;           // background reads
  // With Compact one token is at W at a time, so one read is waited for; the next that needs one waits for ready_o.
  localparam int unsigned DqDepth = Compact ? 2 : 2 * InFlight;
  localparam int unsigned DqBg    = Compact ? 1 : InFlight;            // background reads only below

  logic                     dq_valid, dq_pop, dq_bg, di_ready, di_valid, di_pop, di_bg, vf_ready, pi_ready, pi_push;
  logic [63:0]              dq_addr;
  logic [23:0]              dq_qpn, di_qpn;
  logic [5:0]               di_lane;
  logic [4:0]               bg_q;                      // background reads without an answer for the context yet
  logic [31:0]              word;
  logic [$clog2(DqDepth):0] dq_count;
  logic [$clog2(PiMax):0]   pi_count;

  // A cycle old, in which an answer may have taken a place more.
  always_ff @(posedge clk_i) begin
    bg_room_o <= bg_q < 5'(BgMax) && 32'(dq_count) < DqBg && !((6'(bg_q) + 6'(pi_count)) >= 6'(PiMax - 2));
  end

  // ---- asked for, on the way, answered
  ohca_fifo #(.Width(64 + 24 + 1), .Depth(DqDepth), .Single(Compact), .UseRam(1'b0)) u_dq (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(ask_i), .ready_o(ready_o), .data_i({addr_i, qpn_i, !wait_i}),
    .valid_o(dq_valid), .ready_i(dq_pop), .data_o({dq_addr, dq_qpn, dq_bg}), .count_o(dq_count), .almost_full_o()
  );
  assign rd_valid_o = dq_valid && di_ready;
  assign dq_pop     = rd_valid_o && rd_ready_i;
  assign rd_o.addr  = {dq_addr[63:2], 2'b00};
  assign rd_o.len   = 13'd4;
  assign rd_o.tag   = 8'd0;
  ohca_fifo #(.Width(24 + 1 + 6), .Depth(Compact ? 16 : 64), .UseRam(1'b0)) u_di (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(dq_pop), .ready_o(di_ready), .data_i({dq_qpn, dq_bg, dq_addr[7:2]}),
    .valid_o(di_valid), .ready_i(di_pop), .data_o({di_qpn, di_bg, di_lane}), .count_o(), .almost_full_o()
  );
  assign di_pop = rd_rsp_valid_i && rd_rsp_last_i;
  assign word   = rd_rsp_data_i[32*(32'(di_lane) % (DW/32)) +: 32];
  ohca_fifo #(.Width(17), .Depth(InFlight), .UseRam(1'b0), .Single(Compact)) u_vf (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(di_pop && !di_bg), .ready_o(vf_ready), .data_i({rd_rsp_err_i, word[15:0]}),
    .valid_o(vf_valid_o), .ready_i(vf_ready_i), .data_o({vf_err_o, vf_pi_o}), .count_o(), .almost_full_o()
  );

  // ---- for contexts: what a token waited for, too, if there is room besides the background reads
  assign pi_push = di_pop && (di_bg || (6'(bg_q) + 6'(pi_count)) < 6'(PiMax - 2));
  ohca_fifo #(.Width(41), .Depth(PiMax)) u_piq (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(pi_push), .ready_o(pi_ready), .data_i({rd_rsp_err_i, di_qpn, word[15:0]}),
    .valid_o(pi_valid_o), .ready_i(pi_ready_i), .data_o({pi_err_o, pi_qpn_o, pi_o}), .count_o(pi_count),
    .almost_full_o()
  );
  always_ff @(posedge clk_i) begin
    if (rst_i) bg_q <= '0;
    else       bg_q <= bg_q + 5'(ask_i && !wait_i) - 5'(di_pop && di_bg);
  end

  assign idle_o = !pi_valid_o && bg_q == '0 && !dq_valid && !di_valid;

  `ASSERT(PiRoom_A, !pi_push || pi_ready)
  `ASSERT(AskRoom_A, !ask_i || ready_o)
  `ASSERT(VfRoom_A, !(di_pop && !di_bg) || vf_ready)

  logic unused;
  assign unused = &{1'b0, vf_ready, pi_ready, dq_addr[1:0], word[31:16]};

endmodule

`default_nettype wire
