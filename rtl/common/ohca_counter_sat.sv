// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Counter that stops at all ones instead of wrapping, as IBA's port counters do.
//
// count_o follows inc_i by one cycle; any increment every cycle. A write (wr_en_i, wr_data_i, to clear or preset) in
// the same cycle as an increment does not lose the increment.

// prove: Width=4 IncWidth=2 bmc=10 ind=2 cover=10
// prove: Width=4 IncWidth=4 bmc=6 ind=2 cover=6

`include "ohca_assert.svh"
`default_nettype none

module ohca_counter_sat #(
  parameter int unsigned Width    = 32,
  parameter int unsigned IncWidth = 1
) (
  input  logic                clk_i,
  input  logic                rst_i,
  input  logic [IncWidth-1:0] inc_i,
  input  logic                wr_en_i,
  input  logic [Width-1:0]    wr_data_i,
  output logic [Width-1:0]    count_o
);

  if (IncWidth > Width) begin : g_bad_inc
    $error("ohca_counter_sat: IncWidth must not exceed Width");
  end

  logic [Width-1:0] base;
  logic [Width:0]   sum;

  assign base = wr_en_i ? wr_data_i : count_o;
  assign sum  = {1'b0, base} + (Width + 1)'(inc_i);

  always_ff @(posedge clk_i) begin
    if (rst_i)                        count_o <= '0;
    else if (wr_en_i || (|inc_i))     count_o <= sum[Width] ? '1 : sum[Width-1:0];
  end

`ifdef FORMAL
  `FORMAL_START
  `ASSERT(NeverFalls_A, !past_valid_q || $past(rst_i) || $past(wr_en_i) || count_o >= $past(count_o))
  `ASSERT(Exact_A, !past_valid_q || $past(rst_i) || count_o == '1 ||
          count_o == Width'($past(base)) + Width'($past(inc_i)))
  `ASSERT(SaturatesOnlyAtTop_A, !past_valid_q || $past(rst_i) || count_o != '1 || $past(sum) >= {1'b0, {Width{1'b1}}})
  `COVER(Top_C, count_o == '1)
`endif

endmodule

`default_nettype wire
