// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Which entry of an InfiniBand port's GID table a GRH is addressed to: the port's subnet prefix, or the link-local one,
// which every port has besides, and a GUID of the table. Both halves of the address may be given at once or one after
// the other; idx_o is there from the cycle after the second on, until another is given.
//
// All entries are compared at once, so an address that is not there costs no more than one that is. It does NOT know
// multicast GIDs: 255.

`default_nettype none

module ohca_link_gid #(
  localparam int unsigned Gids = ohca_fmt_pkg::PORT_GIDS
) (
  input  logic               clk_i,
  input  logic [63:0]        prefix_i,      // of the port
  input  logic [Gids*64-1:0] guids_i,       // entry n at 64 n; 0: none

  input  logic               prefix_en_i,
  input  logic               guid_en_i,
  input  logic [63:0]        dprefix_i,     // first wire byte in [63:56]
  input  logic [63:0]        dguid_i,
  output logic [7:0]         idx_o          // 255: no entry
);

  localparam logic [63:0] LinkLocal = 64'hfe80_0000_0000_0000;

  logic            prefix_q;
  logic [Gids-1:0] guid_q;
  always_ff @(posedge clk_i) begin
    if (prefix_en_i) prefix_q <= dprefix_i == prefix_i || dprefix_i == LinkLocal;
    if (guid_en_i) begin
      for (int unsigned i = 0; i < Gids; i++) guid_q[i] <= guids_i[64*i +: 64] == dguid_i && dguid_i != '0;
    end
  end
  always_comb begin
    idx_o = 8'hff;
    for (int unsigned i = Gids; i > 0; i--) if (prefix_q && guid_q[i-1]) idx_o = 8'(i - 1);
  end

endmodule

`default_nettype wire
