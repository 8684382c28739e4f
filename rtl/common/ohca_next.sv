// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Round-robin choice by number: of those that are valid, the next one above the last, or from 0 on.
//
// Combinational, no latency; with 64 of them 8 LUTs in a row. The lowest of those above the last one, and of all, are
// found beside each other, in groups of eight. It does NOT keep which was the last. next_o is 0 when any_o is 0.

// prove: N=2 bmc=2 ind=1
// prove: N=8 bmc=2 ind=1
// prove: N=16 bmc=2 ind=1

`default_nettype none

module ohca_next #(
  parameter int unsigned N     = 16,         // power of two, at least 2
  localparam int unsigned SelW = $clog2(N)
) (
  input  logic [N-1:0]    valid_i,
  input  logic [SelW-1:0] last_i,
  output logic            any_o,
  output logic [SelW-1:0] next_o
);

  localparam int unsigned Group  = (N < 8) ? N : 8;
  localparam int unsigned Groups = N / Group;
  if (N < 2 || (1 << SelW) != N) begin : g_bad
    $error("ohca_next: N must be a power of two, at least 2");
  end

  logic [1:0][N-1:0]      of;                // all, those above the last one
  logic [1:0]             any;
  logic [1:0][SelW-1:0]   low;               // the lowest
  logic [Groups-1:0]      some, first;
  logic [Group-1:0]       g, one;
  always_comb begin
    for (int unsigned i = 0; i < N; i++) begin
      of[0][i] = valid_i[i];
      of[1][i] = valid_i[i] && SelW'(i) > last_i;
    end
    {some, first, g, one} = '0;
    for (int unsigned s = 0; s < 2; s++) begin
      for (int unsigned k = 0; k < Groups; k++) some[k] = of[s][Group*k +: Group] != '0;
      any[s] = some != '0;
      low[s] = '0;
      for (int unsigned k = 0; k < Groups; k++) begin
        first[k] = some[k] && (some & ((Groups'(1) << k) - Groups'(1))) == '0;
        g        = of[s][Group*k +: Group];
        for (int unsigned i = 0; i < Group; i++) begin
          one[i] = g[i] && (g & ((Group'(1) << i) - Group'(1))) == '0;
          low[s] = low[s] | ((first[k] && one[i]) ? SelW'(Group * k + i) : '0);
        end
      end
    end
  end
  assign any_o  = any[0];
  assign next_o = any[1] ? low[1] : low[0];

`ifdef FORMAL
  // It is valid, and none that is comes before it.
  (* anyconst *) logic [SelW-1:0] who;
  logic [SelW-1:0] far, near_;
  assign far   = who - last_i - SelW'(1);
  assign near_ = next_o - last_i - SelW'(1);
  always_comb Any_A: assert (any_o == (valid_i != '0));
  always_comb Valid_A: assert (!any_o || valid_i[next_o]);
  always_comb First_A: assert (!valid_i[who] || near_ <= far);
`endif

endmodule

`default_nettype wire
