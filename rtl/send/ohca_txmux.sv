// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Merges the response engine's and the send engine's packets: descriptors in arbitrated order, payload pieces in the same order.
//
// Descriptors pass combinationally, one per cycle; pieces follow from the next cycle on and may run behind by any distance. Responses go first, but
// after eight in a row a waiting request gets its turn.

`include "ohca_assert.svh"
`default_nettype none

module ohca_txmux (
  input  logic                clk_i,
  input  logic                rst_i,
  output logic                idle_o,

  input  logic                resp_txd_valid_i,
  output logic                resp_txd_ready_o,
  input  ohca_fmt_pkg::txd_t  resp_txd_i,
  input  logic                resp_txp_valid_i,
  output logic                resp_txp_ready_o,
  input  ohca_fmt_pkg::txp_t  resp_txp_i,

  input  logic                sq_txd_valid_i,
  output logic                sq_txd_ready_o,
  input  ohca_fmt_pkg::txd_t  sq_txd_i,
  input  logic                sq_txp_valid_i,
  output logic                sq_txp_ready_o,
  input  ohca_fmt_pkg::txp_t  sq_txp_i,

  output logic                txd_valid_o,
  input  logic                txd_ready_i,
  output ohca_fmt_pkg::txd_t  txd_o,
  output logic                txp_valid_o,
  input  logic                txp_ready_i,
  output ohca_fmt_pkg::txp_t  txp_o
);

  localparam int unsigned Burst = 8;

  logic       held_q, sel_q, sel, pick, fire, ord_ready, ord_valid, ord_sel;
  logic [3:0] run_q;                    // responses in a row while a request waits

  assign pick        = !resp_txd_valid_i || (sq_txd_valid_i && run_q == 4'(Burst));
  assign sel         = held_q ? sel_q : pick;
  assign txd_valid_o = (sel ? sq_txd_valid_i : resp_txd_valid_i) && ord_ready;
  // What only requests have needs no multiplexer.
  always_comb begin
    txd_o          = sel ? sq_txd_i : resp_txd_i;
    txd_o.idx      = sq_txd_i.idx;
    txd_o.wrop     = sq_txd_i.wrop;
    txd_o.signaled = sq_txd_i.signaled;
    txd_o.va       = sq_txd_i.va;
    txd_o.rkey     = sq_txd_i.rkey;
    txd_o.dmalen   = sq_txd_i.dmalen;
    txd_o.imm      = sq_txd_i.imm;
    txd_o.qkey     = sq_txd_i.qkey;
  end
  assign fire        = txd_valid_o && txd_ready_i;
  assign resp_txd_ready_o = fire && !sel;
  assign sq_txd_ready_o   = fire && sel;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      held_q <= 1'b0;
      run_q  <= '0;
    end else begin
      held_q <= txd_valid_o && !txd_ready_i;
      if (fire) run_q <= (sel || !sq_txd_valid_i) ? '0 : run_q + 4'd1;
    end
    sel_q <= sel;
  end

  ohca_fifo #(.Width(1), .Depth(64), .UseRam(1'b0)) u_order (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(fire && txd_o.plen != 13'd0), .ready_o(ord_ready), .data_i(sel),
    .valid_o(ord_valid), .ready_i(txp_valid_o && txp_ready_i && txp_o.last), .data_o(ord_sel), .count_o(), .almost_full_o()
  );

  assign txp_o            = ord_sel ? sq_txp_i : resp_txp_i;
  assign txp_valid_o      = ord_valid && (ord_sel ? sq_txp_valid_i : resp_txp_valid_i);
  assign resp_txp_ready_o = ord_valid && !ord_sel && txp_ready_i;
  assign sq_txp_ready_o   = ord_valid && ord_sel && txp_ready_i;
  assign idle_o           = !ord_valid && !resp_txd_valid_i && !sq_txd_valid_i;

  `ASSERT(Starve_A, run_q <= 4'(Burst))

endmodule

`default_nettype wire
