// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Packet builder: descriptors and payload pieces in, packets from LRH to the pad bytes out (ICRC and VCRC are the
// link's); on an Ethernet port in the internal form of docs/roce.md.
//
// From descriptor to first beat 8 cycles with inline payload; one beat per cycle on long payloads and headers; the
// payload of a packet begins a cycle after its header's last bytes.
//
//   txp, inl -> ohca_txb_read: pieces translated and read ahead -> fragments --+-> sequence -> ohca_txb_join -> out
//   txd      -> ohca_txb_hdr: header bytes, what is known of the packet -------+      |
//                                                                                     +-> reports
//
// A piece that cannot be translated or read, or that says its list ended early, aborts its packet: out_err_o with
// out_last_o, and a report (requests: local_err; responses: rerr). So are packets of a QP that was reset, but
// without any report (txp.gone, gone_i; desc_gone_i).
// It does NOT check that the pieces add up to plen: that is the duty of who sends both. With several VLs it does not
// choose the VL either: whoever emits a descriptor has chosen it and taken room (ohca_link_tx), and the packet says at
// its end how much, also when it is aborted.
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
  parameter bit          Compact  = 1'b0,    // one descriptor and one inline word wait, in flops; half of BufBytes
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
  input  logic [63:0]                desc_gone_i,    // by txd.slot, of requests: the QP was reset (ohca_sq)
  input  logic                       txp_valid_i,
  output logic                       txp_ready_o,
  input  ohca_fmt_pkg::txp_t         txp_i,
  input  logic [7:0]                 gone_i,         // by txp.slot: the QP was reset (ohca_sq)
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

  localparam int unsigned LaneW = $clog2(Lanes);

  // As many slots of descriptors (ohca_sq): those that wait, and eight from ohca_sq_head to the queue and behind it.
  if ((1 << LaneW) * 8 != DW || DW < 64 || DW > 512 || (BufBytes & (BufBytes - 1)) != 0 ||
      BufBytes < (Compact ? 16384 : 8192) || (!Compact && TxdDepth > 56)) begin : g_bad
    $error("ohca_txbuild: DW 64 to 512, BufBytes a power of two of at least 8192 (16384), TxdDepth at most 56");
  end

  // -------------------------------------------------------------------------------- payload
  logic                      g_valid, g_take, g_last, g_err, g_gone, g_short, read_idle;
  logic [LaneW-1:0]          g_off;
  logic [LaneW:0]            g_n;
  logic [DW-1:0]             g_data;
  ohca_fmt_pkg::vendor_err_e g_verr, f_verr;
  localparam int unsigned MetaB = DW + 2 * LaneW + 1, FragW = MetaB + 4 + 8;       // a fragment as it comes
  logic                      f_valid, f_take;
  logic [FragW-1:0]          f_at, g_at;

  ohca_txb_read #(.DW(DW), .BufBytes(Compact ? BufBytes / 2 : BufBytes), .Pieces(Pieces), .InlDepth(InlDepth),
      .Compact(Compact)) u_read (
    .clk_i(clk_i), .rst_i(rst_i), .idle_o(read_idle), .drain_i(drain_i), .draining_o(draining_o),
    .txp_valid_i(txp_valid_i), .txp_ready_o(txp_ready_o), .txp_i(txp_i), .gone_i(gone_i),
    .inl_valid_i(inl_valid_i), .inl_ready_o(inl_ready_o), .inl_i(inl_i),
    .tpt_valid_o(tpt_valid_o), .tpt_ready_i(tpt_ready_i), .tpt_o(tpt_o),
    .tpt_rsp_valid_i(tpt_rsp_valid_i), .tpt_rsp_i(tpt_rsp_i),
    .rd_valid_o(rd_valid_o), .rd_ready_i(rd_ready_i), .rd_o(rd_o),
    .rd_rsp_valid_i(rd_rsp_valid_i), .rd_rsp_data_i(rd_rsp_data_i), .rd_rsp_err_i(rd_rsp_err_i),
    .frag_valid_o(f_valid), .frag_take_i(f_take), .frag_data_o(f_at[DW-1:0]), .frag_off_o(f_at[DW +: LaneW]),
    .frag_n_o(f_at[DW+LaneW +: LaneW+1]), .frag_last_o(f_at[MetaB]), .frag_err_o(f_at[MetaB+1]),
    .frag_gone_o(f_at[MetaB+2]), .frag_short_o(f_at[MetaB+3]), .frag_verr_o(f_verr)
  );
  assign f_at[FragW-1 -: 8] = f_verr;
  // Compact: through a register, as buffer and header may lie far apart.
  if (Compact) begin : g_far
    logic room;
    ohca_skid #(.Width(FragW)) u_frag (
      .clk_i(clk_i), .rst_i(rst_i), .valid_i(f_valid), .ready_o(room), .data_i(f_at),
      .valid_o(g_valid), .ready_i(g_take), .data_o(g_at)
    );
    assign f_take = f_valid && room;
  end else begin : g_here
    assign {g_valid, g_at, f_take} = {f_valid, f_at, g_take};
  end
  assign {g_short, g_gone, g_err, g_last, g_n, g_off, g_data} = g_at[FragW-9:0];
  assign g_verr = ohca_fmt_pkg::vendor_err_e'(g_at[FragW-1 -: 8]);

  // -------------------------------------------------------------------------------- headers
  logic               h_valid, h_done, h_shift, h_pay, hdr_idle;
  logic [DW-1:0]      h_data;
  logic [4:0]         h_left;              // 4-byte words
  ohca_fmt_pkg::txh_t h_info, p_q, cur;    // of the header; of the packet whose payload comes

  ohca_txb_hdr #(.DW(DW), .TxdDepth(TxdDepth), .RoCE(RoCE), .NumVl(NumVl), .Compact(Compact)) u_hdr (
    .clk_i(clk_i), .rst_i(rst_i), .idle_o(hdr_idle), .cfg_i(cfg_i),
    .pkey_idx_o(pkey_idx_o), .pkey_i(pkey_i), .gid_idx_o(gid_idx_o), .gid_i(gid_i), .eth_gid_i(eth_gid_i),
    .txd_valid_i(txd_valid_i), .txd_ready_o(txd_ready_o), .txd_i(txd_i), .gone_i(desc_gone_i),
    .hdr_valid_o(h_valid), .hdr_o(h_data), .hdr_left_o(h_left), .hdr_pay_o(h_pay), .hdr_info_o(h_info),
    .hdr_shift_i(h_shift), .hdr_done_i(h_done)
  );

  // -------------------------------------------------------------------------------- sequence
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
  logic             bad_q, bad_len_q, gone_q, up_ready, rerr_ready;
  ohca_fmt_pkg::vendor_err_e bad_verr_q;

  assign h_full = 7'(h_left) * 7'd4 >= 7'(Lanes);
  assign h_end  = !h_full || 7'(h_left) * 7'd4 == 7'(Lanes);
  assign tot    = {2'b00, f_q} + {1'b0, g_n};
  assign h_over = h_valid && !h_full && h_pay && up_ready && rerr_ready && h_info.kind != ohca_fmt_pkg::TXK_NOPKT;
  assign cur    = (q_q == Q_HDR) ? h_info : p_q;
  assign g_take = q_q == Q_PAY && g_valid && step;

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
    h_done   = 1'b0;
    p_end    = 1'b0;
    p_bad    = bad_q || g_err;
    case (q_q)
      Q_HDR: begin
        op_data = h_data;
        op_f    = '0;
        f_d     = '0;
        if (h_valid && step && up_ready && rerr_ready) begin
          if (h_info.kind == ohca_fmt_pkg::TXK_NOPKT) begin
            h_done = 1'b1;
            p_end  = 1'b1;
          end else begin
            op_valid = 1'b1;
            h_shift  = 1'b1;
            op_emit  = h_full || !h_pay;
            if (!h_full) begin
              op_cnt = {h_left[LaneW-2:0], 2'b00};
              f_d    = {h_left[LaneW-3:0], 2'b00};
            end
            if (h_end) begin
              h_done  = 1'b1;
              op_last = !h_pay;
              op_err  = !h_pay && (h_info.drop || h_info.gone);
              p_end   = !h_pay;
              if (h_pay) q_d = Q_PAY;
            end
          end
        end
        p_bad = 1'b0;
      end
      Q_PAY: if (g_take) begin
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
            op_err  = p_bad || p_q.drop || p_q.gone;
            op_cnt  = p_bad ? (LaneW+1)'(Lanes) : tot[LaneW:0];
          end
        end
      end
      default: if (step) begin // Q_TAIL: the bytes kept are the packet's last
        op_valid = 1'b1;
        op_last  = 1'b1;
        op_err   = p_q.drop || p_q.gone;
        op_cnt   = {1'b0, f_q};
        q_d      = Q_HDR;
        p_end    = 1'b1;
        p_bad    = 1'b0;
        // The next header, when it is shorter than a beat, is kept in the same cycle.
        op_data  = h_data;
        if (h_over) begin
          h_done = 1'b1;
          q_d    = Q_PAY;
          f_d    = {h_left[LaneW-3:0], 2'b00};
        end
      end
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      q_q   <= Q_HDR;
      bad_q <= 1'b0;
      gone_q <= 1'b0;
    end else begin
      q_q <= q_d;
      if (p_end) bad_q <= 1'b0;
      else if (g_take && g_err) bad_q <= 1'b1;
      if (p_end) gone_q <= 1'b0;
      else if (g_take && g_gone) gone_q <= 1'b1;
    end
    f_q <= f_d;
    if (h_done) p_q <= h_info;
    else p_q.gone <= desc_gone_i[p_q.slot] && p_q.kind != ohca_fmt_pkg::TXK_RESP;
    if (g_take && g_err && !bad_q) begin
      bad_verr_q <= g_verr;
      bad_len_q  <= g_short;
    end
  end

  // -------------------------------------------------------------------------------- reports
  // Pushed a cycle after the packet's end; a packet starts only when both queues have room for its report and the one
  // on its way.
  ohca_fmt_pkg::ra_up_t up;
  ohca_fmt_pkg::txh_t                r_q;
  logic                 r_valid_q, r_bad_q, r_gone_q;
  logic [2:0]           up_count, rerr_count;
  logic                 up_room, rerr_room;

  always_ff @(posedge clk_i) begin
    if (rst_i) r_valid_q <= 1'b0;
    else       r_valid_q <= p_end;
    if (p_end) begin
      r_q      <= cur;
      r_bad_q  <= p_bad;
      r_gone_q <= gone_q || (g_take && g_gone) || cur.gone;
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
    up.status   = !r_bad_q ? ohca_fmt_pkg::WC_STATUS_SUCCESS :
                  bad_len_q ? ohca_fmt_pkg::WC_STATUS_LOC_LEN : ohca_fmt_pkg::WC_STATUS_LOC_PROT;
    up.verr     = r_bad_q ? bad_verr_q : ohca_fmt_pkg::VENDOR_ERR_NONE;
  end

  ohca_fifo #(.Width(ohca_fmt_pkg::RA_UP_BITS), .Depth(4)) u_up (
    .clk_i(clk_i), .rst_i(rst_i),
    .valid_i(r_valid_q && r_q.kind != ohca_fmt_pkg::TXK_RESP && !r_gone_q && (r_bad_q || r_q.done)),
    .ready_o(up_room), .data_i(up),
    .valid_o(up_valid_o), .ready_i(up_ready_i), .data_o(up_o), .count_o(up_count), .almost_full_o()
  );
  ohca_fifo #(.Width(48), .Depth(4)) u_rerr (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(r_valid_q && r_q.kind == ohca_fmt_pkg::TXK_RESP && r_bad_q),
    .ready_o(rerr_room), .data_i({r_q.qpn, r_q.psn}),
    .valid_o(rerr_valid_o), .ready_i(rerr_ready_i), .data_o({rerr_qpn_o, rerr_psn_o}),
    .count_o(rerr_count), .almost_full_o()
  );
  // Flops, as packets begin by them: of two reports before, the one on its way and the two since there are four.
  always_ff @(posedge clk_i) begin
    up_ready   <= up_count < 3'd2 && !rst_i;
    rerr_ready <= rerr_count < 3'd2 && !rst_i;
  end

  always_comb begin
    cnt_o = '0;
    cnt_o[ohca_fmt_pkg::COUNTER_TX_LOCAL_ERR] = r_valid_q && r_bad_q && !r_gone_q;
    cnt_o[ohca_fmt_pkg::COUNTER_TX_DROP]      = r_valid_q && r_q.drop && r_q.kind != ohca_fmt_pkg::TXK_NOPKT;
  end

  // -------------------------------------------------------------------------------- join
  // With Compact a beat that finds the link not ready waits beside, as all that moves here hangs on it, and the link
  // may lie far away.
  localparam int unsigned OutW = DW + Lanes + 25;
  logic            join_idle, j_valid, j_ready;
  logic [OutW-1:0] j_out;
  if (Compact) begin : g_side
    ohca_skid_now #(.Width(OutW)) u_out (
      .clk_i(clk_i), .rst_i(rst_i), .valid_i(j_valid), .ready_o(j_ready), .data_i(j_out), .valid_o(out_valid_o),
      .ready_i(out_ready_i),
      .data_o({out_sum_o, out_words_o, out_vl_o, out_ipd_o, out_err_o, out_last_o, out_keep_o, out_data_o})
    );
  end else begin : g_direct
    assign out_valid_o = j_valid;
    assign j_ready     = out_ready_i;
    assign {out_sum_o, out_words_o, out_vl_o, out_ipd_o, out_err_o, out_last_o, out_keep_o, out_data_o} = j_out;
  end

  ohca_txb_join #(.DW(DW)) u_join (
    .clk_i(clk_i), .rst_i(rst_i), .idle_o(join_idle), .step_o(step),
    .op_valid_i(op_valid), .op_emit_i(op_emit), .op_last_i(op_last), .op_err_i(op_err), .op_data_i(op_data),
    .op_amt_i(op_amt), .op_f_i(op_f), .op_cnt_i(op_cnt), .op_side_i({cur.csum, cur.words, cur.vl, cur.ipd}),
    .out_valid_o(j_valid), .out_ready_i(j_ready), .out_data_o(j_out[DW-1:0]), .out_keep_o(j_out[DW +: Lanes]),
    .out_last_o(j_out[DW+Lanes]), .out_err_o(j_out[DW+Lanes+1]), .out_side_o(j_out[OutW-1:DW+Lanes+2])
  );

  assign idle_o = read_idle && !g_valid && hdr_idle && join_idle && !out_valid_o && q_q == Q_HDR && !r_valid_q &&
                  !up_valid_o && !rerr_valid_o;

  logic unused;
  assign unused = &{1'b0, tot, g_off, up_room, rerr_room, r_q};

  `ASSERT(ReportRoom_A, !r_valid_q || (up_room && rerr_room))

endmodule

`default_nettype wire
