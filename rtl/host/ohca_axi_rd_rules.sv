// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Rules of the AXI4 read channels (IHI 0022, A3) and what ohca promises beyond: watches, and drives nothing.
// ohca_dma_rd has one in every simulation; it can be bound to any such port, on either side. What a rule is broken by
// is said by its name: a stalled beat changes or vanishes, a burst is no INCR burst of whole beats inside 4 KiB, an id
// is used again before its last beat, data comes that nobody asked for, or its last beat is not marked.

`include "ohca_assert.svh"
`default_nettype none

module ohca_axi_rd_rules #(
  parameter int unsigned DW       = 64,
  parameter int unsigned MaxBytes = 4096       // of a burst, and of the aligned block in which it lies
) (
  input  logic          clk_i,
  input  logic          rst_i,
  input  logic          arvalid_i,
  input  logic          arready_i,
  input  logic [5:0]    arid_i,
  input  logic [63:0]   araddr_i,
  input  logic [7:0]    arlen_i,
  input  logic [2:0]    arsize_i,
  input  logic [1:0]    arburst_i,
  input  logic          rvalid_i,
  input  logic          rready_i,
  input  logic [5:0]    rid_i,
  input  logic [DW-1:0] rdata_i,
  input  logic [1:0]    rresp_i,
  input  logic          rlast_i
);

  localparam int unsigned BeatBytes = DW / 8;
  localparam int unsigned LaneW     = $clog2(BeatBytes);

  logic        ar_stall_q, r_stall_q, ar_fire, r_fire;
  logic [82:0] ar_q;
  logic [DW+8:0] r_q;
  logic [63:0] open_q;                         // by id
  logic [7:0]  left_q [64];                    // beats after the next one
  logic [16:0] bytes;
  assign ar_fire = arvalid_i && arready_i;
  assign r_fire  = rvalid_i && rready_i;
  assign bytes   = (17'(arlen_i) + 17'd1) << LaneW;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      ar_stall_q <= 1'b0;
      r_stall_q  <= 1'b0;
      open_q     <= '0;
    end else begin
      ar_stall_q <= arvalid_i && !arready_i;
      r_stall_q  <= rvalid_i && !rready_i;
      if (r_fire) begin
        if (rlast_i) open_q[rid_i] <= 1'b0;
        left_q[rid_i] <= left_q[rid_i] - 8'd1;
      end
      if (ar_fire) begin
        open_q[arid_i] <= 1'b1;
        left_q[arid_i] <= arlen_i;
      end
    end
    if (arvalid_i && !arready_i) ar_q <= {arid_i, araddr_i, arlen_i, arsize_i, arburst_i};
    if (rvalid_i && !rready_i)   r_q  <= {rid_i, rdata_i, rresp_i, rlast_i};
  end

  `ASSERT(ArStays_A, !ar_stall_q || (arvalid_i && ar_q == {arid_i, araddr_i, arlen_i, arsize_i, arburst_i}))
  `ASSERT(RStays_A, !r_stall_q || (rvalid_i && r_q == {rid_i, rdata_i, rresp_i, rlast_i}))
  `ASSERT(ArWhole_A, !arvalid_i || (arburst_i == 2'b01 && arsize_i == 3'(LaneW) &&
      (araddr_i & 64'(BeatBytes - 1)) == '0))
  `ASSERT(ArBlock_A, !arvalid_i || (araddr_i & 64'(MaxBytes - 1)) + 64'(bytes) <= 64'(MaxBytes))
  `ASSERT(ArId_A, !arvalid_i || !open_q[arid_i])
  `ASSERT(RAsked_A, !rvalid_i || open_q[rid_i])
  `ASSERT(RLast_A, !rvalid_i || rlast_i == (left_q[rid_i] == 8'd0))

endmodule

`default_nettype wire
