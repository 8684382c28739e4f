// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_fifo for a place where a path ends with ready_i: with a memory, ready_i chooses between what is known with and
// without a pop, where ohca_fifo compares the pointer after this cycle.
//
// Latency, throughput and content are those of ohca_fifo in every cycle; a shallow one is an ohca_fifo. It costs a few
// LUTs for the second pointer.

// prove: Width=3 Depth=2 UseRam=1 bmc=20 cover=12
// prove: Width=3 Depth=4 UseRam=1 bmc=18 cover=16

`include "ohca_assert.svh"
`default_nettype none

module ohca_fifo_late #(
  parameter int unsigned Width  = 32,
  parameter int unsigned Depth  = 64,                 // power of two, at least 2
  parameter bit          UseRam = Depth > 32,
  localparam int unsigned AddrW  = $clog2(Depth),
  localparam int unsigned CountW = AddrW + 1
) (
  input  logic              clk_i,
  input  logic              rst_i,

  input  logic              valid_i,
  output logic              ready_o,        // early: from flops
  input  logic [Width-1:0]  data_i,

  output logic              valid_o,        // early: from flops
  input  logic              ready_i,        // late
  output logic [Width-1:0]  data_o,

  output logic [CountW-1:0] count_o         // entries held, including one not yet at the output
);

  if (!UseRam) begin : g_shallow
    ohca_fifo #(.Width(Width), .Depth(Depth), .UseRam(1'b0)) u_fifo (
      .clk_i(clk_i), .rst_i(rst_i), .valid_i(valid_i), .ready_o(ready_o), .data_i(data_i),
      .valid_o(valid_o), .ready_i(ready_i), .data_o(data_o), .count_o(count_o), .almost_full_o()
    );
  end else begin : g_ram
    logic [CountW-1:0] wr_ptr_q, rd_ptr_q, rd_ptr_n;
    logic push, valid_q, any, more;                   // an entry; one behind the first
    assign push    = valid_i && ready_o;
    assign count_o = wr_ptr_q - rd_ptr_q;
    assign ready_o = (wr_ptr_q ^ rd_ptr_q) != {1'b1, AddrW'(0)};
    assign valid_o = valid_q;
    // Only entries written in an earlier cycle count, hence no read ever meets the write of the same address.
    assign rd_ptr_n = rd_ptr_q + CountW'(1);
    assign any      = rd_ptr_q != wr_ptr_q;
    assign more     = rd_ptr_n != wr_ptr_q;
    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        wr_ptr_q <= '0;
        rd_ptr_q <= '0;
        valid_q  <= 1'b0;
      end else begin
        if (push)               wr_ptr_q <= wr_ptr_q + CountW'(1);
        if (valid_q && ready_i) rd_ptr_q <= rd_ptr_n;
        valid_q <= valid_q ? more || !ready_i : any;
      end
    end

    // The entry that will be first after this cycle is read, so the memory's output register is the FIFO's output.
    ohca_ram_sdp #(.Width(Width), .Depth(Depth), .OldData(1'b0)) u_ram (
      .clk_i(clk_i),
      .wr_en_i(push), .wr_be_i(1'b1), .wr_addr_i(wr_ptr_q[AddrW-1:0]), .wr_data_i(data_i),
      .rd_en_i(valid_q ? more && ready_i : any), .rd_addr_i(valid_q ? rd_ptr_n[AddrW-1:0] : rd_ptr_q[AddrW-1:0]),
      .rd_data_o(data_o)
    );

`ifdef FORMAL
    `ASSERT(CountBound_A, count_o <= CountW'(Depth))

    `FORMAL_START
    `ASSUME(SrcStable_M, `STABLE(valid_i, ready_o, data_i))
    `ASSERT(SinkStable_A, `STABLE(valid_o, ready_i, data_o))

    // Nothing is lost, invented or reordered: follow one arbitrary beat by its position.
    (* anyconst *) logic [CountW-1:0] pick;
    logic [Width-1:0] picked_q;
    always_ff @(posedge clk_i) if (push && wr_ptr_q == pick) picked_q <= data_i;
    `ASSERT(OutIsPicked_A, !(valid_o && rd_ptr_q == pick) || data_o == picked_q)
    `ASSERT(NoPopOfNothing_A, !valid_o || count_o != '0)
    // A beat that was inside at the last edge is offered: the FIFO does not sit on its content.
    `ASSERT(Progress_A, !past_valid_q || $past(rst_i) || $past(valid_o && ready_i) || $past(count_o) == '0 || valid_o)
    `COVER(Full_C, !ready_o && valid_i)
    `COVER(DrainedAfterFull_C, past_valid_q && $past(valid_o && ready_i) && count_o == '0 && wr_ptr_q == CountW'(Depth))
`endif
  end

endmodule

`default_nettype wire
