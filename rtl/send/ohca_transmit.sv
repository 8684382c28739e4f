// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// The transmit side: from send doorbells and response jobs to packets for the egress rings. This module only wires.
//
//   doorbells ─► ohca_sq ─────────────────── requests, pieces ─► ohca_txmux ─► ohca_txbuild ─► packets
//   feedback ──► ohca_rd_fence ─► ohca_sq                          ▲    │            ▲
//   jobs ──────► ohca_resp ─► ohca_eth_cnp (RoCE) ─ responses ─────┘    └─ room ─┐   └─ inline words of ohca_sq
//                                                                     ohca_link_tx's
//
// Latency and throughput are those of the blocks: nothing is registered here but the pulse that an answer has left. It
// does NOT choose a packet's VL again, nor wait for one: room in the egress rings is taken before a packet is made.

`include "ohca_clocks.svh"
`default_nettype none

module ohca_transmit #(
  parameter int unsigned DataWidth = 64,
  parameter int unsigned NumVl     = 4,
  parameter int unsigned CtxSets   = 256,     // contexts on chip, divided by CtxWays; the cache's misses, lookups and
  parameter int unsigned CtxWays   = 2,       // write-backs in flight (ohca_ctx)
  parameter int unsigned CtxFills  = 16,
  parameter int unsigned CtxDepth  = 32,
  parameter int unsigned CtxEvicts = 32,
  parameter int unsigned InFlight  = 32,      // of the receive engines: how many READs may come yet
  parameter int unsigned RunQueue  = 65536,   // QPs that can be active at a time
  parameter int unsigned NumQps    = 131072,  // QP numbers that can be
  parameter int unsigned RespSlots = 32,      // QPs with READ responses under way
  parameter bit          RoCE      = 1'b1,
  parameter bit          Compact   = 1'b0
) (
  input  logic                                   clk_i,
`ifdef OHCA_GATES
  input  logic [`PARTS-1:0]                      clk_part_i,     // "clocks by part" of rtl/ohca.sv
  input  logic                                   all_i,
  output logic [`PARTS-1:0]                      part_busy_o,    // of the parts that are in here
`endif
  input  logic                                   rst_i,
  input  logic [63:0]                            now_i,
  output logic                                   idle_o,
  input  logic                                   drain_i,        // a cycle: what is translated is marked, and
  output logic                                   draining_o,     // some of it has not been read yet
  output logic [3:0][63:0]                       cnt_o,          // ohca_sq, ohca_resp, ohca_txbuild, ohca_eth_cnp

  input  logic [39:0]                            base_i,         // QP contexts in context memory, and their number
  input  logic [24:0]                            limit_i,
  input  ohca_fmt_pkg::port_cfg_t                cfg_i,
  input  ohca_fmt_pkg::eth_cnp_t                 cnp_cfg_i,
  output logic [15:0]                            pkey_idx_o,     // tables of ohca_port, combinational
  input  logic [15:0]                            pkey_i,
  output logic [7:0]                             gid_idx_o,
  input  logic [127:0]                           gid_i,
  input  ohca_fmt_pkg::gid_ent_t                 eth_gid_i,

  input  logic                                   db_valid_i,     // send doorbells
  output logic                                   db_ready_o,
  input  ohca_fmt_pkg::sq_db_t                   db_i,
  input  logic                                   acc_valid_i,    // of the management core, to contexts
  output logic                                   acc_ready_o,
  input  ohca_fmt_pkg::ctx_acc_t                 acc_i,
  output ohca_fmt_pkg::acc_rsp_t                 acc_rsp_o,

  output logic [1:0]                             up_valid_o,     // to ohca_ra_stream: ohca_sq, ohca_txbuild
  input  logic [1:0]                             up_ready_i,
  output logic [1:0][ohca_fmt_pkg::RA_UP_BITS-1:0] up_o,
  output ohca_fmt_pkg::sq_note_t                 sq_note_o,
  input  logic                                   fb_valid_i,     // from it
  output logic                                   fb_ready_o,
  input  ohca_fmt_pkg::sq_fb_t                   fb_i,
  input  logic                                   job_valid_i,    // responses, from ohca_rs
  output logic                                   job_ready_o,
  input  ohca_fmt_pkg::rjob_t                    job_i,
  input  logic                                   ce_valid_i,     // congestion was seen; always taken
  input  ohca_fmt_pkg::rjob_t                    ce_i,
  output ohca_fmt_pkg::resp_note_t               note_o,         // to ohca_rs

  input  logic [NumVl-1:0][12:0]                 room_i,         // of the egress rings, see ohca_link_tx
  input  logic [NumVl-1:0][7:0]                  desc_i,
  input  logic [NumVl-1:0]                       stuck_i,
  output ohca_fmt_pkg::room_take_t               take_o,
  output ohca_fmt_pkg::pk_beat_t                 out_o,          // packets
  input  logic                                   out_ready_i,
  output logic [DataWidth-1:0]                   out_data_o,
  output logic [DataWidth/8-1:0]                 out_keep_o,

  output ohca_fmt_pkg::tx_ask_t                  mem_o,          // ohca_host
  input  ohca_fmt_pkg::tx_told_t                 mem_i,
  output logic [DataWidth-1:0]                   ctx_dat_o,
  input  logic [DataWidth-1:0]                   rd_data_i,
  input  ohca_fmt_pkg::mem_all_t                 all_mem_i
);

  localparam int unsigned Bytes = DataWidth / 8;
  localparam int unsigned Queue = (InFlight < 32) ? InFlight : 32;      // of packets that are being built

  ohca_fmt_pkg::ctx_req_t   ctx_req;
  ohca_fmt_pkg::ctx_rsp_t   ctx_rsp;
  ohca_fmt_pkg::fetch_req_t ring_req, pay_req;
  ohca_fmt_pkg::fetch_rsp_t ring_rsp, pay_rsp;
  assign mem_o = {ctx_req, ring_req, pay_req};
  assign {ctx_rsp, ring_rsp, pay_rsp} = mem_i;

  logic                   sq_idle, fence_idle, resp_idle, cnp_idle, mux_idle, txb_idle;
  logic                   fb_valid, fb_ready, rtxd_v, rtxd_r, rtxp_v, rtxp_r, stxd_v, stxd_r, stxp_v, stxp_r;
  logic                   txd_v, txd_r, txp_v, txp_r, inl_v, inl_r, atxd_v, atxd_r;
  ohca_fmt_pkg::sq_fb_t   fb;
  ohca_fmt_pkg::txd_t     rtxd, stxd, txd, atxd;
  ohca_fmt_pkg::txp_t     rtxp, stxp, txp;
  logic [127:0]           inl;
  ohca_fmt_pkg::qp_fault_t rerr, over;
  logic                   rd_few, moved_q;
  logic [3:0]             pk_vl;
  logic [7:0]             sq_gone;
  logic [63:0]            desc_gone;
  logic [NumVl-1:0]       room_want, room_yield;
  logic [7:0]             tk0_vl, tk1_vl;
  logic [12:0]            tk0_words;
  logic [4:0]             tk0_n;
  logic [9:0]             tk1_words;
  assign take_o = {tk0_vl, tk0_words, tk0_n, tk1_vl, tk1_words};
  assign note_o = {moved_q, rd_few, over, rerr};

  // Each block's own copy of the reset.
  logic rst_sq, rst_resp, rst_mux, rst_txb;
  ohca_reset u_rst_sq (.clk_i(`CLOCK(`PART_SQ)), .rst_i, .rst_o(rst_sq));
  ohca_reset u_rst_resp (.clk_i(`CLOCK(`PART_RESP)), .rst_i, .rst_o(rst_resp));
  ohca_reset u_rst_mux (.clk_i(`CLOCK(`PART_MUX)), .rst_i, .rst_o(rst_mux));
  ohca_reset u_rst_txb (.clk_i(`CLOCK(`PART_TXB)), .rst_i, .rst_o(rst_txb));

  ohca_sq #(.DW(DataWidth), .Sets(CtxSets / CtxWays), .Ways(CtxWays), .CtxFills(CtxFills), .CtxDepth(CtxDepth),
      .CtxEvicts(CtxEvicts), .Compact(Compact), .RunQueue(RunQueue), .NumQps(NumQps),
      .NumVl(NumVl), .RoCE(RoCE)) u_sq (
    .clk_i(`CLOCK(`PART_SQ)), .rst_i(rst_sq), .idle_o(sq_idle), .cnt_o(cnt_o[0]), .base_i, .limit_i,
    .db_valid_i, .db_ready_o, .db_i, .fb_valid_i(fb_valid), .fb_ready_o(fb_ready), .fb_i(fb),
    .acc_valid_i, .acc_ready_o, .acc_i, .acc_rsp_o,
    .up_valid_o(up_valid_o[0]), .up_ready_i(up_ready_i[0]), .up_o(up_o[0]), .up_seq_o(sq_note_o.seq),
    .sent_valid_o(sq_note_o.sent_v), .sent_o(sq_note_o.sent),
    .sl2vl_i(cfg_i.sl2vl), .room_i, .desc_i, .want_o(room_want),
    .tk_vl_o(tk0_vl), .tk_words_o(tk0_words), .tk_n_o(tk0_n),
    .txd_valid_o(stxd_v), .txd_ready_i(stxd_r), .txd_o(stxd), .txp_valid_o(stxp_v), .txp_ready_i(stxp_r), .txp_o(stxp),
    .gone_o(sq_gone), .desc_gone_o(desc_gone), .inl_valid_o(inl_v), .inl_ready_i(inl_r), .inl_o(inl),
    .rd_rsp_data_i(rd_data_i), .rd_rsp_i(all_mem_i.beat),
    .ctx_o(ctx_req), .ctx_i(ctx_rsp), .ctx_dat_o, .wr_cnt_i(all_mem_i.cnt), .ring_o(ring_req), .ring_i(ring_rsp)
  );

  ohca_rd_fence #(.Depth(Compact ? 16 : 64), .Compact(Compact)) u_fence (
    .clk_i(`CLOCK(`PART_MUX)), .rst_i(rst_mux), .idle_o(fence_idle), .wr_issued_i(all_mem_i.cnt.issued),
    .wr_acked_i(all_mem_i.cnt.acked), .fb_valid_i, .fb_ready_o, .fb_i, .fb_valid_o(fb_valid), .fb_ready_i(fb_ready),
    .fb_o(fb)
  );

  // A job that waits in front costs the small build more than an ACK.
  logic                rin_idle, rj_valid, rj_ready;
  ohca_fmt_pkg::rjob_t rj;
  if (Compact) begin : g_job_now
    assign {rj_valid, rj} = {job_valid_i, job_i};
    assign job_ready_o    = rj_ready;
    assign rin_idle       = 1'b1;
  end else begin : g_job_in
    ohca_resp_in u_resp_in (
      .clk_i(`CLOCK(`PART_RESP)), .rst_i(rst_resp), .idle_o(rin_idle), .valid_i(job_valid_i), .ready_o(job_ready_o),
      .job_i, .valid_o(rj_valid), .ready_i(rj_ready), .job_o(rj)
    );
  end

  // Coming: as many READs as the responder may have accepted (JobDepth), and those that wait at the input.
  ohca_resp #(.Slots(RespSlots), .Acks(Compact ? 8 : 16), .Compact(Compact), .RoCE(RoCE), .NumVl(NumVl),
      .Places(Compact ? 2 * InFlight : 128), .Coming(InFlight + (Compact ? 4 : 6)), .DW(DataWidth)) u_resp (
    .clk_i(`CLOCK(`PART_RESP)), .rst_i(rst_resp), .idle_o(resp_idle), .cnt_o(cnt_o[1]),
    .job_valid_i(rj_valid), .job_ready_o(rj_ready), .job_i(rj),
    .job_done_o(), .few_o(rd_few),
    .wr_issued_i(all_mem_i.cnt.issued), .wr_acked_i(all_mem_i.cnt.acked), .sl2vl_i(cfg_i.sl2vl), .room_i, .desc_i,
    .stuck_i, .yield_i(room_yield), .want_i(room_want),
    .over_valid_o(over.valid), .over_qpn_o(over.qpn), .over_psn_o(over.psn),
    .txd_valid_o(atxd_v), .txd_ready_i(atxd_r), .txd_o(atxd), .txp_valid_o(rtxp_v), .txp_ready_i(rtxp_r), .txp_o(rtxp)
  );

  always_ff @(posedge clk_i) moved_q <= atxd_v && atxd_r && !rst_mux;

  // Congestion notifications have no payload: they may stand anywhere among the response engine's packets.
  if (RoCE) begin : g_cnp
    logic [NumVl-1:0] cnp_room;
    always_comb begin
      for (int unsigned v = 0; v < NumVl; v++) cnp_room[v] = room_i[v] >= 13'(4096 / Bytes +
          2 * ((108 + Bytes - 1) / Bytes)) && desc_i[v] >= 8'd2;
    end
    // In small builds whom to tell comes word by word. A mark that comes meanwhile is forgotten, as one is that comes
    // while ohca_eth_cnp works on another.
    logic                ce_valid, words_idle, eth_idle;
    ohca_fmt_pkg::rjob_t ce;
    if (Compact) begin : g_words
      localparam int unsigned CeW = 24 + 16 + 24 + ohca_fmt_pkg::AV_BITS;
      logic           ce_ready;
      logic [CeW-1:0] ce_far;
      ohca_hop_words #(.Width(CeW), .Lane(32)) u_ce (
        .clk_i(`CLOCK(`PART_MUX)), .rst_i(rst_mux), .valid_i(ce_valid_i), .ready_o(ce_ready),
        .data_i({ce_i.qpn, ce_i.pkey_index, ce_i.dqpn, ce_i.av}), .valid_o(ce_valid), .ready_i(1'b1), .data_o(ce_far)
      );
      always_comb begin
        ce = '0;
        {ce.qpn, ce.pkey_index, ce.dqpn, ce.av} = ce_far;
      end
      assign words_idle = ce_ready && !ce_valid_i && !ce_valid;
      logic unused_ce;
      assign unused_ce = &{1'b0, ce_i};
    end else begin : g_whole
      assign {ce_valid, ce} = {ce_valid_i, ce_i};
      assign words_idle     = 1'b1;
    end
    assign cnp_idle = eth_idle && words_idle;
    ohca_eth_cnp #(.NumVl(NumVl)) u_cnp (
      .clk_i(`CLOCK(`PART_MUX)), .rst_i(rst_mux), .now_i, .idle_o(eth_idle), .cnt_o(cnt_o[3]), .cnp_i(cnp_cfg_i),
      .sl2vl_i(cfg_i.sl2vl), .room_i(cnp_room), .ce_valid_i(ce_valid), .ce_i(ce),
      .txd_valid_i(atxd_v), .txd_ready_o(atxd_r), .txd_i(atxd), .txd_valid_o(rtxd_v), .txd_ready_i(rtxd_r), .txd_o(rtxd)
    );
  end else begin : g_no_cnp
    assign rtxd_v   = atxd_v;
    assign atxd_r   = rtxd_r;
    assign rtxd     = atxd;
    assign cnp_idle = 1'b1;
    assign cnt_o[3] = '0;
    logic unused_cnp;
    assign unused_cnp = &{1'b0, ce_valid_i, ce_i, cnp_cfg_i, now_i};
  end

  ohca_txmux #(.NumVl(NumVl), .DW(DataWidth), .RoCE(RoCE), .Compact(Compact)) u_txmux (
    .clk_i(`CLOCK(`PART_MUX)), .rst_i(rst_mux), .idle_o(mux_idle),
    .want_i(room_want), .sq_tk_vl_i(tk0_vl[NumVl-1:0]), .yield_o(room_yield),
    .tk_vl_o(tk1_vl), .tk_words_o(tk1_words),
    .resp_txd_valid_i(rtxd_v), .resp_txd_ready_o(rtxd_r), .resp_txd_i(rtxd), .resp_txp_valid_i(rtxp_v),
    .resp_txp_ready_o(rtxp_r), .resp_txp_i(rtxp),
    .sq_txd_valid_i(stxd_v), .sq_txd_ready_o(stxd_r), .sq_txd_i(stxd), .sq_txp_valid_i(stxp_v), .sq_txp_ready_o(stxp_r),
    .sq_txp_i(stxp),
    .txd_valid_o(txd_v), .txd_ready_i(txd_r), .txd_o(txd), .txp_valid_o(txp_v), .txp_ready_i(txp_r), .txp_o(txp)
  );

  ohca_txbuild #(.DW(DataWidth), .TxdDepth(Queue), .Pieces(2 * Queue), .InlDepth(Queue), .RoCE(RoCE),
      .Compact(Compact), .NumVl(NumVl)) u_txbuild (
    .clk_i(`CLOCK(`PART_TXB)), .rst_i(rst_txb), .idle_o(txb_idle), .drain_i, .draining_o, .cnt_o(cnt_o[2]), .cfg_i,
    .pkey_idx_o, .pkey_i, .gid_idx_o, .gid_i, .eth_gid_i,
    .txd_valid_i(txd_v), .txd_ready_o(txd_r), .txd_i(txd), .txp_valid_i(txp_v), .txp_ready_o(txp_r), .txp_i(txp),
    .gone_i(sq_gone), .desc_gone_i(desc_gone), .inl_valid_i(inl_v), .inl_ready_o(inl_r), .inl_i(inl),
    .tpt_valid_o(pay_req.tpt_valid), .tpt_ready_i(pay_rsp.tpt_ready), .tpt_o(pay_req.tpt),
    .tpt_rsp_valid_i(pay_rsp.tpt_rsp_valid), .tpt_rsp_i(pay_rsp.tpt_rsp),
    .rd_valid_o(pay_req.rd_valid), .rd_ready_i(pay_rsp.rd_ready), .rd_o(pay_req.rd),
    .rd_rsp_valid_i(pay_rsp.rd_rsp_valid), .rd_rsp_data_i(rd_data_i), .rd_rsp_err_i(all_mem_i.beat.err),
    .up_valid_o(up_valid_o[1]), .up_ready_i(up_ready_i[1]), .up_o(up_o[1]),
    .rerr_valid_o(rerr.valid), .rerr_ready_i(1'b1), .rerr_qpn_o(rerr.qpn), .rerr_psn_o(rerr.psn),
    .out_valid_o(out_o.valid), .out_ready_i, .out_data_o, .out_keep_o, .out_last_o(out_o.last), .out_err_o(out_o.err),
    .out_vl_o(pk_vl), .out_ipd_o(out_o.ipd), .out_words_o(out_o.words), .out_sum_o(out_o.sum)
  );

  assign idle_o = sq_idle && fence_idle && resp_idle && rin_idle && cnp_idle && mux_idle && txb_idle;

  logic unused;
  assign unused = &{1'b0, pk_vl, cfg_i, all_mem_i};

`ifdef OHCA_GATES
  always_comb begin
    part_busy_o = '0;
    part_busy_o[`PART_SQ]   = all_i || !sq_idle || db_valid_i || fb_valid || ring_rsp.tpt_rsp_valid ||
                              ctx_rsp.rd_rsp_valid || ring_rsp.rd_rsp_valid || ctx_rsp.icm_rsp_valid;
    part_busy_o[`PART_TXB]  = all_i || !txb_idle || txd_v || txp_v || inl_v || pay_rsp.tpt_rsp_valid ||
                              pay_rsp.rd_rsp_valid;
    part_busy_o[`PART_RESP] = all_i || !resp_idle || !rin_idle || job_valid_i;
    part_busy_o[`PART_MUX]  = all_i || !mux_idle || !fence_idle || !cnp_idle || atxd_v || rtxp_v || stxp_v ||
                              room_yield != '0;
  end
`endif

endmodule

`default_nettype wire
