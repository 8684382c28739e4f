// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Responder, receive WQE: is it there? Then it is fetched, and the acknowledgement's credits are counted.
//
// What is known of the receive queue comes with the token; where that is nothing, the doorbell record that was read for
// the token tells (verify). A token whose QP is poisoned (hit_i) fetches nothing, but takes its record's answer. One
// that finds no WQE, or cannot know, poisons its QP.
//
// Tokens in order, one a cycle, latency two cycles (Compact: one), two more where a record is waited for, which count
// from its answer. ready: from flops; Compact takes ring_ready_i as it is. Nothing here waits for the commit. It does
// NOT read the record, nor the ring.

`default_nettype none

module ohca_rs_fetch #(
  parameter int unsigned InFlight = 32,                // tokens, power of two
  parameter bit          Compact  = 1'b0,              // one token at a time, no register in front of the ring's reads
  parameter bit          Slow     = 1'b0,              // a ring read every second cycle
  parameter int unsigned IdW      = 8                  // of what comes with a token
) (
  input  logic                      clk_i,
  input  logic                      rst_i,

  input  logic                      tok_valid_i,
  output logic                      tok_ready_o,
  input  ohca_fmt_pkg::rs_wtok_t    tok_i,
  input  logic [IdW-1:0]            id_i,

  input  logic                      dbr_valid_i,       // doorbell records, in the order of the tokens that wait for one
  output logic                      dbr_ready_o,
  input  logic                      dbr_err_i,
  input  logic [15:0]               dbr_pi_i,

  output logic [IdW-1:0]            id_o,              // of the token in turn, and whether its QP is poisoned, in the
                                                       // same cycle
  input  logic                      hit_i,
  output logic                      fire_o,            // it leaves
  output logic                      mark_o,            //   it is a mark
  output logic                      poison_o,          //   it poisons its QP

  output logic                      ring_valid_o,
  input  logic                      ring_ready_i,
  output ohca_fmt_pkg::ring_req_t   ring_o,

  output logic                      out_valid_o,       // in the order of the tokens
  input  logic                      out_ready_i,
  output ohca_fmt_pkg::rs_wout_t    out_o
);

  ohca_fmt_pkg::rs_wtok_t  wt;
  ohca_fmt_pkg::rs_wout_t  res;
  ohca_fmt_pkg::ring_req_t rf;
  logic                    wt_valid, wo_ready, rf_ready;

  logic                                      wm_valid, wm_ready;
  logic [ohca_fmt_pkg::RS_WTOK_BITS+IdW-1:0] wm;
  ohca_fifo #(.Width(ohca_fmt_pkg::RS_WTOK_BITS + IdW), .Depth(InFlight), .UseRam(1'b0), .Single(Compact)) u_wq (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(tok_valid_i), .ready_o(tok_ready_o), .data_i({tok_i, id_i}),
    .valid_o(wm_valid), .ready_i(wm_ready), .data_o(wm), .count_o(), .almost_full_o()
  );
  if (Compact) begin : g_first_now
    assign {wm_ready, wt_valid, wt, id_o} = {fire_o, wm_valid, wm};
  end else begin : g_first
    ohca_stage #(.Width(ohca_fmt_pkg::RS_WTOK_BITS + IdW)) u_first (
      .clk_i(clk_i), .rst_i(rst_i), .valid_i(wm_valid), .ready_o(wm_ready), .data_i(wm),
      .valid_o(wt_valid), .ready_i(fire_o), .data_o({wt, id_o})
    );
  end

  // ---- the record, compared while the token waits a cycle longer
  logic        asked_q, lost_q, none_q;
  logic [15:0] ahead, left_q;
  assign ahead       = dbr_pi_i - wt.idx;
  assign dbr_ready_o = wt_valid && wt.verify && !asked_q;
  always_ff @(posedge clk_i) begin
    if (rst_i || fire_o)                 asked_q <= 1'b0;
    else if (dbr_valid_i && dbr_ready_o) asked_q <= 1'b1;
    if (!asked_q) begin
      lost_q <= dbr_err_i;                     // the receive queue cannot be read: not a want of receive WQEs
      none_q <= ahead == 16'd0 || ahead > wt.size;
      left_q <= ahead > wt.size ? 16'd0 : ahead;
    end
  end

  // ---- the token
  assign fire_o    = wt_valid && wo_ready && rf_ready && (!wt.verify || asked_q);
  assign mark_o    = wt.mark;
  always_comb begin
    res.dead  = hit_i && !wt.mark;
    res.rnr   = wt.verify && !res.dead && !lost_q && none_q;
    res.lost  = wt.verify && !res.dead && lost_q;
    res.fetch = wt.wqe && !res.dead && !(wt.verify && (lost_q || none_q));
    // End-to-end credits count from the MSN that goes with them, so the receive WQE of a message that is not complete
    // yet is one of them.
    res.code  = wt.verify ? ohca_fmt_pkg::credit_less(left_q, wt.used) : wt.code;
  end
  assign poison_o = res.rnr || res.lost;
  always_comb begin
    rf         = '0;
    rf.buf_mtt = wt.buf_mtt;
    rf.buf_    = wt.ring;
    rf.offset  = wt.offset;
    rf.len     = wt.len;
  end
  if (Compact) begin : g_rf_now
    assign ring_valid_o = wt_valid && wo_ready && (!wt.verify || asked_q) && res.fetch;
    assign ring_o       = rf;
    assign rf_ready     = ring_ready_i;
  end else begin : g_rf
    ohca_fifo #(.Width(ohca_fmt_pkg::RING_REQ_BITS), .Depth(4), .Single(Slow)) u_rf (
      .clk_i(clk_i), .rst_i(rst_i), .valid_i(fire_o && res.fetch), .ready_o(rf_ready), .data_i(rf),
      .valid_o(ring_valid_o), .ready_i(ring_ready_i), .data_o(ring_o), .count_o(), .almost_full_o()
    );
  end
  ohca_fifo #(.Width(ohca_fmt_pkg::RS_WOUT_BITS), .Depth(InFlight), .UseRam(1'b0)) u_wo (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(fire_o), .ready_o(wo_ready), .data_i(res),
    .valid_o(out_valid_o), .ready_i(out_ready_i), .data_o(out_o), .count_o(), .almost_full_o()
  );

endmodule

`default_nettype wire
