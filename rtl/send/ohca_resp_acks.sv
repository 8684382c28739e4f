// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Acknowledgements of QPs that have nothing else waiting: a queue per VL, in which a plain ACK takes the place of an
// older plain ACK of its QP. Two cycles of looking, then one that puts (or does not); what is put is offered two cycles
// later. One in two cycles goes in, and out: in the cycle after pop_i what is offered counts for nothing.
//
//   look_i: QP, VL -> all entries of the VL are compared -> the newest one that fits -> merge_o, full_o -> put_i
//                                                                                            entries -> whose turn ->
//                                                                                            valid_o, ack_o
//
// The oldest entry of a VL is never changed. It does NOT look at what an acknowledgement says, nor reserve room:
// has_room_i says which VLs may send. merge_o and full_o are good in the second cycle after look_i, and stay until the
// next one; both and the pointers are flops and some LUTs.
// lint: NumVl=4

`include "ohca_assert.svh"
`include "ohca_lazy.svh"
`default_nettype none

module ohca_resp_acks #(
  parameter int unsigned Acks  = 16,       // entries of a VL, power of two
  parameter int unsigned NumVl = 1,
  parameter int unsigned Width = 8,        // of what is kept of an ACK beside its QP
  localparam int unsigned AckW = $clog2(Acks),
  localparam int unsigned VlW  = (NumVl > 1) ? $clog2(NumVl) : 1
) (
  input  logic                       clk_i,
  input  logic                       rst_i,

  input  logic                       look_i,
  input  logic [23:0]                look_qpn_i,
  input  logic [VlW-1:0]             look_vl_i,
  input  logic [VlW-1:0]             vl_i,           // after look_i: the VL that was looked at
  output logic                       merge_o,        // an entry of the QP may be replaced
  output logic                       full_o,

  input  logic                       act_i,          // what put_qpn_i and put_nak_i say may come in, now or later
  input  logic                       put_i,          // it does, with act_i: an ACK comes in: behind all of the VL, or
  input  logic                       put_merge_i,    // ... in the place of the entry found; only with merge_o
  input  logic [23:0]                put_qpn_i,
  input  logic                       put_nak_i,      // nothing takes its place
  input  logic                       put_none_i,     // needs no room
  input  logic [Width-1:0]           put_data_i,

  output logic [NumVl-1:0][AckW:0]   wr_o,           // how many went in, and out
  output logic [NumVl-1:0][AckW:0]   rd_o,
  output logic                       some_o,

  input  logic [NumVl-1:0]           has_room_i,
  output logic                       valid_o,
  input  logic                       pop_i,
  output logic [VlW-1:0]             vl_o,
  output logic                       none_o,
  output logic [23:0]                qpn_o,
  output logic [Width-1:0]           data_o
);

  localparam int unsigned All = NumVl * Acks;

  logic [All-1:0]         valid_q, nak_q, none_q;
  logic [All-1:0][23:0]   qpn_q;
  logic [24+Width-1:0]    stat [All];
  logic [NumVl-1:0]       go;
  logic [VlW-1:0]         last_q;
  logic [AckW-1:0]        head, old, at, hit, hit_q, next_q;
  logic [VlW-1:0]         vl_d;
  logic                   any, any_q, nak, gone_q;
  logic [1:0][Acks-1:0]   of;
  logic [1:0][AckW-1:0]   at_d;
  logic [1:0]             nak_d;
  logic [Acks-1:0]        fit_d, fit_q, fit, naks;

  // ------------------------------------------------------------------------------------------------ looking
  always_comb begin
    fit_d = '0;
    for (int unsigned v = 0; v < NumVl; v++) begin
      for (int unsigned i = 0; i < Acks; i++) if (look_vl_i == VlW'(v) && valid_q[v * Acks + i] &&
          qpn_q[v * Acks + i] == look_qpn_i) fit_d[i] = 1'b1;
    end
  end
  always_ff @(posedge clk_i) if (look_i) fit_q <= fit_d;
  always_comb begin
    old  = rd_o[vl_i][AckW-1:0];
    naks = '0;
    fit  = '0;
    for (int unsigned v = 0; v < NumVl; v++) begin
      if (vl_i == VlW'(v)) begin
        naks = nak_q[v * Acks +: Acks];
        fit  = fit_q & valid_q[v * Acks +: Acks];
      end
    end
    // The newest entry of the QP counts: the highest of those below the oldest, else of those above it.
    for (int unsigned i = 0; i < Acks; i++) begin
      of[0][i] = fit[i] && AckW'(i) > old;
      of[1][i] = fit[i] && AckW'(i) < old;
    end
    {at_d, nak_d} = '0;
    for (int unsigned s = 0; s < 2; s++) begin
      for (int unsigned i = 0; i < Acks; i++) begin
        if (of[s][i] && (of[s] >> i) == Acks'(1)) begin
          at_d[s]  = at_d[s] | AckW'(i);
          nak_d[s] = nak_d[s] | naks[i];
        end
      end
    end
    any = of != '0;
    hit = (of[1] != '0) ? at_d[1] : at_d[0];
    nak = (of[1] != '0) ? nak_d[1] : nak_d[0];
  end
  always_ff @(posedge clk_i) begin
    hit_q    <= hit;
    any_q    <= any && !nak;
    next_q   <= old + AckW'(1);
    gone_q   <= pop_i && vl_o == vl_i;
    full_o <= (wr_o[vl_i] ^ rd_o[vl_i]) == {1'b1, AckW'(0)};
  end
  // It was not the oldest; it is now if it was the second one and the oldest went meanwhile.
  assign merge_o = any_q && !(hit_q == next_q && gone_q);

  // ------------------------------------------------------------------------------------------------ the queues
  assign at = put_merge_i ? hit_q : wr_o[vl_i][AckW-1:0];
  always_comb begin
    some_o = 1'b0;
    for (int unsigned v = 0; v < NumVl; v++) begin
      if (wr_o[v] != rd_o[v]) some_o = 1'b1;
      go[v] = wr_o[v] != rd_o[v] && (has_room_i[v] || none_q[v * Acks + 32'(rd_o[v][AckW-1:0])]);
    end
    vl_d = '0;
    if (NumVl > 1) begin
      for (int unsigned v = NumVl; v > 0; v--) if (go[v-1]) vl_d = VlW'(v - 1);
      for (int unsigned v = NumVl; v > 0; v--) if (go[v-1] && VlW'(v - 1) > last_q) vl_d = VlW'(v - 1);
    end
  end
  // As it stood in the cycle before; in the cycle after pop_i it is not asked.
  always_ff @(posedge clk_i) begin
    valid_o <= go != '0 && !rst_i;
    vl_o    <= vl_d;
    head    <= rd_o[vl_d][AckW-1:0];
  end
  assign none_o          = none_q[32'(vl_o) * Acks + 32'(head)];
  assign {qpn_o, data_o} = stat[32'(vl_o) * Acks + 32'(head)];
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      wr_o    <= '0;
      rd_o    <= '0;
      valid_q <= '0;
      last_q  <= '0;
    end else begin
      for (int unsigned v = 0; v < NumVl; v++) begin
        if (put_i && !put_merge_i && vl_i == VlW'(v)) wr_o[v] <= wr_o[v] + (AckW+1)'(1);
        if (pop_i && vl_o == VlW'(v)) rd_o[v] <= rd_o[v] + (AckW+1)'(1);
      end
      for (int unsigned i = 0; i < All; i++) begin
        if (put_i && 32'(vl_i) * Acks + 32'(at) == i) valid_q[i] <= 1'b1;
        if (pop_i && 32'(vl_o) * Acks + 32'(head) == i) valid_q[i] <= 1'b0;
      end
      if (pop_i) last_q <= vl_o;
    end
    // The free entry has the number of each job that could come to it: nothing looks at it before it is valid. An entry
    // that is replaced is of the same QP, and no NAK.
    `WHEN(act_i) for (int unsigned v = 0; v < NumVl; v++) begin
      for (int unsigned i = 0; i < Acks; i++) begin
        if (act_i && !full_o && vl_i == VlW'(v) && wr_o[v][AckW-1:0] == AckW'(i)) begin
          qpn_q[v * Acks + i] <= put_qpn_i;
          nak_q[v * Acks + i] <= put_nak_i;
        end
      end
    end
    if (put_i) begin
      for (int unsigned i = 0; i < All; i++) begin
        if (32'(vl_i) * Acks + 32'(at) == i) none_q[i] <= put_none_i;
      end
      stat[32'(vl_i) * Acks + 32'(at)] <= {put_qpn_i, put_data_i};
    end
  end

  `ASSERT(PutAct_A, !put_i || act_i)
  `ASSERT(Replaced_A, !put_i || !put_merge_i || (qpn_q[32'(vl_i) * Acks + 32'(at)] == put_qpn_i && !put_nak_i))
  `ASSERT(PutRoom_A, !put_i || (put_merge_i ? merge_o : !full_o))
  `ASSERT(PopSome_A, !pop_i || (valid_o && rd_o[vl_o] != wr_o[vl_o] && head == rd_o[vl_o][AckW-1:0]))
  `ASSERT(Oldest_A, !put_i || !put_merge_i || hit_q != old)

endmodule

`default_nettype wire
