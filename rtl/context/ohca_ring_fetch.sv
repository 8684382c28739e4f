// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Reads pieces of a ring (WQEs) and gives them as 16-byte words in request order, translating the ring's address when
// it is MTT-mapped. From request to host read 3 cycles (plus the translation), from beat to word 2 (3 with Stage); one
// word per cycle (DW = 64: every other cycle). What is left of a word's beat can go with it (pass_i).
//
// An error ends its request with one word that has last and err set, perhaps after good words; verr tells why, its data
// is anything. A request is asked for only when the buffer has room for its whole answer. It does NOT split: a range
// that leaves its 4 KiB page is refused (verr length).
`include "ohca_assert.svh"
`default_nettype none

module ohca_ring_fetch #(
  parameter int unsigned DW       = 64,
  parameter int unsigned Depth    = 8,      // requests outstanding, power of two
  parameter int unsigned BufBytes = 4096,   // answer buffer, power of two; longer requests are refused (verr length)
  parameter bit          Stage    = 1'b0,   // a register behind the buffer: a cycle later, and words from flops
  parameter bit          Single   = 1'b0    // one translation at a time, which the request waits for in its register:
                                            // no queues of addresses, and requests and reads every second cycle
) (
  input  logic                       clk_i,
  input  logic                       rst_i,
  output logic                       idle_o,

  input  logic                       req_valid_i,
  output logic                       req_ready_o,
  input  ohca_fmt_pkg::ring_req_t    req_i,

  output logic                       word_valid_o,
  input  logic                       word_ready_i,
  output ohca_fmt_pkg::ring_word_t   word_o,
  input  logic                       pass_i,            // with the accept: what follows in the beat is not wanted (DW =
                                                        // 64: nothing follows)
  output logic                       pass_last_o,       // the beat has the request's last word, or err
  output logic [DW-1:0]              beat_o,            // DW > 64: the beat as it came

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
  input  logic                       rd_rsp_last_i,
  input  logic                       rd_rsp_err_i
);

  localparam int unsigned Lanes    = DW / 8;
  localparam int unsigned LaneW    = $clog2(Lanes);
  localparam int unsigned BufBeats = BufBytes / Lanes;
  localparam int unsigned CntW     = $clog2(BufBeats) + 1;

  if (DW < 64 || (1 << LaneW) * 8 != DW || (1 << (CntW - 1)) != BufBeats) begin : g_bad
    $error("ohca_ring_fetch: DW and BufBytes must be powers of two, DW at least 64");
  end

  // ------------------------------------------------------------------------------------------------ reserve, translate
  logic              s_valid_q, s_mtt_q, s_bad_q, s_go, room;
  logic [63:0]       s_start_q, start;
  logic [12:0]       s_len_q;
  logic [CntW-1:0]   s_beats_q, free_q;   // beats of the request; beats that nobody has reserved
  logic [13:0]       span;             // bytes from the start of the first beat to the end
  logic              leaves, too_long;

  assign start    = req_i.buf_ + 64'(req_i.offset);
  assign span     = 14'({start[5:4], 4'd0} & 6'(Lanes - 1)) + 14'(req_i.len);
  assign leaves    = {2'd0, start[11:4], 4'd0} + 14'(req_i.len) > 14'd4096;
  assign too_long = 32'(span) > BufBytes;

  logic iq_valid, iq_ready, iq_pop, i_mtt, i_bad;
  logic [63:0]     i_start;
  logic [12:0]     i_len;
  logic [CntW-1:0] i_beats;

  assign room        = free_q >= s_beats_q;
  assign req_ready_o = !s_valid_q || (s_go && !Single);

  always_comb begin
    tpt_o         = '0;
    tpt_o.mtt_op  = 1'b1;
    tpt_o.va      = s_start_q;
    tpt_o.chk_len = 32'(s_len_q);
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) s_valid_q <= 1'b0;
    else if (req_ready_o || s_go) s_valid_q <= req_valid_i && req_ready_o;
    if (Single && tpt_rsp_valid_i) s_start_q <= {tpt_rsp_i.addr[63:4], 4'd0};
    if (req_ready_o && (Single || req_valid_i)) begin       // Single: also what is none, as requests come from afar
      s_mtt_q   <= req_i.buf_mtt;
      s_start_q <= {start[63:4], 4'd0};
      s_len_q   <= {req_i.len[12:4], 4'd0};
      s_bad_q   <= leaves || too_long || req_i.len[12:4] == '0 || req_i.len[3:0] != '0;
      s_beats_q <= (leaves || too_long) ? '0 : CntW'((span + 14'(Lanes - 1)) >> LaneW);
    end
  end

  // ------------------------------------------------------------------------------------------------ read
  logic                    t_valid, t_ready, t_pop, reserve;
  ohca_fmt_pkg::tpt_rsp_t  t;
  if (Single) begin : g_single
    logic                  asked_q, ok_q;
    logic [7:0]            verr_q;
    assign tpt_valid_o = s_valid_q && s_mtt_q && !s_bad_q && !asked_q;
    // Nobody else takes beats, so what fits stays so.
    logic room_q;
    always_ff @(posedge clk_i) room_q <= s_valid_q && !s_go && room;
    assign iq_valid    = s_valid_q && room_q;
    assign iq_ready    = 1'b1;
    assign s_go        = iq_pop;
    assign reserve     = iq_pop && i_ok;
    assign {i_mtt, i_bad, i_start, i_len} = {s_mtt_q && !s_bad_q, s_bad_q, s_start_q, s_len_q};
    assign i_beats     = '0;                           // nothing is reserved before it is known
    assign t_ready     = asked_q && !t_valid;
    always_comb begin
      t      = '0;
      t.ok   = ok_q;
      t.verr = ohca_fmt_pkg::vendor_err_e'(verr_q);
      t.addr = s_start_q;
    end
    always_ff @(posedge clk_i) begin
      if (rst_i || s_go) begin
        asked_q <= 1'b0;
        t_valid <= 1'b0;
      end else begin
        if (tpt_valid_o && tpt_ready_i) asked_q <= 1'b1;
        if (tpt_rsp_valid_i) t_valid <= 1'b1;
      end
      if (tpt_rsp_valid_i) {ok_q, verr_q} <= {tpt_rsp_i.ok, tpt_rsp_i.verr};
    end
    logic unused_one;
    assign unused_one = &{1'b0, iq_valid, t_pop, iq_ready, tpt_rsp_i.tag, tpt_rsp_i.addr[3:0]};
  end else begin : g_queues
    logic [ohca_fmt_pkg::TPT_RSP_BITS-1:0] t_flat;
    assign tpt_valid_o = s_valid_q && s_mtt_q && !s_bad_q && room && iq_ready;
    assign s_go        = s_valid_q && room && iq_ready && (!s_mtt_q || s_bad_q || tpt_ready_i);
    assign reserve     = s_go;
    ohca_fifo #(.Width(79 + CntW), .Depth(Depth)) u_issue (
      .clk_i(clk_i), .rst_i(rst_i), .valid_i(s_go), .ready_o(iq_ready),
      .data_i({s_mtt_q && !s_bad_q, s_bad_q, s_start_q, s_len_q, s_beats_q}),
      .valid_o(iq_valid), .ready_i(iq_pop), .data_o({i_mtt, i_bad, i_start, i_len, i_beats}), .count_o(),
      .almost_full_o()
    );
    ohca_fifo #(.Width(ohca_fmt_pkg::TPT_RSP_BITS), .Depth(Depth)) u_translated (
      .clk_i(clk_i), .rst_i(rst_i), .valid_i(tpt_rsp_valid_i), .ready_o(t_ready), .data_i(tpt_rsp_i),
      .valid_o(t_valid), .ready_i(t_pop), .data_o(t_flat), .count_o(), .almost_full_o()
    );
    assign t = ohca_fmt_pkg::tpt_rsp_t'(t_flat);
  end

  logic       i_known, i_ok, rd_free, oq_ready, om_valid, om_pop, oq_valid, oq_pop, o_err;
  logic [7:0] i_verr, o_verr;
  logic [1:0] o_last;                      // where its last word lies in its beat
  // i_mtt: a translation is waited for, so not of one that is bad.
  // A read waits in a register, so who chooses among readers does not wait for what is found here.
  assign i_known    = iq_valid && (!i_mtt || t_valid) && oq_ready;
  assign i_ok       = !i_bad && (!i_mtt || t.ok);
  assign i_verr     = i_bad ? ohca_fmt_pkg::VENDOR_ERR_LENGTH : t.verr;
  assign rd_free    = !rd_valid_o || (rd_ready_i && !Single);
  assign iq_pop     = i_known && (!i_ok || rd_free);
  assign t_pop      = iq_pop && i_mtt;
  always_ff @(posedge clk_i) begin
    if (rst_i) rd_valid_o <= 1'b0;
    else       rd_valid_o <= rd_free ? i_known && i_ok : !rd_ready_i;
    if (rd_free) begin
      rd_o.addr <= i_mtt ? {t.addr[63:4], 4'd0} : i_start;
      rd_o.len  <= i_len;
      rd_o.tag  <= 8'd0;
    end
  end

  logic [12:0] om;                         // 3:2 where its first word lies in its beat
  ohca_fifo #(.Width(13), .Depth(Depth)) u_order (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(iq_pop), .ready_o(oq_ready),
    .data_i({!i_ok, i_verr, i_start[5:4], i_start[5:4] + i_len[5:4] - 2'd1}),
    .valid_o(om_valid), .ready_i(om_pop), .data_o(om), .count_o(), .almost_full_o()
  );
  ohca_stage #(.Width(11)) u_first (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(om_valid), .ready_o(om_pop), .data_i({om[12:4], om[1:0]}),
    .valid_o(oq_valid), .ready_i(oq_pop), .data_o({o_err, o_verr, o_last})
  );

  // ------------------------------------------------------------------------------------------------ words
  logic          b_valid, b_ready, b_pop, b_err, b_last, f_valid, f_ready;
  logic [DW-1:0] b_data;
  logic [DW+1:0] f_beat;
  ohca_fifo #(.Width(2 + DW), .Depth(BufBeats)) u_beats (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(rd_rsp_valid_i), .ready_o(b_ready),
    .data_i({rd_rsp_err_i, rd_rsp_last_i, rd_rsp_data_i}),
    .valid_o(f_valid), .ready_i(f_ready), .data_o(f_beat), .count_o(), .almost_full_o()
  );
  if (Stage) begin : g_stage
    ohca_stage #(.Width(2 + DW)) u_beat (
      .clk_i(clk_i), .rst_i(rst_i), .valid_i(f_valid), .ready_o(f_ready), .data_i(f_beat),
      .valid_o(b_valid), .ready_i(b_pop), .data_o({b_err, b_last, b_data})
    );
  end else begin : g_now
    assign {b_valid, f_ready, b_err, b_last, b_data} = {f_valid, b_pop, f_beat};
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) free_q <= CntW'(BufBeats);
    else       free_q <= free_q - (reserve ? s_beats_q : '0) + ((iq_pop && !i_ok) ? i_beats : '0) +
                         CntW'(f_valid && f_ready);
  end

  logic       drain_q;                     // its error was given; the rest of its beats goes
  logic [127:0] word_data;
  logic       give, last_word, beat_err, have, pass;
  assign give      = word_valid_o && word_ready_i;

  always_comb begin
    word_o.data = word_data;
    word_o.err  = o_err || beat_err;
    word_o.last = word_o.err || last_word;
    word_o.verr = o_err ? ohca_fmt_pkg::vendor_err_e'(o_verr) : beat_err ? ohca_fmt_pkg::VENDOR_ERR_DMA :
        ohca_fmt_pkg::VENDOR_ERR_NONE;
  end
  assign word_valid_o = oq_valid && !drain_q && (o_err || have);
  // With its last beat, or with an error that comes without any. What is left of a beat with an error is drained, too:
  // so whether a beat goes does not wait for what its memory says of errors.
  assign oq_pop       = drain_q ? (b_pop && b_last) : give && (o_err || (b_pop && b_last));

  if (DW == 64) begin : g_join
    logic        low_q, low_err_q;
    logic [63:0] low_data_q;
    logic        low_take;
    assign low_take  = oq_valid && !o_err && !drain_q && b_valid && !low_q;
    assign have      = b_valid && low_q;
    assign beat_err  = low_err_q || b_err;
    assign b_pop     = (drain_q && b_valid) || low_take || (give && !o_err);
    assign word_data = {b_data, low_data_q};
    assign pass      = 1'b0;
    assign last_word = b_last;
    assign pass_last_o = word_o.last;
    assign beat_o      = b_data;
    always_ff @(posedge clk_i) begin
      if (rst_i) low_q <= 1'b0;
      else if (low_take) low_q <= 1'b1;
      else if (give && !o_err) low_q <= 1'b0;
      if (low_take) begin
        low_err_q  <= b_err;
        low_data_q <= b_data;
      end
    end
    logic unused;
    assign unused = &{1'b0, om[3:2], o_last, pass, pass_i};
  end else begin : g_split
    localparam int unsigned PerBeat = DW / 128;
    localparam int unsigned PosW    = (PerBeat > 1) ? $clog2(PerBeat) : 1;
    logic [PosW-1:0] pos;
    assign have        = b_valid;
    assign beat_err    = b_err;
    assign pass        = pass_i;
    assign pass_last_o = word_o.err || b_last;
    assign beat_o      = b_data;
    if (PerBeat == 1) begin : g_one
      logic unused;
      assign pos       = '0;
      assign word_data = b_data;
      assign last_word = b_last;
      assign unused    = &{1'b0, om[3:2], o_last, pos};
    end else begin : g_many
      logic [PosW-1:0] pos_q;
      assign pos       = pos_q;
      assign word_data = b_data[128*32'(pos) +: 128];
      assign last_word = b_last && pos == o_last[PosW-1:0];
      // The first word of a request, the next one, or the first of the next beat.
      always_ff @(posedge clk_i) begin
        if (om_valid && om_pop) pos_q <= om[2 +: PosW];
        else if (give) pos_q <= pass ? '0 : pos + PosW'(1);
      end
      logic unused;
      assign unused = &{1'b0, o_last, om[3:2]};
      `ASSERT(LastBeat_A, !(give && !o_err && !beat_err && b_last) || pos <= o_last[PosW-1:0])
    end
    assign b_pop = (drain_q && b_valid) || (give && !o_err && (last_word || pass || pos == PosW'(PerBeat - 1)));
  end

  always_ff @(posedge clk_i) begin
    if (rst_i || oq_pop) drain_q <= 1'b0;
    else if (give && word_o.err) drain_q <= 1'b1;
  end

  assign idle_o = !s_valid_q && !iq_valid && !om_valid && !oq_valid && free_q[CntW-1];

  logic unused_all;
  assign unused_all = &{1'b0, start[3:0], t_ready, b_ready, t.tag, t.addr[3:0]};

  `ASSERT(TranslatedRoom_A, !tpt_rsp_valid_i || t_ready)
  `ASSERT(BeatRoom_A, !rd_rsp_valid_i || b_ready)

endmodule

`default_nettype wire
