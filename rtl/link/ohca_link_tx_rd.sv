// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Reads one packet after another out of the egress memory and appends ICRC and VCRC, which its descriptor brings along.
//
// Grant to first beat: 3 cycles; one beat a cycle, no bubble between packets while grants and reads come. The word
// asked for with rd_valid_o and rd_ready_i must be at rd_data_i in the next cycle. It does NOT compute a CRC and does
// not know queues.

`include "ohca_assert.svh"
`default_nettype none

module ohca_link_tx_rd #(
  parameter int unsigned DataWidth = 64,
  parameter int unsigned MetaW     = 8,
  localparam int unsigned Bytes    = DataWidth / 8,
  localparam int unsigned Lanes    = DataWidth / 32,
  localparam int unsigned LaneW    = $clog2(Lanes)
) (
  input  logic                 clk_i,
  input  logic                 rst_i,
  output logic                 idle_o,
  output logic                 busy_o,        // has words to read

  input  logic                 g_valid_i,
  output logic                 g_ready_o,
  input  logic [10:0]          g_len_i,       // dwords without the CRCs
  input  logic [47:0]          g_crc_i,       // {VCRC, ICRC}, lowest byte first on the wire
  input  logic [MetaW-1:0]     g_meta_i,      // shown with every beat

  output logic                 rd_valid_o,
  input  logic                 rd_ready_i,
  output logic [MetaW-1:0]     rd_meta_o,     // of the packet that is being read
  input  logic [DataWidth-1:0] rd_data_i,

  output logic                 valid_o,
  input  logic                 ready_i,
  output logic [DataWidth-1:0] data_o,
  output logic [Bytes-1:0]     keep_o,
  output logic                 last_o,
  output logic [10:0]          len_o,
  output logic [MetaW-1:0]     meta_o
);

  localparam int unsigned Depth = 4;      // bit 2 of held_q
  localparam int unsigned FifoW = DataWidth + Bytes + 1 + 11 + MetaW;

  // rem_q: dwords of the packet not yet read; the ICRC is dword rem_q of the beat to come, the VCRC the one after it.
  logic              busy_q, last, extra, issue, space, far;
  logic [LaneW:0]    near;                 // rem_q, while it is not far; its top bit is the sign
  logic signed [12:0] rem_q;
  logic [10:0]       len_q;
  logic [47:0]       crc_q;
  logic [MetaW-1:0]  meta_q;
  logic [2:0]        count, held_q;        // in the FIFO; with what is on its way there
  logic              r_valid_q;

  assign busy_o     = busy_q;
  // A beat has all of its lanes from the packet, or rem_q is from -1 to Lanes - 1: a few bits say all.
  assign far        = !rem_q[12] && rem_q[11:LaneW] != '0;
  assign near       = {rem_q[12], rem_q[LaneW-1:0]};
  assign extra      = !far && (near[LaneW] || near[LaneW-1:0] == '0);
  assign last       = !far && (near[LaneW] || near[LaneW-1:0] != '1);
  assign space      = !held_q[2];
  assign rd_valid_o = busy_q && space && !extra;
  assign rd_meta_o  = meta_q;
  assign issue      = busy_q && space && (extra || rd_ready_i);
  assign g_ready_o  = !busy_q || (issue && last);

  always_ff @(posedge clk_i) begin
    if (rst_i) busy_q <= 1'b0;
    else if (g_ready_o) busy_q <= g_valid_i;
    held_q <= rst_i ? '0 : held_q + 3'(issue) - 3'(valid_o && ready_i);
    if (g_ready_o) begin
      rem_q  <= 13'(signed'({2'b00, g_len_i}));
      len_q  <= g_len_i;
      crc_q  <= g_crc_i;
      meta_q <= g_meta_i;
    end else if (issue) rem_q <= rem_q - 13'(signed'(Lanes));
  end

  // The word is at rd_data_i now.
  typedef enum logic [1:0] { L_DATA, L_ICRC, L_VCRC, L_NONE } lane_e;
  logic               r_last_q;
  logic [Lanes-1:0][1:0] r_lane_q, lane;       // what is in each lane: known before the word is
  logic [47:0]        r_crc_q;
  logic [10:0]        r_len_q;
  logic [MetaW-1:0]   r_meta_q;
  always_comb begin
    for (int unsigned i = 0; i < Lanes; i++) begin
      lane[i] = L_DATA;
      // v: rem_q and one
      for (int unsigned v = 0; v <= Lanes; v++) begin
        if (!far && near == (LaneW+1)'(v + 2 * Lanes - 1)) begin
          lane[i] = (i + 1 == v) ? L_ICRC : (i == v) ? L_VCRC : (i > v) ? L_NONE : L_DATA;
        end
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) r_valid_q <= 1'b0;
    else       r_valid_q <= issue;
    if (issue) begin
      r_last_q <= last;
      r_lane_q <= lane;
      r_crc_q  <= crc_q;
      r_len_q  <= len_q;
      r_meta_q <= meta_q;
    end
  end

  logic [DataWidth-1:0] r_data;
  logic [Bytes-1:0]     r_keep;
  always_comb begin
    for (int unsigned i = 0; i < Lanes; i++) begin
      case (r_lane_q[i])
        L_DATA:  {r_keep[4*i +: 4], r_data[32*i +: 32]} = {4'hf, rd_data_i[32*i +: 32]};
        L_ICRC:  {r_keep[4*i +: 4], r_data[32*i +: 32]} = {4'hf, r_crc_q[31:0]};
        L_VCRC:  {r_keep[4*i +: 4], r_data[32*i +: 32]} = {4'h3, 16'd0, r_crc_q[47:32]};
        default: {r_keep[4*i +: 4], r_data[32*i +: 32]} = '0;
      endcase
    end
  end

  logic fifo_ready, af;
  ohca_fifo #(.Width(FifoW), .Depth(Depth), .ValidFlop(1'b1)) u_out (
    .clk_i(clk_i), .rst_i(rst_i),
    .valid_i(r_valid_q), .ready_o(fifo_ready), .data_i({r_meta_q, r_len_q, r_last_q, r_keep, r_data}),
    .valid_o(valid_o), .ready_i(ready_i), .data_o({meta_o, len_o, last_o, keep_o, data_o}),
    .count_o(count), .almost_full_o(af)
  );

  assign idle_o = !busy_q && !r_valid_q && count == '0;

  `ASSERT(Rem_A, !busy_q || rem_q >= -13'sd1)
  `ASSERT(Held_A, held_q == count + 3'(r_valid_q))
  `ASSERT(Room_A, !r_valid_q || fifo_ready)

  logic unused;
  assign unused = &{1'b0, af, fifo_ready};

endmodule

`default_nettype wire
