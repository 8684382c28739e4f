// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Ones' complement sum of a frame's bytes from a given one on, as the Internet checksum takes it, and what goes with
// the frame.
//
// One beat a cycle; the sum is there 5 cycles after the last beat, 6 with more than 128 bits. Words are taken in memory
// order (lower byte first), so that the result has the byte order of the frame when it is written as it is. Where a
// beat lies is counted here: all beats of a frame are full ones but the last. It does NOT complement.
// lint: DataWidth=512

`include "ohca_assert.svh"
`default_nettype none

module ohca_nic_sum #(
  parameter int unsigned DataWidth = 64,
  parameter int unsigned MetaW     = 8,
  localparam int unsigned Bytes    = DataWidth / 8,
  localparam int unsigned LaneW    = $clog2(Bytes)
) (
  input  logic                 clk_i,
  input  logic                 rst_i,
  output logic                 idle_o,

  input  logic                 load_i,      // early: there is a beat, which counts with valid_i only; once one of a
                                            // frame did not, none of it does
  input  logic                 valid_i,     // late, with load_i only
  input  logic                 first_i,
  input  logic                 last_i,
  input  logic [DataWidth-1:0] data_i,      // first byte in [7:0]
  input  logic [LaneW-1:0]     bytes_i,     // with last; 0: all
  input  logic [11:0]          start_i,     // first byte to count, even, the same with all beats of a frame
  input  logic [MetaW-1:0]     meta_i,      // with last

  output logic                 done_o,
  output logic [15:0]          sum_o,
  output logic [MetaW-1:0]     meta_o
);

  localparam int unsigned Halves = DataWidth / 16;
  localparam bit          Deep   = Halves > 8;               // the parts' sums are added up in a stage of their own
  localparam int unsigned Parts  = Deep ? 8 : 2;             // of a beat, summed each on its own
  localparam int unsigned PartW  = DataWidth / Parts;
  localparam int unsigned TreeW  = 16 + $clog2(Halves / Parts);
  localparam int unsigned HalfW  = TreeW + $clog2(Parts / 2);
  localparam int unsigned AccW   = 32;
  localparam int unsigned At     = Deep ? 3 : 2;             // stage in which a frame's sum is whole

  logic [At+2:0]         v_q;               // a last beat in stage n
  logic                  a_valid_q, a_first_q, b_valid_q, b_first_q, c_valid, c_first;
  logic [DataWidth-1:0]  a_data_q;
  logic [TreeW-1:0]      b_sum_q [Parts];
  logic [HalfW-1:0]      c_sum [2];
  logic [11-LaneW:0]     ahead_q;           // beats from the one that comes to the one with the start
  logic                  at_q, at, past_q, past;
  logic [AccW-1:0]       acc_q;
  logic [16:0]           fold_q;
  logic [At+2:0][MetaW-1:0] meta_q;

  // The start lies in this beat, in one before it.
  assign at   = first_i ? start_i[11:LaneW] == '0 : at_q;
  assign past = !first_i && past_q;

  // Functions, called where their result is taken: a simulator does nothing for them while no frame is here.
  function automatic logic [DataWidth-1:0] clean(input logic [DataWidth-1:0] data, input logic in, input logic behind,
      input logic [LaneW-1:1] start, input logic last, input logic [LaneW-1:0] bytes);
    clean = data;
    for (int unsigned i = 0; i < Halves; i++) begin
      if (!behind && (!in || (LaneW-1)'(i) < start)) clean[16*i +: 16] = '0;
    end
    for (int unsigned i = 0; i < Bytes; i++) begin
      if (last && bytes != '0 && bytes <= LaneW'(i)) clean[8*i +: 8] = '0;
    end
  endfunction
  function automatic logic [TreeW-1:0] tree(input logic [PartW-1:0] data);
    tree = '0;
    for (int unsigned i = 0; i < Halves / Parts; i++) tree = tree + TreeW'(data[16*i +: 16]);
  endfunction

  function automatic logic [HalfW-1:0] add4(input logic [4*TreeW-1:0] sums);
    add4 = '0;
    for (int unsigned i = 0; i < 4; i++) add4 = add4 + HalfW'(sums[TreeW*i +: TreeW]);
  endfunction

  if (Deep) begin : g_deep
    logic             c_valid_q, c_first_q;
    logic [HalfW-1:0] c_sum_q [2];
    always_ff @(posedge clk_i) begin
      c_valid_q <= !rst_i && b_valid_q;
      if (b_valid_q) begin
        c_first_q <= b_first_q;
        for (int unsigned i = 0; i < 2; i++)
          c_sum_q[i] <= add4({b_sum_q[4*i+3], b_sum_q[4*i+2], b_sum_q[4*i+1], b_sum_q[4*i]});
      end
    end
    assign {c_valid, c_first} = {c_valid_q, c_first_q};
    assign c_sum = c_sum_q;
  end else begin : g_flat
    assign {c_valid, c_first} = {b_valid_q, b_first_q};
    assign c_sum = b_sum_q;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      v_q       <= '0;
      a_valid_q <= 1'b0;
      b_valid_q <= 1'b0;
    end else begin
      v_q       <= {v_q[At+1:0], valid_i && last_i};
      a_valid_q <= valid_i;
      b_valid_q <= a_valid_q;
    end
    if (load_i) begin
      a_data_q  <= clean(data_i, at, past, start_i[LaneW-1:1], last_i, bytes_i);
      a_first_q <= first_i;
      meta_q[0] <= meta_i;
      ahead_q   <= (first_i ? start_i[11:LaneW] : ahead_q) - (12-LaneW)'(1);
      at_q      <= (first_i ? start_i[11:LaneW] : ahead_q) == (12-LaneW)'(1);
      past_q    <= at || past;                // which stays when the count goes round
    end
    if (a_valid_q) begin
      for (int unsigned i = 0; i < Parts; i++) b_sum_q[i] <= tree(a_data_q[PartW*i +: PartW]);
      b_first_q <= a_first_q;
    end
    if (c_valid) acc_q <= (c_first ? '0 : acc_q) + AccW'(c_sum[0]) + AccW'(c_sum[1]);
    if (v_q[At]) fold_q <= {1'b0, acc_q[31:16]} + {1'b0, acc_q[15:0]};
    if (v_q[At+1]) sum_o <= fold_q[15:0] + 16'(fold_q[16]);
    for (int unsigned i = 1; i < At + 3; i++) if (v_q[i-1]) meta_q[i] <= meta_q[i-1];
  end
  assign done_o = v_q[At+2];
  assign meta_o = meta_q[At+2];
  assign idle_o = !load_i && !a_valid_q && !b_valid_q && !c_valid && v_q == '0;

  `ASSERT(Load_A, !valid_i || load_i)

  logic unused;
  assign unused = &{1'b0, start_i[0]};

endmodule

`default_nettype wire
