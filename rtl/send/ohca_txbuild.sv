// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Packet builder: descriptors and payload pieces in, packets from LRH to the pad bytes out (ICRC and VCRC are the link's); on an Ethernet port
// in the internal form of docs/roce.md.
//
// From descriptor to first beat 8 cycles with inline payload; one beat per cycle on long payloads and headers; the payload of a packet begins a
// cycle after its header's last bytes.
//
//   txp -> reserve, translate -> read --------+--> order --+
//                     host --> beats ---------|------------+--> fragments -+-> sequence -> rotate -> merge -> out
//   inl --------------------------------------+                            |
//   txd -> queue -> header (P_Key, SGID, VL, lengths) ---------------------+
//
// Pieces run ahead of their descriptors, as far as the beat buffer reaches. A piece that cannot be translated or read, or that says its list
// ended early, aborts its packet: out_err_o with out_last_o, and a report (requests: local_err; responses: rerr).
// A piece is translated only when all that its read needs is reserved: beats, and a place in the order. So what is translated is read however long
// the link stands still, and a memory key that is taken back waits for host memory alone (drain_i).
// It does NOT check that the pieces add up to plen: that is the duty of who sends both. With several VLs it does not choose the VL either: whoever
// emits a descriptor has chosen it and taken room (ohca_link_tx), and the packet says at its end how much, also when it is aborted.
// lint: DW=128
// lint: DW=256
// lint: DW=512
// lint: DW=512 RoCE=0

`include "ohca_assert.svh"
`default_nettype none

module ohca_txbuild #(
  parameter int unsigned DW       = 64,
  parameter int unsigned BufBytes = 16384,   // payload read ahead, power of two, at least 8192
  parameter int unsigned TxdDepth = 32,      // descriptors waiting, power of two
  parameter int unsigned Pieces   = 64,      // pieces whose data is awaited, power of two
  parameter int unsigned InlDepth = 32,      // inline words waiting, power of two
  parameter bit          RoCE     = 1'b1,    // cfg_i.eth is heeded
  parameter int unsigned NumVl    = 1,       // 1: the VL is looked up here
  parameter bit          Compact  = 1'b0,    // one descriptor and one inline word wait, in flops
  localparam int unsigned Lanes   = DW / 8
) (
  input  logic                       clk_i,
  input  logic                       rst_i,
  output logic                       idle_o,
  output logic [63:0]                cnt_o,
  input  logic                       drain_i,        // a cycle: mark the pieces inside
  output logic                       draining_o,     // some of them are translated and have not been read yet

  input  ohca_fmt_pkg::port_cfg_t    cfg_i,
  output logic [15:0]                pkey_idx_o,     // tables of ohca_port, combinational
  input  logic [15:0]                pkey_i,
  output logic [7:0]                 gid_idx_o,
  input  logic [127:0]               gid_i,          // first wire byte in [127:120]
  input  ohca_fmt_pkg::gid_ent_t     eth_gid_i,      // the same entry of an Ethernet port's table

  input  logic                       txd_valid_i,
  output logic                       txd_ready_o,
  input  ohca_fmt_pkg::txd_t         txd_i,
  input  logic                       txp_valid_i,
  output logic                       txp_ready_o,
  input  ohca_fmt_pkg::txp_t         txp_i,
  input  logic                       inl_valid_i,
  output logic                       inl_ready_o,
  input  logic [127:0]               inl_i,          // first byte in [7:0]

  output logic                       tpt_valid_o,    // client 3
  input  logic                       tpt_ready_i,
  output ohca_fmt_pkg::tpt_req_t     tpt_o,
  input  logic                       tpt_rsp_valid_i,
  input  ohca_fmt_pkg::tpt_rsp_t     tpt_rsp_i,

  output logic                       rd_valid_o,     // dma_rd client 9
  input  logic                       rd_ready_i,
  output ohca_fmt_pkg::dma_rd_req_t  rd_o,
  input  logic                       rd_rsp_valid_i,
  input  logic [DW-1:0]              rd_rsp_data_i,
  input  logic                       rd_rsp_err_i,

  output logic                       up_valid_o,     // ud_done, local_err
  input  logic                       up_ready_i,
  output ohca_fmt_pkg::ra_up_t       up_o,
  output logic                       rerr_valid_o,   // a response's data could not be read
  input  logic                       rerr_ready_i,
  output logic [23:0]                rerr_qpn_o,
  output logic [23:0]                rerr_psn_o,

  output logic                       out_valid_o,
  input  logic                       out_ready_i,
  output logic [DW-1:0]              out_data_o,     // first wire byte in [7:0]
  output logic [Lanes-1:0]           out_keep_o,
  output logic                       out_last_o,
  output logic                       out_err_o,      // with last: to be discarded
  output logic [3:0]                 out_vl_o,
  output logic [7:0]                 out_ipd_o,
  output logic [9:0]                 out_words_o,    // with last: the room that was taken
  output logic                       out_sum_o       // Internet checksums are to be filled in
);

  localparam int unsigned LaneW    = $clog2(Lanes);
  localparam int unsigned BufBeats = BufBytes / Lanes;
  localparam int unsigned CntW     = $clog2(BufBeats) + 1;
  localparam int unsigned BeatW    = 13 - LaneW + 1;         // beats of one piece
  localparam int unsigned HdrB     = RoCE ? 108 : 80;        // longest header in bytes
  localparam int unsigned HdrW     = (HdrB + Lanes - 1) / Lanes;

  if ((1 << LaneW) * 8 != DW || DW < 64 || DW > 512 || (1 << (CntW - 1)) != BufBeats || BufBytes < 8192) begin : g_bad
    $error("ohca_txbuild: DW 64 to 512, BufBytes a power of two of at least 8192");
  end

  // ------------------------------------------------------------------------------------------------ pieces: reserve, translate
  ohca_fmt_pkg::txp_t s_q;
  logic               s_valid_q, s_host, s_go, s_room, s_place_q;
  logic [BeatW-1:0]   s_beats_q;
  logic [CntW-1:0]    used_q;
  logic               iq_valid, iq_ready, iq_pop;
  logic               i_host, i_bad, i_last;
  logic [LaneW-1:0]   i_off;
  logic [12:0]        i_len;
  logic [BeatW-1:0]   i_beats;
  logic [13:0]        p_span;

  assign p_span      = 14'(txp_i.va[LaneW-1:0]) + 14'(txp_i.len) + 14'(Lanes - 1);
  assign s_host      = !s_q.inl && !s_q.bad;
  assign s_room      = CntW'(BufBeats) - used_q >= CntW'(s_beats_q);
  assign tpt_valid_o = s_valid_q && s_host && s_room && s_place_q && iq_ready;
  assign s_go        = s_valid_q && iq_ready && s_place_q && (!s_host || (s_room && tpt_ready_i));
  assign txp_ready_o = !s_valid_q || s_go;

  always_comb begin
    tpt_o         = '0;
    tpt_o.need_rr = s_q.remote;
    tpt_o.priv    = s_q.priv;
    tpt_o.pd      = s_q.pd;
    tpt_o.key     = s_q.key;
    tpt_o.va      = s_q.va;
    tpt_o.chk_len = 32'(s_q.len);
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) s_valid_q <= 1'b0;
    else if (txp_ready_o) s_valid_q <= txp_valid_i;
    if (txp_ready_o && txp_valid_i) begin
      s_q       <= txp_i;
      s_beats_q <= BeatW'(p_span >> LaneW);
    end
  end

  // ------------------------------------------------------------------------------------------------ pieces: read
  ohca_fifo #(.Width(3 + LaneW + 13 + BeatW), .Depth(16)) u_issue (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(s_go), .ready_o(iq_ready), .data_i({s_host, s_q.bad, s_q.last, s_q.va[LaneW-1:0], s_q.len, s_beats_q}),
    .valid_o(iq_valid), .ready_i(iq_pop), .data_o({i_host, i_bad, i_last, i_off, i_len, i_beats}), .count_o(), .almost_full_o()
  );

  logic                                  t_valid, t_ready, t_ok;
  logic [7:0]                            t_verr;
  logic [63:0]                           t_addr;
  ohca_fifo #(.Width(73), .Depth(Compact ? 16 : 32)) u_translated (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(tpt_rsp_valid_i), .ready_o(t_ready), .data_i({tpt_rsp_i.ok, tpt_rsp_i.verr, tpt_rsp_i.addr}),
    .valid_o(t_valid), .ready_i(iq_pop && i_host), .data_o({t_ok, t_verr, t_addr}), .count_o(), .almost_full_o()
  );

  logic i_known, i_fail, oq_valid, oq_ready, oq_pop, oo_valid, oo_take;
  logic [4+8+LaneW+13-1:0] oo, oo_q;
  assign i_known    = iq_valid && (!i_host || t_valid) && oq_ready;
  assign i_fail     = i_host && !t_ok;
  assign rd_valid_o = i_known && i_host && t_ok;
  assign rd_o.addr  = t_addr;
  assign rd_o.len   = i_len;
  assign rd_o.tag   = 8'd0;
  assign iq_pop     = i_known && (!rd_valid_o || rd_ready_i);

  logic             o_host, o_fail, o_bad, o_last;
  logic [7:0]       o_verr;
  logic [LaneW-1:0] o_off;
  logic [12:0]      o_len;
  ohca_fifo #(.Width(4 + 8 + LaneW + 13), .Depth(Pieces), .UseRam(1'b0)) u_order (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(iq_pop), .ready_o(oq_ready), .data_i({i_host, i_fail, i_bad, i_last, t_verr, i_off, i_len}),
    .valid_o(oo_valid), .ready_i(oo_take), .data_o(oo), .count_o(), .almost_full_o()
  );
  // The oldest piece lies in registers.
  assign oo_take = !oq_valid || oq_pop;
  assign {o_host, o_fail, o_bad, o_last, o_verr, o_off, o_len} = oo_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) oq_valid <= 1'b0;
    else if (oo_take) oq_valid <= oo_valid;
    if (oo_take) oo_q <= oo;
  end

  logic          b_valid, b_ready, b_pop, b_err;
  logic [DW-1:0] b_data;
  ohca_fifo #(.Width(1 + DW), .Depth(BufBeats)) u_beats (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(rd_rsp_valid_i), .ready_o(b_ready), .data_i({rd_rsp_err_i, rd_rsp_data_i}),
    .valid_o(b_valid), .ready_i(b_pop), .data_o({b_err, b_data}), .count_o(), .almost_full_o()
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) used_q <= '0;
    else       used_q <= used_q + ((s_go && s_host) ? CntW'(s_beats_q) : '0) - ((iq_pop && i_fail) ? CntW'(i_beats) : '0) - CntW'(b_pop);
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

  // A mark waits for the pieces that are not issued yet, then for the beats of the reads that are under way.
  logic            unissued, mark_q;
  logic [CntW-1:0] flying_q, flying_d, left_q;
  ohca_drain #(.Max(31)) u_drain (
    .clk_i(clk_i), .rst_i(rst_i), .enter_i(s_go), .leave_i(iq_pop), .mark_i(drain_i), .pending_o(unissued)
  );
  assign flying_d   = flying_q + ((rd_valid_o && rd_ready_i) ? CntW'(i_beats) : '0) - CntW'(rd_rsp_valid_i);
  assign draining_o = mark_q || unissued || left_q != '0;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      flying_q <= '0;
      left_q   <= '0;
      mark_q   <= 1'b0;
    end else begin
      flying_q <= flying_d;
      if (drain_i)                   mark_q <= 1'b1;
      else if (!unissued)            mark_q <= 1'b0;
      if (mark_q && !unissued)       left_q <= flying_d;
      else if (rd_rsp_valid_i && left_q != '0) left_q <= left_q - CntW'(1);
    end
  end

  logic         n_valid, n_pop;
  logic [127:0] n_data;
  ohca_fifo #(.Width(128), .Depth(InlDepth), .Single(Compact)) u_inline (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(inl_valid_i), .ready_o(inl_ready_o), .data_i(inl_i),
    .valid_o(n_valid), .ready_i(n_pop), .data_o(n_data), .count_o(), .almost_full_o()
  );

  // ------------------------------------------------------------------------------------------------ fragments
  // A fragment is what one beat of a piece, or one inline word, contributes: g_n bytes from lane g_off on.
  logic              mid_q, g_valid, g_take, g_end, g_last, g_err, g_void;
  logic [12:0]       rem_q, g_rem;
  logic [LaneW-1:0]  g_off;
  logic [LaneW:0]    g_room, g_n;
  logic [DW-1:0]     g_data;
  logic              n_word_end;

  assign g_void  = o_fail || o_bad;
  assign g_rem   = mid_q ? rem_q : o_len;
  assign g_off   = (o_host && !mid_q) ? o_off : '0;
  assign g_end   = g_void || g_rem <= 13'(g_room);
  assign g_n     = g_void ? '0 : g_end ? (LaneW+1)'(g_rem) : g_room;
  assign g_last  = g_end && o_last;
  assign g_err   = g_void || (o_host && b_err);
  assign g_valid = oq_valid && (g_void || (o_host ? b_valid : n_valid));
  assign oq_pop  = g_take && g_end;
  assign b_pop   = g_take && o_host && !g_void;
  assign n_pop   = g_take && !o_host && !g_void && (n_word_end || g_end);

  if (DW == 64) begin : g_half
    logic half_q;
    always_ff @(posedge clk_i) begin
      if (rst_i || n_pop) half_q <= 1'b0;
      else if (g_take && !o_host && !g_void) half_q <= !half_q;
    end
    assign n_word_end = half_q;
    assign g_room     = (LaneW+1)'(Lanes) - {1'b0, g_off};
    assign g_data     = o_host ? b_data : half_q ? n_data[127:64] : n_data[63:0];
  end else begin : g_whole
    assign n_word_end = 1'b1;
    assign g_room     = o_host ? (LaneW+1)'(Lanes) - {1'b0, g_off} : (LaneW+1)'(16);
    assign g_data     = o_host ? b_data : DW'(n_data);
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) mid_q <= 1'b0;
    else if (g_take) mid_q <= !g_end;
    if (g_take) rem_q <= g_rem - 13'(g_n);
  end

  // ------------------------------------------------------------------------------------------------ headers
  logic                              d_valid, d_take, x_valid, x_take, hq_valid_q, hq_done;
  logic [ohca_fmt_pkg::TXD_BITS-1:0] x_flat;
  ohca_fmt_pkg::txd_t                d, x;
  logic [2:0]                        x_ext_w;
  logic [10:0]                       x_pay_w, x_bth_w;
  ohca_fmt_pkg::av_t                 av;
  ohca_fmt_pkg::lrh_t                lrh;
  ohca_fmt_pkg::grh_t                grh;
  ohca_fmt_pkg::bth_t                bth;
  ohca_fmt_pkg::reth_t               reth;
  ohca_fmt_pkg::deth_t               deth;
  logic [159:0]                      ext;
  logic [2:0]                        ext_w;         // in 4-byte words
  logic [10:0]                       bth_w;         // from BTH to ICRC
  logic [3:0]                        vl;
  logic [6:0]                        lmc_mask;      // path bits that the port has
  logic [639:0]                      hdr_be;
  logic [HdrB*8-1:0]                 hdr_le, eth_le;
  logic                              eth, eth_bad, eth_v6;
  logic [19:0]                       sum;
  logic [4:0]                        hdr_w;

  ohca_fifo #(.Width(ohca_fmt_pkg::TXD_BITS), .Depth(TxdDepth), .Single(Compact), .UseRam(1'b0)) u_txd (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(txd_valid_i), .ready_o(txd_ready_o), .data_i(txd_i),
    .valid_o(x_valid), .ready_i(x_take), .data_o(x_flat), .count_o(), .almost_full_o()
  );
  // The next descriptor and how long its packet is lie in registers (Compact: those of the queue).
  assign x       = ohca_fmt_pkg::txd_t'(x_flat);
  assign x_pay_w = 11'((x.plen + 13'd3) >> 2);
  assign x_bth_w = 11'd4 + 11'(x_ext_w) + x_pay_w;
  always_comb begin
    case (x.bth_op)
      ohca_fmt_pkg::BTH_OP_SEND_LAST_IMM, ohca_fmt_pkg::BTH_OP_SEND_ONLY_IMM, ohca_fmt_pkg::BTH_OP_WRITE_LAST_IMM,
      ohca_fmt_pkg::BTH_OP_SEND_LAST_INV, ohca_fmt_pkg::BTH_OP_SEND_ONLY_INV,
      ohca_fmt_pkg::BTH_OP_READ_RESP_FIRST, ohca_fmt_pkg::BTH_OP_READ_RESP_LAST, ohca_fmt_pkg::BTH_OP_READ_RESP_ONLY,
      ohca_fmt_pkg::BTH_OP_ACK: x_ext_w = 3'd1;
      ohca_fmt_pkg::BTH_OP_UD_SEND_ONLY: x_ext_w = 3'd2;
      ohca_fmt_pkg::BTH_OP_UD_SEND_ONLY_IMM: x_ext_w = 3'd3;
      ohca_fmt_pkg::BTH_OP_WRITE_FIRST, ohca_fmt_pkg::BTH_OP_WRITE_ONLY, ohca_fmt_pkg::BTH_OP_READ_REQ, ohca_fmt_pkg::BTH_OP_CNP: x_ext_w = 3'd4;
      ohca_fmt_pkg::BTH_OP_WRITE_ONLY_IMM: x_ext_w = 3'd5;
      default: x_ext_w = 3'd0;
    endcase
  end
  assign d_take = !hq_valid_q || hq_done;
  if (Compact) begin : g_txd_single
    assign x_take  = d_take;
    assign d_valid = x_valid;
    assign d       = x;
    assign ext_w   = x_ext_w;
    assign bth_w   = x_bth_w;
  end else begin : g_txd_stage
    ohca_fmt_pkg::txd_t x_q;
    logic               x_valid_q;
    logic [2:0]         x_ext_w_q;
    logic [10:0]        x_bth_w_q;
    assign x_take  = !x_valid_q || d_take;
    assign d_valid = x_valid_q;
    assign d       = x_q;
    assign ext_w   = x_ext_w_q;
    assign bth_w   = x_bth_w_q;
    always_ff @(posedge clk_i) begin
      if (rst_i) x_valid_q <= 1'b0;
      else if (x_take) x_valid_q <= x_valid;
      if (x_take && x_valid) begin
        x_q       <= x;
        x_ext_w_q <= x_ext_w;
        x_bth_w_q <= x_bth_w;
      end
    end
  end
  assign av         = ohca_fmt_pkg::av_t'(d.av);
  assign pkey_idx_o = d.pkey_index;
  assign gid_idx_o  = av.sgid_index;
  assign eth        = RoCE && cfg_i.eth;
  assign vl         = (NumVl > 1) ? d.vl : d.vl15 ? 4'd15 : cfg_i.sl2vl[{av.sl, 2'b00} +: 4];
  assign hdr_w      = 5'd5 + 5'(ext_w) + (eth ? 5'd7 + (eth_v6 ? 5'd10 : 5'd5) : av.grh ? 5'd10 : 5'd0);

  assign lmc_mask   = ~(7'h7f << cfg_i.lmc);

  always_comb begin
    lrh        = '0;
    lrh.vl     = vl;
    lrh.sl     = av.sl;
    lrh.lnh    = av.grh ? 2'd3 : 2'd2;
    lrh.dlid   = av.dlid;
    lrh.pktlen = 11'd2 + bth_w + (av.grh ? 11'd10 : 11'd0);
    lrh.slid   = d.slid_perm ? 16'hffff : cfg_i.lid | {9'd0, av.path_bits & lmc_mask};

    grh        = '0;
    grh.ipver  = 4'd6;
    grh.tclass = av.tclass;
    grh.flow   = av.flow_label;
    grh.paylen = {3'd0, bth_w, 2'd0};
    grh.nxthdr = 8'h1b;
    grh.hoplmt = av.hop_limit;
    grh.sgid   = gid_i;
    grh.dgid   = ohca_fmt_pkg::bswap128(av.dgid);

    bth        = '0;
    bth.opcode = d.bth_op;
    bth.se     = d.se;
    bth.becn   = d.bth_op == ohca_fmt_pkg::BTH_OP_CNP;
    bth.migreq = d.migreq;
    bth.padcnt = ohca_fmt_pkg::padcnt(d.plen[1:0]);
    bth.pkey   = d.vl15 ? 16'hffff : pkey_i;
    bth.destqp = d.dqpn;
    bth.ackreq = d.ackreq;
    bth.psn    = d.psn;

    reth        = '0;
    reth.va     = d.va;
    reth.rkey   = d.rkey;
    reth.dmalen = d.dmalen;
    deth        = '0;
    deth.qkey   = d.qkey;
    deth.srcqp  = d.qpn;

    case (d.bth_op)
      ohca_fmt_pkg::BTH_OP_SEND_LAST_IMM, ohca_fmt_pkg::BTH_OP_SEND_ONLY_IMM, ohca_fmt_pkg::BTH_OP_WRITE_LAST_IMM: begin
        ext   = {ohca_fmt_pkg::bswap32(d.imm), 128'd0};
      end
      ohca_fmt_pkg::BTH_OP_SEND_LAST_INV, ohca_fmt_pkg::BTH_OP_SEND_ONLY_INV: begin
        ext   = {d.rkey, 128'd0};
      end
      ohca_fmt_pkg::BTH_OP_WRITE_FIRST, ohca_fmt_pkg::BTH_OP_WRITE_ONLY, ohca_fmt_pkg::BTH_OP_READ_REQ: begin
        ext   = {reth, 32'd0};
      end
      ohca_fmt_pkg::BTH_OP_WRITE_ONLY_IMM: begin
        ext   = {reth, ohca_fmt_pkg::bswap32(d.imm)};
      end
      ohca_fmt_pkg::BTH_OP_READ_RESP_FIRST, ohca_fmt_pkg::BTH_OP_READ_RESP_LAST, ohca_fmt_pkg::BTH_OP_READ_RESP_ONLY,
      ohca_fmt_pkg::BTH_OP_ACK: begin
        ext   = {d.aeth, 128'd0};
      end
      ohca_fmt_pkg::BTH_OP_UD_SEND_ONLY: begin
        ext   = {deth, 96'd0};
      end
      ohca_fmt_pkg::BTH_OP_UD_SEND_ONLY_IMM: begin
        ext   = {deth, ohca_fmt_pkg::bswap32(d.imm), 64'd0};
      end
      ohca_fmt_pkg::BTH_OP_CNP: begin                  // 16 reserved bytes
        ext   = '0;
      end
      default: begin
        ext   = '0;
      end
    endcase
    hdr_be = av.grh ? {lrh, grh, bth, ext} : {lrh, bth, ext, 320'd0};
  end
  always_comb begin
    hdr_le = '0;
    for (int unsigned i = 0; i < 80; i++) hdr_le[8*i +: 8] = hdr_be[639-8*i -: 8];
    if (eth) hdr_le = eth_le;
  end

  // ------------------------------------------------------------------------------------------------ headers of an Ethernet port
  // IP always begins at byte 28. The IPv4 checksum is summed up here and put in a cycle later.
  if (RoCE) begin : g_eth
    ohca_fmt_pkg::lrh_t  el;
    ohca_fmt_pkg::ipv4_t ip4;
    ohca_fmt_pkg::ipv6_t ip6;
    ohca_fmt_pkg::udp_t  udp;
    logic [127:0]        dgid;
    logic [47:0]         dmac;
    logic [15:0]         key;
    logic                no_ect;
    logic [7:0]          tos;
    logic [15:0]         udp_len;
    logic [159:0]        l2;
    logic [863:0]        be;
    assign eth_v6  = eth_gid_i.gtype == ohca_fmt_pkg::GID_TYPE_ROCE_V2_IPV6;
    assign dgid    = ohca_fmt_pkg::bswap128(av.dgid);
    assign dmac    = {ohca_fmt_pkg::bswap32(av.dmac_lo), av.dmac_hi[7:0], av.dmac_hi[15:8]};
    assign eth_bad = d.vl15 || (!eth_v6 && (eth_gid_i.gtype != ohca_fmt_pkg::GID_TYPE_ROCE_V2_IPV4 || dgid[127:32] != 96'hffff));
    // Acknowledges and CNPs are not ECN-capable: nobody would be told of a mark on them.
    assign no_ect  = d.bth_op == ohca_fmt_pkg::BTH_OP_CNP || d.bth_op[4:0] == 5'h11 || d.bth_op[4:0] == 5'h12;
    assign tos     = {av.tclass[7:2], no_ect ? 2'd0 : (cfg_i.ect && av.tclass[1:0] == 2'd0) ? 2'd2 : av.tclass[1:0]};
    assign udp_len = {3'd0, bth_w + 11'd2, 2'd0};
    // Who shares a key is spaced together by the static rate; multicast and loopback are what the link layer knows by it.
    assign key     = dmac[47:32] ^ dmac[31:16] ^ dmac[15:0];
    always_comb begin
      el        = '0;
      el.vl     = vl;
      el.lver   = {3'd0, eth_gid_i.tag};
      el.sl     = av.sl;
      el.lnh    = {1'b0, eth_v6};
      el.dlid   = dmac[40] ? {3'b110, key[12:0]} : (dmac == eth_gid_i.mac) ? 16'hffff : {1'b0, key[14:1], 1'b1};
      el.pktlen = 11'd9 + bth_w + (eth_v6 ? 11'd10 : 11'd5);

      ip4         = '0;
      ip4.version = 4'd4;
      ip4.ihl     = 4'd5;
      ip4.dscp    = tos[7:2];
      ip4.ecn     = tos[1:0];
      ip4.len     = udp_len + 16'd20;
      ip4.df      = 1'b1;
      ip4.ttl     = av.hop_limit;
      ip4.proto   = 8'd17;
      ip4.src     = eth_gid_i.gid[31:0];
      ip4.dst     = dgid[31:0];

      ip6         = '0;
      ip6.version = 4'd6;
      ip6.tclass  = tos;
      ip6.flow    = av.flow_label;
      ip6.len     = udp_len;
      ip6.nxthdr  = 8'd17;
      ip6.hoplmt  = av.hop_limit;
      ip6.src     = eth_gid_i.gid;
      ip6.dst     = dgid;

      udp         = '0;
      udp.sport   = av.udp_sport;
      udp.dport   = 16'(ohca_fmt_pkg::ROCE_UDP_DPORT);
      udp.len     = udp_len;

      l2 = eth_gid_i.tag ? {16'd0, dmac, eth_gid_i.mac, 16'h8100, av.sl[2:0], 1'b0, eth_gid_i.vid, eth_v6 ? 16'h86dd : 16'h0800}
                            : {48'd0, dmac, eth_gid_i.mac, eth_v6 ? 16'h86dd : 16'h0800};
      be = eth_v6 ? {el, l2, ip6, udp, bth, ext} : {el, l2, ip4, udp, bth, ext, 160'd0};
      for (int unsigned i = 0; i < 108; i++) eth_le[8*i +: 8] = be[863-8*i -: 8];
      sum = 20'h0_8511 + 20'd28 + 20'({ip4.dscp, ip4.ecn}) + 20'({bth_w, 2'd0}) + 20'({ip4.ttl, 8'd0}) + 20'(ip4.src[31:16]) + 20'(ip4.src[15:0]) + 20'(ip4.dst[31:16]) +
            20'(ip4.dst[15:0]);
    end
    logic unused_eth;
    assign unused_eth = &{1'b0, key};
  end else begin : g_ib
    assign eth_v6  = 1'b0;
    assign eth_bad = 1'b0;
    assign eth_le  = '0;
    assign sum     = '0;
    logic unused_eth;
    assign unused_eth = &{1'b0, eth_gid_i};
  end

  // What is known of the packet besides its bytes.
  typedef struct packed {
    ohca_fmt_pkg::txk_e   kind;
    logic                 done;
    logic [23:0]          qpn;
    logic [15:0]          idx;
    ohca_fmt_pkg::wr_op_e wrop;
    logic                 signaled;
    logic [23:0]          psn;
    logic                 drop;      // its SL has no VL: it is built and discarded
    logic [3:0]           vl;
    logic [7:0]           ipd;
    logic [9:0]           words;
    logic                 csum;
  } meta_t;
  meta_t        h_q, p_q, cur;
  logic [HdrB*8-1:0] hdr_q, hdr;
  logic [4:0]   hw_q;                // header words left
  logic         h_v4_q;              // the IPv4 checksum is to be put in
  logic [19:0]  sum_q;
  logic         h_pay_q;

  logic h_shift;
  always_ff @(posedge clk_i) begin
    if (rst_i) hq_valid_q <= 1'b0;
    else if (!hq_valid_q || hq_done) hq_valid_q <= d_valid;
    if (!hq_valid_q || hq_done) begin
      if (d_valid) begin
        h_q.kind     <= d.kind;
        h_q.done     <= d.done;
        h_q.qpn      <= d.qpn;
        h_q.idx      <= d.idx;
        h_q.wrop     <= d.wrop;
        h_q.signaled <= d.signaled;
        h_q.psn      <= d.psn;
        h_q.drop     <= eth ? eth_bad || vl == 4'd15 : !d.vl15 && vl == 4'd15;
        h_q.vl       <= vl;
        h_q.ipd      <= av.ipd;
        h_q.csum     <= d.csum;
        h_q.words    <= (NumVl > 1) ? 10'((14'(d.plen) + 14'(Lanes - 1)) >> LaneW) + 10'(HdrW) : 10'd0;
        hdr_q        <= hdr_le;
        h_v4_q       <= eth && !eth_v6;
        sum_q        <= sum;
        hw_q         <= hdr_w;
        h_pay_q      <= d.plen != 13'd0;
      end
    end else if (h_shift) begin
      hdr_q  <= hdr >> DW;
      h_v4_q <= 1'b0;
      hw_q   <= hw_q - 5'(Lanes / 4);
    end
  end

  if (RoCE) begin : g_sum
    logic [16:0] fold;
    logic [15:0] csum;
    assign fold = {1'b0, sum_q[15:0]} + {13'd0, sum_q[19:16]};
    assign csum = ~(fold[15:0] + {15'd0, fold[16]});
    always_comb begin
      hdr = hdr_q;
      if (h_v4_q) begin
        hdr[38*8 +: 8] = csum[15:8];
        hdr[39*8 +: 8] = csum[7:0];
      end
    end
  end else begin : g_nosum
    assign hdr = hdr_q;
    logic unused_sum;
    assign unused_sum = &{1'b0, sum_q, h_v4_q};
  end

  // ------------------------------------------------------------------------------------------------ sequence
  // One operation a cycle: bytes, turned so that they begin at lane f, join those kept from before; a full beat leaves.
  typedef enum logic [1:0] { Q_HDR, Q_PAY, Q_TAIL } seq_e;
  seq_e             q_q, q_d;
  logic [LaneW-1:0] f_q, f_d;
  logic [LaneW+1:0] tot;
  logic             step;                       // the pipeline moves
  logic             op_valid, op_emit, op_last, op_err, h_full, h_over, h_end, p_end, p_bad;
  logic [DW-1:0]    op_data;
  logic [LaneW-1:0] op_amt, op_f;
  logic [LaneW:0]   op_cnt;
  logic             bad_q, bad_len_q, up_ready, rerr_ready;
  logic [7:0]       bad_verr_q;

  assign h_full = 7'(hw_q) * 7'd4 >= 7'(Lanes);
  assign tot    = {2'b00, f_q} + {1'b0, g_n};
  assign h_over = hq_valid_q && !h_full && h_pay_q && up_ready && rerr_ready && h_q.kind != ohca_fmt_pkg::TXK_NOPKT;
  assign cur    = (q_q == Q_HDR) ? h_q : p_q;

  always_comb begin
    q_d      = q_q;
    f_d      = f_q;
    op_valid = 1'b0;
    op_emit  = 1'b1;
    op_last  = 1'b0;
    op_err   = 1'b0;
    op_data  = g_data;
    op_amt   = '0;
    op_f     = f_q;
    op_cnt   = (LaneW+1)'(Lanes);
    h_shift  = 1'b0;
    hq_done  = 1'b0;
    h_end    = 1'b0;
    g_take   = 1'b0;
    p_end    = 1'b0;
    p_bad    = bad_q || g_err;
    case (q_q)
      Q_HDR: begin
        op_data = hdr[DW-1:0];
        op_f    = '0;
        f_d     = '0;
        if (hq_valid_q && step && up_ready && rerr_ready) begin
          h_end = !h_full || 7'(hw_q) * 7'd4 == 7'(Lanes);
          if (h_q.kind == ohca_fmt_pkg::TXK_NOPKT) begin
            hq_done = 1'b1;
            p_end   = 1'b1;
          end else begin
            op_valid = 1'b1;
            h_shift  = 1'b1;
            op_emit  = h_full || !h_pay_q;
            if (!h_full) begin
              op_cnt = {hw_q[LaneW-2:0], 2'b00};
              f_d    = {hw_q[LaneW-3:0], 2'b00};
            end
            if (h_end) begin
              hq_done = 1'b1;
              op_last = !h_pay_q;
              op_err  = !h_pay_q && h_q.drop;
              p_end   = !h_pay_q;
              if (h_pay_q) q_d = Q_PAY;
            end
          end
        end
        p_bad = 1'b0;
      end
      Q_PAY: if (g_valid && step) begin
        g_take   = 1'b1;
        op_valid = 1'b1;
        op_amt   = g_off - f_q;
        op_emit  = tot >= (LaneW+2)'(Lanes) || g_last;
        f_d      = tot[LaneW-1:0];
        if (g_last) begin
          if (tot > (LaneW+2)'(Lanes) && !p_bad) q_d = Q_TAIL;
          else begin
            q_d     = Q_HDR;
            p_end   = 1'b1;
            op_last = 1'b1;
            op_err  = p_bad || p_q.drop;
            op_cnt  = p_bad ? (LaneW+1)'(Lanes) : tot[LaneW:0];
          end
        end
      end
      default: if (step) begin // Q_TAIL: the bytes kept are the packet's last
        op_valid = 1'b1;
        op_last  = 1'b1;
        op_err   = p_q.drop;
        op_cnt   = {1'b0, f_q};
        q_d      = Q_HDR;
        p_end    = 1'b1;
        p_bad    = 1'b0;
        // The next header, when it is shorter than a beat, is kept in the same cycle.
        op_data  = hdr[DW-1:0];
        if (h_over) begin
          hq_done = 1'b1;
          q_d     = Q_PAY;
          f_d     = {hw_q[LaneW-3:0], 2'b00};
        end
      end
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      q_q   <= Q_HDR;
      bad_q <= 1'b0;
    end else begin
      q_q <= q_d;
      if (p_end) bad_q <= 1'b0;
      else if (g_take && g_err) bad_q <= 1'b1;
    end
    f_q <= f_d;
    if (hq_done) p_q <= h_q;
    if (g_take && g_err && !bad_q) begin
      bad_verr_q <= o_bad ? ohca_fmt_pkg::VENDOR_ERR_LENGTH : o_fail ? o_verr : ohca_fmt_pkg::VENDOR_ERR_DMA;
      bad_len_q  <= o_bad;
    end
  end

  // ------------------------------------------------------------------------------------------------ reports
  // Pushed a cycle after the packet's end; a packet starts only when both queues have room for its report and the one on its way.
  ohca_fmt_pkg::ra_up_t up;
  meta_t                r_q;
  logic                 r_valid_q, r_bad_q;
  logic [2:0]           up_count, rerr_count;
  logic                 up_room, rerr_room;

  always_ff @(posedge clk_i) begin
    if (rst_i) r_valid_q <= 1'b0;
    else       r_valid_q <= p_end;
    if (p_end) begin
      r_q     <= cur;
      r_bad_q <= p_bad;
    end
  end

  always_comb begin
    up          = '0;
    up.kind     = r_bad_q ? ohca_fmt_pkg::UPK_LOCAL_ERR : ohca_fmt_pkg::UPK_UD_DONE;
    up.qpn      = r_q.qpn;
    up.idx      = r_q.idx;
    up.pi       = r_q.idx + 16'd1;
    up.psn      = r_q.psn;
    up.wrop     = r_q.wrop;
    up.signaled = r_q.signaled;
    up.status   = !r_bad_q ? ohca_fmt_pkg::WC_STATUS_SUCCESS : bad_len_q ? ohca_fmt_pkg::WC_STATUS_LOC_LEN : ohca_fmt_pkg::WC_STATUS_LOC_PROT;
    up.verr     = r_bad_q ? ohca_fmt_pkg::vendor_err_e'(bad_verr_q) : ohca_fmt_pkg::VENDOR_ERR_NONE;
  end

  ohca_fifo #(.Width(ohca_fmt_pkg::RA_UP_BITS), .Depth(4)) u_up (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(r_valid_q && r_q.kind != ohca_fmt_pkg::TXK_RESP && (r_bad_q || r_q.done)), .ready_o(up_room), .data_i(up),
    .valid_o(up_valid_o), .ready_i(up_ready_i), .data_o(up_o), .count_o(up_count), .almost_full_o()
  );
  ohca_fifo #(.Width(48), .Depth(4)) u_rerr (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(r_valid_q && r_q.kind == ohca_fmt_pkg::TXK_RESP && r_bad_q), .ready_o(rerr_room), .data_i({r_q.qpn, r_q.psn}),
    .valid_o(rerr_valid_o), .ready_i(rerr_ready_i), .data_o({rerr_qpn_o, rerr_psn_o}), .count_o(rerr_count), .almost_full_o()
  );
  assign up_ready   = up_count < 3'd2;
  assign rerr_ready = rerr_count < 3'd2;

  always_comb begin
    cnt_o = '0;
    cnt_o[ohca_fmt_pkg::COUNTER_TX_LOCAL_ERR] = r_valid_q && r_bad_q;
    cnt_o[ohca_fmt_pkg::COUNTER_TX_DROP]      = r_valid_q && r_q.drop && r_q.kind != ohca_fmt_pkg::TXK_NOPKT;
  end

  // ------------------------------------------------------------------------------------------------ rotate, merge
  logic             r1_valid_q, r1_emit_q, r1_last_q, r1_err_q, r2_valid_q, r2_emit_q, r2_last_q, r2_err_q;
  logic [DW-1:0]    r1_data_q, r1_turned, r2_data_q, acc_q, merged, masked;
  logic [LaneW-1:0] r1_amt_q, r1_f_q, r2_f_q;
  logic [LaneW:0]   r1_cnt_q, r2_cnt_q;
  logic [22:0]      r1_side_q, r2_side_q;
  logic [63:0]      kept, used, keep;

  assign step = !out_valid_o || out_ready_i;

  ohca_rotate #(.Lanes(Lanes)) u_rotate (.data_i(r1_data_q), .amount_i(r1_amt_q), .data_o(r1_turned));

  assign kept = ohca_fmt_pkg::keep_mask(7'(r2_f_q));
  assign used = ohca_fmt_pkg::keep_mask(7'(r2_cnt_q));
  assign keep = ohca_fmt_pkg::keep_mask((7'(r2_cnt_q) + 7'd3) & 7'h7c);
  always_comb begin
    for (int unsigned i = 0; i < Lanes; i++) begin
      merged[8*i +: 8] = kept[i] ? acc_q[8*i +: 8] : r2_data_q[8*i +: 8];
      masked[8*i +: 8] = used[i] ? merged[8*i +: 8] : 8'd0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      r1_valid_q  <= 1'b0;
      r2_valid_q  <= 1'b0;
      out_valid_o <= 1'b0;
    end else if (step) begin
      r1_valid_q  <= op_valid;
      r2_valid_q  <= r1_valid_q;
      out_valid_o <= r2_valid_q && r2_emit_q;
    end
    if (step && op_valid) begin
      r1_data_q <= op_data;
      r1_amt_q  <= op_amt;
      r1_f_q    <= op_f;
      r1_cnt_q  <= op_cnt;
      r1_emit_q <= op_emit;
      r1_last_q <= op_last;
      r1_err_q  <= op_err;
      r1_side_q <= {cur.csum, cur.words, cur.vl, cur.ipd};
    end
    if (step && r1_valid_q) begin
      r2_data_q <= r1_turned;
      r2_f_q    <= r1_f_q;
      r2_cnt_q  <= r1_cnt_q;
      r2_emit_q <= r1_emit_q;
      r2_last_q <= r1_last_q;
      r2_err_q  <= r1_err_q;
      r2_side_q <= r1_side_q;
    end
    if (step && r2_valid_q) begin
      acc_q <= r2_emit_q ? r2_data_q : merged;
      if (r2_emit_q) begin
        out_data_o <= masked;
        out_keep_o <= keep[Lanes-1:0];
        out_last_o <= r2_last_q;
        out_err_o  <= r2_err_q;
        {out_sum_o, out_words_o, out_vl_o, out_ipd_o} <= r2_side_q;
      end
    end
  end

  assign idle_o = !txd_valid_i && !txp_valid_i && !s_valid_q && !iq_valid && !oo_valid && !oq_valid && used_q == '0 && !n_valid && !x_valid && !d_valid && !hq_valid_q && q_q == Q_HDR &&
                  !r_valid_q && !up_valid_o && !rerr_valid_o && !r1_valid_q && !r2_valid_q && !out_valid_o;

  logic unused;
  assign unused = &{1'b0, cfg_i, t_ready, b_ready, tpt_rsp_i.tag, av, h_end, tot, g_off, up_room, rerr_room, kept, used, keep, r_q};

  `ASSERT(TranslatedRoom_A, !tpt_rsp_valid_i || t_ready)
  `ASSERT(BeatRoom_A, !rd_rsp_valid_i || b_ready)
  `ASSERT(Place_A, !iq_valid || oq_ready)
  `ASSERT(ReportRoom_A, !r_valid_q || (up_room && rerr_room))
  `ASSERT(PieceLen_A, !txp_valid_i || txp_i.bad || txp_i.len != '0)
  `ASSERT(PieceInPage_A, !txp_valid_i || txp_i.bad || txp_i.inl || {1'b0, txp_i.va[11:0]} + txp_i.len <= 13'd4096)

endmodule

`default_nettype wire
