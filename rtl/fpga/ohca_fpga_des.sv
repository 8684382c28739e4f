// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Gathers the words that ohca_fpga_ser puts on pins into beats of a wide valid/ready channel, through registers only.
//
// A beat is offered two cycles after its last word came; the next one can begin once it was taken. Part of the
// place-and-route harness (docs/fpga.md): it does NOT check what arrives, and a lost word shifts all that follow until
// reset.

// lint: Width=1 Pins=4
// lint: Width=8
`default_nettype none

module ohca_fpga_des #(
  parameter int unsigned Width = 72,
  parameter int unsigned Pins  = 8,
  localparam int unsigned Words = (Width + Pins - 1) / Pins
) (
  input  logic             clk_i,
  input  logic             rst_i,

  input  logic             pin_valid_i,
  output logic             pin_ready_o,      // room for a whole beat
  input  logic [Pins-1:0]  pin_data_i,

  output logic             valid_o,          // early: a flop
  input  logic             ready_i,
  output logic [Width-1:0] data_o            // early: flops
);

  localparam int unsigned CntW = $clog2(Words + 1);

  logic                  pin_valid_q, pin_ready_q, full_q;
  logic [Pins-1:0]       pin_data_q;
  logic [Words*Pins-1:0] shift_q, shift_d;
  logic [CntW-1:0]       cnt_q;

  assign pin_ready_o = pin_ready_q;
  assign valid_o     = full_q;
  assign data_o      = shift_q[Width-1:0];

  if (Words > 1) begin : g_shift
    assign shift_d = {pin_data_q, shift_q[Words*Pins-1:Pins]};
  end else begin : g_one
    assign shift_d = pin_data_q;
  end

  always_ff @(posedge clk_i) begin
    pin_data_q <= pin_data_i;
    if (rst_i) begin
      pin_valid_q <= 1'b0;
      pin_ready_q <= 1'b0;
      full_q      <= 1'b0;
      cnt_q       <= '0;
    end else begin
      pin_valid_q <= pin_valid_i;
      pin_ready_q <= !full_q && cnt_q == '0 && !pin_valid_q;
      if (full_q) begin
        full_q <= !ready_i;
      end else if (pin_valid_q) begin
        full_q <= cnt_q == CntW'(Words - 1);
        cnt_q  <= (cnt_q == CntW'(Words - 1)) ? '0 : cnt_q + CntW'(1);
      end
    end
    if (!full_q && pin_valid_q) shift_q <= shift_d;
  end

  // What fills the last word up
  if (Words * Pins > Width) begin : g_pad
    logic unused;
    assign unused = &{1'b0, shift_q[Words*Pins-1:Width]};
  end

endmodule

`default_nettype wire
