// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Rules of the AXI4 write channels (IHI 0022, A3) and what ohca promises beyond: watches, and drives nothing.
// ohca_dma_wr has one in every simulation; it can be bound to any such port, on either side. What a rule is broken by
// is said by its name: a stalled beat changes or vanishes, a burst is no INCR burst of whole beats inside 4 KiB, data
// comes before its address (AXI would allow it), the last beat is not where it must be, an answer has no write.

`include "ohca_assert.svh"
`default_nettype none

module ohca_axi_wr_rules #(
  parameter int unsigned DW    = 64,
  parameter int unsigned Ahead = 16            // addresses ahead of their data at most, power of two
) (
  input  logic            clk_i,
  input  logic            rst_i,
  input  logic            awvalid_i,
  input  logic            awready_i,
  input  logic [5:0]      awid_i,
  input  logic [63:0]     awaddr_i,
  input  logic [7:0]      awlen_i,
  input  logic [2:0]      awsize_i,
  input  logic [1:0]      awburst_i,
  input  logic            wvalid_i,
  input  logic            wready_i,
  input  logic [DW-1:0]   wdata_i,
  input  logic [DW/8-1:0] wstrb_i,
  input  logic            wlast_i,
  input  logic            bvalid_i,
  input  logic            bready_i,
  input  logic [5:0]      bid_i,
  input  logic [1:0]      bresp_i
);

  localparam int unsigned BeatBytes = DW / 8;
  localparam int unsigned LaneW     = $clog2(BeatBytes);
  localparam int unsigned AheadW    = $clog2(Ahead);

  logic        aw_stall_q, w_stall_q, b_stall_q, aw_fire, w_fire, b_fire;
  logic [82:0] aw_q;
  logic [DW+DW/8:0] w_q;
  logic [7:0]  b_q;
  logic [7:0]  len_q [Ahead];
  logic [AheadW:0] wr_q, rd_q, count;
  logic [7:0]  beat_q;
  logic [31:0] whole_q, answered_q;            // bursts
  logic [16:0] bytes;
  assign aw_fire = awvalid_i && awready_i;
  assign w_fire  = wvalid_i && wready_i;
  assign b_fire  = bvalid_i && bready_i;
  assign bytes   = (17'(awlen_i) + 17'd1) << LaneW;
  assign count   = wr_q - rd_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      aw_stall_q <= 1'b0;
      w_stall_q  <= 1'b0;
      b_stall_q  <= 1'b0;
      wr_q       <= '0;
      rd_q       <= '0;
      beat_q     <= '0;
      whole_q    <= '0;
      answered_q <= '0;
    end else begin
      aw_stall_q <= awvalid_i && !awready_i;
      w_stall_q  <= wvalid_i && !wready_i;
      b_stall_q  <= bvalid_i && !bready_i;
      if (aw_fire) begin
        wr_q                  <= wr_q + (AheadW+1)'(1);
        len_q[wr_q[AheadW-1:0]] <= awlen_i;
      end
      if (w_fire) begin
        beat_q <= wlast_i ? 8'd0 : beat_q + 8'd1;
        if (wlast_i) begin
          rd_q    <= rd_q + (AheadW+1)'(1);
          whole_q <= whole_q + 32'd1;
        end
      end
      if (b_fire) answered_q <= answered_q + 32'd1;
    end
    if (awvalid_i && !awready_i) aw_q <= {awid_i, awaddr_i, awlen_i, awsize_i, awburst_i};
    if (wvalid_i && !wready_i)   w_q  <= {wdata_i, wstrb_i, wlast_i};
    if (bvalid_i && !bready_i)   b_q  <= {bid_i, bresp_i};
  end

  `ASSERT(AwStays_A, !aw_stall_q || (awvalid_i && aw_q == {awid_i, awaddr_i, awlen_i, awsize_i, awburst_i}))
  `ASSERT(WStays_A, !w_stall_q || (wvalid_i && w_q == {wdata_i, wstrb_i, wlast_i}))
  `ASSERT(BStays_A, !b_stall_q || (bvalid_i && b_q == {bid_i, bresp_i}))
  `ASSERT(AwWhole_A, !awvalid_i || (awburst_i == 2'b01 && awsize_i == 3'(LaneW) &&
      (awaddr_i & 64'(BeatBytes - 1)) == '0))
  `ASSERT(AwBlock_A, !awvalid_i || (awaddr_i & 64'd4095) + 64'(bytes) <= 64'd4096)
  `ASSERT(AwOneId_A, !awvalid_i || awid_i == 6'd0)
  `ASSERT(AwAhead_A, !aw_fire || count != (AheadW+1)'(Ahead))
  `ASSERT(WAfterAw_A, !wvalid_i || count != '0)
  `ASSERT(WLast_A, !wvalid_i || wlast_i == (beat_q == len_q[rd_q[AheadW-1:0]]))
  `ASSERT(BAsked_A, !bvalid_i || (answered_q != whole_q && bid_i == 6'd0))

endmodule

`default_nettype wire
