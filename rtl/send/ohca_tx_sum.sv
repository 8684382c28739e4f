// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Fills in the Internet checksums of packets that are marked (ohca_ip_sum says which have any): they wait in a buffer
// until they are whole.
//
// A packet that is not marked goes straight through, in one cycle, while the buffer is empty; else it queues up behind
// those that are there, so packets never change their order. One beat a cycle in and out: a marked packet costs its own
// length and some 10 cycles of latency, no throughput. Its outputs are registers.
// It does NOT mend anything else of a packet, and hands on what is to be discarded (err) as such.
// lint: DataWidth=128
// lint: DataWidth=512
// lint: RoCE=0

// in ──┬──────────────────────────────────────────────────► skid ─► out
//      ├─► beats, two packets of 4 KiB ─► put in ─► flops ─┘
//      └─► ohca_ip_sum ─► fold ─► results ─┘

`include "ohca_assert.svh"
`include "ohca_lazy.svh"
`default_nettype none

module ohca_tx_sum #(
  parameter int unsigned DataWidth = 64,
  parameter int unsigned BufBytes  = 8192,    // power of two, more than the longest packet
  parameter int unsigned Packets   = 16,      // in the buffer, power of two
  parameter bit          RoCE      = 1'b1,
  localparam int unsigned Bytes    = DataWidth / 8
) (
  input  logic                 clk_i,
  input  logic                 rst_i,
  output logic                 idle_o,
  input  logic                 eth_i,         // the port's link layer

  // From ohca_txbuild: LRH to pad
  input  logic                 in_valid_i,
  output logic                 in_ready_o,    // of flops and in_valid_i's first beat
  input  logic [DataWidth-1:0] in_data_i,
  input  logic [Bytes-1:0]     in_keep_i,
  input  logic                 in_last_i,
  input  logic                 in_err_i,      // these three with last
  input  logic [7:0]           in_ipd_i,
  input  logic [9:0]           in_words_i,
  input  logic                 in_sum_i,      // marked, with the first beat

  output logic                 out_valid_o,
  input  logic                 out_ready_i,
  output logic [DataWidth-1:0] out_data_o,
  output logic [Bytes-1:0]     out_keep_o,
  output logic                 out_last_o,
  output logic                 out_err_o,
  output logic [7:0]           out_ipd_o,
  output logic [9:0]           out_words_o
);

  localparam int unsigned L     = DataWidth / 32;
  localparam int unsigned LaneW = $clog2(L);
  localparam int unsigned Words = BufBytes / Bytes;
  localparam int unsigned CntW  = $clog2(Words) + 1;
  localparam int unsigned PktW  = $clog2(Packets) + 1;
  localparam int unsigned SideW = Bytes + 19;

  if (BufBytes < 8192 || (BufBytes & (BufBytes - 1)) != 0) begin : g_bad_size
    $error("ohca_tx_sum: BufBytes must be a power of two from 8192");
  end

  // ------------------------------------------------------------------ which way
  logic            first_q, way_q, way, room_q, some_q, put, ends, o_valid_q, o_last_q, o_ready, leave, mark, mark_q;
  logic [PktW-1:0] held_q, held_d;
  logic [CntW-1:0] count;
  assign way        = first_q ? in_sum_i || some_q : way_q;
  assign mark       = first_q ? in_sum_i : mark_q;
  assign in_ready_o = way ? room_q : o_ready;
  assign put        = in_valid_i && way && room_q;
  assign ends       = put && in_last_i;
  assign leave      = o_valid_q && o_ready && o_last_q;
  assign held_d     = held_q + PktW'(put && first_q) - PktW'(leave);
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      first_q <= 1'b1;
      held_q  <= '0;
      room_q  <= 1'b0;
      some_q  <= 1'b0;
    end else begin
      if (in_valid_i && in_ready_o) first_q <= in_last_i;
      held_q <= held_d;
      some_q <= held_d != '0;              // all that stands before ohca_txbuild's step is one LUT behind flops
      // A beat that comes in this cycle and one in the next have a place.
      room_q <= count < CntW'(Words - 2) && held_d < PktW'(Packets);
    end
    if (in_valid_i && in_ready_o) begin
      way_q  <= way;
      mark_q <= mark;
    end
  end

  // ------------------------------------------------------------------ the buffer
  logic                 b_valid, b_ready, b_last, s_valid, s_ready, s_sum, ud;
  logic [DataWidth-1:0] b_data;
  logic [SideW-1:0]     s_side;
  logic                 take, take_last;
  ohca_fifo #(.Width(DataWidth + 1), .Depth(Words), .UseRam(1'b1)) u_beats (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(put), .ready_o(b_ready), .data_i({in_last_i, in_data_i}),
    .valid_o(b_valid), .ready_i(take), .data_o({b_last, b_data}), .count_o(count), .almost_full_o()
  );
  ohca_fifo #(.Width(SideW + 1), .Depth(Packets), .UseRam(1'b0)) u_side (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(ends), .ready_o(s_ready),
    .data_i({mark && ud, in_words_i, in_ipd_i, in_err_i, in_keep_i}),
    .valid_o(s_valid), .ready_i(take_last), .data_o({s_sum, s_side}), .count_o(), .almost_full_o()
  );

  // ------------------------------------------------------------------ the sums
  logic        done, has_v4, has_l4, has_udp, sum_right;
  logic [16:0] sum4;
  logic [17:0] sum;
  logic [11:0] start;
  logic [4:0]  at;
  ohca_ip_sum #(.DataWidth(DataWidth), .RoCE(RoCE), .Fill(1'b1)) u_sum (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(put && mark), .last_i(in_last_i), .data_i(in_data_i), .eth_i(eth_i),
    .ud_o(ud),
    .done_o(done), .ok_o(sum_right), .v4_o(has_v4), .l4_o(has_l4), .udp_o(has_udp), .sum4_o(sum4), .sum_o(sum),
    .start_o(start), .at_o(at)
  );
  logic        f_valid_q, f_v4_q, f_l4_q, f_udp_q;
  logic [15:0] f_sum4_q, l4_sum, f_neg;
  logic [16:0] f_sum_q;
  logic [11:0] f_at4_q, f_at_q;                        // dwords
  always_ff @(posedge clk_i) begin
    if (rst_i) f_valid_q <= 1'b0;
    else       f_valid_q <= done;
    if (done) begin
      f_v4_q   <= has_v4;
      f_l4_q   <= has_l4;
      f_udp_q  <= has_udp;
      f_sum4_q <= ~(sum4[15:0] + 16'(sum4[16]));
      f_sum_q  <= 17'(sum[15:0]) + 17'(sum[17:16]);
      f_at4_q  <= start + 12'd3;
      f_at_q   <= start + 12'(at) + (has_udp ? 12'd1 : 12'd4);
    end
  end
  // 0 says that there is none (UDP), so it leaves as its other form.
  assign f_neg  = ~(f_sum_q[15:0] + 16'(f_sum_q[16]));
  assign l4_sum = (f_udp_q && f_neg == '0) ? 16'hffff : f_neg;

  logic        c_valid, c_ready, c_v4, c_l4, c_udp;
  logic [15:0] c_sum4, c_sum;
  logic [11:0] c_at4, c_at;
  ohca_fifo #(.Width(3 + 32 + 24), .Depth(Packets), .UseRam(1'b0)) u_sums (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(f_valid_q), .ready_o(c_ready),
    .data_i({f_v4_q, f_l4_q, f_udp_q, f_sum4_q, l4_sum, f_at4_q, f_at_q}),
    .valid_o(c_valid), .ready_i(take_last && s_sum), .data_o({c_v4, c_l4, c_udp, c_sum4, c_sum, c_at4, c_at}),
    .count_o(), .almost_full_o()
  );

  // ------------------------------------------------------------------ out of the buffer
  logic [DataWidth-1:0] o_data_q, with_sums;
  logic [SideW-1:0]     o_side_q;
  logic [11-LaneW:0]    n_q;                           // beat
  logic                 o_free;
  assign o_free    = !o_valid_q || o_ready;
  assign take      = b_valid && s_valid && (!s_sum || c_valid) && o_free;
  assign take_last = take && b_last;
  always_comb begin
    with_sums = b_data;
    `WHEN(take && s_sum) for (int unsigned i = 0; i < L; i++) begin
      if (s_sum && c_v4 && c_at4 == {n_q, LaneW'(i)}) with_sums[32*i+16 +: 16] = c_sum4;
      if (s_sum && c_l4 && c_at == {n_q, LaneW'(i)}) begin
        if (c_udp) with_sums[32*i+16 +: 16] = c_sum;
        else       with_sums[32*i +: 16]    = c_sum;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      o_valid_q <= 1'b0;
      n_q       <= '0;
    end else begin
      if (o_free) o_valid_q <= take;
      if (take) n_q <= b_last ? '0 : n_q + (12-LaneW)'(1);
    end
    if (take) begin
      o_data_q <= with_sums;
      o_last_q <= b_last;
      o_side_q <= s_side;
    end
  end

  // While anything is in the buffer nothing goes past it.
  ohca_skid #(.Width(DataWidth + SideW + 1)) u_out (
    .clk_i(clk_i), .rst_i(rst_i),
    .valid_i(o_valid_q || (in_valid_i && !way)), .ready_o(o_ready),
    .data_i(o_valid_q ? {o_data_q, o_last_q, o_side_q[SideW-1:Bytes], o_last_q ? o_side_q[Bytes-1:0] : Bytes'('1)}
                      : {in_data_i, in_last_i, in_words_i, in_ipd_i, in_err_i, in_keep_i}),
    .valid_o(out_valid_o), .ready_i(out_ready_i),
    .data_o({out_data_o, out_last_o, out_words_o, out_ipd_o, out_err_o, out_keep_o})
  );
  assign idle_o      = held_q == '0 && !out_valid_o;

  `ASSERT(OneWay_A, !(o_valid_q && in_valid_i && !way))
  `ASSERT(Room_A, !put || b_ready)
  `ASSERT(SideRoom_A, !ends || s_ready)
  `ASSERT(SumsRoom_A, !f_valid_q || c_ready)

  logic unused;
  assign unused = &{1'b0, b_ready, s_ready, c_ready, sum_right};

endmodule

`default_nettype wire
