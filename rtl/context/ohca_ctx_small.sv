// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_ctx where LUTs and wires are dear: one token at a time, its line in words of one or two beats, one fill and one
// write-back under way. A hit is offered 10 cycles after its lookup (lines of 7 words), the next lookup is taken in the
// cycle after the accept. Ready and valid are flops. The RAMs are read in the cycle after the lookup, from flops; those
// that are only read in the cycle itself, so a hit comes a cycle sooner.
//
//   lookup -> tags, first word -> compare -> the other words -> offer -> accept
//                                   |                             `-> edit: a word is changed, the line read again
//                                   `-> miss: dirty victim to the host, address, host read into the RAM -> all words
//
// Changed words go to the RAM while the next token is looked up. What lies beyond HotBytes comes with fills only. Lines
// are written back by a beat every second cycle.
// The line is a shift register of words between RAM and engine, the only copy. The words that a commit changes (Words)
// come first, so a commit writes the least of them, from flops; each is written in the cycle before a lookup that
// follows at once comes to read it. A fill that fails leaves no trace.
`include "ohca_assert.svh"
`include "ohca_lazy.svh"
`default_nettype none

module ohca_ctx_small #(
  parameter int unsigned DW        = 64,
  parameter int unsigned LineBytes = 128,
  parameter int unsigned Sets      = 128,
  parameter int unsigned TokenW    = 32,
  parameter int unsigned Stride    = 1024,
  parameter int unsigned Offset    = 0,
  parameter bit          ReadOnly  = 1'b0,
  parameter int unsigned KeepBits  = 8 * LineBytes,
  parameter int unsigned HotBytes  = LineBytes,
  parameter logic [31:0] Words     = '1,
  parameter int unsigned Pick      = 0,     // so many low bits of the token name the beat that is wanted: out_line_o is
                                            // this one, and nothing is kept of the line
  localparam int unsigned LineBits = 8 * LineBytes
) (
  input  logic                         clk_i,
  input  logic                         rst_i,
  output logic                         idle_o,

  input  logic [39:0]                  base_i,
  input  logic [24:0]                  limit_i,

  input  logic                         lk_valid_i,
  output logic                         lk_ready_o,
  input  logic [23:0]                  lk_id_i,
  input  logic [TokenW-1:0]            lk_token_i,
  input  logic                         lk_inval_i,
  input  logic [4:0]                   lk_block_i,     // ReadOnly, with lk_inval_i: drop whatever is in the set of
                                                       // lk_id_i and the same aligned block of 2^lk_block_i numbers

  output logic                         out_valid_o,
  input  logic                         out_ready_i,
  output logic [23:0]                  out_id_o,
  output logic [TokenW-1:0]            out_token_o,
  output logic [LineBits-1:0]          out_line_o,     // while an edit is under way anything
  output logic                         out_err_o,
  output logic                         out_inval_o,
  input  logic                         out_we_i,
  input  logic [LineBits-1:0]          out_wline_i,
  input  logic [4:0]                   out_word_i,
  input  logic [31:0]                  out_word_data_i,
  input  logic [31:0]                  out_word_mask_i,
  input  logic                         out_edit_i,
  output logic                         out_edit_done_o,
  output logic [31:0]                  out_word_o,

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
  input  logic [31:0]                  wr_issued_i,
  input  logic [31:0]                  wr_acked_i
);

  localparam int unsigned SetW     = $clog2(Sets);
  localparam int unsigned TagW     = 24 - SetW;
  localparam int unsigned LineSh   = $clog2(LineBytes);
  localparam int unsigned StrideSh = $clog2(Stride);
  localparam int unsigned AdrW     = 64 - LineSh;
  localparam int unsigned KeyT     = 5;             // bits of the tag that name a write-back, besides the set; a false
                                                    // match only waits

  // Lanes of a beat each, those that Words names first, then the others: slots. A word of the RAM has Lanes of them.
  localparam int unsigned Beats = LineBits / DW;
  localparam int unsigned CntW  = $clog2(Beats) + 1;
  localparam int unsigned Back  = 8 * HotBytes / DW;              // beats of a write-back
  localparam int unsigned Kept  = (KeepBits + DW - 1) / DW;
  localparam int unsigned Per   = DW / 32;
  localparam int unsigned Lanes = (Pick == 0 && (ReadOnly || Kept > 4)) ? 2 : 1;
  localparam int unsigned PartW = Lanes * DW;
  localparam int unsigned Parts = (Kept + Lanes - 1) / Lanes;     // words of a line
  localparam int unsigned PW    = (Parts > 1) ? $clog2(Parts) : 1;

  if (Beats * DW != LineBits || Beats < 2 || Kept * Per > 32 || (1 << LineSh) != LineBytes || KeepBits > LineBits ||
      KeepBits == 0) begin : g_bad_line
    $error("ohca_ctx_small: lines of two beats at least, to 1024 bits");
  end
  if ((1 << SetW) != Sets || Sets < 2 || (1 << StrideSh) != Stride) begin : g_bad_size
    $error("ohca_ctx_small: sizes must be powers of two");
  end
  if (Pick != 0 && (!ReadOnly || (1 << Pick) != Kept)) begin : g_bad_pick
    $error("ohca_ctx_small: a beat is picked of a line that is only read");
  end

  function automatic logic [31:0] hot_lanes(input int unsigned lanes);
    hot_lanes = '0;
    for (int unsigned i = 0; i < lanes; i++) hot_lanes[5'(i)] = |(Words & (~(~32'd0 << Per) << (i * Per)));
  endfunction
  localparam logic [31:0] HotLanes = hot_lanes(Kept);
  function automatic int unsigned hots(input logic [31:0] lanes, input int unsigned below);
    hots = 0;
    for (int unsigned i = 0; i < below; i++) if (lanes[5'(i)]) hots = hots + 1;
  endfunction
  localparam int unsigned Hot      = hots(HotLanes, Kept);
  localparam int unsigned HotParts = (Hot == 0) ? 1 : (Hot + Lanes - 1) / Lanes;
  // The slot of each lane, 8 bits each; and by slot, which of the lane's words a commit writes.
  function automatic logic [255:0] all_slots(input int unsigned lanes);
    all_slots = '0;
    for (int unsigned i = 0; i < lanes; i++) all_slots[8*i +: 8] =
        8'(HotLanes[5'(i)] ? hots(HotLanes, i) : Hot + i - hots(HotLanes, i));
  endfunction
  localparam logic [255:0] Slots = all_slots(Kept);
  function automatic logic [63:0] hot_words(input int unsigned lanes);
    hot_words = '0;
    for (int unsigned i = 0; i < lanes; i++)
      for (int unsigned s = 0; s < Per; s++) hot_words[6'(32'(Slots[8*i +: 8]) * Per + s)] = Words[5'(i * Per + s)];
  endfunction
  localparam logic [63:0] HotWords = hot_words(Kept);
  function automatic logic [PW-1:0] part_of(input logic [CntW-1:0] beat);
    part_of = '0;
    for (int unsigned i = 0; i < Kept; i++) if (beat == CntW'(i)) part_of = PW'(32'(Slots[8*i +: 8]) / Lanes);
  endfunction
  function automatic logic [Lanes-1:0] lane_of(input logic [CntW-1:0] beat);
    lane_of = '0;
    for (int unsigned i = 0; i < Kept; i++) if (beat == CntW'(i)) lane_of = Lanes'(1) << (32'(Slots[8*i +: 8]) % Lanes);
  endfunction

`include "ohca_ctx_set.svh"

  // ------------------------------------------------------------------------------------------------ steps of a token
  typedef enum logic [4:0] {
    S_INIT,      // the tags are being cleared
    S_IDLE,
    S_FIND,      // not with ReadOnly: tag and first word are read
    S_CHECK,
    S_LOAD,      // the line comes out of the RAM
    S_OFFER,
    S_EDIT, S_PUT,   // the word has been read; is written
    S_VICTIM,    // a line is to go, to the host if it is dirty: earlier writes of it must be through
    S_LOW,       // its address comes out of its memory in two halves
    S_HIGH,
    S_BACK,
    S_MISS,
    S_XLATE,
    S_ADDR,      // the address goes to its memory, for the write-back
    S_READ,
    S_FILL,
    S_DROP       // invalidated
  } step_e;
  step_e             step_q, step_d;
  logic              idle_q, offer_q, valid_q;                    // what the engine sees of the step, from flops:
                                                                  // S_IDLE, S_OFFER, something is offered
  logic [23:0]       id_q;
  logic [TokenW-1:0] token_q;
  logic [TagW-1:0]   any_q;                                       // bits of the tag that need not match
  logic [SetW-1:0]   set_q, set;
  logic              inval_q, err_q, dma_q, dirty_q, gone_q;      // gone: accepted, what follows is for its
                                                                  // invalidation
  logic              edit_q, edit_done_q;
  logic [CntW-1:0]   at_q;                                        // the word or beat that is next, 0 outside of the
                                                                  // steps that count
  logic              fire, find, bad, none, hit, load, load_q, loaded, accept, write, commit, later_busy, edit_start,
      edit_we, back_ren, back_done, fill, fill_end;
  logic              m_valid, m_dirty, pend_q, conflict, clean;
  logic [TagW-1:0]   m_tag;
  logic [AdrW-1:0]   m_addr;

  assign lk_ready_o = idle_q;
  assign fire       = lk_ready_o && lk_valid_i;
  assign find       = ReadOnly ? fire : step_q == S_FIND;
  assign set        = (ReadOnly && lk_ready_o) ? set_of(lk_id_i) : set_q;
  assign bad        = {1'b0, id_q} >= limit_i;
  assign hit        = m_valid && ((m_tag ^ id_q[23:SetW]) & ~any_q) == '0;
  assign none       = ReadOnly && inval_q && !hit;                // nothing to drop: nothing is fetched for it, and no
                                                                  // other line goes
  assign load       = find || (((step_q == S_CHECK && !bad) || step_q == S_LOAD) && at_q != CntW'(Parts));
  assign loaded     = load_q && at_q == CntW'(Parts);
  assign accept     = offer_q && out_ready_i;
  assign write      = accept && out_we_i && !err_q && !ReadOnly;
  assign edit_start = offer_q && out_edit_i && !edit_done_q && !ReadOnly;
  assign clean      = gone_q && !dirty_q;
  assign edit_we    = step_q == S_PUT;
  assign fill       = step_q == S_FILL && rd_rsp_valid_i;
  assign fill_end   = fill && rd_rsp_last_i;

  always_ff @(posedge clk_i) begin
    load_q      <= load;
    edit_done_q <= (edit_start && err_q) || (step_d == S_OFFER && (step_q == S_EDIT || (step_q == S_LOAD && edit_q)));
    at_q        <= '0;
    // That a token comes is known late, and nobody looks at these before it has.
    `WHEN(fire) if (idle_q) begin
      id_q    <= lk_id_i;
      set_q   <= set_of(lk_id_i);
      token_q <= lk_token_i;
      inval_q <= lk_inval_i;
      for (int unsigned i = 0; i < TagW; i++) any_q[i] <= ReadOnly && lk_inval_i && SetW + i < 32'(lk_block_i);
      {edit_q, gone_q, err_q} <= '0;
    end
    if (fire) at_q <= (Pick != 0) ? CntW'(Parts) : CntW'(ReadOnly);
    case (step_q)
      S_INIT: set_q <= set_q + SetW'(1);
      S_FIND: at_q <= CntW'(1);
      S_CHECK: begin
        at_q    <= at_q + CntW'(load);
        dirty_q <= m_dirty && hit;
        err_q   <= bad || none;
        dma_q   <= 1'b0;
      end
      S_LOAD: at_q <= (Pick != 0) ? CntW'(Parts) : at_q + CntW'(load);
      S_OFFER: begin
        if (edit_start && !err_q) edit_q <= 1'b1;
        if (accept) gone_q <= 1'b1;
        if (write) dirty_q <= 1'b1;
      end
      S_PUT: dirty_q <= 1'b1;
      S_BACK: at_q <= at_q + CntW'(back_ren);
      S_XLATE: err_q <= !icm_rsp_ok_i;
      S_FILL: begin
        at_q <= fill_end ? '0 : at_q + CntW'(fill);
        if (fill) begin
          err_q <= err_q || rd_rsp_err_i;
          dma_q <= 1'b1;                                            // why, if err_q
        end
      end
      default: ;
    endcase
    if (rst_i) set_q <= '0;
  end

  always_comb begin
    step_d = step_q;
    case (step_q)
      S_INIT: if (&set_q) step_d = S_IDLE;
      S_IDLE: if (fire) step_d = ReadOnly ? S_CHECK : S_FIND;
      S_FIND: step_d = S_CHECK;
      S_CHECK: begin
        if (bad || none) step_d = later_busy ? S_CHECK : S_OFFER;
        else if (hit) step_d = loaded ? S_OFFER : S_LOAD;
        else step_d = (m_valid && m_dirty && !ReadOnly) ? S_VICTIM : S_MISS;
      end
      S_LOAD: if (loaded) step_d = S_OFFER;
      S_OFFER: begin
        if (edit_start && !err_q) step_d = S_EDIT;
        if (accept) step_d = (!inval_q || err_q) ? S_IDLE : ReadOnly ? S_DROP : S_VICTIM;
      end
      S_EDIT: step_d = (out_word_mask_i != '0) ? S_PUT : S_OFFER;
      S_PUT: step_d = S_LOAD;
      S_VICTIM: if (!pend_q && !later_busy) step_d = clean ? S_DROP : S_LOW;
      S_LOW, S_HIGH: step_d = (step_q == S_LOW) ? S_HIGH : S_BACK;
      S_BACK: if (back_done) step_d = gone_q ? S_DROP : S_MISS;
      S_MISS: if (icm_valid_o && icm_ready_i) step_d = S_XLATE;
      S_XLATE: if (icm_rsp_valid_i) step_d = icm_rsp_ok_i ? S_ADDR : S_OFFER;
      S_ADDR: step_d = S_READ;
      S_READ: if (rd_ready_i) step_d = S_FILL;
      S_FILL: if (fill_end) step_d = (err_q || rd_rsp_err_i) ? S_OFFER : S_LOAD;
      default: step_d = S_IDLE;                                     // S_DROP
    endcase
    if (rst_i) step_d = S_INIT;
  end
  always_ff @(posedge clk_i) begin
    step_q  <= step_d;
    idle_q  <= step_d == S_IDLE;
    offer_q <= step_d == S_OFFER;
    valid_q <= step_d == S_OFFER || step_d == S_EDIT || step_d == S_PUT || (step_d == S_LOAD && edit_q);
  end

  // ------------------------------------------------------------------------------------------------ tags, addresses
  ohca_ctx_heads #(.Sets(Sets), .TagW(TagW), .AdrW(AdrW), .ReadOnly(ReadOnly)) u_heads (
    .clk_i(clk_i), .rst_i(rst_i), .find_i(find), .find_set_i(set), .tag_o({m_valid, m_dirty, m_tag}), .set_i(set_q),
    .tag_we_i(step_q == S_INIT || step_q == S_DROP || commit || edit_we || fill_end),
    .tag_i({step_q != S_INIT && step_q != S_DROP && !(step_q == S_FILL && (err_q || rd_rsp_err_i)),
    step_q != S_FILL, id_q[23:SetW]}),
    .put_i(step_q == S_XLATE && icm_rsp_valid_i && icm_rsp_ok_i), .addr_i(icm_rsp_addr_i[63:LineSh]),
    .get_i(step_q == S_VICTIM && !pend_q && !later_busy && !clean), .addr_o(m_addr)
  );

  assign icm_valid_o = step_q == S_MISS && !conflict && !later_busy;
  assign icm_addr_o  = base_i + (40'(id_q) << StrideSh) + 40'(Offset);
  assign rd_valid_o  = step_q == S_READ;
  assign rd_o.addr   = {m_addr, LineSh'(0)};
  assign rd_o.len    = 13'(LineBytes);
  assign rd_o.tag    = 8'd0;

  // ------------------------------------------------------------------------------------------------ lines
  logic [PartW-1:0]       q, wd;
  logic [Lanes*Per-1:0]   we;
  logic [DW-1:0]          beat;                    // of a write-back, or around the word of an edit
  logic [DW-1:0]          single;                  // of a fill, or the word of an edit
  logic [CntW-1:0]        x_beat;
  logic [PW-1:0]          raddr, waddr;
  logic [SetW-1:0]        wset;
  logic [Lanes-1:0]       x_lane;
  logic                   ren;
  assign x_beat = (step_q == S_BACK || step_q == S_FILL) ? at_q : CntW'(out_word_i / 5'(Per));
  assign x_lane = lane_of(x_beat);
  assign ren    = load || back_ren || edit_start;
  if (Pick != 0) begin : g_pick_addr
    assign raddr = PW'(lk_ready_o ? lk_token_i[PW-1:0] : token_q[PW-1:0]);
  end else begin : g_addr
    assign raddr = (step_q == S_BACK || step_q == S_OFFER) ? part_of(x_beat) : at_q[PW-1:0];
  end
  for (genvar j = 0; j < Lanes; j++) begin : g_lane
    ohca_ram_sdp #(
      .Width(DW), .Depth(Sets << PW), .BeWidth(32), .OldData(1'b0)
    ) u_lane (
      .clk_i(clk_i), .wr_en_i(|we[j*Per +: Per]), .wr_be_i(we[j*Per +: Per]), .wr_addr_i({wset, waddr}),
      .wr_data_i(wd[j*DW +: DW]),
      .rd_en_i(ren), .rd_addr_i({set, raddr}), .rd_data_o(q[j*DW +: DW])
    );
  end

  if (Pick != 0) begin : g_pick
    always_comb begin
      out_line_o         = '0;
      out_line_o[DW-1:0] = q;
      if (err_q) out_line_o[0] = dma_q;
    end
  end else begin : g_line
    logic [Parts*PartW-1:0] line_q;
    if (Parts == 1) begin : g_one
      always_ff @(posedge clk_i) if (load_q) line_q <= q;
    end else begin : g_shift
      always_ff @(posedge clk_i) if (load_q) line_q <= {q, line_q[Parts*PartW-1:PartW]};
    end
    always_comb begin
      out_line_o = '0;
      for (int unsigned i = 0; i < Kept; i++) out_line_o[DW*i +: DW] = line_q[DW*32'(Slots[8*i +: 8]) +: DW];
      out_line_o = out_line_o & ~({LineBits{1'b1}} << KeepBits);
      if (err_q) out_line_o[0] = dma_q;
    end
  end

  if (ReadOnly) begin : g_ro
    for (genvar i = 0; i < Lanes * Per; i++) begin : g_we
      assign we[i] = fill && x_lane[i / Per];
    end
    assign wd         = {Lanes{single}};
    assign single     = rd_rsp_data_i;
    assign waddr      = part_of(x_beat);
    assign wset       = set_q;
    assign later_busy = 1'b0;
    assign commit     = 1'b0;
    assign beat       = '0;
    assign {pend_q, conflict, back_ren, back_done, out_word_o} = '0;
    assign {wr_valid_o, wr_dat_valid_o, wr_dat_o, wr_dat_last_o} = '0;
    logic unused_ro;
    assign unused_ro = &{1'b0, out_we_i, out_wline_i, out_word_data_i, wr_ready_i, wr_dat_ready_i, wr_issued_i,
        wr_acked_i, beat};
  end else begin : g_rw
    // What a commit writes, by slot, a word a cycle from the next one on.
    logic [HotParts*PartW-1:0] wl;
    for (genvar i = 0; i < Kept; i++) begin : g_hot
      if (HotLanes[i]) begin : g_yes
        assign wl[DW*32'(Slots[8*i +: 8]) +: DW] = out_wline_i[DW*i +: DW];
      end
    end
    if (HotParts * Lanes > Hot) begin : g_cold
      assign wl[HotParts*PartW-1:Hot*DW] = '0;
    end
    localparam int unsigned SrcW = $clog2(HotParts + 1);
    logic [SrcW-1:0]              later_q;         // one more than the word of these that is written, 0: none
    logic [SetW-1:0]              later_set_q;
    logic [HotParts*PartW-1:0]    wl_q;
    logic [(HotParts+1)*PartW-1:0] sources;
    assign later_busy = later_q != '0;
    assign commit     = later_q == SrcW'(1);
    always_ff @(posedge clk_i) begin
      if (rst_i) later_q <= '0;
      else if (write) later_q <= SrcW'(1);
      else if (later_busy) later_q <= (later_q == SrcW'(HotParts)) ? '0 : later_q + SrcW'(1);
      `WHEN(accept) if (offer_q) wl_q <= wl;               // whether it is accepted comes late
      if (offer_q) later_set_q <= set_q;
    end
    assign wset  = later_busy ? later_set_q : set_q;        // the next lookup may be under way
    assign waddr = later_busy ? PW'(later_q - SrcW'(1)) : part_of(x_beat);
    always_comb begin
      sources = {wl_q, {Lanes{single}}};
      wd      = sources[PartW*32'(later_q) +: PartW];
      for (int unsigned i = 0; i < Lanes * Per; i++) begin
        we[i] = x_lane[i / Per] && (fill || (edit_we && out_word_i % 5'(Per) == 5'(i % Per)));
        for (int unsigned k = 0; k < HotParts; k++)
          we[i] = we[i] || (HotWords[6'(k * Lanes * Per + i)] && later_q == SrcW'(k + 1));
      end
    end

    // One beat of what was read, zero where nothing is kept.
    logic [Lanes*Per-1:0]      take_q;           // of each lane, these words
    logic [31:0]               old, old_q, new_word;
    always_ff @(posedge clk_i) begin
      if (back_ren || edit_start) begin
        for (int unsigned j = 0; j < Lanes; j++)
          for (int unsigned s = 0; s < Per; s++) take_q[j*Per + s] <= x_lane[j] && 32'(x_beat) * DW + 32 * s < KeepBits;
      end
      if (step_q == S_EDIT) old_q <= old;
    end
    always_comb begin
      beat = '0;
      for (int unsigned j = 0; j < Lanes; j++)
        for (int unsigned s = 0; s < Per; s++) beat[32*s +: 32] =
            beat[32*s +: 32] | (q[DW*j + 32*s +: 32] & {32{take_q[j*Per + s]}});
      old = beat[31:0];
      for (int unsigned s = 1; s < Per; s++) if (out_word_i % 5'(Per) == 5'(s)) old = beat[32*s +: 32];
    end
    assign new_word   = (old_q & ~out_word_mask_i) | (out_word_data_i & out_word_mask_i);
    assign single     = (step_q == S_PUT) ? {Per{new_word}} : rd_rsp_data_i;
    assign out_word_o = old_q;

    // Write-back: data from the RAM, beat by beat, into a register in front of ohca_dma_wr (near: it takes one).
    logic             req_q, have_q, known_q, near;
    logic [3:0]       age_q;                       // one-hot delay from the request's accept to the sampling of issued
    logic [15:0]      target_q, ago;
    logic [SetW+KeyT-1:0] key_q;
    logic [KeyT-1:0]  tag_q;                       // of the line that was found
    assign back_ren       = step_q == S_BACK && at_q != CntW'(Back) && (!have_q || near);
    assign back_done      = !req_q && !have_q && at_q == CntW'(Back);
    assign wr_valid_o     = req_q;
    assign wr_o.addr      = {m_addr, LineSh'(0)};
    assign wr_o.len       = 13'(HotBytes);
    ohca_hop #(.Width(DW + 1)) u_back (
      .clk_i(clk_i), .rst_i(rst_i), .valid_i(have_q), .ready_o(near), .data_i({at_q == CntW'(Back), beat}),
      .valid_o(wr_dat_valid_o), .ready_i(wr_dat_ready_i), .data_o({wr_dat_last_o, wr_dat_o})
    );
    // Counts of all writes: once acked has reached what was issued shortly after this request, this write is
    // acknowledged too.
    assign ago            = wr_acked_i[15:0] - target_q;
    assign conflict       = pend_q && key_q == {id_q[SetW +: KeyT], set_q};
    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        req_q  <= 1'b0;
        have_q <= 1'b0;
        pend_q <= 1'b0;
        age_q  <= '0;
      end else begin
        if (step_q == S_HIGH) req_q <= 1'b1;
        else if (wr_ready_i) req_q <= 1'b0;
        if (back_ren) have_q <= 1'b1;
        else if (near) have_q <= 1'b0;
        age_q <= {age_q[2:0], req_q && wr_ready_i};
        if (step_q == S_BACK && req_q) pend_q <= 1'b1;
        else if (known_q && !ago[15]) pend_q <= 1'b0;
      end
      if (step_q == S_BACK && req_q) known_q <= 1'b0;
      else if (age_q[3]) known_q <= 1'b1;
      if (age_q[3]) target_q <= wr_issued_i[15:0];
      if (step_q == S_CHECK) tag_q <= m_tag[KeyT-1:0];
      if (step_q == S_VICTIM) key_q <= {gone_q ? id_q[SetW +: KeyT] : tag_q, set_q};
    end
    logic unused_rw;
    assign unused_rw = &{1'b0, wl, wl_q, ago[14:0], wr_issued_i[31:16], wr_acked_i[31:16]};
  end
  if (ReadOnly) begin : g_no_addr
    assign wr_o = '0;
  end

  assign out_valid_o     = valid_q;
  assign out_id_o        = id_q;
  assign out_token_o     = token_q;
  assign out_err_o       = err_q;
  assign out_inval_o     = inval_q;
  assign out_edit_done_o = edit_done_q;
  assign idle_o          = step_q == S_IDLE && !pend_q;

  logic unused;
  assign unused = &{1'b0, out_wline_i, icm_rsp_addr_i[LineSh-1:0], out_edit_i, m_dirty, at_q};

  `ASSERT(FillOnly_A, !rd_rsp_valid_i || step_q == S_FILL)
  `ASSERT(XlateOnly_A, !icm_rsp_valid_i || step_q == S_XLATE)
  `ASSERT(EditFirst_A, step_q == S_OFFER || !(out_valid_o && out_ready_i))
  `ASSERT(WriteAlone_A, !later_busy || !(step_q == S_OFFER || edit_we || fill))

endmodule

`default_nettype wire
