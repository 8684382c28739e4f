// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// The number that a state of ohca_pulse_cnt stands for. Combinational.

`default_nettype none

module ohca_pulse_num #(
  parameter int unsigned Width  = 6,            // 6 or 7
  localparam int unsigned High  = Width - 3
) (
  input  logic [Width-1:0] state_i,
  output logic [Width-1:0] num_o
);

  logic [High-1:0] hi;
  always_comb begin
    num_o = '0;
    for (int unsigned n = 0; n < 8; n++) begin
      if (state_i[2:0] == lo_of(n)) num_o[2:0] = 3'(n);
    end
    for (int unsigned n = 0; n < (1 << High); n++) begin
      if (hi == hi_of(n)) num_o[Width-1:3] = High'(n);
    end
  end
  assign hi = state_i[Width-1:3];

  // The state after n pulses
  function automatic logic [2:0] lo_of(input int unsigned n);
    lo_of = '0;
    for (int unsigned k = 0; k < n; k++) lo_of = {lo_of[1:0], lo_of[2] ^ lo_of[1] ^ (lo_of[1:0] == 2'b00)};
  endfunction
  function automatic logic [High-1:0] hi_of(input int unsigned n);
    hi_of = '0;
    for (int unsigned k = 0; k < n; k++) hi_of = {hi_of[High-2:0],
        hi_of[High-1] ^ hi_of[High-2] ^ (hi_of[High-2:0] == '0)};
  endfunction

endmodule

`default_nettype wire
