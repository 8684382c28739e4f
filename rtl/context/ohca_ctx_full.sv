// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Cache of one kind of context, with the table in host memory behind it: tokens go in with a number and come out, those
// of one number in the same order, each with the newest content of its context. A hit takes 3 cycles (with Pass = 1
// right behind another 4), throughput is one token per cycle (hits; Same = 2: of one number one in two), fills overlap.
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
// a miss that evicts while the list of evictions is full. And fills are made in order, at most Fills at a time.

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
  parameter int unsigned HotBytes  = LineBytes,  // as in ohca_ctx
  parameter bit          Pass      = 1'b0,  // tokens of other sets pass a miss
  parameter int unsigned Same      = 0,     // as in ohca_ctx
  parameter bit          SetIn     = 1'b0,
  localparam bit          Late      = Same == 2,
  localparam int unsigned HotBits   = (8 * HotBytes < KeepBits) ? 8 * HotBytes : KeepBits,
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
  input  logic [23:0]                  lk_set_i,       // SetIn
  input  logic [TokenW-1:0]            lk_token_i,
  input  logic                         lk_inval_i,
  input  logic [4:0]                   lk_block_i,
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
  localparam int unsigned FillW    = $clog2(Fills);
  localparam int unsigned DepW     = $clog2(Depth);
  localparam int unsigned Allocs   = Pass ? Depth : Fills;    // misses inside; with Pass they need not have a fill yet
  localparam int unsigned SeqW     = $clog2(Allocs) + 2;      // names an allocation among those that can be in flight
  localparam int unsigned Beats    = LineBits / DW;
  localparam int unsigned HotBeats = (HotBits + DW - 1) / DW;
  localparam int unsigned LineSh   = $clog2(LineBytes);
  localparam int unsigned StrideSh = $clog2(Stride);
  localparam int unsigned AdrW     = 64 - LineSh;
  localparam int unsigned EvW      = $clog2(Evicts);

  if (DW > LineBits || Beats * DW != LineBits || (1 << LineSh) != LineBytes) begin : g_bad_line
    $error("ohca_ctx_full: LineBytes must be a power of two and hold whole beats");
  end
  if ((1 << SetW) != Sets || Sets < 2 || Ways < 1 || Ways > 2 || (1 << StrideSh) != Stride || (1 << FillW) != Fills ||
      (1 << EvW) != Evicts || (1 << DepW) != Depth) begin : g_bad_size
    $error("ohca_ctx_full: sizes must be powers of two, Ways 1 or 2");
  end

  if (KeepBits > LineBits || KeepBits == 0) begin : g_bad_keep
    $error("ohca_ctx_full: KeepBits at most the line");
  end
  // ------------------------------------------------------------------------------------------------ lookup
  logic              tags_busy, s0_open, s1_valid, s1_drop, s1_inval, s1_hint, half, half_q, alloc;
  logic              bad, none, miss, victim, way, room2, tok_ready, tok_push;
  logic [SetW-1:0]   s0_set, s1_set;
  logic [23:0]       s1_id;
  logic [TokenW-1:0] s1_token;
  logic [SeqW-1:0]   s1_seq;
  logic [23:0]       ev_id;
  logic              drop_valid, drop_pop;
  logic [IdxW-1:0]   drop_idx;
  logic [SeqW-1:0]   drop_seq;
  logic [FillW:0]    fills_q;              // fills in flight
  logic              icm_fire, f_take;     // a translation is asked for; a fill is over
  ohca_ctx_tags #(
    .Sets(Sets), .Ways(Ways), .TokenW(TokenW), .SeqW(SeqW), .ReadOnly(ReadOnly), .SetIn(SetIn)
  ) u_tags (
    .clk_i, .rst_i, .busy_o(tags_busy), .limit_i,
    .lk_valid_i, .lk_ready_o, .lk_id_i, .lk_set_i, .lk_token_i, .lk_inval_i, .lk_block_i, .lk_hint_i,
    .drop_valid_i(drop_valid), .drop_ready_o(drop_pop), .drop_idx_i(drop_idx), .drop_seq_i(drop_seq),
    .room_i(tok_ready), .fills_i(Pass || !fills_q[FillW]), .room2_i(room2),
    .s0_open_o(s0_open), .s0_set_o(s0_set), .valid_o(s1_valid), .drop_o(s1_drop), .id_o(s1_id), .token_o(s1_token),
    .inval_o(s1_inval), .hint_o(s1_hint), .set_o(s1_set), .seq_o(s1_seq), .bad_o(bad), .none_o(none),
    .miss_o(miss), .victim_o(victim), .way_o(way), .half_o(half), .half_q_o(half_q), .alloc_o(alloc), .push_o(tok_push),
    .ev_id_o(ev_id)
  );
  always_ff @(posedge clk_i) begin
    if (rst_i) fills_q <= '0;
    else       fills_q <= fills_q + (FillW+1)'(Pass ? icm_fire : alloc) - (FillW+1)'(f_take);
  end

  // ------------------------------------------------------------------------------------------------ evictions
  logic               ev_one, ev_resolve, ev_name, ev_any, wb_taken, v_ready, v_good, v_through;
  logic [EvW:0]       conflict;
  logic [HotBits-1:0] v_line;              // what is not in host memory yet of the line that is filled next
  assign ev_name = half || (alloc && !half_q);
  assign ev_one  = (half || (tok_push && (victim || (s1_inval && !bad)))) && !ReadOnly;
  ohca_ctx_evict #(.Evicts(Evicts), .HotBits(HotBits), .ReadOnly(ReadOnly)) u_evict (
    .clk_i, .rst_i, .any_o(ev_any), .id_i(s1_id), .half_i(half), .half_q_i(half_q), .name_i(ev_name), .one_i(ev_one),
    .one_id_i(ev_id), .room2_o(room2), .conflict_o(conflict), .resolve_i(ev_resolve), .dirty_i(m_dirty),
    .good_i(!m_poison || m_hot), .line_i(m_line[HotBits-1:0]), .taken_i(wb_taken), .issued_i(wr_issued_i[15:0]),
    .acked_i(wr_acked_i[15:0]), .at_valid_i(info_valid && info_conf), .at_i(info_at), .pop_i(info_pop),
    .ready_o(v_ready), .good_o(v_good), .through_o(v_through), .line_o(v_line)
  );

  // ------------------------------------------------------------------------------------------------ fills
  logic            x_ok, info_valid, info_pop, info_ok, info_push, info_conf, beat_valid, beat_pop, beat_err;
  logic [EvW-1:0]  info_at;
  logic [AdrW-1:0] info_addr;
  logic [DW-1:0]   beat_data;
  ohca_ctx_fill #(
    .DW(DW), .LineBytes(LineBytes), .Stride(Stride), .Offset(Offset), .Fills(Fills), .Allocs(Allocs), .EvW(EvW)
  ) u_fill (
    .clk_i, .rst_i, .base_i, .valid_i(alloc), .hint_i(s1_hint), .id_i(s1_id), .conflict_i(conflict),
    .full_i(Pass && fills_q[FillW]),
    .icm_valid_o, .icm_ready_i, .icm_addr_o, .icm_rsp_valid_i, .icm_rsp_ok_i, .icm_rsp_addr_i,
    .rd_valid_o, .rd_ready_i, .rd_o, .rd_hint_o, .rd_rsp_valid_i, .rd_rsp_data_i, .rd_rsp_err_i,
    .begun_o(icm_fire), .asked_o(info_push), .asked_ok_o(x_ok),
    .line_valid_o(info_valid), .line_ready_i(info_pop), .line_ok_o(info_ok), .line_addr_o(info_addr),
    .line_conflict_o({info_conf, info_at}),
    .beat_valid_o(beat_valid), .beat_ready_i(beat_pop), .beat_err_o(beat_err), .beat_o(beat_data)
  );

  // ------------------------------------------------------------------------------------------------ out stages
  // O1 holds a token and the RAM's answer to it; nothing passes it. A miss writes its victim back from that answer,
  // meanwhile puts its fill into the RAM beat by beat, reads the line again, and goes on as a hit. O2 offers the token;
  // what its accept brings is written a cycle later, and is the only other writer of the RAM.
  //   tokens -> O1 <-> RAM -> O2 -> out
  //              |      ^ `-> write-back
  //            fill ----'
  localparam int unsigned TokBits = 24 + TokenW + IdxW + SeqW + 4;
  localparam int unsigned CntW    = (Beats > 1) ? $clog2(Beats) : 1;
  logic               h_valid, h_pop;      // the token that goes to O1
  logic [TokBits-1:0] h_data, s1_data, o1_data_q;
  logic               h_may, h_open, h_by, h_free;   // may one go, early; O1 has a place: without, with the accept
  logic               held;                // tokens wait for it
  logic [IdxW-1:0]    h_idx, s1_idx;

  if (Ways == 2) begin : g_idx2
    assign s1_idx = {way, s1_set};
  end else begin : g_idx1
    assign s1_idx = s1_set;
  end

  assign s1_data = {s1_id, s1_token, s1_idx, s1_seq, bad || none, miss, victim, s1_inval};
  if (Pass) begin : g_pass
    ohca_ctx_park #(.Depth(Depth), .Fills(Fills), .SetW(SetW), .IdxW(IdxW), .TokBits(TokBits)) u_park (
      .clk_i, .rst_i, .held_o(held), .s0_open_i(s0_open), .s0_set_i(s0_set), .s1_valid_i(s1_valid),
      .s1_drop_i(s1_drop), .s1_inval_i(s1_inval), .s1_set_i(s1_set), .s1_idx_i(s1_idx), .s1_data_i(s1_data),
      .bad_i(bad), .miss_i(miss), .way_i(way), .ready_o(tok_ready), .push_i(tok_push), .fill_i(info_push),
      .fill_ok_i(x_ok),
      .beat_i(rd_rsp_valid_i), .beat_last_i(rd_rsp_last_i), .pass_i(!o1_valid_q && !iv_q), .valid_o(h_valid),
      .may_o(h_may), .pop_i(h_pop), .idx_o(h_idx), .data_o(h_data)
    );
  end else begin : g_order
    // An empty FIFO is passed by.
    logic               q_valid;
    logic [TokBits-1:0] q_data;
    logic               unused_order;
    assign unused_order = &{1'b0, x_ok, info_push, s0_open, s0_set, s1_drop, way};
    assign h_valid = q_valid || tok_push;
    assign h_may   = q_valid || s1_valid;
    assign h_data  = q_valid ? q_data : s1_data;
    assign h_idx   = h_data[4+SeqW +: IdxW];
    assign held    = q_valid;
    ohca_fifo #(.Width(TokBits), .Depth(Depth), .UseRam(1'b0)) u_tokens (
      .clk_i(clk_i), .rst_i(rst_i), .valid_i(tok_push && (q_valid || !h_pop)), .ready_o(tok_ready), .data_i(s1_data),
      .valid_o(q_valid), .ready_i(h_pop), .data_o(q_data), .count_o(), .almost_full_o()
    );
  end

  // fresh: the answer shows the last write of the line; if not, it is read again.
  logic               o1_valid_q, o1_fresh_q, o1_fresh, o1_fill_q, o1_go, o1_move, o1_reread, o1_same, o1_hand, w_take;
  logic [23:0]        o1_id;
  logic [TokenW-1:0]  o1_token;
  logic [IdxW-1:0]    o1_idx;
  logic [SeqW-1:0]    o1_seq;
  logic               o1_bad, o1_miss, o1_victim, o1_inval;
  // Meta data beside the line: {dirty, hot, poison, read failed, bus address}. Poison: the fill failed, but (hot) that
  // half is right.
  logic               m_dirty, m_hot, m_poison, m_dma;
  logic [AdrW-1:0]    m_addr;
  logic [LineBits-1:0] m_line;

  logic                o2_valid_q, o2_err_q, o2_inval_q, o2_bad_q;
  logic [23:0]         o2_id_q;
  logic [TokenW-1:0]   o2_token_q;
  logic [IdxW-1:0]     o2_idx_q;
  logic [AdrW-1:0]     o2_addr_q;
  logic [HotBits-1:0]  o2_hot_q;
  logic [KeepBits-1:0] o2_line;
  logic                o2_accept, o2_we, o2_ram_we, o2_open, o2_keep;
  // What was accepted with new content is written a cycle later.
  logic                w_valid_q, w_hit;
  logic [IdxW-1:0]     w_idx_q;
  logic [AdrW-1:0]     w_addr_q;
  logic [HotBits-1:0]  w_line_q;
  logic                wb_busy, iv_q, iv_new_q, iv_wait_q, iv_read_q, iv_load_q, iv_take;
  logic                fill_other, fill_ok, fill_start, fill_go, fill_we, fill_last, fill_done, fill_err, fill_err_q;
  logic [CntW-1:0]     fill_at_q;
  logic [IdxW-1:0]     ram_waddr, ram_raddr;
  logic                ram_ren;

  assign {o1_id, o1_token, o1_idx, o1_seq, o1_bad, o1_miss, o1_victim, o1_inval} = o1_data_q;

  assign o1_same   = o2_valid_q && !o2_bad_q && o2_idx_q == o1_idx;
  assign w_hit     = w_valid_q && w_idx_q == o1_idx;
  assign o1_hand   = !Late && o1_same;
  assign w_take    = w_hit && !o1_miss && !o1_hand;
  assign o1_fresh  = o1_fresh_q && !w_hit;
  // A miss that has been filled is as good as a hit. What is read again cannot go on in this cycle.
  assign o1_reread = o1_valid_q && !o1_fresh && !w_hit && !o1_hand && !o1_bad &&
      (!o1_miss || o1_fill_q || (o1_victim && !ReadOnly)) && !iv_q;

  // The same line as in O2 can only be the same number: its content is handed over, or (Late) taken a cycle after the
  // accept from the register that writes it, so what is found out about a context is no part of a path through here.
  // What is just being written is taken from there in any case. The accept comes last of all, so what hangs on it hangs
  // on it directly: O2 is open whether or not what lies in O1 may go on, and its registers take what lies there.
  always_comb begin
    if (o1_miss)   o1_go = o1_bad || (o1_fill_q && o1_fresh);
    else if (Late) o1_go = o1_bad || (!o1_same && (o1_fresh || w_take));
    else           o1_go = o1_bad || o1_same || o1_fresh || w_take;
  end
  assign o2_open = !iv_q && (!o2_valid_q || (out_ready_i && !o2_inval_q));
  assign o1_move = o1_valid_q && o1_go && o2_open;
  // O1 is free whatever the accept says, or with it.
  assign h_open = !iv_q && (!o1_valid_q || (o1_go && !o2_valid_q));
  assign h_by   = !iv_q && (!o1_valid_q || (o1_go && !o2_inval_q));
  assign h_free = h_open || (h_by && out_ready_i);
  assign h_pop  = h_valid && h_free;

  // Fill. The victim's last write must be behind it, and invalidations before it done. Its write-back takes the RAM's
  // answer. What is not in host memory yet comes from the list of evictions, also if the rest cannot be had, as the
  // line may be evicted again. Then the fill ends when host memory has it, as the tags drop the line without an entry.
  logic fill_act_q;                        // between the first cycle of the fill and its end
  assign fill_ok    = o1_valid_q && o1_miss && !o1_fill_q && !o1_same && !(o2_valid_q && o2_inval_q) && !iv_q &&
                      (!o1_victim || ReadOnly || (o1_fresh && !wb_busy));
  assign fill_start = fill_ok && !fill_act_q;
  assign fill_go    = (fill_ok || fill_act_q) && info_valid && !w_valid_q &&
                      (!info_conf || (v_ready && (!fill_err || v_through)));
  assign fill_other = info_conf && v_good;
  assign fill_we    = fill_go && (info_ok ? beat_valid : fill_other);
  assign fill_last  = Beats == 1 || fill_at_q == CntW'(Beats - 1) || (!info_ok && fill_at_q == CntW'(HotBeats - 1));
  assign fill_done  = fill_go && ((!info_ok && !fill_other) || (fill_we && fill_last));
  assign fill_err   = !info_ok || beat_err || (fill_at_q != '0 && fill_err_q);
  assign {beat_pop, info_pop, f_take} = {fill_we && info_ok, fill_done, fill_done};

  // ------------------------------------------------------------------------------------------------ RAM
  // It is read also for a token that then does not come, as the tags say that late.
  assign ram_ren   = (h_may && h_open) || o1_reread || iv_read_q || (h_may && h_by && out_ready_i);
  assign ram_raddr = iv_read_q ? o2_idx_q : o1_reread ? o1_idx : h_idx;
  assign ram_waddr = w_valid_q ? w_idx_q : o1_idx;

  ohca_ctx_lines #(
    .DW(DW), .LineBytes(LineBytes), .Lines(Sets * Ways), .KeepBits(KeepBits), .HotBits(ReadOnly ? 0 : HotBits)
  ) u_lines (
    .clk_i(clk_i), .waddr_i(ram_waddr), .we_i(w_valid_q), .hot_i(w_line), .fill_i(fill_we), .at_i(fill_at_q),
    .beat_i(beat_data), .other_i(fill_other), .other_line_i(v_line1), .ren_i(ram_ren), .raddr_i(ram_raddr),
    .line_o(m_line)
  );
  localparam int unsigned Hot1 = ReadOnly ? 1 : HotBits;
  logic [Hot1-1:0] w_line, v_line1;
  assign {w_line, v_line1} = {Hot1'(w_line_q), Hot1'(v_line)};

  if (ReadOnly) begin : g_ro
    ohca_ram_sdp #(
      .Width(2), .Depth(Sets * Ways), .OldData(1'b0)
    ) u_meta (
      .clk_i(clk_i), .wr_en_i(fill_done), .wr_be_i(1'b1), .wr_addr_i(ram_waddr), .wr_data_i({fill_err, info_ok}),
      .rd_en_i(ram_ren), .rd_addr_i(ram_raddr), .rd_data_o({m_poison, m_dma})
    );
    assign {m_dirty, m_hot} = '0;
    assign m_addr    = '0;
    assign o2_we     = 1'b0;
    assign o2_ram_we = 1'b0;
    assign w_valid_q = 1'b0;
    assign w_idx_q   = '0;
    assign w_addr_q  = '0;
    assign w_line_q  = '0;
    logic unused_ro;
    assign unused_ro = &{1'b0, out_we_i, out_wline_i, info_addr, o2_addr_q, o2_we, beat_data, o2_ram_we};
  end else begin : g_rw
    ohca_ram_sdp #(
      .Width(4 + AdrW), .Depth(Sets * Ways), .OldData(1'b0)
    ) u_meta (
      .clk_i(clk_i), .wr_en_i(w_valid_q || fill_done), .wr_be_i(1'b1), .wr_addr_i(ram_waddr),
      .wr_data_i(w_valid_q ? {4'b1000, w_addr_q} : {1'b0, fill_other, fill_err, info_ok, info_addr}),
      .rd_en_i(ram_ren), .rd_addr_i(ram_raddr), .rd_data_o({m_dirty, m_hot, m_poison, m_dma, m_addr})
    );
    assign o2_we     = out_we_i && !o2_err_q;
    assign o2_ram_we = o2_accept && o2_we;
    always_ff @(posedge clk_i) begin
      if (rst_i) w_valid_q <= 1'b0;
      else       w_valid_q <= o2_ram_we;
      if (o2_valid_q) begin
        w_idx_q  <= o2_idx_q;
        w_addr_q <= o2_addr_q;
        w_line_q <= out_wline_i[HotBits-1:0];
      end
    end
  end

  // ------------------------------------------------------------------------------------------------ O2
  assign nx_valid_o  = o1_valid_q;
  assign nx_token_o  = o1_token;
  assign out_valid_o = o2_valid_q;
  assign out_line_o  = LineBits'(o2_line);
  assign {out_id_o, out_token_o, out_err_o, out_inval_o} = {o2_id_q, o2_token_q, o2_err_q, o2_inval_q};
  assign o2_accept   = out_valid_o && out_ready_i;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      o1_valid_q <= 1'b0;
      o2_valid_q <= 1'b0;
      fill_act_q <= 1'b0;
      fill_at_q  <= '0;
    end else begin
      if (h_free)         o1_valid_q <= h_valid;
      if (o1_move)        o2_valid_q <= 1'b1;
      else if (o2_accept) o2_valid_q <= 1'b0;
      if (fill_done) fill_act_q <= 1'b0;
      else if (fill_ok) fill_act_q <= 1'b1;
      if (fill_we) fill_at_q <= fill_last ? '0 : fill_at_q + CntW'(1);
    end
    if (h_free) o1_data_q <= h_data;       // whether a token comes or not, which is known later
    if (h_free) o1_fill_q <= 1'b0;
    else if (fill_done) o1_fill_q <= 1'b1;
    if (h_free) o1_fresh_q <= !(w_valid_q && w_idx_q == h_idx);
    else        o1_fresh_q <= (o1_fresh || o1_reread) && !fill_done && !iv_read_q;
    if (fill_we) fill_err_q <= fill_err;

    if (o2_open && o1_valid_q) begin
      o2_id_q    <= o1_id;
      o2_token_q <= o1_token;
      o2_idx_q   <= o1_idx;
      o2_bad_q   <= o1_bad;
      o2_inval_q <= o1_inval;
      if (o1_bad) begin
        o2_err_q  <= 1'b1;
      end else if (!o1_hand) begin
        o2_err_q  <= !w_take && m_poison;
        o2_addr_q <= w_take ? w_addr_q : m_addr;
      end
    end
    if (o2_open && o1_valid_q && !o2_keep) begin
      o2_hot_q <= w_take ? w_line_q : o1_hand ? out_wline_i[HotBits-1:0] : m_line[HotBits-1:0];
      // Where there is no content bit 0 says why, and is the line's own flop.
      if (o1_bad) o2_hot_q[0] <= 1'b0;
      else if (!o1_hand && !w_take && m_poison) o2_hot_q[0] <= m_dma;
    end
  end
  // What no accept changes is right in each answer of the RAM.
  if (KeepBits > HotBits) begin : g_cold
    logic [KeepBits-HotBits-1:0] cold_q;
    always_ff @(posedge clk_i) if (o2_open && o1_valid_q) cold_q <= m_line[KeepBits-1:HotBits];
    assign o2_line = {cold_q, o2_hot_q};
  end else begin : g_hot
    assign o2_line = o2_hot_q;
  end
  assign o2_keep = !o1_bad && o1_hand && (Same == 1 ? o2_err_q : !o2_we);
  `ASSERT(Same_A, Same != 1 || !o2_accept || out_we_i || o2_err_q || out_wline_i[HotBits-1:0] == o2_hot_q)

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
  // invalidated line is read once more for it (iv).
  assign iv_take    = !ReadOnly && o2_accept && o2_inval_q && !o2_bad_q;
  assign ev_resolve = iv_load_q || (!ReadOnly && fill_start && o1_victim);
  ohca_ctx_wb #(.DW(DW), .LineBytes(LineBytes), .HotBytes(HotBytes), .KeepBits(HotBits)) u_wb (
    .clk_i, .rst_i, .busy_o(wb_busy), .load_i(ev_resolve && m_dirty), .line_i(m_line[HotBits-1:0]), .addr_i(m_addr),
    .taken_o(wb_taken), .wr_valid_o, .wr_ready_i, .wr_o, .wr_dat_valid_o, .wr_dat_ready_i, .wr_dat_o, .wr_dat_last_o
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      iv_q      <= 1'b0;
      iv_new_q  <= 1'b0;
      iv_wait_q <= 1'b0;
      iv_read_q <= 1'b0;
      iv_load_q <= 1'b0;
    end else begin
      // accept, write, read, load, stream; before the read another write-back may have to end.
      iv_new_q <= iv_take;
      if (iv_take) iv_q <= 1'b1;
      else if (!iv_new_q && !iv_wait_q && !iv_read_q && !iv_load_q && !wb_busy) iv_q <= 1'b0;
      iv_wait_q <= iv_new_q || (iv_wait_q && wb_busy);
      iv_read_q <= iv_wait_q && !wb_busy;
      iv_load_q <= iv_read_q;
    end
  end

  assign idle_o = !tags_busy && !held && !o1_valid_q && !o2_valid_q && !w_valid_q && !wb_busy && !iv_q &&
      !ev_any && fills_q == '0 && !drop_valid;

  logic unused;
  assign unused = &{1'b0, m_line, v_line, out_wline_i, beat_data, rd_rsp_last_i, drop_ready, wr_issued_i[31:16],
                    wr_acked_i[31:16], w_id};

  // Room is reserved before anything is asked for, so it cannot be full when pushed.
  `ASSERT(DropRoom_A, !(fill_done && fill_err) || drop_ready)
  logic [23:0] w_id;
  always_ff @(posedge clk_i) if (o2_valid_q) w_id <= o2_id_q;
  `ASSERT(Reread_A, !(o1_reread && o1_move))
  `ASSERT(SameMeansSameId_A, !(o1_move && !o1_bad) || ((!o1_hand || (o1_id == o2_id_q && !o1_miss)) &&
                                                       (!w_take || o1_id == w_id)))

endmodule

`default_nettype wire
