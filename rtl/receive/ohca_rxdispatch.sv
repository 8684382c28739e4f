// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Sends each received packet to the engine that owns it: responder, acknowledge engine, or the management core's MAD
// buffers; what no engine can own is dropped and its buffer slot released. One cycle of latency, one packet per cycle
// (two cycles with Slow); MADs overlap with other packets and take a cycle more. A multicast packet stays at the head
// while ohca_rx_mcast names the members of its group; each gets a copy. Requests to place a MAD, the word that its
// buffer is taken, releases and counters are flops.
//
// It does NOT look at contexts: QP type, state, keys and path are the engines' business.

`include "ohca_assert.svh"
`default_nettype none

module ohca_rxdispatch #(
  parameter bit Slow = 1'b0     // a packet takes at least two cycles to arrive: half the rate will do
) (
  input  logic                  clk_i,
  input  logic                  rst_i,
  output logic                  idle_o,
  output logic [63:0]           cnt_o,          // bit n pulses for counter n

  input  logic [24:0]           limit_i,        // QP numbers that exist: qpn < limit_i

  input  logic                  rxd_valid_i,
  output logic                  rxd_ready_o,
  input  ohca_fmt_pkg::rxd_t    rxd_i,

  output logic                  rs_valid_o,     // requests and datagrams
  input  logic                  rs_ready_i,
  output ohca_fmt_pkg::rxd_t    rs_o,

  output logic                  ra_valid_o,     // responses
  input  logic                  ra_ready_i,
  output ohca_fmt_pkg::rxd_t    ra_o,

  // Multicast packets: ohca_rx_mcast names the QPs that get a copy
  output logic                  mc_go_o,
  output logic [127:0]          mc_mgid_o,
  output logic [5:0]            mc_slot_o,
  input  logic                  mc_valid_i,
  output logic                  mc_ready_o,
  input  logic [23:0]           mc_qpn_i,
  input  logic                  mc_last_i,
  input  logic                  mc_none_i,      // nobody gets it
  output logic                  mc_none_ready_o,

  // MADs: one placement request each (client 2 of ohca_place) into a free buffer of the management core.
  input  logic                  mad_free_i,
  input  logic [1:0]            mad_slot_i,
  output logic                  mad_take_o,     // a flop: the buffer mad_slot_i was taken a cycle ago
  output logic [9:0]            mad_len_o,      // ... by so many bytes
  output logic                  pl_req_valid_o,
  input  logic                  pl_req_ready_i,
  output ohca_fmt_pkg::pl_req_t pl_req_o,
  input  logic                  pl_rsp_valid_i,

  output logic                  rel_valid_o,    // always taken
  output logic [5:0]            rel_slot_o
);

  localparam int unsigned MadBytes = 512;
  localparam logic [23:0] McastQpn = 24'hffffff;

  // ------------------------------------------------------------------------------------------------ where it goes
  // Worked out in front of the queue, where the headers come from flops, and kept beside them: engines take a packet in
  // the cycle in which the queue is read.
  ohca_fmt_pkg::bth_t in_bth;
  ohca_fmt_pkg::grh_t in_grh;
  logic               in_mad, in_rs, in_ra, in_tver, in_qpn, in_op, in_mc, mc_lid, in_good, in_bad_mc;
  assign in_bth = rxd_i.bth;
  assign in_grh = rxd_i.grh;

  ohca_fmt_pkg::opcode_t is;
  ohca_opcode u_opcode (.op_i(in_bth.opcode), .is_o(is));

  always_comb begin
    in_mad  = rxd_i.vl15 && !rxd_i.from_fw;
    in_tver = !in_mad && in_bth.tver != 4'd0;
    // A multicast packet is one by all of its headers: DestQP, DLID, GRH. (On an Ethernet port ohca_eth_in has compared
    // MAC and IP address.)
    in_mc     = !in_mad && !in_tver && in_bth.destqp == McastQpn;
    mc_lid    = !rxd_i.eth && !rxd_i.from_fw && rxd_i.dlid[15:14] == 2'b11 && rxd_i.dlid != 16'hffff;
    in_good   = in_mc && rxd_i.grh_v && is.ud && is.send && is.only &&
                (rxd_i.eth || (mc_lid && in_grh.dgid[127:120] == 8'hff));
    in_bad_mc = (in_mc && !in_good) || (!in_mad && !in_tver && mc_lid && !in_mc);
    in_qpn    = !in_mad && !in_tver && !in_mc && !mc_lid && {1'b0, in_bth.destqp} >= limit_i;
    in_rs     = 1'b0;
    in_ra     = 1'b0;
    in_op     = 1'b0;
    if (!in_mad && !in_tver && !in_qpn && !in_mc && !mc_lid) begin
      // Reliable connection: an opcode nobody knows is the responder's to refuse.
      in_ra = is.rc && is.answer;
      in_rs = (is.rc && !is.answer) || (is.ud && is.send && is.only);
      in_op = !in_ra && !in_rs;
    end
  end

  // ------------------------------------------------------------------------------------------------ input register
  ohca_fmt_pkg::rxd_t p;
  ohca_fmt_pkg::bth_t bth, rs_bth;
  ohca_fmt_pkg::grh_t grh;
  logic               p_valid, p_take;
  logic               is_mad, to_rs, to_ra, bad_tver, bad_qpn, bad_op, mad_drop, drop, mc_good, bad_head, bad_mc;
  logic [13:0]        mad_len;
  logic               madq_ready, madq_valid, madq_push, drop_now;
  logic [5:0]         madq_slot;

  ohca_fifo #(.Width(8 + ohca_fmt_pkg::RXD_BITS), .Depth(2), .Single(Slow), .ValidFlop(!Slow)) u_in (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(rxd_valid_i), .ready_o(rxd_ready_o),
    .data_i({in_mad, in_rs, in_ra, in_tver, in_qpn, in_op, in_bad_mc, in_good, rxd_i}),
    .valid_o(p_valid), .ready_i(p_take),
    .data_o({is_mad, to_rs, to_ra, bad_tver, bad_qpn, bad_op, bad_head, mc_good, p}), .count_o(), .almost_full_o()
  );
  assign bth = p.bth;
  assign grh = p.grh;

  assign mad_len = {6'd0, p.pay_off} + {1'b0, p.plen};
  // Whether a MAD is too long is known in its second cycle here, and it goes on then at the earliest.
  logic        seen_q, long_q;
  always_ff @(posedge clk_i) begin
    seen_q <= !rst_i && p_valid && !p_take;
    long_q <= mad_len > 14'(MadBytes);
  end
  assign bad_mc   = bad_head || (mc_good && mc_none_i);
  assign mad_drop = is_mad && (!mad_free_i || long_q);
  assign drop     = bad_tver || bad_qpn || bad_op || mad_drop || bad_mc;

  // ------------------------------------------------------------------------------------------------ outputs
  assign rs_valid_o = (p_valid && to_rs) || mc_valid_i;
  always_comb begin
    rs_bth = bth;
    if (mc_valid_i) rs_bth.destqp = mc_qpn_i;
    rs_o     = p;
    rs_o.bth = rs_bth;
  end
  assign ra_valid_o = p_valid && to_ra;
  assign ra_o       = p;

  assign mc_go_o         = p_valid && mc_good;
  assign mc_mgid_o       = grh.dgid;
  assign mc_slot_o       = p.slot;
  assign mc_ready_o      = rs_ready_i;
  assign mc_none_ready_o = drop_now;

  // A MAD's request waits in a register for its turn, so that whose turn it is has nothing to do with what comes next.
  // A free buffer may not be taken away meanwhile: mad_free_i stays until mad_take_o. That it is taken is said from a
  // flop, and no other MAD follows before: mad_slot_i is the old one until then.
  logic        plr_ready;
  logic [19:0] plr_base;
  logic [12:0] plr_len;
  logic [1:0]  plr_slot;
  assign madq_push  = p_valid && seen_q && is_mad && !mad_drop && madq_ready && plr_ready && !mad_take_o;
  always_ff @(posedge clk_i) begin
    mad_take_o <= pl_req_valid_o && pl_req_ready_i && !rst_i;
    mad_len_o  <= plr_len[9:0];
  end
  ohca_fifo #(.Width(20 + 13 + 2), .Depth(2), .Single(1'b1)) u_plr (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(madq_push), .ready_o(plr_ready),
    .data_i({p.base, mad_len[12:0], mad_slot_i}),
    .valid_o(pl_req_valid_o), .ready_i(pl_req_ready_i), .data_o({plr_base, plr_len, plr_slot}), .count_o(),
    .almost_full_o()
  );

  always_comb begin
    pl_req_o      = '0;
    pl_req_o.last = 1'b1;
    pl_req_o.mad  = 1'b1;
    pl_req_o.va   = {55'd0, plr_slot, 7'd0};
    pl_req_o.src  = plr_base;
    pl_req_o.len  = plr_len;
  end

  ohca_fifo #(.Width(6), .Depth(4)) u_madq (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(madq_push), .ready_o(madq_ready), .data_i(p.slot),
    .valid_o(madq_valid), .ready_i(pl_rsp_valid_i), .data_o(madq_slot), .count_o(), .almost_full_o()
  );

  // A MAD that has been copied goes first; a drop can wait a cycle.
  assign drop_now = p_valid && drop && (seen_q || !is_mad) && !pl_rsp_valid_i;
  always_ff @(posedge clk_i) begin
    rel_valid_o <= !rst_i && (pl_rsp_valid_i || drop_now);
    rel_slot_o  <= pl_rsp_valid_i ? madq_slot : p.slot;
  end
  assign p_take      = (rs_valid_o && rs_ready_i && (!mc_valid_i || mc_last_i)) || (ra_valid_o && ra_ready_i) ||
      madq_push || drop_now;

  always_ff @(posedge clk_i) begin
    cnt_o <= '0;
    cnt_o[ohca_fmt_pkg::COUNTER_RX_BTH]       <= !rst_i && drop_now && bad_tver;
    cnt_o[ohca_fmt_pkg::COUNTER_RX_QPN]       <= !rst_i && drop_now && (bad_qpn || bad_mc);
    cnt_o[ohca_fmt_pkg::COUNTER_RX_OPCODE]    <= !rst_i && drop_now && bad_op;
    cnt_o[ohca_fmt_pkg::COUNTER_RX_VL15_DROP] <= !rst_i && drop_now && mad_drop;
  end

  assign idle_o = !p_valid && !madq_valid && !mad_take_o && !rel_valid_o;

  logic unused;
  assign unused = &{1'b0, grh, is, in_bth, in_grh};

  `ASSERT(OneWay_A, !p_valid || (2'(is_mad && !mad_drop) + 2'(to_rs) + 2'(to_ra) + 2'(drop) +
      2'(mc_good && !mc_none_i)) == 2'd1)
  `ASSERT(RspExpected_A, !pl_rsp_valid_i || madq_valid)

endmodule

`default_nettype wire
