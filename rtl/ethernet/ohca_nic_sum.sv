// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Ones' complement sum of a frame's bytes from a given one on, as the Internet checksum takes it, and what goes with
// the frame.
//
// One beat a cycle; the sum is there 5 cycles after the last beat. Words are taken in memory order (lower byte first),
// so that the result has the byte order of the frame when it is written as it is. It does NOT complement.
// lint: DataWidth=512

`default_nettype none

module ohca_nic_sum #(
  parameter int unsigned DataWidth = 64,
  parameter int unsigned MetaW     = 8,
  localparam int unsigned Bytes    = DataWidth / 8,
  localparam int unsigned NumW     = $clog2(Bytes) + 1
) (
  input  logic                 clk_i,
  input  logic                 rst_i,
  output logic                 idle_o,

  input  logic                 valid_i,
  input  logic                 first_i,
  input  logic                 last_i,
  input  logic [DataWidth-1:0] data_i,      // first byte in [7:0]
  input  logic [NumW-1:0]      bytes_i,     // with last
  input  logic [13:0]          pos_i,       // the beat's first byte in the frame
  input  logic [11:0]          start_i,     // first byte to count, even
  input  logic [MetaW-1:0]     meta_i,      // with last

  output logic                 done_o,
  output logic [15:0]          sum_o,
  output logic [MetaW-1:0]     meta_o
);

  localparam int unsigned Halves = DataWidth / 16;
  localparam int unsigned TreeW  = 16 + $clog2(Halves);
  localparam int unsigned AccW   = 32;

  logic [4:0]            v_q;               // a last beat in stage n
  logic                  a_valid_q, a_first_q, b_valid_q, b_first_q;
  logic [DataWidth-1:0]  a_data_q;
  logic [TreeW-1:0]      b_sum_q;
  logic [AccW-1:0]       acc_q;
  logic [16:0]           fold_q;
  logic [4:0][MetaW-1:0] meta_q;

  // Functions, called where their result is taken: a simulator does nothing for them while no frame is here.
  function automatic logic [DataWidth-1:0] clean(input logic [DataWidth-1:0] data, input logic [13:0] pos,
      input logic [11:0] start, input logic last,
                                                 input logic [NumW-1:0] bytes);
    clean = data;
    for (int unsigned i = 0; i < Halves; i++) if (pos + 14'(2 * i) < {2'd0, start}) clean[16*i +: 16] = '0;
    for (int unsigned i = 0; i < Bytes; i++) if (last && bytes <= NumW'(i)) clean[8*i +: 8] = '0;
  endfunction
  function automatic logic [TreeW-1:0] tree(input logic [DataWidth-1:0] data);
    tree = '0;
    for (int unsigned i = 0; i < Halves; i++) tree = tree + TreeW'(data[16*i +: 16]);
  endfunction

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      v_q       <= '0;
      a_valid_q <= 1'b0;
      b_valid_q <= 1'b0;
    end else begin
      v_q       <= {v_q[3:0], valid_i && last_i};
      a_valid_q <= valid_i;
      b_valid_q <= a_valid_q;
    end
    if (valid_i) begin
      a_data_q  <= clean(data_i, pos_i, start_i, last_i, bytes_i);
      a_first_q <= first_i;
      meta_q[0] <= meta_i;
    end
    if (a_valid_q) begin
      b_sum_q   <= tree(a_data_q);
      b_first_q <= a_first_q;
    end
    if (b_valid_q) acc_q <= (b_first_q ? '0 : acc_q) + AccW'(b_sum_q);
    if (v_q[2]) fold_q <= {1'b0, acc_q[31:16]} + {1'b0, acc_q[15:0]};
    if (v_q[3]) sum_o <= fold_q[15:0] + 16'(fold_q[16]);
    for (int unsigned i = 1; i < 5; i++) if (v_q[i-1]) meta_q[i] <= meta_q[i-1];
  end
  assign done_o = v_q[4];
  assign meta_o = meta_q[4];
  assign idle_o = !valid_i && !a_valid_q && !b_valid_q && v_q == '0;

endmodule

`default_nettype wire
