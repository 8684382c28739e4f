// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Placement: moves pieces of received packets from the receive buffer to host memory, at any alignment, translated and
// checked. One beat per cycle; a piece costs one cycle more when source and destination differ in alignment. Request to
// write request: 5 cycles + translation.
//
//   clients -> per packet -> split at 4 KiB -> translate ..Depth.. -> verdict ..Pieces.. -> write request -> read
//   buffer -> rotate, join -> beats, answer
//
// Nothing of a packet is written before all its pieces were translated: the first failure refuses the whole packet and
// is the answer. A packet can name the one before it of its QP (chain, prev): when that was refused, it is refused too.
// Verdicts are made ahead of the writing, one piece per cycle, so packets of one QP follow each other without a gap.
// The answer comes, from flops, in the cycle after the last beat was accepted, so its receive slot may be released, and
// a later write request is behind it. Translation is asked for only when there is room for its answer. It does NOT
// check that len covers what the packet really holds.
`include "ohca_assert.svh"
`include "ohca_lazy.svh"
`default_nettype none

module ohca_place #(
  parameter int unsigned DW       = 64,
  parameter int unsigned BufBytes = 32768,     // receive buffer, power of two; addresses wrap
  parameter int unsigned Depth    = 16,        // pieces between translation request and verdict, power of two
  parameter int unsigned Pieces   = 64,        // pieces between verdict and write request, power of two; a packet with
                                               // as many is refused
  parameter bit          Compact  = 1'b0,      // a piece's outcome is looked up by flops, a cycle later
  localparam int unsigned Lanes   = DW / 8,
  localparam int unsigned AddrW   = $clog2(BufBytes / Lanes)
) (
  input  logic                                           clk_i,
  input  logic                                           rst_i,
  output logic                                           idle_o,
  input  logic                                           drain_i,        // a cycle: mark what is inside
  output logic                                           draining_o,     // some of it is not written yet

  // 0 responder, 1 acknowledge engine, 2 management datagrams
  input  logic [2:0]                                     req_valid_i,
  output logic [2:0]                                     req_ready_o,
  input  logic [2:0][ohca_fmt_pkg::PL_REQ_BITS-1:0]      req_i,
  output logic [2:0]                                     rsp_valid_o,    // one-hot; must be taken
  output ohca_fmt_pkg::pl_rsp_t                          rsp_o,

  output logic                                           rb_en_o,
  output logic [AddrW-1:0]                               rb_addr_o,      // words of DW bits
  input  logic [DW-1:0]                                  rb_data_i,      // one cycle later

  output logic                                           tpt_valid_o,
  input  logic                                           tpt_ready_i,
  output ohca_fmt_pkg::tpt_req_t                         tpt_o,
  input  logic                                           tpt_rsp_valid_i,
  input  ohca_fmt_pkg::tpt_rsp_t                         tpt_rsp_i,

  output logic                                           wr_valid_o,
  input  logic                                           wr_ready_i,
  output ohca_fmt_pkg::dma_wr_req_t                      wr_o,
  output logic [23:0]                                    wr_qpn_o,       // whose it is, from the request
  output logic                                           wr_dat_valid_o,
  input  logic                                           wr_dat_ready_i,
  output logic [DW-1:0]                                  wr_dat_o,
  output logic                                           wr_dat_last_o,

  output logic                                           mad_we_o,
  output logic [8:0]                                     mad_addr_o,     // dword address
  output logic [31:0]                                    mad_data_o
);

  localparam int unsigned LaneW = $clog2(Lanes);
  localparam int unsigned SrcW  = AddrW + LaneW;
  localparam int unsigned CntW  = 13 - LaneW + 1;      // beats of a piece, and one for the flush

  typedef enum logic [1:0] {
    KindNone,      // only an answer
    KindWrite,
    KindCheck,     // translation, no data
    KindMad
  } kind_e;

  if (SrcW > 20 || (1 << SrcW) != BufBytes || (1 << LaneW) != Lanes || Lanes < 4) begin : g_bad
    $error("ohca_place: BufBytes must be a power of two, at most 2^20, DW a power of two of at least 32");
  end

  // ------------------------------------------------------------------------------------------------ split
  logic                  arb_valid, arb_ready;
  ohca_fmt_pkg::pl_req_t a;

  // Whose turn it is comes from flops. Nobody's request is seen in another one's ready.
  logic [1:0]            turn_q;
  logic                  first_q;          // no packet has begun
  assign arb_valid   = req_valid_i[turn_q];
  assign a           = ohca_fmt_pkg::pl_req_t'(req_i[turn_q]);
  assign req_ready_o = arb_ready ? 3'd1 << turn_q : '0;
  ohca_place_turn u_turn (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(req_valid_i), .last_i(a.last), .fire_i(arb_valid && arb_ready),
    .turn_o(turn_q), .first_o(first_q)
  );

  logic                  s_valid_q, s_cross_q, s_go, s_more, s_tpt, q1_ready;
  logic [1:0]            s_cli_q;
  kind_e                 s_kind_q;
  ohca_fmt_pkg::pl_req_t s_q;
  logic [12:0]           s_room, s_len;

  assign s_room      = 13'd4096 - {1'b0, s_q.va[11:0]};
  assign s_more      = s_kind_q == KindWrite && s_cross_q;
  assign s_len       = s_more ? s_room : s_q.len;
  assign s_tpt       = s_kind_q == KindWrite || s_kind_q == KindCheck;
  assign tpt_valid_o = s_valid_q && s_tpt && q1_ready;
  assign s_go        = s_valid_q && q1_ready && (!s_tpt || tpt_ready_i);
  assign arb_ready   = !s_valid_q || (s_go && !s_more);

  always_comb begin
    tpt_o         = '0;
    tpt_o.need_lw = !s_q.need_rw && !s_q.need_rr;
    tpt_o.need_rw = s_q.need_rw;
    tpt_o.need_rr = s_q.need_rr;
    tpt_o.priv    = s_q.priv;
    tpt_o.pd      = s_q.pd;
    tpt_o.key     = s_q.key;
    tpt_o.va      = s_q.va;
    // At least what is written
    tpt_o.chk_len = (s_q.chk_len[31:13] == '0 && s_q.chk_len[12:0] < s_q.len) ? {19'd0, s_q.len} : s_q.chk_len;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) s_valid_q <= 1'b0;
    else if (arb_ready) s_valid_q <= arb_valid;
    if (arb_ready && arb_valid) begin
      s_q      <= a;
      s_cli_q  <= turn_q;
      // Whether it leaves its page is known when it is split.
      s_cross_q <= {1'b0, a.len} + {2'd0, a.va[11:0]} > 14'd4096;
      s_kind_q <= a.empty ? KindNone : a.mad ? ((a.len == '0) ? KindNone : KindMad) :
          (a.check_only || a.len == '0) ? KindCheck : KindWrite;
      if (a.check_only) s_q.len <= '0;
    end else if (s_go && s_more) begin
      s_q.va      <= {s_q.va[63:12] + 52'd1, 12'd0};
      s_q.src     <= s_q.src + 20'(s_room);
      s_q.len     <= s_q.len - s_room;
      s_cross_q   <= {1'b0, s_q.len} > {1'b0, s_room} + 14'd4096;
      s_q.chk_len <= (s_q.chk_len < 32'(s_room)) ? '0 : s_q.chk_len - 32'(s_room);
    end
  end

  // ------------------------------------------------------------------------------------------------ verdict, in order
  localparam int unsigned OrdW = 24 + 1 + 1 + 2 + 2 + SrcW + 13 + 9 + 14;
  logic              v_valid, v_pop, v_last, v_bad, v_id_v, v_chain;
  logic [OrdW-1:0]   ord_data;
  logic [1:0]        v_kind, v_cli;
  logic [SrcW-1:0]   v_src;
  logic [12:0]       v_len;
  logic [8:0]        v_mad;
  logic [5:0]        v_id, v_prev;
  logic [23:0]       v_qpn, k_qpn;
  // With Compact one more piece lies behind the queue, whose translation wants a place, too, and that there is room
  // comes from a flop, a cycle late.
  logic              e_valid, e_pop, e_room, e_most, e_most_q;
  logic [OrdW-1:0]   e_data;
  always_ff @(posedge clk_i) e_most_q <= e_most;
  assign q1_ready = Compact ? !e_most_q : e_room;
  ohca_fifo #(.Width(OrdW), .Depth(Depth), .UseRam(1'b0), .AlmostFull(Depth - 2)) u_order (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(s_go), .ready_o(e_room),
    .data_i({s_q.qpn, s_q.last && !s_more, s_q.bad && s_q.last && !s_more, s_kind_q, s_cli_q, s_q.src[SrcW-1:0], s_len,
    s_q.va[8:0], s_q.id_v, s_q.id, s_q.chain, s_q.prev}),
    .valid_o(e_valid), .ready_i(e_pop), .data_o(e_data), .count_o(), .almost_full_o(e_most)
  );
  if (Compact) begin : g_next
    ohca_stage #(.Width(OrdW)) u_next (
      .clk_i(clk_i), .rst_i(rst_i), .valid_i(e_valid), .ready_o(e_pop), .data_i(e_data),
      .valid_o(v_valid), .ready_i(v_pop), .data_o(ord_data)
    );
  end else begin : g_now
    assign {v_valid, ord_data, e_pop} = {e_valid, e_data, v_pop};
  end
  assign {v_qpn, v_last, v_bad, v_kind, v_cli, v_src, v_len, v_mad, v_id_v, v_id, v_chain, v_prev} = ord_data;

  logic                                  t_valid, t_ready, t_pop;
  logic [ohca_fmt_pkg::TPT_RSP_BITS-1:0] t_flat;
  ohca_fmt_pkg::tpt_rsp_t                t;
  ohca_fifo #(.Width(ohca_fmt_pkg::TPT_RSP_BITS), .Depth(Depth), .UseRam(1'b0)) u_translated (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(tpt_rsp_valid_i), .ready_o(t_ready), .data_i(tpt_rsp_i),
    .valid_o(t_valid), .ready_i(t_pop), .data_o(t_flat), .count_o(), .almost_full_o()
  );
  assign t = ohca_fmt_pkg::tpt_rsp_t'(t_flat);

  // Pieces wait for their packet's verdict; a refused packet keeps none from the failure on. When one packet fills the
  // queue it is refused, and the last place is for its last piece: so its verdict always comes.
  localparam int unsigned KepW = 24 + 1 + 2 + SrcW + 13 + 64;
  localparam int unsigned PcsW = $clog2(Pieces);
  logic              v_tpt, v_known, v_moves, v_dead, v_flood, v_fail, v_ends, v_keep, v_now, v_room,
      k_near_q;
  logic              k_valid, k_ready, k_pop, k_last, d_valid, d_ready, d_pop, d_fail;
  logic              failed_q;             // a piece of this packet was refused
  logic              v_refuse;             // it is refused, with v_say
  logic [7:0]        v_say, verr_q, v_verr, d_verr;
  logic [1:0]        k_kind, d_cli;
  logic [SrcW-1:0]   k_src;
  logic [12:0]       k_len;
  logic [63:0]       k_addr;
  logic [PcsW:0]     k_count;
  logic [KepW-1:0]   kep_data;
  logic [63:0]       refused_q [2];        // outcome of packets by client and id, for those that follow them
  assign v_tpt   = v_kind == KindWrite || v_kind == KindCheck;
  assign v_moves = v_kind == KindWrite || v_kind == KindMad;
  assign v_dead  = v_chain && refused_q[v_cli[0]][v_prev];
  assign v_flood = v_moves && !v_last && !d_valid && k_near_q;
  assign v_fail  = failed_q || v_dead || (v_tpt && !t.ok) || v_flood || v_bad;
  assign v_verr  = failed_q ? verr_q : v_dead ? ohca_fmt_pkg::VENDOR_ERR_FLUSH : (v_tpt && !t.ok) ? t.verr :
                   v_flood ? ohca_fmt_pkg::VENDOR_ERR_LENGTH :
                   v_bad ? ohca_fmt_pkg::VENDOR_ERR_FLUSH : ohca_fmt_pkg::VENDOR_ERR_NONE;
  assign v_known = v_valid && (!v_tpt || t_valid);
  // Compact: what is known of a piece, and that there is room behind, goes into flops first: a piece in two cycles.
  if (Compact) begin : g_late
    logic       seen_q, fail_q, room_q;
    logic [7:0] said_q;
    always_ff @(posedge clk_i) begin
      seen_q <= v_known && !v_pop && !rst_i;
      room_q <= k_ready && d_ready;
      fail_q <= v_fail;
      said_q <= v_verr;
    end
    assign {v_now, v_room, v_refuse, v_say} = {seen_q, room_q, fail_q, said_q};
  end else begin : g_known
    assign {v_now, v_room, v_refuse, v_say} = {v_known, k_ready && d_ready, v_fail, v_verr};
  end
  // Whether a packet ends does not wait for what comes of it.
  assign v_ends  = v_now && v_last && v_room;
  assign v_keep  = v_now && !v_last && v_moves && !v_refuse && !k_near_q;
  assign v_pop   = v_ends || (v_now && !v_last && (!v_moves || v_refuse || !k_near_q));
  assign t_pop   = v_pop && v_tpt;
  // All places but one are taken: compared a cycle ahead, for each that the count may become. Compact: nothing ends in
  // the cycle after one, so that it comes need not be looked at.
  always_ff @(posedge clk_i) begin
    if (rst_i) k_near_q <= 1'b0;
    else if (!Compact && (v_ends || v_keep))
      k_near_q <= k_count >= (k_pop ? (PcsW+1)'(Pieces - 1) : (PcsW+1)'(Pieces - 2));
    else k_near_q <= k_count >= (k_pop ? (PcsW+1)'(Pieces) : (PcsW+1)'(Pieces - 1));
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) failed_q <= 1'b0;
    else if (v_pop) failed_q <= v_refuse && !v_last;
    if (v_pop) verr_q <= v_say;
    `WHEN(v_ends && v_id_v) for (int unsigned c = 0; c < 2; c++) begin
      for (int unsigned i = 0; i < 64; i++) if (v_ends && v_id_v && v_cli == 2'(c) && v_id == 6'(i))
        refused_q[c][i] <= v_refuse;
    end
  end
  ohca_fifo #(.Width(KepW), .Depth(Pieces)) u_kept (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(v_ends || v_keep), .ready_o(k_ready),
    .data_i({v_qpn, v_last, v_kind, v_src, v_len, v_kind == KindMad ? {55'd0, v_mad} : t.addr}),
    .valid_o(k_valid), .ready_i(k_pop), .data_o(kep_data), .count_o(k_count), .almost_full_o()
  );
  assign {k_qpn, k_last, k_kind, k_src, k_len, k_addr} = kep_data;
  ohca_fifo #(.Width(1 + 2 + 8), .Depth(16), .ValidFlop(1'b1)) u_verdict (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(v_ends), .ready_o(d_ready), .data_i({v_refuse, v_cli, v_say}),
    .valid_o(d_valid), .ready_i(d_pop), .data_o({d_fail, d_cli, d_verr}), .count_o(), .almost_full_o()
  );

  // ------------------------------------------------------------------------------------------------ write request
  ohca_fmt_pkg::dma_wr_req_t x_req;
  logic [ohca_fmt_pkg::DMA_WR_REQ_BITS-1:0] x_flat;
  logic       x_go, x_write, x_fail, x_free, x_done_q, q2_ready, q2_push;
  assign x_fail     = d_fail;
  assign x_go       = k_valid && d_valid && q2_ready;
  assign x_write    = k_kind == KindWrite && !x_fail;
  assign x_req.addr = k_addr;
  assign x_req.len  = k_len;
  assign k_pop      = x_go && (!x_write || (Compact ? x_done_q : x_free));
  // Compact: from a register, and its piece goes on when the request was taken.
  always_ff @(posedge clk_i) x_done_q <= wr_valid_o && wr_ready_i && !rst_i;
  ohca_hop #(.Width(24 + ohca_fmt_pkg::DMA_WR_REQ_BITS), .On(Compact)) u_request (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(x_go && x_write && !(Compact && x_done_q)), .ready_o(x_free),
    .data_i({k_qpn, x_req}),
    .valid_o(wr_valid_o), .ready_i(wr_ready_i), .data_o({wr_qpn_o, x_flat})
  );
  assign wr_o  = ohca_fmt_pkg::dma_wr_req_t'(x_flat);
  assign d_pop = k_pop && k_last;

  // ------------------------------------------------------------------ slots: one buffer word or flush each
  // With the rotation r = (source - destination) mod Lanes, lane i of a beat comes from the older of two neighbouring
  // words while i + r < Lanes, else from the newer. A source lane above the destination lane needs a word ahead of the
  // first beat; a last beat without a newer word is a flush.
  //   direct (r = 0)   word j gives beat j
  //   ahead  (sl > dl) word 0 is only kept, word j gives beat j-1          [a single word gives the single beat]
  //   behind (sl < dl) word j gives beat j
  // All this is made in front of the queue, so that what comes out of it goes into registers as it is.
  logic [LaneW-1:0] sl, dl;
  logic [CntW-1:0]  whole, nwords, nslots;  // k_len / Lanes; words; words and flush - 1
  logic [1:0]       smore, dmore;           // words, beats beyond that
  logic             direct, ahead, flush, single;
  assign sl     = k_src[LaneW-1:0];
  assign dl     = (k_kind == KindMad) ? '0 : k_addr[LaneW-1:0];
  assign smore  = 2'(((LaneW+2)'(sl) + (LaneW+2)'(k_len[LaneW-1:0]) + (LaneW+2)'(Lanes - 1)) >> LaneW);
  assign dmore  = 2'(((LaneW+2)'(dl) + (LaneW+2)'(k_len[LaneW-1:0]) + (LaneW+2)'(Lanes - 1)) >> LaneW);
  assign whole  = CntW'(k_len >> LaneW);
  assign nwords = whole + CntW'(smore);
  assign single = (whole == '0 && smore == 2'd1) || (whole == CntW'(1) && smore == 2'd0);
  assign direct = sl == dl;
  assign ahead  = sl > dl && !single;
  assign flush  = !direct && ((sl > dl) ? (ahead && dmore == smore) : dmore > smore);
  assign nslots = (whole - CntW'(1)) + CntW'(smore + 2'(flush));

  // What moves data or answers; the rest ends here.
  localparam int unsigned Q2W = 1 + 2 + 2 + 8 + AddrW + LaneW + 2 + 2 * CntW + 13 + 9;
  logic             c_valid, c_pop, c_last, c_direct, c_ahead;
  kind_e            x_do;
  logic [Q2W-1:0]   q2_data;
  logic [1:0]       c_kind, c_cli;
  logic [7:0]       c_verr;
  logic [AddrW-1:0] c_addr;
  logic [LaneW-1:0] c_rot;
  logic [CntW-1:0]  c_words, c_slots;
  logic [12:0]      c_len;
  logic [8:0]       c_dst;
  assign x_do    = x_write ? KindWrite : (k_kind == KindMad && !x_fail) ? KindMad : KindNone;
  assign q2_push = k_pop && (k_last || x_do != KindNone);
  ohca_fifo #(.Width(Q2W), .Depth(8)) u_moves (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(q2_push), .ready_o(q2_ready),
    .data_i({k_last, x_do, d_cli, d_verr, k_src[SrcW-1:LaneW], sl - dl, direct || (sl > dl && !ahead), ahead,
             nwords, nslots, k_len, k_addr[8:0]}),
    .valid_o(c_valid), .ready_i(c_pop), .data_o(q2_data), .count_o(), .almost_full_o()
  );
  assign {c_last, c_kind, c_cli, c_verr, c_addr, c_rot, c_direct, c_ahead, c_words, c_slots, c_len, c_dst} = q2_data;

  logic             g_valid_q, g_issue, g_end, g_data_q, g_mad_q, g_last_q, g_direct_q, g_ahead_q, room;
  logic [1:0]       g_cli_q;
  logic [7:0]       g_verr_q;
  logic [LaneW-1:0] g_rot_q;
  logic [AddrW-1:0] g_addr_q;
  logic [CntW-1:0]  g_words_q, g_slots_q, g_at_q;
  logic [8:0]       g_dst_q;
  logic [12:0]      g_len_q;              // bytes from this beat on (MAD)
  assign g_issue = g_valid_q && room;
  assign g_end   = g_at_q == g_slots_q;
  assign c_pop   = !g_valid_q || (g_issue && g_end);

  always_ff @(posedge clk_i) begin
    if (rst_i) g_valid_q <= 1'b0;
    else if (c_pop) g_valid_q <= c_valid;
    if (c_pop && c_valid) begin
      g_data_q   <= c_kind != KindNone;
      g_mad_q    <= c_kind == KindMad;
      g_last_q   <= c_last;
      g_cli_q    <= c_cli;
      g_verr_q   <= c_verr;
      g_rot_q    <= c_rot;
      g_direct_q <= c_direct;
      g_ahead_q  <= c_ahead;
      g_addr_q   <= c_addr;
      g_words_q  <= c_words;
      g_slots_q  <= (c_kind == KindNone) ? '0 : c_slots;
      g_at_q     <= '0;
      g_dst_q    <= c_dst;
      g_len_q    <= c_len;
    end else if (g_issue) begin
      g_at_q   <= g_at_q + CntW'(1);
      g_addr_q <= g_addr_q + AddrW'(1);
      if (!(g_ahead_q && g_at_q == '0)) begin
        g_len_q <= g_len_q - 13'(Lanes);
        g_dst_q <= g_dst_q + 9'(Lanes / 4);
      end
    end
  end
  assign rb_en_o   = g_issue && g_data_q && g_at_q < g_words_q;
  assign rb_addr_o = g_addr_q;

  // ------------------------------------------------------------------------------------------------ rotate, join
  typedef struct packed {
    logic             read;     // a word comes from the buffer
    logic             emit;     // a beat (or a bare answer) goes out
    logic             direct;   // all lanes from the new word
    logic             data;
    logic             mad;
    logic             last;     // last beat of the piece
    logic             rsp;      // and of the packet
    logic [1:0]       cli;
    logic [7:0]       verr;
    logic [8:0]       dst;      // MAD: dword address of the beat
    logic [3:0]       dws;      // MAD: dwords in the beat - 1
  } slot_t;
  localparam int unsigned SlotBits = 7 + 2 + 8 + 9 + 4;
  localparam logic [12:0] MaxDws   = 13'(Lanes / 4);

  slot_t            g, c1_q, c2_q;
  logic             c1_valid_q, c2_valid_q;
  logic [LaneW-1:0] c1_rot_q;
  logic [DW-1:0]    rotated, c2_rot_q, hold_q, joined;
  logic [Lanes-1:0] newer, c2_newer_q;
  logic [12:0]      g_dws;

  assign g_dws = (g_len_q + 13'd3) >> 2;
  always_comb begin
    g.read   = rb_en_o;
    g.emit   = !(g_ahead_q && g_at_q == '0) || !g_data_q;
    g.direct = g_direct_q;
    g.data   = g_data_q;
    g.mad    = g_mad_q;
    g.last   = g_end;
    g.rsp    = g_end && g_last_q;
    g.cli    = g_cli_q;
    g.verr   = g_verr_q;
    g.dst    = g_dst_q;
    g.dws    = (g_dws > MaxDws) ? 4'(MaxDws - 13'd1) : 4'(g_dws - 13'd1);
  end

  ohca_rotate #(.Lanes(Lanes)) u_rotate (.data_i(rb_data_i), .amount_i(c1_rot_q), .data_o(rotated));
  always_comb begin
    for (int unsigned i = 0; i < Lanes; i++) newer[i] = c1_q.direct ||
        (c1_q.read && (LaneW+1)'(i) + {1'b0, c1_rot_q} >= (LaneW+1)'(Lanes));
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      c1_valid_q <= 1'b0;
      c2_valid_q <= 1'b0;
    end else begin
      c1_valid_q <= g_issue;
      c2_valid_q <= c1_valid_q;
    end
    if (g_issue) begin
      c1_q     <= g;
      c1_rot_q <= g_rot_q;
    end
    if (c1_valid_q) begin
      c2_q       <= c1_q;
      c2_newer_q <= newer;
    end
    if (c1_valid_q && c1_q.read) c2_rot_q <= rotated;
    if (c2_valid_q && c2_q.read) hold_q <= c2_rot_q;
  end
  always_comb begin
    for (int unsigned i = 0; i < Lanes; i++) joined[8*i +: 8] = c2_newer_q[i] ? c2_rot_q[8*i +: 8] : hold_q[8*i +: 8];
  end

  // ------------------------------------------------------------------------------------------------ out
  localparam int unsigned OutDepth = 8;
  logic                o_valid, o_pop, o_ready, o_full;
  logic [SlotBits-1:0] o_flat;
  slot_t               o;
  logic [DW-1:0]       o_data;
  // Three slots may be on their way when the FIFO reports that it fills up.
  ohca_fifo #(.Width(SlotBits + DW), .Depth(OutDepth), .AlmostFull(OutDepth - 3)) u_out (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(c2_valid_q && c2_q.emit), .ready_o(o_ready), .data_i({c2_q, joined}),
    .valid_o(o_valid), .ready_i(o_pop), .data_o({o_flat, o_data}), .count_o(), .almost_full_o(o_full)
  );
  assign room = !o_full;
  assign o    = slot_t'(o_flat);

  logic [3:0] mad_at_q;
  logic       mad_end;
  assign wr_dat_valid_o = o_valid && o.data && !o.mad;
  assign wr_dat_o       = o_data;
  assign wr_dat_last_o  = o.last;
  assign mad_we_o       = o_valid && o.data && o.mad;
  assign mad_addr_o     = o.dst + 9'(mad_at_q);
  assign mad_end        = mad_at_q == o.dws;
  assign o_pop          = o_valid && (!o.data || (o.mad ? mad_end : wr_dat_ready_i));
  if (DW == 32) begin : g_mad_one
    assign mad_data_o = o_data;
  end else begin : g_mad_many
    localparam int unsigned PosW = LaneW - 2;
    assign mad_data_o = o_data[32*32'(mad_at_q[PosW-1:0]) +: 32];
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) mad_at_q <= '0;
    else if (mad_we_o) mad_at_q <= mad_end ? '0 : mad_at_q + 4'd1;
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < 3; i++) rsp_valid_o[i] <= !rst_i && o_pop && o.rsp && o.cli == 2'(i);
    rsp_o.verr <= ohca_fmt_pkg::vendor_err_e'(o.verr);
    rsp_o.ok   <= o.verr == ohca_fmt_pkg::VENDOR_ERR_NONE;
  end

  // From a packet's first piece to its answer: nothing that was translated before the mark is written after the drain.
  logic enter_q, drain_q, pending;         // pieces and marks count a cycle later: they come from afar
  always_ff @(posedge clk_i) begin
    enter_q    <= arb_valid && arb_ready && first_q && !rst_i;
    drain_q    <= drain_i && !rst_i;
    draining_o <= (drain_i || drain_q || pending) && !rst_i;
  end
  ohca_drain #(.Max(255)) u_drain (
    .clk_i(clk_i), .rst_i(rst_i), .enter_i(enter_q), .leave_i(|rsp_valid_o), .mark_i(drain_q), .pending_o(pending)
  );

  assign idle_o = !s_valid_q && !e_valid && !v_valid && k_count == '0 && !c_valid && !g_valid_q && !c1_valid_q &&
      !c2_valid_q && !o_valid && !wr_valid_o && rsp_valid_o == '0;

  logic unused;
  assign unused = &{1'b0, t_ready, t.tag, o.read, o.emit, o.direct, a, s_q.last, s_q.empty, s_q.mad, s_q.check_only,
      s_q.src};

  `ASSERT(TranslatedRoom_A, !tpt_rsp_valid_i || t_ready)
  `ASSERT(Near_A, (Compact && !v_now) || k_near_q == (k_count >= (PcsW+1)'(Pieces - 1)))
  `ASSERT(Done_A, !(Compact && x_done_q) || (x_go && x_write))
  `ASSERT(OutRoom_A, !(c2_valid_q && c2_q.emit) || o_ready)

endmodule

`default_nettype wire
