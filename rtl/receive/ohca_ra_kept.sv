// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Acknowledge engine, kept: what a response needs of a WQE, kept from when the send engine sent it, so that host memory
// is not read for it again: opcode, length, whether it has a completion, and a READ's scatter list, if that has one
// entry; READs with a longer one are not kept.
//
//   sent_i ----> memory, a line by QP and index
//                  |
//   ask_i --> A: a WQE a cycle is looked up --> B: is it the one? --> found --> hits ---+--> word_o
//                                                   |                                   |
//                                                   +--> the first one that is not, and all behind it: ring_o
//                                                                    ring_word_i -------+
//
// A line is written by each WQE that is sent, also by one that is sent again, or is made void by it (keep). So what is
// found is what was sent last under that number, and what was sent of a QP before it was reset is never found: with
// reset all lines become void, a line a cycle, and nothing is found or kept meanwhile. Who asks may ask for WQEs that
// were not sent, but looks at none of them.
//
// From a request to its words 5 cycles, a WQE a cycle; words of what is read come when ohca_ring_fetch has them, and
// what is found behind them waits (Hits). In order. ready: ask_ready_o is a function of flops,
// ring_word_ready_o of one and word_ready_i; outputs are flops, words behind a choice. It does NOT know what is posted.
// prove: Sges=16 Lines=32 Hits=32 Depth=8 bits=24 ind=6 cover=10

`include "ohca_assert.svh"
`default_nettype none

module ohca_ra_kept #(
  parameter int unsigned Lines  = 2048,    // power of two
  parameter int unsigned Sges   = 512,     // READs among them, power of two, less than Lines
  parameter int unsigned Hits   = 64,      // WQEs found that may wait, power of two, at least 32
  parameter int unsigned Depth  = 32,      // requests on their way, power of two, at least 8
  parameter int unsigned Beat   = 1        // words that word_pass_i passes by at once: 1, 2 or 4
) (
  input  logic                      clk_i,
  input  logic                      rst_i,
  output logic                      idle_o,

  input  logic                      sent_valid_i,      // always taken
  input  ohca_fmt_pkg::wqe_sent_t   sent_i,

  input  logic                      ask_valid_i,
  output logic                      ask_ready_o,
  input  ohca_fmt_pkg::ra_ask_t     ask_i,             // at least one WQE

  output logic                      ring_valid_o,      // to ohca_ring_fetch, and its words
  input  logic                      ring_ready_i,
  output ohca_fmt_pkg::ring_req_t   ring_o,
  input  logic                      ring_word_valid_i,
  output logic                      ring_word_ready_o,
  input  ohca_fmt_pkg::ring_word_t  ring_word_i,
  output logic                      ring_pass_o,
  input  logic                      ring_pass_last_i,

  output logic                      word_valid_o,      // as of ohca_ring_fetch
  input  logic                      word_ready_i,
  output ohca_fmt_pkg::ring_word_t  word_o,
  input  logic                      word_pass_i,
  output logic                      word_pass_last_o
);

  localparam int unsigned LineW = $clog2(Lines);
  localparam int unsigned SgeW  = $clog2(Sges);
  localparam int unsigned OwnW  = LineW - SgeW;
  typedef struct packed {
    logic         keep;
    logic [23:0]  qpn;
    logic         nsge;
    logic         signaled;
    logic [4:0]   opcode;
    logic [15:0]  idx;
    logic [31:0]  length;
  } line_t;

  if ((1 << LineW) != Lines || LineW < 5 || LineW > 12 || Hits < 32 || (1 << SgeW) != Sges || SgeW < 4 ||
      SgeW >= LineW || (Beat != 1 && Beat != 2 && Beat != 4)) begin : g_bad
    $error("ohca_ra_kept: Lines a power of two, 32 to 4096, Sges one of 16 to half of it; Hits at least 32");
  end

  // WQEs of one QP lie side by side; where a QP's begin, numbers that follow each other are far apart.
  function automatic logic [LineW-1:0] where(input logic [23:0] qpn, input logic [LineW-1:0] idx);
    logic [LineW-1:0] base;
    base = '0;
    for (int unsigned i = 0; i < 24; i++) base[LineW-1 - i % LineW] = base[LineW-1 - i % LineW] ^ qpn[i];
    where = base + idx;
  endfunction

  // ---- what is sent, from a register, so that whether it is in the way of a request is one comparison
  logic [LineW-1:0]        w_at_q;         // the line that is written
  line_t                   w_q;
  logic [127:0]            w_sge_q;
  logic                    we_q, w_read_q, voids_q;
  always_ff @(posedge clk_i) begin
    if (rst_i || (sent_valid_i && sent_i.reset)) begin
      voids_q <= 1'b1;
      we_q    <= 1'b0;
      w_at_q  <= '1;
    end else if (voids_q) begin
      voids_q <= !we_q || !(&w_at_q);
      we_q    <= !we_q || !(&w_at_q);
      w_at_q  <= w_at_q + LineW'(1);
    end else begin
      we_q    <= sent_valid_i;
      w_at_q  <= where(sent_i.qpn, sent_i.idx[LineW-1:0]);
    end
    w_read_q     <= !voids_q && sent_i.opcode == ohca_fmt_pkg::WR_OP_RDMA_READ;
    w_q.keep     <= !voids_q && sent_i.keep;
    w_q.qpn      <= sent_i.qpn;
    w_q.nsge     <= sent_i.nsge;
    w_q.signaled <= sent_i.signaled;
    w_q.opcode   <= sent_i.opcode;
    w_q.idx      <= sent_i.idx;
    w_q.length   <= sent_i.length;
    w_sge_q      <= sent_i.sge;
  end

  // ---- A: a WQE a cycle. What follows a WQE that is not there is not looked up any more (lost).
  ohca_fmt_pkg::ra_ask_t a_q;              // what is left of the request: idx, cnt, ring go along
  logic                  a_valid_q, a_go, a_load, a_one_q, lost, room_q, hits_most, order_most, ring_most;
  logic [LineW-1:0]      a_at_q;
  logic [3:0]            a_n_q;            // WQEs of the request before this one, modulo 16
  logic [1:0]            a_id_q;           // requests that follow each other differ
  logic [12:0]           stride;
  assign stride      = 13'd1 << a_q.log_stride;
  // A read does not meet a write.
  assign a_go        = a_valid_q && !lost && room_q && !(we_q && w_at_q[SgeW-1:0] == a_at_q[SgeW-1:0]);
  assign a_load      = !a_valid_q || lost || (a_go && a_one_q);
  assign ask_ready_o = a_load;
  always_ff @(posedge clk_i) begin
    room_q <= !rst_i && !hits_most && !order_most && !ring_most;
    if (rst_i)       a_valid_q <= 1'b0;
    else if (a_load) a_valid_q <= ask_valid_i;
    if (a_load) begin
      a_q     <= ask_i;
      a_one_q <= ask_i.cnt == 7'd1;
      a_at_q  <= where(ask_i.qpn, ask_i.idx[LineW-1:0]);
      a_n_q   <= 4'd0;
      a_id_q  <= a_id_q + 2'(ask_valid_i);
    end else if (a_go) begin
      a_q.idx         <= a_q.idx + 16'd1;
      a_q.cnt         <= a_q.cnt - 7'd1;
      a_q.ring.offset <= a_q.ring.offset + 24'(stride);
      a_q.ring.len    <= a_q.ring.len - stride;
      a_one_q         <= a_q.cnt == 7'd2;
      a_at_q          <= a_at_q + LineW'(1);
      a_n_q           <= a_n_q + 4'd1;
    end
    if (rst_i) a_id_q <= '0;
  end

  // ---- B, C: is it the one?
  line_t                 b_line, c_line_q;
  logic [$bits(b_line)-1:0] b_flat;
  ohca_fmt_pkg::ra_ask_t b_q;
  ohca_fmt_pkg::ring_req_t c_ring_q;
  logic [OwnW+127:0]     b_sge;
  logic [OwnW-1:0]       b_own_q;
  logic [127:0]          c_sge_q;
  logic                  b_valid_q, b_one_q, c_valid_q, c_hit_q, c_one_q, c_skip, dead_q, hit, miss;
  logic [3:0]            b_n_q, c_n_q;
  logic [1:0]            b_id_q, c_id_q, dead_id_q;
  logic [3:0]            c_stride_q;
  ohca_ram_sdp #(.Width($bits(b_line)), .Depth(Lines), .OldData(1'b0)) u_lines (
    .clk_i(clk_i), .wr_en_i(we_q), .wr_be_i(1'b1), .wr_addr_i(w_at_q), .wr_data_i(w_q),
    .rd_en_i(a_go), .rd_addr_i(a_at_q), .rd_data_o(b_flat)
  );
  assign b_line = b_flat;
  // Of the WQEs that would have their entry in one place the last READ's is there. Who is in the line is the last one
  // that was written there: if it is a READ, then so is what is there of that line.
  ohca_ram_sdp #(.Width(OwnW + 128), .Depth(Sges), .OldData(1'b0)) u_sges (
    .clk_i(clk_i), .wr_en_i(we_q && w_read_q), .wr_be_i(1'b1),
    .wr_addr_i(w_at_q[SgeW-1:0]), .wr_data_i({w_at_q[LineW-1:SgeW], w_sge_q}),
    .rd_en_i(a_go), .rd_addr_i(a_at_q[SgeW-1:0]), .rd_data_o(b_sge)
  );
  always_ff @(posedge clk_i) begin
    b_valid_q <= !rst_i && a_go;
    c_valid_q <= !rst_i && b_valid_q;
    if (a_go) begin
      b_q     <= a_q;
      b_one_q <= a_one_q;
      b_own_q <= a_at_q[LineW-1:SgeW];
      b_n_q   <= a_n_q;
      b_id_q  <= a_id_q;
    end
    if (b_valid_q) begin
      c_hit_q    <= b_line.keep && !voids_q && b_line.qpn == b_q.qpn && b_line.idx == b_q.idx &&
                    (b_line.opcode != ohca_fmt_pkg::WR_OP_RDMA_READ || b_sge[128 +: OwnW] == b_own_q);
      c_line_q   <= b_line;
      c_sge_q    <= b_sge[127:0];
      c_ring_q   <= b_q.ring;
      c_stride_q <= b_q.log_stride;
      c_one_q    <= b_one_q;
      c_n_q      <= b_n_q;
      c_id_q     <= b_id_q;
    end
    if (miss) dead_id_q <= c_id_q;
    if (rst_i) dead_q <= 1'b0;
    else if (c_valid_q) dead_q <= miss || c_skip;
  end
  assign c_skip = dead_q && c_id_q == dead_id_q;          // behind one that is read
  assign hit    = c_valid_q && c_hit_q && !c_skip;
  assign miss   = c_valid_q && !c_hit_q && !c_skip;
  assign lost   = miss && a_id_q == c_id_q;

  // ---- in order: so many are found, and then the others are read, or it ends, or (after 16) there are more
  logic              order_push, order_ready, o_valid, o_pop, o_rest, o_end, ring_ready, hits_ready, found_valid,
      found_ready, f_valid, f_ready;
  logic [4:0]        o_n;
  logic [3:0]        o_stride;
  ohca_fmt_pkg::wqe_ctrl_t f_head;
  logic [182:0]      found;
  logic [127:0]      f_sge;
  logic [4:0]        f_op;
  logic [15:0]       f_idx;
  logic [31:0]       f_length;
  logic              f_nsge, f_signaled;
  assign order_push = miss || (hit && (c_one_q || (&c_n_q)));
  ohca_fifo #(.Width(11), .Depth(Depth), .UseRam(1'b0), .AlmostFull(Depth - 4)) u_order (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(order_push), .ready_o(order_ready),
    .data_i({miss, miss || c_one_q, {1'b0, c_n_q} + 5'(hit), c_stride_q}),
    .valid_o(o_valid), .ready_i(o_pop), .data_o({o_rest, o_end, o_n, o_stride}), .count_o(), .almost_full_o(order_most)
  );
  ohca_fifo #(.Width(ohca_fmt_pkg::RING_REQ_BITS), .Depth(8), .AlmostFull(4), .ValidFlop(1'b1)) u_rest (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(miss), .ready_o(ring_ready), .data_i(c_ring_q),
    .valid_o(ring_valid_o), .ready_i(ring_ready_i), .data_o(ring_o), .count_o(), .almost_full_o(ring_most)
  );
  ohca_fifo #(.Width(183), .Depth(Hits), .UseRam(1'b0), .AlmostFull(Hits - 4)) u_hits (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(hit), .ready_o(hits_ready), .data_i({c_sge_q, c_line_q[54:0]}),
    .valid_o(found_valid), .ready_i(found_ready), .data_o(found), .count_o(), .almost_full_o(hits_most)
  );
  ohca_stage #(.Width(183)) u_found (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(found_valid), .ready_o(found_ready), .data_i(found),
    .valid_o(f_valid), .ready_i(f_ready), .data_o({f_sge, f_nsge, f_signaled, f_op, f_idx, f_length})
  );
  always_comb begin
    f_head          = '0;
    f_head.opcode   = ohca_fmt_pkg::wr_op_e'(f_op);
    f_head.signaled = f_signaled;
    f_head.nsge     = {3'd0, f_nsge};
    f_head.idx      = f_idx;
    f_head.length   = f_length;
  end

  // ---- words. Of a WQE that was found the second is not looked at, nor are those behind the third.
  localparam int unsigned BeatW  = $clog2(Beat);
  localparam logic [3:0]  InBeat = 4'(Beat - 1);
  logic       kept_q, read_q, last_q, rest_q, end_q, word_end, take, done;
  logic [4:0] left_q;                      // WQEs found that follow
  logic [3:0] words_q, behind_q;           // words of a WQE, less one; of this one those behind the next word
  assign word_valid_o      = (kept_q && f_valid) || (read_q && ring_word_valid_i);
  assign word_pass_last_o  = kept_q ? last_q && behind_q >> BeatW == '0 : ring_pass_last_i;
  assign ring_word_ready_o = read_q && word_ready_i;
  assign ring_pass_o       = word_pass_i;
  assign take              = word_valid_o && word_ready_i;
  assign word_end          = kept_q && take && (word_pass_i ? behind_q >> BeatW == '0 : behind_q == '0);
  assign f_ready           = word_end;
  assign done              = take && (word_pass_i ? ring_pass_last_i : ring_word_i.last);
  assign o_pop             = !kept_q && !read_q;
  always_comb begin
    word_o = ring_word_i;
    if (kept_q) begin
      word_o.data = behind_q[1] ? f_head[127:0] : f_sge;
      word_o.last = last_q && behind_q == '0;
      word_o.err  = 1'b0;
      word_o.verr = ohca_fmt_pkg::VENDOR_ERR_NONE;
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      kept_q <= 1'b0;
      read_q <= 1'b0;
    end else if (o_pop) begin
      kept_q <= o_valid && o_n != 5'd0;
      read_q <= o_valid && o_n == 5'd0;
    end else if (read_q) begin
      read_q <= !done;
    end else if (word_end && left_q == 5'd0) begin
      kept_q <= 1'b0;
      read_q <= rest_q;
    end
    if (o_pop) begin
      left_q   <= o_n - 5'd1;
      last_q   <= o_n == 5'd1 && o_end && !o_rest;
      rest_q   <= o_rest;
      end_q    <= o_end && !o_rest;
      words_q  <= 4'((5'd1 << (o_stride - 4'd4)) - 5'd1);
      behind_q <= 4'((5'd1 << (o_stride - 4'd4)) - 5'd1);
    end else if (word_end) begin
      left_q   <= left_q - 5'd1;
      last_q   <= left_q == 5'd1 && end_q;
      behind_q <= words_q;
    end else if (take) begin
      behind_q <= (word_pass_i ? behind_q & ~InBeat : behind_q) - 4'd1;
    end
  end

  assign idle_o = !voids_q && !a_valid_q && !b_valid_q && !c_valid_q && !o_valid && !kept_q && !read_q && !ring_valid_o;

  `ASSERT(OrderRoom_A, !order_push || order_ready)
  `ASSERT(RestRoom_A, !miss || ring_ready)
  `ASSERT(HitRoom_A, !hit || hits_ready)
`ifdef FORMAL
  `FORMAL_START
  `ASSUME(Some_M, !ask_valid_i || ask_i.cnt != 7'd0)
  `COVER(Behind_C, word_valid_o && word_ready_i && read_q && rest_q)
`else
  `ASSERT(Some_A, !ask_valid_i || ask_i.cnt != 7'd0)
`endif

  logic unused;
  assign unused = &{1'b0, order_ready, ring_ready, hits_ready, b_q, c_line_q, f_head};

endmodule

`default_nettype wire
