// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Sets the header bits that the ICRC does not cover (they change on the way) to ones, in the view of a packet that goes
// to ohca_crc32.
//
// Combinational from data_i to data_o; it watches the stream (fire_i) to know the offset, and does NOT touch the stream
// itself. For IB the stream starts at the LRH, for RoCEv2 at the IP header; seed_o is the seed that belongs to it.
// With RoCE, mode 0 knows the internal Ethernet form, too (LNH 0: IPv4, 1: IPv6; docs/roce.md): its first 28 bytes,
// which are no part of what the ICRC covers, become zeros, and the seed is the one that 28 bytes of zeros turn into the
// state after eight bytes of ones.
// lint: RoCE=1 DataWidth=512

`include "ohca_assert.svh"
`default_nettype none

module ohca_icrc_mask #(
  parameter int unsigned DataWidth = 64,      // 32 to 512
  parameter bit          RoCE      = 1'b0
) (
  input  logic                 clk_i,
  input  logic                 rst_i,

  input  logic [1:0]           mode_i,        // 0 InfiniBand, 1 RoCEv2 over IPv4, 2 RoCEv2 over IPv6; stable through a
                                              // packet
  input  logic                 fire_i,        // the beat is transferred in this cycle
  input  logic                 last_i,
  input  logic [DataWidth-1:0] data_i,
  output logic [DataWidth-1:0] data_o,
  output logic [31:0]          seed_o
);

  // All that is ever masked lies in the first 64 bytes; of the internal Ethernet form, 128.
  localparam int unsigned Win   = RoCE ? 1024 : 512;
  localparam int unsigned Beats = Win / DataWidth;

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

  // The internal Ethernet form: the same behind 28 bytes.
  localparam logic [1023:0] Eth4 = {288'd0, Ipv4, 224'd0};
  localparam logic [1023:0] Eth6 = {288'd0, Ipv6, 224'd0};
  localparam logic [1023:0] EthZ = {800'd0, {224{1'b1}}};
  localparam logic [31:0]   EthSeed = 32'hb216bc71;

  logic [Beats-1:0] at_q;                     // which beat of the window it is; none beyond it
  logic [1:0]       lnh_q, lnh;

  assign lnh = at_q[0] ? data_i[9:8] : lnh_q;                    // in the low bits of byte 1

  always_ff @(posedge clk_i) begin
    if (rst_i)       at_q <= Beats'(1);
    else if (fire_i) at_q <= last_i ? Beats'(1) : Beats'({at_q, 1'b0});
    if (fire_i) lnh_q <= lnh;
  end

  logic [Win-1:0] ones, zeros;
  logic           eth;
  assign eth = RoCE && mode_i == 2'd0 && !lnh[1];
  always_comb begin
    case (mode_i)
      2'd1:    ones = Win'(Ipv4);
      2'd2:    ones = Win'(Ipv6);
      default: ones = eth ? Win'(lnh[0] ? Eth6 : Eth4) : Win'(lnh == 2'd3 ? Global : Local);
    endcase
    zeros = eth ? Win'(EthZ) : '0;
  end

  logic [DataWidth-1:0] one, zero;            // of this beat
  always_comb begin
    one  = '0;
    zero = '0;
    for (int unsigned b = 0; b < Beats; b++) begin
      one  = one | (ones[b*DataWidth +: DataWidth] & {DataWidth{at_q[b]}});
      zero = zero | (zeros[b*DataWidth +: DataWidth] & {DataWidth{at_q[b]}});
    end
  end
  assign data_o = (data_i | one) & ~zero;
  assign seed_o = (mode_i != 2'd0) ? 32'hdebb20e3 : eth ? EthSeed : 32'hffffffff;

  `ASSERT(At_A, (at_q & (at_q - Beats'(1))) == '0)

endmodule

`default_nettype wire
