// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Directory of the context memory: turns device-virtual addresses into bus addresses of the chunks that the host has
// given. A grant, a flop, comes in the cycle after the question, the answer two cycles later, one per cycle; grants
// nothing for the first Chunks cycles after reset (the table is cleared).

`include "ohca_assert.svh"
`default_nettype none

module ohca_icm #(
  parameter int unsigned NumClients = 6,
  parameter int unsigned Chunks     = 2048    // power of two
) (
  input  logic                          clk_i,
  input  logic                          rst_i,
  output logic                          idle_o,
  output logic                          init_o,        // clearing: wr_en_i is not allowed yet

  input  logic [NumClients-1:0]         req_valid_i,
  output logic [NumClients-1:0]         req_ready_o,
  input  logic [NumClients-1:0][39:0]   req_addr_i,
  output logic [NumClients-1:0]         rsp_valid_o,
  output logic                          rsp_ok_o,
  output logic [63:0]                   rsp_addr_o,

  input  logic                          wr_en_i,
  input  logic [15:0]                   wr_chunk_i,    // numbers from Chunks on are ignored
  input  logic                          wr_valid_i,    // 0: the chunk is taken away
  input  logic [63:18]                  wr_addr_i
);

  localparam int unsigned Shift  = ohca_fmt_pkg::ICM_CHUNK_SHIFT;
  localparam int unsigned ChunkW = $clog2(Chunks);
  localparam int unsigned SelW   = (NumClients > 1) ? $clog2(NumClients) : 1;

  if ((1 << ChunkW) != Chunks || ChunkW > 16) begin : g_bad_chunks
    $error("ohca_icm: Chunks must be a power of two, at most 65536");
  end

  logic              init_q;
  logic [ChunkW-1:0] init_addr_q;
  logic              arb_valid, s1_valid_q, s1_in_q, in_range;
  logic [SelW-1:0]   sel, s1_sel_q;
  logic [39:0]       addr;
  logic [Shift-1:0]  s1_off_q;
  logic              e_valid;
  logic [63:Shift]   e_addr;

  ohca_arb_early #(.N(NumClients), .Width(40)) u_arb (
    .clk_i, .rst_i, .valid_i(req_valid_i), .ready_o(req_ready_o), .data_i(req_addr_i), .room_i(!init_q),
    .valid_o(arb_valid), .data_o(addr), .sel_o(sel)
  );
  assign in_range = 32'(addr[39:Shift]) < Chunks;

  logic wr_in_range, wr_en;
  assign wr_in_range = 32'(wr_chunk_i) < Chunks;
  assign wr_en       = init_q || (wr_en_i && wr_in_range);

  ohca_ram_sdp #(.Width(1 + 64 - Shift), .Depth(Chunks)) u_dir (
    .clk_i,
    .wr_en_i(wr_en), .wr_be_i(1'b1), .wr_addr_i(init_q ? init_addr_q : wr_chunk_i[ChunkW-1:0]),
    .wr_data_i(init_q ? '0 : {wr_valid_i, wr_addr_i}),
    .rd_en_i(arb_valid), .rd_addr_i(addr[Shift +: ChunkW]), .rd_data_o({e_valid, e_addr})
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      init_q      <= 1'b1;
      init_addr_q <= '0;
      s1_valid_q  <= 1'b0;
      rsp_valid_o <= '0;
    end else begin
      init_addr_q <= init_addr_q + ChunkW'(init_q);
      if (init_addr_q == ChunkW'(Chunks - 1)) init_q <= 1'b0;
      s1_valid_q  <= arb_valid;
      rsp_valid_o <= '0;
      if (s1_valid_q) rsp_valid_o[s1_sel_q] <= 1'b1;
    end
    if (arb_valid) begin
      s1_sel_q <= sel;
      s1_off_q <= addr[Shift-1:0];
      s1_in_q  <= in_range;
    end
    if (s1_valid_q) begin
      rsp_ok_o   <= s1_in_q && e_valid;
      rsp_addr_o <= {e_addr, s1_off_q};
    end
  end
  assign init_o = init_q;
  assign idle_o = !init_q && !(|req_valid_i) && !s1_valid_q && rsp_valid_o == '0;

  `ASSERT(NotWhileClearing_A, !(init_q && wr_en_i))

endmodule

`default_nettype wire
