// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Timers of completion events that wait: a small table, one place for each CQ number modulo Entries.
//
// A request names a CQ, the generation of its event that waits, and the period. At the deadline, never before, the same
// comes out as a job, and ohca_cq looks whether that event still waits. So nobody cancels: a request of a CQ takes the
// place of its own last one, of which nothing can wait any more, and one that finds the place taken by another CQ's
// sends that one out at once. An event can so come early, but never not at all: what is in the table leaves it as a
// job, or for a later one of its own CQ. A request with `soon` becomes a job at once; one with a period of 0 asks for
// nothing.
//
// The table is walked when its earliest deadline has come, an entry in three cycles; a request takes 21, and they take
// turns, so an expiry is late by 24 * Entries cycles and by what jobs wait. No request is stalled: who makes one looks
// at req_room_o, and does without where there is none.

`include "ohca_assert.svh"
`default_nettype none

module ohca_cq_timer #(
  parameter int unsigned Entries = 64        // power of two
) (
  input  logic        clk_i,
  input  logic        rst_i,
  output logic        idle_o,                // a timer that waits is idle
  input  logic [31:0] now_i,                 // device cycles
  input  logic [31:0] cycles_per_us_i,       // more than 16383 count as so many

  input  logic        req_valid_i,
  output logic        req_room_o,            // for all that sets out in this cycle and arrives in three
  input  logic        req_soon_i,
  input  logic [23:0] req_cqn_i,
  input  logic [7:0]  req_gen_i,
  input  logic [15:0] req_period_i,          // microseconds

  output logic        job_valid_o,
  input  logic        job_ready_i,
  output logic [23:0] job_cqn_o,
  output logic [7:0]  job_gen_o,

  output logic        any_o,                 // with idle_o: something is in the table, and
  output logic [31:0] next_o                 // nothing is due before this
);

  localparam int unsigned IdxW = $clog2(Entries);
  if ((1 << IdxW) != Entries || Entries < 2) begin : g_bad_entries
    $error("ohca_cq_timer: Entries must be a power of two, at least 2");
  end

  typedef enum logic [2:0] {
    S_NEXT,                       // a request, or the next entry of a walk
    S_MUL, S_SUM, S_PUT, S_LOW,   // request: period in cycles; deadline; its place; the earliest of all
    S_READ, S_ACT                 // entry: how far away; a job or not
  } state_e;
  state_e state_q;

  // ---------------------------------------------------------------- requests
  logic        q_valid, q_pop, q_soon, q_ready;
  logic [23:0] q_cqn;
  logic [7:0]  q_gen;
  logic [15:0] q_period;
  logic [3:0]  q_count;
  // verilator lint_off PINCONNECTEMPTY
  ohca_fifo #(.Width(49), .Depth(8)) u_req (
    .clk_i, .rst_i,
    .valid_i(req_valid_i), .ready_o(q_ready), .data_i({req_soon_i, req_cqn_i, req_gen_i, req_period_i}),
    .valid_o(q_valid), .ready_i(q_pop), .data_o({q_soon, q_cqn, q_gen, q_period}), .count_o(q_count), .almost_full_o()
  );
  // verilator lint_on PINCONNECTEMPTY
  always_ff @(posedge clk_i) req_room_o <= !rst_i && q_count < 4'd3;

  // ---------------------------------------------------------------- table
  logic [Entries-1:0] valid_q;
  logic [IdxW-1:0]    at_q;                  // of the walk
  logic               rd, we, walk_q, turn_q, busy;
  logic [IdxW-1:0]    rd_at;
  logic [23:0]        e_cqn;
  logic [7:0]         e_gen;
  logic [31:0]        e_due, due_q, left_q;
  ohca_ram_sdp #(.Width(64), .Depth(Entries), .OldData(1'b0)) u_table (
    .clk_i, .wr_en_i(we), .wr_be_i(1'b1), .wr_addr_i(q_cqn[IdxW-1:0]), .wr_data_i({q_cqn, q_gen, due_q}),
    .rd_en_i(rd), .rd_addr_i(rd_at), .rd_data_o({e_cqn, e_gen, e_due})
  );

  logic        take, look, other, fire, job_go, past, next_entry, last_entry;
  logic [29:0] cycles_q;
  logic [15:0] bits_q;
  logic [3:0]  bit_q;
  logic [13:0] scale_q;
  assign take   = state_q == S_NEXT && q_valid && !(walk_q && turn_q);
  assign look   = state_q == S_NEXT && !take && walk_q && valid_q[at_q];
  assign rd     = take || look;
  assign rd_at  = take ? q_cqn[IdxW-1:0] : at_q;
  assign other  = valid_q[q_cqn[IdxW-1:0]] && e_cqn != q_cqn;
  assign busy   = job_valid_o;
  assign we     = state_q == S_PUT && !q_soon && q_period != 16'd0 && !(other && busy);
  assign past   = left_q[31] || left_q == 32'd0;
  // What becomes a job: the request itself, who stands in its place, or an entry whose time has come.
  assign fire   = (state_q == S_PUT && (q_soon || (q_period != 16'd0 && other))) || (state_q == S_ACT && past);
  assign job_go = fire && !busy;
  assign q_pop  = state_q == S_PUT && !(fire && busy);
  assign last_entry = &at_q;
  assign next_entry = (state_q == S_NEXT && !take && walk_q && !valid_q[at_q]) || (state_q == S_ACT && !(fire && busy));

  // ----------------------------------------------------------- the earliest: what is known, and what the walk has seen
  logic        any_q, seen_q, before_q, before_seen_q, come_q;
  logic [31:0] min_q, acc_q, cand;
  assign cand = (state_q == S_LOW) ? due_q : e_due;
  logic [31:0] to_min, to_acc, over;
  assign to_min = due_q - min_q;
  assign to_acc = ((state_q == S_READ) ? e_due : due_q) - acc_q;
  assign over   = now_i - min_q;

  always_ff @(posedge clk_i) begin
    scale_q <= (cycles_per_us_i[31:14] != '0) ? '1 : (cycles_per_us_i[13:0] == '0) ? 14'd1 : cycles_per_us_i[13:0];
    come_q  <= !rst_i && any_q && !walk_q && !over[31];
    case (state_q)
      S_NEXT: begin
        if (take) state_q <= (q_soon || q_period == 16'd0) ? S_PUT : S_MUL;
        else if (look) state_q <= S_READ;
        cycles_q <= '0;
        bits_q   <= q_period;
        bit_q    <= '0;
        if (take || next_entry) turn_q <= take;
      end
      S_MUL: begin
        cycles_q <= {cycles_q[28:0], 1'b0} + (bits_q[15] ? {16'd0, scale_q} : 30'd0);
        bits_q   <= {bits_q[14:0], 1'b0};
        bit_q    <= bit_q + 4'd1;
        if (&bit_q) state_q <= S_SUM;
      end
      S_SUM: begin
        due_q   <= now_i + {2'd0, cycles_q};
        state_q <= S_PUT;
      end
      S_PUT: if (q_pop) state_q <= we ? S_LOW : S_NEXT;
      S_LOW: begin
        if (!any_q || before_q) min_q <= cand;
        if (!seen_q || before_seen_q) acc_q <= cand;
        any_q   <= 1'b1;
        seen_q  <= 1'b1;
        state_q <= S_NEXT;
      end
      S_READ: begin
        left_q        <= e_due - now_i;
        before_seen_q <= to_acc[31];
        state_q       <= S_ACT;
      end
      default: begin
        if (!past) begin
          if (!seen_q || before_seen_q) acc_q <= cand;
          seen_q <= 1'b1;
        end
        if (next_entry) begin
          state_q <= S_NEXT;
          turn_q  <= 1'b0;
        end
      end
    endcase
    if (state_q == S_PUT) begin
      before_q      <= to_min[31];
      before_seen_q <= to_acc[31];
    end
    // Entry by entry: an indexed write becomes a shifter in synthesis.
    for (int unsigned i = 0; i < Entries; i++) begin
      if (we && q_cqn[IdxW-1:0] == IdxW'(i)) valid_q[i] <= 1'b1;
      if (state_q == S_ACT && job_go && at_q == IdxW'(i)) valid_q[i] <= 1'b0;
    end
    // A walk begins when the earliest has come, and leaves behind what is earliest then.
    if (!walk_q && come_q) begin
      walk_q <= 1'b1;
      seen_q <= 1'b0;
      at_q   <= '0;
    end
    if (next_entry) begin
      at_q <= at_q + IdxW'(1);
      if (last_entry) begin
        walk_q <= 1'b0;
        any_q  <= seen_q || (state_q == S_ACT && !past);
        min_q  <= (state_q == S_ACT && !past && (!seen_q || before_seen_q)) ? cand : acc_q;
      end
    end
    if (rst_i) begin
      state_q <= S_NEXT;
      valid_q <= '0;
      walk_q  <= 1'b0;
      turn_q  <= 1'b0;
      any_q   <= 1'b0;
      seen_q  <= 1'b0;
      at_q    <= '0;
    end
  end

  // ---------------------------------------------------------------- the job
  always_ff @(posedge clk_i) begin
    job_valid_o <= !rst_i && (job_go || (job_valid_o && !job_ready_i));
    if (job_go) begin
      job_cqn_o <= (state_q == S_PUT && q_soon) ? q_cqn : e_cqn;
      job_gen_o <= (state_q == S_PUT && q_soon) ? q_gen : e_gen;
    end
  end
  assign any_o  = any_q;
  assign next_o = min_q;
  assign idle_o = state_q == S_NEXT && !q_valid && !job_valid_o && !walk_q && !come_q && !req_valid_i;

  logic unused;
  assign unused = &{1'b0, to_min[30:0], to_acc[30:0], over[30:0]};

  `ASSERT(Room_A, !req_valid_i || q_ready)
  `ASSERT(Known_A, valid_q == '0 || any_q || walk_q || state_q == S_LOW)
  `ASSERT(OneJob_A, !(job_go && job_valid_o))

endmodule

`default_nettype wire
