// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// The receive side: packets of ohca_link_rx become placements in host memory, completions, response jobs, and feedback
// to the send engine. This module only wires.
//
//   packets ─► ohca_rxdispatch ──┬─► ohca_rs ────────┬─► jobs, completions, events
//                 │  ▲           └─► ohca_ra_stream ─┼─► feedback, completions, events
//                 │  └ ohca_rx_mcast: copies         │
//                 └─ MADs ──────► ohca_place ◄───────┘ what is written where, from the packet's slot
//                                   └─ ohca_wr_owner: whose write the host refused ─► ohca_rs
//
// Latency and throughput are those of the blocks: nothing is registered here. It does NOT hold packets (ohca_link_rx
// does, until rel_o), and never waits for the transmit side without a bound.

`include "ohca_clocks.svh"
`default_nettype none

module ohca_receive #(
  parameter int unsigned DataWidth  = 64,
  parameter int unsigned CtxSets    = 256,     // contexts on chip in each of two caches, divided by CtxWays; a cache's
  parameter int unsigned CtxWays    = 2,       // misses, lookups and write-backs in flight (ohca_ctx)
  parameter int unsigned CtxFills   = 16,
  parameter int unsigned CtxDepth   = 32,
  parameter int unsigned CtxEvicts  = 32,
  parameter int unsigned InFlight   = 32,      // packets in each engine's stages
  parameter int unsigned NumQps     = 131072,  // QP numbers that can have a timer
  parameter int unsigned BufBytes   = 32768,   // receive buffer
  parameter int unsigned McastWords = 2048,    // multicast table
  parameter bit          RoCE       = 1'b1,
  parameter bit          Compact    = 1'b0,
  localparam int unsigned RbAddrW   = $clog2(BufBytes * 8 / DataWidth)
) (
  input  logic                                   clk_i,
`ifdef OHCA_GATES
  input  logic [`PARTS-1:0]                      clk_part_i,     // "clocks by part" of rtl/ohca.sv
  input  logic                                   all_i,
  output logic [`PARTS-1:0]                      part_busy_o,    // of the parts that are in here
`endif
  input  logic                                   rst_i,
  input  logic [63:0]                            now_i,
  output logic                                   idle_o,         // a timer that waits is idle, also when it has come
  output ohca_fmt_pkg::timer_note_t              timer_o,        // in 256 cycles
  input  logic                                   drain_i,        // a cycle: what is translated is marked, and
  output logic                                   draining_o,     // some of it has not been written yet
  output logic [2:0][63:0]                       cnt_o,          // ohca_rxdispatch, ohca_rs, ohca_ra_stream

  input  logic [39:0]                            base_i,         // QP contexts in context memory, and their number
  input  logic [24:0]                            limit_i,
  input  ohca_fmt_pkg::port_cfg_t                cfg_i,
  output logic [1:0][15:0]                       pkey_idx_o,     // P_Key table, combinational: ohca_rs, ohca_ra_stream
  input  logic [1:0][15:0]                       pkey_i,
  input  logic [ohca_fmt_pkg::PORT_PKEYS*16-1:0] pkeys_i,

  input  logic                                   rxd_valid_i,    // packets
  output logic                                   rxd_ready_o,
  input  ohca_fmt_pkg::rxd_t                     rxd_i,
  output logic [2:0][6:0]                        rel_o,          // {valid, slot}: no longer needed, always taken
  output logic [RbAddrW:0]                       rb_o,           // receive buffer: {read, beat}
  input  logic [DataWidth-1:0]                   rb_data_i,
  input  ohca_fmt_pkg::mad_room_t                mad_i,          // MADs, for the management core
  output ohca_fmt_pkg::mad_put_t                 mad_o,

  input  logic                                   db_valid_i,     // receive doorbells: {uar 16, qpn 24, pi 16}
  output logic                                   db_ready_o,
  input  logic [55:0]                            db_i,
  input  logic [2:0]                             acc_valid_i,    // of the management core, to contexts: ohca_rs,
  output logic [2:0]                             acc_ready_o,    // ohca_ra_stream; to the multicast table
  input  ohca_fmt_pkg::ctx_acc_t                 acc_i,
  output logic [2:0][ohca_fmt_pkg::ACC_RSP_BITS-1:0] acc_rsp_o,

  input  logic [1:0]                             up_valid_i,     // what was sent: of ohca_sq, ohca_txbuild
  output logic [1:0]                             up_ready_o,
  input  logic [1:0][ohca_fmt_pkg::RA_UP_BITS-1:0] up_i,
  input  ohca_fmt_pkg::sq_note_t                 sq_note_i,      // of ohca_sq, besides
  output logic                                   fb_valid_o,     // to ohca_sq
  input  logic                                   fb_ready_i,
  output ohca_fmt_pkg::sq_fb_t                   fb_o,
  output logic                                   job_valid_o,    // responses, for ohca_resp
  input  logic                                   job_ready_i,
  output ohca_fmt_pkg::rjob_t                    job_o,
  output logic                                   ce_valid_o,     // congestion was seen; always taken
  output ohca_fmt_pkg::rjob_t                    ce_o,
  input  ohca_fmt_pkg::resp_note_t               note_i,

  output logic [1:0]                             cq_valid_o,     // completions: ohca_ra_stream, ohca_rs
  input  logic [1:0]                             cq_ready_i,
  output logic [1:0][ohca_fmt_pkg::CQ_REQ_BITS-1:0] cq_o,
  input  logic                                   qerr_valid_i,   // QPs whose CQ overflowed
  output logic                                   qerr_ready_o,
  input  logic [23:0]                            qerr_qpn_i,
  output logic [1:0]                             ev_valid_o,     // events: ohca_rs, ohca_ra_stream
  input  logic [1:0]                             ev_ready_i,
  output logic [1:0][ohca_fmt_pkg::EV_REQ_BITS-1:0] ev_o,
  output logic [1:0][ohca_fmt_pkg::VIOL_NOTE_BITS-1:0] viol_o,   // wrong keys: ohca_rs, ohca_ra_stream

  output ohca_fmt_pkg::rcv_ask_t                 mem_o,          // ohca_host
  input  ohca_fmt_pkg::rcv_told_t                mem_i,
  output logic [2:0][DataWidth-1:0]              wr_dat_o,       // contexts of ohca_ra_stream, of ohca_rs, payload
  input  logic [DataWidth-1:0]                   rd_data_i,
  input  ohca_fmt_pkg::mem_all_t                 all_mem_i
);

  logic                     disp_idle, mc_idle, rs_idle, ra_idle, pl_idle, owner_idle;
  ohca_fmt_pkg::ctx_req_t   ra_ctx_req, rs_ctx_req;
  ohca_fmt_pkg::ctx_rsp_t   ra_ctx_rsp, rs_ctx_rsp;
  ohca_fmt_pkg::fetch_req_t ra_ring_req, rs_ring_req;
  ohca_fmt_pkg::fetch_rsp_t ra_ring_rsp, rs_ring_rsp;
  ohca_fmt_pkg::hrd_req_t   dbr_req;
  ohca_fmt_pkg::hrd_rsp_t   dbr_rsp;
  logic                     tpt_valid, tpt_ready, tpt_rsp_valid, wr_err;
  ohca_fmt_pkg::tpt_req_t   tpt_req;
  ohca_fmt_pkg::tpt_rsp_t   tpt_rsp;
  ohca_fmt_pkg::hwr_req_t   pay_req;
  ohca_fmt_pkg::hwr_rsp_t   pay_rsp;
  assign mem_o = {ra_ctx_req, ra_ring_req, rs_ctx_req, rs_ring_req, dbr_req, tpt_valid, tpt_req, pay_req};
  assign {ra_ctx_rsp, ra_ring_rsp, rs_ctx_rsp, rs_ring_rsp, dbr_rsp, tpt_ready, tpt_rsp_valid, tpt_rsp, pay_rsp,
          wr_err} = mem_i;

  logic                   d_rs_v, d_rs_r, d_ra_v, d_ra_r, to_ra_v, to_ra_r, to_ra_idle;
  ohca_fmt_pkg::rxd_t     d_rs, d_ra, to_ra;
  logic [2:0]             pl_v, pl_r, pl_rsp_v, rel_valid;           // pl: rs, ra, MADs; rel: dispatch, rs, ra
  logic [2:0][5:0]        rel_slot;
  ohca_fmt_pkg::pl_req_t  pl_rs, pl_ra, pl_mad;
  ohca_fmt_pkg::pl_rsp_t  pl_rsp;
  logic                   qe_rs_v, qe_rs_r, qe_ra_v, qe_ra_r;
  logic [23:0]            qe_rs, qe_ra, pl_wr_qpn;
  logic                   mc_go, mc_valid, mc_ready, mc_last, mc_none, mc_none_ready, rs_rel_valid;
  logic [127:0]           mc_mgid;
  logic [5:0]             mc_slot, rs_rel_slot;
  logic [23:0]            mc_qpn;
  ohca_fmt_pkg::acc_rsp_t mc_acc_rsp;
  ohca_fmt_pkg::qp_fault_t lost;
  logic                   mad_take, mad_we;
  logic [9:0]             mad_len;
  logic [8:0]             mad_addr;
  logic [31:0]            mad_data;

  // Each block's own copy of the reset.
  logic rst_disp, rst_rs, rst_ra, rst_pl;
  ohca_reset u_rst_disp (.clk_i(`CLOCK(`PART_DISP)), .rst_i, .rst_o(rst_disp));
  ohca_reset u_rst_rs (.clk_i(`CLOCK(`PART_RS)), .rst_i, .rst_o(rst_rs));
  ohca_reset u_rst_ra (.clk_i(`CLOCK(`PART_RA)), .rst_i, .rst_o(rst_ra));
  ohca_reset u_rst_pl (.clk_i(`CLOCK(`PART_PL)), .rst_i, .rst_o(rst_pl));

  ohca_rxdispatch #(.Slow(DataWidth <= 64)) u_dispatch (
    .clk_i(`CLOCK(`PART_DISP)), .rst_i(rst_disp), .idle_o(disp_idle), .cnt_o(cnt_o[0]), .limit_i,
    .rxd_valid_i, .rxd_ready_o, .rxd_i,
    .rs_valid_o(d_rs_v), .rs_ready_i(d_rs_r), .rs_o(d_rs), .ra_valid_o(to_ra_v), .ra_ready_i(to_ra_r), .ra_o(to_ra),
    .mc_go_o(mc_go), .mc_mgid_o(mc_mgid), .mc_slot_o(mc_slot), .mc_valid_i(mc_valid), .mc_ready_o(mc_ready),
    .mc_qpn_i(mc_qpn), .mc_last_i(mc_last), .mc_none_i(mc_none), .mc_none_ready_o(mc_none_ready),
    .mad_free_i(mad_i.free), .mad_slot_i(mad_i.slot), .mad_take_o(mad_take), .mad_len_o(mad_len),
    .pl_req_valid_o(pl_v[2]), .pl_req_ready_i(pl_r[2]), .pl_req_o(pl_mad), .pl_rsp_valid_i(pl_rsp_v[2]),
    .rel_valid_o(rel_valid[0]), .rel_slot_o(rel_slot[0])
  );
  assign mad_o = {mad_take, mad_len, pl_rsp_v[2], mad_we, mad_addr, mad_data};

  // In small builds headers go to the acknowledge engine word by word: it lies far away, and takes as long for each.
  if (Compact) begin : g_words
    ohca_hop_words #(.Width(ohca_fmt_pkg::RXD_BITS), .Lane(64)) u_ra (
      .clk_i(`CLOCK(`PART_DISP)), .rst_i(rst_disp), .valid_i(to_ra_v), .ready_o(to_ra_r), .data_i(to_ra),
      .valid_o(d_ra_v), .ready_i(d_ra_r), .data_o(d_ra)
    );
    assign to_ra_idle = to_ra_r && !d_ra_v;
  end else begin : g_whole
    assign {d_ra_v, d_ra, to_ra_r} = {to_ra_v, to_ra, d_ra_r};
    assign to_ra_idle              = 1'b1;
  end

  ohca_rx_mcast #(.Words(McastWords), .Slots(Compact ? 16 : 64)) u_mcast (
    .clk_i(`CLOCK(`PART_DISP)), .rst_i(rst_disp), .idle_o(mc_idle), .go_i(mc_go), .mgid_i(mc_mgid), .slot_i(mc_slot),
    .valid_o(mc_valid), .ready_i(mc_ready), .qpn_o(mc_qpn), .last_o(mc_last), .none_o(mc_none),
    .none_ready_i(mc_none_ready),
    .rel_valid_i(rs_rel_valid), .rel_slot_i(rs_rel_slot), .rel_valid_o(rel_valid[1]), .rel_slot_o(rel_slot[1]),
    .acc_valid_i(acc_valid_i[2]), .acc_ready_o(acc_ready_o[2]), .acc_i, .acc_rsp_valid_o(mc_acc_rsp.valid),
    .acc_rdata_o(mc_acc_rsp.rdata), .acc_err_o(mc_acc_rsp.err)
  );
  assign acc_rsp_o[2] = mc_acc_rsp;

  ohca_rs #(.DW(DataWidth), .Sets(CtxSets / CtxWays), .Ways(CtxWays), .CtxFills(CtxFills), .CtxDepth(CtxDepth),
      .CtxEvicts(CtxEvicts), .Compact(Compact), .InFlight(InFlight), .JobDepth(InFlight), .RoCE(RoCE)) u_rs (
    .clk_i(`CLOCK(`PART_RS)), .rst_i(rst_rs), .idle_o(rs_idle), .cnt_o(cnt_o[1]), .base_i, .limit_i, .lmc_i(cfg_i.lmc),
    .pkey_idx_o(pkey_idx_o[0]), .pkey_i(pkey_i[0]), .pkeys_i,
    .rxd_valid_i(d_rs_v), .rxd_ready_o(d_rs_r), .rxd_i(d_rs),
    .rq_db_valid_i(db_valid_i), .rq_db_ready_o(db_ready_o), .rq_db_i(db_i),
    .acc_valid_i(acc_valid_i[0]), .acc_ready_o(acc_ready_o[0]), .acc_i, .acc_rsp_o(acc_rsp_o[0]),
    .lost_i(lost), .rerr_i(note_i.rerr), .over_i(note_i.over),
    .qerr_valid_i(qe_ra_v), .qerr_ready_o(qe_ra_r), .qerr_qpn_i(qe_ra), .qerr_valid_o(qe_rs_v), .qerr_ready_i(qe_rs_r),
    .qerr_qpn_o(qe_rs),
    .rjob_valid_o(job_valid_o), .rjob_ready_i(job_ready_i), .rjob_o(job_o), .rjob_moved_i(note_i.moved),
    .rd_few_i(note_i.few), .ce_valid_o, .ce_o,
    .pl_req_valid_o(pl_v[0]), .pl_req_ready_i(pl_r[0]), .pl_req_o(pl_rs), .pl_rsp_valid_i(pl_rsp_v[0]),
    .pl_rsp_i(pl_rsp),
    .cq_valid_o(cq_valid_o[1]), .cq_ready_i(cq_ready_i[1]), .cq_o(cq_o[1]),
    .ev_valid_o(ev_valid_o[0]), .ev_ready_i(ev_ready_i[0]), .ev_o(ev_o[0]),
    .rel_valid_o(rs_rel_valid), .rel_slot_o(rs_rel_slot), .viol_o(viol_o[0]),
    .rd_rsp_data_i(rd_data_i), .rd_rsp_i(all_mem_i.beat),
    .ctx_o(rs_ctx_req), .ctx_i(rs_ctx_rsp), .ctx_dat_o(wr_dat_o[1]), .wr_cnt_i(all_mem_i.cnt),
    .ring_o(rs_ring_req), .ring_i(rs_ring_rsp), .dbr_rd_o(dbr_req), .dbr_rd_i(dbr_rsp)
  );

  ohca_ra_stream #(.DW(DataWidth), .Sets(CtxSets / CtxWays), .Ways(CtxWays), .CtxFills(CtxFills), .CtxDepth(CtxDepth),
      .CtxEvicts(CtxEvicts), .Compact(Compact), .InFlight(Compact ? InFlight / 2 : InFlight),
      .TimerDepth(NumQps)) u_ra (
    .clk_i(`CLOCK(`PART_RA)), .rst_i(rst_ra), .now_i, .idle_o(ra_idle), .cnt_o(cnt_o[2]), .tmr_any_o(timer_o.any),
    .tmr_next_o(timer_o.next), .base_i, .limit_i, .cfg_i, .pkey_idx_o(pkey_idx_o[1]), .pkey_i(pkey_i[1]),
    .rxd_valid_i(d_ra_v), .rxd_ready_o(d_ra_r), .rxd_i(d_ra),
    .up_valid_i, .up_ready_o, .up_i, .up_seq_i(sq_note_i.seq), .sent_valid_i(sq_note_i.sent_v), .sent_i(sq_note_i.sent),
    .acc_valid_i(acc_valid_i[1]), .acc_ready_o(acc_ready_o[1]), .acc_i, .acc_rsp_o(acc_rsp_o[1]),
    .qerr_valid_i(qe_rs_v), .qerr_ready_o(qe_rs_r), .qerr_qpn_i(qe_rs), .qerr_valid_o(qe_ra_v), .qerr_ready_i(qe_ra_r),
    .qerr_qpn_o(qe_ra),
    .cqerr_valid_i(qerr_valid_i), .cqerr_ready_o(qerr_ready_o), .cqerr_qpn_i(qerr_qpn_i),
    .fb_valid_o, .fb_ready_i, .fb_o,
    .pl_req_valid_o(pl_v[1]), .pl_req_ready_i(pl_r[1]), .pl_req_o(pl_ra), .pl_rsp_valid_i(pl_rsp_v[1]),
    .pl_rsp_i(pl_rsp),
    .cq_valid_o(cq_valid_o[0]), .cq_ready_i(cq_ready_i[0]), .cq_o(cq_o[0]),
    .ev_valid_o(ev_valid_o[1]), .ev_ready_i(ev_ready_i[1]), .ev_o(ev_o[1]),
    .rel_valid_o(rel_valid[2]), .rel_slot_o(rel_slot[2]), .viol_o(viol_o[1]),
    .rd_rsp_data_i(rd_data_i), .rd_rsp_i(all_mem_i.beat),
    .ctx_o(ra_ctx_req), .ctx_i(ra_ctx_rsp), .ctx_dat_o(wr_dat_o[0]), .wr_cnt_i(all_mem_i.cnt),
    .ring_o(ra_ring_req), .ring_i(ra_ring_rsp)
  );

  ohca_place #(.DW(DataWidth), .BufBytes(BufBytes), .Compact(Compact)) u_place (
    .clk_i(`CLOCK(`PART_PL)), .rst_i(rst_pl), .idle_o(pl_idle), .drain_i, .draining_o, .req_valid_i(pl_v),
    .req_ready_o(pl_r), .req_i({pl_mad, pl_ra, pl_rs}),
    .rsp_valid_o(pl_rsp_v), .rsp_o(pl_rsp), .rb_en_o(rb_o[RbAddrW]), .rb_addr_o(rb_o[RbAddrW-1:0]),
    .rb_data_i,
    .tpt_valid_o(tpt_valid), .tpt_ready_i(tpt_ready), .tpt_o(tpt_req), .tpt_rsp_valid_i(tpt_rsp_valid),
    .tpt_rsp_i(tpt_rsp),
    .wr_valid_o(pay_req.valid), .wr_ready_i(pay_rsp.ready), .wr_o(pay_req.req), .wr_qpn_o(pl_wr_qpn),
    .wr_dat_valid_o(pay_req.dat_valid), .wr_dat_ready_i(pay_rsp.dat_ready), .wr_dat_o(wr_dat_o[2]),
    .wr_dat_last_o(pay_req.dat_last),
    .mad_we_o(mad_we), .mad_addr_o(mad_addr), .mad_data_o(mad_data)
  );

  ohca_wr_owner #(.Depth(Compact ? 128 : 256)) u_wr_owner (
    .clk_i(`CLOCK(`PART_DWR)), .rst_i(rst_pl), .idle_o(owner_idle), .put_i(pay_req.valid && pay_rsp.ready),
    .qpn_i(pl_wr_qpn),
    .issued_i(all_mem_i.cnt.issued), .acked_i(all_mem_i.cnt.acked),
    .err_i(wr_err), .lost_valid_o(lost.valid), .lost_qpn_o(lost.qpn)
  );
  assign lost.psn = '0;

  for (genvar i = 0; i < 3; i++) begin : g_rel
    assign rel_o[i] = {rel_valid[i], rel_slot[i]};
  end
  assign idle_o = disp_idle && to_ra_idle && mc_idle && rs_idle && ra_idle && pl_idle && owner_idle;

  logic unused;
  assign unused = &{1'b0, clk_i};

`ifdef OHCA_GATES
  always_comb begin
    part_busy_o = '0;
    part_busy_o[`PART_RS]   = all_i || !rs_idle || d_rs_v || db_valid_i || lost.valid || note_i.rerr.valid ||
                              note_i.over.valid || qe_ra_v || note_i.moved || pl_rsp_v[0] ||
                              rs_ring_rsp.tpt_rsp_valid || rs_ctx_rsp.rd_rsp_valid || rs_ring_rsp.rd_rsp_valid ||
                              dbr_rsp.valid || rs_ctx_rsp.icm_rsp_valid;
    part_busy_o[`PART_RA]   = all_i || !ra_idle || d_ra_v || up_valid_i != '0 || qe_rs_v || qerr_valid_i ||
                              sq_note_i.sent_v || pl_rsp_v[1] || ra_ring_rsp.tpt_rsp_valid || ra_ctx_rsp.rd_rsp_valid ||
                              ra_ring_rsp.rd_rsp_valid || ra_ctx_rsp.icm_rsp_valid;     // and when a timer has come
    part_busy_o[`PART_PL]   = all_i || !pl_idle || pl_v != '0 || tpt_rsp_valid;
    part_busy_o[`PART_DISP] = all_i || !disp_idle || !to_ra_idle || !mc_idle || rxd_valid_i || mc_valid || mc_none ||
                              pl_rsp_v[2] || rs_rel_valid;
    part_busy_o[`PART_DWR]  = all_i || !owner_idle;
  end
`endif

endmodule

`default_nettype wire
