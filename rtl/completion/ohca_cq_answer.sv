// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// When the management core's access to a CQ's context is answered. One is under way at a time (busy_o, from taken_i to
// the answer). That of an access which is a fence waits, behind the back end, for
//
//   the completions of the CQ that were parked, and a record that was read ahead, when it was at the commit
//   what was in the back end then, or came to it from those
//   the writes that were issued until then, which the host has to acknowledge
//
// so nothing of the CQ is written or read behind the answer. Any other is answered two cycles behind the back end.
// Latency as said, no port has a ready. It does NOT know what an access does, nor whether it is a fence.

`default_nettype none

module ohca_cq_answer #(
  parameter int unsigned InFlight = 16,       // slots of parked completions, power of two
  parameter int unsigned Entries  = 24,       // at most in the back end
  localparam int unsigned SlotW   = $clog2(InFlight)
) (
  input  logic                   clk_i,
  input  logic                   rst_i,

  input  logic                   taken_i,     // an access is taken in
  output logic                   busy_o,
  input  logic                   commit_i,    // pulse: it is committed
  input  logic [InFlight-1:0]    parked_i,    //   with these parked of its CQ
  input  logic                   looks_i,     //   and a record being read ahead, of any CQ
  input  logic                   done_i,      // pulse: a parked one has been decided
  input  logic [SlotW-1:0]       slot_i,
  input  logic                   looked_i,    // pulse: the record has been

  input  logic                   enter_i,     // pulses, a cycle late: into the back end, out of it
  input  logic                   leave_i,
  input  logic                   acc_done_i,  // the access has left it
  input  logic                   fence_i,     //   stays: it is a fence
  input  ohca_fmt_pkg::hwr_cnt_t wr_cnt_i,
  output logic                   valid_o      // pulse: the answer
);

  logic              new_q, hold_q, fence_q, park_q, drain_q, pend, mark;
  logic [InFlight:0] before_q;                // what it waits for at the commit
  logic [31:0]       snap_q, left;
  assign mark = park_q && before_q == '0;
  assign left = wr_cnt_i.acked - snap_q;
  // The mark is later than what enters: what it is for was accepted at least a cycle before.
  ohca_drain #(.Max(Entries + 1)) u_drain (
    .clk_i, .rst_i, .enter_i, .leave_i, .mark_i(mark), .pending_o(pend)
  );
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      busy_o  <= 1'b0;
      park_q  <= 1'b0;
      drain_q <= 1'b0;
      new_q   <= 1'b0;
      hold_q  <= 1'b0;
      valid_o <= 1'b0;
    end else begin
      park_q  <= (acc_done_i && fence_i) || (park_q && !mark);
      drain_q <= mark || (drain_q && pend);
      new_q   <= (acc_done_i && !fence_i) || (drain_q && !pend);
      hold_q  <= new_q || (hold_q && fence_q && left[31]);
      valid_o <= hold_q && !(fence_q && left[31]);
      busy_o  <= taken_i || (busy_o && !valid_o);
    end
    if (acc_done_i) fence_q <= fence_i;
    if (new_q) snap_q <= wr_cnt_i.issued;
    if (commit_i)      before_q <= {looks_i, parked_i};
    else if (done_i)   before_q[{1'b0, slot_i}] <= 1'b0;
    else if (looked_i) before_q[InFlight] <= 1'b0;
  end

  logic unused;
  assign unused = &{1'b0, left[30:0]};

endmodule

`default_nettype wire
