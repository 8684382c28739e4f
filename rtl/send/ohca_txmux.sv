// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Merges the response engine's and the send engine's packets: descriptors in arbitrated order, payload pieces in the
// same order.
//
// One descriptor and one piece per cycle, both two cycles after they came in at the least; pieces may run behind by any
// distance. With Compact both come word by word (ohca_hop_words), as the engines lie far apart: a descriptor takes 13
// cycles, a piece 5, of each engine. Responses go first, but after eight in a row a waiting request gets its turn.
// Every ready is a flop.
//
// With several VLs a response takes its room of the VL's ring as it comes in (tk_*, flops); requests have theirs. After
// a response of a VL whose requests wait for room (want_i), responses of it leave room (yield_o) until a request has
// taken some: a ring holds more than a packet, so the wire does not notice, and READs in both directions need a request
// for each response. Others may be on their way when they are to yield; those with data are counted, and a request
// follows for each (owed_q): ACKs are short, and one for many would leave the peer's messages without answers. If none
// waits for 8 cycles, none is owed any more: between two that wait there are fewer.
// lint: NumVl=4 DW=512
// lint: Compact=1

`include "ohca_assert.svh"
`default_nettype none

module ohca_txmux #(
  parameter int unsigned NumVl   = 1,
  parameter int unsigned DW      = 64,
  parameter bit          RoCE    = 1'b1,
  parameter bit          Compact = 1'b0
) (
  input  logic                clk_i,
  input  logic                rst_i,
  output logic                idle_o,

  input  logic                resp_txd_valid_i,
  output logic                resp_txd_ready_o,  // this and the other three: flops
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

  input  logic [NumVl-1:0]    want_i,
  input  logic [NumVl-1:0]    sq_tk_vl_i,        // the send engine takes room: one VL's bit, or none
  output logic [NumVl-1:0]    yield_o,
  output logic [7:0]          tk_vl_o,           // the same, of a response
  output logic [9:0]          tk_words_o,

  output logic                txd_valid_o,
  input  logic                txd_ready_i,
  output ohca_fmt_pkg::txd_t  txd_o,
  output logic                txp_valid_o,
  input  logic                txp_ready_i,
  output ohca_fmt_pkg::txp_t  txp_o
);

  localparam int unsigned Burst = 8;

  // What waits here: nobody's ready depends on what the packet builder does in this cycle.
  logic               rd_valid, rd_ready, sd_valid, sd_ready, rp_valid, rp_ready, sp_valid, sp_ready;
  ohca_fmt_pkg::txd_t rd, sd;
  ohca_fmt_pkg::txp_t rp, sp;
  ohca_slice #(.Width(ohca_fmt_pkg::TXD_BITS), .Light(Compact), .Lane(64)) u_resp_txd (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(resp_txd_valid_i), .ready_o(resp_txd_ready_o), .data_i(resp_txd_i),
    .valid_o(rd_valid), .ready_i(rd_ready), .data_o(rd)
  );
  ohca_slice #(.Width(ohca_fmt_pkg::TXD_BITS), .Light(Compact), .Lane(64)) u_sq_txd (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(sq_txd_valid_i), .ready_o(sq_txd_ready_o), .data_i(sq_txd_i),
    .valid_o(sd_valid), .ready_i(sd_ready), .data_o(sd)
  );
  ohca_slice #(.Width(ohca_fmt_pkg::TXP_BITS), .Light(Compact), .Lane(48)) u_resp_txp (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(resp_txp_valid_i), .ready_o(resp_txp_ready_o), .data_i(resp_txp_i),
    .valid_o(rp_valid), .ready_i(rp_ready), .data_o(rp)
  );
  ohca_slice #(.Width(ohca_fmt_pkg::TXP_BITS), .Light(Compact), .Lane(48)) u_sq_txp (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(sq_txp_valid_i), .ready_o(sq_txp_ready_o), .data_i(sq_txp_i),
    .valid_o(sp_valid), .ready_i(sp_ready), .data_o(sp)
  );

  logic       held_q, sel_q, sel, pick, fire, ord_ready, ord_valid, ord_sel;
  logic [3:0] run_q;                    // responses in a row while a request waits

  assign pick        = !rd_valid || (sd_valid && run_q == 4'(Burst));
  assign sel         = held_q ? sel_q : pick;
  assign txd_valid_o = (sel ? sd_valid : rd_valid) && ord_ready;
  // What only requests have needs no multiplexer.
  always_comb begin
    txd_o          = sel ? sd : rd;
    txd_o.idx      = sd.idx;
    txd_o.wrop     = sd.wrop;
    txd_o.signaled = sd.signaled;
    txd_o.slot     = sd.slot;
    txd_o.va       = sd.va;
    txd_o.rkey     = sd.rkey;
    txd_o.dmalen   = sd.dmalen;
    txd_o.imm      = sd.imm;
    txd_o.qkey     = sd.qkey;
  end
  assign fire     = txd_valid_o && txd_ready_i;
  assign rd_ready = fire && !sel;
  assign sd_ready = fire && sel;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      held_q <= 1'b0;
      run_q  <= '0;
    end else begin
      held_q <= txd_valid_o && !txd_ready_i;
      if (fire) run_q <= (sel || !sd_valid) ? '0 : run_q + 4'd1;
    end
    sel_q <= sel;
  end

  if (NumVl > 1) begin : g_room
    localparam int unsigned HdrW = ((RoCE ? 108 : 80) + DW / 8 - 1) / (DW / 8);
    always_ff @(posedge clk_i) begin
      for (int unsigned v = 0; v < 8; v++)
        tk_vl_o[v] <= resp_txd_valid_i && resp_txd_ready_o && v < NumVl && resp_txd_i.vl == 4'(v) && !rst_i;
      tk_words_o <= 10'((14'(resp_txd_i.plen) + 14'(DW / 8 - 1)) >> $clog2(DW / 8)) + 10'(HdrW);
    end
    logic data_q;                                // the response that takes room has a payload
    always_ff @(posedge clk_i) data_q <= resp_txd_i.plen != 13'd0;
    for (genvar v = 0; v < NumVl; v++) begin : g_vl
      logic [1:0] owed_q;                        // requests that come before the VL's next response
      logic [2:0] quiet_q;                       // cycles in which none waited
      logic       more, less;
      assign more       = tk_vl_o[v];
      assign less       = sq_tk_vl_i[v];
      assign yield_o[v] = owed_q != 2'd0;
      always_ff @(posedge clk_i) begin
        if (rst_i)                 quiet_q <= 3'd7;
        else if (want_i[v])        quiet_q <= 3'd0;
        else if (quiet_q != 3'd7)  quiet_q <= quiet_q + 3'd1;
        if (rst_i || quiet_q == 3'd7)                                         owed_q <= 2'd0;
        else if (more && !less && (data_q ? owed_q != 2'd3 : owed_q == 2'd0)) owed_q <= owed_q + 2'd1;
        else if (less && !(more && data_q) && owed_q != 2'd0)                 owed_q <= owed_q - 2'd1;
      end
    end
  end else begin : g_no_room
    assign tk_vl_o    = '0;
    assign tk_words_o = '0;
    assign yield_o    = '0;
    logic unused_room;
    assign unused_room = &{1'b0, want_i, sq_tk_vl_i};
  end

  ohca_fifo #(.Width(1), .Depth(64), .UseRam(1'b0)) u_order (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(fire && txd_o.plen != 13'd0), .ready_o(ord_ready), .data_i(sel),
    .valid_o(ord_valid), .ready_i(txp_valid_o && txp_ready_i && txp_o.last), .data_o(ord_sel), .count_o(),
    .almost_full_o()
  );

  assign txp_o       = ord_sel ? sp : rp;
  assign txp_valid_o = ord_valid && (ord_sel ? sp_valid : rp_valid);
  assign rp_ready    = ord_valid && !ord_sel && txp_ready_i;
  assign sp_ready    = ord_valid && ord_sel && txp_ready_i;
  // What is in a register that is neither ready nor valid is on its way through it.
  assign idle_o      = !ord_valid && !resp_txd_valid_i && !sq_txd_valid_i && !rd_valid && !sd_valid && !rp_valid &&
      !sp_valid && resp_txd_ready_o && sq_txd_ready_o && resp_txp_ready_o && sq_txp_ready_o && tk_vl_o == '0;

  `ASSERT(Starve_A, run_q <= 4'(Burst))

endmodule

`default_nettype wire
