// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Units of 64 bytes that the Ethernet frames of a stream have, with the priority of each: for what a priority has in a
// buffer, one at its entrance and one at its exit.
//
// A unit counts in the cycle after its last beat, so of two that see the same beats the later one is never ahead, and
// both agree in the end, whatever the frames are. The priority is that of an 802.1Q tag, 0 without one. It does NOT
// change or hold the stream.
// lint: DataWidth=128
// lint: DataWidth=512

`default_nettype none

module ohca_eth_units #(
  parameter int unsigned DataWidth = 64
) (
  input  logic                 clk_i,
  input  logic                 rst_i,

  input  logic                 fire_i,
  input  logic                 eth_i,         // of a frame; other beats do not count
  input  logic                 last_i,
  input  logic [DataWidth-1:0] data_i,        // first wire byte in [7:0]

  output logic                 unit_o,
  output logic [2:0]           prio_o
);

  localparam int unsigned Bytes = DataWidth / 8;
  localparam int unsigned Beats = 64 / Bytes;                  // of a unit
  localparam int unsigned TagAt = 8 * (12 % Bytes);            // the tag's place in its beat

  logic       first_q, tag_here, unit_end;
  logic [2:0] beat_q, prio_q, prio;                            // beat within the unit
  assign unit_end = last_i || beat_q == 3'(Beats - 1);
  // At 64 bits the tag is in the second beat; what ends before has none.
  if (Bytes == 8) begin : g_second
    logic second_q;
    always_ff @(posedge clk_i) begin
      if (rst_i)       second_q <= 1'b0;
      else if (fire_i) second_q <= first_q && !last_i;
    end
    assign tag_here = second_q;
  end else begin : g_first
    assign tag_here = first_q;
  end
  always_comb begin
    prio = first_q ? 3'd0 : prio_q;
    if (tag_here) prio = (data_i[TagAt +: 16] == 16'h0081) ? data_i[TagAt+21 +: 3] : 3'd0;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      first_q <= 1'b1;
      beat_q  <= '0;
      unit_o  <= 1'b0;
    end else begin
      unit_o <= fire_i && eth_i && unit_end;
      if (fire_i) begin
        first_q <= last_i;
        beat_q  <= unit_end ? 3'd0 : beat_q + 3'd1;
      end
    end
    if (fire_i) prio_q <= prio;
    prio_o <= prio;
  end

  logic unused;
  assign unused = &{1'b0, data_i};

endmodule

`default_nettype wire
