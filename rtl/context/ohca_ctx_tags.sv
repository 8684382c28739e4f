// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Tags of a cache: a number is looked up, and its way allocated, in two cycles.
//
//   lookup, or a fill that failed and leaves the tags -> tag RAM -> compare, allocate, write -> what follows (valid_o)
//
// One a cycle. It stays at the compare while what follows has no room (room_i, fills_i, room2_i), and all behind it
// waits: the next lookup in a second place, so that lk_ready_o is a gate behind two flops. An invalidation that also
// has a victim takes two cycles there (half_o). It does NOT know whether a line is there yet: what follows keeps tokens
// behind their fill.

`include "ohca_assert.svh"
`include "ohca_lazy.svh"
`default_nettype none

module ohca_ctx_tags #(
  parameter int unsigned  Sets     = 256,    // power of two, at least 2
  parameter int unsigned  Ways     = 1,      // 1 or 2
  parameter int unsigned  TokenW   = 32,
  parameter int unsigned  SeqW     = 5,      // names an allocation among those that can be in flight
  parameter bit           ReadOnly = 1'b0,
  parameter bit           SetIn    = 1'b0,   // lk_set_i is the set of lk_id_i (set_of)
  localparam int unsigned SetW     = $clog2(Sets),
  localparam int unsigned WayW     = (Ways == 2) ? 1 : 0,
  localparam int unsigned IdxW     = SetW + WayW             // {way, set}
) (
  input  logic              clk_i,
  input  logic              rst_i,
  output logic              busy_o,        // something is at the compare, or the tags are being cleared after reset
  input  logic [24:0]       limit_i,

  input  logic              lk_valid_i,
  output logic              lk_ready_o,
  input  logic [23:0]       lk_id_i,
  input  logic [23:0]       lk_set_i,
  input  logic [TokenW-1:0] lk_token_i,
  input  logic              lk_inval_i,
  input  logic [4:0]        lk_block_i,
  input  logic              lk_hint_i,

  input  logic              drop_valid_i,  // a fill that failed: its place and allocation; before all lookups
  output logic              drop_ready_o,
  input  logic [IdxW-1:0]   drop_idx_i,
  input  logic [SeqW-1:0]   drop_seq_i,

  input  logic              room_i,        // for this token
  input  logic              fills_i,       // for its fill
  input  logic              room2_i,       // for two evictions

  output logic              s0_open_o,     // tags are read: those of s0_set_o, if valid_o follows
  output logic [SetW-1:0]   s0_set_o,
  output logic              valid_o,       // at the compare, with drop_o a failed fill:
  output logic              drop_o,
  output logic [23:0]       id_o,
  output logic [TokenW-1:0] token_o,
  output logic              inval_o,
  output logic              hint_o,
  output logic [SetW-1:0]   set_o,
  output logic [SeqW-1:0]   seq_o,
  output logic              bad_o,         // there is no such number
  output logic              none_o,        // ReadOnly: nothing to invalidate
  output logic              miss_o,
  output logic              victim_o,      // a miss takes the place of another line
  output logic              way_o,
  output logic              half_o,        // its first cycle of two
  output logic              half_q_o,      // its second
  output logic              alloc_o,       // pulse: a miss goes on
  output logic              push_o,        // pulse: a token goes on
  output logic [23:0]       ev_id_o        // what is evicted
);

  localparam int unsigned TagW    = 24 - SetW;
  localparam int unsigned WayBits = 1 + SeqW + TagW;   // {valid, seq, tag}
  localparam int unsigned WordW   = 2 * WayBits + 1;   // {most recent way, way 1, way 0}; way 1 stays invalid when
                                                       // Ways = 1

`include "ohca_ctx_set.svh"
  logic              init_q;               // the tags are being cleared
  logic [SetW-1:0]   init_set_q;
  logic              s1_valid_q, s1_drop_q, s1_bad_q, s1_inval_q, s1_hint_q, s1_done, s1_free, s0_fire;
  // The tags that the cycle before wrote are what is read: by parts of the set, as what is looked up comes late.
  logic [SetParts-1:0] s1_fwd_q, again, as_drop, as_hold, as_lk;
  logic [23:0]       s1_id_q;
  logic [TokenW-1:0] s1_token_q;
  logic [TagW-1:0]   s1_any_q, any;        // bits of the tag that need not match
  logic [SetW-1:0]   s1_set_q;
  logic              s1_dway_q;
  logic [SeqW-1:0]   s1_dseq_q;
  // A lookup that was taken while the compare was held up
  logic              lk_take, hold_q, hold_inval_q, hold_hint_q, in_inval, in_hint;
  logic [23:0]       hold_id_q, in_id;
  logic [TokenW-1:0] hold_token_q, in_token;
  logic [4:0]        hold_block_q, in_block;
  logic [SetW-1:0]   hold_set_q, lk_set, s0_early;
  logic [WordW-1:0]  tag_rd, fwd_q, word, word_d;
  logic              tag_we;

  assign lk_set     = SetIn ? lk_set_i[SetW-1:0] : set_of(lk_id_i);
  assign s1_free    = !s1_valid_q || s1_done;
  assign lk_ready_o = !hold_q && !init_q;
  assign lk_take    = s1_free && !init_q && !drop_valid_i;
  assign drop_ready_o = s1_free && !init_q && drop_valid_i;
  assign s0_fire      = s1_free && !init_q && (drop_valid_i || hold_q || lk_valid_i);
  // What opens all of the stage does not wait for whether there is something: nobody looks at what comes in for nobody.
  assign s0_open_o    = `TAKEN(s0_fire, s1_free && !init_q);
  // What is looked up comes last: it is let in behind the choice of the others.
  assign s0_early     = drop_valid_i ? drop_idx_i[SetW-1:0] : hold_q ? hold_set_q : '0;
  assign s0_set_o     = s0_early | (lk_set & {SetW{!drop_valid_i && !hold_q}});
  // The set of the cycle before: compared with each before the choice.
  assign as_drop      = same_set(s1_set_q, drop_idx_i[SetW-1:0]);
  assign as_hold      = same_set(s1_set_q, hold_set_q);
  assign as_lk        = same_set(s1_set_q, lk_set);
  assign again        = drop_valid_i ? as_drop : hold_q ? as_hold : as_lk;
  assign {in_inval, in_hint} = hold_q ? {hold_inval_q, hold_hint_q} : {lk_inval_i, lk_hint_i};
  assign in_id    = hold_q ? hold_id_q : lk_id_i;
  assign in_token = hold_q ? hold_token_q : lk_token_i;
  assign in_block = hold_q ? hold_block_q : lk_block_i;
  always_ff @(posedge clk_i) begin
    hold_q <= !rst_i && !lk_take && (hold_q || (lk_valid_i && lk_ready_o));
    // Whether something is held is all that tells it from what was not.
    if (!hold_q) begin
      hold_id_q    <= lk_id_i;
      hold_set_q   <= lk_set;
      hold_token_q <= lk_token_i;
      hold_inval_q <= lk_inval_i;
      hold_block_q <= lk_block_i;
      hold_hint_q  <= lk_hint_i;
    end
  end

  ohca_ram_sdp #(
    .Width(WordW), .Depth(Sets), .OldData(1'b0)
  ) u_tags (
    .clk_i(clk_i),
    .wr_en_i(init_q || tag_we), .wr_be_i(1'b1), .wr_addr_i(init_q ? init_set_q : s1_set_q),
    .wr_data_i(init_q ? '0 : word_d),
    .rd_en_i(s0_open_o), .rd_addr_i(s0_set_o), .rd_data_o(tag_rd)
  );

  // Stage 1: compare, allocate.
  logic              v0, v1, hit0, hit1, hit, mru, lk_ok, lk_done, s1_half_q;
  logic [TagW-1:0]   t0, t1, vtag;
  logic [SeqW-1:0]   q0, q1, seq_q;
  logic [23:0]       vid;

  assign word = (&s1_fwd_q) ? fwd_q : tag_rd;
  assign {mru, v1, q1, t1, v0, q0, t0} = word;
  assign any    = ReadOnly ? s1_any_q : '0;            // nothing in the comparison where no block can be dropped
  assign hit0   = v0 && ((t0 ^ s1_id_q[23:SetW]) & ~any) == '0;
  assign hit1   = v1 && t1 == s1_id_q[23:SetW] && Ways == 2;
  assign hit    = hit0 || hit1;
  assign bad_o    = s1_bad_q;
  assign none_o   = ReadOnly && s1_inval_q && !hit;   // nothing to drop: nothing is fetched for it, and no other line
                                                    // goes
  assign miss_o   = !bad_o && !hit && !none_o;
  assign way_o    = (Ways == 2) && (hit ? hit1 : !v0 ? 1'b0 : !v1 ? 1'b1 : !mru);
  assign victim_o = miss_o && (way_o ? v1 : v0);
  assign vtag   = way_o ? t1 : t0;
  assign vid    = {vtag, s1_set_q ^ set_of({vtag, SetW'(0)})};

  // An invalidation that also has a victim takes two entries in the list of evictions: the victim's first, its own a
  // cycle later.
  assign lk_ok    = s1_valid_q && !s1_drop_q && room_i && (!miss_o || fills_i) &&
      ((!miss_o && !s1_inval_q) || room2_i || s1_half_q);
  assign half_o     = lk_ok && victim_o && s1_inval_q && !s1_half_q && !ReadOnly;
  assign lk_done  = lk_ok && !half_o;
  assign s1_done  = s1_drop_q || lk_done;
  assign alloc_o    = lk_done && miss_o;
  assign push_o   = lk_done;

  assign busy_o   = init_q || s1_valid_q || hold_q;
  assign valid_o  = s1_valid_q;
  assign drop_o   = s1_drop_q;
  assign id_o     = s1_id_q;
  assign token_o  = s1_token_q;
  assign inval_o  = s1_inval_q;
  assign hint_o   = s1_hint_q;
  assign set_o    = s1_set_q;
  assign seq_o    = seq_q;
  assign half_q_o = s1_half_q;
  assign ev_id_o  = (victim_o && !s1_half_q) ? vid : s1_id_q;

  logic way_d, valid_d;
  logic [SeqW-1:0] nseq;
  always_comb begin
    way_d   = s1_drop_q ? s1_dway_q : way_o;
    valid_d = !s1_drop_q && !s1_inval_q;
    nseq    = miss_o ? seq_q : (way_d ? q1 : q0);
    word_d  = {way_d, v1, q1, t1, v0, q0, t0};
    if (way_d && Ways == 2) word_d[2*WayBits-1:WayBits] = {valid_d, nseq, s1_id_q[23:SetW]};
    else                    word_d[WayBits-1:0]         = {valid_d, nseq, s1_id_q[23:SetW]};
    if (s1_drop_q) begin
      word_d = word;
      if (s1_dway_q) word_d[2*WayBits-1] = 1'b0;
      else           word_d[WayBits-1]   = 1'b0;
    end
  end
  // A hit writes only what changes, so nothing toggles on repeated use.
  assign tag_we = s1_drop_q ? (s1_valid_q && (s1_dway_q ? (v1 && q1 == s1_dseq_q) : (v0 && q0 == s1_dseq_q)))
                            : (lk_done && !bad_o && !none_o && (miss_o || s1_inval_q || (Ways == 2 && mru != way_o)));

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      init_q     <= 1'b1;
      init_set_q <= '0;
      s1_valid_q <= 1'b0;
      s1_drop_q  <= 1'b0;
      s1_half_q  <= 1'b0;
      seq_q      <= '0;
    end else begin
      if (init_q) begin
        init_set_q <= init_set_q + SetW'(1);
        if (&init_set_q) init_q <= 1'b0;
      end
      s1_half_q <= half_o || (s1_half_q && !lk_done);
      if (s1_free) begin
        s1_valid_q <= s0_fire;
        s1_drop_q  <= s0_fire && drop_valid_i;
      end
      if (alloc_o) seq_q <= seq_q + SeqW'(1);
    end
    if (s0_open_o) begin
      s1_set_q  <= s0_set_o;
      s1_dseq_q <= drop_seq_i;
      s1_dway_q <= (Ways == 2) && drop_idx_i[IdxW-1];
      s1_fwd_q  <= again & {SetParts{tag_we}};
      if (tag_we) fwd_q <= word_d;
      if (!drop_valid_i) begin
        s1_id_q    <= in_id;
        s1_token_q <= in_token;
        s1_bad_q   <= {1'b0, in_id} >= limit_i;
        s1_inval_q <= in_inval;
        for (int unsigned i = 0; i < TagW; i++) s1_any_q[i] <= ReadOnly && in_inval && SetW + i < 32'(in_block);
        s1_hint_q  <= in_hint;
      end
    end
  end

  `ASSERT(Set_A, !lk_valid_i || lk_set == set_of(lk_id_i))
  logic unused;
  assign unused = &{1'b0, lk_set_i};

endmodule

`default_nettype wire
