// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// MADs to send: firmware writes a packet into a memory of 2 KiB, and a start makes beats of its first bytes for
// ohca_link_tx.
//
// One packet at a time, a dword every two cycles: plenty for a management packet. It does NOT make headers or CRCs.
// Outputs are flops; a beat waits for ready_i.
// lint: DataWidth=512

`default_nettype none

module ohca_mgmt_madtx #(
  parameter int unsigned  DataWidth = 64,
  localparam int unsigned BeatBytes = DataWidth / 8
) (
  input  logic                 clk_i,
  input  logic                 rst_i,
  output logic                 busy_o,        // a packet is on its way: firmware leaves it and start_i alone

  input  logic                 we_i,          // a dword of the packet
  input  logic [8:0]           addr_i,
  input  logic                 start_i,       // pulse; wdata_i: bytes [9:0], a multiple of four; [16] to this host only
  input  logic [31:0]          wdata_i,

  output logic                 valid_o,
  input  logic                 ready_i,
  output logic [DataWidth-1:0] data_o,
  output logic [BeatBytes-1:0] keep_o,
  output logic                 last_o,
  output logic                 to_host_o      // of the whole packet
);

  localparam int unsigned LaneW  = (BeatBytes > 4) ? $clog2(BeatBytes / 4) : 1;
  localparam int unsigned BeatDw = BeatBytes / 4;

  logic        rd_q, to_host_q;
  logic [9:0]  left_q;
  logic [8:0]  ptr_q;
  logic [31:0] rdata;
  logic [LaneW-1:0]     lane_q;
  logic [DataWidth-1:0] data_q;
  logic [BeatBytes-1:0] keep_q;
  logic        full_q, last_q, take;

  // A packet is there before it is sent, so what a read shows that meets a write of its dword is not used.
  ohca_ram_sdp #(.Width(32), .Depth(512), .OldData(1'b0)) u_ram (
    .clk_i(clk_i),
    .wr_en_i(we_i), .wr_be_i(1'b1), .wr_addr_i(addr_i), .wr_data_i(wdata_i),
    .rd_en_i(1'b1), .rd_addr_i(ptr_q), .rd_data_o(rdata)
  );

  assign busy_o    = left_q != '0 || full_q || rd_q;
  assign valid_o   = full_q;
  assign data_o    = data_q;
  assign keep_o    = keep_q;
  assign last_o    = last_q;
  assign to_host_o = to_host_q;
  assign take      = rd_q && !full_q;

  always_ff @(posedge clk_i) begin
    if (full_q && ready_i) begin
      full_q <= 1'b0;
      keep_q <= '0;
      data_q <= '0;
    end
    // rd_q: the RAM shows dword ptr_q
    rd_q <= left_q != '0 && !take;
    if (take && left_q != '0) begin
      for (int i = 0; i < BeatDw; i++) begin
        if (BeatDw == 1 || lane_q == LaneW'(i)) begin
          data_q[32*i +: 32] <= rdata;
          keep_q[4*i +: 4]   <= 4'hf;
        end
      end
      lane_q <= lane_q + LaneW'(1);
      ptr_q  <= ptr_q + 9'd1;
      left_q <= (left_q > 10'd4) ? left_q - 10'd4 : 10'd0;
      last_q <= left_q <= 10'd4;
      if (left_q <= 10'd4 || lane_q == LaneW'(BeatDw - 1)) full_q <= 1'b1;
    end
    if (start_i && !busy_o) begin
      left_q    <= wdata_i[9:0];
      ptr_q     <= '0;
      lane_q    <= '0;
      to_host_q <= wdata_i[16];
      keep_q    <= '0;
      data_q    <= '0;
    end
    if (rst_i) begin
      left_q <= '0;
      full_q <= 1'b0;
      rd_q   <= 1'b0;
    end
  end

endmodule

`default_nettype wire
