// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// What goes to a CQ's context next, of all that wants to: one order for completions, arms, accesses, timers and errors.
//
//   replay > error > timer > access > arm, completion in turn -> two entries -> look-up
//
// A replay is a completion that was parked and whose doorbell record has been read. Replays, errors and timers come
// less often than what made them, so none of the others waits for ever; an access waits for these only, and one to
// dword 0 (a fence) also for the completions that were offered before it.
//
// Token, from the top: kind, replay, its slot, ci valid, ci, body. Of a completion the body is its cq_req, and ci what
// its replay has read. Of an arm it is the doorbell, and ci the first index that the host did not see. Of an access it
// is {dw, wdata, wmask}, and ci a new ring's. Of K_ERR with ci valid it is the generation of the timer; without, the CQ
// gets into error. A replay of K_ERR is a record that was read ahead, and has a ci only.
//
// One a cycle, two cycles from offer to look-up, three for an access. Every ready comes from the requests and a flop.
// It does NOT look at contexts, nor keep order between two completions of different clients.

`include "ohca_assert.svh"
`default_nettype none

module ohca_cq_door #(
  parameter int unsigned SlotW = 4,           // of a parked completion's number
  localparam int unsigned ReqW = ohca_fmt_pkg::CQ_REQ_BITS,
  localparam int unsigned TokW = 2 + 1 + SlotW + 1 + 24 + ReqW
) (
  input  logic                       clk_i,
  input  logic                       rst_i,

  input  logic [1:0]                 cq_valid_i,
  output logic [1:0]                 cq_ready_o,
  input  logic [1:0][ReqW-1:0]       cq_i,
  input  logic                       room_i,        // for a completion
  output logic                       cq_go_o,       // pulse: one went in

  input  logic                       arm_valid_i,
  output logic                       arm_ready_o,
  input  logic [71:0]                arm_i,         // {uar 16, cqn 24, solicited 1, seen 7, ci 24}

  input  logic                       acc_valid_i,
  output logic                       acc_ready_o,
  input  ohca_fmt_pkg::ctx_acc_t     acc_i,
  input  logic                       acc_busy_i,    // another one is under way

  input  logic                       rep_valid_i,
  output logic                       rep_ready_o,
  input  ohca_fmt_pkg::cq_req_t      rep_i,
  input  logic [SlotW-1:0]           rep_slot_i,
  input  logic                       rep_look_i,    // it is a record that was read ahead
  input  logic                       rep_ok_i,      // its doorbell record could be read
  input  logic [23:0]                rep_ci_i,

  input  logic                       err_valid_i,
  output logic                       err_ready_o,
  input  logic [23:0]                err_cqn_i,

  input  logic                       tmr_valid_i,
  output logic                       tmr_ready_o,
  input  logic [23:0]                tmr_cqn_i,
  input  logic [7:0]                 tmr_gen_i,

  output logic                       valid_o,
  input  logic                       ready_i,
  output logic [23:0]                id_o,
  output logic                       inval_o,
  output logic [TokW-1:0]            token_o
);

  localparam logic [1:0] K_COMP = 2'd0, K_ARM = 2'd1, K_ACC = 2'd2, K_ERR = 2'd3;

  logic            req_valid, req_ready;
  logic [ReqW-1:0] req_raw;
  ohca_fmt_pkg::cq_req_t req;
  // verilator lint_off PINCONNECTEMPTY
  ohca_arb_rr #(.N(2), .Width(ReqW)) u_arb (
    .clk_i, .rst_i,
    .valid_i(cq_valid_i), .ready_o(cq_ready_o), .data_i(cq_i), .last_i('0),
    .valid_o(req_valid), .ready_i(req_ready), .data_o(req_raw), .last_o(), .sel_o(), .gnt_o()
  );
  // verilator lint_on PINCONNECTEMPTY
  assign req = req_raw;

  // A write of dword 0 is a fence: behind all that came before it. So is a new ring, but for what waits at the door,
  // which goes there. What an access is is known a cycle after it is offered, as it stays until it is taken.
  logic acc_q, fence_q, pass, room, want_acc, want_req, want_ctl, arm_last_q;
  always_ff @(posedge clk_i) begin
    acc_q   <= !rst_i && acc_valid_i && !acc_busy_i && !acc_ready_o;
    fence_q <= acc_i.dw == 5'd0 && acc_i.wmask != 32'd0;
  end
  ohca_cq_pass u_pass (
    .clk_i, .rst_i, .fence_i(acc_q && fence_q), .taken_i(acc_ready_o), .go_o(pass), .valid_i(cq_valid_i),
    .ready_i(cq_ready_o)
  );
  assign want_acc = acc_q && (!fence_q || pass);
  assign want_req = req_valid && room_i;
  assign want_ctl = rep_valid_i || err_valid_i || tmr_valid_i;

  assign rep_ready_o = room && rep_valid_i;
  assign err_ready_o = room && !rep_valid_i && err_valid_i;
  assign tmr_ready_o = room && !rep_valid_i && !err_valid_i && tmr_valid_i;
  assign acc_ready_o = room && !want_ctl && want_acc;
  assign arm_ready_o = room && !want_ctl && !want_acc && arm_valid_i && !(want_req && arm_last_q);
  assign req_ready   = room && !want_ctl && !want_acc && room_i && !(arm_valid_i && !arm_last_q);
  assign cq_go_o     = req_ready && req_valid;

  logic            lk_valid, lk_inval;
  logic [23:0]     lk_id, arm_end;
  logic [TokW-1:0] lk_token;
  assign arm_end = arm_i[23:0] + {17'd0, arm_i[30:24]};
  always_comb begin
    lk_valid = want_ctl || want_acc || arm_valid_i || want_req;
    lk_inval = 1'b0;
    if (rep_valid_i) begin
      lk_id    = rep_i.cqn;
      lk_token = {rep_look_i ? K_ERR : K_COMP, 1'b1, rep_slot_i, rep_ok_i, rep_ci_i, rep_i};
    end else if (err_valid_i) begin
      lk_id    = err_cqn_i;
      lk_token = {K_ERR, (26 + SlotW)'(0), {ReqW{1'b0}}};
    end else if (tmr_valid_i) begin
      lk_id    = tmr_cqn_i;
      lk_token = {K_ERR, (1 + SlotW)'(0), 1'b1, 24'd0, {(ReqW - 8){1'b0}}, tmr_gen_i};
    end else if (want_acc) begin
      lk_id    = acc_i.num;
      lk_inval = acc_i.inval;
      lk_token = {K_ACC, (1 + SlotW)'(0), 1'b1, acc_i.wdata[23:0], {(ReqW - 69){1'b0}}, acc_i.dw, acc_i.wdata,
          acc_i.wmask};
    end else if (arm_valid_i && !(want_req && arm_last_q)) begin
      lk_id    = arm_i[55:32];
      lk_token = {K_ARM, (2 + SlotW)'(0), arm_end, {(ReqW - 72){1'b0}}, arm_i};
    end else begin
      lk_id    = req.cqn;
      lk_token = {K_COMP, (26 + SlotW)'(0), req_raw};
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) arm_last_q <= 1'b0;
    else if (arm_ready_o || cq_go_o) arm_last_q <= arm_ready_o;
  end

  // The choice may change while this is full; what is in it does not.
  // verilator lint_off PINCONNECTEMPTY
  ohca_fifo #(.Width(24 + 1 + TokW), .Depth(2)) u_lk (
    .clk_i, .rst_i,
    .valid_i(lk_valid), .ready_o(room), .data_i({lk_id, lk_inval, lk_token}),
    .valid_o, .ready_i, .data_o({id_o, inval_o, token_o}), .count_o(), .almost_full_o()
  );
  // verilator lint_on PINCONNECTEMPTY

  logic unused;
  assign unused = &{1'b0, acc_i.part, req};

  `ASSERT(One_A, 3'(rep_ready_o) + 3'(err_ready_o) + 3'(tmr_ready_o) + 3'(acc_ready_o) + 3'(arm_ready_o) +
      3'(cq_go_o) <= 3'd1)
  `ASSERT(None_A, !(lk_valid && room) || rep_ready_o || err_ready_o || tmr_ready_o || acc_ready_o || arm_ready_o ||
      cq_go_o)

endmodule

`default_nettype wire
