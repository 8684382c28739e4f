// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Frames for the network interface: buffered until they are whole and good, summed, and handed out one after the other.
//
// Every beat is taken when it comes; what finds no room, is bad or too long leaves nothing behind and is counted. A
// frame shows 8 cycles after its last beat; its words come one a cycle from 3 cycles after take_i. It does NOT know
// descriptors.
// lint: DataWidth=512 BufBytes=65536

`include "ohca_assert.svh"
`default_nettype none

module ohca_nic_rx #(
  parameter int unsigned DataWidth = 64,
  parameter int unsigned BufBytes  = 16384,         // power of two, more than the longest frame
  parameter int unsigned Frames    = 32,            // in the buffer, power of two
  localparam int unsigned Bytes    = DataWidth / 8
) (
  input  logic                 clk_i,
  input  logic                 rst_i,
  output logic                 idle_o,
  input  logic                 en_i,

  // Frames as ohca_eth_in gives them; there is no ready
  input  logic                 in_valid_i,
  input  logic [DataWidth-1:0] in_data_i,
  input  logic [Bytes-1:0]     in_keep_i,
  input  logic                 in_last_i,
  input  logic                 in_err_i,

  // The oldest frame: discard it, or take its words
  output logic                 frm_valid_o,
  output logic [13:0]          frm_len_o,
  output logic [15:0]          frm_sum_o,
  input  logic                 drop_i,
  input  logic                 take_i,
  output logic                 dat_valid_o,
  input  logic                 dat_ready_i,
  output logic [DataWidth-1:0] dat_o,

  output logic                 full_o,              // pulses: no room; bad; too long
  output logic                 bad_o,
  output logic                 long_o
);

  localparam int unsigned LaneW = $clog2(Bytes);
  localparam int unsigned Words = BufBytes / Bytes;
  localparam int unsigned PtrW  = $clog2(Words);
  localparam int unsigned CntW  = $clog2(Frames) + 1;

  // ------------------------------------------------------------------ in
  localparam logic [13:0] Most = 14'(ohca_fmt_pkg::NIC_MAX_FRAME);
  logic            first_q, dead_q, dead, room, too_long, end_q, put, good;
  logic [LaneW:0]  n_q, rest_q;        // bytes of the beat; that the frame may still have, with end_q: less than a beat
  logic [13:0]     len_q, len;
  logic [PtrW:0]   start_q, wr_q, wr, rd_q;
  logic [CntW-1:0] held_q;
  logic            done, good_q;
  // A beat and its length in flops, as both come from far away.
  logic                 en_q, v_q, last_q, err_q;
  logic [DataWidth-1:0] data_q;
  logic [LaneW:0]       n_d;
  always_comb begin
    n_d = '0;
    for (int unsigned i = 0; i < Bytes; i++) n_d = n_d + (LaneW+1)'(in_keep_i[i]);
  end
  always_ff @(posedge clk_i) begin
    v_q <= !rst_i && in_valid_i;
    if (in_valid_i) begin
      en_q   <= en_i;
      data_q <= in_data_i;
      last_q <= in_last_i;
      err_q  <= in_err_i;
      n_q    <= n_d;
    end
  end
  assign wr       = first_q ? start_q : wr_q;
  assign len      = (first_q ? 14'd0 : len_q) + 14'(n_q);
  assign too_long = !first_q && end_q && n_q > rest_q;
  assign room     = (wr - rd_q) < (PtrW+1)'(Words) && (!first_q || held_q + CntW'(good_q) < CntW'(Frames));
  assign dead     = (first_q ? !en_q : dead_q) || !room || too_long;
  assign put      = v_q && !dead;
  assign good     = put && last_q && !err_q;

  logic long_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      first_q <= 1'b1;
      start_q <= '0;
      held_q  <= '0;
      good_q  <= 1'b0;
    end else begin
      if (v_q) first_q <= last_q;
      if (good) start_q <= wr + (PtrW+1)'(1);
      good_q <= good;                        // counts a cycle later
      held_q <= held_q + CntW'(good_q) - CntW'(done);
    end
    if (v_q) begin
      dead_q <= dead;
      long_q <= !last_q && long;
      // Beyond what counts, the length stands still.
      if (!dead) begin
        len_q  <= len;
        end_q  <= len > Most - 14'(Bytes);
        rest_q <= (LaneW+1)'(Most - len);
      end
      wr_q   <= wr + (PtrW+1)'(1);         // of a frame that is dead nothing more is looked at
    end
  end
  logic long;
  assign long = (!first_q && long_q) || (too_long && (first_q || !dead_q));
  always_ff @(posedge clk_i) begin
    long_o <= !rst_i && v_q && last_q && en_q && long;
    bad_o  <= !rst_i && put && last_q && err_q;
    full_o <= !rst_i && v_q && last_q && en_q && dead && !long;
  end

  ohca_ram_sdp #(.Width(DataWidth), .Depth(Words), .OldData(1'b0)) u_mem (
    .clk_i(clk_i), .wr_en_i(put), .wr_be_i(1'b1), .wr_addr_i(wr[PtrW-1:0]), .wr_data_i(data_q),
    .rd_en_i(rd_go), .rd_addr_i(rd_q[PtrW-1:0]), .rd_data_o(rd_data)
  );

  logic        s_done, sum_idle;
  logic [15:0] s_sum;
  logic [13:0] s_len;
  ohca_nic_sum #(.DataWidth(DataWidth), .MetaW(14)) u_sum (
    .clk_i(clk_i), .rst_i(rst_i), .idle_o(sum_idle), .load_i(v_q), .valid_i(put && (!last_q || !err_q)),
    .first_i(first_q), .last_i(last_q), .data_i(data_q), .bytes_i(n_q[LaneW-1:0]), .start_i(12'd14), .meta_i(len),
    .done_o(s_done), .sum_o(s_sum), .meta_o(s_len)
  );

  logic f_ready, f_pop;
  ohca_fifo #(.Width(30), .Depth(Frames), .UseRam(1'b0), .ValidFlop(1'b1)) u_frames (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(s_done), .ready_o(f_ready), .data_i({s_sum, s_len}),
    .valid_o(frm_valid_o), .ready_i(f_pop), .data_o({frm_sum_o, frm_len_o}), .count_o(), .almost_full_o()
  );

  // ------------------------------------------------------------------ out
  logic                 busy_q, rd_go, r_valid_q, o_ready, o_room_q;
  logic [PtrW:0]        words, left_q;
  logic [2:0]           o_count;
  logic [DataWidth-1:0] rd_data;
  assign words = (PtrW+1)'((frm_len_o + 14'(Bytes - 1)) >> LaneW);
  assign rd_go = busy_q && o_room_q;
  assign f_pop = drop_i || take_i;
  assign done  = f_pop;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      busy_q    <= 1'b0;
      r_valid_q <= 1'b0;
      o_room_q  <= 1'b0;
      rd_q      <= '0;
    end else begin
      r_valid_q <= rd_go;
      o_room_q  <= 4'(o_count) + 4'(r_valid_q) + 4'(rd_go) < 4'd4;     // whatever leaves in this cycle
      if (take_i) busy_q <= 1'b1;
      else if (rd_go && left_q == (PtrW+1)'(1)) busy_q <= 1'b0;
      // Both sums, as drop_i comes late.
      rd_q <= drop_i ? rd_q + words : rd_q + (PtrW+1)'(rd_go);
    end
    if (take_i) left_q <= words;
    else if (rd_go) left_q <= left_q - (PtrW+1)'(1);
  end
  ohca_fifo #(.Width(DataWidth), .Depth(4), .ValidFlop(1'b1)) u_out (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(r_valid_q), .ready_o(o_ready), .data_i(rd_data),
    .valid_o(dat_valid_o), .ready_i(dat_ready_i), .data_o(dat_o), .count_o(o_count), .almost_full_o()
  );

  assign idle_o = first_q && !in_valid_i && !v_q && !long_o && !bad_o && !full_o && sum_idle && !frm_valid_o &&
                  !busy_q && !r_valid_q && !dat_valid_o;

  `ASSERT(TooLong_A, !v_q || too_long == (len > Most))
  `ASSERT(FrameRoom_A, !s_done || f_ready)
  `ASSERT(OutRoom_A, !r_valid_q || o_ready)
  `ASSERT(OneAtATime_A, !(take_i || drop_i) || (frm_valid_o && !busy_q))

  logic unused;
  assign unused = &{1'b0, f_ready, o_ready};

endmodule

`default_nettype wire
