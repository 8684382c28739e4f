// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Whether the destination of a frame is in the GID table: an entry of that type and address (any address for a group),
// of these one of the frame's VLAN, and of these one of its MAC address. The entry found is the first one.
//
// Lanes entries are compared a cycle. With all of them the answer is combinational; else frames wait in a queue, and an
// answer comes three cycles after its frame is first there and Lanes entries are looked at, one more for each Lanes
// behind these up to the entry that is found (16 entries, two lanes, none found: 10 cycles), a frame in as many cycles
// less two. Frames that need no look take one. Answers are in order. There is no ready: who asks no more than Depth
// frames ahead of the answers has a place. It does NOT say which of a frame's faults counts, or hold the table.

// prove: Gids=8 Lanes=2 InfoW=1 Depth=4 bits=16 cover=12
// prove: Gids=4 Lanes=4 InfoW=1 Depth=4 bmc=3 cover=8

`include "ohca_assert.svh"
`include "ohca_lazy.svh"
`default_nettype none

module ohca_gid_match #(
  parameter int unsigned Gids   = ohca_fmt_pkg::PORT_GIDS,
  parameter int unsigned Lanes  = 2,       // power of two, from 2 to Gids
  parameter int unsigned InfoW  = 8,
  parameter int unsigned Depth  = 32,      // frames that wait, power of two
  localparam int unsigned GidW  = ohca_fmt_pkg::GID_ENT_BITS,
  localparam int unsigned Steps = Gids / Lanes,
  localparam int unsigned StepW = (Steps > 1) ? $clog2(Steps) : 1
) (
  input  logic                  clk_i,
  input  logic                  rst_i,
  output logic                  idle_o,

  output logic [StepW-1:0]      step_o,        // of ohca_gid_table
  input  logic [Lanes*GidW-1:0] ents_i,

  input  logic                  valid_i,
  input  logic                  need_i,        // look: else the answer is that there is none
  input  logic                  mc_i,          // a group's address
  input  logic                  mc_mac_i,      //   of which this is the MAC address
  input  logic                  v6_i,
  input  logic [11:0]           vid_i,         // 0: no VLAN
  input  logic [47:0]           dmac_i,
  input  logic [127:0]          dgid_i,
  input  logic [InfoW-1:0]      info_i,        // comes back with the answer

  output logic                  valid_o,
  output logic                  need_o,
  output logic                  gid_o,         // there is one of this address,
  output logic                  vid_o,         //   and VLAN,
  output logic                  mac_o,         //   and MAC address:
  output logic [7:0]            idx_o,         //   which, else 0
  output logic [InfoW-1:0]      info_o
);

  // Of each lane's entry: is it one of this address, VLAN (whatever its address), MAC address (the same).
  logic [Lanes*GidW-1:0] ents;
  logic [Lanes-1:0]      is_gid, is_vid, is_mac;
  logic                  look, mc, mc_mac, v6;
  logic [11:0]           vid;
  logic [47:0]           dmac;
  logic [127:0]          dgid;
  always_comb begin
    is_gid = '0;
    is_vid = '0;
    is_mac = '0;
    `WHEN(look) for (int unsigned i = 0; i < Lanes; i++) begin
      is_gid[i] = (mc || ents[GidW*i +: 128] == dgid) && ents[GidW*i+189 +: 3] ==
                  (v6 ? ohca_fmt_pkg::GID_TYPE_ROCE_V2_IPV6 : ohca_fmt_pkg::GID_TYPE_ROCE_V2_IPV4);
      is_vid[i] = ents[GidW*i+188] ? vid == ents[GidW*i+176 +: 12] : vid == 12'd0;
      is_mac[i] = mc ? mc_mac : ents[GidW*i+128 +: 48] == dmac;
    end
  end

  if (Lanes == Gids) begin : g_all
    logic [Gids-1:0] all;
    assign {look, mc, mc_mac, v6, vid, dmac, dgid} = {valid_i, mc_i, mc_mac_i, v6_i, vid_i, dmac_i, dgid_i};
    assign ents   = ents_i;
    assign all    = need_i ? is_gid & is_vid & is_mac : '0;
    assign gid_o  = need_i && is_gid != '0;
    assign vid_o  = need_i && (is_gid & is_vid) != '0;
    assign mac_o  = all != '0;
    always_comb begin
      idx_o = '0;
      for (int unsigned i = Gids; i > 0; i--) if (all[i-1]) idx_o = 8'(i - 1);
    end
    assign {valid_o, need_o, info_o, step_o, idle_o} = {valid_i, need_i, info_i, StepW'(0), !valid_i};
    logic unused;
    assign unused = &{1'b0, clk_i, rst_i, look};
  end else begin : g_steps
    localparam int unsigned AskW = InfoW + 1 + 3 + 12 + 48 + 128;
    localparam int unsigned LowW = $clog2(Lanes);

    // ------------------------------------------------------------------ which entries
    logic             q_ready, q_valid, q_pop, q_last, q_need, stop;
    logic [AskW-1:0]  q_ask, ask_q;
    logic [StepW-1:0] step_q;
    ohca_fifo #(.Width(AskW), .Depth(Depth), .UseRam(1'b0)) u_asked (
      .clk_i(clk_i), .rst_i(rst_i), .valid_i(valid_i), .ready_o(q_ready),
      .data_i({info_i, need_i, mc_i, mc_mac_i, v6_i, vid_i, dmac_i, dgid_i}),
      .valid_o(q_valid), .ready_i(q_pop), .data_o(q_ask), .count_o(), .almost_full_o()
    );
    assign q_need = q_ask[191];
    assign q_last = !q_need || step_q == StepW'(Steps - 1);
    assign q_pop  = q_last || stop;
    assign step_o = step_q;

    // ------------------------------------------------------------------ they are compared
    logic                  b_valid_q, b_first_q, b_last_q, need;
    logic [StepW-1:0]      b_step_q;
    logic [Lanes*GidW-1:0] ents_q;
    logic [InfoW-1:0]      info;
    assign ents = ents_q;
    assign look = b_valid_q;
    assign {info, need, mc, mc_mac, v6, vid, dmac, dgid} = ask_q;

    // ------------------------------------------------------------------ what was found
    logic             c_valid_q, c_first_q, c_last_q, c_need_q, gid_q, vid_q, mac_q, hit;
    logic [Lanes-1:0] c_gid_q, c_vid_q, c_mac_q, c_all;
    logic [StepW-1:0] c_step_q;
    logic [InfoW-1:0] c_info_q;
    logic [7:0]       idx_q, idx;
    assign c_all = c_gid_q & c_vid_q & c_mac_q;
    assign hit   = c_all != '0;
    // The first one ends the search, but where the last entries are compared already: then the frame behind is next.
    assign stop    = c_valid_q && hit && !c_last_q && !b_last_q;
    assign valid_o = c_valid_q && (c_last_q || stop);
    assign need_o  = c_need_q;
    assign gid_o   = c_gid_q != '0 || (!c_first_q && gid_q);
    assign vid_o   = (c_gid_q & c_vid_q) != '0 || (!c_first_q && vid_q);
    assign mac_o   = hit || (!c_first_q && mac_q);
    always_comb begin
      idx = '0;
      for (int unsigned i = Lanes; i > 0; i--) if (c_all[i-1]) idx = 8'({c_step_q, LowW'(i - 1)});
    end
    assign idx_o   = (!c_first_q && mac_q) ? idx_q : idx;
    assign info_o  = c_info_q;
    assign idle_o  = !valid_i && !q_valid && !b_valid_q && !c_valid_q;

    always_ff @(posedge clk_i) begin
      step_q    <= (rst_i || !q_valid || q_pop) ? '0 : step_q + StepW'(1);
      b_valid_q <= q_valid && !stop && !rst_i;
      c_valid_q <= b_valid_q && !stop && !rst_i;
      `WHEN(q_valid) begin
        b_first_q <= step_q == '0;
        b_last_q  <= q_last;
        b_step_q  <= step_q;
        ents_q    <= ents_i;
        if (step_q == '0) ask_q <= q_ask;
      end
      `WHEN(b_valid_q) begin
        c_first_q <= b_first_q;
        c_last_q  <= b_last_q;
        c_step_q  <= b_step_q;
        c_need_q  <= need;
        c_info_q  <= info;
        c_gid_q   <= need ? is_gid : '0;
        c_vid_q   <= is_vid;
        c_mac_q   <= is_mac;
      end
      `WHEN(c_valid_q) {gid_q, vid_q, mac_q, idx_q} <= {gid_o, vid_o, mac_o, idx_o};
    end

`ifdef FORMAL
    `ASSUME(Room_M, !valid_i || q_ready)
`else
    `ASSERT(Room_A, !valid_i || q_ready)
`endif
    // Where a search is ended, what is compared and what is next are of the same frame.
    `ASSERT(Stop_A, !stop || (q_valid && step_q == c_step_q + StepW'(2) && b_valid_q))
  end

`ifdef FORMAL
  `FORMAL_START

  // A table that stays, and what is in it for the frame that was picked. Of what is compared a few bits differ.
  localparam int unsigned Width = InfoW + 1 + 3 + 12 + 48 + 128;
  (* anyconst *) logic [Gids*8-1:0] few;
  logic [Gids*GidW-1:0] tab;
  always_comb begin
    for (int unsigned i = 0; i < Gids; i++)
      tab[GidW*i +: GidW] = {few[8*i +: 4], 11'd0, few[8*i+4], 47'd0, few[8*i+5], 126'd0, few[8*i+6 +: 2]};
  end
  `ASSUME(Few_M, dgid_i[127:2] == '0 && dmac_i[47:1] == '0 && vid_i[11:1] == '0)
  logic [Lanes*GidW-1:0] at_step;
  always_comb begin
    for (int unsigned l = 0; l < Lanes; l++) at_step[GidW*l +: GidW] = tab[GidW * (32'(step_o) * Lanes + l) +: GidW];
  end
  `ASSUME(Table_M, ents_i == at_step)
  `FOLLOW(valid_i, ({info_i, need_i, mc_i, mc_mac_i, v6_i, vid_i, dmac_i, dgid_i}), valid_o)
  logic [Width-1:0] p;
  logic             p_gid, p_vid, p_mac, g, v;
  logic [7:0]       p_idx;
  assign p = (Lanes == Gids) ? {info_i, need_i, mc_i, mc_mac_i, v6_i, vid_i, dmac_i, dgid_i} : picked_q;
  always_comb begin
    {p_gid, p_vid, p_mac, p_idx} = '0;
    for (int unsigned i = 0; i < Gids; i++) begin
      g = p[191] && (p[190] || tab[GidW*i +: 128] == p[127:0]) && tab[GidW*i+189 +: 3] == (p[188] ?
          ohca_fmt_pkg::GID_TYPE_ROCE_V2_IPV6 : ohca_fmt_pkg::GID_TYPE_ROCE_V2_IPV4);
      v = g && p[187:176] == (tab[GidW*i+188] ? tab[GidW*i+176 +: 12] : 12'd0);
      p_gid = p_gid || g;
      p_vid = p_vid || v;
      if (!p_mac && v && (p[190] ? p[189] : tab[GidW*i+128 +: 48] == p[175:128])) begin
        p_mac = 1'b1;
        p_idx = 8'(i);
      end
    end
  end
  `ASSERT(Answer_A, !(valid_o && out_q == pick) || {info_o, need_o} == p[Width-1:191])
  // Where the search ended early the entries behind were not looked at: one that was found says all.
  `ASSERT(Found_A, !(valid_o && out_q == pick) || ({gid_o, vid_o, mac_o} == {p_gid, p_vid, p_mac} &&
                                                   (!mac_o || idx_o == p_idx)))
  `ASSERT(Idle_A, rst_i || !past_valid_q || $past(rst_i) || !idle_o || in_q == out_q)
  `COVER(Second_C, valid_o && out_q == 4'd2 && mac_o && idx_o == 8'd2)
`endif

endmodule

`default_nettype wire
