// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Lets an access that is a fence go behind the completions that waited at the door when it came, of two sources with at
// most Held waiting in each.
//
// A source has been passed when it has nothing, or when Held of its completions have gone since. It does NOT order
// anything else: what has gone in is the owner's to wait for.
`default_nettype none

module ohca_cq_pass #(
  parameter int unsigned Held = 8,
  localparam int unsigned CntW = $clog2(Held + 1)
) (
  input  logic       clk_i,
  input  logic       rst_i,
  input  logic       fence_i,               // waits, until taken_i
  input  logic       taken_i,
  output logic       go_o,
  input  logic [1:0] valid_i,               // completions
  input  logic [1:0] ready_i
);

  logic                 seen_q;
  logic [1:0][CntW-1:0] left_q;
  assign go_o = seen_q && left_q == '0;
  always_ff @(posedge clk_i) begin
    if (rst_i || taken_i) seen_q <= 1'b0;
    else if (fence_i)     seen_q <= 1'b1;
    for (int unsigned i = 0; i < 2; i++) begin
      if (!valid_i[i])                       left_q[i] <= '0;
      else if (!seen_q)                      left_q[i] <= CntW'(Held);
      else if (ready_i[i] && left_q[i] != 0) left_q[i] <= left_q[i] - CntW'(1);
    end
  end

endmodule

`default_nettype wire
