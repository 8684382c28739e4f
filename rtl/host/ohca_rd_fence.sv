// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Tells the send engine when what READs brought is in host memory: feedback of the acknowledge engine passes, and where
// it says that READs are done whose data is not acknowledged yet, a report of kind `reads` follows when it is. One
// feedback per cycle, two cycles after it came; a report in every other cycle, before feedback; nothing waits but for
// room here. Both sides are register slices, as what the send engine does with it and what the acknowledge engine
// offers are both deep.
//
//   ra --> slice --+------------------------------+--> slice --> sq
//                  \--> {qpn, rd_done, issued} ---+   when acked reaches it
//
// It does NOT hold feedback back: only fences look at what it reports.
// lint: Compact=1

`default_nettype none

module ohca_rd_fence #(
  parameter int unsigned Depth   = 64,         // reports waiting, power of two
  parameter bit          Compact = 1'b0        // feedback every second cycle
) (
  input  logic                 clk_i,
  input  logic                 rst_i,
  output logic                 idle_o,

  input  logic [31:0]          wr_issued_i,    // of ohca_dma_wr, all clients
  input  logic [31:0]          wr_acked_i,

  input  logic                 fb_valid_i,
  output logic                 fb_ready_o,
  input  ohca_fmt_pkg::sq_fb_t fb_i,           // rd_safe: not looked at
  output logic                 fb_valid_o,
  input  logic                 fb_ready_i,
  output ohca_fmt_pkg::sq_fb_t fb_o
);

  logic        q_valid, q_ready, q_push, q_pop, due, quiet, pass, i_valid, i_ready, o_valid, o_ready;
  ohca_fmt_pkg::sq_fb_t i, o;
  logic [23:0] q_qpn;
  logic [7:0]  q_done;
  logic [15:0] q_snap, behind;
  logic [$clog2(Depth+1)-1:0] q_count;

  ohca_slice #(.Width(ohca_fmt_pkg::SQ_FB_BITS), .Light(Compact)) u_in (
    .clk_i, .rst_i, .valid_i(fb_valid_i), .ready_o(fb_ready_o), .data_i(fb_i), .valid_o(i_valid), .ready_i(i_ready),
    .data_o(i)
  );

  // verilator lint_off PINCONNECTEMPTY
  ohca_fifo #(.Width(24 + 8 + 16), .Depth(Depth)) u_wait (
    .clk_i, .rst_i,
    .valid_i(q_push), .ready_o(q_ready), .data_i({i.qpn, i.rd_done, wr_issued_i[15:0]}),
    .valid_o(q_valid), .ready_i(q_pop), .data_o({q_qpn, q_done, q_snap}), .count_o(q_count), .almost_full_o()
  );
  // verilator lint_on PINCONNECTEMPTY
  assign behind = wr_acked_i[15:0] - q_snap;
  always_ff @(posedge clk_i) due <= !rst_i && q_valid && !behind[15] && !q_pop;   // of the report in front
  // None waits, and none comes: where the last one has just left it is asked a cycle later.
  logic none_q;
  always_ff @(posedge clk_i) none_q <= q_count == '0 && !q_push && !rst_i;
  assign quiet  = none_q && wr_issued_i[15:0] == wr_acked_i[15:0];

  assign pass   = quiet || !i.rd_new || q_ready;

  always_comb begin
    o         = i;
    o.rd_safe = i.rd_new && quiet;
    if (due) begin
      o         = '0;
      o.kind    = ohca_fmt_pkg::FBK_READS;
      o.qpn     = q_qpn;
      o.rd_done = q_done;
    end
  end
  assign o_valid    = due || (i_valid && pass);
  assign i_ready    = !due && pass && o_ready;
  assign q_push     = i_valid && i_ready && i.rd_new && !quiet;
  assign q_pop      = due && o_ready;
  assign idle_o     = !fb_valid_i && !i_valid && q_count == '0 && !fb_valid_o;

  ohca_slice #(.Width(ohca_fmt_pkg::SQ_FB_BITS), .Light(Compact)) u_out (
    .clk_i, .rst_i, .valid_i(o_valid), .ready_o(o_ready), .data_i(o), .valid_o(fb_valid_o), .ready_i(fb_ready_i),
    .data_o(fb_o)
  );

  logic unused;
  assign unused = &{1'b0, wr_issued_i[31:16], wr_acked_i[31:16], behind[14:0], i.rd_safe};

endmodule

`default_nettype wire
