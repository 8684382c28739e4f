// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// N-way fixed-priority arbiter of valid/ready streams with a payload mux; source 0 comes first.
//
// Combinational from valid_i to valid_o and from ready_i to ready_o, one beat per cycle without bubbles. A choice is
// kept while the sink stalls, and with Lock = 1 until the beat with last_i. It does NOT protect low priorities from
// starving.

// prove: N=3 Width=2 bmc=10 ind=4 cover=8
// prove: N=4 Width=2 Lock=1 bmc=10 ind=4 cover=8

`include "ohca_assert.svh"
`default_nettype none

module ohca_arb_prio #(
  parameter int unsigned N     = 4,
  parameter int unsigned Width = 32,
  parameter bit          Lock  = 1'b0,
  localparam int unsigned SelW = (N > 1) ? $clog2(N) : 1
) (
  input  logic                    clk_i,
  input  logic                    rst_i,

  input  logic [N-1:0]            valid_i,
  output logic [N-1:0]            ready_o,
  input  logic [N-1:0][Width-1:0] data_i,
  input  logic [N-1:0]            last_i,

  output logic                    valid_o,
  input  logic                    ready_i,
  output logic [Width-1:0]        data_o,
  output logic                    last_o,
  output logic [SelW-1:0]         sel_o,
  output logic [N-1:0]            gnt_o
);

  logic            held_q, held_d;
  logic [SelW-1:0] sel_q, pick;

  always_comb begin
    pick = '0;
    for (int unsigned i = N; i > 0; i--) begin
      if (valid_i[i-1]) pick = SelW'(i - 1);
    end
  end

  assign sel_o   = held_q ? sel_q : pick;
  assign valid_o = valid_i[sel_o];
  assign data_o  = data_i[sel_o];
  assign last_o  = last_i[sel_o];

  always_comb begin
    gnt_o = '0;
    gnt_o[sel_o] = valid_o;
  end
  assign ready_o = ready_i ? gnt_o : '0;

  assign held_d = valid_o ? (!ready_i || (Lock && !last_o)) : held_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      held_q <= 1'b0;
      sel_q  <= '0;
    end else begin
      held_q <= held_d;
      if (valid_o) sel_q <= sel_o;
    end
  end

  `ASSERT(OneGrant_A, (gnt_o & (gnt_o - N'(1))) == '0)
  `ASSERT(GrantIsValid_A, (gnt_o & ~valid_i) == '0)
  `ASSERT(WorkConserving_A, held_q || !(|valid_i) || valid_o)

`ifdef FORMAL
  `FORMAL_START
  logic [N-1:0]          stalled_q, changed;
  logic [N-1:0][Width:0] was_q;
  always_ff @(posedge clk_i) begin
    stalled_q <= rst_i ? '0 : valid_i & ~ready_o;
    for (int unsigned i = 0; i < N; i++) was_q[i] <= {data_i[i], last_i[i]};
  end
  always_comb begin
    for (int unsigned i = 0; i < N; i++) changed[i] = !valid_i[i] || was_q[i] != {data_i[i], last_i[i]};
  end
  `ASSUME(SrcStable_M, (stalled_q & changed) == '0)
  `ASSERT(SinkStable_A, `STABLE(valid_o, ready_i, {data_o, last_o, sel_o}))
  (* anyconst *) logic [SelW-1:0] who;
  `ASSUME(WhoExists_M, 32'(who) < N)
  `ASSERT(Payload_A, !ready_o[who] || (valid_i[who] && data_o == data_i[who] && sel_o == who))
  // A fresh choice never passes over a source of higher priority.
  `ASSERT(Priority_A, held_q || !valid_i[who] || sel_o <= who)
  `COVER(LowServed_C, ready_o[N-1])
`endif

endmodule

`default_nettype wire
