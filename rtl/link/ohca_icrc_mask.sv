// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Sets the header bits that the ICRC does not cover (they change on the way) to ones, in the view of a packet that goes to ohca_crc32.
//
// Combinational from data_i to data_o; it watches the stream (fire_i) to know the offset, and does NOT touch the stream itself. For IB the
// stream starts at the LRH, for RoCEv2 at the IP header; seed_o is the seed that belongs to it.

`include "ohca_assert.svh"
`default_nettype none

module ohca_icrc_mask #(
  parameter int unsigned DataWidth = 64       // 32 to 512
) (
  input  logic                 clk_i,
  input  logic                 rst_i,

  input  logic [1:0]           mode_i,        // 0 InfiniBand, 1 RoCEv2 over IPv4, 2 RoCEv2 over IPv6; stable through a packet
  input  logic                 fire_i,        // the beat is transferred in this cycle
  input  logic                 last_i,
  input  logic [DataWidth-1:0] data_i,
  output logic [DataWidth-1:0] data_o,
  output logic [31:0]          seed_o
);

  // All that is ever masked lies in the first 64 bytes.
  localparam int unsigned Beats = 512 / DataWidth;
  localparam int unsigned IdxW  = (Beats > 1) ? $clog2(Beats) : 1;

  // One bit per byte that is masked whole, byte 0 in bit 0.
  function automatic logic [511:0] bytes_mask(input logic [63:0] b);
    for (int unsigned i = 0; i < 64; i++) bytes_mask[i*8 +: 8] = {8{b[i]}};
  endfunction
  // LRH.VL; BTH byte 4 after 8 bytes.
  localparam logic [511:0] Local  = bytes_mask(64'h1 << 12) | 512'hf0;
  // The LRH; GRH traffic class, flow label, hop limit; BTH byte 4 after 48.
  localparam logic [511:0] Global = bytes_mask(64'hff | 64'h7 << 9 | 64'h1 << 15 | 64'h1 << 52) | 512'h0f << 64;
  // TOS, TTL, header checksum; UDP checksum; BTH byte 4 after 28.
  localparam logic [511:0] Ipv4   = bytes_mask(64'h1 << 1 | 64'h1 << 8 | 64'h3 << 10 | 64'h3 << 26 | 64'h1 << 32);
  // Traffic class, flow label, hop limit; UDP checksum; BTH byte 4 after 48.
  localparam logic [511:0] Ipv6   = bytes_mask(64'h7 << 1 | 64'h1 << 7 | 64'h3 << 46 | 64'h1 << 52) | 512'h0f;

  logic [IdxW-1:0] idx_q;
  logic            past_q;                    // beyond the first 64 bytes
  logic            first, global_q, is_global;

  assign first     = (idx_q == '0) && !past_q;
  assign is_global = first ? data_i[9:8] == 2'd3 : global_q;     // LNH, in the low bits of byte 1

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      idx_q  <= '0;
      past_q <= 1'b0;
    end else if (fire_i) begin
      if (last_i) begin
        idx_q  <= '0;
        past_q <= 1'b0;
      end else if (!past_q) begin
        idx_q  <= (idx_q == IdxW'(Beats - 1)) ? '0 : idx_q + IdxW'(1);
        past_q <= idx_q == IdxW'(Beats - 1);
      end
    end
    if (fire_i) global_q <= is_global;
  end

  logic [511:0] all;
  always_comb begin
    case (mode_i)
      2'd1:    all = Ipv4;
      2'd2:    all = Ipv6;
      default: all = is_global ? Global : Local;
    endcase
  end

  assign data_o = past_q ? data_i : data_i | all[32'(idx_q) * DataWidth +: DataWidth];
  assign seed_o = (mode_i == 2'd0) ? 32'hffffffff : 32'hdebb20e3;

  `ASSERT(Start_A, !past_q || idx_q == '0)

endmodule

`default_nettype wire
