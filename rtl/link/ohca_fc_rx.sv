// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Receiver's credit account of one VL: blocks received (ABR), blocks held, and the limit to advertise (FCCL), modulo
// 2^CntW.
//
// A block is counted as received and as held when its first beat is stored, and as free when its last beat has left; so
// the limit never steps back by itself. A flow-control packet of the peer sets ABR to the peer's count, which repairs
// what was lost on the wire. fccl_o is one cycle old.
//
// The proof below closes the loop with the sender's account (ohca_fc_tx), blocks in flight that may be lost, and
// flow-control packets that come late or not at all, in both directions: the blocks held never exceed the share, and
// the sender never sees more credit than there is room.
// prove: CntW=3 bmc=12 ind=2 cover=20
// prove: CntW=4 bmc=8 ind=2

`include "ohca_assert.svh"
`default_nettype none

module ohca_fc_rx #(
  parameter int unsigned CntW = 12
) (
  input  logic            clk_i,
  input  logic            rst_i,
  input  logic            en_i,            // 0: ABR is zero; what is held stays counted
  input  logic            sync_valid_i,    // FCTBS of the peer
  input  logic [CntW-1:0] sync_abr_i,
  input  logic            get_i,           // a block begins to arrive
  input  logic            put_i,           // a block has left
  input  logic            use_i,           // this VL is in use; else it owns none
  input  logic [CntW-1:0] share_i,         // blocks of buffer that it owns
  output logic [CntW-1:0] used_o,
  output logic            full_o,          // the share is used up
  output logic [CntW-1:0] fccl_o
);

  localparam logic [CntW-1:0] Half = {1'b1, {(CntW-1){1'b0}}};

  logic [CntW-1:0] abr_q, used_q, used_d, left, upto;
  logic            none, most;
  assign used_d = used_q + CntW'(get_i) - CntW'(put_i);
  assign used_o = used_q;
  assign full_o = none;
  // More than half the circle cannot be told from a limit that lies behind. All three limits that there may be are made
  // beside what chooses one of them.
  assign left   = share_i - used_q;
  assign upto   = abr_q + share_i - used_q;
  assign none   = !use_i || used_q >= share_i;
  assign most   = left > Half;

  always_ff @(posedge clk_i) begin
    if (rst_i) used_q <= '0;
    else       used_q <= used_d;
    if (rst_i || !en_i)    abr_q <= '0;
    else if (sync_valid_i) abr_q <= sync_abr_i;
    else if (get_i)        abr_q <= abr_q + CntW'(1);
    if (rst_i || !en_i) fccl_o <= '0;
    else                fccl_o <= none ? abr_q : most ? abr_q ^ Half : upto;
  end

  `ASSERT(PutOfHeld_A, !put_i || used_q != '0 || get_i)

`ifdef FORMAL
  `FORMAL_START
  localparam int unsigned W = CntW + 2;
  (* anyconst *) logic [CntW-1:0] f_share;
  (* anyseq *)   logic [CntW-1:0] f_need;
  (* anyseq *)   logic            f_take, f_lose, f_note, f_deliver, f_forget;
  logic [CntW-1:0] f_sent, f_avail, f_fly_q, f_msg_q, f_limit_q, f_held_q;
  logic            f_ok, f_msg_v_q;
  ohca_fc_tx #(.CntW(CntW)) u_peer (
    .clk_i(clk_i), .rst_i(rst_i), .en_i(1'b1), .upd_valid_i(f_deliver && f_msg_v_q), .upd_limit_i(f_msg_q),
    .need_i(f_need), .ok_o(f_ok), .take_i(f_take), .sent_o(f_sent), .avail_o(f_avail)
  );
  `ASSUME(Env_M, en_i && use_i && share_i == f_share && f_need != '0)
  `ASSUME(Take_M, !f_take || f_ok)
  // Blocks on the wire arrive, or are lost, one at a time; a flow-control packet is between blocks, and has the count
  // of those before it.
  `ASSUME(Wire_M, (f_fly_q != '0 || !(get_i || f_lose)) && {1'b0, get_i} + {1'b0, f_lose} + {1'b0, sync_valid_i} < 2'd2)
  `ASSUME(Sync_M, sync_abr_i == f_sent - f_fly_q)
  `ASSUME(Put_M, !put_i || f_held_q != '0)
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      f_fly_q   <= '0;
      f_msg_v_q <= 1'b0;
      f_limit_q <= '0;
      f_held_q  <= '0;
    end else begin
      f_fly_q <= f_fly_q + (f_take ? f_need : '0) - CntW'(get_i || f_lose);
      if (f_deliver && f_msg_v_q) f_limit_q <= f_msg_q;
      if (get_i && !put_i) f_held_q <= f_held_q + CntW'(1);
      if (put_i && !get_i) f_held_q <= f_held_q - CntW'(1);
      // The limit on its way back; it may be lost.
      if (f_deliver || f_forget) f_msg_v_q <= 1'b0;
      else if (f_note && !f_msg_v_q) begin
        f_msg_v_q <= 1'b1;
        f_msg_q   <= fccl_o;
      end
    end
  end

  // What the receiver does not know of: sent, neither on the wire nor counted.
  logic [CntW-1:0] f_lost, f_room, f_rmsg, f_rnow;
  logic [W-1:0]    f_cap;
  assign f_lost = f_sent - f_fly_q - abr_q;
  assign f_rmsg = f_msg_q - f_sent;
  assign f_rnow = fccl_o - f_sent;
  assign f_cap  = (W'(f_share) - W'(used_q) > W'(Half)) ? W'(Half) : W'(f_share) - W'(used_q);
  assign f_room = f_limit_q - f_sent;

  `ASSERT(Held_A, used_q == f_held_q)
  `ASSERT(NeverOverrun_A, W'(f_held_q) + W'(f_fly_q) <= W'(f_share))
  `ASSERT(CreditIsRoom_A, W'(f_avail) + W'(f_fly_q) + W'(used_q) <= W'(f_share))
  `ASSERT(Used_A, used_q <= f_share)
  `ASSERT(Mirror_A, f_avail == ((f_room <= Half) ? f_room : '0))
  `ASSERT(Limit_A, W'(f_room) + W'(f_fly_q) + W'(f_lost) <= f_cap)
  `ASSERT(Message_A, !f_msg_v_q || (W'(f_rmsg) + W'(f_fly_q) + W'(f_lost) <= f_cap && f_rmsg >= f_room))
  `ASSERT(Now_A, W'(f_rnow) + W'(f_fly_q) + W'(f_lost) <= f_cap && f_rnow >= f_room && (!f_msg_v_q || f_rnow >= f_rmsg))
  // Nothing leaks: when all is quiet and the counts have met, the whole share is on offer.
  `ASSERT(AllBack_A, !past_valid_q || $past(rst_i) || $past(rst_i, 2) ||
      !($past(used_q) == '0 && $past(f_fly_q) == '0 && $past(f_lost) == '0) ||
          fccl_o == CntW'($past(f_sent) + ((f_share > Half) ? Half : f_share)))
  `COVER(LostAndFound_C, f_lost == '0 && past_valid_q && $past(f_lost) == CntW'(2) && used_q != '0)
  `COVER(Wrapped_C, f_avail != '0 && f_limit_q < f_sent)
`endif

endmodule

`default_nettype wire
