// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// The wide port for push pages: write-only, a push buffer of 64 bytes in one beat, into ohca_bar.
//
//   AW, W ─ register slices ─┬─ all bytes: a whole push ──────────────────► ohca_bar, with the doorbells of s_axil
//                            └─ some dwords: a quadword a cycle, eight ──►
//
// AXI4 with single beats: what has no port here is awlen 0, awsize 6, awburst INCR, wlast 1, one id. The strobes say
// which of the 64 bytes are meant, the last six address bits nothing.
//
// An access is offered a cycle after its address and data, a whole push a cycle, one of which only some dwords are
// enabled in eight (quadwords of which none is, as writes of nothing). A beat that enables part of a dword, or whose
// address is no push buffer, does nothing, is counted and answered SLVERR; all others are answered OKAY. The answer
// comes when ohca_bar has taken all of a beat: what is written to either port after an answer takes effect after what
// was answered. Between writes that are not answered yet there is no order but that of each port.
//
// It does NOT know what has come of a buffer (ohca_bar_push), and takes no doorbells.

`default_nettype none

module ohca_bar_wide #(
  parameter int unsigned DbStride = 0      // as in ohca_bar
) (
  input  logic                    clk_i,
  input  logic                    rst_i,
  output logic                    busy_o,       // flop: something is under way, or was a cycle ago

  input  ohca_fmt_pkg::push_bus_t bus_i,
  output ohca_fmt_pkg::push_say_t bus_o,        // flops, and what follows from flops

  output logic                    valid_o,      // an access, as at s_axil; a flop and a LUT
  input  logic                    ready_i,
  output logic                    whole_o,      // all of a push buffer: data is in wqe_o from the next cycle on
  output logic [20:3]             addr_o,
  output logic [7:0]              page_4k_o,    // 4 KiB pages from the first doorbell or push page on
  output logic [63:0]             data_o,
  output logic [7:0]              strb_o,
  output logic [511:0]            wqe_o         // flops: of the whole push taken last
);

  // ================================================================ register slices
  logic         aw_valid, w_valid, take, b_room;
  logic [20:6]  aw_addr;
  logic [511:0] w_data;
  logic [63:0]  w_strb;
  ohca_skid #(.Width(15)) u_aw (
    .clk_i, .rst_i, .valid_i(bus_i.awvalid), .ready_o(bus_o.awready), .data_i(bus_i.awaddr[20:6]),
    .valid_o(aw_valid), .ready_i(take), .data_o(aw_addr)
  );
  ohca_skid #(.Width(576)) u_w (
    .clk_i, .rst_i, .valid_i(bus_i.wvalid), .ready_o(bus_o.wready), .data_i({bus_i.wdata, bus_i.wstrb}),
    .valid_o(w_valid), .ready_i(take), .data_o({w_data, w_strb})
  );

  // ================================================================ what it is
  logic        at_push, part, none, bad;
  logic [7:0]  page_4k;
  logic [15:0] mixed;                           // dwords of which part is enabled
  assign page_4k = aw_addr[19:12] - 8'(ohca_fmt_pkg::BAR_PUSH_BASE >> 12);
  assign at_push = aw_addr[20] && aw_addr[19:16] != 4'd0 && aw_addr[11:7] == 5'd0 &&
                   (page_4k & 8'((1 << DbStride) - 1)) == 8'd0;
  always_comb begin
    for (int unsigned i = 0; i < 16; i++) mixed[i] = w_strb[4*i +: 4] != 4'h0 && w_strb[4*i +: 4] != 4'hf;
  end
  assign part    = |mixed;
  assign none    = w_strb == '0;
  assign bad     = part || none || !at_push;
  assign whole_o = (&w_strb) && at_push;

  // ================================================================ quadword after quadword
  logic [2:0] at_q;
  logic       once;
  assign once    = whole_o || bad;
  assign valid_o = aw_valid && w_valid && b_room;
  assign take    = valid_o && ready_i && (once || (&at_q));
  always_ff @(posedge clk_i) begin
    if (rst_i)                             at_q <= '0;
    else if (valid_o && ready_i && !once)  at_q <= at_q + 3'd1;
    if (valid_o && ready_i && whole_o)     wqe_o <= w_data;
  end

  always_comb begin
    data_o = w_data[63:0];
    strb_o = w_strb[7:0];
    for (int unsigned i = 1; i < 8; i++) begin
      if (at_q == 3'(i)) begin
        data_o = w_data[64*i +: 64];
        strb_o = w_strb[8*i +: 8];
      end
    end
    // What is bad is shown at an address that ohca_bar counts it for, and nothing at one where a write does nothing.
    addr_o = {aw_addr, at_q};
    if (bad)                 addr_o = 18'(21'h100000 >> 3);
    else if (strb_o == 8'd0) addr_o = '0;
  end
  assign page_4k_o = page_4k;

  // ================================================================ answers
  logic b_err;
  // verilator lint_off PINCONNECTEMPTY
  ohca_fifo #(.Width(1), .Depth(16)) u_b (
    .clk_i, .rst_i, .valid_i(take), .ready_o(b_room), .data_i(part || !at_push),
    .valid_o(bus_o.bvalid), .ready_i(bus_i.bready), .data_o(b_err), .count_o(), .almost_full_o()
  );
  // verilator lint_on PINCONNECTEMPTY
  assign bus_o.bresp = {b_err, 1'b0};

  logic busy_q;
  always_ff @(posedge clk_i) busy_q <= rst_i || bus_i.awvalid || bus_i.wvalid || aw_valid || w_valid || bus_o.bvalid;
  assign busy_o = busy_q;

  logic unused;
  assign unused = &{1'b0, bus_i.awaddr[5:0]};

endmodule

`default_nettype wire
