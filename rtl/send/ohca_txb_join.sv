// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Packet builder, joining: bytes in, packed beats out. An operation brings a beat's worth of bytes, turned by
// op_amt_i so that they begin at lane op_f_i; they join those kept from the operations before, and a full beat
// leaves (op_emit_i), or all are kept. What does not fit into the beat that leaves is kept for the next.
//
// From operation to output 3 cycles, one operation a cycle. ready: step_o is a function of the output register and
// out_ready_i; nothing moves without it. It does NOT know of packets: who gives operations says which beat is the
// last, how many bytes of it count, and what goes with it.
// lint: DW=128
// lint: DW=512

`default_nettype none

module ohca_txb_join #(
  parameter int unsigned DW       = 64,
  localparam int unsigned Lanes   = DW / 8,
  localparam int unsigned LaneW   = $clog2(Lanes)
) (
  input  logic                  clk_i,
  input  logic                  rst_i,
  output logic                  idle_o,

  output logic                  step_o,          // the pipeline moves
  input  logic                  op_valid_i,
  input  logic                  op_emit_i,       // a beat leaves
  input  logic                  op_last_i,       // it is the packet's last
  input  logic                  op_err_i,        // with op_last_i: to be discarded
  input  logic [DW-1:0]         op_data_i,
  input  logic [LaneW-1:0]      op_amt_i,        // lanes by which the bytes are turned down
  input  logic [LaneW-1:0]      op_f_i,          // bytes that are kept from before
  input  logic [LaneW:0]        op_cnt_i,        // bytes of the beat that leaves
  input  logic [22:0]           op_side_i,       // goes with the beat

  output logic                  out_valid_o,
  input  logic                  out_ready_i,
  output logic [DW-1:0]         out_data_o,      // first wire byte in [7:0]; 0 behind the last byte
  output logic [Lanes-1:0]      out_keep_o,      // whole 4-byte words
  output logic                  out_last_o,
  output logic                  out_err_o,
  output logic [22:0]           out_side_o
);

  logic             r1_valid_q, r1_emit_q, r1_last_q, r1_err_q, r2_valid_q, r2_emit_q, r2_last_q, r2_err_q;
  logic [DW-1:0]    r1_data_q, r1_turned, r2_data_q, acc_q, merged, masked;
  logic [LaneW-1:0] r1_amt_q, r1_f_q, r2_f_q;
  logic [LaneW:0]   r1_cnt_q, r2_cnt_q;
  logic [22:0]      r1_side_q, r2_side_q;
  logic [63:0]      kept, used, keep;

  assign step_o = !out_valid_o || out_ready_i;

  ohca_rotate #(.Lanes(Lanes)) u_rotate (.data_i(r1_data_q), .amount_i(r1_amt_q), .data_o(r1_turned));

  assign kept = ohca_fmt_pkg::keep_mask(7'(r2_f_q));
  assign used = ohca_fmt_pkg::keep_mask(7'(r2_cnt_q));
  assign keep = ohca_fmt_pkg::keep_mask((7'(r2_cnt_q) + 7'd3) & 7'h7c);
  always_comb begin
    for (int unsigned i = 0; i < Lanes; i++) begin
      merged[8*i +: 8] = kept[i] ? acc_q[8*i +: 8] : r2_data_q[8*i +: 8];
      masked[8*i +: 8] = used[i] ? merged[8*i +: 8] : 8'd0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      r1_valid_q  <= 1'b0;
      r2_valid_q  <= 1'b0;
      out_valid_o <= 1'b0;
    end else if (step_o) begin
      r1_valid_q  <= op_valid_i;
      r2_valid_q  <= r1_valid_q;
      out_valid_o <= r2_valid_q && r2_emit_q;
    end
    if (step_o && op_valid_i) begin
      r1_data_q <= op_data_i;
      r1_amt_q  <= op_amt_i;
      r1_f_q    <= op_f_i;
      r1_cnt_q  <= op_cnt_i;
      r1_emit_q <= op_emit_i;
      r1_last_q <= op_last_i;
      r1_err_q  <= op_err_i;
      r1_side_q <= op_side_i;
    end
    if (step_o && r1_valid_q) begin
      r2_data_q <= r1_turned;
      r2_f_q    <= r1_f_q;
      r2_cnt_q  <= r1_cnt_q;
      r2_emit_q <= r1_emit_q;
      r2_last_q <= r1_last_q;
      r2_err_q  <= r1_err_q;
      r2_side_q <= r1_side_q;
    end
    if (step_o && r2_valid_q) begin
      acc_q <= r2_emit_q ? r2_data_q : merged;
      if (r2_emit_q) begin
        out_data_o <= masked;
        out_keep_o <= keep[Lanes-1:0];
        out_last_o <= r2_last_q;
        out_err_o  <= r2_err_q;
        out_side_o <= r2_side_q;
      end
    end
  end

  assign idle_o = !r1_valid_q && !r2_valid_q && !out_valid_o;

  logic unused;
  assign unused = &{1'b0, kept, used, keep};

endmodule

`default_nettype wire
