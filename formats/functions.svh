// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Arithmetic that every part of the transport needs. gen.py appends this file to the package ohca_fmt_pkg.

// Byte order.
function automatic logic [15:0] bswap16(input logic [15:0] x);
  bswap16 = {x[7:0], x[15:8]};
endfunction
function automatic logic [31:0] bswap32(input logic [31:0] x);
  bswap32 = {x[7:0], x[15:8], x[23:16], x[31:24]};
endfunction
function automatic logic [63:0] bswap64(input logic [63:0] x);
  bswap64 = {x[7:0], x[15:8], x[23:16], x[31:24], x[39:32], x[47:40], x[55:48], x[63:56]};
endfunction
function automatic logic [127:0] bswap128(input logic [127:0] x);
  bswap128 = {bswap64(x[63:0]), bswap64(x[127:64])};
endfunction

// PSN, SSN, MSN and LSN are 24-bit circular numbers: a precedes b when the signed distance a - b is negative.
// The sign is taken from the difference itself: of a comparison with half the range Yosys makes another carry chain.
function automatic logic signed [23:0] psn_diff(input logic [23:0] a, input logic [23:0] b);
  psn_diff = a - b;
endfunction
function automatic logic psn_lt(input logic [23:0] a, input logic [23:0] b);
  psn_lt = 1'(24'(a - b) >> 23);
endfunction
function automatic logic psn_le(input logic [23:0] a, input logic [23:0] b);
  psn_le = !psn_lt(b, a);
endfunction

// So are positions in a ring, of 16 bits, and times, of 32 bits.
function automatic logic pos_lt(input logic [15:0] a, input logic [15:0] b);
  pos_lt = 1'(16'(a - b) >> 15);
endfunction
function automatic logic time_lt(input logic [31:0] a, input logic [31:0] b);
  time_lt = 1'(32'(a - b) >> 31);
endfunction

// Path MTU codes are those of the wire: 1 = 256 bytes, ... 5 = 4096; any other code counts as 256.
function automatic logic [12:0] mtu_bytes(input logic [2:0] code);
  case (code)
    3'd2:    mtu_bytes = 13'd512;
    3'd3:    mtu_bytes = 13'd1024;
    3'd4:    mtu_bytes = 13'd2048;
    3'd5:    mtu_bytes = 13'd4096;
    default: mtu_bytes = 13'd256;
  endcase
endfunction
// Packets of a message of len <= 2^31 bytes: {whole ones, one more}, to be added up where they are used. One more is a
// part of one, or an empty message's.
function automatic logic [24:0] npkts(input logic [31:0] len, input logic [2:0] code);
  logic [23:0] whole;
  logic [3:0]  low;                    // bits 11 to 8 of a length are less than a packet
  whole = 24'(len >> 8);
  low   = 4'b0000;
  case (code)
    3'd2: begin whole = 24'(len >> 9);  low = 4'b0001; end
    3'd3: begin whole = 24'(len >> 10); low = 4'b0011; end
    3'd4: begin whole = 24'(len >> 11); low = 4'b0111; end
    3'd5: begin whole = 24'(len >> 12); low = 4'b1111; end
    default: ;
  endcase
  npkts = {whole, (len[11:0] & {low, 8'hff}) != 12'd0 || len == 32'd0};
endfunction
// Pad bytes that bring a payload to a multiple of four.
function automatic logic [1:0] padcnt(input logic [1:0] len);
  padcnt = 2'd0 - len;
endfunction

// Byte-enable masks: the lowest n of 64, n = 0..64 (slice what the bus needs).
function automatic logic [63:0] keep_mask(input logic [6:0] n);
  for (int i = 0; i < 64; i++) keep_mask[i] = n > 7'(unsigned'(i));
endfunction
// Bytes of a tkeep that has no holes.
function automatic logic [6:0] keep_count(input logic [63:0] keep);
  logic [6:0] c;
  c = 7'd0;
  for (int i = 0; i < 64; i++) c = c + {6'd0, keep[i]};
  keep_count = c;
endfunction

// AETH credit codes 0..30; 31 means unlimited and is not a count.
function automatic logic [15:0] credit_decode(input logic [4:0] code);
  logic [15:0] base;
  // 0 1 2 3 4 6 8 12 16 24 ...: from code 2 on a power of two, and one and a half of it.
  base = 16'd1 << code[4:1];
  // No sum: the half never meets the power of two.
  credit_decode = code == 5'd0 ? 16'd0 : base | (code[0] ? {1'b0, base[15:1]} : 16'd0);
endfunction
// The largest code whose count is not above n: never promises more than is there.
function automatic logic [4:0] credit_encode(input logic [15:0] n);
  logic [4:0] c;
  c = {4'd0, n[0]};
  for (int i = 1; i < 16; i++) if (n[i]) c = {4'(unsigned'(i)), n[i-1]};
  credit_encode = (c == 5'd31) ? 5'd30 : c;
endfunction
// The code of n, or of one less. That has the code before where no bit behind the two upper ones is set, else the
// same: so nothing is subtracted in front of it.
function automatic logic [4:0] credit_less(input logic [15:0] n, input logic one);
  logic steps;
  steps = n != 16'd0 && n[15:14] != 2'b11;
  for (int unsigned i = 0; i < 14; i++) if (n[i] && (n >> (i + 2)) != 16'd0) steps = 1'b0;
  credit_less = credit_encode(n) - 5'(one && steps);
endfunction
// RNR NAK timer in units of 10 microseconds; code 0 is the longest.
function automatic logic [16:0] rnr_timer(input logic [4:0] code);
  logic [16:0] base;
  base = 17'd1 << code[4:1];
  if (code == 5'd0) rnr_timer = 17'd65536;
  else if (code == 5'd1) rnr_timer = 17'd1;
  else rnr_timer = code[0] ? base + {1'b0, base[16:1]} : base;
endfunction

// Ones' complement sum of the ten 16-bit words of an IPv4 header whose checksum field is zero, inverted.
function automatic logic [15:0] ipv4_csum(input logic [159:0] hdr);
  logic [19:0] s;
  logic [16:0] t;
  s = 20'd0;
  for (int i = 0; i < 10; i++) s = s + {4'd0, hdr[i*16 +: 16]};
  t = {1'b0, s[15:0]} + {13'd0, s[19:16]};
  ipv4_csum = ~(t[15:0] + {15'd0, t[16]});
endfunction

// RoCEv2 UDP source port from a flow label: entropy folded into 0xc000..0xffff.
function automatic logic [15:0] flow_sport(input logic [19:0] fl);
  flow_sport = {2'b11, fl[13:0] ^ {8'd0, fl[19:14]}};
endfunction

// A path packed into its low bits, AV_IB_BITS if the port is never an Ethernet port (no MAC address, UDP port, VLAN), and back.
localparam int unsigned AV_IB_BITS = 32'd208;
function automatic logic [319:0] av_pack(input av_t a, input logic roce);
  av_pack = roce ? a : {112'd0, a.dgid, a.flow_label, a.path_bits, a.sgid_index, a.tclass, a.hop_limit, a.ipd, a.grh,
                        a.sl, a.dlid};
endfunction
function automatic logic [319:0] av_full(input logic [319:0] x, input logic roce);
  av_t a;
  a = '0;
  {a.dgid, a.flow_label, a.path_bits, a.sgid_index, a.tclass, a.hop_limit, a.ipd, a.grh, a.sl, a.dlid} = x[207:0];
  av_full = roce ? x : a;
endfunction
