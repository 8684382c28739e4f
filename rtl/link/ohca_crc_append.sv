// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Appends a CRC to each packet of a stream: the ICRC, the VCRC.
//
// Every beat is delayed by the same 4 cycles (3 up to 64 bits wide), so no gap appears inside a packet that had none;
// one beat each cycle. A packet whose last beat is full gets one more beat. It does NOT split a CRC over two beats:
// lengths are multiples of Granule.

`include "ohca_assert.svh"
`default_nettype none

module ohca_crc_append #(
  parameter int unsigned         DataWidth = 64,
  parameter int unsigned         CrcWidth  = 32,            // 16 or 32
  parameter logic [CrcWidth-1:0] Poly      = 32'hedb88320,
  parameter int unsigned         Granule   = 4,             // bytes; at least CrcWidth/8
  parameter int unsigned         UserWidth = 1,
  localparam int unsigned        Bytes     = DataWidth / 8
) (
  input  logic                 clk_i,
  input  logic                 rst_i,

  input  logic                 valid_i,
  output logic                 ready_o,       // early
  input  logic [DataWidth-1:0] data_i,
  input  logic [DataWidth-1:0] crc_data_i,    // what the CRC sees: data_i, or data_i with header bits masked
  input  logic [Bytes-1:0]     keep_i,        // with last_i: the lowest n bytes; else all ones
  input  logic                 last_i,
  input  logic                 poison_i,      // with last_i: append a wrong CRC, so that the packet is dropped
  input  logic                 bypass_i,      // with last_i: append nothing
  input  logic [UserWidth-1:0] user_i,        // goes along with the beat
  input  logic [CrcWidth-1:0]  seed_i,

  output logic                 valid_o,
  input  logic                 ready_i,
  output logic [DataWidth-1:0] data_o,
  output logic [Bytes-1:0]     keep_o,
  output logic                 last_o,
  output logic [UserWidth-1:0] user_o
);

  localparam int unsigned CrcBytes = CrcWidth / 8;
  localparam int unsigned Parts    = Bytes / Granule;
  localparam int unsigned Delay    = (DataWidth > 64) ? 4 : 3;   // beat in to CRC in its FIFO
  localparam int unsigned Depth    = 16;
  localparam int unsigned BeatW    = DataWidth + Bytes + 3 + UserWidth;

  if (Granule < CrcBytes) begin : g_bad_granule
    $error("ohca_crc_append: Granule must be at least CrcWidth/8");
  end

  logic push, pop;
  assign push = valid_i && ready_o;

  // Beats wait until they are as old as the CRC is long, whether they need it or not.
  logic                 head_valid, head_last, head_poison, head_bypass;
  logic [DataWidth-1:0] head_data;
  logic [Bytes-1:0]     head_keep;
  logic [UserWidth-1:0] head_user;
  logic [$clog2(Depth):0] beats, ripe_q;
  ohca_fifo #(
    .Width(BeatW), .Depth(Depth)
  ) u_beats (
    .clk_i(clk_i), .rst_i(rst_i),
    .valid_i(valid_i), .ready_o(ready_o), .data_i({user_i, bypass_i, poison_i, last_i, keep_i, data_i}),
    .valid_o(head_valid), .ready_i(pop), .data_o({head_user, head_bypass, head_poison, head_last, head_keep,
    head_data}),
    .count_o(beats), .almost_full_o()
  );

  logic [Delay-2:0] age_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      age_q  <= '0;
      ripe_q <= '0;
    end else begin
      age_q  <= {age_q[Delay-3:0], push};
      if (age_q[Delay-2] != pop) ripe_q <= age_q[Delay-2] ? ripe_q + 1'b1 : ripe_q - 1'b1;
    end
  end

  logic [CrcWidth-1:0] crc, crc_head;
  logic                crc_valid, crc_head_valid, crc_ready, take_crc;
  ohca_crc_stream #(
    .DataWidth(DataWidth), .CrcWidth(CrcWidth), .Poly(Poly), .Residue('0), .Granule(Granule)
  ) u_crc (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(push), .data_i(crc_data_i), .keep_i(keep_i), .last_i(last_i),
    .seed_i(seed_i),
    .crc_valid_o(crc_valid), .crc_o(crc), .ok_o()
  );
  ohca_fifo #(
    .Width(CrcWidth), .Depth(Depth)
  ) u_crcs (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(crc_valid), .ready_o(crc_ready), .data_i(crc),
    .valid_o(crc_head_valid), .ready_i(take_crc), .data_o(crc_head), .count_o(), .almost_full_o()
  );

  // The CRC goes behind the last byte: into the first granule that keep leaves free, or into a beat of its own.
  logic                 full, extra_q, adds;
  logic [CrcWidth-1:0]  value;
  logic [Bytes-1:0]     crc_keep;
  logic [DataWidth-1:0] with_crc;

  assign full     = head_keep[Bytes-1];
  assign adds     = head_last && !head_bypass;
  assign value    = head_poison ? ~crc_head : crc_head;
  assign crc_keep = Bytes'((1 << CrcBytes) - 1);
  always_comb begin
    with_crc = head_data;
    keep_o   = head_keep;
    for (int unsigned g = 1; g < Parts; g++) begin
      if (head_keep[g*Granule-1] && !head_keep[g*Granule]) begin
        with_crc[g*Granule*8 +: CrcWidth] = value;
        keep_o[g*Granule +: CrcBytes]     = '1;
      end
    end
    if (extra_q) begin
      with_crc = DataWidth'(value);
      keep_o   = crc_keep;
    end
    if (!adds) begin
      with_crc = head_data;
      keep_o   = head_keep;
    end
  end

  assign valid_o  = ripe_q != '0;
  assign data_o   = with_crc;
  assign last_o   = head_last && (!adds || !full || extra_q);
  assign user_o   = head_user;
  assign pop      = valid_o && ready_i && (last_o || !head_last);
  assign take_crc = pop && head_last;

  always_ff @(posedge clk_i) begin
    if (rst_i)                    extra_q <= 1'b0;
    else if (valid_o && ready_i)  extra_q <= head_last && !last_o;
  end

  `ASSERT(RipeIsThere_A, !valid_o || head_valid)
  `ASSERT(CrcIsThere_A, !(valid_o && head_last) || crc_head_valid)
  `ASSERT(CrcHasRoom_A, !crc_valid || crc_ready)
  `ASSERT(RipeBound_A, ripe_q <= beats)

endmodule

`default_nettype wire
