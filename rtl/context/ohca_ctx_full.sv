// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Cache of one kind of context, with the table in host memory behind it: tokens go in with a number and come out, those
// of one number in the same order, each with the newest content of its context. A hit takes 3 cycles, throughput is one
// token per cycle (hits), fills overlap.
//
// Lines as wide as a memory, any number of tokens, fills and write-backs under way: what ohca_ctx is unless it is
// Small. Its ports are described there.
//
// Pass = 0: all tokens come out in the order in which they went in, so a miss holds up what is behind it. Pass = 1: a
// miss parks only its own set, by
//
//            +--> hit, nothing of its set parked ---------------------------------+
//   lookup --+                                                                    +--> ready, in order --> O1 --> O2
//            +--> parked: a miss, an invalidation, a token behind a parked one ---+
//                 of its set (a chain per set)
//
//  * The first of a chain becomes ready when its fill is there (an invalidation: when all misses before it are ready),
//    and with it what is behind, up to the next miss or invalidation. So tokens of a set never pass each other, none
//    waits for a fill of another set, and a chain ends with its last fill.
//  * What is ready goes in order. So nothing starves; and when a miss comes to O1, takes the line and writes the victim
//    back, the tokens of the victim that were looked up before it have been there, since they were ready or in front of
//    it in the chain.
//  * Misses and invalidations become ready in the order in which they were looked up: that of fills, and that of the
//    list of evictions.
//
// What still waits for more than its own set, at the lookup and so with all behind it: a token while Depth are inside;
// a miss that evicts while the list of evictions is full. And fills are made in order, at most Fills at a time: behind
// one whose number was evicted and is still being written back other fills wait, but no hit.

`include "ohca_assert.svh"
`include "ohca_lazy.svh"
`default_nettype none

module ohca_ctx_full #(
  parameter int unsigned DW        = 64,    // data path, 64..512 bits
  parameter int unsigned LineBytes = 128,   // 64 or 128
  parameter int unsigned Sets      = 256,   // power of two, at least 2
  parameter int unsigned Ways      = 1,     // 1 or 2
  parameter int unsigned TokenW    = 32,    // bits that travel with a lookup
  parameter int unsigned Stride    = 1024,  // bytes of host memory per number, power of two, at least LineBytes
  parameter int unsigned Offset    = 0,     // of the line in the stride, multiple of LineBytes
  parameter int unsigned Fills     = 8,     // outstanding fills, power of two
  parameter int unsigned Depth     = 32,    // tokens in flight, power of two
  parameter int unsigned Evicts    = 32,    // evictions whose write-back is not yet acknowledged, power of two
  parameter bit          ReadOnly  = 1'b0,  // out_we_i is ignored, nothing is written back
  parameter int unsigned KeepBits  = 8 * LineBytes,  // the cache keeps the lowest bits only: the others read 0 and are
                                                     // written back as 0
  parameter bit          Pass      = 1'b0,  // tokens of other sets pass a miss
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
  input  logic                         lk_inval_i,     // after its accept: write back if dirty, drop; ReadOnly: a line
                                                       // that is not there is not fetched
  input  logic                         lk_hint_i,      // comes out as rd_hint_o, if this lookup has the line read

  output logic                         nx_valid_o,
  output logic [TokenW-1:0]            nx_token_o,
  output logic                         out_valid_o,
  input  logic                         out_ready_i,
  output logic [23:0]                  out_id_o,
  output logic [TokenW-1:0]            out_token_o,
  output logic [LineBits-1:0]          out_line_o,
  output logic                         out_err_o,      // no content; out_line_o[0] = 1: read failed, 0: out of range or
                                                       // chunk not mapped
  output logic                         out_inval_o,    // echo of lk_inval_i
  input  logic                         out_we_i,       // with the accept: out_wline_i is the new content (ignored with
                                                       // out_err_o)
  input  logic [LineBits-1:0]          out_wline_i,

  output logic                         icm_valid_o,
  input  logic                         icm_ready_i,
  output logic [39:0]                  icm_addr_o,
  input  logic                         icm_rsp_valid_i,
  input  logic                         icm_rsp_ok_i,
  input  logic [63:0]                  icm_rsp_addr_i,

  output logic                         rd_valid_o,
  input  logic                         rd_ready_i,
  output ohca_fmt_pkg::dma_rd_req_t    rd_o,
  output logic                         rd_hint_o,
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
  localparam int unsigned DepW     = $clog2(Depth);
  localparam int unsigned Allocs   = Pass ? Depth : Fills;    // misses inside; with Pass they need not have a fill yet
  localparam int unsigned SeqW     = $clog2(Allocs) + 2;      // names an allocation among those that can be in flight
  localparam int unsigned Beats    = LineBits / DW;
  localparam int unsigned LineSh   = $clog2(LineBytes);
  localparam int unsigned StrideSh = $clog2(Stride);
  localparam int unsigned AdrW     = 64 - LineSh;
  localparam int unsigned EvW      = $clog2(Evicts);
  localparam int unsigned WayBits  = 1 + SeqW + TagW;   // {valid, seq, tag}
  localparam int unsigned WordW    = 2 * WayBits + 1;   // {most recent way, way 1, way 0}; way 1 stays invalid when
                                                        // Ways = 1
  localparam int unsigned IcmRoom  = 4;
  // Counts evictions: more than there can be while a miss waits for its fill.
  localparam int unsigned AgeW     = 10;

  if (DW > LineBits || Beats * DW != LineBits || (1 << LineSh) != LineBytes) begin : g_bad_line
    $error("ohca_ctx_full: LineBytes must be a power of two and hold whole beats");
  end
  if ((1 << SetW) != Sets || Sets < 2 || Ways < 1 || Ways > 2 || (1 << StrideSh) != Stride || (1 << FillW) != Fills ||
      (1 << EvW) != Evicts || (1 << DepW) != Depth) begin : g_bad_size
    $error("ohca_ctx_full: sizes must be powers of two, Ways 1 or 2");
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

  if (2 * Depth + Evicts >= (1 << (AgeW - 1))) begin : g_bad_age
    $error("ohca_ctx_full: Depth and Evicts at most 128");
  end
  if (KeepBits > LineBits || KeepBits == 0) begin : g_bad_keep
    $error("ohca_ctx_full: KeepBits is at most the line");
  end

  // ------------------------------------------------------------------------------------------------ lookup
  logic              init_q;               // the tags are being cleared
  logic [SetW-1:0]   init_set_q;
  logic              s1_valid_q, s1_drop_q, s1_bad_q, s1_inval_q, s1_hint_q, s1_fwd_q, s1_done, s1_free;
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
    .wr_en_i(init_q || tag_we), .wr_be_i(1'b1), .wr_addr_i(init_q ? init_set_q : s1_set_q),
    .wr_data_i(init_q ? '0 : word_d),
    .rd_en_i(s0_fire), .rd_addr_i(s0_set), .rd_data_o(tag_rd)
  );

  // Stage 1: compare, allocate.
  logic              v0, v1, hit0, hit1, hit, bad, none, miss, victim, way, mru, conflict, room2;
  logic [TagW-1:0]   t0, t1, vtag;
  logic [SeqW-1:0]   q0, q1, seq_q;
  logic [23:0]       vid;
  logic [FillW:0]    fills_q;              // fills in flight
  logic              icm_fire, fill_new;   // a translation is asked for; Fills is for one more
  logic              tok_ready, tok_push, alloc, lk_ok, half, s1_half_q, lk_done, f_take;

  assign word = s1_fwd_q ? fwd_q : tag_rd;
  assign {mru, v1, q1, t1, v0, q0, t0} = word;
  assign hit0   = v0 && t0 == s1_id_q[23:SetW];
  assign hit1   = v1 && t1 == s1_id_q[23:SetW] && Ways == 2;
  assign hit    = hit0 || hit1;
  assign bad    = s1_bad_q;
  assign none   = ReadOnly && s1_inval_q && !hit;   // nothing to drop: nothing is fetched for it, and no other line
                                                    // goes
  assign miss   = !bad && !hit && !none;
  assign way    = (Ways == 2) && (hit ? hit1 : !v0 ? 1'b0 : !v1 ? 1'b1 : !mru);
  assign victim = miss && (way ? v1 : v0);
  assign vtag   = way ? t1 : t0;
  assign vid    = {vtag, s1_set_q ^ set_of({vtag, SetW'(0)})};

  // An invalidation that also has a victim takes two entries in the list of evictions: the victim's first, its own a
  // cycle later.
  assign lk_ok    = s1_valid_q && !s1_drop_q && tok_ready && (!miss || (Pass || !fills_q[FillW])) &&
      ((!miss && !s1_inval_q) || room2 || s1_half_q);
  assign half     = lk_ok && victim && s1_inval_q && !s1_half_q && !ReadOnly;
  assign lk_done  = lk_ok && !half;
  assign s1_done  = s1_drop_q || lk_done;
  assign alloc    = lk_done && miss;
  assign fill_new = Pass ? icm_fire : alloc;
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
                            : (lk_done && !bad && !none && (miss || s1_inval_q || (Ways == 2 && mru != way)));

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
      s1_half_q <= half || (s1_half_q && !lk_done);
      if (s1_free) begin
        s1_valid_q <= s0_fire;
        s1_drop_q  <= s0_fire && drop_valid;
      end
      if (alloc) seq_q <= seq_q + SeqW'(1);
      fills_q <= fills_q + {{FillW{1'b0}}, fill_new} - {{FillW{1'b0}}, f_take};
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
        s1_bad_q   <= {1'b0, lk_id_i} >= limit_i;
        s1_inval_q <= lk_inval_i;
        s1_hint_q  <= lk_hint_i;
      end
    end
  end

  // ------------------------------------------------------------------------------------------------ evictions
  // Ring of numbers that left the tags, oldest first: the victims of misses and the invalidated. Entries tail..: free;
  // res..tail: the out stage has not come to them; head..res: clean, or written back and waiting for the
  // acknowledgement. A number is named at most once: what misses because of an entry takes the name off it, as fills
  // are made in order.
  logic [Evicts-1:0]       ev_valid_q, ev_dirty_q, ev_match;
  logic [Evicts-1:0][15:0] ev_key_q;
  logic [EvW-1:0]          ev_head_q, ev_res_q, ev_tail_q;
  logic [EvW:0]            ev_used_q;
  logic [EvW:0]            ev_wait_q;      // resolved, not yet freed
  logic [AgeW-1:0]         ev_made_q, ev_gone_q, half_age_q;
  logic [EvW-1:0]          conf_at, conf_no, half_at_q, half_no_q;   // the entry's place, and the complement of it
  logic                    half_conf_q;
  logic                    ev_one, ev_resolve, ev_dirty, ev_free, ev_name;
  logic                    ack_valid;
  logic [15:0]             ack_target, ack_age;

  always_comb begin
    conf_at = '0;
    conf_no = '0;
    for (int unsigned i = 0; i < Evicts; i++) begin
      ev_match[i] = ev_valid_q[i] && ev_key_q[i] == key_of(s1_id_q);
      if (ev_match[i]) begin
        conf_at = conf_at | EvW'(i);
        conf_no = conf_no | EvW'(~i);
      end
    end
  end
  assign conflict = |ev_match && !ReadOnly;
  assign ev_name  = half || (alloc && !s1_half_q);
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
      ev_made_q  <= '0;
      ev_gone_q  <= '0;
    end else begin
      if (ev_name) ev_valid_q <= ev_valid_q & ~ev_match;
      if (ev_one) begin
        ev_valid_q[ev_tail_q] <= 1'b1;
        ev_tail_q             <= ev_tail_q + EvW'(1);
      end
      if (ev_free) begin
        ev_valid_q[ev_head_q] <= 1'b0;
        ev_head_q             <= ev_head_q + EvW'(1);
      end
      if (ev_resolve) ev_res_q <= ev_res_q + EvW'(1);
      ev_made_q <= ev_made_q + AgeW'(ev_one);
      ev_gone_q <= ev_gone_q + AgeW'(ev_free);
      ev_used_q <= ev_used_q + (EvW+1)'(ev_one) - (EvW+1)'(ev_free);
      ev_wait_q <= ev_wait_q + (EvW+1)'(ev_resolve) - (EvW+1)'(ev_free);
    end
    `WHEN(ev_one) for (int unsigned i = 0; i < Evicts; i++) begin
      if (ev_one && ev_tail_q == EvW'(i)) ev_key_q[i] <= key_of((victim && !s1_half_q) ? vid : s1_id_q);
    end
    if (ev_resolve) ev_dirty_q[ev_res_q] <= ev_dirty;
    if (half) begin                        // its own victim is none of those that it waits for
      half_conf_q <= conflict;
      half_age_q  <= ev_made_q;
      half_at_q   <= conf_at;
      half_no_q   <= conf_no;
    end
  end

  // ------------------------------------------------------------------------------------------------ fills
  // Miss queue -> translation -> read, all in lookup order; answers come in the same order. A number that is in the
  // list of evictions is not asked for before its entry is through, as everything behind it waits, too; younger
  // evictions may wait for this fill. Where short names made two entries of it, it waits for all that there were.
  logic              mq_valid, mq_ready, x_valid, x_pop, x_ok, x_ready, info_valid, info_pop, info_ok, info_push,
      info_ready, beat_valid, beat_pop;
  logic [23:0]       mq_id;
  logic              mq_conf, mq_seen_q, mq_clear_q;   // looked at in the two cycles before
  logic              mq_hint, hint_ready, hint_valid;
  logic [AgeW-1:0]   mq_age, mq_end, mq_end_q, mq_left;
  logic [EvW-1:0]    mq_at, mq_no;
  logic              mq_past;
  logic [AgeW-1:EvW] mq_lap;
  logic [AdrW-1:0]   x_addr, info_addr;
  logic [2:0]        icm_out_q;
  logic              beat_err, beat_ready;
  logic [DW-1:0]     beat_data;

  ohca_fifo #(.Width(1 + 24 + 1 + 2 * EvW + AgeW), .Depth(Allocs)) u_missq (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(alloc), .ready_o(mq_ready),
    .data_i({s1_hint_q, s1_id_q, s1_half_q ? {half_conf_q, half_at_q, half_no_q, half_age_q} :
    {conflict, conf_at, conf_no, ev_made_q}}),
    .valid_o(mq_valid), .ready_i(icm_fire), .data_o({mq_hint, mq_id, mq_conf, mq_at, mq_no, mq_age}), .count_o(),
    .almost_full_o()
  );
  // Of the evictions made before, the last one at that place.
  assign mq_past     = mq_at >= mq_age[EvW-1:0];
  assign mq_lap      = mq_age[AgeW-1:EvW] - {{(AgeW-EvW-1){1'b0}}, mq_past};
  assign mq_end      = (mq_at & mq_no) != '0 ? mq_age : {mq_lap, mq_at} + AgeW'(1);
  assign mq_left     = ev_gone_q - mq_end_q;
  assign icm_valid_o = mq_valid && (!mq_conf || mq_clear_q) && icm_out_q != 3'(IcmRoom) && !(Pass && fills_q[FillW]);
  assign icm_fire    = icm_valid_o && icm_ready_i;
  assign icm_addr_o  = base_i + (40'(mq_id) << StrideSh) + 40'(Offset);

  ohca_fifo #(.Width(1 + AdrW), .Depth(IcmRoom)) u_xlated (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(icm_rsp_valid_i), .ready_o(x_ready),
    .data_i({icm_rsp_ok_i, icm_rsp_addr_i[63:LineSh]}),
    .valid_o(x_valid), .ready_i(x_pop), .data_o({x_ok, x_addr}), .count_o(), .almost_full_o()
  );
  ohca_fifo #(.Width(1), .Depth(IcmRoom)) u_hints (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(icm_fire), .ready_o(hint_ready), .data_i(mq_hint),
    .valid_o(hint_valid), .ready_i(x_pop), .data_o(rd_hint_o), .count_o(), .almost_full_o()
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
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(rd_rsp_valid_i), .ready_o(beat_ready),
    .data_i({rd_rsp_err_i, rd_rsp_data_i}),
    .valid_o(beat_valid), .ready_i(beat_pop), .data_o({beat_err, beat_data}), .count_o(), .almost_full_o()
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) icm_out_q <= '0;
    else       icm_out_q <= icm_out_q + 3'(icm_fire) - 3'(x_pop);
    mq_seen_q  <= !rst_i && mq_valid && !icm_fire;
    mq_clear_q <= !rst_i && mq_valid && !icm_fire && mq_seen_q && !mq_left[AgeW-1];
    mq_end_q   <= mq_end;
  end

  // ------------------------------------------------------------------------------------------------ out stages
  // O1 holds a token and the RAM's answer to it; nothing passes it. A miss writes its victim back from that answer,
  // meanwhile puts its fill into the RAM beat by beat, reads the line again, and goes on as a hit. O2 offers the token;
  // what its accept brings is written a cycle later, and is the only other writer of the RAM.
  //
  //   tokens -> O1 <-> RAM -> O2 -> out
  //              |      ^ `-> write-back
  //            fill ----'
  localparam int unsigned TokBits = 24 + TokenW + IdxW + SeqW + 4;
  localparam int unsigned CntW    = (Beats > 1) ? $clog2(Beats) : 1;
  logic               h_valid, h_pop;      // the token that goes to O1
  logic [TokBits-1:0] h_data, s1_data, o1_data_q;
  logic               h_may;               // one may go there: known early
  logic               held;                // tokens wait for it
  logic [IdxW-1:0]    h_idx, s1_idx;

  if (Ways == 2) begin : g_idx2
    assign s1_idx = {way, s1_set_q};
  end else begin : g_idx1
    assign s1_idx = s1_set_q;
  end

  assign s1_data = {s1_id_q, s1_token_q, s1_idx, seq_q, bad || none, miss, victim, s1_inval_q};
  if (Pass) begin : g_pass
    // Tokens lie in slots, by which the queues name them. Of a slot: it is the last of a chain (tail), one is behind it
    // (more).
    logic [Depth-1:0]           tail_q, more_q, chain, same_q;   // same_q: of the set that is looked up
    logic [SetW*Depth-1:0]      set_q;
    logic [TokBits-1:0]         token [Depth];
    logic [DepW+1:0]            next  [Depth];       // {misses or invalidates, way, slot}
    logic [DepW:0]              held_q, fresh_q;     // slots in use; those that were ever taken off the list
    logic                       slot_v_q, refill;    // the next token's slot is known
    logic [DepW-1:0]            slot, free_slot, pred, h_slot, r_slot, ord_slot, up_slot_q, x_slot;
    logic [IdxW-1:0]            r_idx, ord_idx, up_idx_q, x_idx;
    logic                       behind, own, park, past, store, leave, x_go, r_valid, r_ready, free_valid, free_ready,
        ord_valid, ord_ready, ord_fill;
    logic                       st_valid, st_ready, st_ok, promise, up_q, up_any, first_q;
    logic [DepW+1:0]            up_next;
    logic [FillW:0]             lines_q;             // of which a beat is there, and which are for a miss that is not
                                                     // ready

    always_comb begin
      chain = '0;
      pred  = '0;
      `WHEN(s1_valid_q) for (int unsigned i = 0; i < Depth; i++) begin
        chain[i] = tail_q[i] && same_q[i];
        if (chain[i]) pred = pred | DepW'(i);
      end
    end
    assign own       = !bad && (miss || s1_inval_q);
    assign behind    = !bad && chain != '0;
    assign park      = own || behind;
    // One a cycle becomes ready: of a chain (x), or what is looked up. What is looked up does not join a chain that is
    // being made ready, so that ends.
    assign x_go      = up_q || promise;
    assign x_slot    = up_q ? up_slot_q : ord_slot;
    assign x_idx     = up_q ? up_idx_q : ord_idx;
    assign tok_ready = slot_v_q && (park ? !(x_go && x_idx[SetW-1:0] == s1_set_q) : !x_go);
    // When none is ready, it is passed by.
    assign past      = !park && !r_valid && h_pop;
    assign store     = tok_push && !past;
    assign leave     = h_pop && (r_valid || x_go);
    assign h_valid   = r_valid || x_go || (tok_push && !park);
    assign h_may     = r_valid || x_go || s1_valid_q;
    assign h_slot    = r_valid ? r_slot : x_slot;
    assign h_idx     = r_valid ? r_idx : x_go ? x_idx : s1_idx;
    assign h_data    = (r_valid || x_go) ? token[h_slot] : s1_data;
    assign held      = held_q != '0;
    ohca_fifo #(.Width(DepW + IdxW), .Depth(Depth), .UseRam(1'b0)) u_ready (
      .clk_i(clk_i), .rst_i(rst_i), .valid_i((x_go || (tok_push && !park)) && (r_valid || !h_pop)), .ready_o(r_ready),
      .data_i(x_go ? {x_slot, x_idx} : {slot, s1_idx}),
      .valid_o(r_valid), .ready_i(h_pop), .data_o({r_slot, r_idx}), .count_o(), .almost_full_o()
    );
    ohca_fifo #(.Width(DepW), .Depth(Depth), .UseRam(1'b0)) u_free (
      .clk_i(clk_i), .rst_i(rst_i), .valid_i(leave), .ready_o(free_ready), .data_i(h_slot),
      .valid_o(free_valid), .ready_i(refill && fresh_q[DepW]), .data_o(free_slot), .count_o(), .almost_full_o()
    );

    assign refill = !slot_v_q || store;
    always_ff @(posedge clk_i) begin
      if (rst_i)       slot_v_q <= 1'b0;
      else if (refill) slot_v_q <= !fresh_q[DepW] || free_valid;
      if (refill) slot <= fresh_q[DepW] ? free_slot : fresh_q[DepW-1:0];
    end

    // Misses and invalidations, in the order of the lookup, and what became of the fills.
    ohca_fifo #(.Width(1 + DepW + IdxW), .Depth(Depth), .UseRam(1'b0)) u_order (
      .clk_i(clk_i), .rst_i(rst_i), .valid_i(tok_push && own), .ready_o(ord_ready), .data_i({miss, slot, s1_idx}),
      .valid_o(ord_valid), .ready_i(promise), .data_o({ord_fill, ord_slot, ord_idx}), .count_o(), .almost_full_o()
    );
    ohca_fifo #(.Width(1), .Depth(Fills), .UseRam(1'b0)) u_state (
      .clk_i(clk_i), .rst_i(rst_i), .valid_i(info_push), .ready_o(st_ready), .data_i(x_ok),
      .valid_o(st_valid), .ready_i(promise && ord_fill), .data_o(st_ok), .count_o(), .almost_full_o()
    );
    // What was parked before the first of them in its set is ready by then: it began with one that was before it here,
    // too.
    assign promise = ord_valid && (!ord_fill || (st_valid && (!st_ok || lines_q != '0))) && !up_q;

    logic [Depth-1:0] now;                          // for an assertion
    always_comb begin
      now = '0;
      `WHEN(s1_valid_q) for (int unsigned i = 0; i < Depth; i++) now[i] = set_q[SetW*i +: SetW] == s1_set_q;
    end
    logic unused_now;
    assign unused_now = &{1'b0, now};

    // Who is behind what becomes ready.
    assign up_any  = x_go && more_q[x_slot];
    assign up_next = next[x_slot];
    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        held_q  <= '0;
        fresh_q <= '0;
        tail_q  <= '0;
        up_q    <= 1'b0;
        lines_q <= '0;
        first_q <= 1'b1;
      end else begin
        held_q <= held_q + (DepW+1)'(store) - (DepW+1)'(leave);
        if (refill && !fresh_q[DepW]) fresh_q <= fresh_q + (DepW+1)'(1);
        up_q <= up_any && !up_next[DepW+1];   // a miss or an invalidation comes when it is first in u_order
        if (rd_rsp_valid_i) first_q <= rd_rsp_last_i;
        lines_q <= lines_q + (FillW+1)'(rd_rsp_valid_i && first_q) - (FillW+1)'(promise && ord_fill && st_ok);
        if (x_go) tail_q[x_slot] <= 1'b0;
        if (store && behind) tail_q[pred] <= 1'b0;
        if (store) tail_q[slot] <= park;
      end
      if (store && behind) more_q[pred] <= 1'b1;
      if (store) begin
        more_q[slot] <= 1'b0;
        token[slot]  <= s1_data;
        set_q[SetW*32'(slot) +: SetW] <= s1_set_q;
      end
      if (store && behind) next[pred] <= {own, way, slot};
      // The sets are compared a cycle before. The slot that is next is taken by the token in front of this one, or is
      // free and no tail.
      `WHEN(s0_fire) for (int unsigned i = 0; i < Depth; i++)
        if (s0_fire) same_q[i] <= ((slot_v_q && slot == DepW'(i)) ? s1_set_q : set_q[SetW*i +: SetW]) == s0_set;
      up_slot_q <= up_next[DepW-1:0];
      up_idx_q  <= IdxW'({up_next[DepW], x_idx[SetW-1:0]});   // the way is left out where there is one
    end
    `ASSERT(Same_A, !s1_valid_q || s1_drop_q || (tail_q & (same_q ^ now)) == '0)
    `ASSERT(NoJoin_A, !(store && behind && x_go) || pred != x_slot)
    `ASSERT(OneChain_A, (chain & (chain - Depth'(1))) == '0)
    `ASSERT(ReadyRoom_A, r_ready || !(x_go || (tok_push && !park)))
    `ASSERT(OrderRoom_A, !(tok_push && own) || ord_ready)
    `ASSERT(StateRoom_A, !info_push || st_ready)
    `ASSERT(FreeRoom_A, !leave || free_ready)
    `ASSERT(SlotThere_A, !store || slot_v_q)
  end else begin : g_order
    // An empty FIFO is passed by.
    logic               q_valid;
    logic [TokBits-1:0] q_data;
    assign h_valid = q_valid || tok_push;
    assign h_may   = q_valid || s1_valid_q;
    assign h_data  = q_valid ? q_data : s1_data;
    assign h_idx   = h_data[4+SeqW +: IdxW];
    assign held    = q_valid;
    ohca_fifo #(.Width(TokBits), .Depth(Depth), .UseRam(1'b0)) u_tokens (
      .clk_i(clk_i), .rst_i(rst_i), .valid_i(tok_push && (q_valid || !h_pop)), .ready_o(tok_ready), .data_i(s1_data),
      .valid_o(q_valid), .ready_i(h_pop), .data_o(q_data), .count_o(), .almost_full_o()
    );
  end

  // fresh: the answer shows the last write of the line; if not, it is read again.
  logic               o1_valid_q, o1_fresh_q, o1_fresh, o1_fill_q, o1_move, o1_reread, o1_same;
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
  // What was accepted with new content is written a cycle later.
  logic                w_valid_q, w_hit;
  logic [IdxW-1:0]     w_idx_q;
  logic [AdrW-1:0]     w_addr_q;
  logic [KeepBits-1:0] w_line_q;
  logic [KeepBits-1:0] wb_line_q;
  logic [LineBits-1:0] wb_line;
  logic [AdrW-1:0]     wb_addr_q;
  logic                wb_busy, wb_load, wb_req_q, iv_q, iv_wait_q, iv_read_q, iv_load_q, iv_start;
  logic [CntW:0]       wb_beats_q;
  logic [CntW-1:0]     wb_at_q;
  logic                fill_ok, fill_start, fill_go, fill_we, fill_last, fill_done, fill_err, fill_err_q;
  logic [CntW-1:0]     fill_at_q;
  logic [IdxW-1:0]     ram_waddr, ram_raddr;
  logic                ram_ren;

  assign {o1_id, o1_token, o1_idx, o1_seq, o1_bad, o1_miss, o1_victim, o1_inval} = o1_data_q;

  assign o1_same   = o2_valid_q && !o2_bad_q && o2_idx_q == o1_idx;
  assign w_hit     = w_valid_q && w_idx_q == o1_idx;
  assign o1_fresh  = o1_fresh_q && !w_hit;
  // A miss that has been filled is as good as a hit.
  assign o1_reread = o1_valid_q && !o1_fresh && !w_hit && !o1_same && !o1_move && !o1_bad &&
      (!o1_miss || o1_fill_q || (o1_victim && !ReadOnly)) && !iv_q;

  always_comb begin
    o1_move = o1_valid_q && (!o2_valid_q || (o2_accept && !o2_inval_q)) && !iv_q;
    if (!o1_bad) begin
      if (o1_miss) begin
        if (!o1_fill_q || !o1_fresh) o1_move = 1'b0;
      end else begin
        // The same line as in O2 can only be the same number: its content is handed over.
        if (!o1_same && !o1_fresh) o1_move = 1'b0;
      end
    end
  end
  logic h_free;                            // O1 has a place
  assign h_free = (!o1_valid_q || o1_move) && !iv_q;
  assign h_pop  = h_valid && h_free;

  // Fill. The victim's last write must be behind it, and invalidations before it done. Its write-back takes the RAM's
  // answer.
  logic fill_act_q;                        // between the first cycle of the fill and its end
  assign fill_ok    = o1_valid_q && o1_miss && !o1_fill_q && !o1_same && !(o2_valid_q && o2_inval_q) && !iv_q &&
                      (!o1_victim || ReadOnly || (o1_fresh && !wb_busy));
  assign fill_start = fill_ok && !fill_act_q;
  assign fill_go    = (fill_ok || fill_act_q) && info_valid && !w_valid_q;
  assign fill_we    = fill_go && info_ok && beat_valid;
  assign fill_last  = Beats == 1 || fill_at_q == CntW'(Beats - 1);
  assign fill_done  = fill_go && (!info_ok || (beat_valid && fill_last));
  assign fill_err   = !info_ok || beat_err || (fill_at_q != '0 && fill_err_q);
  assign beat_pop   = fill_we;
  assign info_pop   = fill_done;
  assign f_take     = fill_done;

  // ------------------------------------------------------------------------------------------------ RAM
  // It is read also for a token that then does not come, as the tags say that late.
  assign ram_ren   = (h_may && h_free) || o1_reread || iv_read_q;
  assign ram_raddr = iv_read_q ? o2_idx_q : o1_reread ? o1_idx : h_idx;
  assign ram_waddr = w_valid_q ? w_idx_q : o1_idx;

  assign wr_dat_valid_o = wb_beats_q != '0;
  assign wb_line        = LineBits'(wb_line_q);
  if (Beats == 1) begin : g_wb_one
    assign wr_dat_o = wb_line;
  end else begin : g_wb_many
    assign wr_dat_o = wb_line[DW*32'(wb_at_q) +: DW];
  end
  for (genvar i = 0; i < Beats; i++) begin : g_lane
    localparam int unsigned Left = (KeepBits > i * DW) ? KeepBits - i * DW : 0;
    localparam int unsigned W    = (Left < DW) ? Left : DW;
    if (W == 0) begin : g_none
      assign m_line[DW*i +: DW] = '0;
    end else begin : g_ram
      logic we;
      assign we = w_valid_q || (fill_we && (Beats == 1 || fill_at_q == CntW'(i)));
      ohca_ram_sdp #(
        .Width(W), .Depth(Sets * Ways), .OldData(1'b0)
      ) u_lane (
        .clk_i(clk_i),
        .wr_en_i(we), .wr_be_i(1'b1), .wr_addr_i(ram_waddr), .wr_data_i((w_valid_q && !ReadOnly) ? w_line_q[DW*i +: W] :
        beat_data[W-1:0]),
        .rd_en_i(ram_ren), .rd_addr_i(ram_raddr), .rd_data_o(m_line[DW*i +: W])
      );
      if (W < DW) begin : g_pad
        assign m_line[DW*i + W +: DW - W] = '0;
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
    assign w_valid_q = 1'b0;
    assign w_idx_q   = '0;
    assign w_addr_q  = '0;
    assign w_line_q  = '0;
    logic unused_ro;
    assign unused_ro = &{1'b0, out_we_i, out_wline_i, info_addr, o2_addr_q, beat_data, o2_ram_we, w_addr_q, w_line_q};
  end else begin : g_rw
    ohca_ram_sdp #(
      .Width(3 + AdrW), .Depth(Sets * Ways), .OldData(1'b0)
    ) u_meta (
      .clk_i(clk_i), .wr_en_i(w_valid_q || fill_done), .wr_be_i(1'b1), .wr_addr_i(ram_waddr),
      .wr_data_i(w_valid_q ? {3'b100, w_addr_q} : {1'b0, fill_err, info_ok, info_addr}),
      .rd_en_i(ram_ren), .rd_addr_i(ram_raddr), .rd_data_o({m_dirty, m_poison, m_dma, m_addr})
    );
    assign o2_we     = out_we_i && !o2_err_q;
    assign o2_ram_we = o2_accept && o2_we;
    always_ff @(posedge clk_i) begin
      if (rst_i) w_valid_q <= 1'b0;
      else       w_valid_q <= o2_ram_we;
      if (o2_valid_q) begin
        w_idx_q  <= o2_idx_q;
        w_addr_q <= o2_addr_q;
        w_line_q <= out_wline_i[KeepBits-1:0];
      end
    end
  end

  // ------------------------------------------------------------------------------------------------ O2
  assign nx_valid_o  = o1_valid_q;
  assign nx_token_o  = o1_token;
  assign out_valid_o = o2_valid_q;
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
    if (h_pop) o1_fresh_q <= !(w_valid_q && w_idx_q == h_idx);
    else       o1_fresh_q <= (o1_fresh || o1_reread) && !fill_done && !iv_read_q;
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
    if (o2_load) o2_line_q <= o1_same ? out_wline_i[KeepBits-1:0] : m_line[KeepBits-1:0];
  end
  assign o2_load = o1_move && !o1_bad && (!o1_same || o2_we);

  // A failed fill leaves the tags again, so that the next lookup tries anew; tokens that meanwhile hit it see the
  // poison. Drops go before lookups, so at most Allocs + 1 wait: those in flight and one allocated by the lookup that
  // was being made.
  logic drop_ready;
  ohca_fifo #(.Width(IdxW + SeqW), .Depth(2 * Allocs)) u_drops (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(fill_done && fill_err), .ready_o(drop_ready), .data_i({o1_idx, o1_seq}),
    .valid_o(drop_valid), .ready_i(drop_pop), .data_o({drop_idx, drop_seq}), .count_o(), .almost_full_o()
  );

  // ------------------------------------------------------------------------------------------------ write-back
  // One at a time, from a copy of the RAM's answer, so what comes next goes on meanwhile, up to the next victim. An
  // invalidated dirty line is read once more for it (iv).
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
  assign wr_o.addr      = {wb_addr_q, LineSh'(0)};
  assign wr_o.len       = 13'(LineBytes);
  assign wr_dat_last_o  = wb_beats_q == (CntW+1)'(1);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      wb_req_q   <= 1'b0;
      wb_beats_q <= '0;
      wb_age_q   <= '0;
      iv_q       <= 1'b0;
      iv_wait_q  <= 1'b0;
      iv_read_q  <= 1'b0;
      iv_load_q  <= 1'b0;
    end else begin
      if (wb_load) wb_req_q <= 1'b1;
      else if (wr_ready_i) wb_req_q <= 1'b0;
      if (wb_load) wb_beats_q <= (CntW+1)'(Beats);
      else if (wr_dat_valid_o && wr_dat_ready_i) wb_beats_q <= wb_beats_q - (CntW+1)'(1);
      wb_age_q <= {wb_age_q[2:0], wr_valid_o && wr_ready_i};
      // accept, write, read, load, stream; before the read another write-back may have to end
      if (iv_start) iv_q <= 1'b1;
      else if (!iv_wait_q && !iv_read_q && !iv_load_q && !wb_busy) iv_q <= 1'b0;
      iv_wait_q <= iv_start || (iv_wait_q && wb_busy);
      iv_read_q <= iv_wait_q && !wb_busy;
      iv_load_q <= iv_read_q;
    end
    if (wb_load) wb_line_q <= m_line[KeepBits-1:0];
    if (wb_load) wb_addr_q <= m_addr;
    if (wb_load) wb_at_q <= '0;
    else if (wr_dat_valid_o && wr_dat_ready_i) wb_at_q <= wb_at_q + CntW'(1);
  end

  // Counts of all writes: once acked has reached what was issued shortly after this request, this write is acknowledged
  // too.
  ohca_fifo #(.Width(16), .Depth(Evicts)) u_acks (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(wb_age_q[3]), .ready_o(ack_ready), .data_i(wr_issued_i[15:0]),
    .valid_o(ack_valid), .ready_i(ev_free && ev_dirty_q[ev_head_q]), .data_o(ack_target), .count_o(), .almost_full_o()
  );

  assign idle_o = !init_q && !s1_valid_q && !held && !o1_valid_q && !o2_valid_q && !w_valid_q && !wb_busy && !iv_q &&
      wb_age_q == '0 && ev_used_q == '0 && fills_q == '0 && !drop_valid;

  logic unused;
  assign unused = &{1'b0, m_line, out_wline_i, beat_data, wb_at_q, rd_rsp_last_i, ack_age[14:0], mq_ready, x_ready,
      info_ready, beat_ready, drop_ready, ack_ready,
                    icm_rsp_addr_i[LineSh-1:0], wr_issued_i[31:16], wr_acked_i[31:16], mq_left[AgeW-2:0], hint_valid};

  // Room is reserved before anything is asked for, so none of these queues can be full when pushed.
  `ASSERT(MissqRoom_A, !alloc || mq_ready)
  `ASSERT(HintRoom_A, !icm_fire || hint_ready)
  `ASSERT(XlatedRoom_A, !icm_rsp_valid_i || x_ready)
  `ASSERT(InfoRoom_A, !info_push || info_ready)
  `ASSERT(BeatRoom_A, !rd_rsp_valid_i || beat_ready)
  `ASSERT(DropRoom_A, !(fill_done && fill_err) || drop_ready)
  `ASSERT(AckRoom_A, !wb_age_q[3] || ack_ready)
  `ASSERT(WbOnce_A, !wb_load || !wb_busy)
  `ASSERT(ResolveOrder_A, !ev_resolve || ev_wait_q < ev_used_q)
  `ASSERT(SameMeansSameId_A, !(o1_move && o1_same && !o1_bad) || (o1_id == o2_id_q && !o1_miss))

endmodule

`default_nettype wire
