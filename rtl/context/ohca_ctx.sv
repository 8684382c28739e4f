// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Cache of one kind of context, with the table in host memory behind it: tokens go in with a number and come out in the same
// order, each with the newest content of its context. A hit takes 3 cycles, throughput is one token per cycle (hits), fills overlap.
//
// With Halves a line lies in two words of a memory half as wide: a hit takes 4 cycles, throughput is one token in 2 cycles, and the next token of
// the same number comes 4 cycles later if the line is written, as it is read from the memory again.
//
// With Quarters it lies in four words of a memory a quarter as wide: a hit takes 6 cycles, throughput is one token in 4, in 6 of the same number. A write-back comes before the
// fill of its place. Any word can be changed by itself before the accept (out_edit_i), without multiplexers as wide as the line.
//
// ohca_ctx #(.DW(DW), .LineBytes(128), .Sets(256), .Ways(1), .TokenW(40), .Stride(1024), .Offset(0)) u_ctx (...);
// lint: Halves=1
// lint: Quarters=1 Words=65473 KeepBits=832

`include "ohca_assert.svh"
`include "ohca_lazy.svh"
`default_nettype none

module ohca_ctx #(
  parameter int unsigned DW        = 64,    // data path, 64..512 bits
  parameter int unsigned LineBytes = 128,   // 64 or 128
  parameter int unsigned Sets      = 256,   // power of two, at least 2
  parameter int unsigned Ways      = 1,     // 1 or 2
  parameter int unsigned TokenW    = 32,    // bits that travel with a lookup
  parameter int unsigned Stride    = 1024,  // bytes of host memory per number, power of two, at least LineBytes
  parameter int unsigned Offset    = 0,     // of the line in the stride, multiple of LineBytes
  parameter int unsigned Fills     = 8,     // outstanding fills, power of two
  parameter int unsigned Depth     = 32,    // tokens in flight, power of two; 2 keeps one in flops: no LUT RAM, for Halves
  parameter int unsigned Evicts    = 32,    // evictions whose write-back is not yet acknowledged, power of two
  parameter bit          ReadOnly  = 1'b0,  // out_we_i is ignored, nothing is written back
  parameter int unsigned KeepBits  = 8 * LineBytes,  // the cache keeps the lowest bits only: the others read 0 and are written back as 0
  parameter bit          Halves    = 1'b0,  // half the block RAM where it is wide and shallow, and no multiplexer for handing a line over
  parameter bit          Quarters  = 1'b0,  // a quarter of it; what Words names lies in the first of the four words, as only those are written with a line
  parameter logic [31:0] Words     = '1,    // with either: which words of 32 bits out_wline_i changes; the others change by out_word_we_i or out_edit_i only
  localparam int unsigned LineBits = 8 * LineBytes
) (
  input  logic                         clk_i,
  input  logic                         rst_i,
  output logic                         idle_o,

  input  logic [39:0]                  base_i,         // table base in context memory, aligned to LineBytes
  input  logic [24:0]                  limit_i,        // numbers that exist: id < limit_i, else out_err_o

  input  logic                         lk_valid_i,
  output logic                         lk_ready_o,
  input  logic [23:0]                  lk_id_i,
  input  logic [TokenW-1:0]            lk_token_i,
  input  logic                         lk_inval_i,     // after its accept: write back if dirty, drop

  output logic                         out_valid_o,
  input  logic                         out_ready_i,
  output logic [23:0]                  out_id_o,
  output logic [TokenW-1:0]            out_token_o,
  output logic [LineBits-1:0]          out_line_o,
  output logic                         out_err_o,      // no content; out_line_o[0] = 1: read failed, 0: out of range or chunk not mapped
  output logic                         out_inval_o,    // echo of lk_inval_i
  input  logic                         out_we_i,       // with the accept: out_wline_i is the new content (ignored with out_err_o)
  input  logic [LineBits-1:0]          out_wline_i,
  input  logic                         out_word_we_i,  // Halves, with out_we_i: one word changes besides those of Words. out_wline_i holds it, too
  input  logic [4:0]                   out_word_i,     // its number
  input  logic [31:0]                  out_word_data_i,
  input  logic [31:0]                  out_word_mask_i,
  input  logic                         out_edit_i,     // Quarters: before the accept, change this word where the mask is set; with what belongs to it held until
  output logic                         out_edit_done_o,  // a cycle, from which on out_line_o shows it
  output logic [31:0]                  out_word_o,     // the word as it was, until the next edit

  output logic                         icm_valid_o,
  input  logic                         icm_ready_i,
  output logic [39:0]                  icm_addr_o,
  input  logic                         icm_rsp_valid_i,
  input  logic                         icm_rsp_ok_i,
  input  logic [63:0]                  icm_rsp_addr_i,

  output logic                         rd_valid_o,
  input  logic                         rd_ready_i,
  output ohca_fmt_pkg::dma_rd_req_t    rd_o,
  input  logic                         rd_rsp_valid_i,
  input  logic [DW-1:0]                rd_rsp_data_i,
  input  logic                         rd_rsp_last_i,
  input  logic                         rd_rsp_err_i,

  output logic                         wr_valid_o,
  input  logic                         wr_ready_i,
  output ohca_fmt_pkg::dma_wr_req_t    wr_o,
  output logic                         wr_dat_valid_o,
  input  logic                         wr_dat_ready_i,
  output logic [DW-1:0]                wr_dat_o,
  output logic                         wr_dat_last_o,
  input  logic [31:0]                  wr_issued_i,    // of ohca_dma_wr, all clients
  input  logic [31:0]                  wr_acked_i
);

  localparam int unsigned SetW     = $clog2(Sets);
  localparam int unsigned WayW     = (Ways == 2) ? 1 : 0;
  localparam int unsigned IdxW     = SetW + WayW;       // {way, set}: where the line lies in the data RAM
  localparam int unsigned TagW     = 24 - SetW;
  localparam int unsigned FillW    = $clog2(Fills);
  localparam int unsigned SeqW     = FillW + 2;         // names an allocation among those that can be in flight
  localparam int unsigned Beats    = LineBits / DW;
  localparam int unsigned LineSh   = $clog2(LineBytes);
  localparam int unsigned StrideSh = $clog2(Stride);
  localparam int unsigned AdrW     = 64 - LineSh;
  localparam int unsigned EvW      = $clog2(Evicts);
  localparam int unsigned WayBits  = 1 + SeqW + TagW;   // {valid, seq, tag}
  localparam int unsigned WordW    = 2 * WayBits + 1;   // {most recent way, way 1, way 0}; way 1 stays invalid when Ways = 1
  localparam int unsigned IcmRoom  = 4;
  localparam int unsigned LaneW    = (DW > 32) ? $clog2(DW / 32) : 1;

  if (DW > LineBits || Beats * DW != LineBits || (1 << LineSh) != LineBytes) begin : g_bad_line
    $error("ohca_ctx: LineBytes must be a power of two and hold whole beats");
  end
  if ((1 << SetW) != Sets || Sets < 2 || Ways < 1 || Ways > 2 || (1 << StrideSh) != Stride || (1 << FillW) != Fills || (1 << EvW) != Evicts) begin : g_bad_size
    $error("ohca_ctx: sizes must be powers of two, Ways 1 or 2");
  end

  // Set of a number: all bits folded, so any run of numbers spreads; the bits above SetW are the tag.
  function automatic logic [SetW-1:0] set_of(input logic [23:0] id);
    set_of = '0;
    for (int unsigned i = 0; i < 24; i++) set_of[i % SetW] = set_of[i % SetW] ^ id[i];
  endfunction
  // Short name of a number in the list of evictions; a false match only waits (for a host write, so they must be rare).
  function automatic logic [15:0] key_of(input logic [23:0] id);
    key_of = id[15:0] ^ {id[23:16], 8'd0};
  endfunction

  if (KeepBits > LineBits || KeepBits == 0) begin : g_bad_keep
    $error("ohca_ctx: KeepBits is at most the line");
  end
  if (Halves && Quarters) begin : g_bad_parts
    $error("ohca_ctx: Halves or Quarters");
  end
  localparam bit Parts = Halves || Quarters;

  // Quarters: lanes, words of one, memories; the lanes that Words names come first, then the others: slots.
  localparam int unsigned QKept    = (KeepBits + DW - 1) / DW;
  localparam int unsigned QPer     = DW / 32;
  localparam int unsigned QPhys    = (QKept + 3) / 4;
  function automatic logic [31:0] hot_lanes(input int unsigned lanes);
    hot_lanes = '0;
    for (int unsigned i = 0; i < lanes; i++) hot_lanes[5'(i)] = |(Words & (~(~32'd0 << QPer) << (i * QPer)));
  endfunction
  localparam logic [31:0] HotLanes = hot_lanes(QKept);
  function automatic int unsigned hots(input logic [31:0] lanes, input int unsigned below);
    hots = 0;
    for (int unsigned i = 0; i < below; i++) if (lanes[5'(i)]) hots = hots + 1;
  endfunction
  localparam int unsigned Hot      = hots(HotLanes, QKept);
  localparam int unsigned HotParts = (Hot == 0) ? 1 : (Hot + QPhys - 1) / QPhys;
  // The slot of each lane, 8 bits each; and by slot, which of the lane's words a commit writes.
  function automatic logic [255:0] all_slots(input int unsigned lanes);
    all_slots = '0;
    for (int unsigned i = 0; i < lanes; i++) all_slots[8*i +: 8] = 8'(HotLanes[5'(i)] ? hots(HotLanes, i) : Hot + i - hots(HotLanes, i));
  endfunction
  localparam logic [255:0] Slots = all_slots(QKept);
  function automatic logic [127:0] hot_words(input int unsigned lanes);
    hot_words = '0;
    for (int unsigned i = 0; i < lanes; i++)
      for (int unsigned s = 0; s < QPer; s++) hot_words[7'(32'(Slots[8*i +: 8]) * QPer + s)] = Words[5'(i * QPer + s)];
  endfunction
  localparam logic [127:0] HotWords = hot_words(QKept);

  // ------------------------------------------------------------------------------------------------ lookup
  logic              init_q;               // the tags are being cleared
  logic [SetW-1:0]   init_set_q;
  logic              s1_valid_q, s1_drop_q, s1_inval_q, s1_fwd_q, s1_done, s1_free;
  logic [23:0]       s1_id_q;
  logic [TokenW-1:0] s1_token_q;
  logic [SetW-1:0]   s1_set_q, s0_set;
  logic              s1_dway_q;
  logic [SeqW-1:0]   s1_dseq_q;
  logic [WordW-1:0]  tag_rd, fwd_q, word, word_d;
  logic              tag_we;
  logic              s0_fire;

  logic              drop_valid, drop_pop;
  logic [IdxW-1:0]   drop_idx;
  logic [SeqW-1:0]   drop_seq;

  assign s1_free    = !s1_valid_q || s1_done;
  assign lk_ready_o = s1_free && !init_q && !drop_valid;
  assign drop_pop   = s1_free && !init_q && drop_valid;
  assign s0_fire    = s1_free && !init_q && (drop_valid || lk_valid_i);
  assign s0_set     = drop_valid ? drop_idx[SetW-1:0] : set_of(lk_id_i);

  ohca_ram_sdp #(
    .Width(WordW), .Depth(Sets), .OldData(1'b0)
  ) u_tags (
    .clk_i(clk_i),
    .wr_en_i(init_q || tag_we), .wr_be_i(1'b1), .wr_addr_i(init_q ? init_set_q : s1_set_q), .wr_data_i(init_q ? '0 : word_d),
    .rd_en_i(s0_fire), .rd_addr_i(s0_set), .rd_data_o(tag_rd)
  );

  // Stage 1: compare, allocate.
  logic              v0, v1, hit0, hit1, hit, bad, miss, victim, way, mru, conflict, room2;
  logic [TagW-1:0]   t0, t1, vtag;
  logic [SeqW-1:0]   q0, q1, seq_q;
  logic [23:0]       vid;
  logic [FillW:0]    fills_q;              // fills in flight
  logic              tok_ready, tok_push, alloc, lk_ok, half, s1_half_q, lk_done, f_take;

  assign word = s1_fwd_q ? fwd_q : tag_rd;
  assign {mru, v1, q1, t1, v0, q0, t0} = word;
  assign hit0   = v0 && t0 == s1_id_q[23:SetW];
  assign hit1   = v1 && t1 == s1_id_q[23:SetW] && Ways == 2;
  assign hit    = hit0 || hit1;
  assign bad    = {1'b0, s1_id_q} >= limit_i;
  assign miss   = !bad && !hit;
  assign way    = (Ways == 2) && (hit ? hit1 : !v0 ? 1'b0 : !v1 ? 1'b1 : !mru);
  assign victim = miss && (way ? v1 : v0);
  assign vtag   = way ? t1 : t0;
  assign vid    = {vtag, s1_set_q ^ set_of({vtag, SetW'(0)})};

  // An invalidation that also has a victim takes two entries in the list of evictions: the victim's first, its own a cycle later.
  assign lk_ok    = s1_valid_q && !s1_drop_q && tok_ready && (!miss || (!fills_q[FillW] && (!conflict || s1_half_q))) && ((!miss && !s1_inval_q) || room2 || s1_half_q);
  assign half     = lk_ok && victim && s1_inval_q && !s1_half_q && !ReadOnly;
  assign lk_done  = lk_ok && !half;
  assign s1_done  = s1_drop_q || lk_done;
  assign alloc    = lk_done && miss;
  assign tok_push = lk_done;

  logic way_d, valid_d;
  logic [SeqW-1:0] nseq;
  always_comb begin
    way_d   = s1_drop_q ? s1_dway_q : way;
    valid_d = !s1_drop_q && !s1_inval_q;
    nseq    = miss ? seq_q : (way_d ? q1 : q0);
    word_d  = {way_d, v1, q1, t1, v0, q0, t0};
    if (way_d && Ways == 2) word_d[2*WayBits-1:WayBits] = {valid_d, nseq, s1_id_q[23:SetW]};
    else                    word_d[WayBits-1:0]         = {valid_d, nseq, s1_id_q[23:SetW]};
    if (s1_drop_q) begin
      word_d = word;
      if (s1_dway_q) word_d[2*WayBits-1] = 1'b0;
      else           word_d[WayBits-1]   = 1'b0;
    end
  end
  // A hit writes only what changes, so nothing toggles on repeated use.
  assign tag_we = s1_drop_q ? (s1_valid_q && (s1_dway_q ? (v1 && q1 == s1_dseq_q) : (v0 && q0 == s1_dseq_q)))
                            : (lk_done && !bad && (miss || s1_inval_q || (Ways == 2 && mru != way)));

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      init_q     <= 1'b1;
      init_set_q <= '0;
      s1_valid_q <= 1'b0;
      s1_drop_q  <= 1'b0;
      s1_half_q  <= 1'b0;
      seq_q      <= '0;
      fills_q    <= '0;
    end else begin
      if (init_q) begin
        init_set_q <= init_set_q + SetW'(1);
        if (&init_set_q) init_q <= 1'b0;
      end
      s1_half_q <= half;
      if (s1_free) begin
        s1_valid_q <= s0_fire;
        s1_drop_q  <= s0_fire && drop_valid;
      end
      if (alloc) seq_q <= seq_q + SeqW'(1);
      fills_q <= fills_q + {{FillW{1'b0}}, alloc} - {{FillW{1'b0}}, f_take};
    end
    if (s0_fire) begin
      s1_set_q  <= s0_set;
      s1_dseq_q <= drop_seq;
      s1_dway_q <= (Ways == 2) && drop_idx[IdxW-1];
      s1_fwd_q  <= tag_we && s1_set_q == s0_set;
      if (tag_we) fwd_q <= word_d;
      if (!drop_valid) begin
        s1_id_q    <= lk_id_i;
        s1_token_q <= lk_token_i;
        s1_inval_q <= lk_inval_i;
      end
    end
  end

  // ------------------------------------------------------------------------------------------------ evictions
  // Ring of numbers that left the tags, oldest first: the victims of misses and the invalidated. Entries tail..: free; res..tail:
  // the out stage has not come to them; head..res: clean, or written back and waiting for the acknowledgement.
  logic [Evicts-1:0]       ev_valid_q, ev_dirty_q, ev_match;
  logic [Evicts-1:0][15:0] ev_key_q;
  logic [EvW-1:0]          ev_head_q, ev_res_q, ev_tail_q;
  logic [EvW:0]            ev_used_q;
  logic [EvW:0]            ev_wait_q;      // resolved, not yet freed
  logic                    ev_one, ev_resolve, ev_dirty, ev_free;
  logic                    ack_valid;
  logic [15:0]             ack_target, ack_age;

  always_comb begin
    for (int unsigned i = 0; i < Evicts; i++) ev_match[i] = ev_valid_q[i] && ev_key_q[i] == key_of(s1_id_q);
  end
  assign conflict = |ev_match && !ReadOnly;
  assign room2    = ev_used_q <= (EvW+1)'(Evicts - 2);
  assign ev_one   = (half || (lk_done && (victim || (s1_inval_q && !bad)))) && !ReadOnly;
  assign ack_age  = wr_acked_i[15:0] - ack_target;
  assign ev_free  = ev_wait_q != '0 && (!ev_dirty_q[ev_head_q] || (ack_valid && !ack_age[15]));

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      ev_valid_q <= '0;
      ev_head_q  <= '0;
      ev_res_q   <= '0;
      ev_tail_q  <= '0;
      ev_used_q  <= '0;
      ev_wait_q  <= '0;
    end else begin
      if (ev_one) begin
        ev_valid_q[ev_tail_q] <= 1'b1;
        ev_tail_q             <= ev_tail_q + EvW'(1);
      end
      if (ev_free) begin
        ev_valid_q[ev_head_q] <= 1'b0;
        ev_head_q             <= ev_head_q + EvW'(1);
      end
      if (ev_resolve) ev_res_q <= ev_res_q + EvW'(1);
      ev_used_q <= ev_used_q + (EvW+1)'(ev_one) - (EvW+1)'(ev_free);
      ev_wait_q <= ev_wait_q + (EvW+1)'(ev_resolve) - (EvW+1)'(ev_free);
    end
    `WHEN(ev_one) for (int unsigned i = 0; i < Evicts; i++) begin
      if (ev_one && ev_tail_q == EvW'(i)) ev_key_q[i] <= key_of((victim && !s1_half_q) ? vid : s1_id_q);
    end
    if (ev_resolve) ev_dirty_q[ev_res_q] <= ev_dirty;
  end

  // ------------------------------------------------------------------------------------------------ fills
  // Miss queue -> translation -> read, all in lookup order; answers come in the same order.
  logic              mq_valid, mq_ready, x_valid, x_pop, x_ok, x_ready, info_valid, info_pop, info_ok, info_push, info_ready, beat_valid, beat_pop;
  logic [23:0]       mq_id;
  logic [AdrW-1:0]   x_addr, info_addr;
  logic [2:0]        icm_out_q;
  logic              icm_fire, beat_err, beat_ready;
  logic [DW-1:0]     beat_data;

  ohca_fifo #(.Width(24), .Depth(Fills)) u_missq (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(alloc), .ready_o(mq_ready), .data_i(s1_id_q),
    .valid_o(mq_valid), .ready_i(icm_fire), .data_o(mq_id), .count_o(), .almost_full_o()
  );
  assign icm_valid_o = mq_valid && icm_out_q != 3'(IcmRoom);
  assign icm_fire    = icm_valid_o && icm_ready_i;
  assign icm_addr_o  = base_i + (40'(mq_id) << StrideSh) + 40'(Offset);

  ohca_fifo #(.Width(1 + AdrW), .Depth(IcmRoom)) u_xlated (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(icm_rsp_valid_i), .ready_o(x_ready), .data_i({icm_rsp_ok_i, icm_rsp_addr_i[63:LineSh]}),
    .valid_o(x_valid), .ready_i(x_pop), .data_o({x_ok, x_addr}), .count_o(), .almost_full_o()
  );
  assign rd_valid_o = x_valid && x_ok;
  assign rd_o.addr  = {x_addr, LineSh'(0)};
  assign rd_o.len   = 13'(LineBytes);
  assign rd_o.tag   = 8'd0;
  assign x_pop      = x_valid && (!x_ok || rd_ready_i);
  assign info_push  = x_pop;

  ohca_fifo #(.Width(1 + AdrW), .Depth(Fills)) u_info (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(info_push), .ready_o(info_ready), .data_i({x_ok, x_addr}),
    .valid_o(info_valid), .ready_i(info_pop), .data_o({info_ok, info_addr}), .count_o(), .almost_full_o()
  );
  ohca_fifo #(.Width(1 + DW), .Depth(Fills * Beats)) u_beats (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(rd_rsp_valid_i), .ready_o(beat_ready), .data_i({rd_rsp_err_i, rd_rsp_data_i}),
    .valid_o(beat_valid), .ready_i(beat_pop), .data_o({beat_err, beat_data}), .count_o(), .almost_full_o()
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) icm_out_q <= '0;
    else       icm_out_q <= icm_out_q + 3'(icm_fire) - 3'(x_pop);
  end

  // ------------------------------------------------------------------------------------------------ out stages
  // O1 holds a token and the RAM's answer to it. A miss writes its victim back from that answer, meanwhile puts its fill into the RAM beat
  // by beat, reads the line again, and goes on as a hit. O2 offers the token; its accept is the only other writer of the RAM.
  //
  //   tokens -> O1 <-> RAM -> O2 -> out
  //              |      ^ `-> write-back
  //            fill ----'
  localparam int unsigned TokBits = 24 + TokenW + IdxW + SeqW + 4;
  localparam int unsigned CntW    = (Beats > 1) ? $clog2(Beats) : 1;
  logic               h_valid, h_pop;      // head of the token FIFO
  logic [TokBits-1:0] h_data, s1_data, q_data, o1_data_q;
  logic               q_valid;
  logic [IdxW-1:0]    h_idx, s1_idx;

  if (Ways == 2) begin : g_idx2
    assign s1_idx = {way, s1_set_q};
  end else begin : g_idx1
    assign s1_idx = s1_set_q;
  end

  // An empty FIFO is passed by.
  assign s1_data = {s1_id_q, s1_token_q, s1_idx, seq_q, bad, miss, victim, s1_inval_q};
  assign h_valid = q_valid || tok_push;
  assign h_data  = q_valid ? q_data : s1_data;
  ohca_fifo #(.Width(TokBits), .Depth(Depth), .Single(Depth == 2), .UseRam(1'b0)) u_tokens (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(tok_push && (q_valid || !h_pop)), .ready_o(tok_ready), .data_i(s1_data),
    .valid_o(q_valid), .ready_i(h_pop), .data_o(q_data), .count_o(), .almost_full_o()
  );
  assign h_idx = h_data[4+SeqW +: IdxW];

  // fresh: the answer shows the last write of the line; if not, it is read again.
  logic               o1_valid_q, o1_fresh_q, o1_fill_q, o1_move, o1_reread, o1_same;
  logic [23:0]        o1_id;
  logic [TokenW-1:0]  o1_token;
  logic [IdxW-1:0]    o1_idx;
  logic [SeqW-1:0]    o1_seq;
  logic               o1_bad, o1_miss, o1_victim, o1_inval;
  // Meta data beside the line: {dirty, poison, read failed, bus address}. Poison: the fill failed.
  logic               m_dirty, m_poison, m_dma;
  logic [AdrW-1:0]    m_addr;
  logic [LineBits-1:0] m_line;

  logic                o2_valid_q, o2_err_q, o2_dma_q, o2_dirty_q, o2_inval_q, o2_bad_q;
  logic [23:0]         o2_id_q;
  logic [TokenW-1:0]   o2_token_q;
  logic [IdxW-1:0]     o2_idx_q;
  logic [AdrW-1:0]     o2_addr_q;
  logic [KeepBits-1:0] o2_line_q;
  logic                o2_accept, o2_we, o2_ram_we, o2_dirty_d, o2_load;
  logic                wb_busy, wb_load, wb_req_q, iv_q, iv_read_q, iv_load_q, iv_start;
  logic [CntW:0]       wb_beats_q;
  logic [CntW-1:0]     wb_at_q;
  logic                fill_ok, fill_start, fill_go, fill_we, fill_last, fill_done, fill_err, fill_err_q;
  logic [CntW-1:0]     fill_at_q;
  logic [IdxW-1:0]     ram_waddr, ram_raddr;
  logic                ram_ren;
  logic                rd2_q, w2_q;        // Halves, Quarters: the rest of a read, of a write
  logic                x_word, ed_hold, ed_we, ed_ren, ed_load;   // Quarters: an edit reads the word, is under way, writes it, reads and shows the line
  logic [IdxW-1:0]     w2_idx_q;

  assign {o1_id, o1_token, o1_idx, o1_seq, o1_bad, o1_miss, o1_victim, o1_inval} = o1_data_q;

  assign o1_same   = o2_valid_q && !o2_bad_q && o2_idx_q == o1_idx;
  // A miss that has been filled is as good as a hit.
  assign o1_reread = o1_valid_q && !o1_fresh_q && !o1_same && !o1_move && !o1_bad && (!o1_miss || o1_fill_q || (o1_victim && !ReadOnly)) && !wb_busy &&
                     !iv_q && !rd2_q;

  always_comb begin
    o1_move = o1_valid_q && (!o2_valid_q || (o2_accept && !o2_inval_q)) && !iv_q && !rd2_q;
    if (!o1_bad) begin
      if (o1_miss) begin
        if (!o1_fill_q || !o1_fresh_q || wb_busy) o1_move = 1'b0;
      end else begin
        // The same line as in O2 can only be the same number: its content is handed over.
        if ((Parts || !o1_same) && !o1_fresh_q) o1_move = 1'b0;
        if (Parts && o1_same) o1_move = 1'b0;
      end
    end
  end
  assign h_pop = h_valid && (!o1_valid_q || o1_move) && !wb_busy && !iv_q && !(Quarters && rd2_q);

  // Fill. The victim's last write must be behind it, and invalidations before it done. Its write-back streams from the RAM's answer.
  logic fill_act_q;                        // between the first cycle of the fill and its end
  assign fill_ok    = o1_valid_q && o1_miss && !o1_fill_q && !o1_same && !(o2_valid_q && o2_inval_q) && !iv_q && !rd2_q && !ed_hold &&
                      (!o1_victim || ReadOnly || o1_fresh_q);
  assign fill_start = fill_ok && !fill_act_q;
  assign fill_go    = ((fill_ok && !Quarters) || fill_act_q) && info_valid && !o2_ram_we && !w2_q && !(Quarters && (wb_busy || ed_hold));
  assign fill_we    = fill_go && info_ok && beat_valid;
  assign fill_last  = Beats == 1 || fill_at_q == CntW'(Beats - 1);
  assign fill_done  = fill_go && (!info_ok || (beat_valid && fill_last));
  assign fill_err   = !info_ok || beat_err || (fill_at_q != '0 && fill_err_q);
  assign beat_pop   = fill_we;
  assign info_pop   = fill_done;
  assign f_take     = fill_done;

  // ------------------------------------------------------------------------------------------------ RAM
  assign ram_ren   = h_pop || o1_reread || iv_read_q || ed_ren;
  assign ram_raddr = (iv_read_q || ed_ren) ? o2_idx_q : o1_reread ? o1_idx : h_idx;
  assign ram_waddr = w2_q ? w2_idx_q : (o2_ram_we || ed_we) ? o2_idx_q : o1_idx;

  if (Halves) begin : g_halves
    // Lane i lies in memory i modulo Phys, the upper ones in the upper half of its words. A read gives the lower half first, which waits in lo_q.
    // A write takes the lower half first, too: a read that begins a cycle after it sees all of it, one that began earlier is not fresh.
    localparam int unsigned Kept = (KeepBits + DW - 1) / DW;
    localparam int unsigned Phys = (Kept + 1) / 2;
    if (Kept < 2) begin : g_bad_halves
      $error("ohca_ctx: Halves needs lines of two beats at least");
    end
    logic [IdxW-1:0]    raddr_q;
    logic [IdxW:0]      raddr;
    logic [Phys*DW-1:0] lo_q, hi, wl, wh, whi_q;
    assign raddr = ram_ren ? {ram_raddr, 1'b0} : {raddr_q, 1'b1};
    assign wl    = out_wline_i[Phys*DW-1:0];
    assign wh    = (Phys*DW)'(out_wline_i[Kept*DW-1:Phys*DW]);
    assign m_line = LineBits'({hi, lo_q}) & ~(~LineBits'(0) << KeepBits);
    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        rd2_q <= 1'b0;
        w2_q  <= 1'b0;
      end else begin
        rd2_q <= ram_ren;
        w2_q  <= o2_ram_we;
      end
      if (ram_ren) raddr_q <= ram_raddr;
      if (rd2_q) lo_q <= hi;
      // 0 outside of its write, so that the sources of a write are merged by OR.
      whi_q <= o2_ram_we ? wh : '0;
      if (o2_ram_we) w2_idx_q <= o2_idx_q;
    end
    // Words that only out_word_we_i writes have no multiplexer of their own: one content for all of them, and an enable each.
    localparam int unsigned Per = DW / 32;
    logic [DW-1:0] fill_data;
    logic [31:0]   word_lo, word_hi_q;
    logic          word_q;
    logic [4:0]    word_at_q;
    assign fill_data = beat_data & {DW{fill_we}};
    assign word_lo   = out_word_data_i & {32{o2_ram_we}};
    logic unused_words;
    assign unused_words = &{1'b0, wl, whi_q, word_lo, word_hi_q, word_q, word_at_q};
    always_ff @(posedge clk_i) begin
      word_hi_q <= word_lo;
      word_q    <= o2_ram_we && out_word_we_i;
      word_at_q <= out_word_i;
    end
    for (genvar j = 0; j < Phys; j++) begin : g_lane
      logic           fl, fh;
      logic [Per-1:0] we;
      logic [DW-1:0]  wd;
      assign fl = fill_we && fill_at_q == CntW'(j);
      assign fh = fill_we && fill_at_q == CntW'(j + Phys) && j + Phys < Kept;
      for (genvar s = 0; s < Per; s++) begin : g_word
        localparam int unsigned Lo = j * Per + s;
        localparam int unsigned Hi = (j + Phys) * Per + s;
        logic        lo_we, hi_we;
        logic [31:0] lo, hi_d;
        if (Words[5'(Lo)]) begin : g_lo
          assign lo_we = o2_ram_we;
          assign lo    = wl[DW*j + 32*s +: 32] & {32{o2_ram_we}};
        end else begin : g_lo
          assign lo_we = o2_ram_we && out_word_we_i && out_word_i == 5'(Lo);
          assign lo    = word_lo;
        end
        if (Hi > 31) begin : g_hi
          assign hi_we = 1'b0;
          assign hi_d  = '0;
        end else if (Words[5'(Hi)]) begin : g_hi
          assign hi_we = w2_q;
          assign hi_d  = whi_q[DW*j + 32*s +: 32];
        end else begin : g_hi
          assign hi_we = word_q && word_at_q == 5'(Hi);
          assign hi_d  = word_hi_q;
        end
        assign we[s]           = lo_we || hi_we || fl || fh;
        assign wd[32*s +: 32]  = fill_data[32*s +: 32] | lo | hi_d;
      end
      ohca_ram_sdp #(
        .Width(DW), .Depth(2 * Sets * Ways), .BeWidth(32), .OldData(1'b0)
      ) u_lane (
        .clk_i(clk_i),
        .wr_en_i(|we), .wr_be_i(we), .wr_addr_i({ram_waddr, w2_q || fh}), .wr_data_i(wd),
        .rd_en_i(ram_ren || rd2_q), .rd_addr_i(raddr), .rd_data_o(hi[DW*j +: DW])
      );
    end
    assign {x_word, ed_hold, ed_we, ed_ren, ed_load, out_edit_done_o, out_word_o} = '0;
    logic unused_half;
    assign unused_half = &{1'b0, out_edit_i, out_word_mask_i};
    assign wr_dat_valid_o = wb_beats_q != '0;
    assign wr_dat_o       = m_line[DW*32'(wb_at_q) +: DW];
  end else if (Quarters) begin : g_quarters
    // The lanes that a line's write changes come first, then the others: slots. Slot i lies in memory i modulo Phys, in part i / Phys of its words.
    // Parts are read one after the other, and written in this order, too, each in the cycle before a read that begins after the write comes to it.
    localparam int unsigned Kept = QKept;
    localparam int unsigned Per  = QPer;
    localparam int unsigned Phys = QPhys;
    localparam int unsigned PartW = Phys * DW;
    if (Kept < 2 || Kept * Per > 32) begin : g_bad_quarters
      $error("ohca_ctx: Quarters needs lines of two beats to 1024 bits");
    end

    // Where a beat lies.
    function automatic logic [1:0] part_of(input logic [CntW-1:0] beat);
      part_of = '0;
      for (int unsigned i = 0; i < Kept; i++) if (beat == CntW'(i)) part_of = 2'(32'(Slots[8*i +: 8]) / Phys);
    endfunction
    function automatic logic [Phys-1:0] lane_of(input logic [CntW-1:0] beat);
      lane_of = '0;
      for (int unsigned i = 0; i < Kept; i++) if (beat == CntW'(i)) lane_of = Phys'(1) << (32'(Slots[8*i +: 8]) % Phys);
    endfunction

    // Read
    logic [1:0]              part_q;
    logic [IdxW-1:0]         raddr_q, x_idx;
    logic [1:0]              x_part;
    logic                    x_ren, wb_ren;
    logic [PartW-1:0]        hi;
    logic [3*PartW-1:0]      lo_q;
    logic [4*PartW-1:0]      all;
    logic [HotParts*PartW-1:0] wl;                      // what a commit writes, by slot
    logic [CntW-1:0]         x_beat;
    assign all   = {hi, lo_q};
    assign rd2_q = part_q != 2'd0;
    for (genvar i = 0; i < LineBits / DW; i++) begin : g_line
      localparam int unsigned Slot = 32'(Slots[8*i +: 8]);
      if (i < Kept) begin : g_kept
        localparam int unsigned W = (KeepBits < DW * (i + 1)) ? KeepBits - DW * i : DW;
        assign m_line[DW*i +: DW] = DW'(all[DW*Slot +: W]);
      end else begin : g_none
        assign m_line[DW*i +: DW] = '0;
      end
      if (i < Kept && HotLanes[i]) begin : g_hot
        assign wl[DW*Slot +: DW] = out_wline_i[DW*i +: DW];
      end
    end
    if (HotParts * Phys > Hot) begin : g_cold
      assign wl[HotParts*PartW-1:Hot*DW] = '0;
    end
    always_ff @(posedge clk_i) begin
      if (rst_i)                 part_q <= '0;
      else if (ram_ren || rd2_q) part_q <= part_q + 2'd1;
      if (ram_ren) raddr_q <= ram_raddr;
      if (rd2_q) lo_q <= {hi, lo_q[3*PartW-1:PartW]};
    end

    // Single beats: write-back, or the word of an edit
    typedef enum logic [2:0] { ED_IDLE, ED_READ, ED_WRITE, ED_LOAD, ED_WAIT, ED_DONE } ed_e;
    ed_e               ed_q;
    logic [CntW:0]     wb_rd_q;
    logic              wb_have_q;
    logic [Phys-1:0]   x_lane_q;
    logic [Per-1:0]    x_kept_q;
    logic [DW-1:0]     x_data;
    logic [31:0]       old_q, new_word;
    assign wb_ren = wb_beats_q != '0 && wb_rd_q != (CntW+1)'(Beats) && !rd2_q && !w2_q && (!wb_have_q || wr_dat_ready_i);
    assign x_word = ed_q == ED_IDLE && out_edit_i && out_valid_o && !o2_err_q && !ram_ren && !rd2_q && !wb_busy && !iv_q;
    assign x_ren  = wb_ren || x_word;
    assign x_idx  = (wb_busy && !iv_q) ? o1_idx : o2_idx_q;
    assign x_beat = wb_busy ? wb_rd_q[CntW-1:0] : CntW'(out_word_i >> $clog2(Per));
    assign x_part = part_of(x_beat);
    always_ff @(posedge clk_i) begin
      if (rst_i) wb_have_q <= 1'b0;
      else if (wb_ren) wb_have_q <= 1'b1;
      else if (wr_dat_ready_i) wb_have_q <= 1'b0;
      if (wb_load)     wb_rd_q <= '0;
      else if (wb_ren) wb_rd_q <= wb_rd_q + (CntW+1)'(1);
      if (x_ren) begin
        x_lane_q <= lane_of(x_beat);
        for (int unsigned s = 0; s < Per; s++) x_kept_q[s] <= 32'(x_beat) * DW + 32 * s < KeepBits;
      end
    end
    always_comb begin
      x_data = '0;
      for (int unsigned j = 0; j < Phys; j++) x_data = x_data | (hi[DW*j +: DW] & {DW{x_lane_q[j]}});
      for (int unsigned s = 0; s < Per; s++) x_data[32*s +: 32] = x_data[32*s +: 32] & {32{x_kept_q[s]}};
    end
    logic unused_word;
    assign unused_word = &{1'b0, out_word_we_i, all};
    assign wr_dat_valid_o = wb_have_q;
    assign wr_dat_o       = x_data;

    // Edit: read the word, write it, read the line again for the one who has the token.
    assign new_word = (old_q & ~out_word_mask_i) | (out_word_data_i & out_word_mask_i);
    assign ed_hold  = ed_q != ED_IDLE;
    assign ed_we    = ed_q == ED_WRITE && new_word != old_q;
    assign ed_ren   = ed_q == ED_LOAD && !h_pop && !o1_reread && !iv_read_q && !rd2_q && !wb_busy;
    assign ed_load  = ed_q == ED_WAIT && !rd2_q;
    assign out_edit_done_o = ed_q == ED_DONE;
    assign out_word_o      = old_q;
    always_ff @(posedge clk_i) begin
      if (rst_i) ed_q <= ED_IDLE;
      else begin
        case (ed_q)
          ED_IDLE:  if (x_word) ed_q <= ED_READ;
                    else if (out_edit_i && out_valid_o && o2_err_q) ed_q <= ED_DONE;
          ED_READ:  ed_q <= ED_WRITE;
          ED_WRITE: ed_q <= ed_we ? ED_LOAD : ED_DONE;
          ED_LOAD:  if (ed_ren) ed_q <= ED_WAIT;
          ED_WAIT:  if (!rd2_q) ed_q <= ED_DONE;
          default:  ed_q <= ED_IDLE;
        endcase
      end
      if (ed_q == ED_READ) old_q <= x_data[32*32'(LaneW'(out_word_i)) +: 32];
    end

    // Write: the parts of Words, the first with the accept; or single beats, of a fill or an edit.
    logic [4*PartW-1:0]          w_q;                    // its first part is what is written after the accept, 0 outside of it: sources are merged by OR
    logic [2:0]      wpart_q;
    logic [DW-1:0]   single;
    logic [1:0]      waddr;
    logic [CntW-1:0] w_beat;
    logic [Phys-1:0] w_lane;
    always_ff @(posedge clk_i) begin
      if (rst_i) w2_q <= 1'b0;
      else       w2_q <= o2_ram_we ? (HotParts > 1) : w2_q && 32'(wpart_q) + 1 != HotParts;
      wpart_q <= o2_ram_we ? 3'd1 : wpart_q + 3'd1;
      if (o2_ram_we) w2_idx_q <= o2_idx_q;
      w_q <= o2_ram_we ? (4*PartW)'(wl >> PartW) : w_q >> PartW;
    end
    assign w_beat = ed_hold ? CntW'(out_word_i >> $clog2(Per)) : fill_at_q;
    assign w_lane = lane_of(w_beat);
    assign waddr  = o2_ram_we ? 2'd0 : w2_q ? wpart_q[1:0] : part_of(w_beat);
    assign single = ed_hold ? {Per{new_word}} & {DW{ed_we}} : beat_data & {DW{fill_we}};
    for (genvar j = 0; j < Phys; j++) begin : g_lane
      logic [Per-1:0] we;
      logic [DW-1:0]  later;
      assign later = w_q[DW*j +: DW];
      always_comb begin
        for (int unsigned s = 0; s < Per; s++) begin
          we[s] = w_lane[j] && (fill_we || (ed_we && out_word_i % 5'(Per) == 5'(s)));
          for (int unsigned k = 0; k < HotParts; k++)
            we[s] = we[s] || (HotWords[7'((k * Phys + j) * Per + s)] && (k == 0 ? o2_ram_we : (w2_q && wpart_q == 3'(k))));
        end
      end
      ohca_ram_sdp #(
        .Width(DW), .Depth(4 * Sets * Ways), .BeWidth(32), .OldData(1'b0)
      ) u_lane (
        .clk_i(clk_i),
        .wr_en_i(|we), .wr_be_i(we), .wr_addr_i({ram_waddr, waddr}), .wr_data_i(single | (wl[DW*j +: DW] & {DW{o2_ram_we}}) | later),
        .rd_en_i(ram_ren || rd2_q || x_ren), .rd_addr_i(ram_ren ? {ram_raddr, 2'd0} : rd2_q ? {raddr_q, part_q} : {x_idx, x_part}), .rd_data_o(hi[DW*j +: DW])
      );
    end
  end else begin : g_whole
    logic unused_word;
    assign unused_word = &{1'b0, out_word_we_i, out_word_i, out_word_data_i, out_word_mask_i, out_edit_i};
    assign {x_word, ed_hold, ed_we, ed_ren, ed_load, out_edit_done_o, out_word_o} = '0;
    assign wr_dat_valid_o = wb_beats_q != '0;
    if (Beats == 1) begin : g_wb_one
      assign wr_dat_o = m_line;
    end else begin : g_wb_many
      assign wr_dat_o = m_line[DW*32'(wb_at_q) +: DW];
    end
    assign rd2_q    = 1'b0;
    assign w2_q     = 1'b0;
    assign w2_idx_q = '0;
    for (genvar i = 0; i < Beats; i++) begin : g_lane
      localparam int unsigned Left = (KeepBits > i * DW) ? KeepBits - i * DW : 0;
      localparam int unsigned W    = (Left < DW) ? Left : DW;
      if (W == 0) begin : g_none
        assign m_line[DW*i +: DW] = '0;
      end else begin : g_ram
        logic we;
        assign we = o2_ram_we || (fill_we && (Beats == 1 || fill_at_q == CntW'(i)));
        ohca_ram_sdp #(
          .Width(W), .Depth(Sets * Ways), .OldData(1'b0)
        ) u_lane (
          .clk_i(clk_i),
          .wr_en_i(we), .wr_be_i(1'b1), .wr_addr_i(ram_waddr), .wr_data_i((o2_ram_we && !ReadOnly) ? out_wline_i[DW*i +: W] : beat_data[W-1:0]),
          .rd_en_i(ram_ren), .rd_addr_i(ram_raddr), .rd_data_o(m_line[DW*i +: W])
        );
        if (W < DW) begin : g_pad
          assign m_line[DW*i + W +: DW - W] = '0;
        end
      end
    end
  end

  if (ReadOnly) begin : g_ro
    ohca_ram_sdp #(
      .Width(2), .Depth(Sets * Ways), .OldData(1'b0)
    ) u_meta (
      .clk_i(clk_i), .wr_en_i(fill_done), .wr_be_i(1'b1), .wr_addr_i(ram_waddr), .wr_data_i({fill_err, info_ok}),
      .rd_en_i(ram_ren), .rd_addr_i(ram_raddr), .rd_data_o({m_poison, m_dma})
    );
    assign m_dirty   = 1'b0;
    assign m_addr    = '0;
    assign o2_we     = 1'b0;
    assign o2_ram_we = 1'b0;
    logic unused_ro;
    assign unused_ro = &{1'b0, out_we_i, out_wline_i, info_addr, o2_addr_q, beat_data};
  end else begin : g_rw
    ohca_ram_sdp #(
      .Width(3 + AdrW), .Depth(Sets * Ways), .OldData(1'b0)
    ) u_meta (
      .clk_i(clk_i), .wr_en_i(o2_ram_we || ed_we || fill_done), .wr_be_i(1'b1), .wr_addr_i(ram_waddr),
      .wr_data_i((o2_ram_we || ed_we) ? {3'b100, o2_addr_q} : {1'b0, fill_err, info_ok, info_addr}),
      .rd_en_i(ram_ren), .rd_addr_i(ram_raddr), .rd_data_o({m_dirty, m_poison, m_dma, m_addr})
    );
    assign o2_we     = out_we_i && !o2_err_q;
    assign o2_ram_we = o2_accept && o2_we;
  end

  // ------------------------------------------------------------------------------------------------ O2
  assign out_valid_o = o2_valid_q && !w2_q;
  assign out_id_o    = o2_id_q;
  assign out_token_o = o2_token_q;
  always_comb begin
    out_line_o = LineBits'(o2_line_q);
    if (o2_err_q) out_line_o[0] = o2_dma_q;
  end
  assign out_err_o   = o2_err_q;
  assign out_inval_o = o2_inval_q;
  assign o2_accept   = out_valid_o && out_ready_i;
  assign o2_dirty_d  = o2_dirty_q || o2_we;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      o1_valid_q <= 1'b0;
      o2_valid_q <= 1'b0;
      fill_act_q <= 1'b0;
      fill_at_q  <= '0;
    end else begin
      if (h_pop)        o1_valid_q <= 1'b1;
      else if (o1_move) o1_valid_q <= 1'b0;
      if (o1_move)        o2_valid_q <= 1'b1;
      else if (o2_accept) o2_valid_q <= 1'b0;
      if (fill_done) fill_act_q <= 1'b0;
      else if (fill_ok) fill_act_q <= 1'b1;
      if (fill_we) fill_at_q <= fill_last ? '0 : fill_at_q + CntW'(1);
    end
    if (h_pop) o1_data_q <= h_data;
    if (h_pop) o1_fill_q <= 1'b0;
    else if (fill_done) o1_fill_q <= 1'b1;
    // What an edit reads takes the place of the answer.
    if (h_pop) o1_fresh_q <= !(o2_ram_we && o2_idx_q == h_idx);
    else       o1_fresh_q <= (o1_fresh_q || o1_reread) && !(o2_ram_we && o2_idx_q == o1_idx) && !fill_done && !iv_read_q && !x_word && !ed_ren;
    if (fill_we) fill_err_q <= fill_err;

    if (o1_move) begin
      o2_id_q    <= o1_id;
      o2_token_q <= o1_token;
      o2_idx_q   <= o1_idx;
      o2_bad_q   <= o1_bad;
      o2_inval_q <= o1_inval;
      if (o1_bad) begin
        o2_err_q   <= 1'b1;
        o2_dma_q   <= 1'b0;
        o2_dirty_q <= 1'b0;
      end else if (o1_same) begin
        o2_dirty_q <= o2_dirty_d;
      end else begin
        o2_err_q   <= m_poison;
        o2_dma_q   <= m_dma;
        o2_dirty_q <= m_dirty;
        o2_addr_q  <= m_addr;
      end
    end
    if (ed_we) o2_dirty_q <= 1'b1;
    if (o2_load || ed_load) o2_line_q <= (o1_same && !Parts) ? out_wline_i[KeepBits-1:0] : m_line[KeepBits-1:0];
  end
  assign o2_load = o1_move && !o1_bad && (!o1_same || o2_we);

  // A failed fill leaves the tags again, so that the next lookup tries anew; tokens that meanwhile hit it see the poison.
  // Drops go before lookups, so at most Fills + 1 wait: those in flight and one allocated by the lookup that was being made.
  logic drop_ready;
  ohca_fifo #(.Width(IdxW + SeqW), .Depth(2 * Fills)) u_drops (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(fill_done && fill_err), .ready_o(drop_ready), .data_i({o1_idx, o1_seq}),
    .valid_o(drop_valid), .ready_i(drop_pop), .data_o({drop_idx, drop_seq}), .count_o(), .almost_full_o()
  );

  // ------------------------------------------------------------------------------------------------ write-back
  // Streams the RAM's answer, which therefore stays until it is done. An invalidated dirty line is read once more for it (iv).
  logic                iv_clean;
  logic [3:0]          wb_age_q;           // one-hot delay from the request's accept to the sampling of issued
  logic                ack_ready;

  assign wb_busy    = wb_req_q || wb_beats_q != '0;
  assign iv_start   = !ReadOnly && o2_accept && o2_inval_q && !o2_err_q && o2_dirty_d;
  assign iv_clean   = !ReadOnly && o2_accept && o2_inval_q && !o2_bad_q && !iv_start;
  assign wb_load    = iv_load_q || (!ReadOnly && fill_start && o1_victim && m_dirty);
  assign ev_resolve = iv_clean || iv_start || (!ReadOnly && fill_start && o1_victim);
  assign ev_dirty   = iv_start || (o1_victim && m_dirty && !iv_clean);

  assign wr_valid_o     = wb_req_q;
  assign wr_o.addr      = {m_addr, LineSh'(0)};
  assign wr_o.len       = 13'(LineBytes);
  assign wr_dat_last_o  = wb_beats_q == (CntW+1)'(1);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      wb_req_q   <= 1'b0;
      wb_beats_q <= '0;
      wb_age_q   <= '0;
      iv_q       <= 1'b0;
      iv_read_q  <= 1'b0;
      iv_load_q  <= 1'b0;
    end else begin
      if (wb_load) wb_req_q <= 1'b1;
      else if (wr_ready_i) wb_req_q <= 1'b0;
      if (wb_load) wb_beats_q <= (CntW+1)'(Beats);
      else if (wr_dat_valid_o && wr_dat_ready_i) wb_beats_q <= wb_beats_q - (CntW+1)'(1);
      wb_age_q <= {wb_age_q[2:0], wr_valid_o && wr_ready_i};
      // accept, read, load, stream
      if (iv_start) iv_q <= 1'b1;
      else if (!iv_read_q && !iv_load_q && !wb_busy) iv_q <= 1'b0;
      iv_read_q <= iv_start;
      iv_load_q <= iv_read_q;
    end
    if (wb_load) wb_at_q <= '0;
    else if (wr_dat_valid_o && wr_dat_ready_i) wb_at_q <= wb_at_q + CntW'(1);
  end

  // Counts of all writes: once acked has reached what was issued shortly after this request, this write is acknowledged too.
  ohca_fifo #(.Width(16), .Depth(Evicts)) u_acks (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(wb_age_q[3]), .ready_o(ack_ready), .data_i(wr_issued_i[15:0]),
    .valid_o(ack_valid), .ready_i(ev_free && ev_dirty_q[ev_head_q]), .data_o(ack_target), .count_o(), .almost_full_o()
  );

  assign idle_o = !init_q && !s1_valid_q && !q_valid && !o1_valid_q && !o2_valid_q && !wb_busy && !iv_q && wb_age_q == '0 && ev_used_q == '0 && fills_q == '0 && !drop_valid;

  logic unused;
  assign unused = &{1'b0, m_line, out_wline_i, beat_data, wb_at_q, rd_rsp_last_i, ack_age[14:0], mq_ready, x_ready, info_ready, beat_ready, drop_ready, ack_ready,
                    icm_rsp_addr_i[LineSh-1:0], wr_issued_i[31:16], wr_acked_i[31:16]};

  // Room is reserved before anything is asked for, so none of these queues can be full when pushed.
  `ASSERT(MissqRoom_A, !alloc || mq_ready)
  `ASSERT(XlatedRoom_A, !icm_rsp_valid_i || x_ready)
  `ASSERT(InfoRoom_A, !info_push || info_ready)
  `ASSERT(BeatRoom_A, !rd_rsp_valid_i || beat_ready)
  `ASSERT(DropRoom_A, !(fill_done && fill_err) || drop_ready)
  `ASSERT(AckRoom_A, !wb_age_q[3] || ack_ready)
  `ASSERT(WbOnce_A, !wb_load || !wb_busy)
  `ASSERT(WbHolds_A, !wb_busy || !ram_ren)
  `ASSERT(ResolveOrder_A, !ev_resolve || ev_wait_q < ev_used_q)
  `ASSERT(SameMeansSameId_A, !(o1_move && o1_same && !o1_bad) || (o1_id == o2_id_q && !o1_miss))

endmodule

`default_nettype wire
