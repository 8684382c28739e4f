// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Completions whose ring looked full wait here for the doorbell record to be read, in order, and come back with what it
// says. A completion has a slot until its replay has been decided, so later ones of the same CQ are seen to be behind
// it (parked_o) and are parked, too: their order stays.
//
//   park, look --> {slot, completion} ---------------> replay
//            \---> address -> dma_rd -> consumer index ---/
//
// A record is read ahead, too, without a completion (look_i): so the ring of a host that keeps up never looks full. One
// such read is under way at a time (looks_o). Once completions are parked, those that come in are behind them, however
// much room there is, and none is faster than a read of its own: so when one has found room for many (calm_i), no
// other is to come in (hold_o) until none is parked.
//
// parked_o answers in the same cycle: a comparison for each slot behind flops; looks_o and hold_o are flops. A
// completion is back with the read's answer and a cycle. room for all: the owner lets in fewer than InFlight.
// It does NOT decide whether a ring is full, nor when its record is read ahead.

`include "ohca_assert.svh"
`default_nettype none

module ohca_cq_park #(
  parameter int unsigned DW       = 64,
  parameter int unsigned InFlight = 16,       // slots, power of two
  localparam int unsigned SlotW   = $clog2(InFlight),
  localparam int unsigned ReqW    = ohca_fmt_pkg::CQ_REQ_BITS
) (
  input  logic                      clk_i,
  input  logic                      rst_i,

  input  logic [23:0]               id_i,       // the CQ that is looked at
  output logic [InFlight-1:0]       parked_o,   // the slots that are its
  input  logic                      park_i,     // pulse: a completion of this CQ is parked
  input  ohca_fmt_pkg::cq_req_t     req_i,
  input  logic [63:3]               dbr_i,      // its doorbell record
  input  logic                      done_i,     // pulse: the replay of this slot has been decided
  input  logic [SlotW-1:0]          slot_i,
  input  logic                      look_i,     // pulse: the record of this CQ is to be read ahead; not with looks_o
  input  logic                      looked_i,   // pulse: that replay has been decided
  output logic                      looks_o,    // one is under way
  input  logic                      calm_i,     // pulse: a replay has found room for many
  output logic                      hold_o,     // no other is to come in

  output logic                      rep_valid_o,
  input  logic                      rep_ready_i,
  output ohca_fmt_pkg::cq_req_t     rep_o,
  output logic [SlotW-1:0]          rep_slot_o,
  output logic                      rep_look_o, // there is no completion: rep_o is the CQ's number only
  output logic                      rep_ok_o,   // the record could be read
  output logic [23:0]               rep_ci_o,   // what it says

  output logic                      rd_valid_o,
  input  logic                      rd_ready_i,
  output ohca_fmt_pkg::dma_rd_req_t rd_o,
  input  logic                      rd_rsp_valid_i,
  input  logic [7:0]                rd_rsp_tag_i,
  input  logic [DW-1:0]             rd_rsp_data_i,
  input  logic                      rd_rsp_err_i
);

  // Slots are given back in any order, as replays of different CQs may pass each other.
  logic [InFlight-1:0]       valid_q;
  logic [InFlight-1:0][23:0] id_q;
  logic [SlotW-1:0]          pick;
  always_comb begin
    pick = '0;
    for (int unsigned i = 0; i < InFlight; i++) parked_o[i] = valid_q[i] && id_q[i] == id_i;
    for (int unsigned i = InFlight; i > 0; i--) if (!valid_q[i-1]) pick = SlotW'(i - 1);
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      valid_q <= '0;
    end else begin
      if (park_i) valid_q[pick] <= 1'b1;
      if (done_i) valid_q[slot_i] <= 1'b0;
    end
    for (int unsigned i = 0; i < InFlight; i++) if (park_i && pick == SlotW'(i)) id_q[i] <= id_i;
  end

  always_ff @(posedge clk_i) hold_o <= !rst_i && (calm_i || hold_o) && valid_q != '0;

  // A read ahead goes in when nothing is parked.
  logic                  look_q, look_go;
  logic [23:0]           look_id_q;
  logic [63:3]           look_dbr_q;
  ohca_fmt_pkg::cq_req_t look_req;
  assign look_go = look_q && !park_i;
  always_comb begin
    look_req     = '0;
    look_req.cqn = look_id_q;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      look_q  <= 1'b0;
      looks_o <= 1'b0;
    end else begin
      look_q  <= look_i || (look_q && park_i);
      looks_o <= look_i || (looks_o && !looked_i);
    end
    if (look_i) {look_id_q, look_dbr_q} <= {id_i, dbr_i};
  end

  logic          park_ready, rd_fifo_ready, res_ready, park_valid, res_valid, go;
  logic [63:3]   rd_addr;
  logic [DW-1:0] rsp_sh;
  assign rep_valid_o = park_valid && res_valid;
  assign go          = rep_valid_o && rep_ready_i;
  // verilator lint_off PINCONNECTEMPTY
  ohca_fifo #(.Width(1 + SlotW + ReqW), .Depth(InFlight)) u_park (
    .clk_i, .rst_i, .valid_i(park_i || look_q), .ready_o(park_ready),
    .data_i(park_i ? {1'b0, pick, req_i} : {1'b1, SlotW'(0), look_req}),
    .valid_o(park_valid), .ready_i(go), .data_o({rep_look_o, rep_slot_o, rep_o}), .count_o(), .almost_full_o()
  );
  ohca_fifo #(.Width(61), .Depth(InFlight)) u_rd (
    .clk_i, .rst_i, .valid_i(park_i || look_q), .ready_o(rd_fifo_ready), .data_i(park_i ? dbr_i : look_dbr_q),
    .valid_o(rd_valid_o), .ready_i(rd_ready_i), .data_o(rd_addr), .count_o(), .almost_full_o()
  );
  ohca_fifo #(.Width(25), .Depth(InFlight)) u_res (
    .clk_i, .rst_i, .valid_i(rd_rsp_valid_i), .ready_o(res_ready), .data_i({!rd_rsp_err_i, rsp_sh[23:0]}),
    .valid_o(res_valid), .ready_i(go), .data_o({rep_ok_o, rep_ci_o}), .count_o(), .almost_full_o()
  );
  // verilator lint_on PINCONNECTEMPTY
  assign rd_o = {rd_addr, 3'd0, 13'd8, {5'd0, rd_addr[5:3]}};      // the tag is the lane of the answer
  if (DW == 64) begin : g_sh64
    assign rsp_sh = rd_rsp_data_i;
  end else begin : g_sh
    assign rsp_sh = rd_rsp_data_i >> {rd_rsp_tag_i[$clog2(DW/64)-1:0], 6'd0};
  end

  logic unused;
  assign unused = &{1'b0, rd_rsp_tag_i, rsp_sh};

  `ASSERT(Room_A, !(park_i || look_go) || (park_ready && rd_fifo_ready))
  `ASSERT(Look_A, !look_i || !looks_o)
  `ASSERT(ResRoom_A, !rd_rsp_valid_i || res_ready)
  `ASSERT(SlotFree_A, !park_i || !valid_q[pick])
  `ASSERT(Replay_A, !done_i || (valid_q[slot_i] && id_q[slot_i] == id_i))

endmodule

`default_nettype wire
