// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Synchronous first-word-fall-through FIFO with a count, in distributed memory when shallow and in ohca_ram_sdp when
// deep.
//
// Latency from push to valid_o is one cycle (UseRam = 0) or two (UseRam = 1); throughput one push and one pop per
// cycle. Every one of the Depth entries can be used. It does NOT pass a beat through combinationally: ready_o does
// not depend on ready_i, and what ready_i chooses between is there before it. ValidFlop = 1: valid_o is a flop, not
// a comparison of the pointers, for a place where a path begins with it. Single = 1: an ohca_hop, so one entry in flops
// whatever Depth says, and a beat every second cycle; no LUTs, where a memory takes 1.5 a bit (ECP5).

// prove: Width=3 Depth=4 bmc=12 ind=3 cover=14
// prove: Width=3 Depth=4 ValidFlop=1 bmc=12 ind=3 cover=14
// prove: Width=3 Depth=2 UseRam=1 bits=30 cover=12
// prove: Width=3 Depth=4 UseRam=1 bits=30 cover=16

`include "ohca_assert.svh"
`default_nettype none

module ohca_fifo #(
  parameter int unsigned Width      = 32,
  parameter int unsigned Depth      = 16,             // power of two, at least 2
  parameter int unsigned AlmostFull = Depth,          // almost_full_o when count_o >= AlmostFull
  parameter bit          Single     = 1'b0,
  parameter bit          UseRam     = (Depth > 32) && !Single,
  parameter bit          ValidFlop  = 1'b0,           // without UseRam and Single
  localparam int unsigned AddrW     = $clog2(Depth),
  localparam int unsigned CountW    = AddrW + 1
) (
  input  logic              clk_i,
  input  logic              rst_i,

  input  logic              valid_i,
  output logic              ready_o,        // early: from flops
  input  logic [Width-1:0]  data_i,

  output logic              valid_o,        // early: from flops
  input  logic              ready_i,        // late
  output logic [Width-1:0]  data_o,

  output logic [CountW-1:0] count_o,        // entries held, including one not yet at the output
  output logic              almost_full_o
);

  if (Depth < 2 || (1 << AddrW) != Depth) begin : g_bad_depth
    $error("ohca_fifo: Depth must be a power of two, at least 2");
  end

  logic [CountW-1:0] wr_ptr_q, rd_ptr_q;
  logic push, pop;

  assign push          = valid_i && ready_o;
  assign pop           = valid_o && ready_i;
  assign almost_full_o = count_o >= CountW'(AlmostFull);

  if (Single) begin : g_single
    ohca_hop #(.Width(Width)) u_one (
      .clk_i(clk_i), .rst_i(rst_i), .valid_i(valid_i), .ready_o(ready_o), .data_i(data_i),
      .valid_o(valid_o), .ready_i(ready_i), .data_o(data_o)
    );
    assign count_o  = CountW'(valid_o);
    assign wr_ptr_q = '0;
    assign rd_ptr_q = '0;
    logic unused;
    assign unused = &{1'b0, push, pop, wr_ptr_q, rd_ptr_q};
  end else begin : g_pointers
    logic full;
    assign count_o = wr_ptr_q - rd_ptr_q;
    // no subtraction where the count is not used
    assign full    = (wr_ptr_q ^ rd_ptr_q) == {1'b1, AddrW'(0)};
    assign ready_o = !full;

    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        wr_ptr_q <= '0;
        rd_ptr_q <= '0;
      end else begin
        if (push) wr_ptr_q <= wr_ptr_q + CountW'(1);
        // By its enable, not through the sum: ready_i may come late.
        if (pop)  rd_ptr_q <= rd_ptr_q + CountW'(1);
      end
    end
  end

  if (UseRam && !Single) begin : g_ram
    // The RAM reads the entry that will be first after this cycle, so its output register is the FIFO's output. Only
    // entries written in an earlier cycle count, hence no read ever meets the write of the same address.
    // Both that may be first are compared before ready_i says which it is: that comes late.
    logic [CountW-1:0] rd_next_q;               // rd_ptr_q + 1
    logic valid_q, any, more;                   // an entry; one behind the first
    always_ff @(posedge clk_i) begin
      if (rst_i)    rd_next_q <= CountW'(1);
      else if (pop) rd_next_q <= rd_next_q + CountW'(1);
    end
    assign any      = rd_ptr_q != wr_ptr_q;
    assign more     = rd_next_q != wr_ptr_q;
    assign valid_o  = valid_q;
    always_ff @(posedge clk_i) begin
      if (rst_i) valid_q <= 1'b0;
      else       valid_q <= valid_q ? more || !ready_i : any;
    end

    ohca_ram_sdp #(
      .Width(Width), .Depth(Depth), .OldData(1'b0)
    ) u_ram (
      .clk_i(clk_i),
      .wr_en_i(push), .wr_be_i(1'b1), .wr_addr_i(wr_ptr_q[AddrW-1:0]), .wr_data_i(data_i),
      .rd_en_i(valid_q ? more && ready_i : any), .rd_addr_i(valid_q ? rd_next_q[AddrW-1:0] : rd_ptr_q[AddrW-1:0]),
      .rd_data_o(data_o)
    );
  end

  if (!UseRam && !Single) begin : g_flop
    logic [Width-1:0] mem [Depth];
    if (ValidFlop) begin : g_valid
      logic valid_q, one;
      assign one     = wr_ptr_q == rd_ptr_q + CountW'(1);
      assign valid_o = valid_q;
      always_ff @(posedge clk_i) begin
        if (rst_i) valid_q <= 1'b0;
        else       valid_q <= push || (valid_q && !(ready_i && one));
      end
`ifdef FORMAL
      `ASSERT(Valid_A, valid_q == (wr_ptr_q != rd_ptr_q))
`endif
    end else begin : g_no_valid
      assign valid_o = wr_ptr_q != rd_ptr_q;
    end
    assign data_o  = mem[rd_ptr_q[AddrW-1:0]];
    always_ff @(posedge clk_i) begin
      if (push) mem[wr_ptr_q[AddrW-1:0]] <= data_i;
    end
  end

`ifdef FORMAL
  if (!Single) begin : g_prove        // ohca_hop has its own
    `ASSERT(CountBound_A, count_o <= CountW'(Depth))

    `FORMAL_START
    `ASSUME(SrcStable_M, `STABLE(valid_i, ready_o, data_i))
    `ASSERT(SinkStable_A, `STABLE(valid_o, ready_i, data_o))

    // Nothing is lost, invented or reordered: follow one arbitrary beat by its position.
    (* anyconst *) logic [CountW-1:0] pick;
    logic [Width-1:0] picked_q;
    logic picked_in_q = 1'b0;
    always_ff @(posedge clk_i) begin
      if (rst_i) picked_in_q <= 1'b0;
      else begin
        if (pop && rd_ptr_q == pick) picked_in_q <= 1'b0;
        if (push && wr_ptr_q == pick) begin
          picked_in_q <= 1'b1;
          picked_q    <= data_i;
        end
      end
    end
    `ASSERT(PickedInside_A, picked_in_q == (CountW'(pick - rd_ptr_q) < count_o))
    `ASSERT(OutIsPicked_A, !(valid_o && rd_ptr_q == pick) || data_o == picked_q)
    `ASSERT(NoPopOfNothing_A, !valid_o || count_o != '0)
    // A beat that was inside at the last edge is offered: the FIFO does not sit on its content.
    `ASSERT(Progress_A, !past_valid_q || $past(rst_i) || $past(pop) || $past(count_o) == '0 || valid_o)
    if (UseRam) begin : g_next
      `ASSERT(Next_A, g_ram.rd_next_q == rd_ptr_q + CountW'(1))
    end
    if (!UseRam) begin : g_inv
      `ASSERT(MemIsPicked_A, !picked_in_q || g_flop.mem[pick[AddrW-1:0]] == picked_q)
    end
    `COVER(Full_C, !ready_o && valid_i)
    `COVER(DrainedAfterFull_C, past_valid_q && $past(pop) && count_o == '0 && wr_ptr_q == CountW'(Depth))
  end
`endif

endmodule

`default_nettype wire
