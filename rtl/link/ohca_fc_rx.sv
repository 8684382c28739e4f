// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Receiver's credit account of one VL: blocks received (ABR), blocks held, and the limit to advertise (FCCL), modulo 2^CntW.
//
// A block is counted as received and as held when its first beat is stored, and as free when its last beat has left; so the limit never
// steps back by itself. A flow-control packet of the peer sets ABR to the peer's count, which repairs what was lost on the wire. fccl_o is
// one cycle old.

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
  input  logic [CntW-1:0] share_i,         // blocks of buffer that this VL owns
  output logic [CntW-1:0] used_o,
  output logic            full_o,          // the share is used up
  output logic [CntW-1:0] fccl_o
);

  localparam logic [CntW-1:0] Half = {1'b1, {(CntW-1){1'b0}}};

  logic [CntW-1:0] abr_q, used_q, used_d, free;
  assign used_d = used_q + CntW'(get_i) - CntW'(put_i);
  assign used_o = used_q;
  assign full_o = used_q >= share_i;
  // More than half the circle cannot be told from a limit that lies behind.
  assign free   = (used_q >= share_i) ? '0 : ((share_i - used_q) > Half) ? Half : share_i - used_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) used_q <= '0;
    else       used_q <= used_d;
    if (rst_i || !en_i)    abr_q <= '0;
    else if (sync_valid_i) abr_q <= sync_abr_i;
    else if (get_i)        abr_q <= abr_q + CntW'(1);
    if (rst_i || !en_i) fccl_o <= '0;
    else                fccl_o <= abr_q + free;
  end

  `ASSERT(PutOfHeld_A, !put_i || used_q != '0 || get_i)

endmodule

`default_nettype wire
