// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Headers of received packets, kept whole: they wait for the verdicts of the CRCs, are checked, and leave as a
// descriptor.
//
// Verdict to rxd_valid_o: 2 cycles, where a datagram's Internet checksum does not come later (ohca_ip_sum); one packet
// a cycle. A packet may begin while ready_o, a flop. Descriptors are flops. A packet that fails a check is told with
// drop_o, and its counter in why_o; it does not wait for rxd_ready_i, but while that is away the one behind it comes a
// cycle later. A congestion notification ends here. It does NOT look at P_Key, QP or PSN, nor at a packet's length but
// what the headers need. ohca_link_rx_hdr does the same word by word in block RAM.
// lint: DataWidth=512
// lint: RoCE=0
// lint: Compact=1

`include "ohca_assert.svh"
`include "ohca_lazy.svh"
`default_nettype none

module ohca_link_rx_whole #(
  parameter int unsigned DataWidth  = 64,
  parameter int unsigned AddrW      = 12,      // of the receive buffer, in words
  parameter bit          RoCE       = 1'b1,
  parameter bit          Compact    = 1'b0,    // no Internet checksums
  localparam int unsigned Bytes     = DataWidth / 8,
  localparam int unsigned BytesW    = $clog2(Bytes),
  localparam int unsigned GuidTabW  = ohca_fmt_pkg::PORT_GIDS * 64
) (
  input  logic                    clk_i,
  input  logic                    rst_i,
  output logic                    idle_o,

  input  ohca_fmt_pkg::port_cfg_t cfg_i,
  input  logic [GuidTabW-1:0]     guids_i,

  // Beats of packets in their internal form, and the same in wire order, first byte in the most significant place
  output logic                    ready_o,
  input  logic                    fire_i,
  input  logic                    last_i,
  input  logic [10:0]             idx_i,        // of the beat
  input  logic [DataWidth-1:0]    data_i,
  input  logic [DataWidth-1:0]    wire_i,       // with the beats of the headers
  input  logic                    eth_i,
  input  logic [5:0]              slot_i,
  input  logic [AddrW-1:0]        base_i,
  input  logic                    loop_i,
  input  logic                    fw_i,
  input  logic                    bad_i,        // these three with last_i
  input  logic                    len_ok_i,
  input  logic                    over_i,

  // Verdicts of the CRCs, one for each packet
  input  logic                    v_valid_i,
  output logic                    v_pop_o,
  input  logic                    v_vcrc_i,
  input  logic                    v_icrc_i,

  output logic                    rxd_valid_o,
  input  logic                    rxd_ready_i,
  output ohca_fmt_pkg::rxd_t      rxd_o,

  output logic                    cnp_valid_o,
  output logic [23:0]             cnp_qpn_o,    // the QP that is to slow down; its path has not been checked
  output logic [127:0]            cnp_sgid_o,   // who says so

  // What becomes of a packet; the rest goes with it
  output logic                    take_o,
  output logic                    drop_o,
  output logic [5:0]              slot_o,
  output logic                    loop_o,
  output logic                    v15_o,
  output logic                    quiet_o,
  output logic                    eth_o,
  output logic                    cnp_o,        // with drop_o: nothing is wrong with it
  output logic                    ce_o,
  output logic [15:0]             dlid_o,
  output logic [10:0]             pktlen_o,
  output logic [5:0]              why_o
);

  // LRH 8, GRH 40, BTH 12, ext 28; Ethernet: IP at 28, IPv6 40, UDP 8, BTH 12, ext 28
  localparam int unsigned HdrB     = RoCE ? 116 : 88;
  localparam int unsigned HdrBeats = (HdrB + Bytes - 1) / Bytes;
  localparam int unsigned HdrRegB  = HdrBeats * Bytes;

  // ------------------------------------------------------------------ headers of the packet that comes in
  // What a short packet does not have is left over from the one before.

  logic [HdrRegB*8-1:0] hdr_q, hdr;
  always_comb begin
    hdr = hdr_q;
    for (int unsigned b = 0; b < HdrBeats; b++) begin
      if (idx_i == 11'(b)) hdr[(HdrBeats-1-b)*DataWidth +: DataWidth] = wire_i;
    end
  end
  always_ff @(posedge clk_i) begin
    `WHEN(idx_i < 11'(HdrBeats)) if (fire_i) hdr_q <= hdr;
  end

  // {hdr, base, slot, loop, fw, bad, len_ok, over, eth, ud}
  localparam int unsigned HW = HdrB*8 + AddrW + 6 + 7;
  logic              k_ud, p_ud, c_valid, c_ok;
  logic              hf_valid, hf_ready, hf_pop;
  // verilator lint_off UNUSEDSIGNAL
  logic [HdrB*8-1:0] p_hdr;                     // the reserved bits of the LRH are not looked at
  // verilator lint_on UNUSEDSIGNAL
  logic [AddrW-1:0]  p_base;
  logic [5:0]        p_slot;
  logic              p_loop, p_fw, p_bad, p_lenok, p_over, p_eth;
  logic [4:0]        hf_count;
  ohca_fifo #(.Width(HW), .Depth(16)) u_hdr (
    .clk_i(clk_i), .rst_i(rst_i),
    .valid_i(fire_i && last_i), .ready_o(hf_ready),
    .data_i({hdr[HdrRegB*8-1 -: HdrB*8], base_i, slot_i, loop_i, fw_i, bad_i, len_ok_i, over_i, eth_i, k_ud}),
    .valid_o(hf_valid), .ready_i(hf_pop),
    .data_o({p_hdr, p_base, p_slot, p_loop, p_fw, p_bad, p_lenok, p_over, p_eth, p_ud}),
    .count_o(hf_count), .almost_full_o()
  );
  // Room for this packet and for the one before it, whose last beat a count that is a cycle old has not seen.
  always_ff @(posedge clk_i) ready_o <= hf_count < 5'd14;

  // Internet checksums, in an adapter that has room for them. Datagrams have one more result to wait for.
  if (!Compact) begin : g_sums
    logic        done, ok, has_v4, has_l4, has_udp, c_ready;
    logic [16:0] sum4;
    logic [17:0] sum;
    logic [11:0] start;
    logic [4:0]  at;
    ohca_ip_sum #(.DataWidth(DataWidth), .RoCE(RoCE)) u_sum (
      .clk_i(clk_i), .rst_i(rst_i), .valid_i(fire_i), .last_i(last_i), .data_i(data_i), .eth_i(eth_i), .ud_o(k_ud),
      .done_o(done), .ok_o(ok), .v4_o(has_v4), .l4_o(has_l4), .udp_o(has_udp), .sum4_o(sum4), .sum_o(sum),
      .start_o(start), .at_o(at)
    );
    ohca_fifo #(.Width(1), .Depth(16)) u_ok (
      .clk_i(clk_i), .rst_i(rst_i), .valid_i(done), .ready_o(c_ready), .data_i(ok),
      .valid_o(c_valid), .ready_i(hf_pop && p_ud), .data_o(c_ok), .count_o(), .almost_full_o()
    );
    `ASSERT(SumRoom_A, !done || c_ready)
    logic unused_sum;
    assign unused_sum = &{1'b0, has_v4, has_l4, has_udp, sum4, sum, start, at, c_ready};
  end else begin : g_no_sums
    assign k_ud    = 1'b0;
    assign c_valid = 1'b1;
    assign c_ok    = 1'b0;
    logic unused_data;
    assign unused_data = &{1'b0, data_i};
  end

  // ---------------------------------------------------------------- first stage: both results together, link checks
  logic [10:0] l_pktlen;
  logic        l_grh, l_ok, l_quiet;
  logic [1:0]  l_lnh;
  logic [5:0]  l_why;
  ohca_link_lrh u_lrh (
    .cfg_i(cfg_i), .lrh_i(p_hdr[HdrB*8-1 -: 64]), .eth_i(p_eth), .fw_i(p_fw), .bad_i(p_bad), .over_i(p_over),
    .len_ok_i(p_lenok), .vcrc_i(v_vcrc_i), .icrc_i(v_icrc_i), .ok_o(l_ok), .quiet_o(l_quiet), .why_o(l_why)
  );
  assign l_lnh    = p_hdr[HdrB*8-15 -: 2];
  assign l_pktlen = p_hdr[HdrB*8-38 -: 11];
  assign l_grh    = l_lnh == 2'd3;

  // Raw header fields of both forms
  logic         hv_both;
  logic [319:0] s_grh;
  logic [95:0]  s_bth;
  logic [223:0] s_ext;
  if (RoCE) begin : g_hdr_eth
    ohca_fmt_pkg::ipv4_t v4;
    logic [319:0] grh4;                         // the canonical form
    assign v4    = p_hdr[HdrB*8-225 -: 160];
    assign grh4  = `TAKEN(hv_both, {4'd6, v4.dscp, v4.ecn, 20'd0, v4.len - 16'd20, 8'h1b, v4.ttl,
                                    80'd0, 16'hffff, v4.src, 80'd0, 16'hffff, v4.dst});
    assign s_grh = `TAKEN(hv_both, !p_eth ? p_hdr[HdrB*8-65 -: 320] : l_lnh[0] ? p_hdr[HdrB*8-225 -: 320] : grh4);
    assign s_bth = p_eth ? (l_lnh[0] ? p_hdr[HdrB*8-609 -: 96] : p_hdr[HdrB*8-449 -: 96]) :
                   l_grh ? p_hdr[HdrB*8-385 -: 96] : p_hdr[HdrB*8-65 -: 96];
    assign s_ext = `TAKEN(hv_both, p_eth ? (l_lnh[0] ? p_hdr[223:0] : p_hdr[HdrB*8-545 -: 224]) :
                                   l_grh ? p_hdr[HdrB*8-481 -: 224] : p_hdr[HdrB*8-161 -: 224]);
    logic unused_v4;
    assign unused_v4 = &{1'b0, v4};
  end else begin : g_hdr_ib
    assign s_grh = p_hdr[HdrB*8-65 -: 320];
    assign s_bth = l_grh ? p_hdr[HdrB*8-385 -: 96] : p_hdr[HdrB*8-65 -: 96];
    assign s_ext = l_grh ? p_hdr[223:0] : p_hdr[HdrB*8-161 -: 224];
  end

  logic       s_ok;
  logic [5:0] s_why;
  // verilator lint_off UNUSEDSIGNAL
  logic [319:0] l_ib;                           // s_grh of an InfiniBand packet
  // verilator lint_on UNUSEDSIGNAL
  assign l_ib = p_hdr[HdrB*8-65 -: 320];
  always_comb begin
    s_ok  = l_ok;
    s_why = l_why;
    if (l_ok && l_grh && !p_eth) begin
      if (l_ib[319:316] != 4'd6 || l_ib[271:264] != 8'h1b) begin
        s_ok  = 1'b0;
        s_why = ohca_fmt_pkg::COUNTER_RX_BTH;
      end else if (l_ib[287:272] != {3'd0, l_pktlen - 11'd12, 2'd0}) begin
        s_ok  = 1'b0;
        s_why = ohca_fmt_pkg::COUNTER_RX_LEN;
      end
    end
  end

  // What the opcode says of the headers' length, and whether it is one of a congestion notification.
  logic [5:0] s_off;
  logic       s_cnp;
  ohca_link_ext u_ext (
    .op_i(s_bth[95:88]), .start_i(p_eth ? (l_lnh[0] ? 6'd22 : 6'd17) : l_grh ? 6'd15 : 6'd5), .off_o(s_off)
  );
  assign s_cnp = p_eth && s_bth[95:88] == 8'h81;

  localparam int unsigned AW = 320 + 96 + 224 + AddrW + 6 + 3 + 4 + 16 + 16 + 11 + 1 + 6 + 2 + 3 + 7;
  logic          a_valid_q, a_ready;
  logic [AW-1:0] a_q;
  assign hv_both = hf_valid && v_valid_i && (!p_ud || c_valid);
  assign hf_pop  = hv_both && a_ready;
  assign v_pop_o = hf_pop;
  always_ff @(posedge clk_i) begin
    if (rst_i) a_valid_q <= 1'b0;
    else a_valid_q <= a_ready ? hv_both : a_valid_q && t_good;
    `WHEN(hf_pop) if (a_ready) begin
      a_q <= {s_grh, s_bth, s_ext, p_base, p_slot, p_hdr[HdrB*8-1 -: 4] == 4'd15, p_fw, p_loop, p_hdr[HdrB*8-9 -: 4],
              p_hdr[HdrB*8-17 -: 16], p_hdr[HdrB*8-49 -: 16], l_pktlen, p_eth || l_grh, s_why, s_ok, l_quiet, p_eth,
              l_lnh[0], p_ud && c_ok, s_off, s_cnp};
    end
  end

  // Where a GRH leads to; known with the second stage.
  logic [7:0] a_gidx;
  ohca_link_gid u_gid (
    .clk_i(clk_i), .prefix_i(cfg_i.gid_prefix), .guids_i(guids_i), .prefix_en_i(a_ready), .guid_en_i(a_ready),
    .dprefix_i(p_hdr[HdrB*8-65-192 -: 64]), .dguid_i(p_hdr[HdrB*8-65-256 -: 64]), .idx_o(a_gidx)
  );

  // ---------------------------------------------------------------- second stage: transport header length
  logic [319:0] a_grh;
  logic [95:0]  a_bth;
  logic [223:0] a_ext;
  logic [AddrW-1:0] a_base;
  logic [5:0]   a_slot, a_why, a_off;
  logic         a_v15, a_fw, a_loop, a_grhv, a_ok, a_quiet, a_eth, a_v6, a_cnp, a_sum;
  logic [3:0]   a_sl;
  logic [15:0]  a_dlid, a_slid;
  logic [10:0]  a_pktlen;
  assign {a_grh, a_bth, a_ext, a_base, a_slot, a_v15, a_fw, a_loop, a_sl, a_dlid, a_slid, a_pktlen, a_grhv, a_why, a_ok,
          a_quiet, a_eth, a_v6, a_sum, a_off, a_cnp} = a_q;

  logic [7:0]  t_off;
  logic [12:0] t_left;                          // bytes after the headers, up to the ICRC, without padding
  logic        t_len_ok, t_good, out_free;
  ohca_link_bth u_bth (
    .off_i(a_off), .pad_i(a_bth[85:84]), .pktlen_i(a_pktlen), .ok_o(t_len_ok), .left_o(t_left)
  );
  // A congestion notification ends here.
  assign t_off  = {a_off, 2'd0};
  assign t_good = a_ok && t_len_ok && !a_cnp;

  logic rxd_valid_q;
  ohca_fmt_pkg::rxd_t rxd_q;
  assign out_free    = !rxd_valid_q || rxd_ready_i;
  // Not by what the check says: a packet that fails makes room a cycle later, if it has to.
  assign a_ready     = !a_valid_q || out_free;
  assign rxd_valid_o = rxd_valid_q;
  assign rxd_o       = rxd_q;
  assign drop_o      = a_valid_q && !t_good;
  assign slot_o      = a_slot;
  assign take_o      = a_valid_q && t_good && out_free;
  always_ff @(posedge clk_i) begin
    if (rst_i) rxd_valid_q <= 1'b0;
    else if (out_free) rxd_valid_q <= take_o;
    `WHEN(take_o) if (out_free) begin
      rxd_q.slot    <= a_slot;
      rxd_q.vl15    <= a_v15 && !a_eth;
      rxd_q.from_fw <= a_fw;
      rxd_q.loop    <= a_loop;
      rxd_q.sl      <= (a_eth && a_v6) ? {1'b1, a_sl[2:0]} : a_sl;   // a priority has three bits
      rxd_q.dlid    <= a_eth ? 16'd0 : a_dlid;
      rxd_q.slid    <= !a_eth ? a_slid : (a_bth[95:93] == 3'd3) ? a_dlid : 16'd0;
      rxd_q.grh_v   <= a_grhv;
      rxd_q.grh     <= a_grh;
      rxd_q.bth     <= a_bth;
      rxd_q.ext     <= a_ext;
      // The IPv6 header is where a GRH would be, seen from 20 bytes further on; so are the last 20 bytes of one with
      // IPv4.
      rxd_q.base    <= 20'({a_base, {BytesW{1'b0}}}) + ((a_eth && a_v6) ? 20'd20 : 20'd0);
      rxd_q.pay_off <= (a_eth && a_v6) ? t_off - 8'd20 : t_off;
      rxd_q.plen    <= t_left;
      rxd_q.eth     <= a_eth;
      rxd_q.ce      <= a_eth && a_slid[8];
      rxd_q.csum_ok <= a_sum;
      rxd_q.gidx    <= a_eth ? a_slid[7:0] : a_gidx;
    end
    cnp_valid_o <= drop_o && a_ok && t_len_ok && a_cnp && !rst_i;
    cnp_qpn_o   <= a_bth[55:32];
    cnp_sgid_o  <= a_grh[255:128];
  end
  assign quiet_o  = a_quiet;
  assign loop_o   = a_loop;
  assign v15_o    = a_v15;
  assign eth_o    = a_eth;
  assign cnp_o    = a_ok && t_len_ok;
  assign ce_o     = a_slid[8];
  assign dlid_o   = a_dlid;
  assign pktlen_o = a_pktlen;
  assign why_o    = (a_ok && !t_len_ok) ? ohca_fmt_pkg::COUNTER_RX_LEN :
                    (a_ok && a_cnp) ? ohca_fmt_pkg::COUNTER_CNP_RX : a_why;
  assign idle_o   = !hf_valid && !a_valid_q && !rxd_valid_q;

  `ASSERT(HdrRoom_A, !(fire_i && last_i) || hf_ready)

  logic unused;
  assign unused = &{1'b0, hf_ready, hdr};

endmodule

`default_nettype wire
