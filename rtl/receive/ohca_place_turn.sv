// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Placement, turns: whose piece is taken. A client keeps its turn to the end of its packet; then the next one of those
// that have a request has it. While nobody has any it is client 0's (the responder's).
//
// turn_o is a flop, so nobody's request is seen in another one's ready; a client whose turn it is not has it a cycle
// later. It does NOT choose within a client, and holds no piece: who asks for turn_o's looks at its valid, and says by
// fire_i that it was taken.

// prove: bmc=10 ind=3 cover=8

`include "ohca_assert.svh"
`default_nettype none

module ohca_place_turn (
  input  logic       clk_i,
  input  logic       rst_i,

  input  logic [2:0] valid_i,      // requests, which stay until they are taken
  input  logic       last_i,       // of turn_o's: it ends its packet
  input  logic       fire_i,       // turn_o's is taken
  output logic [1:0] turn_o,
  output logic       first_o       // no packet has begun
);

  logic [1:0] turn_d;
  logic       here, stay;
  assign here = valid_i[turn_o];
  assign stay = here ? !(fire_i && last_i) : !first_o;
  always_comb begin
    case (turn_o)
      2'd0:    turn_d = valid_i[1] ? 2'd1 : valid_i[2] ? 2'd2 : 2'd0;
      2'd1:    turn_d = valid_i[2] ? 2'd2 : valid_i[0] ? 2'd0 : {1'b0, here};
      default: turn_d = valid_i[0] ? 2'd0 : valid_i[1] ? 2'd1 : {here, 1'b0};
    endcase
    if (stay) turn_d = turn_o;
  end
  always_ff @(posedge clk_i) begin
    turn_o <= rst_i ? 2'd0 : turn_d;
    if (rst_i)       first_o <= 1'b1;
    else if (fire_i) first_o <= last_i;
  end

`ifdef FORMAL
  `FORMAL_START
  `ASSUME(Fire_M, !fire_i || here)
  `ASSUME(Stays_M, !past_valid_q || $past(rst_i) ||
                   ($past(valid_i) & ~($past(fire_i) ? 3'd1 << $past(turn_o) : 3'd0) & ~valid_i) == '0)
  `ASSERT(Turn_A, rst_i || turn_o != 2'd3)
  // No other client comes between the pieces of a packet.
  `ASSERT(Whole_A, !past_valid_q || $past(rst_i) || rst_i || !($past(fire_i) && !$past(last_i)) ||
                   turn_o == $past(turn_o))
  `ASSERT(Begun_A, !past_valid_q || $past(rst_i) || rst_i || $past(first_o) || $past(fire_i) ||
                   turn_o == $past(turn_o))
  // Where a packet ends, who waits is not passed over by who has just had his turn; nor while nobody is served.
  `ASSERT(Other_A, !past_valid_q || $past(rst_i) || rst_i || !($past(fire_i) && $past(last_i)) ||
                   ($past(valid_i) & ~(3'd1 << $past(turn_o))) == '0 || turn_o != $past(turn_o))
  `ASSERT(Moves_A, !past_valid_q || $past(rst_i) || rst_i || !$past(first_o) || $past(here) || $past(valid_i) == '0 ||
                   valid_i[turn_o])
  `COVER(Three_C, past_valid_q && !rst_i && turn_o == 2'd2 && $past(turn_o) == 2'd1 && fire_i)
`endif

endmodule

`default_nettype wire
