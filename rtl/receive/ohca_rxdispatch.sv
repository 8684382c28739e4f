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

  // ------------------------------------------------------------------------------------------------ input register
  ohca_fmt_pkg::rxd_t p;
  ohca_fmt_pkg::bth_t bth, rs_bth;
  ohca_fmt_pkg::grh_t grh;
  logic               p_valid, p_take;

  ohca_fifo #(.Width(ohca_fmt_pkg::RXD_BITS), .Depth(2), .Single(Slow)) u_in (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(rxd_valid_i), .ready_o(rxd_ready_o), .data_i(rxd_i),
    .valid_o(p_valid), .ready_i(p_take), .data_o(p), .count_o(), .almost_full_o()
  );
  assign bth = p.bth;
  assign grh = p.grh;

  // ------------------------------------------------------------------------------------------------ where it goes
  logic        is_mad, to_rs, to_ra, bad_tver, bad_qpn, bad_op, mad_drop, drop, mc, mc_lid, mc_good, bad_mc;
  logic [13:0] mad_len;
  logic        madq_ready, madq_valid, madq_push, drop_now;
  logic [5:0]  madq_slot;

  ohca_fmt_pkg::opcode_t is;
  ohca_opcode u_opcode (.op_i(bth.opcode), .is_o(is));

  assign mad_len = {6'd0, p.pay_off} + {1'b0, p.plen};
  // Whether a MAD is too long is known in its second cycle here, and it goes on then at the earliest.
  logic        seen_q, long_q;
  always_ff @(posedge clk_i) begin
    seen_q <= !rst_i && p_valid && !p_take;
    long_q <= mad_len > 14'(MadBytes);
  end

  always_comb begin
    is_mad   = p.vl15 && !p.from_fw;
    bad_tver = !is_mad && bth.tver != 4'd0;
    // A multicast packet is one by all of its headers: DestQP, DLID, GRH. (On an Ethernet port ohca_eth_in has compared
    // MAC and IP address.)
    mc       = !is_mad && !bad_tver && bth.destqp == McastQpn;
    mc_lid   = !p.eth && !p.from_fw && p.dlid[15:14] == 2'b11 && p.dlid != 16'hffff;
    mc_good  = mc && p.grh_v && is.ud && is.send && is.only && (p.eth || (mc_lid && grh.dgid[127:120] == 8'hff));
    bad_mc   = (mc && !mc_good) || (!is_mad && !bad_tver && mc_lid && !mc) || (mc_good && mc_none_i);
    bad_qpn  = !is_mad && !bad_tver && !mc && !mc_lid && {1'b0, bth.destqp} >= limit_i;
    to_rs    = 1'b0;
    to_ra    = 1'b0;
    bad_op   = 1'b0;
    if (!is_mad && !bad_tver && !bad_qpn && !mc && !mc_lid) begin
      // Reliable connection: an opcode nobody knows is the responder's to refuse.
      to_ra  = is.rc && is.answer;
      to_rs  = (is.rc && !is.answer) || (is.ud && is.send && is.only);
      bad_op = !to_ra && !to_rs;
    end
    mad_drop = is_mad && (!mad_free_i || long_q);
    drop     = bad_tver || bad_qpn || bad_op || mad_drop || bad_mc;
  end

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
  assign unused = &{1'b0, grh, is, bth.se, bth.migreq, bth.padcnt, bth.pkey, bth.fecn, bth.becn, bth.rsvd0, bth.ackreq,
                    bth.rsvd1, bth.psn};

  `ASSERT(OneWay_A, !p_valid || (2'(is_mad && !mad_drop) + 2'(to_rs) + 2'(to_ra) + 2'(drop) +
      2'(mc_good && !mc_none_i)) == 2'd1)
  `ASSERT(RspExpected_A, !pl_rsp_valid_i || madq_valid)

endmodule

`default_nettype wire
