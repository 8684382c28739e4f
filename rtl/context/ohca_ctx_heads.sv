// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// What ohca_ctx_small knows of the lines it holds: of each set the tag, valid and dirty, and where its line lies in
// host memory. One memory for both, which is why an address goes in and out in two halves: the tag is needed at each
// lookup, the address at a fill and a write-back only. A cache that is only read keeps no address.
//
//   find_i: tag_o in the next cycle, until the next find or get
//   put_i:  addr_o in the next cycle; in that cycle, too, the memory is written
//   get_i:  addr_o three cycles later
//
// One of these, or a write of a tag, at a time: it does NOT look whether another is under way.
// lint: TagW=18
// lint: TagW=18 ReadOnly=1

`include "ohca_assert.svh"
`default_nettype none

module ohca_ctx_heads #(
  parameter int unsigned Sets     = 64,     // power of two
  parameter int unsigned TagW     = 18,
  parameter int unsigned AdrW     = 57,
  parameter bit          ReadOnly = 1'b0,
  localparam int unsigned SetW    = $clog2(Sets)
) (
  input  logic            clk_i,
  input  logic            rst_i,

  input  logic            find_i,
  input  logic [SetW-1:0] find_set_i,
  output logic [TagW+1:0] tag_o,         // {valid, dirty, tag}

  input  logic [SetW-1:0] set_i,         // of what follows; also in the cycles after it
  input  logic            tag_we_i,
  input  logic [TagW+1:0] tag_i,
  input  logic            put_i,
  input  logic [AdrW-1:0] addr_i,
  input  logic            get_i,         // not with ReadOnly
  output logic [AdrW-1:0] addr_o
);

  if (ReadOnly) begin : g_tags
    ohca_ram_sdp #(.Width(2 + TagW), .Depth(Sets), .OldData(1'b0)) u_tags (
      .clk_i(clk_i), .wr_en_i(tag_we_i), .wr_be_i(1'b1), .wr_addr_i(set_i), .wr_data_i(tag_i),
      .rd_en_i(find_i), .rd_addr_i(find_set_i), .rd_data_o(tag_o)
    );
    always_ff @(posedge clk_i) if (put_i) addr_o <= addr_i;
    logic unused;
    assign unused = &{1'b0, rst_i, get_i};
  end else begin : g_both
    localparam int unsigned HalfW = (AdrW + 1) / 2;
    localparam int unsigned Width = (2 + TagW > HalfW) ? 2 + TagW : HalfW;
    logic             put_q;
    logic [1:0]       get_q;
    logic [Width-1:0] wd, rd;
    logic [1:0]       wsel, rsel;        // of a set: 0 the tag, 2 and 3 the address
    assign wsel  = {put_i || put_q, put_q};
    assign rsel  = {!find_i, get_q[0]};
    assign tag_o = rd[TagW+1:0];
    always_comb begin
      wd = Width'(tag_i);
      if (put_i) wd = Width'(addr_i[HalfW-1:0]);
      if (put_q) wd = Width'(addr_o[AdrW-1:HalfW]);
    end
    ohca_ram_sdp #(.Width(Width), .Depth(4 * Sets), .OldData(1'b0)) u_heads (
      .clk_i(clk_i), .wr_en_i(tag_we_i || put_i || put_q), .wr_be_i(1'b1), .wr_addr_i({set_i, wsel}), .wr_data_i(wd),
      .rd_en_i(find_i || get_i || get_q[0]), .rd_addr_i({find_i ? find_set_i : set_i, rsel}), .rd_data_o(rd)
    );
    always_ff @(posedge clk_i) begin
      put_q <= put_i && !rst_i;
      get_q <= {get_q[0], get_i} & {2{!rst_i}};
      if (put_i)    addr_o <= addr_i;
      if (get_q[0]) addr_o[HalfW-1:0] <= rd[HalfW-1:0];
      if (get_q[1]) addr_o[AdrW-1:HalfW] <= rd[AdrW-HalfW-1:0];
    end
    `ASSERT(OneAtATime_A, 3'(find_i) + 3'(tag_we_i) + 3'(put_i) + 3'(put_q) + 3'(get_i) + 3'(get_q[0]) +
        3'(get_q[1]) <= 3'd1)
  end

endmodule

`default_nettype wire
