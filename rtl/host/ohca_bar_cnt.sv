// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// 64 event counters of 64 bits and the four quadwords of the command block, in one memory with one write and one read
// port.
//
// Pulses are taken into flops, so that what makes them ends there, and gather from the next cycle on (those that more
// than one source moves a cycle later, as their sum goes through a register, too) in a small count each; one after the
// other is added to its value in memory and set to zero. Its turn comes every 64 cycles, and later by what goes before:
// writes of the command block and reads by the host, and reads by the management core. With no more than one in seven
// cycles of the former and one in eight of the latter it is less than 128, so no count overflows (a host that writes
// its command block in every cycle loses counts). In a cycle in which the memory has something else to do nothing is
// added: the value is read once more. The core's reads are taken in every cycle and answered in the next. The host's
// (rd_valid_i, held until rd_done_o and low in that cycle) wait for those, for writes, and for their own word when it
// is being added to; rd_done_o comes with the word in data_o, one cycle after it was read. The first 128 cycles after
// reset clear the memory (init_o): nothing is answered to the host and nothing may be written then. A word of the block
// is never written in the cycle in which the core reads it (while a command runs the block is the core's). Counts are
// lost only while they are in reset. What an adder's input is depends on CntMask: a counter that one source moves has
// no adder.

`include "ohca_assert.svh"
`default_nettype none

module ohca_bar_cnt #(
  parameter int unsigned CntSources = 1,              // vectors of pulses to add up
  parameter logic [CntSources*64-1:0] CntMask = '1    // counters that each of them can move
) (
  input  logic                        clk_i,
  input  logic                        rst_i,
  input  logic [CntSources-1:0][63:0] cnt_i,
  input  logic                        wr_valid_i,     // command block, from the host; not together with set_valid_i
  input  logic [1:0]                  wr_be_i,        // dwords
  input  logic [1:0]                  wr_addr_i,      // quadword of the block
  input  logic [63:0]                 wr_data_i,
  input  logic                        set_valid_i,    // dword 7 of the command block: the immediate result
  input  logic [31:0]                 set_data_i,
  input  logic                        rd_valid_i,     // the host reads
  input  logic [6:0]                  rd_addr_i,      // quadword: 0 to 63 counters, from 64 on the command block; from
                                                      // the cycle before rd_valid_i on
  output logic                        rd_done_o,
  input  logic                        mem_rd_i,       // the management core reads
  input  logic [6:0]                  mem_rd_addr_i,
  output logic [63:0]                 data_o,         // of the memory: what was read a cycle before
  output logic                        init_o,
  output logic                        idle_o          // no pulse or count waits to be added
);

  function automatic int unsigned sources(input int unsigned g);
    sources = 0;
    for (int unsigned s = 0; s < CntSources; s++) sources = sources + 32'(CntMask[64*s + g]);
  endfunction
  function automatic logic [63:0] singles(input logic none);
    for (int unsigned g = 0; g < 64; g++) singles[g] = !none && sources(g) == 1;
  endfunction
  localparam int unsigned AccW = 7 + $clog2(CntSources);
  localparam logic [63:0] Single = singles(1'b0);
  logic [63:0][AccW-1:0] acc_q;
  logic [CntSources-1:0][63:0] pulses_q;
  logic [63:0]     acc_any, coming;
  logic [5:0]      walk_q, add_idx_q;
  logic            walk, add_q, redo_q, single_q, init_q, init_cmd_q, busy, may_host, host, done_q;
  logic [AccW-1:0] add_n_q, add_n;
  logic [6:0]      add_num;
  logic            we;
  logic [1:0]      be;
  logic [6:0]      waddr, raddr;
  logic [63:0]     wdata;

  always_ff @(posedge clk_i) pulses_q <= rst_i ? '0 : cnt_i & CntMask;
  logic [63:0][15:0] acc_pad;               // a power of two, so that the index is a multiplexer and not a shifter
  always_comb begin
    for (int unsigned i = 0; i < 64; i++) begin
      acc_any[i] = |acc_q[i];
      acc_pad[i] = 16'(acc_q[i]);
    end
  end
  // No read meets a write of its word: whether the host's may be the one being added to was compared a cycle before.
  // That there are counts is a cycle old, too, as they lie everywhere; a turn in vain adds nothing.
  logic any_q, same_q;
  always_ff @(posedge clk_i) begin
    any_q  <= |acc_any;
    same_q <= rd_addr_i == {1'b0, walk_q} || rd_addr_i == {1'b0, add_idx_q};
  end
  assign busy = mem_rd_i || wr_valid_i || set_valid_i;
  assign may_host = rd_valid_i && !init_q && !redo_q && !(add_q && same_q);
  assign host     = may_host && !busy;
  assign walk = any_q && !init_q && !busy && !redo_q && !rd_valid_i;

  for (genvar g = 0; g < 64; g++) begin : g_acc
    localparam int unsigned N = sources(g);
    if (N == 0) begin : g_none
      assign acc_q[g]  = '0;
      assign coming[g] = 1'b0;
    end else if (N == 1) begin : g_one
      logic [CntSources-1:0] pulse;
      logic [6:0]            state;
      always_comb for (int unsigned s = 0; s < CntSources; s++) pulse[s] = pulses_q[s][g];
      ohca_pulse_cnt #(.Width(7)) u_cnt (
        .clk_i, .rst_i, .pulse_i(|pulse), .take_i(walk && walk_q == 6'(g)), .state_o(state)
      );
      assign acc_q[g]  = AccW'(state);
      assign coming[g] = 1'b0;
    end else begin : g_some
      // When it is this count's turn, what comes in is all that stays: the higher bits have a reset for that.
      localparam int unsigned W = 7 + $clog2(N), I = $clog2(N + 1);
      logic [I-1:0] inc, inc_q;
      logic [W-1:0] a_q;
      always_comb begin
        inc = '0;
        for (int unsigned s = 0; s < CntSources; s++) inc = inc + I'(pulses_q[s][g]);
      end
      always_ff @(posedge clk_i) begin
        inc_q <= rst_i ? '0 : inc;
        if (rst_i)                        a_q <= '0;
        else if (walk && walk_q == 6'(g)) a_q <= W'(inc_q);
        else                              a_q <= a_q + W'(inc_q);
      end
      assign acc_q[g]  = AccW'(a_q);
      assign coming[g] = inc_q != '0;
    end
  end
  ohca_pulse_num #(.Width(7)) u_num (.state_i(add_n_q[6:0]), .num_o(add_num));
  assign add_n = single_q ? AccW'(add_num) : add_n_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      walk_q     <= '0;
      init_q     <= 1'b1;
      init_cmd_q <= 1'b0;
      add_q      <= 1'b0;
      redo_q     <= 1'b0;
      done_q     <= 1'b0;
    end else begin
      if (walk || init_q) walk_q <= walk_q + 6'd1;
      if (walk_q == 6'd63) begin
        init_cmd_q <= 1'b1;
        if (init_cmd_q) init_q <= 1'b0;
      end
      add_q  <= (walk && acc_any[walk_q]) || (redo_q && !busy);
      redo_q <= (add_q || redo_q) && busy;
      done_q <= host;
    end
    if (walk) begin
      add_idx_q <= walk_q;
      add_n_q   <= AccW'(acc_pad[walk_q]);
      single_q  <= Single[walk_q];
    end
  end

  always_comb begin
    we    = init_q || wr_valid_i || set_valid_i || (add_q && !mem_rd_i);
    be    = 2'b11;
    waddr = {1'b0, add_idx_q};
    wdata = data_o + 64'(add_n);
    if (init_q) begin
      waddr = {init_cmd_q, walk_q};
      wdata = '0;
    end else if (wr_valid_i || set_valid_i) begin
      be    = set_valid_i ? 2'b10 : wr_be_i;
      waddr = {5'b10000, set_valid_i ? 2'd3 : wr_addr_i};
      wdata = {set_valid_i ? set_data_i : wr_data_i[63:32], wr_data_i[31:0]};
    end
    raddr = {1'b0, walk_q};
    if (redo_q)   raddr = {1'b0, add_idx_q};
    if (may_host) raddr = rd_addr_i;          // whether it is read then is known later
    if (mem_rd_i) raddr = mem_rd_addr_i;
  end
  ohca_ram_sdp #(.Width(64), .Depth(128), .BeWidth(32), .OldData(1'b0)) u_mem (
    .clk_i,
    .wr_en_i(we), .wr_be_i(be), .wr_addr_i(waddr), .wr_data_i(wdata),
    .rd_en_i(1'b1), .rd_addr_i(raddr), .rd_data_o(data_o)
  );
  assign rd_done_o = done_q;
  assign init_o    = init_q;
  // What was there a cycle ago: counts come of pulses only.
  logic here_q;
  always_ff @(posedge clk_i) here_q <= rst_i || pulses_q != '0 || (|coming) || (|acc_any) || add_q || redo_q || init_q;
  assign idle_o    = pulses_q == '0 && !here_q;

  `ASSERT(CntMask_A, (cnt_i & ~CntMask) == '0)
  `ASSERT(OneWriter_A, !(wr_valid_i && set_valid_i))
  `ASSERT(NotInInit_A, !init_q || (!wr_valid_i && !set_valid_i))

endmodule

`default_nettype wire
