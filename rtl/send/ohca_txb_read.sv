// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Packet builder, payload: pieces (txp) and inline words in, fragments out: bytes of one packet after the other, a
// beat of host memory or an inline word each, lying where they came (frag_off_o), to be turned by who joins them.
//
//   txp -> reserve, translate -> read --------+--> order --+
//                     host --> beats ---------|------------+--> fragments
//   inl --------------------------------------+
//
// Pieces run ahead of their descriptors, as far as the beat buffer reaches; a fragment leaves in each cycle in
// which it is taken. A piece is translated only when all that its read needs is reserved: beats, and a place in the
// order. So what is translated is read however long the link stands still, and a memory key that is taken back
// waits for host memory alone (drain_i). A piece that cannot be translated or read, or that says its list ended
// early, is a fragment with frag_err_o and the vendor error; what follows of the packet comes nevertheless. So is one
// that says its QP is gone, or of which that is said until it is translated (gone_i): it is not read (frag_gone_o).
// ready: txp_ready_o follows tpt_ready_i and inside room, inl_ready_o is a flop. Compact: both are flops (a piece every
// third cycle, an inline word every second), that there is room for its beats is one, and what is asked of others
// leaves from registers, as translations come into one. It does NOT check that pieces add up to their packet's length,
// and does not count what leaves.
// lint: DW=128
// lint: DW=512

`include "ohca_assert.svh"
`default_nettype none

module ohca_txb_read #(
  parameter int unsigned DW       = 64,
  parameter int unsigned BufBytes = 16384,   // payload read ahead, power of two, at least 8192
  parameter int unsigned Pieces   = 64,      // pieces whose data is awaited, power of two
  parameter int unsigned InlDepth = 32,      // inline words waiting, power of two
  parameter bit          Compact  = 1'b0,    // one inline word waits, in flops
  localparam int unsigned Lanes   = DW / 8,
  localparam int unsigned LaneW   = $clog2(Lanes)
) (
  input  logic                       clk_i,
  input  logic                       rst_i,
  output logic                       idle_o,
  input  logic                       drain_i,        // a cycle: mark the pieces inside
  output logic                       draining_o,     // some of them are translated and have not been read yet

  input  logic                       txp_valid_i,
  output logic                       txp_ready_o,
  input  ohca_fmt_pkg::txp_t         txp_i,
  input  logic [7:0]                 gone_i,         // by slot, of pieces that are not of responses
  input  logic                       inl_valid_i,
  output logic                       inl_ready_o,
  input  logic [127:0]               inl_i,          // first byte in [7:0]

  output logic                       tpt_valid_o,
  input  logic                       tpt_ready_i,
  output ohca_fmt_pkg::tpt_req_t     tpt_o,
  input  logic                       tpt_rsp_valid_i,
  input  ohca_fmt_pkg::tpt_rsp_t     tpt_rsp_i,

  output logic                       rd_valid_o,
  input  logic                       rd_ready_i,
  output ohca_fmt_pkg::dma_rd_req_t  rd_o,
  input  logic                       rd_rsp_valid_i,
  input  logic [DW-1:0]              rd_rsp_data_i,
  input  logic                       rd_rsp_err_i,

  output logic                       frag_valid_o,
  input  logic                       frag_take_i,
  output logic [DW-1:0]              frag_data_o,    // frag_n_o bytes from lane frag_off_o on
  output logic [LaneW-1:0]           frag_off_o,
  output logic [LaneW:0]             frag_n_o,       // 0 with frag_err_o
  output logic                       frag_last_o,    // of the packet
  output logic                       frag_err_o,     // its packet is to be discarded
  output logic                       frag_gone_o,    // with frag_err_o: and nobody is to be told
  output logic                       frag_short_o,   // with frag_err_o: the list ended before the data
  output ohca_fmt_pkg::vendor_err_e  frag_verr_o     // with frag_err_o
);

  localparam int unsigned BufBeats = BufBytes / Lanes;
  localparam int unsigned CntW     = $clog2(BufBeats) + 1;
  localparam int unsigned BeatW    = 13 - LaneW + 1;         // beats of one piece
  localparam int unsigned OrderW   = 5 + 8 + LaneW + 13;
  localparam logic [LaneW:0] InlRoom = DW == 64 ? (LaneW+1)'(8) : (LaneW+1)'(16);   // of an inline word in a fragment

  // -------------------------------------------------------------------------------- pieces: reserve, translate
  ohca_fmt_pkg::txp_t s_q;
  logic               s_valid_q, s_host, s_gone, s_go, s_fits, s_room, s_room_q, s_ask, s_asked;
  logic               s_place_q;
  ohca_fmt_pkg::tpt_req_t                s_tpt;
  logic [ohca_fmt_pkg::TPT_REQ_BITS-1:0] tpt_flat;
  logic [BeatW-1:0]   s_beats_q;
  logic [CntW-1:0]    free_q;              // beats that nobody has reserved
  logic               iq_valid, iq_ready, iq_pop;
  logic               i_host, i_gone, i_bad, i_last;
  logic [LaneW-1:0]   i_off;
  logic [12:0]        i_len;
  logic [BeatW-1:0]   i_beats;
  logic [13:0]        p_span;

  assign p_span      = 14'(txp_i.va[LaneW-1:0]) + 14'(txp_i.len) + 14'(Lanes - 1);
  assign s_host      = !s_q.inl && !s_q.bad;
  // A piece that is offered to translation stays so: what it comes to is not used then.
  assign s_gone      = s_q.gone || (gone_i[s_q.slot] && !s_q.remote && !s_q.inl);
  // Nobody else takes beats, so what fits stays so.
  assign s_fits      = free_q >= CntW'(s_beats_q);
  always_ff @(posedge clk_i) s_room_q <= s_valid_q && !s_go && s_fits;
  assign s_room      = Compact ? s_room_q : s_fits;
  assign s_ask       = s_valid_q && s_host && s_room && s_place_q && iq_ready;
  assign s_go        = s_valid_q && iq_ready && s_place_q && (!s_host || (s_room && s_asked));
  assign txp_ready_o = !s_valid_q || (s_go && !Compact);

  always_comb begin
    s_tpt         = '0;
    s_tpt.need_rr = s_q.remote;
    s_tpt.priv    = s_q.priv;
    s_tpt.pd      = s_q.pd;
    s_tpt.key     = s_q.key;
    s_tpt.va      = s_q.va;
    s_tpt.chk_len = 32'(s_q.len);
  end
  ohca_hop #(.Width(ohca_fmt_pkg::TPT_REQ_BITS), .On(Compact)) u_ask (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(s_ask), .ready_o(s_asked), .data_i(s_tpt),
    .valid_o(tpt_valid_o), .ready_i(tpt_ready_i), .data_o(tpt_flat)
  );
  assign tpt_o = ohca_fmt_pkg::tpt_req_t'(tpt_flat);

  always_ff @(posedge clk_i) begin
    if (rst_i) s_valid_q <= 1'b0;
    else if (txp_ready_o || s_go) s_valid_q <= txp_valid_i && txp_ready_o;
    if (txp_ready_o && txp_valid_i) begin
      s_q       <= txp_i;
      s_beats_q <= BeatW'(p_span >> LaneW);
    end
  end

  // -------------------------------------------------------------------------------- pieces: read
  ohca_fifo #(.Width(4 + LaneW + 13 + BeatW), .Depth(16)) u_issue (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(s_go), .ready_o(iq_ready),
    .data_i({s_host, s_gone, s_q.bad, s_q.last, s_q.va[LaneW-1:0], s_q.len, s_beats_q}),
    .valid_o(iq_valid), .ready_i(iq_pop), .data_o({i_host, i_gone, i_bad, i_last, i_off, i_len, i_beats}),
    .count_o(), .almost_full_o()
  );

  logic                                  a_valid, t_valid, t_ready, t_ok;
  logic [7:0]                            t_verr;
  logic [63:0]                           t_addr;
  logic [72:0]                           a;              // an answer of the translation
  if (Compact) begin : g_answer
    always_ff @(posedge clk_i) begin
      a_valid <= tpt_rsp_valid_i && !rst_i;
      a       <= {tpt_rsp_i.ok, tpt_rsp_i.verr, tpt_rsp_i.addr};
    end
  end else begin : g_answer_now
    assign {a_valid, a} = {tpt_rsp_valid_i, tpt_rsp_i.ok, tpt_rsp_i.verr, tpt_rsp_i.addr};
  end
  ohca_fifo #(.Width(73), .Depth(Compact ? 16 : 32)) u_translated (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(a_valid), .ready_o(t_ready), .data_i(a),
    .valid_o(t_valid), .ready_i(iq_pop && i_host), .data_o({t_ok, t_verr, t_addr}), .count_o(), .almost_full_o()
  );

  logic i_known, i_fail, oq_valid, oq_ready, oq_pop, oo_valid, oo_take, rq_valid, rq_ready;
  ohca_fmt_pkg::dma_rd_req_t rq;
  logic [OrderW-1:0] oo;
  logic [12:0]       oo_q;                       // flags of the oldest piece
  assign i_known    = iq_valid && (!i_host || t_valid) && oq_ready;
  assign i_fail     = i_host && (!t_ok || i_gone);
  assign rq_valid   = i_known && i_host && t_ok && !i_gone;
  assign rq.addr    = t_addr;
  assign rq.len     = i_len;
  assign rq.tag     = 8'd0;
  assign iq_pop     = i_known && (!rq_valid || rq_ready);
  logic [ohca_fmt_pkg::DMA_RD_REQ_BITS-1:0] rd_flat;
  ohca_hop #(.Width(ohca_fmt_pkg::DMA_RD_REQ_BITS), .On(Compact)) u_request (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(rq_valid), .ready_o(rq_ready), .data_i(rq),
    .valid_o(rd_valid_o), .ready_i(rd_ready_i), .data_o(rd_flat)
  );
  assign rd_o = ohca_fmt_pkg::dma_rd_req_t'(rd_flat);

  logic             o_host, o_gone, o_fail, o_bad, o_last;
  logic [7:0]       o_verr;
  ohca_fifo #(.Width(OrderW), .Depth(Pieces), .UseRam(1'b0)) u_order (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(iq_pop), .ready_o(oq_ready),
    .data_i({i_host, i_fail, i_bad, i_gone, i_last, t_verr, i_off, i_len}),
    .valid_o(oo_valid), .ready_i(oo_take), .data_o(oo), .count_o(), .almost_full_o()
  );
  // The oldest piece lies in registers.
  assign oo_take = !oq_valid || oq_pop;
  assign {o_host, o_fail, o_bad, o_gone, o_last, o_verr} = oo_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) oq_valid <= 1'b0;
    else if (oo_take) oq_valid <= oo_valid;
    if (oo_take) oo_q <= oo[OrderW-1 -: 13];
  end

  logic          b_valid, b_ready, b_pop, b_gone_q, b_err;
  logic [DW-1:0] b_data;
  ohca_fifo #(.Width(1 + DW), .Depth(BufBeats)) u_beats (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(rd_rsp_valid_i), .ready_o(b_ready), .data_i({rd_rsp_err_i, rd_rsp_data_i}),
    .valid_o(b_valid), .ready_i(b_pop), .data_o({b_err, b_data}), .count_o(), .almost_full_o()
  );

  // What leaves the queue of translated pieces counts a cycle late: that it does is known late.
  logic             left_fail_q, left_read_q;
  logic [BeatW-1:0] left_beats_q;
  always_ff @(posedge clk_i) begin
    left_fail_q  <= iq_pop && i_fail && !rst_i;
    left_read_q  <= rq_valid && rq_ready && !rst_i;
    left_beats_q <= i_beats;
    if (rst_i) free_q <= CntW'(BufBeats);
    else       free_q <= free_q - ((s_go && s_host) ? CntW'(s_beats_q) : '0) +
                         (left_fail_q ? CntW'(left_beats_q) : '0) + CntW'(Compact ? b_gone_q : b_pop);
    b_gone_q <= b_pop && !rst_i;       // what is taken is known late
  end

  // Pieces from their translation to their end, which all have a place in u_order.
  localparam int unsigned PlaceW = $clog2(Pieces) + 1;
  logic [PlaceW-1:0] places_q, places_d;
  assign places_d = places_q + PlaceW'(s_go) - PlaceW'(oq_pop);
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      places_q  <= '0;
      s_place_q <= 1'b1;
    end else begin
      places_q  <= places_d;
      s_place_q <= places_d != PlaceW'(Pieces);
    end
  end

  // A mark waits for the pieces that are not issued yet, then for the beats of the reads that are under way. All of it
  // counts a cycle later, and draining_o is a flop: it comes from afar.
  logic            drain_q, issued_q, translated_q, unissued, mark_q;
  always_ff @(posedge clk_i) begin
    drain_q      <= drain_i && !rst_i;
    translated_q <= s_go && !rst_i;
    issued_q     <= iq_pop && !rst_i;
  end
  logic [CntW-1:0] flying_q, flying_d, left_q;
  ohca_drain #(.Max(31)) u_drain (
    .clk_i(clk_i), .rst_i(rst_i), .enter_i(translated_q), .leave_i(issued_q), .mark_i(drain_q), .pending_o(unissued)
  );
  assign flying_d   = flying_q + (left_read_q ? CntW'(left_beats_q) : '0) - CntW'(rd_rsp_valid_i);
  always_ff @(posedge clk_i) begin
    draining_o <= (drain_i || drain_q || mark_q || unissued || left_q != '0) && !rst_i;
    if (rst_i) begin
      flying_q <= '0;
      left_q   <= '0;
      mark_q   <= 1'b0;
    end else begin
      flying_q <= flying_d;
      if (drain_q)                   mark_q <= 1'b1;
      else if (!unissued)            mark_q <= 1'b0;
      if (mark_q && !unissued)       left_q <= flying_d;
      else if (rd_rsp_valid_i && left_q != '0) left_q <= left_q - CntW'(1);
    end
  end

  logic         n_valid, n_pop, l_valid;
  logic [127:0] n_data, l_data;
  logic         inl_hop, inl_free, inl_most, inl_room_q;   // room for one that comes now and one a cycle later
  ohca_hop #(.Width(128), .On(Compact)) u_near (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(inl_valid_i && inl_ready_o), .ready_o(inl_hop), .data_i(inl_i),
    .valid_o(l_valid), .ready_i(inl_free), .data_o(l_data)
  );
  ohca_fifo #(.Width(128), .Depth(InlDepth), .Single(Compact), .AlmostFull(InlDepth - 1)) u_inline (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(l_valid), .ready_o(inl_free), .data_i(l_data),
    .valid_o(n_valid), .ready_i(n_pop), .data_o(n_data), .count_o(), .almost_full_o(inl_most)
  );
  always_ff @(posedge clk_i) inl_room_q <= !inl_most && !rst_i;
  assign inl_ready_o = Compact ? inl_hop : inl_room_q;
  `ASSERT(InlRoom_A, !inl_ready_o || inl_hop)

  // -------------------------------------------------------------------------------- fragments
  // A fragment is what one beat of a piece, or one inline word, contributes. What the next one is lies in registers: of
  // the piece that comes it is worked out as the piece leaves the order, of the same piece from what it leaves.
  logic             x_host, x_fail, x_bad, x_void, x_end, n_end, end_q, void_q, n_word_end;
  logic [LaneW-1:0] x_off, off_q;
  logic [12:0]      x_len, rem_q;               // of the piece, behind the fragment
  logic [LaneW:0]   x_room, n_room, n_q;

  assign {x_host, x_fail, x_bad} = oo[OrderW-1 -: 3];
  assign {x_off, x_len}          = oo[LaneW+12:0];
  assign x_void = x_fail || x_bad;
  assign x_room = x_host ? (LaneW+1)'(Lanes) - {1'b0, x_off} : InlRoom;
  assign x_end  = x_void || x_len <= 13'(x_room);
  assign n_room = o_host ? (LaneW+1)'(Lanes) : InlRoom;
  assign n_end  = rem_q <= 13'(n_room);

  always_ff @(posedge clk_i) begin
    if (oo_take) begin
      void_q <= x_void;
      off_q  <= x_host ? x_off : '0;
      n_q    <= x_void ? '0 : x_end ? (LaneW+1)'(x_len) : x_room;
      end_q  <= x_end;
      rem_q  <= x_len - 13'(x_room);
    end else if (frag_take_i) begin
      off_q  <= '0;
      n_q    <= n_end ? (LaneW+1)'(rem_q) : n_room;
      end_q  <= n_end;
      rem_q  <= rem_q - 13'(n_room);
    end
  end

  assign frag_off_o   = off_q;
  assign frag_n_o     = n_q;
  assign frag_last_o  = end_q && o_last;
  assign frag_gone_o  = o_gone;
  assign frag_short_o = o_bad;
  assign frag_verr_o  = o_bad ? ohca_fmt_pkg::VENDOR_ERR_LENGTH :
                        o_fail ? ohca_fmt_pkg::vendor_err_e'(o_verr) : ohca_fmt_pkg::VENDOR_ERR_DMA;
  assign frag_err_o   = void_q || (o_host && b_err);
  assign frag_valid_o = oq_valid && (void_q || (o_host ? b_valid : n_valid));
  assign oq_pop       = frag_take_i && end_q;
  assign b_pop        = frag_take_i && o_host && !void_q;
  assign n_pop        = frag_take_i && !o_host && !void_q && (n_word_end || end_q);

  if (DW == 64) begin : g_half
    logic half_q;
    always_ff @(posedge clk_i) begin
      if (rst_i || n_pop) half_q <= 1'b0;
      else if (frag_take_i && !o_host && !void_q) half_q <= !half_q;
    end
    assign n_word_end  = half_q;
    assign frag_data_o = o_host ? b_data : half_q ? n_data[127:64] : n_data[63:0];
  end else begin : g_whole
    assign n_word_end  = 1'b1;
    assign frag_data_o = o_host ? b_data : DW'(n_data);
  end

  assign idle_o = !txp_valid_i && !s_valid_q && !iq_valid && !oo_valid && !oq_valid && free_q[CntW-1] && !n_valid &&
                  !(Compact && l_valid);

  logic unused;
  assign unused = &{1'b0, t_ready, b_ready, tpt_rsp_i.tag};

  `ASSERT(TranslatedRoom_A, !a_valid || t_ready)
  `ASSERT(BeatRoom_A, !rd_rsp_valid_i || b_ready)
  `ASSERT(Place_A, !iq_valid || oq_ready)
  `ASSERT(PieceLen_A, !txp_valid_i || txp_i.bad || txp_i.len != '0)
  `ASSERT(PieceInPage_A, !txp_valid_i || txp_i.bad || txp_i.inl || {1'b0, txp_i.va[11:0]} + txp_i.len <= 13'd4096)

endmodule

`default_nettype wire
