// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Send engine, rows: the WQEs of the turns, four rows of 64 bytes each, from when a batch is asked for until the
// emitters have read them. Words of the ring fetch come in the order of the batches (ask_i); when the last word of one
// is here, its token may be looked up (t2_*), a cycle later. A pushed WQE is written with its doorbell (push_i), and
// goes before words that are fetched: word_ready_o is low while one may come (push_near_i), which whoever pushes knows
// early.
//
// Three readers, each at its own pace, of turns that are complete: a header (half a row) for the plan and a word for
// the payload a cycle later; a whole row for the packet headers, which is there at the end of the cycle of row_go_o:
// that of row_en_i. Beat words a cycle come in (a row begins with one of them), and each reader gets one of its own a
// cycle.
//
// Compact: words of 128 bits instead of rows, and one memory for both, the payload's word first. A pushed WQE comes as
// eight words of 64 bits, the first with push_i, the others a cycle each (push_busy_o); a row takes four cycles more
// and one for each word of the payload meanwhile (row_busy_o), in which no other may be asked for. Of a header head_o
// shows what ohca_sq_wqe looks at: of fields that must be zero one bit, the others 0.
// It does NOT know which turns are free, nor what a WQE says. ask_i and push_i have no ready: there is room for all
// turns. Outputs are flops and memories, but word_ready_o (push_near_i) and row_go_o (row_en_i).
// lint: Compact=1
// lint: Turns=64 Beat=4

`include "ohca_assert.svh"
`default_nettype none

module ohca_sq_rows #(
  parameter int unsigned Turns   = 16,           // power of two
  parameter int unsigned Beat    = 1,            // words of 16 bytes that come at once: 1, 2 or 4, Compact: 1
  parameter bit          Compact = 1'b0,
  localparam int unsigned TurnW  = $clog2(Turns),
  localparam int unsigned RowW   = TurnW + 2
) (
  input  logic                     clk_i,
  input  logic                     rst_i,
  output logic                     idle_o,       // no batch is under way

  input  logic                     ask_i,        // a batch of this turn is being fetched
  input  logic [TurnW-1:0]         ask_turn_i,
  input  logic [23:0]              ask_id_i,     // its QP
  input  logic [26:0]              ask_meta_i,   // what comes back with its token

  input  logic                     word_valid_i,
  output logic                     word_ready_o,
  input  logic                     word_err_i,   // what was asked for ends here, without them
  input  logic                     word_last_i,  // ... or with them
  input  logic [128*Beat-1:0]      word_i,

  input  logic                     push_near_i,  // push_i is not 1 without it
  input  logic                     push_i,
  input  logic [TurnW-1:0]         push_turn_i,
  input  logic [511:0]             push_wqe_i,   // Compact: words in [63:0]
  output logic                     push_busy_o,

  output logic                     t2_valid_o,
  input  logic                     t2_ready_i,
  output logic [23:0]              t2_id_o,
  output logic [TurnW-1:0]         t2_turn_o,
  output logic [26:0]              t2_meta_o,
  output logic [4:0]               t2_words_o,   // of 16 bytes that came

  input  logic                     head_en_i,
  input  logic [RowW-1:0]          head_at_i,
  output logic [255:0]             head_o,

  input  logic                     row_en_i,
  input  logic [TurnW-1:0]         row_turn_i,
  input  logic [1:0]               row_at_i,
  output logic                     row_busy_o,
  output logic                     row_go_o,
  output logic [511:0]             row_o,

  input  logic                     dat_en_i,
  input  logic [TurnW-1:0]         dat_turn_i,
  input  logic [3:0]               dat_at_i,
  output logic [127:0]             dat_o
);

  localparam int unsigned HalfW = Compact ? 64 : 128;  // bits of a row that come at a time
  localparam int unsigned HeadW = Compact ? 64 : 256;  // bits of a header in a block RAM

  // ---- batches in order: whose words come next
  logic             fo_valid, fo_ready, take, pop, t2_ready;
  logic [TurnW-1:0] fo_turn;
  logic [23:0]      fo_id;
  logic [26:0]      fo_meta;
  logic [3:0]       cnt_q;
  assign word_ready_o = !push_near_i && !push_busy_o;
  assign take         = word_valid_i && word_ready_o;
  assign pop          = take && word_last_i;
  assign idle_o       = !fo_valid && !t2_valid_o;
  ohca_fifo #(.Width(TurnW + 24 + 27), .Depth(Turns), .UseRam(1'b0)) u_order (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(ask_i), .ready_o(fo_ready), .data_i({ask_turn_i, ask_id_i, ask_meta_i}),
    .valid_o(fo_valid), .ready_i(pop), .data_o({fo_turn, fo_id, fo_meta}), .count_o(), .almost_full_o()
  );
  ohca_fifo #(.Width(24 + TurnW + 32), .Depth(Turns), .UseRam(1'b0), .ValidFlop(1'b1)) u_t2 (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(pop), .ready_o(t2_ready),
    .data_i({fo_id, fo_turn, fo_meta, {1'b0, cnt_q} + (word_err_i ? 5'd0 : 5'(Beat))}),
    .valid_o(t2_valid_o), .ready_i(t2_ready_i), .data_o({t2_id_o, t2_turn_o, t2_meta_o, t2_words_o}),
    .count_o(), .almost_full_o()
  );
  always_ff @(posedge clk_i) begin
    if (rst_i || pop) cnt_q <= '0;
    else if (take)    cnt_q <= cnt_q + 4'(Beat);
  end

  // ---- the memories. A row is read only when it is complete, so no read meets a write.
  logic                 we;
  logic [RowW-1:0]      waddr;
  logic [512/HalfW-1:0] be;
  logic [511:0]         wdata;
  ohca_ram_sdp #(.Width(HeadW), .Depth(4 * Turns), .BeWidth(HalfW), .OldData(1'b0)) u_heads (
    .clk_i(clk_i), .wr_en_i(we), .wr_be_i(be[HeadW/HalfW-1:0]), .wr_addr_i(waddr), .wr_data_i(wdata[HeadW-1:0]),
    .rd_en_i(head_en_i), .rd_addr_i(head_at_i), .rd_data_o(head_o[HeadW-1:0])
  );
  if (Compact) begin : g_words
    logic [2:0]       push_at_q;
    logic [1:0]       half;
    logic [2:0]       left_q, left;             // words of the row that are still to be read
    logic [511:0]     words_q;
    logic [127:0]     dat_q;
    logic             row_rd, row_rd_q, dat_rd_q;
    logic [TurnW-1:0] push_turn_q;
    logic [RowW-1:0]  row_q;
    logic [127:0]     word_in, word;
    logic [RowW+1:0]  at;
    assign push_busy_o = push_at_q != '0;
    assign we          = push_i || push_busy_o || take;
    assign at          = push_i ? {push_turn_i, 4'd0} :
                         push_busy_o ? {push_turn_q, 2'd0, push_at_q[2:1]} : {fo_turn, cnt_q};
    assign word_in     = (push_i || push_busy_o) ? {2{push_wqe_i[63:0]}} : word_i[127:0];
    assign half        = push_i ? 2'b01 : push_busy_o ? {push_at_q[0], !push_at_q[0]} : 2'b11;
    assign waddr       = at[RowW+1:2];
    assign be          = 8'(half) << {at[1:0], 1'b0};
    assign wdata       = {4{word_in}};
    assign left        = row_en_i ? 3'd4 : left_q;
    assign row_rd      = left != '0 && !dat_en_i;
    assign row_busy_o  = left_q != '0 || row_rd_q;
    assign row_go_o    = left_q == '0 && row_rd_q;
    assign row_o       = words_q;
    assign dat_o       = dat_rd_q ? word : dat_q;
    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        push_at_q <= '0;
        left_q    <= '0;
        row_rd_q  <= 1'b0;
      end else begin
        if (push_i || push_busy_o) push_at_q <= push_at_q + 3'd1;
        left_q   <= left - 3'(row_rd);
        row_rd_q <= row_rd;
      end
      dat_rd_q <= dat_en_i;
      if (push_i) push_turn_q <= push_turn_i;
      if (row_en_i) row_q <= {row_turn_i, row_at_i};
      if (row_rd_q) words_q <= {word, words_q[511:128]};
      if (dat_rd_q) dat_q <= word;
    end
    ohca_ram_sdp #(.Width(128), .Depth(16 * Turns), .BeWidth(64), .OldData(1'b0)) u_rows (
      .clk_i(clk_i), .wr_en_i(we), .wr_be_i(half), .wr_addr_i(at), .wr_data_i(word_in), .rd_en_i(row_rd || dat_en_i),
      .rd_addr_i(dat_en_i ? {dat_turn_i, dat_at_i} :
                 row_en_i ? {row_turn_i, row_at_i, 2'd0} : {row_q, 2'd0 - left_q[1:0]}), .rd_data_o(word)
    );
    // Of a header's other words what must be zero, and the SL of a datagram's path (av.sl).
    logic       zero1, zero2;
    logic [5:0] zero3;
    ohca_ram_sdp #(.Width(1), .Depth(4 * Turns), .OldData(1'b0)) u_head1 (
      .clk_i(clk_i), .wr_en_i(we && be[1]), .wr_be_i(1'b1), .wr_addr_i(waddr), .wr_data_i(|wdata[127:112]),
      .rd_en_i(head_en_i), .rd_addr_i(head_at_i), .rd_data_o(zero1)
    );
    ohca_ram_sdp #(.Width(1), .Depth(4 * Turns), .OldData(1'b0)) u_head2 (
      .clk_i(clk_i), .wr_en_i(we && be[2]), .wr_be_i(1'b1), .wr_addr_i(waddr), .wr_data_i(|wdata[159:152]),
      .rd_en_i(head_en_i), .rd_addr_i(head_at_i), .rd_data_o(zero2)
    );
    ohca_ram_sdp #(.Width(6), .Depth(4 * Turns), .OldData(1'b0)) u_head3 (
      .clk_i(clk_i), .wr_en_i(we && be[3]), .wr_be_i(1'b1), .wr_addr_i(waddr),
      .wr_data_i({|wdata[255:224], |wdata[223:216], wdata[211:208]}),
      .rd_en_i(head_en_i), .rd_addr_i(head_at_i), .rd_data_o(zero3)
    );
    assign head_o[255:64] = {31'd0, zero3[5], 7'd0, zero3[4], 4'd0, zero3[3:0], 48'd0, 7'd0, zero2, 24'd0, 15'd0, zero1,
                             48'd0};
    `ASSERT(RowBusy_A, !row_en_i || !row_busy_o)
    logic unused_words;
    assign unused_words = &{1'b0, be[7:4], wdata[511:64], push_wqe_i[511:64]};
  end else begin : g_rows
    logic [511:0] data;
    logic [1:0]   at_q;
    always_ff @(posedge clk_i) if (dat_en_i) at_q <= dat_at_i[1:0];
    assign push_busy_o = 1'b0;
    assign we          = push_i || take;
    assign waddr       = push_near_i ? {push_turn_i, 2'd0} : {fo_turn, cnt_q[3:2]};
    assign be          = push_near_i ? 4'hf : 4'((1 << Beat) - 1) << cnt_q[1:0];
    assign wdata       = push_near_i ? push_wqe_i : {(4 / Beat){word_i}};
    assign row_busy_o  = 1'b0;
    assign row_go_o    = row_en_i;
    assign dat_o       = data[128*32'(at_q) +: 128];
    ohca_ram_tdp2r #(.Width(512), .Depth(4 * Turns), .BeWidth(128), .OldData(1'b0)) u_rows (
      .clk_i(clk_i), .wr_en_i(we), .wr_be_i(be), .wr_addr_i(waddr), .wr_data_i(wdata),
      .rd0_en_i(row_en_i), .rd0_addr_i({row_turn_i, row_at_i}), .rd0_data_o(row_o),
      .rd1_en_i(dat_en_i), .rd1_addr_i({dat_turn_i, dat_at_i[3:2]}), .rd1_data_o(data)
    );
  end

  logic unused;
  assign unused = &{1'b0, fo_ready, t2_ready};

  if ((Beat != 1 && Beat != 2 && Beat != 4) || (Compact && Beat != 1)) begin : g_bad_beat
    $error("ohca_sq_rows: Beat is 1, 2 or 4, Compact 1");
  end

  `ASSERT(AskRoom_A, !ask_i || fo_ready)
  `ASSERT(T2Room_A, !pop || t2_ready)
  `ASSERT(OrderThere_A, !word_valid_i || fo_valid)
  `ASSERT(PushNear_A, !push_i || push_near_i)
  `ASSERT(PushOne_A, !push_i || !push_busy_o)

endmodule

`default_nettype wire
