// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// VL arbitration: VL15 first, then the tables of high and of low priority with their weights and the limit of high
// priority.
//
// What may go in a cycle decides pick_o of the next; one packet in two cycles. pick_o is a register. It is a proposal:
// whoever takes looks whether that one may go now, takes in no two cycles in a row (what is shown after a take knows
// nothing of it), and gives back nothing. It does NOT know packets, credits, or rates: a VL that waits for them is not
// in may_i, and the tables pass over it.
//
// Of a table one entry is current: its VL goes on until its weight is used up, in blocks of 64 bytes; the last packet
// may overdraw it, and the debt is forgiven. Then, or when its VL cannot go, the next entry that can begins with its
// full weight. Entries of weight 0, of VL15, or of a VL that is not there are passed over. When the limit of high
// priority (4096 bytes each; 0: one packet; 255: none) is reached, a packet of low priority goes before the next of
// high, if there is one. A VL that is in neither table goes when nothing else can: a wrong table delays, but never
// wedges. Tables may change at any time: what was chosen by the old ones may still go.
// lint: NumVl=1
// lint: NumVl=8

`include "ohca_assert.svh"
`default_nettype none

module ohca_link_tx_arb #(
  parameter int unsigned NumVl = 4,
  localparam int unsigned Arb  = ohca_fmt_pkg::PORT_ARB_ENTRIES,
  localparam int unsigned QW   = $clog2(NumVl + 2),
  localparam int unsigned VlW  = (NumVl > 1) ? $clog2(NumVl) : 1
) (
  input  logic                  clk_i,
  input  logic                  rst_i,

  input  logic [7:0]            limit_i,        // PortInfo.VLHighLimit
  input  logic [Arb*12-1:0]     low_i,          // entry n: {vl, weight} at 12 n
  input  logic [Arb*12-1:0]     high_i,

  input  logic [NumVl-1:0]      may_i,          // VLs whose first packet may go
  input  logic                  may15_i,
  input  logic [NumVl-1:0][7:0] need_i,         // blocks of that packet, from a cycle before may_i until it is taken

  output logic [QW-1:0]         pick_o,         // by may_i of a cycle ago: VL, NumVl + 1 for VL15; 0 if none
  input  logic                  take_i          // its packet goes
);

  // ------------------------------------------------------------------ each table: 0 low, 1 high
  logic [1:0]            any, take;
  logic [1:0][NumVl-1:0] vl, in_table;           // a bit for each VL
  logic [7:0]            blocks;
  for (genvar t = 0; t < 2; t++) begin : g_table
    logic [Arb*12-1:0]    entries;
    logic [Arb*NumVl-1:0] ent_q;                 // the VLs that an entry serves
    logic [Arb-1:0]       hit, above, above_q, first;            // above_q: entries behind the current one
    logic [NumVl-1:0]     vl_cur, vl_all, vl_above;
    logic [3:0]           idx_q, pos, pos_q;
    logic [7:0]           rem_q, weight;
    logic                 stay, stay_q;
    assign entries = (t == 0) ? low_i : high_i;
    always_ff @(posedge clk_i) begin
      for (int unsigned i = 0; i < Arb; i++)
        for (int unsigned v = 0; v < NumVl; v++)
          ent_q[NumVl*i + v] <= entries[12*i+8 +: 4] == 4'(v) && entries[12*i +: 8] != 8'd0;
    end

    always_comb begin
      in_table[t] = '0;
      for (int unsigned i = 0; i < Arb; i++) begin
        hit[i]      = (ent_q[NumVl*i +: NumVl] & may_i) != '0;
        above[i]    = hit[i] && above_q[i];
        in_table[t] = in_table[t] | ent_q[NumVl*i +: NumVl];
      end
      vl_cur = ent_q[NumVl*32'(idx_q) +: NumVl] & may_i;
    end
    // The current entry goes on while it has weight; else the next one that can, from the first again behind the last.
    // The VLs of both scans are found side by side, so that the register behind this has the VL, not the entry.
    assign stay = vl_cur != '0 && rem_q != 8'd0;
    always_comb begin
      first    = (above != '0) ? above : hit;
      pos      = '0;
      vl_all   = '0;
      vl_above = '0;
      for (int unsigned i = Arb; i > 0; i--) begin
        if (first[i-1]) pos = 4'(i - 1);
        if (hit[i-1])   vl_all = ent_q[NumVl*(i-1) +: NumVl];
        if (above[i-1]) vl_above = ent_q[NumVl*(i-1) +: NumVl];
      end
      if (stay) pos = idx_q;
    end
    assign any[t] = hit != '0;
    assign vl[t]  = stay ? vl_cur : (above != '0) ? vl_above : vl_all;

    assign weight = stay_q ? rem_q : entries[12*32'(pos_q) +: 8];
    always_ff @(posedge clk_i) begin
      stay_q <= stay;
      pos_q  <= pos;
      if (rst_i) begin
        idx_q   <= '0;
        above_q <= {{(Arb-1){1'b1}}, 1'b0};
        rem_q   <= '0;
      end else if (take[t]) begin
        idx_q <= pos_q;
        for (int unsigned i = 0; i < Arb; i++) above_q[i] <= 4'(i) > pos_q;
        rem_q <= (weight > blocks) ? weight - blocks : 8'd0;
      end
    end
  end

  // ------------------------------------------------------------------ between them
  logic [14:0]      high_cnt_q;                  // blocks of high priority since the last low one
  logic             limit_hit, low;
  logic [1:0]       ch_q;                        // which table it is of
  logic [NumVl-1:0] other, pick;
  logic [QW-1:0]    pick_d;
  logic [NumVl-1:0][7:0] need_q;
  // A limit of 0 lets one packet go.
  assign limit_hit = limit_i != 8'd255 && ((limit_i == 8'd0) ? high_cnt_q != '0 : high_cnt_q >= {1'b0, limit_i, 6'd0});
  assign low       = any[0] && (!any[1] || limit_hit);
  // Where nothing can go pick is 0: what comes to VL 0 in this very cycle goes at once then, and no table counts it, as
  // it is put before nobody.
  assign other     = may_i & ~in_table[0] & ~in_table[1];
  assign pick      = low ? vl[0] : any[1] ? vl[1] : other;
  always_comb begin
    pick_d = '0;
    for (int unsigned v = NumVl; v > 0; v--) if (pick[v-1]) pick_d = QW'(v - 1);
    if (may15_i) pick_d = QW'(NumVl + 1);
  end
  assign blocks = need_q[pick_o[VlW-1:0]];
  assign take   = take_i ? ch_q : 2'b00;
  always_ff @(posedge clk_i) begin
    pick_o <= pick_d;
    ch_q   <= {!may15_i && any[1] && !low, !may15_i && low};
    for (int unsigned v = 0; v < NumVl; v++) need_q[v] <= need_i[v];
    if (rst_i || take[0]) high_cnt_q <= '0;
    else if (take[1] && !high_cnt_q[14]) high_cnt_q <= high_cnt_q + 15'(blocks);
  end

  logic took_q;
  always_ff @(posedge clk_i) took_q <= take_i && !rst_i;
  `ASSERT(OneInTwo_A, !(take_i && took_q))
  `ASSERT(OneTable_A, ch_q != 2'b11)

endmodule

`default_nettype wire
