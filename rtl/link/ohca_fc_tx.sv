// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Sender's credit account of one VL: blocks granted so far (FCTBS) against the limit that the receiver advertised
// (FCCL), modulo 2^CntW.
//
// ok_o is combinational from need_i; a take or an update shows in the next cycle. It does NOT know packets: whoever
// takes has seen ok_o with the same need_i. While en_i is 0 the account stands at zero without credit.

// prove: bmc=6 ind=2 cover=6

`include "ohca_assert.svh"
`default_nettype none

module ohca_fc_tx #(
  parameter int unsigned CntW = 12
) (
  input  logic            clk_i,
  input  logic            rst_i,
  input  logic            en_i,
  input  logic            upd_valid_i,     // a flow-control packet brought a new limit
  input  logic [CntW-1:0] upd_limit_i,
  input  logic [CntW-1:0] need_i,          // blocks of the packet that wants to go
  output logic            ok_o,
  input  logic            take_i,          // it goes
  output logic [CntW-1:0] sent_o,
  output logic [CntW-1:0] avail_o          // blocks that may be sent now
);

  localparam logic [CntW-1:0] Half = {1'b1, {(CntW-1){1'b0}}};

  logic [CntW-1:0] sent_q, limit_q, room;
  assign room    = limit_q - sent_q;
  // What is beyond half the circle is a limit that lies behind: no credit.
  assign ok_o    = room <= Half && need_i <= room;
  assign avail_o = (room <= Half) ? room : '0;
  assign sent_o  = sent_q;

  always_ff @(posedge clk_i) begin
    if (rst_i || !en_i) begin
      sent_q  <= '0;
      limit_q <= '0;
    end else begin
      if (take_i)      sent_q  <= sent_q + need_i;
      if (upd_valid_i) limit_q <= upd_limit_i;
    end
  end

`ifndef FORMAL
  `ASSERT(TakeCovered_A, !(take_i && en_i) || ok_o)
`else
  `FORMAL_START
  `ASSUME(TakeCovered_M, !take_i || ok_o)
  // A packet that may go fits into what is shown as available, and takes exactly that much of it.
  `ASSERT(OkIsAvail_A, !ok_o || need_i <= avail_o)
  `ASSERT(AvailIsOk_A, ok_o || need_i > avail_o || (room > Half && need_i == '0))
  `ASSERT(Exact_A, !past_valid_q || $past(rst_i || !en_i || upd_valid_i) ||
      avail_o == $past(avail_o) - ($past(take_i) ? $past(need_i) : '0))
  `ASSERT(Off_A, !past_valid_q || $past(en_i) || (avail_o == '0 && sent_o == '0))
  `COVER(Behind_C, avail_o == '0 && limit_q != sent_q)
  `COVER(UsedUp_C, past_valid_q && avail_o == '0 && limit_q == sent_q && sent_q > CntW'(5))
`endif

endmodule

`default_nettype wire
