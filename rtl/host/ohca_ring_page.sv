// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Pages of rings larger than 4 KiB, in front of ohca_tpt, which takes rings for ones of 4 KiB: the number of the page
// is cut from a ring's address at the size that its upper bits name (buf of sqc), and what ohca_tpt does not see of the
// offset in the page is put into its answer.
// comb: a LUT each way.
//
//   ring's request ─┬─► page number, last 12 bits ───────────► ohca_tpt ─┐
//                   └─► bits 19:12 of the offset in the page ─► tag ─────┴─► answer
//
// With Held, ohca_tpt takes one request at a time and gives no tag back, so the bits are kept here from grant to
// answer. Latency 0 in both directions, a request a cycle each. It does NOT look at what else a request has, nor at
// sizes that are none of RING_PAGES: firmware refuses those. Of a page's bus address the bits below its size are 0.

`include "ohca_assert.svh"
`default_nettype none

module ohca_ring_page #(
  parameter int unsigned Rings = 4,
  parameter bit          Held  = 1'b0
) (
  input  logic                                               clk_i,
  input  logic                                               rst_i,
  input  logic [Rings-1:0]                                   go_i,       // request and grant
  input  logic [Rings-1:0][ohca_fmt_pkg::TPT_REQ_BITS-1:0]   req_i,      // valid or not
  output logic [Rings-1:0][ohca_fmt_pkg::TPT_REQ_BITS-1:0]   req_o,
  input  ohca_fmt_pkg::tpt_rsp_t                             rsp_i,
  output ohca_fmt_pkg::tpt_rsp_t                             rsp_o       // for rings only
);

  if (ohca_fmt_pkg::RING_PAGES != 16'h111) begin : g_bad
    $error("ohca_ring_page: pages of 4 KiB, 64 KiB and 1 MiB");
  end

  logic [Rings-1:0][7:0]  offset;
  logic [Rings-1:0][3:0]  size;
  ohca_fmt_pkg::tpt_req_t q;
  always_comb begin
    for (int unsigned i = 0; i < Rings; i++) begin
      q         = ohca_fmt_pkg::tpt_req_t'(req_i[i]);
      size[i]   = q.va[63:60];
      offset[i] = q.va[63] ? q.va[19:12] : q.va[62] ? {4'd0, q.va[15:12]} : 8'd0;
      q.va      = {q.va[63] ? {12'd0, q.va[59:20]} : q.va[62] ? {8'd0, q.va[59:16]} : {4'd0, q.va[59:12]}, q.va[11:0]};
      q.tag     = offset[i];
      req_o[i]  = q;
    end
  end

  logic [7:0] was;
  if (Held) begin : g_held
    logic [7:0] picked, was_q;
    always_comb begin
      picked = '0;
      for (int unsigned i = 0; i < Rings; i++) if (go_i[i]) picked = picked | offset[i];
    end
    always_ff @(posedge clk_i) if (go_i != '0) was_q <= picked;
    assign was = was_q;
  end else begin : g_tag
    assign was = rsp_i.tag;
    logic unused;
    assign unused = &{1'b0, clk_i, rst_i, go_i};
  end

  always_comb begin
    rsp_o             = rsp_i;
    rsp_o.addr[19:12] = rsp_i.addr[19:12] | was;
  end

  logic odd;                                   // no such size
  always_comb begin
    odd = 1'b0;
    for (int unsigned i = 0; i < Rings; i++) odd = odd || (go_i[i] && !ohca_fmt_pkg::RING_PAGES[size[i]]);
  end
  `ASSERT(Size_A, !odd)

endmodule

`default_nettype wire
