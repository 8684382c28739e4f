// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// N-way round-robin choice among sources that may take back what they ask for, into a queue: who is looked up next.
//
// take_o of a source that is valid takes its data in this cycle; it is never set for one that is not. A choice is never
// held, so a source whose gate closes cannot block the others. Two forms:
//   Single = 1   combinational from valid_i and data_i to take_o and a register: one in two cycles, a cycle later.
//                ready_i is cut
//   Single = 0   the choice is a flop (ohca_arb_early), four places: one a cycle, two cycles later; a source that takes
//                back its request meanwhile costs a cycle. take_o is a flop and the source's valid. ready_i is cut

`include "ohca_assert.svh"
`default_nettype none

module ohca_arb_queue #(
  parameter int unsigned N      = 8,
  parameter int unsigned Width  = 32,
  parameter bit          Single = 1'b0
) (
  input  logic                    clk_i,
  input  logic                    rst_i,

  input  logic [N-1:0]            valid_i,
  output logic [N-1:0]            take_o,     // one-hot, or zero
  input  logic [N-1:0][Width-1:0] data_i,

  output logic                    valid_o,
  input  logic                    ready_i,
  output logic [Width-1:0]        data_o
);

  logic             chosen, room;
  logic [Width-1:0] sel;
  if (Single) begin : g_now
    // Sources show only while what is behind has room.
    ohca_arb_now #(.N(N), .Width(Width)) u_arb (
      .clk_i(clk_i), .rst_i(rst_i), .valid_i(room ? valid_i : '0), .take_o(take_o), .data_i(data_i),
      .valid_o(chosen), .data_o(sel)
    );
    ohca_fifo #(.Width(Width), .Depth(2), .Single(1'b1)) u_sk (
      .clk_i(clk_i), .rst_i(rst_i), .valid_i(chosen), .ready_o(room), .data_i(sel),
      .valid_o(valid_o), .ready_i(ready_i), .data_o(data_o), .count_o(), .almost_full_o()
    );
  end else begin : g_early
    logic [N-1:0] gnt;
    logic [2:0]   count;
    ohca_arb_early #(.N(N), .Width(Width)) u_arb (
      .clk_i(clk_i), .rst_i(rst_i), .valid_i(valid_i), .ready_o(gnt), .data_i(data_i), .room_i(count <= 3'd2),
      .valid_o(chosen), .data_o(sel), .sel_o()
    );
    assign take_o = gnt & valid_i;
    ohca_fifo #(.Width(Width), .Depth(4)) u_sk (
      .clk_i(clk_i), .rst_i(rst_i), .valid_i(chosen), .ready_o(room), .data_i(sel),
      .valid_o(valid_o), .ready_i(ready_i), .data_o(data_o), .count_o(count), .almost_full_o()
    );
  end

  `ASSERT(Room_A, !chosen || room)
  `ASSERT(OneTaken_A, (take_o & (take_o - N'(1))) == '0 && (take_o & ~valid_i) == '0)

endmodule

`default_nettype wire
