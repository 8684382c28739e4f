// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Acknowledge engine, in: all that asks for a context of the acknowledge engine, one lookup at a time: responses, which
// wait here for their contexts; reports of the send engine and the packet builder; QPs with WQEs to flush; news of the
// walk, expired timers, accesses, errors of others.
//
// The lookup's token is {kind, what comes with it}: acc {dw, wdata, wmask}; upd the entry; resp the slot of the packet,
// which is read at packet_o and given back by packet_done_i; up the report without its QP (report_o undoes that). With
// Compact accesses, packets and reports stay where they come from until the commit, one of each on its way.
//  * A response is looked up behind the reports that were made before it came (up_seq_i): what it answers is known to
//    have been sent only by them.
//  * What may end in feedback, an error or a flush is let in only while the queues for these have room for all that is
//    under way (fb_count_i, qerr_count_i), so the commit waits for neither the send engine nor the responder, and
//    reports are always taken in the end. Responses have a token and an entry each, which are given back.
// A lookup a cycle (Slow: every second), round robin; three cycles from a port to the lookup, four for a response, five
// for a report (Slow, Compact: one less). ready: of rxd two flops'; news, exp, qerr, cqerr and acc are taken by a flop
// and their valid (Slow, Compact: as they are chosen, from the valids). It does NOT look at contexts.

`include "ohca_assert.svh"
`default_nettype none

module ohca_ra_in #(
  parameter int unsigned InFlight  = 32,       // responses, and entries: power of two
  parameter int unsigned Flushing  = 256,      // QPs flushed at a time: power of two, at least 128
  parameter bit          Compact   = 1'b0,
  parameter bit          Slow      = 1'b0,
  localparam int unsigned EW       = $clog2(InFlight),
  localparam int unsigned PayW     = Compact ? EW : 82
) (
  input  logic                     clk_i,
  input  logic                     rst_i,
  output logic                     idle_o,

  input  logic                     rxd_valid_i,
  output logic                     rxd_ready_o,
  input  ohca_fmt_pkg::rxd_t       rxd_i,
  input  logic [1:0]               up_valid_i,         // 0 ohca_sq, 1 ohca_txbuild
  output logic [1:0]               up_ready_o,
  input  logic [1:0][ohca_fmt_pkg::RA_UP_BITS-1:0] up_i,
  input  logic [9:0]               up_seq_i,           // reports ohca_sq has made, modulo 1024
  input  logic                     flush_valid_i,      // a QP with a WQE to flush; always taken
  input  logic [23:0]              flush_qpn_i,

  input  logic                     acc_valid_i,
  output logic                     acc_ready_o,
  input  ohca_fmt_pkg::ctx_acc_t   acc_i,
  input  logic                     news_valid_i,
  output logic                     news_ready_o,
  input  logic [EW-1:0]            news_e_i,
  input  logic [23:0]              news_qpn_i,
  input  logic                     exp_valid_i,
  output logic                     exp_ready_o,
  input  logic [23:0]              exp_qpn_i,
  input  logic                     qerr_valid_i,
  output logic                     qerr_ready_o,
  input  logic [23:0]              qerr_qpn_i,
  input  logic                     cqerr_valid_i,
  output logic                     cqerr_ready_o,
  input  logic [23:0]              cqerr_qpn_i,

  input  logic [7:0]               fb_count_i,         // of 128 each
  input  logic [7:0]               qerr_count_i,
  input  logic                     tok_free_i,         // a response's token is given back, by the commit
  input  logic                     fin_free_i,         //   or by its result
  input  logic                     ent_free_i,         // an entry is given back

  output logic                     lk_valid_o,
  input  logic                     lk_ready_i,
  output logic                     lk_inval_o,
  output logic [23:0]              lk_id_o,
  output logic [PayW+2:0]          lk_token_o,

  input  logic [PayW-1:0]          pay_i,              // what came with a context: its packet, or its report
  output ohca_fmt_pkg::rxd_t       packet_o,
  output logic                     packet_there_o,
  input  logic                     packet_done_i,
  output ohca_fmt_pkg::ra_up_t     report_o,
  input  logic                     report_done_i       // Compact: it may go
);

  localparam int unsigned FlMargin = 96;       // on their way from the gate to the flush queue
  localparam int unsigned FlW      = $clog2(Flushing);
  localparam int unsigned LkW      = 1 + 24 + 3 + PayW;
  localparam int unsigned UpW      = 1 + ohca_fmt_pkg::RA_UP_BITS;

  logic [7:0]          take;                   // who is looked up now

  // ---- responses: out of the cache in another order than they went in, where their contexts take their time
  logic                iq_valid, iq_pop;
  logic [23:0]         iq_qpn;
  logic [EW-1:0]       iq_slot;                // where the response waits
  logic [9:0]          iq_seq;                 // reports made when it came
  ohca_fmt_pkg::bth_t  in_bth;
  assign in_bth = rxd_i.bth;
  if (Compact) begin : g_in_held
    logic       asked_q;                                 // its context is on the way
    logic       freed_q;                                 // it has been taken, and goes in this cycle
    logic [9:0] seq_q;
    assign packet_o       = rxd_i;
    assign packet_there_o = rxd_valid_i && !freed_q;
    assign iq_valid       = rxd_valid_i && !asked_q;
    assign iq_qpn         = in_bth.destqp;
    assign iq_seq         = seq_q;
    assign iq_slot        = '0;
    assign rxd_ready_o    = freed_q;
    always_ff @(posedge clk_i) begin
      freed_q <= !rst_i && packet_done_i;
      if (rst_i || freed_q) asked_q <= 1'b0;
      else if (iq_pop)      asked_q <= 1'b1;
      if (!rxd_valid_i || freed_q) seq_q <= up_seq_i;                  // until the packet comes
    end
  end else begin : g_in
    logic          pq_in_ready, iq_in_ready;
    logic [EW-1:0] in_slot;
    assign rxd_ready_o = pq_in_ready && iq_in_ready;
    ohca_rxd_slots #(.Slots(InFlight)) u_pq (
      .clk_i(clk_i), .rst_i(rst_i), .any_o(packet_there_o), .in_valid_i(rxd_valid_i && iq_in_ready),
      .in_ready_o(pq_in_ready), .in_i(rxd_i), .in_slot_o(in_slot),
      .slot_i(pay_i[EW-1:0]), .packet_o(packet_o), .free_i(packet_done_i)
    );
    ohca_fifo #(.Width(EW + 34), .Depth(InFlight), .UseRam(1'b0), .ValidFlop(1'b1)) u_iq (
      .clk_i(clk_i), .rst_i(rst_i), .valid_i(rxd_valid_i && pq_in_ready), .ready_o(iq_in_ready),
      .data_i({in_slot, up_seq_i, in_bth.destqp}),
      .valid_o(iq_valid), .ready_i(iq_pop), .data_o({iq_slot, iq_seq, iq_qpn}), .count_o(), .almost_full_o()
    );
  end

  // ---- reports
  logic                 upa_valid, upa_ready, upm_valid, upm_ready, upf_valid, upf_pop, up_asked;
  logic                 upa_tx, upf_tx;        // of ohca_txbuild
  logic [UpW-2:0]       upa;
  logic [UpW-1:0]       upm;
  ohca_fmt_pkg::ra_up_t upf;
  ohca_arb_rr #(.N(2), .Width(UpW - 1)) u_upa (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(up_valid_i), .ready_o(up_ready_o), .data_i(up_i), .last_i('0),
    .valid_o(upa_valid), .ready_i(upa_ready), .data_o(upa), .last_o(), .sel_o(upa_tx), .gnt_o()
  );
  ohca_fifo #(.Width(UpW), .Depth(16), .Single(Compact)) u_up (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(upa_valid), .ready_o(upa_ready), .data_i({upa_tx, upa}),
    .valid_o(upm_valid), .ready_i(upm_ready), .data_o(upm), .count_o(), .almost_full_o()
  );
  if (Compact) begin : g_up_held
    logic up_asked_q;                                    // the context of the report in front is on the way
    assign {upf_tx, upf} = upm;
    assign upf_valid     = upm_valid;
    assign upm_ready     = upf_pop;
    assign up_asked      = up_asked_q;
    assign upf_pop       = report_done_i;
    assign report_o      = upf;
    always_ff @(posedge clk_i) begin
      if (rst_i || upf_pop)                     up_asked_q <= 1'b0;
      else if (take[ohca_fmt_pkg::RA_CK_UP])    up_asked_q <= 1'b1;
    end
  end else begin : g_up                        // the commit takes one every second cycle
    ohca_fifo #(.Width(UpW), .Depth(2), .Single(1'b1)) u_up_out (
      .clk_i(clk_i), .rst_i(rst_i), .valid_i(upm_valid), .ready_o(upm_ready), .data_i(upm),
      .valid_o(upf_valid), .ready_i(upf_pop), .data_o({upf_tx, upf}), .count_o(), .almost_full_o()
    );
    assign up_asked = 1'b0;
    assign upf_pop  = take[ohca_fmt_pkg::RA_CK_UP];
    always_comb begin
      report_o          = '0;
      report_o.kind     = ohca_fmt_pkg::upk_e'(pay_i[81:79]);
      report_o.idx      = pay_i[78:63];
      report_o.pi       = pay_i[62:47];
      report_o.psn      = pay_i[46:23];
      report_o.ackreq   = pay_i[22];
      report_o.wrop     = ohca_fmt_pkg::wr_op_e'(pay_i[21:17]);
      report_o.signaled = pay_i[16];
      report_o.status   = ohca_fmt_pkg::wc_status_e'(pay_i[15:8]);
      report_o.verr     = ohca_fmt_pkg::vendor_err_e'(pay_i[7:0]);
    end
  end

  // Reports wait in queues while contexts are fetched; fewer than 128 are on their way. A response that was passed by
  // hundreds of reports while it waited for something else may seem early; it goes on with the next ones, or when there
  // are none.
  logic [9:0] up_done_q, up_seq_q;
  logic       iq_early;                        // or not looked at yet
  logic       up_one_q;                        // counts a cycle late: what it frees waits for that cycle, too
  always_ff @(posedge clk_i) begin
    up_one_q <= !rst_i && upf_pop && !upf_tx;
    if (rst_i) up_done_q <= '0;
    else       up_done_q <= up_done_q + 10'(up_one_q);
    iq_early <= !iq_valid || iq_pop || (10'(up_done_q - iq_seq) >= 10'd512 && up_done_q != up_seq_q);
    up_seq_q <= up_seq_i;                      // no response is seen in the cycle in which it comes
  end

  // ---- QPs with WQEs to flush, one WQE a turn. A turn is far longer than two cycles, and the memory is not read by
  // who is looked up.
  logic         fl_ready, flm_valid, flm_ready, fl_valid;
  logic [23:0]  flm_qpn, fl_qpn;
  logic [FlW:0] fl_count;
  ohca_fifo #(.Width(24), .Depth(Flushing)) u_fl (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(flush_valid_i), .ready_o(fl_ready), .data_i(flush_qpn_i),
    .valid_o(flm_valid), .ready_i(flm_ready), .data_o(flm_qpn), .count_o(fl_count), .almost_full_o()
  );
  ohca_fifo #(.Width(24), .Depth(2), .Single(1'b1)) u_fl_out (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(flm_valid), .ready_o(flm_ready), .data_i(flm_qpn),
    .valid_o(fl_valid), .ready_i(take[ohca_fmt_pkg::RA_CK_FLUSH]), .data_o(fl_qpn), .count_o(), .almost_full_o()
  );

  // ---- who may
  logic [7:0]  want;
  logic        flush_room, fb_room, fb_room_up, qerr_room, up_plain;
  logic [EW:0] tok_used_q, ent_used_q;
  always_ff @(posedge clk_i) begin             // some cycles old: a few more may be on their way there
    flush_room <= fl_count < (FlW+1)'(Flushing - FlMargin);
    fb_room    <= fb_count_i < 8'd44;
    fb_room_up <= fb_count_i < 8'd84;
    qerr_room  <= qerr_count_i < 8'd60;
  end
  assign up_plain = upf.kind == ohca_fmt_pkg::UPK_SENT || upf.kind == ohca_fmt_pkg::UPK_FLUSH;
  always_comb begin
    want[ohca_fmt_pkg::RA_CK_ACC]   = acc_valid_i && flush_room;
    want[ohca_fmt_pkg::RA_CK_UPD]   = news_valid_i && flush_room && fb_room && qerr_room;
    want[ohca_fmt_pkg::RA_CK_RESP]  = iq_valid && !iq_early && fb_room && tok_used_q < (EW+1)'(InFlight) &&
                                      ent_used_q < (EW+1)'(InFlight);
    want[ohca_fmt_pkg::RA_CK_UP]    = upf_valid && !up_asked && flush_room && (up_plain || (fb_room_up && qerr_room));
    want[ohca_fmt_pkg::RA_CK_TMR]   = exp_valid_i && flush_room && fb_room && qerr_room;
    want[ohca_fmt_pkg::RA_CK_FLUSH] = fl_valid;
    want[ohca_fmt_pkg::RA_CK_QERR]  = qerr_valid_i && flush_room && fb_room;
    want[ohca_fmt_pkg::RA_CK_CQERR] = cqerr_valid_i && flush_room && fb_room && qerr_room;
  end

  // What is given back counts a cycle late, so that what is taken, which comes late in its cycle, meets one adder.
  logic tok_free_q, fin_free_q, ent_free_q;
  always_ff @(posedge clk_i) begin
    tok_free_q <= !rst_i && tok_free_i;
    fin_free_q <= !rst_i && fin_free_i;
    ent_free_q <= !rst_i && ent_free_i;
    if (rst_i) begin
      tok_used_q <= '0;
      ent_used_q <= '0;
    end else begin
      tok_used_q <= tok_used_q + (EW+1)'(iq_pop) - (EW+1)'(tok_free_q) - (EW+1)'(fin_free_q);
      ent_used_q <= ent_used_q + (EW+1)'(iq_pop) - (EW+1)'(ent_free_q);
    end
  end

  // ---- the choice
  // Payloads by themselves: in a concatenation Yosys takes a choice of casts for wider.
  logic [PayW-1:0]     acc_pay, up_pay;
  logic [7:0][LkW-1:0] lk_in;
  logic [LkW-1:0]      lk_out;
  assign acc_pay = Compact ? '0 : PayW'({acc_i.dw, acc_i.wdata, acc_i.wmask});
  assign up_pay  = Compact ? '0 :
                   PayW'({upf.kind, upf.idx, upf.pi, upf.psn, upf.ackreq, upf.wrop, upf.signaled, upf.status,
                          upf.verr});
  always_comb begin
    lk_in[ohca_fmt_pkg::RA_CK_ACC]   = {acc_i.inval, acc_i.num, ohca_fmt_pkg::RA_CK_ACC, acc_pay};
    lk_in[ohca_fmt_pkg::RA_CK_UPD]   = {1'b0, news_qpn_i, ohca_fmt_pkg::RA_CK_UPD, PayW'(news_e_i)};
    lk_in[ohca_fmt_pkg::RA_CK_RESP]  = {1'b0, iq_qpn, ohca_fmt_pkg::RA_CK_RESP, PayW'(iq_slot)};
    lk_in[ohca_fmt_pkg::RA_CK_UP]    = {1'b0, upf.qpn, ohca_fmt_pkg::RA_CK_UP, up_pay};
    lk_in[ohca_fmt_pkg::RA_CK_TMR]   = {1'b0, exp_qpn_i, ohca_fmt_pkg::RA_CK_TMR, PayW'(0)};
    lk_in[ohca_fmt_pkg::RA_CK_FLUSH] = {1'b0, fl_qpn, ohca_fmt_pkg::RA_CK_FLUSH, PayW'(0)};
    lk_in[ohca_fmt_pkg::RA_CK_QERR]  = {1'b0, qerr_qpn_i, ohca_fmt_pkg::RA_CK_QERR, PayW'(0)};
    lk_in[ohca_fmt_pkg::RA_CK_CQERR] = {1'b0, cqerr_qpn_i, ohca_fmt_pkg::RA_CK_CQERR, PayW'(0)};
  end
  ohca_arb_queue #(.N(8), .Width(LkW), .Single(Compact || Slow)) u_arb (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(want), .take_o(take), .data_i(lk_in),
    .valid_o(lk_valid_o), .ready_i(lk_ready_i), .data_o(lk_out)
  );
  assign {lk_inval_o, lk_id_o, lk_token_o} = lk_out;
  assign acc_ready_o   = take[ohca_fmt_pkg::RA_CK_ACC];
  assign news_ready_o  = take[ohca_fmt_pkg::RA_CK_UPD];
  assign iq_pop        = take[ohca_fmt_pkg::RA_CK_RESP];
  assign exp_ready_o   = take[ohca_fmt_pkg::RA_CK_TMR];
  assign qerr_ready_o  = take[ohca_fmt_pkg::RA_CK_QERR];
  assign cqerr_ready_o = take[ohca_fmt_pkg::RA_CK_CQERR];

  assign idle_o = tok_used_q == '0 && ent_used_q == '0 && !packet_there_o && !upm_valid && !upf_valid && !fl_valid &&
                  !lk_valid_o && fl_count == '0;

  `ASSERT(FlushRoom_A, !flush_valid_i || fl_ready)
  `ASSERT(PacketThere_A, !packet_done_i || packet_there_o)
  `ASSERT(TokensBack_A, tok_used_q <= (EW+1)'(InFlight) && ent_used_q <= (EW+1)'(InFlight))

  logic unused;
  assign unused = &{1'b0, acc_i, in_bth, rxd_i, pay_i, report_done_i, fl_ready};

endmodule

`default_nettype wire
