// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Counts pulses between two visits, one a cycle at most, without an adder: two shift registers with feedback, of which
// the second moves when the first has gone around. ohca_pulse_num turns their state into a number, for all counters
// that have one reader.
//
// Five LUTs where a carry chain takes Width and what clears it. A pulse in the cycle of the visit belongs to the next
// one. Counts modulo 2^Width.

`default_nettype none

module ohca_pulse_cnt #(
  parameter int unsigned Width  = 6,            // 6 or 7
  localparam int unsigned High  = Width - 3
) (
  input  logic             clk_i,
  input  logic             rst_i,
  input  logic             pulse_i,
  input  logic             take_i,              // the visit: state_o is looked at, and begins anew
  output logic [Width-1:0] state_o
);

  if (Width != 6 && Width != 7) begin : g_bad_width
    $error("ohca_pulse_cnt: Width must be 6 or 7");
  end

  // Linear feedback (x^n + x^(n-1) + 1), and a detour from the state before 0 to 0: 2^n states, of which the last is a
  // one and zeros.
  logic [2:0]      lo_q;
  logic [High-1:0] hi_q;
  assign state_o = {hi_q, lo_q};
  always_ff @(posedge clk_i) begin
    if (rst_i)        lo_q <= '0;
    else if (take_i)  lo_q <= {2'b00, pulse_i};
    else if (pulse_i) lo_q <= {lo_q[1:0], lo_q[2] ^ lo_q[1] ^ (lo_q[1:0] == 2'b00)};
    if (rst_i || take_i)                hi_q <= '0;
    else if (pulse_i && lo_q == 3'b100) hi_q <= {hi_q[High-2:0], hi_q[High-1] ^ hi_q[High-2] ^ (hi_q[High-2:0] == '0)};
  end

endmodule

`default_nettype wire
