// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Keeps what a packet with a bad P_Key or Q_Key says of itself, for the notice to the subnet manager (traps 257 and
// 258). One at a time: the first of a kind that firmware is waiting for; the others only leave a mark.
//
// Nothing waits for it: what comes in is taken or passed over in its cycle. Firmware waits for the kinds that it may
// tell of now, so that a flood of one kind neither hides the other nor wakes it more often than it sends notices.

// prove: bmc=8 ind=2 cover=8
// prove: Gids=0 bmc=8 ind=2 cover=8
// lint: Gids=0

`include "ohca_assert.svh"
`default_nettype none

module ohca_viol #(
  parameter bit Gids = 1'b1                   // keeps the GIDs, too: two thirds of all there is
) (
  input  logic                   clk_i,
  input  logic                   rst_i,

  // Pulses, with what was refused: by the responder, by the acknowledge engine. With both, the first is taken.
  input  logic                   rs_valid_i,
  input  ohca_fmt_pkg::rx_viol_t rs_i,
  input  logic                   ra_valid_i,
  input  ohca_fmt_pkg::rx_viol_t ra_i,

  input  logic                   we_i,        // firmware
  input  logic                   release_i,   // with we_i: it has read what is kept
  input  logic [1:0]             wait_i,      // with we_i: kinds it waits for now: P_Key, Q_Key
  input  logic [3:0]             dw_i,        // dword to read, see m_sys_viol
  output logic                   have_o,
  output logic [31:0]            rdata_o      // same cycle
);

  logic                   have_q, valid, take;
  logic [1:0]             wait_q, missed_q, missed;
  ohca_fmt_pkg::rx_viol_t v_q, v;

  assign valid  = rs_valid_i || ra_valid_i;
  always_comb begin
    v = rs_valid_i ? rs_i : ra_i;
    if (!Gids) begin
      v.grh  = 1'b0;
      v.sgid = '0;
      v.dgid = '0;
    end
  end
  assign take   = valid && !have_q && (v.qkey ? wait_q[1] : wait_q[0]);
  assign missed = {(rs_valid_i && rs_i.qkey) || (ra_valid_i && ra_i.qkey),
      (rs_valid_i && !rs_i.qkey) || (ra_valid_i && !ra_i.qkey)};
  assign have_o = have_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      have_q   <= 1'b0;
      wait_q   <= '0;
      missed_q <= '0;
    end else begin
      if (take)                    have_q <= 1'b1;
      else if (we_i && release_i)  have_q <= 1'b0;
      if (we_i)                    wait_q <= wait_i;
      if (we_i && release_i)       missed_q <= take ? '0 : missed;
      else if (!take)              missed_q <= missed_q | missed;
      else if (rs_valid_i && ra_valid_i) missed_q[ra_i.qkey] <= 1'b1;
    end
    if (take) v_q <= v;
  end

  // Without a GRH the GIDs are anything: firmware knows.
  always_comb begin
    case (dw_i)
      4'd0:    rdata_o = {have_q, v_q.qkey, missed_q[1], missed_q[0], v_q.grh, 23'd0, v_q.sl};
      4'd1:    rdata_o = {v_q.slid, v_q.dlid};
      4'd2:    rdata_o = v_q.key;
      4'd3:    rdata_o = {8'd0, v_q.srcqp};
      4'd4:    rdata_o = {8'd0, v_q.destqp};
      4'd5:    rdata_o = v_q.sgid[127:96];
      4'd6:    rdata_o = v_q.sgid[95:64];
      4'd7:    rdata_o = v_q.sgid[63:32];
      4'd8:    rdata_o = v_q.sgid[31:0];
      4'd9:    rdata_o = v_q.dgid[127:96];
      4'd10:   rdata_o = v_q.dgid[95:64];
      4'd11:   rdata_o = v_q.dgid[63:32];
      default: rdata_o = v_q.dgid[31:0];
    endcase
  end

`ifdef FORMAL
  `FORMAL_START
  // What firmware reads in many accesses is one packet's, and what it waits for.
  `ASSERT(Kept_A, !past_valid_q || $past(rst_i) || !$past(have_q) || $past(we_i && release_i) ||
      (have_q && v_q == $past(v_q)))
  `ASSERT(Wanted_A, !past_valid_q || $past(rst_i) || !have_q || $past(have_q) || $past(wait_q[v.qkey]))
  // A violation while the place is empty and its kind is wanted is not lost; any other leaves its mark.
  `ASSERT(Taken_A, !past_valid_q || $past(rst_i) || !$past(rs_valid_i && !have_q && wait_q[rs_i.qkey]) ||
      (have_q && v_q == $past(v)))
  `ASSERT(Marked_A, !past_valid_q || $past(rst_i) || !$past(rs_valid_i && have_q) || missed_q[$past(rs_i.qkey)])
  `ASSERT(Second_A, !past_valid_q || $past(rst_i) || !$past(rs_valid_i && ra_valid_i && take && !(we_i && release_i)) ||
      missed_q[$past(ra_i.qkey)])
  `COVER(Again_C, past_valid_q && !$past(rst_i) && have_q && !$past(have_q) && missed_q == '0 &&
      $past(v_q.qkey) != v_q.qkey)
`endif

endmodule

`default_nettype wire
