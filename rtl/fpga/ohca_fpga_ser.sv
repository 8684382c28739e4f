// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Puts the beats of one wide valid/ready channel on a few pins, lowest bits first, through registers only.
//
// A beat takes ceil(Width/Pins) + 7 cycles; the first word leaves three cycles after acceptance. Part of the
// place-and-route harness (docs/fpga.md): it does NOT check what arrives, and one word of a beat follows another
// without a pause.

// lint: Width=1 Pins=4
// lint: Width=8
`default_nettype none

module ohca_fpga_ser #(
  parameter int unsigned Width = 72,
  parameter int unsigned Pins  = 8,
  localparam int unsigned Words = (Width + Pins - 1) / Pins
) (
  input  logic             clk_i,
  input  logic             rst_i,

  input  logic             valid_i,
  output logic             ready_o,          // early: a flop
  input  logic [Width-1:0] data_i,

  output logic             pin_valid_o,      // a word of a beat; a beat is Words words in consecutive cycles
  input  logic             pin_ready_i,      // the other end has room for a whole beat
  output logic [Pins-1:0]  pin_data_o
);

  localparam int unsigned CntW = $clog2(Words + 5);

  logic                  ready_q, full_q, busy_q, pin_valid_q, pin_ready_q;
  logic [Words*Pins-1:0] shift_q;
  logic [CntW-1:0]       cnt_q;
  logic [Pins-1:0]       pin_data_q;

  assign ready_o     = ready_q;
  assign pin_valid_o = pin_valid_q;
  assign pin_data_o  = pin_data_q;

  always_ff @(posedge clk_i) begin
    pin_ready_q <= pin_ready_i;
    pin_data_q  <= shift_q[Pins-1:0];
    if (rst_i) begin
      ready_q     <= 1'b0;
      full_q      <= 1'b0;
      busy_q      <= 1'b0;
      pin_valid_q <= 1'b0;
    end else begin
      pin_valid_q <= 1'b0;
      if (busy_q) begin
        cnt_q       <= cnt_q - CntW'(1);
        pin_valid_q <= cnt_q > CntW'(4);
        // Four quiet cycles: by then pin_ready_q shows what the other end says after this beat.
        if (cnt_q == CntW'(1)) begin
          busy_q <= 1'b0;
          full_q <= 1'b0;
        end
      end else if (full_q) begin
        if (pin_ready_q) begin
          busy_q <= 1'b1;
          cnt_q  <= CntW'(Words + 4);
        end
      end else begin
        full_q <= valid_i && ready_q;
      end
      ready_q <= !full_q && !(valid_i && ready_q);
    end
    if (busy_q)                                   shift_q <= shift_q >> Pins;
    else if (!full_q && valid_i && ready_q)       shift_q <= (Words*Pins)'(data_i);
  end

endmodule

`default_nettype wire
