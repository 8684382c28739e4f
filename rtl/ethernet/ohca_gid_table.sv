// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// The GID table of an Ethernet port: what the destination of a frame is compared with, and the source of a packet.
//
// Lanes entries are seen at once: all of them in flops, or Lanes of them in LUT RAM, those from Lanes * step_i on. A
// write acts in the next cycle. Whoever reads sees the type 0 where nothing was written since the reset; there the rest
// of an entry means nothing. It does NOT compare (ohca_gid_match does).

`default_nettype none

module ohca_gid_table #(
  parameter int unsigned Lanes  = 2,       // power of two, from 2 to Gids
  localparam int unsigned Gids  = ohca_fmt_pkg::PORT_GIDS,
  localparam int unsigned GidW  = ohca_fmt_pkg::GID_ENT_BITS,
  localparam int unsigned Steps = Gids / Lanes,
  localparam int unsigned StepW = (Steps > 1) ? $clog2(Steps) : 1
) (
  input  logic                   clk_i,
  input  logic                   rst_i,

  input  logic [Gids-1:0]        put_i,      // which entry is written, a bit each
  input  ohca_fmt_pkg::gid_ent_t put_ent_i,

  input  logic [7:0]             at_i,
  output ohca_fmt_pkg::gid_ent_t ent_o,      // combinational; type 0 beyond the table
  input  logic [StepW-1:0]       step_i,
  output logic [Lanes*GidW-1:0]  ents_o      // combinational; entry Lanes * step_i + n at GidW * n
);

  if (Lanes == Gids) begin : g_all
    logic [Gids*GidW-1:0] tab_q;
    always_ff @(posedge clk_i) begin
      if (rst_i) tab_q <= '0;
      else for (int unsigned i = 0; i < Gids; i++) if (put_i[i]) tab_q[GidW*i +: GidW] <= put_ent_i;
    end
    assign ents_o = tab_q;
    always_comb begin
      ent_o = '0;
      for (int unsigned i = 0; i < Gids; i++) if (at_i == 8'(i)) ent_o = ent_o | tab_q[GidW*i +: GidW];
    end
    logic unused;
    assign unused = &{1'b0, step_i};
  end else begin : g_lanes
    localparam int unsigned IdxW = $clog2(Gids);
    localparam int unsigned LowW = $clog2(Lanes);
    logic [Gids-1:0]        v_q;
    logic [IdxW-1:0]        put_idx;
    logic [GidW-1:0]        all [Gids];
    ohca_fmt_pkg::gid_ent_t ent;
    always_comb begin
      put_idx = '0;
      for (int unsigned i = 0; i < Gids; i++) if (put_i[i]) put_idx = put_idx | IdxW'(i);
      ent_o = ent;
      if (!v_q[at_i[IdxW-1:0]] || at_i >= 8'(Gids)) ent_o.gtype = ohca_fmt_pkg::GID_TYPE_NONE;
    end
    assign ent = all[at_i[IdxW-1:0]];
    always_ff @(posedge clk_i) begin
      if (rst_i) v_q <= '0;
      else       v_q <= v_q | put_i;
      if (put_i != '0) all[put_idx] <= put_ent_i;
    end
    for (genvar l = 0; l < Lanes; l++) begin : g_lane
      logic [GidW-1:0]        mem [Steps];
      logic                   put;          // the entry that is written is of this lane
      logic [Steps-1:0]       v;
      ohca_fmt_pkg::gid_ent_t e, e_o;
      assign put = put_i != '0 && put_idx[LowW-1:0] == LowW'(l);
      assign e   = mem[step_i];
      always_comb begin
        for (int unsigned s = 0; s < Steps; s++) v[s] = v_q[s * Lanes + l];
        e_o = e;
        if (!v[step_i]) e_o.gtype = ohca_fmt_pkg::GID_TYPE_NONE;
      end
      assign ents_o[l * GidW +: GidW] = e_o;
      always_ff @(posedge clk_i) begin
        if (put) mem[put_idx[IdxW-1:LowW]] <= put_ent_i;
      end
    end
  end

endmodule

`default_nettype wire
