// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Transmit descriptors of the network interface to frames: reads the pieces, joins them, puts the checksum in, pads to
// 60 bytes.
//
// Store and forward, one beat a cycle in and out; a frame's first beat leaves 12 cycles after its last beat of host
// data. Reads go out ahead of the data, as many as fit the buffer; a piece of a descriptor that lies in one page every
// three cycles. It does NOT split frames into segments, and adds no FCS.
// lint: DataWidth=128
// lint: DataWidth=512 BufBytes=32768

//   descriptor ─► check, cut at pages, reserve ─► host reads
//                      └─► token FIFO ─► rotate ─► join ─► buffer ─► checksum put in, padding ─► out
//                                                    └─► sum ─► frame FIFO ─┘
// A frame that is refused, or whose data could not be read, ends without trace but a completion with error.

`include "ohca_assert.svh"
`include "ohca_lazy.svh"
`default_nettype none

module ohca_nic_tx #(
  parameter int unsigned DataWidth = 64,
  parameter int unsigned BufBytes  = 16384,         // power of two, more than the longest frame
  localparam int unsigned Bytes    = DataWidth / 8
) (
  input  logic                        clk_i,
  input  logic                        rst_i,
  output logic                        idle_o,
  output logic                        busy_o,       // host memory is being read, or a completion waits
  input  logic                        en_i,         // 0: what is not begun is discarded, what is begun ends without a
                                                    // completion

  input  logic                        desc_valid_i,
  output logic                        desc_ready_o,
  input  ohca_fmt_pkg::nic_txd_t      desc_i,

  output logic                        rd_valid_o,
  input  logic                        rd_ready_i,
  output ohca_fmt_pkg::dma_rd_req_t   rd_o,
  input  logic                        rsp_valid_i,
  input  logic [DataWidth-1:0]        rsp_data_i,
  input  logic                        rsp_last_i,
  input  logic                        rsp_err_i,

  output logic                        cqe_valid_o,
  input  logic                        cqe_ready_i,
  output logic [15:0]                 cqe_idx_o,
  output logic                        cqe_err_o,

  input  logic                        wire_en_i,    // 0: frames end here
  output logic                        valid_o,
  input  logic                        ready_i,
  output logic [DataWidth-1:0]        data_o,
  output logic [Bytes-1:0]            keep_o,
  output logic                        last_o
);

  localparam int unsigned LaneW  = $clog2(Bytes);
  localparam int unsigned Words  = BufBytes / Bytes;
  localparam int unsigned PtrW   = $clog2(Words);
  localparam int unsigned Frames = 16;                      // begun and not yet out, or not yet reported
  localparam int unsigned MinLen = 60;

  function automatic logic [PtrW:0] words_of(input logic [13:0] b);
    words_of = (PtrW+1)'((b + 14'(Bytes - 1)) >> LaneW);
  endfunction

  // ------------------------------------------------------------------ issue
  // The descriptor comes out of a queue's memory; what it asks for is a long way from there.
  logic desc_valid;
  ohca_fmt_pkg::nic_txd_t desc;
  ohca_stage #(.Width(ohca_fmt_pkg::NIC_TXD_BITS)) u_desc (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(desc_valid_i), .ready_o(desc_ready_o), .data_i(desc_i),
    .valid_o(desc_valid), .ready_i(pop), .data_o(desc)
  );
  // Three cycles a piece: what it is (prep), whether it may go, the request. All that it is reckoned from stays as it
  // is until it has gone.
  logic [15:0]   off_q, left, idx_q;
  logic [13:0]   pos_q, pos_end_q;
  logic          mid_q, bad_q, bad, bad_now_q, prep_q, req_q, en, may, start_ok, tok_ready, fire, last_piece,
      last_piece_q, quiet, refuse, begin_f, end_bad, cut, pop;
  logic [63:0]   at, at_q;
  logic [12:0]   page, n, n_q;
  logic [PtrW:0] need_q, free_q, rel_bad, rel_out, rel_bad_q, rel_out_q;
  logic          rel_q, fr_out_q;
  logic          cont_q, fits;                             // further pieces of a descriptor begin with a page
  logic [15:0]   rest_q, left_q;
  logic [16:0]   upto;
  logic [11:0]   low;
  logic [13:0]   pos7_q, end7_q;                           // positions, rounded up to words
  logic [4:0]    fr_used_q, cq_used_q;
  logic          cs_q;
  logic [10:0]   cs_start_q, cs_off_q, cs_start, cs_off;
  logic          cs;

  assign en         = en_i || req_q;                        // a request that was shown stays
  assign at         = desc.addr + 64'(off_q);
  assign left       = cont_q ? rest_q : desc.len;
  assign low        = cont_q ? 12'd0 : desc.addr[11:0];
  assign page       = 13'd4096 - {1'b0, low};
  // Of a descriptor's first piece, as rest_q alone says it of a further one. What ends with the page is as long as the
  // page is, so only whether it is the last hangs on that.
  assign upto       = 17'(desc.len) + 17'(desc.addr[11:0]);
  assign fits       = cont_q ? rest_q[15:12] == '0 : upto[16:12] == '0;
  assign last_piece = fits || (cont_q ? rest_q == 16'd4096 : upto == 17'd4096);
  assign n          = fits ? left[12:0] : page;
  assign bad        = bad_q || desc.len == '0 || (desc & ohca_fmt_pkg::NIC_TXD_RSVD) != '0 ||
                      17'(pos_q) + 17'(left) > 17'(ohca_fmt_pkg::NIC_MAX_FRAME) ||
                          (!mid_q && desc.csum && (desc.csum_start[0] || desc.csum_off[0]));
  assign cs         = mid_q ? cs_q       : desc.csum;
  assign cs_start   = mid_q ? cs_start_q : desc.csum_start[11:1];
  assign cs_off     = mid_q ? cs_off_q   : desc.csum_off[11:1];

  // Narrow hosts: a read leaves from a register of its own, as who takes it may lie far away.
  ohca_fmt_pkg::dma_rd_req_t rd;
  logic                      rd_ready;
  if (DataWidth <= 64) begin : g_rd_late
    ohca_fifo #(.Width(ohca_fmt_pkg::DMA_RD_REQ_BITS), .Depth(2), .Single(1'b1), .UseRam(1'b0)) u_rd (
      .clk_i(clk_i), .rst_i(rst_i), .valid_i(req_q), .ready_o(rd_ready), .data_i(rd),
      .valid_o(rd_valid_o), .ready_i(rd_ready_i), .data_o(rd_o), .count_o(), .almost_full_o()
    );
  end else begin : g_rd
    assign {rd_valid_o, rd_ready, rd_o} = {req_q, rd_ready_i, rd};
  end

  assign start_ok   = mid_q || (fr_used_q < 5'(Frames) && cq_used_q < 5'(Frames));
  assign may        = prep_q && !req_q && desc_valid && en_i && !bad_now_q && free_q >= need_q && tok_ready &&
      start_ok;
  assign rd.addr    = at_q;
  assign rd.len     = n_q;
  assign rd.tag     = 8'd0;
  assign fire       = req_q && rd_ready;
  // What ends a frame without data waits until all data before it is in.
  assign refuse     = prep_q && desc_valid && en_i && bad_now_q && start_ok && (!desc.eop || quiet);
  assign end_bad    = refuse && desc.eop;
  assign cut        = !en && mid_q && quiet;
  assign begin_f    = (fire || refuse) && !mid_q;
  assign pop        = (fire && last_piece_q) || refuse || (desc_valid && !en);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      off_q     <= '0;
      pos_q     <= '0;
      pos7_q    <= 14'(Bytes - 1);
      idx_q     <= '0;
      mid_q     <= 1'b0;
      bad_q     <= 1'b0;
      prep_q    <= 1'b0;
      req_q     <= 1'b0;
      free_q    <= (PtrW+1)'(Words);
      rel_q     <= 1'b0;
      fr_out_q  <= 1'b0;
      rel_bad_q <= '0;
      rel_out_q <= '0;
      cont_q    <= 1'b0;
      fr_used_q <= '0;
      cq_used_q <= '0;
    end else begin
      prep_q <= desc_valid && !fire && !pop && !cut;
      req_q  <= req_q ? !rd_ready : may;
      if (pop)       off_q <= '0;
      else if (fire) off_q <= off_q + 16'(n_q);
      if (pop && desc_valid) idx_q <= idx_q + 16'd1;
      if (!en_i && !busy_o) idx_q <= '0;
      if (cut || end_bad || (fire && last_piece_q && desc.eop)) begin
        mid_q <= 1'b0;
        bad_q <= 1'b0;
        pos_q <= '0;
        pos7_q <= 14'(Bytes - 1);
      end else if (fire) begin
        mid_q <= 1'b1;
        pos_q <= pos_end_q;
        pos7_q <= end7_q;
      end else if (refuse) begin
        mid_q <= 1'b1;
        bad_q <= 1'b1;
      end
      if (pop)       cont_q <= 1'b0;
      else if (fire) cont_q <= 1'b1;
      // What comes back does so a cycle later, from registers.
      rel_q     <= fr_bad || fr_out;
      fr_out_q  <= fr_out;
      rel_bad_q <= rel_bad;
      rel_out_q <= rel_out;
      free_q    <= free_q - (fire ? need_q : '0) + rel_bad_q + rel_out_q;
      fr_used_q <= fr_used_q + 5'(begin_f) - 5'(fr_bad) - 5'(fr_out_q);
      cq_used_q <= cq_used_q + 5'(begin_f) - 5'(cq_none) - 5'(cqe_valid_o && cqe_ready_i);
    end
    if (!prep_q) begin
      at_q         <= at;
      n_q          <= n;
      last_piece_q <= last_piece;
      left_q       <= left;
      need_q       <= (PtrW+1)'((14'(pos7_q[LaneW-1:0]) + 14'(n)) >> LaneW);      // words that end in it
      bad_now_q    <= bad;
    end
    // A cycle later than the length, as nothing looks at them before the request is taken.
    pos_end_q <= pos_q + 14'(n_q);
    end7_q    <= pos7_q + 14'(n_q);
    if (fire) rest_q <= left_q - 16'(n_q);
    if (begin_f) begin
      cs_q       <= cs;
      cs_start_q <= cs_start;
      cs_off_q   <= cs_off;
    end
  end

  // ------------------------------------------------------------------ tokens: one per read
  localparam int unsigned TokW = LaneW + LaneW + 1 + 13 + 1 + 1 + 1 + 16 + 1 + 11 + 11;
  logic             t_valid, t_sof, t_eop, t_cqe, t_cs, t_pop;
  logic [LaneW-1:0] t_lane;
  logic [LaneW:0]   h_bn_q, t_bn;                           // bytes of its first beat
  logic [12:0]      t_len;
  logic [15:0]      t_idx;
  logic [10:0]      t_start, t_off;
  // A request is shown two cycles after its place and length stand.
  always_ff @(posedge clk_i) begin
    h_bn_q <= (n_q > 13'(Bytes) - 13'(at_q[LaneW-1:0])) ? (LaneW+1)'(Bytes) - (LaneW+1)'(at_q[LaneW-1:0]) :
        (LaneW+1)'(n_q);
  end
  ohca_fifo #(.Width(TokW), .Depth(16)) u_tok (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(fire), .ready_o(tok_ready),
    .data_i({at_q[LaneW-1:0], h_bn_q, n_q, !mid_q, last_piece_q && desc.eop, desc.cqe, idx_q, cs, cs_start, cs_off}),
    .valid_o(t_valid), .ready_i(t_pop), .data_o({t_lane, t_bn, t_len, t_sof, t_eop, t_cqe, t_idx, t_cs, t_start,
    t_off}), .count_o(), .almost_full_o()
  );

  // ------------------------------------------------------------------ a beat of host data: where its bytes go
  logic             head_q;                                 // the request's first beat comes
  logic [12:0]      rem_q, rem;
  logic [13:0]      cpos_q, cpos;
  logic [LaneW-1:0] a;
  logic [LaneW:0]   bn;                                     // its bytes
  assign a     = head_q ? t_lane : '0;
  assign rem   = head_q ? t_len : rem_q;
  assign cpos  = (head_q && t_sof) ? '0 : cpos_q;
  assign bn    = head_q ? t_bn : (rem_q > 13'(Bytes)) ? (LaneW+1)'(Bytes) : (LaneW+1)'(rem_q);
  assign t_pop = rsp_valid_i && rsp_last_i;

  logic                 x_valid_q, x_eop_q, x_err_q, x_cqe_q, x_cs_q;
  logic [DataWidth-1:0] x_data_q, x_rot;
  logic [LaneW-1:0]     x_amt_q;
  logic [LaneW:0]       x_bn_q;
  logic [13:0]          x_pos_q;
  logic [15:0]          x_idx_q;
  logic [10:0]          x_start_q, x_off_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      head_q    <= 1'b1;
      x_valid_q <= 1'b0;
    end else begin
      x_valid_q <= rsp_valid_i;
      if (rsp_valid_i) head_q <= rsp_last_i;
    end
    if (rsp_valid_i) begin
      rem_q     <= rem - 13'(bn);
      cpos_q    <= cpos + 14'(bn);
      x_data_q  <= rsp_data_i;
      x_amt_q   <= a - cpos[LaneW-1:0];
      x_bn_q    <= bn;
      x_pos_q   <= cpos;
      x_eop_q   <= t_eop && rsp_last_i;
      x_err_q   <= rsp_err_i;
      x_cqe_q   <= t_cqe;
      x_idx_q   <= t_idx;
      x_cs_q    <= t_cs;
      x_start_q <= t_start;
      x_off_q   <= t_off;
    end
  end
  ohca_rotate #(.Lanes(Bytes), .LaneWidth(8)) u_rot (.data_i(x_data_q), .amount_i(x_amt_q), .data_o(x_rot));

  // What of a word is full, and which bytes of a last one count, stands in flops before a word is joined: all of the
  // sum hangs on it.
  logic                 y_valid_q, y_eop_q, y_err_q, y_cqe_q, y_cs_q, y_full_q, y_over_q, y_begin_q, y_first_q;
  logic [DataWidth-1:0] y_data_q;
  logic [LaneW+1:0]     x_sum_n;
  logic [13:0]          y_pos_q, y_total_q;
  logic [15:0]          y_idx_q;
  logic [10:0]          y_start_q, y_off_q;
  assign x_sum_n = {2'd0, x_pos_q[LaneW-1:0]} + {1'b0, x_bn_q};
  always_ff @(posedge clk_i) begin
    if (rst_i) y_valid_q <= 1'b0;
    else       y_valid_q <= x_valid_q;
    if (x_valid_q) begin
      y_data_q  <= x_rot;
      y_full_q  <= x_sum_n >= (LaneW+2)'(Bytes);
      y_over_q  <= x_sum_n > (LaneW+2)'(Bytes);
      y_begin_q <= x_pos_q == '0;
      y_first_q <= x_pos_q[13:LaneW] == '0;
      y_pos_q   <= x_pos_q;
      y_total_q <= x_pos_q + 14'(x_bn_q);
      y_eop_q   <= x_eop_q;
      y_err_q   <= x_err_q;
      y_cqe_q   <= x_cqe_q;
      y_idx_q   <= x_idx_q;
      y_cs_q    <= x_cs_q;
      y_start_q <= x_start_q;
      y_off_q   <= x_off_q;
    end
  end

  // ------------------------------------------------------------------ join
  // A beat completes a word, or not; a frame's last beat may complete one and begin another, which then waits in p_q.
  // It waits alone: a frame has no more words than beats, so after two words at once some beat of the same frame had
  // none.
  localparam int unsigned MW = 14 + 1 + 11;                 // of a frame's last word: bytes, checksum, where
  logic [DataWidth-1:0] carry_q, joined, p_data_q, w_data;
  logic [LaneW-1:0]     c;
  logic                 err, err_q, give, two, p_valid_q, p_last_q, p_first_q, w_valid, w_last, w_first;
  logic [PtrW-1:0]      start_q, addr, p_addr_q, w_addr;
  logic [10:0]          p_start_q, w_start;
  logic [LaneW-1:0]     p_n_q, w_n;                         // bytes of a last word, 0: all
  logic [MW-1:0]        meta, p_meta_q, w_meta;

  assign c      = y_pos_q[LaneW-1:0];
  assign err    = y_err_q || (err_q && !y_begin_q);
  assign give   = y_valid_q && (y_full_q || y_eop_q) && !(y_eop_q && err);
  assign two    = give && y_eop_q && y_over_q;
  assign addr   = start_q + PtrW'(y_pos_q >> LaneW);
  assign meta   = {y_total_q, y_cs_q, y_off_q};
  always_comb begin
    joined = '0;
    `WHEN(y_valid_q) for (int unsigned i = 0; i < Bytes; i++) joined[8*i +: 8] = (LaneW'(i) < c) ? carry_q[8*i +: 8] :
        y_data_q[8*i +: 8];
  end

  assign w_valid = p_valid_q || give;
  assign w_data  = p_valid_q ? p_data_q  : joined;
  assign w_addr  = p_valid_q ? p_addr_q  : addr;
  assign w_first = p_valid_q ? p_first_q : y_first_q;
  assign w_last  = p_valid_q ? p_last_q  : y_eop_q && !two;
  assign w_n     = p_valid_q ? p_n_q     : y_total_q[LaneW-1:0];
  assign w_start = p_valid_q ? p_start_q : y_start_q;
  assign w_meta  = p_valid_q ? p_meta_q  : meta;

  logic c_valid, c_err;
  assign c_valid = (y_valid_q && y_eop_q && en_i && (y_cqe_q || err)) || end_bad;
  assign c_err   = end_bad || err;
  // A frame without a completion, one without data.
  logic cq_none, fr_bad, fr_out;
  assign cq_none = (y_valid_q && y_eop_q && !(en_i && (y_cqe_q || err))) || cut;
  assign fr_bad  = (y_valid_q && y_eop_q && err) || end_bad || cut;
  assign rel_bad = (y_valid_q && y_eop_q && err) ? words_of(y_total_q) : (end_bad || cut) ? words_of(pos_q) : '0;
  assign quiet   = !t_valid && !x_valid_q && !y_valid_q && !rsp_valid_i;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      p_valid_q <= 1'b0;
      start_q   <= '0;
      err_q     <= 1'b0;
    end else begin
      p_valid_q <= (p_valid_q && give) || two;
      if (y_valid_q) err_q <= err && !y_eop_q;
      if (y_valid_q && y_eop_q && !err) start_q <= start_q + PtrW'(words_of(y_total_q));
    end
    if (y_valid_q) carry_q <= y_full_q ? y_data_q : joined;
    if (give) begin
      p_data_q  <= two ? y_data_q : joined;
      p_addr_q  <= addr + PtrW'(two);
      p_first_q <= !two && y_first_q;
      p_last_q  <= y_eop_q;
      p_n_q     <= y_total_q[LaneW-1:0];
      p_start_q <= y_start_q;
      p_meta_q  <= meta;
    end
  end

  logic c_ready;
  ohca_fifo #(.Width(17), .Depth(Frames), .ValidFlop(1'b1)) u_cqe (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(c_valid), .ready_o(c_ready), .data_i({c_err, end_bad ? idx_q : y_idx_q}),
    .valid_o(cqe_valid_o), .ready_i(cqe_ready_i), .data_o({cqe_err_o, cqe_idx_o}), .count_o(), .almost_full_o()
  );

  // ------------------------------------------------------------------ buffer, sum
  logic                 rd_go, s_done, sum_idle, f_valid, f_ready, f_pop, f_cs, s_cs;
  logic [PtrW-1:0]      rd_base_q, rd_addr;
  logic [DataWidth-1:0] rd_data;
  logic [15:0]          s_sum, f_sum;
  logic [13:0]          s_len, s_all, f_len, o_len;         // of the frame, and as it is sent
  logic [10:0]          s_off, f_off;
  ohca_ram_sdp #(.Width(DataWidth), .Depth(Words), .OldData(1'b0)) u_mem (
    .clk_i(clk_i), .wr_en_i(w_valid), .wr_be_i(1'b1), .wr_addr_i(w_addr), .wr_data_i(w_data), .rd_en_i(rd_go),
    .rd_addr_i(rd_addr), .rd_data_o(rd_data)
  );
  ohca_nic_sum #(.DataWidth(DataWidth), .MetaW(MW)) u_sum (
    .clk_i(clk_i), .rst_i(rst_i), .idle_o(sum_idle), .load_i(w_valid), .valid_i(w_valid), .first_i(w_first),
    .last_i(w_last), .data_i(w_data), .bytes_i(w_n), .start_i({w_start, 1'b0}), .meta_i(w_meta),
    .done_o(s_done), .sum_o(s_sum), .meta_o({s_len, s_cs, s_off})
  );
  assign s_all = (s_len < 14'(MinLen)) ? 14'(MinLen) : s_len;
  ohca_fifo #(.Width(56), .Depth(Frames)) u_frames (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(s_done), .ready_o(f_ready),
    .data_i({(s_sum == 16'hffff) ? 16'hffff : ~s_sum, s_len, s_all, s_cs, s_off}),
    .valid_o(f_valid), .ready_i(f_pop), .data_o({f_sum, f_len, o_len, f_cs, f_off}), .count_o(), .almost_full_o()
  );

  // ------------------------------------------------------------------ out
  // Words of the frame, and as many more as the least length needs: their bytes are cleared.
  logic [13:0]     o_pos_q;
  logic            o_busy_q, o_last, skip, r_valid_q, k_valid_q, o_ready, o_room_q;
  logic [3:0]      o_count;
  assign o_last  = o_pos_q + 14'(Bytes) >= o_len;
  logic wire_q;                                             // of a port that may lie far away
  always_ff @(posedge clk_i) wire_q <= wire_en_i;
  assign skip    = f_valid && !o_busy_q && !wire_q;
  assign rd_go   = f_valid && !skip && o_room_q;
  assign rd_addr = rd_base_q + PtrW'(o_pos_q >> LaneW);
  assign f_pop   = skip || (rd_go && o_last);
  assign fr_out  = f_pop;
  assign rel_out = f_pop ? words_of(f_len) : '0;

  // Of a word: bytes of the frame, bytes that are sent, and where the sum goes.
  logic [13:0]      o_next, o_sum_at;
  logic [LaneW-1:0] r_len_q, r_all_q, r_sum_at_q;
  logic [15:0]      r_sum_q;
  logic             r_full_q, r_none_q, r_end_q, r_cs_q, r_last_q;
  assign o_next   = o_pos_q + 14'(Bytes);
  assign o_sum_at = {2'd0, f_off, 1'b0};
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      o_busy_q  <= 1'b0;
      o_pos_q   <= '0;
      rd_base_q <= '0;
      r_valid_q <= 1'b0;
      o_room_q  <= 1'b0;
    end else begin
      r_valid_q <= rd_go;
      o_room_q  <= 5'(o_count) + 5'(k_valid_q) + 5'(r_valid_q) + 5'(rd_go) < 5'd8;   // whatever leaves in this cycle
      if (rd_go) begin
        o_busy_q <= !o_last;
        o_pos_q  <= o_last ? '0 : o_pos_q + 14'(Bytes);
      end
      if (f_pop) rd_base_q <= rd_base_q + PtrW'(words_of(f_len));
    end
    if (rd_go) begin
      r_full_q   <= o_next <= f_len;
      r_none_q   <= o_pos_q >= f_len;
      r_len_q    <= f_len[LaneW-1:0];
      r_end_q    <= o_next > o_len;
      r_all_q    <= o_len[LaneW-1:0];
      r_sum_q    <= f_sum;
      r_cs_q     <= f_cs && o_pos_q[13:LaneW] == o_sum_at[13:LaneW];
      r_sum_at_q <= o_sum_at[LaneW-1:0];
      r_last_q   <= o_last;
    end
  end

  logic [DataWidth-1:0] r_data;
  logic [Bytes-1:0]     r_keep;
  always_comb begin
    r_data = '0;
    r_keep = '0;
    `WHEN(r_valid_q) for (int unsigned i = 0; i < Bytes; i++) begin
      r_data[8*i +: 8] = (r_full_q || (!r_none_q && LaneW'(i) < r_len_q)) ? rd_data[8*i +: 8] : 8'd0;
      r_keep[i]        = !r_end_q || LaneW'(i) < r_all_q;
    end
    `WHEN(r_valid_q && r_cs_q) for (int unsigned i = 0; i < Bytes / 2;
        i++) if (r_cs_q && LaneW'(2 * i) == r_sum_at_q) r_data[16*i +: 16] = r_sum_q;
  end
  logic [DataWidth-1:0] k_data_q;
  logic [Bytes-1:0]     k_keep_q;
  logic                 k_last_q;
  always_ff @(posedge clk_i) begin
    k_valid_q <= r_valid_q && !rst_i;
    if (r_valid_q) {k_last_q, k_keep_q, k_data_q} <= {r_last_q, r_keep, r_data};
  end
  ohca_fifo #(.Width(DataWidth + Bytes + 1), .Depth(8), .ValidFlop(1'b1)) u_out (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(k_valid_q), .ready_o(o_ready), .data_i({k_last_q, k_keep_q, k_data_q}),
    .valid_o(valid_o), .ready_i(ready_i), .data_o({last_o, keep_o, data_o}), .count_o(o_count), .almost_full_o()
  );

  assign busy_o = desc_valid_i || desc_valid || mid_q || !quiet || cqe_valid_o;
  assign idle_o = !busy_o && !rel_q && !p_valid_q && sum_idle && !f_valid && !r_valid_q && !k_valid_q && !valid_o;

  `ASSERT(Token_A, !rsp_valid_i || t_valid)
  `ASSERT(Alone_A, !(two && p_valid_q))
  `ASSERT(FrameRoom_A, !s_done || f_ready)
  `ASSERT(CqeRoom_A, !c_valid || c_ready)
  `ASSERT(OutRoom_A, !k_valid_q || o_ready)
  `ASSERT(FirstBeat_A, !fire || 14'(h_bn_q) == ((14'(n_q) + 14'(at_q[LaneW-1:0]) > 14'(Bytes)) ?
                                                14'(Bytes) - 14'(at_q[LaneW-1:0]) : 14'(n_q)))
  `ASSERT(End_A, !fire || (pos_end_q == pos_q + 14'(n_q) && end7_q == pos7_q + 14'(n_q)))
  `ASSERT(Rest_A, !desc_valid || left == 16'(desc.len - off_q))
  `ASSERT(PageStart_A, !(desc_valid && cont_q) || at[11:0] == '0)
  `ASSERT(Free_A, free_q <= (PtrW+1)'(Words))

  logic unused;
  assign unused = &{1'b0, f_ready, c_ready, o_ready, desc};

endmodule

`default_nettype wire
