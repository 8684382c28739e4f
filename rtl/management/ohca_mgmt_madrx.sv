// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Received MADs: four slots of 512 bytes, which are handed out, filled and read in ring order.
//
// A slot is given to ohca_rxdispatch (take), filled by ohca_place (dwords, then done) and free again when firmware
// gives it back (register m_sys_madrx); what finds no slot is dropped by ohca_rxdispatch. It does NOT look into a MAD.
// Outputs are flops and what a memory shows; nothing here waits.

`include "ohca_assert.svh"
`default_nettype none

module ohca_mgmt_madrx (
  input  logic            clk_i,
  input  logic            rst_i,

  output logic            free_o,       // slot slot_o may be taken
  output logic [1:0]      slot_o,
  input  logic            take_i,       // pulse, while free_o
  input  logic [9:0]      len_i,        // bytes, with take
  input  logic            we_i,         // a dword of a slot that is taken
  input  logic [8:0]      addr_i,
  input  logic [31:0]     data_i,
  input  logic            done_i,       // pulse: the oldest one that was taken and is not full yet is full

  input  logic            give_i,       // pulse: firmware gives a slot back; one that is not full is left alone
  input  logic [1:0]      give_slot_i,
  output logic [3:0]      full_o,
  output logic [1:0]      old_o,        // the slot that is or will be full first
  output logic [3:0][9:0] len_o,
  input  logic            rd_en_i,
  input  logic [8:0]      rd_addr_i,
  output logic [31:0]     rdata_o       // one cycle later; a slot is read when it is full, so never while it is written
);

  logic [3:0]      full_q, busy_q;
  logic [1:0]      take_q, old_q, fill_q;
  logic [3:0][9:0] len_q;

  ohca_ram_sdp #(.Width(32), .Depth(512), .OldData(1'b0)) u_ram (
    .clk_i(clk_i),
    .wr_en_i(we_i), .wr_be_i(1'b1), .wr_addr_i(addr_i), .wr_data_i(data_i),
    .rd_en_i(rd_en_i), .rd_addr_i(rd_addr_i), .rd_data_o(rdata_o)
  );

  assign free_o = !busy_q[take_q];
  assign slot_o = take_q;
  assign full_o = full_q;
  assign old_o  = old_q;
  assign len_o  = len_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      take_q <= '0;
      fill_q <= '0;
      old_q  <= '0;
      full_q <= '0;
      busy_q <= '0;
      len_q  <= '0;
    end else begin
      if (take_i) begin
        busy_q[take_q] <= 1'b1;
        for (int unsigned i = 0; i < 4; i++) if (take_q == 2'(i)) len_q[i] <= len_i;
        take_q         <= take_q + 2'd1;
      end
      if (done_i) begin
        full_q[fill_q] <= 1'b1;
        fill_q         <= fill_q + 2'd1;
      end
      if (give_i && full_q[give_slot_i]) begin
        full_q[give_slot_i] <= 1'b0;
        busy_q[give_slot_i] <= 1'b0;
        old_q               <= give_slot_i + 2'd1;
      end
    end
  end

  `ASSERT(TakeFree_A, !take_i || free_o)
  `ASSERT(DoneTaken_A, !done_i || (busy_q[fill_q] && !full_q[fill_q]))

endmodule

`default_nettype wire
