// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Internal form to Ethernet frame (docs/roce.md): drops what precedes the frame and what follows its ICRC, and pads it
// to 60 bytes.
//
// One beat a cycle and a register: a frame's first beat leaves 2 cycles after its second beat of 8 bytes (its first of
// more) was taken. Packets follow each other without bubbles. It does NOT add an FCS, and pads only within the last
// beat: the sources hand over frames of 53 bytes and more.
// lint: DataWidth=128
// lint: DataWidth=256
// lint: DataWidth=512

`include "ohca_assert.svh"
`include "ohca_lazy.svh"
`default_nettype none

module ohca_eth_out #(
  parameter int unsigned DataWidth = 64,
  localparam int unsigned Bytes    = DataWidth / 8,
  localparam int unsigned ByteW    = $clog2(Bytes)
) (
  input  logic                 clk_i,
  input  logic                 rst_i,
  output logic                 idle_o,      // nothing in here; what is offered does not count

  input  logic                 valid_i,
  output logic                 ready_o,
  input  logic [DataWidth-1:0] data_i,      // first byte in [7:0]
  input  logic                 last_i,      // keep is not looked at: the length is in the header

  output logic                 valid_o,
  input  logic                 ready_i,
  output logic [DataWidth-1:0] data_o,
  output logic [Bytes-1:0]     keep_o,
  output logic                 last_o
);

  // The frame begins at byte 14, or 10 if it is tagged: whole beats before it are skipped, the rest is a shift by one
  // of two amounts.
  localparam int unsigned Skip = 14 / Bytes;                 // the same for 10
  localparam int unsigned S14  = 14 % Bytes;
  localparam int unsigned S10  = 10 % Bytes;

  logic [DataWidth-1:0] carry_q, shifted;
  logic                 first_q, prime_q, tail_q, done_q;    // prime: the next beat only fills the carry
  logic                 tag_q, tag;
  logic [13:0]          left_q, frame;                       // frame bytes not yet sent
  logic [12:0]          hdr_bytes;
  logic                 out_free, fire, body, emit, emit_tail, end_now, more;

  assign tag       = first_q ? data_i[0] : tag_q;            // lowest bit of LVer
  assign hdr_bytes = {data_i[34:32], data_i[47:40], 2'd0};
  assign frame     = {1'b0, hdr_bytes} - (data_i[0] ? 14'd10 : 14'd14);

  assign out_free  = !valid_o || ready_i;
  assign ready_o   = out_free;
  assign fire      = valid_i && ready_o;
  assign body      = !first_q && !prime_q && !done_q;        // this beat completes one of the frame
  assign emit_tail = tail_q && out_free;
  assign emit      = fire && body;
  assign more      = left_q[13:ByteW] != '0;                  // a beat's bytes at least
  assign end_now   = left_q <= 14'(Bytes);

  always_comb begin
    shifted = '0;
    `WHEN(emit || emit_tail) begin
      if (tag_q) shifted = (carry_q >> 8 * S10) | (data_i << 8 * (Bytes - S10));
      else       shifted = (carry_q >> 8 * S14) | (data_i << 8 * (Bytes - S14));
      if (tail_q) shifted = tag_q ? carry_q >> 8 * S10 : carry_q >> 8 * S14;
    end
  end

  // The last beat: bytes beyond the frame are zeros, up to the least length a frame has.
  logic [Bytes-1:0]     keep, pad;
  logic [DataWidth-1:0] clean;
  logic [6:0]           sent_q;                              // bytes of the frame that have left, stops at 64
  always_comb begin
    keep  = '0;
    pad   = '0;
    clean = '0;
    `WHEN(emit || emit_tail) for (int unsigned i = 0; i < Bytes; i++) begin
      keep[i]           = more || left_q[ByteW-1:0] > ByteW'(i);
      pad[i]            = keep[i] || (!sent_q[6] && (sent_q[5:0] | 6'(i)) < 6'd60);     // whole beats have left
      clean[8*i +: 8]   = keep[i] ? shifted[8*i +: 8] : 8'd0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      first_q <= 1'b1;
      prime_q <= 1'b0;
      tail_q  <= 1'b0;
      done_q  <= 1'b0;
      valid_o <= 1'b0;
    end else if (out_free) begin
      valid_o <= emit || emit_tail;
      if (emit_tail) tail_q <= 1'b0;
      if (fire) begin
        first_q <= last_i;
        prime_q <= first_q && Skip != 0 && !last_i;
        done_q  <= !last_i && (done_q || (emit && end_now));
        // What is left of the frame is in this last beat alone.
        tail_q  <= last_i && !first_q && !done_q && !(body && end_now);
      end
    end
    if (out_free && (emit || emit_tail)) begin
      data_o <= clean;
      keep_o <= pad;
      last_o <= emit_tail || end_now;
      sent_q <= sent_q[6] ? sent_q : sent_q + 7'(Bytes);
      left_q <= left_q - 14'(Bytes);
    end
    if (fire) begin
      carry_q <= data_i;
      if (first_q) begin
        tag_q  <= tag;
        left_q <= frame;
        sent_q <= '0;
      end
    end
  end

  assign idle_o = first_q && !tail_q && !valid_o;

  // A tail is shorter than a beat, and is out before the next packet's header is taken over.
  `ASSERT(TailShort_A, !emit_tail || end_now)

  logic unused;
  assign unused = &{1'b0, data_i};

endmodule

`default_nettype wire
