// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Reads lines of the translation table ahead of the cache that asks for them, between the cache's fills and the host.
//
//   cache --- reads (more_i) ---> look ---> act ------ not here ------> host
//     ^                            |         | next one               ^  |
//     +------------- serve <----- Slots <----+------ read ahead ------+  |
//     +-----------------------------------------------------------------+
//
// A read of the line that follows one read before is the mark of a stream: from then on the next two lines are fetched
// when one is read, and answered from here when the cache comes to them, in some 4 + Beats cycles instead of the
// host's latency; so two lines that are asked for at once do not wait for the host, either. Where reads are at random
// nothing is read ahead. A slot is one stream: the line that it expects, and perhaps that line itself and the one
// behind it, the even one and the odd one each in a place of their own.
//
// Only what more_i allows is read: the cache says so of a line behind which there are two more of the same memory
// region, whose key was just looked up; so nothing is kept of a table's part that nobody owns. flush_i forgets all,
// also what is on its way; it is held until idle_o, and whoever changes the table flushes. A line on another page of 4
// KiB is not read, as that page may lie elsewhere.
//
// Latency of a read that is passed on: 2 cycles more; throughput: one in 3 cycles. Answers are in order: a line that is
// here, or on its way, waits until the host has answered what the cache asked for before, and so do reads behind it; so
// answers need no room here. c_ready_o and idle_o come from flops, h_valid_o is one; c_rsp_* from a flop and a
// multiplexer.

`include "ohca_assert.svh"
`default_nettype none

module ohca_tpt_ahead #(
  parameter int unsigned DW    = 64,    // data path, 64..512 bits
  parameter int unsigned Slots = 8,     // streams, power of two
  parameter int unsigned Fills = 16     // reads of the cache under way at most, power of two
) (
  input  logic                         clk_i,
  input  logic                         rst_i,
  output logic                         idle_o,
  input  logic                         flush_i,        // forget everything; held until idle_o

  // The cache's fills: lines of 64 bytes, aligned. There is room for every answer.
  input  logic                         c_valid_i,
  output logic                         c_ready_o,
  input  ohca_fmt_pkg::dma_rd_req_t    c_i,
  input  logic                         more_i,         // with c_i: the next two lines may be read, too
  output logic                         c_rsp_valid_o,
  output logic [DW-1:0]                c_rsp_data_o,
  output logic                         c_rsp_last_o,
  output logic                         c_rsp_err_o,

  // Host reads, answered in order
  output logic                         h_valid_o,
  input  logic                         h_ready_i,
  output ohca_fmt_pkg::dma_rd_req_t    h_o,
  input  logic                         h_rsp_valid_i,
  input  logic [DW-1:0]                h_rsp_data_i,
  input  logic                         h_rsp_last_i,
  input  logic                         h_rsp_err_i
);

  localparam int unsigned SlotW = $clog2(Slots);
  localparam int unsigned Beats = 512 / DW;
  localparam int unsigned BeatW = (Beats > 1) ? $clog2(Beats) : 1;
  localparam int unsigned OutW  = $clog2(Fills) + 1;
  localparam int unsigned AdrW  = 58;                  // a line's address, less its six zeros

  if ((1 << SlotW) != Slots || Slots < 2 || (1 << (OutW - 1)) != Fills || Beats * DW != 512) begin : g_bad_size
    $error("ohca_tpt_ahead: sizes must be powers of two, DW at most 512");
  end

  typedef enum logic [2:0] {
    Idle,
    Look,      // which slots expect this line
    Act,       // serve it, or ask the host
    Serve,
    Ahead,     // ask the host for the next one, if it is neither here nor on its way
    Ahead2     // and for the one behind it
  } state_e;
  state_e             state_q, state_d;
  logic [AdrW-1:0]    addr_q;
  logic               more_q, both_same, goes_on;
  logic [SlotW-1:0]   slot_q, pick, turn_q;           // the slot of the line at hand; the one to use for a new stream
  logic               hit_q, h_valid_q, here_q, here_d;  // here_q: what slot_q expects is here or on its way
  logic               next_d, next_q;                  // so is the line behind addr_q; from Ahead on it is addr_q's
  logic [Slots-1:0]   used_q, match, here_now;
  logic [1:0][Slots-1:0] full_q, busy_q, clear;        // of even and odd lines
  logic [AdrW*Slots-1:0] exp_q;
  logic [BeatW-1:0]   beat_q, in_beat_q;
  logic               c_fire, ask, ahead, serve, serve_last, h_fire, renew, opens, begins, odd;

  // What the host was asked for, in order: for a slot, or for the cache.
  logic               o_valid, o_ready, o_ahead, o_odd, o_pop;
  logic [SlotW-1:0]   o_slot;
  logic [OutW-1:0]    out_q;                           // for the cache, not yet passed on whole
  logic               in_err_q;

  assign c_ready_o = state_q == Idle;
  assign c_fire    = c_valid_i && c_ready_o;
  assign odd       = addr_q[0];
  assign both_same = addr_q[5:1] != '1;                // the next two lines are on the same page

  always_comb begin
    match = '0;
    pick  = '0;
    for (int unsigned i = 0; i < Slots; i++) begin
      match[i] = used_q[i] && exp_q[AdrW*i +: AdrW] == addr_q;
    end
    // Two may expect the same line, when its forerunner was read twice.
    for (int unsigned i = 0; i < Slots; i++) if (match[Slots-1-i]) pick = SlotW'(Slots - 1 - i);
  end

  // ------------------------------------------------------------------------------------------------ what is asked for
  assign serve      = state_q == Act && hit_q && full_q[odd][slot_q] && out_q == '0;
  // What is here or on its way is waited for. One that failed, or was flushed, is asked for like any other: that is
  // seen a cycle late.
  assign ask        = state_q == Act && !(hit_q && here_q);
  assign ahead      = (state_q == Ahead && !next_q) || state_q == Ahead2;
  assign goes_on    = more_q && both_same && !flush_i;
  // The same, a cycle before: who asks the host is a flop, as many are chosen from there.
  assign h_valid_o  = h_valid_q;
  assign h_o.addr   = {addr_q, 6'd0};
  assign h_o.len    = 13'd64;
  assign h_o.tag    = 8'd0;
  assign h_fire     = h_valid_o && h_ready_i;
  assign serve_last = Beats == 1 || beat_q == BeatW'(Beats - 1);
  // A stream goes on in its slot; another one begins in a slot that fetches nothing.
  assign renew      = state_q == Act && (serve || h_fire) && hit_q;
  assign opens      = !busy_q[0][turn_q] && !busy_q[1][turn_q] && more_q;
  assign begins     = state_q == Act && h_fire && !hit_q && opens;

  // Each slot has two reads ahead at most, so there is room for all.
  ohca_fifo #(.Width(2 + SlotW), .Depth(1 << $clog2(Fills + 2 * Slots))) u_order (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(h_fire), .ready_o(o_ready), .data_i({ahead, slot_q, odd}),
    .valid_o(o_valid), .ready_i(o_pop), .data_o({o_ahead, o_slot, o_odd}), .count_o(), .almost_full_o()
  );
  assign o_pop = h_rsp_valid_i && h_rsp_last_i;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Idle:    if (c_valid_i) state_d = Look;
      Look:    state_d = Act;
      Act:     if (serve) state_d = Serve;
               else if (h_fire) state_d = (renew && goes_on) ? Ahead : Idle;
      Serve:   if (serve_last) state_d = goes_on ? Ahead : Idle;
      Ahead:   if (next_q || h_fire) state_d = flush_i ? Idle : Ahead2;
      Ahead2:  if (h_fire) state_d = Idle;
      default: state_d = Idle;
    endcase
    // Of two slots with the same line it may be the other one: the next cycle has it right.
    here_now = full_q[odd] | busy_q[odd];
    here_d   = (state_q == Look) ? (match & here_now) != '0 : here_now[slot_q];
    next_d   = (state_q == Ahead) ? next_q : full_q[!odd][slot_q] || busy_q[!odd][slot_q];
  end
  always_ff @(posedge clk_i) begin
    state_q   <= rst_i ? Idle : state_d;
    next_q    <= next_d;
    h_valid_q <= !rst_i && ((state_d == Ahead && !next_d) || state_d == Ahead2 ||
                            (state_d == Act && !(here_d && (state_q == Look || hit_q))));

    if (c_fire) begin
      addr_q <= c_i.addr[63:6];
      more_q <= more_i;
    end
    if (state_q == Look) begin
      slot_q <= pick;
      hit_q  <= match != '0;
    end
    here_q <= here_d;
    // From here on it is the next line that is meant, then the one behind it.
    if ((state_q == Act && h_fire) || (state_q == Serve && serve_last) || (state_q == Ahead && (next_q || h_fire)))
        addr_q <= addr_q + AdrW'(1);
    beat_q <= (state_q == Serve) ? beat_q + BeatW'(1) : '0;
  end

  // ------------------------------------------------------------------------------------------------ slots
  always_comb begin
    clear = '0;
    if (o_pop && o_ahead) clear[o_odd][o_slot] = 1'b1;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      used_q <= '0;
      full_q <= '0;
      busy_q <= '0;
      turn_q <= '0;
      out_q  <= '0;
    end else begin
      busy_q <= busy_q & ~clear;
      for (int unsigned k = 0; k < 2; k++)
        for (int unsigned i = 0; i < Slots; i++)
          if (clear[k][i]) full_q[k][i] <= used_q[i] && !h_rsp_err_i && !in_err_q;
      if (renew) full_q[odd][slot_q] <= 1'b0;
      if (begins) begin
        full_q[0][turn_q] <= 1'b0;
        full_q[1][turn_q] <= 1'b0;
        used_q[turn_q]    <= 1'b1;
        turn_q            <= turn_q + SlotW'(1);
      end
      if (ahead && h_fire) busy_q[odd][slot_q] <= 1'b1;
      if (flush_i) begin                               // and so, as it is held, what is on its way
        used_q <= '0;
        full_q <= '0;
      end
      out_q <= out_q + OutW'(ask && h_fire) - OutW'(o_pop && !o_ahead);
    end
    // What a slot expects is looked at in Look only, so it may be written before it is known when Act ends.
    for (int unsigned i = 0; i < Slots; i++) begin
      if (state_q == Act && (hit_q ? slot_q == SlotW'(i) : opens && turn_q == SlotW'(i)))
          exp_q[AdrW*i +: AdrW] <= addr_q + AdrW'(1);
    end
    if (h_rsp_valid_i) begin
      in_beat_q <= h_rsp_last_i ? '0 : in_beat_q + BeatW'(1);
      in_err_q  <= !h_rsp_last_i && (in_err_q || h_rsp_err_i);
    end
    if (rst_i) begin
      in_beat_q <= '0;
      in_err_q  <= 1'b0;
    end
  end

  // ------------------------------------------------------------------------------------------------ answers
  logic               pass_q, pass_last_q, pass_err_q, serve_q, serve_last_q;
  logic [DW-1:0]      pass_data_q, slot_data;
  logic [SlotW+BeatW:0] ram_waddr, ram_raddr;
  assign ram_waddr = {o_slot, o_odd, in_beat_q};
  assign ram_raddr = {slot_q, odd, beat_q};
  ohca_ram_sdp #(.Width(DW), .Depth(2 * Slots << BeatW), .OldData(1'b0)) u_lines (
    .clk_i(clk_i), .wr_en_i(h_rsp_valid_i && o_ahead), .wr_be_i(1'b1), .wr_addr_i(ram_waddr), .wr_data_i(h_rsp_data_i),
    .rd_en_i(state_q == Serve), .rd_addr_i(ram_raddr), .rd_data_o(slot_data)
  );
  always_ff @(posedge clk_i) begin
    pass_q       <= !rst_i && h_rsp_valid_i && !o_ahead;
    serve_q      <= !rst_i && state_q == Serve;
    serve_last_q <= serve_last;
    if (h_rsp_valid_i && !o_ahead) begin
      pass_data_q <= h_rsp_data_i;
      pass_last_q <= h_rsp_last_i;
      pass_err_q  <= h_rsp_err_i;
    end
  end
  assign c_rsp_valid_o = pass_q || serve_q;
  assign c_rsp_data_o  = serve_q ? slot_data : pass_data_q;
  assign c_rsp_last_o  = serve_q ? serve_last_q : pass_last_q;
  assign c_rsp_err_o   = !serve_q && pass_err_q;
  assign idle_o        = state_q == Idle && busy_q == '0 && out_q == '0 && !pass_q && !serve_q;

  logic unused;
  assign unused = &{1'b0, c_i.addr[5:0], c_i.len, c_i.tag, o_valid, o_ready};

  `ASSERT(Line_A, !c_valid_i || (c_i.addr[5:0] == '0 && c_i.len == 13'd64))
  `ASSERT(Asked_A, !h_rsp_valid_i || o_valid)
  `ASSERT(Valid_A, h_valid_q == (ask || ahead))
  `ASSERT(Once_A, !(pass_q && serve_q))
  `ASSERT(Room_A, !h_fire || o_ready)
  `ASSERT(Here_A, !(ask && hit_q) || !here_now[slot_q])
  `ASSERT(Free_A, !(ahead && h_fire) || !here_now[slot_q])
  `ASSERT(Outstanding_A, !(ask && h_fire) || out_q != OutW'(Fills) || (o_pop && !o_ahead))

endmodule

`default_nettype wire
