// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Rules of an AXI4-Lite port (IHI 0022, A3 and B1): watches, and drives nothing. ohca_bar has one in every simulation;
// it can be bound to any such port, on either side. What a rule is broken by is said by its name: a stalled beat
// changes or vanishes, an answer comes without its request.

`include "ohca_assert.svh"
`default_nettype none

module ohca_axil_rules #(
  parameter int unsigned AW = 20,
  parameter int unsigned DW = 64
) (
  input  logic            clk_i,
  input  logic            rst_i,
  input  logic            awvalid_i,
  input  logic            awready_i,
  input  logic [AW-1:0]   awaddr_i,
  input  logic            wvalid_i,
  input  logic            wready_i,
  input  logic [DW-1:0]   wdata_i,
  input  logic [DW/8-1:0] wstrb_i,
  input  logic            bvalid_i,
  input  logic            bready_i,
  input  logic [1:0]      bresp_i,
  input  logic            arvalid_i,
  input  logic            arready_i,
  input  logic [AW-1:0]   araddr_i,
  input  logic            rvalid_i,
  input  logic            rready_i,
  input  logic [DW-1:0]   rdata_i,
  input  logic [1:0]      rresp_i
);

  logic        aw_stall_q, w_stall_q, b_stall_q, ar_stall_q, r_stall_q;
  logic [AW-1:0] aw_q, ar_q;
  logic [DW+DW/8-1:0] w_q;
  logic [1:0]  b_q;
  logic [DW+1:0] r_q;
  logic [31:0] aws_q, ws_q, bs_q, ars_q, rs_q;   // beats so far

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      {aw_stall_q, w_stall_q, b_stall_q, ar_stall_q, r_stall_q} <= '0;
      {aws_q, ws_q, bs_q, ars_q, rs_q} <= '0;
    end else begin
      aw_stall_q <= awvalid_i && !awready_i;
      w_stall_q  <= wvalid_i && !wready_i;
      b_stall_q  <= bvalid_i && !bready_i;
      ar_stall_q <= arvalid_i && !arready_i;
      r_stall_q  <= rvalid_i && !rready_i;
      if (awvalid_i && awready_i) aws_q <= aws_q + 32'd1;
      if (wvalid_i && wready_i)   ws_q  <= ws_q + 32'd1;
      if (bvalid_i && bready_i)   bs_q  <= bs_q + 32'd1;
      if (arvalid_i && arready_i) ars_q <= ars_q + 32'd1;
      if (rvalid_i && rready_i)   rs_q  <= rs_q + 32'd1;
    end
    if (awvalid_i) aw_q <= awaddr_i;
    if (wvalid_i)  w_q  <= {wdata_i, wstrb_i};
    if (bvalid_i)  b_q  <= bresp_i;
    if (arvalid_i) ar_q <= araddr_i;
    if (rvalid_i)  r_q  <= {rdata_i, rresp_i};
  end

  `ASSERT(AwStays_A, !aw_stall_q || (awvalid_i && aw_q == awaddr_i))
  `ASSERT(WStays_A, !w_stall_q || (wvalid_i && w_q == {wdata_i, wstrb_i}))
  `ASSERT(BStays_A, !b_stall_q || (bvalid_i && b_q == bresp_i))
  `ASSERT(ArStays_A, !ar_stall_q || (arvalid_i && ar_q == araddr_i))
  `ASSERT(RStays_A, !r_stall_q || (rvalid_i && r_q == {rdata_i, rresp_i}))
  `ASSERT(BAsked_A, !bvalid_i || (bs_q != aws_q && bs_q != ws_q))
  `ASSERT(RAsked_A, !rvalid_i || rs_q != ars_q)

endmodule

`default_nettype wire
