// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Whose payload was lost: which QP each write of ohca_place is for, until the host has acknowledged it. When one ends
// with an error its QP is named a few cycles later (the responder takes it to ERR, raises QP_FATAL and sends a NAK), by
// flops. One write a cycle in and out.
//
// Nothing waits for an acknowledgement: the packet has been answered long before, as waiting would cost each ACK the
// host's write latency. With more than Depth writes under way, the newest ones are not remembered; an error under one
// of them is only counted (dma_wr_err), as are those of other writers.

`include "ohca_assert.svh"
`default_nettype none

module ohca_wr_owner #(
  parameter int unsigned Depth = 256       // power of two
) (
  input  logic        clk_i,
  input  logic        rst_i,
  output logic        idle_o,

  input  logic        put_i,               // a request of ohca_place is accepted
  input  logic [23:0] qpn_i,
  input  logic [31:0] issued_i,            // of ohca_dma_wr: a request has its bursts in it from the cycle after its
                                           // acceptance on
  input  logic [31:0] acked_i,
  input  logic        err_i,               // the burst that acked_i counts next ended with an error

  output logic        lost_valid_o,        // always taken
  output logic [23:0] lost_qpn_o
);

  localparam int unsigned SeqW = 16;       // of the counts: more than can be under way

  // A write is known by the count after its last burst.
  logic            put_q, w_valid, w_two, w_pop;
  logic [23:0]     qpn_q, w_qpn;
  logic [SeqW-1:0] before_q, w_seq;
  always_ff @(posedge clk_i) begin
    put_q    <= put_i && !rst_i;
    qpn_q    <= qpn_i;
    before_q <= issued_i[SeqW-1:0];
  end
  ohca_fifo #(.Width(24 + 1 + SeqW), .Depth(Depth)) u_writes (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(put_q), .ready_o(),
    .data_i({qpn_q, issued_i[SeqW-1:0] != before_q + SeqW'(1), issued_i[SeqW-1:0]}),
    .valid_o(w_valid), .ready_i(w_pop), .data_o({w_qpn, w_two, w_seq}), .count_o(), .almost_full_o()
  );

  // Errors, by the number of the burst. The first cycles of a write it may not have come out of the memory yet; its
  // acknowledgement takes longer. A burst that is acknowledged, with an error or without, makes work for one cycle at
  // most, so errors do not pile up here, whatever their rate.
  logic            e_valid, e_pop, e_ready;
  logic [SeqW-1:0] e_seq, past, done;
  ohca_fifo #(.Width(SeqW), .Depth(8), .UseRam(1'b0)) u_errors (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(err_i), .ready_o(e_ready), .data_i(acked_i[SeqW-1:0] + SeqW'(1)),
    .valid_o(e_valid), .ready_i(e_pop), .data_o(e_seq), .count_o(), .almost_full_o()
  );
  assign past = e_seq - w_seq;             // the error is behind this write
  assign done = acked_i[SeqW-1:0] - w_seq;

  logic hit, older;
  assign hit          = w_valid && (past == '0 || (w_two && past == '1));
  assign older        = !past[SeqW-1] && past != '0;
  assign e_pop        = e_valid && !(w_valid && older);
  // with the error of its last burst it goes, too
  assign w_pop        = w_valid && (e_valid ? !past[SeqW-1] : !done[SeqW-1]);
  assign idle_o       = !put_q && !w_valid && !e_valid && !lost_valid_o;
  always_ff @(posedge clk_i) begin
    lost_valid_o <= !rst_i && e_valid && hit;
    lost_qpn_o   <= w_qpn;
  end

  logic unused;
  assign unused = &{1'b0, issued_i, acked_i};

  `ASSERT(ErrorRoom_A, !err_i || e_ready)

endmodule

`default_nettype wire
