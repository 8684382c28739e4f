// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// A timer for each QP number, in a tree of earliest deadlines. Arming always finds room, and takes a bounded time
// whatever expires meanwhile: three cycles, as many again beside a walk, and once 2^(B0 + 1) to wipe what a first arm
// stands on.
//
// Eight QPs share a group: which of them are armed, and the earliest of their deadlines. Over the groups stand two
// levels of blocks, each with the earliest deadline below it, and the earliest of all. Arming lowers these. When the
// earliest has come, a walk goes down to each group that is due, reports all of its QPs and forgets them, and finds the
// deadlines above anew; what is not due costs two cycles a block beside the way. So an expiry is late by the way, 2 *
// (2^B0 + 2^B1 + 2^B2) cycles, and by what else is due.
//
// A QP is reported EARLY when another of its group is due; armed again with a later deadline it keeps the earlier;
// after a walk a deadline may be known that was taken back. So the owner looks at its context, and arms again. It does
// NOT cancel. Deadlines are compared modulo 2^32 and must lie less than 2^31 ticks ahead.

`include "ohca_assert.svh"
`default_nettype none

module ohca_timer #(
  parameter int unsigned Depth = 1024,      // QP numbers, power of two, at least 64
  localparam int unsigned QpW  = $clog2(Depth)
) (
  input  logic           clk_i,
  input  logic           rst_i,
  output logic           idle_o,            // a timer that waits is idle
  input  logic [63:0]    now_i,             // device cycles; a tick is 256 of them

  input  logic           arm_valid_i,
  output logic           arm_ready_o,       // does not wait for expiries to be taken
  input  logic [QpW-1:0] arm_qpn_i,
  input  logic [31:0]    arm_deadline_i,    // ticks

  output logic           exp_valid_o,
  input  logic           exp_ready_i,
  output logic [QpW-1:0] exp_qpn_o,

  output logic           any_o,             // something is armed
  output logic [31:0]    next_o             // not after the earliest deadline (while a walk goes on: the one that
                                            // started it)
);

  localparam int unsigned Each = 8;                // QPs of a group
  localparam int unsigned GrpW = QpW - 3;
  localparam int unsigned B0   = (GrpW + 2) / 3;   // groups of a low block, low blocks of a middle one, middle ones of
                                                   // all
  localparam int unsigned B1   = (GrpW + 1) / 3;
  localparam int unsigned B2   = GrpW / 3;
  if ((1 << QpW) != Depth || Depth < 64) begin : g_bad_depth
    $error("ohca_timer: Depth must be a power of two of at least 64");
  end

  // a is at or after b
  function automatic logic reached(input logic [31:0] a, input logic [31:0] b);
    reached = !ohca_fmt_pkg::time_lt(a, b);
  endfunction

  typedef enum logic [2:0] { A_IDLE, A_LOOK, A_WIPE1, A_WIPE0, A_PUT } arm_e;
  // TOP, MID, LOW: read the next entry; _E: decide on it; EMIT: report a group; _END: the block is through
  typedef enum logic [3:0] { W_IDLE, W_TOP, W_TOP_E, W_TOP_END, W_MID, W_MID_E, W_MID_END, W_LOW, W_LOW_E, W_LOW_END,
      W_EMIT } walk_e;
  arm_e              a_q;
  walk_e             w_q;
  logic [31:0]       tick;
  logic              any_q, arm_last_q;
  logic [31:0]       root_q;
  // A cycle old, as the time comes from afar; whether it is idle is asked of the time itself, as its clock may stand.
  always_ff @(posedge clk_i) tick <= now_i[39:8];

  // ---------------------------------------------------------------- the three levels
  logic [B2-1:0]     a2, i2_q, top_ra, top_wa;
  logic [B1-1:0]     a1, i1_q;
  logic [B0-1:0]     a0, i0_q, wipe_q;
  logic [B2+B1-1:0]  mid_ra, mid_wa;
  logic [GrpW-1:0]   low_ra, low_wa;
  logic              rd, top_we, mid_we, low_we, mid_v, mid_wv;
  logic [Each-1:0]   low_m, low_wm;
  logic [31:0]       top_d, top_wd, mid_d, mid_wd, low_d;
  logic [2**B2-1:0]  top_v_q;
  assign {a2, a1, a0} = arm_qpn_i[QpW-1:3];
  ohca_ram_sdp #(.Width(32), .Depth(2**B2), .OldData(1'b0)) u_top (
    .clk_i(clk_i), .wr_en_i(top_we), .wr_be_i(1'b1), .wr_addr_i(top_wa), .wr_data_i(top_wd), .rd_en_i(rd),
    .rd_addr_i(top_ra), .rd_data_o(top_d)
  );
  ohca_ram_sdp #(.Width(33), .Depth(2**(B2+B1)), .OldData(1'b0)) u_mid (
    .clk_i(clk_i), .wr_en_i(mid_we), .wr_be_i(1'b1), .wr_addr_i(mid_wa), .wr_data_i({mid_wv, mid_wd}), .rd_en_i(rd),
    .rd_addr_i(mid_ra),
    .rd_data_o({mid_v, mid_d})
  );
  ohca_ram_sdp #(.Width(32 + Each), .Depth(2**GrpW), .OldData(1'b0)) u_low (
    .clk_i(clk_i), .wr_en_i(low_we), .wr_be_i(1'b1), .wr_addr_i(low_wa),
    .wr_data_i({low_wm, arm_min0_q ? low_d : arm_deadline_i}), .rd_en_i(rd),
    .rd_addr_i(low_ra), .rd_data_o({low_m, low_d})
  );

  // ---------------------------------------------------- arm or walk: each has the memories for one look and one change
  logic arm_go, walk_go, bound, walk_wants, put, due, last2, last1, last0;
  logic arm_min0_q, arm_min1_q, arm_min2_q, fresh_q;   // what stood there is earlier; nothing stood there
  assign bound       = w_q != W_TOP_E && w_q != W_MID_E && w_q != W_LOW_E;
  assign walk_wants  = w_q != W_IDLE && w_q != W_EMIT;
  assign arm_go      = a_q == A_IDLE && arm_valid_i && bound && !(walk_wants && arm_last_q);
  assign walk_go     = a_q == A_IDLE && !arm_go;
  assign put         = a_q == A_PUT;
  assign arm_ready_o = put;
  assign rd          = arm_go || (walk_go && (w_q == W_TOP || w_q == W_MID || w_q == W_LOW));
  assign top_ra      = arm_go ? a2 : i2_q;
  assign mid_ra      = arm_go ? {a2, a1} : {i2_q, i1_q};
  assign low_ra      = arm_go ? {a2, a1, a0} : {i2_q, i1_q, i0_q};
  assign last2       = &i2_q;
  assign last1       = &i1_q;
  assign last0       = &i0_q;

  // -------------------------------------- the earliest of what a walk has seen, by level; arms count where they belong
  logic        any2_q, any1_q, any0_q, in1_q, in0_q, f2, f1, f0;
  logic [31:0] acc2_q, acc1_q, acc0_q, fd2, fd1, fd0, see;
  always_comb begin
    see = (w_q == W_TOP_E) ? top_d : (w_q == W_MID_E) ? mid_d : low_d;
    due = reached(tick, see);
    f2  = put ? 1'b1 : w_q == W_TOP_E ? top_v_q[i2_q] && !due : w_q == W_MID_END && walk_go && any1_q;
    fd2 = put ? arm_deadline_i : w_q == W_TOP_E ? top_d : acc1_q;
    f1  = put ? in1_q && a2 == i2_q : w_q == W_MID_E ? mid_v && !due : w_q == W_LOW_END && walk_go && any0_q;
    fd1 = put ? arm_deadline_i : w_q == W_MID_E ? mid_d : acc0_q;
    f0  = put ? in0_q && {a2, a1} == {i2_q, i1_q} : w_q == W_LOW_E && low_m != '0 && !due;
    fd0 = put ? arm_deadline_i : low_d;
  end

  logic [Each-1:0] m_q, m_rest;          // of the group that is reported: who is still to be
  logic [2:0]      m_first;
  always_comb begin
    m_first = '0;
    for (int unsigned i = Each; i > 0; i--) if (m_q[i-1]) m_first = 3'(i - 1);
    m_rest  = m_q & (m_q - Each'(1));
  end
  assign exp_valid_o = w_q == W_EMIT;
  assign exp_qpn_o   = {i2_q, i1_q, i0_q, m_first};

  // ---------------------------------------------------------------- writes
  always_comb begin
    top_we = put || (w_q == W_MID_END && walk_go);
    top_wa = put ? a2 : i2_q;
    top_wd = !put ? acc1_q : arm_min2_q ? top_d : arm_deadline_i;
    mid_we = put || a_q == A_WIPE1 || (w_q == W_LOW_END && walk_go);
    mid_wa = put ? {a2, a1} : a_q == A_WIPE1 ? {a2, wipe_q[B1-1:0]} : {i2_q, i1_q};
    mid_wv = put || (a_q != A_WIPE1 && any0_q);
    mid_wd = !put ? acc0_q : arm_min1_q ? mid_d : arm_deadline_i;
    low_we = put || a_q == A_WIPE0 || (w_q == W_LOW_E && due);
    low_wa = put ? {a2, a1, a0} : a_q == A_WIPE0 ? {a2, a1, wipe_q} : {i2_q, i1_q, i0_q};
    low_wm = put ? (fresh_q ? '0 : low_m) | Each'(1) << arm_qpn_i[2:0] : '0;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      a_q        <= A_IDLE;
      arm_last_q <= 1'b0;
      any_q      <= 1'b0;
      top_v_q    <= '0;
    end else begin
      case (a_q)
        A_IDLE:  if (arm_go) a_q <= A_LOOK;
        A_LOOK:  a_q <= !top_v_q[a2] ? A_WIPE1 : !mid_v ? A_WIPE0 : A_PUT;
        A_WIPE1: if (&wipe_q[B1-1:0]) a_q <= A_WIPE0;
        A_WIPE0: if (&wipe_q) a_q <= A_PUT;
        default: a_q <= A_IDLE;
      endcase
      if (arm_go)       arm_last_q <= 1'b1;
      else if (walk_go) arm_last_q <= 1'b0;
      if (put) begin
        any_q       <= 1'b1;
        top_v_q[a2] <= 1'b1;
      end else if (w_q == W_TOP_END && walk_go) begin
        any_q         <= any2_q;
      end else if (w_q == W_MID_END && walk_go) begin
        top_v_q[i2_q] <= any1_q;
      end
    end
    if (a_q == A_LOOK || (a_q == A_WIPE1 && (&wipe_q[B1-1:0]))) wipe_q <= '0;
    else wipe_q <= wipe_q + B0'(1);
    if (a_q == A_LOOK) begin
      fresh_q    <= !top_v_q[a2] || !mid_v || low_m == '0;
      arm_min2_q <= top_v_q[a2] && reached(arm_deadline_i, top_d);
      arm_min1_q <= top_v_q[a2] && mid_v && reached(arm_deadline_i, mid_d);
      arm_min0_q <= top_v_q[a2] && mid_v && low_m != '0 && reached(arm_deadline_i, low_d);
    end
    if (put && (!any_q || !reached(arm_deadline_i, root_q))) root_q <= arm_deadline_i;
    else if (w_q == W_TOP_END && walk_go) root_q <= acc2_q;
  end

  // ---------------------------------------------------------------- walk
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      w_q   <= W_IDLE;
      in1_q <= 1'b0;
      in0_q <= 1'b0;
    end else begin
      case (w_q)
        W_IDLE: if (any_q && reached(tick, root_q)) w_q <= W_TOP;
        W_TOP:  if (walk_go) w_q <= W_TOP_E;
        W_TOP_E: begin
          w_q   <= (top_v_q[i2_q] && due) ? W_MID : last2 ? W_TOP_END : W_TOP;
          in1_q <= top_v_q[i2_q] && due;
        end
        W_TOP_END: if (walk_go) w_q <= W_IDLE;
        W_MID:  if (walk_go) w_q <= W_MID_E;
        W_MID_E: begin
          w_q   <= (mid_v && due) ? W_LOW : last1 ? W_MID_END : W_MID;
          in0_q <= mid_v && due;
        end
        W_MID_END: if (walk_go) begin
          w_q   <= last2 ? W_TOP_END : W_TOP;
          in1_q <= 1'b0;
        end
        W_LOW:  if (walk_go) w_q <= W_LOW_E;
        W_LOW_E: w_q <= (low_m != '0 && due) ? W_EMIT : last0 ? W_LOW_END : W_LOW;
        W_LOW_END: if (walk_go) begin
          w_q   <= last1 ? W_MID_END : W_MID;
          in0_q <= 1'b0;
        end
        default: if (exp_ready_i && m_rest == '0) w_q <= last0 ? W_LOW_END : W_LOW;
      endcase
    end

    // which entry is next; each level begins at 0
    if (w_q == W_IDLE) i2_q <= '0;
    else if ((w_q == W_TOP_E && !(top_v_q[i2_q] && due)) || (w_q == W_MID_END && walk_go)) i2_q <= i2_q + B2'(1);
    if (w_q == W_TOP_E) i1_q <= '0;
    else if ((w_q == W_MID_E && !(mid_v && due)) || (w_q == W_LOW_END && walk_go)) i1_q <= i1_q + B1'(1);
    if (w_q == W_MID_E) i0_q <= '0;
    else if ((w_q == W_LOW_E && !(low_m != '0 && due)) || (w_q == W_EMIT && exp_ready_i && m_rest == '0))
        i0_q <= i0_q + B0'(1);
    if (w_q == W_LOW_E) m_q <= low_m;
    else if (w_q == W_EMIT && exp_ready_i) m_q <= m_rest;

    // what an arm of this cycle adds counts from the walk's first cycle on
    any2_q <= f2 || (any2_q && w_q != W_IDLE);
    if (f2 && (!any2_q || w_q == W_IDLE || !reached(fd2, acc2_q))) acc2_q <= fd2;
    any1_q <= f1 || (any1_q && w_q != W_TOP_E);
    if (f1 && (!any1_q || !reached(fd1, acc1_q))) acc1_q <= fd1;
    any0_q <= f0 || (any0_q && w_q != W_MID_E);
    if (f0 && (!any0_q || !reached(fd0, acc0_q))) acc0_q <= fd0;
  end

  assign any_o  = any_q;
  assign next_o = root_q;
  assign idle_o = w_q == W_IDLE && a_q == A_IDLE && !(any_q && reached(now_i[39:8], root_q));

  logic unused;
  assign unused = &{1'b0, now_i[63:40], now_i[7:0]};

  `ASSERT(Covers_A, !(put && any_q && w_q == W_IDLE) || top_v_q != '0)

endmodule

`default_nettype wire
