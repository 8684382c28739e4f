// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Headers of received packets in a small adapter: they wait in block RAM for the verdict of the CRCs, and are read,
// checked and handed on word by word. Verdict to rxd_valid_o: one cycle for each word of headers, at most 11, and one
// more; the next packet follows then. 64 bits, InfiniBand only.
//
// The other way, of ohca_link_rx itself, holds all headers of a packet in registers at once and takes one packet a
// cycle; it costs three copies of them and a memory of LUTs. GRH and transport headers both begin at a word, so no
// multiplexer is needed either.

//            LRH │ GRH, 5 words │ BTH, 12 bytes, and the 28 behind it, 5 words
//   at_q =    0      1 … 5         1 … 5 or with a GRH 6 … 10                     15: nothing under way

`include "ohca_assert.svh"
`default_nettype none

module ohca_link_rx_hdr #(
  parameter int unsigned AddrW = 10,
  parameter int unsigned Slots = 16             // packets, power of two
) (
  input  logic                    clk_i,
  input  logic                    rst_i,
  output logic                    idle_o,
  input  ohca_fmt_pkg::port_cfg_t cfg_i,
  input  logic [64*ohca_fmt_pkg::PORT_GIDS-1:0] guids_i,

  // Beats on their way into the receive buffer. A packet's slot is its own from here on until it is dropped or given
  // back.
  input  logic                    fire_i,
  input  logic                    last_i,
  input  logic [10:0]             idx_i,        // beat within the packet
  input  logic [63:0]             data_i,       // wire order, first byte in [63:56]
  input  logic [5:0]              slot_i,       // counts up from packet to packet
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

  // What becomes of a packet; the rest goes with it
  output logic                    take_o,
  output logic                    drop_o,
  output logic [5:0]              slot_o,
  output logic                    loop_o,
  output logic                    v15_o,
  output logic                    quiet_o,
  output logic [15:0]             dlid_o,
  output logic [10:0]             pktlen_o,
  output logic [5:0]              why_o
);

  localparam int unsigned SlotW  = $clog2(Slots);
  localparam logic [3:0]  None   = 4'd15;
  localparam int unsigned HdrLen = 11;

  logic             i_valid, i_ready, i_loop, i_fw, i_bad, i_lenok, i_over;
  logic [SlotW-1:0] i_slot;
  logic [AddrW-1:0] i_base;
  ohca_fifo #(.Width(SlotW + AddrW + 5), .Depth(Slots)) u_info (
    .clk_i(clk_i), .rst_i(rst_i),
    .valid_i(fire_i && last_i), .ready_o(i_ready), .data_i({slot_i[SlotW-1:0], base_i, loop_i, fw_i, bad_i, len_ok_i,
    over_i}),
    .valid_o(i_valid), .ready_i(v_pop_o), .data_o({i_slot, i_base, i_loop, i_fw, i_bad, i_lenok, i_over}), .count_o(),
    .almost_full_o()
  );

  logic [3:0]  at_q, at_next;                   // the word that the memory shows
  logic [63:0] word;
  logic        start, busy;
  ohca_ram_sdp #(.Width(64), .Depth(16 * Slots), .OldData(1'b0)) u_words (
    .clk_i(clk_i),
    .wr_en_i(fire_i && idx_i < 11'(HdrLen)), .wr_be_i(1'b1), .wr_addr_i({slot_i[SlotW-1:0], idx_i[3:0]}),
    .wr_data_i(data_i),
    .rd_en_i(start || busy), .rd_addr_i({i_slot, at_next}), .rd_data_o(word)
  );

  logic        valid_q, grh, ok_q, quiet_q, lrh_ok, lrh_quiet, is_lrh, is_grh, is_bth, bth_ok, last;
  logic [5:0]  why_q, lrh_why;
  logic [10:0] pktlen_q;
  logic [5:0]  off;
  logic [12:0] left;
  ohca_fmt_pkg::rxd_t rxd_q;
  assign grh     = rxd_q.grh_v;
  assign at_next = at_q + 4'd1;
  assign busy    = at_q != None;
  assign start   = !busy && i_valid && v_valid_i && (!valid_q || rxd_ready_i);
  assign is_lrh  = at_q == 4'd0;
  assign is_grh  = grh && at_q == 4'd1;
  assign is_bth  = at_q == (grh ? 4'd6 : 4'd1);
  // A packet may end before the longest headers do; one word comes behind the BTH's first in any case, so every check
  // has been made.
  assign last    = at_q == (grh ? 4'd10 : 4'd5) || pktlen_q[10:1] == {6'd0, at_next};
  assign take_o  = busy && !is_lrh && ok_q && last;
  assign drop_o  = busy && !is_lrh && !ok_q;
  assign v_pop_o = take_o || drop_o;

  ohca_link_lrh u_lrh (
    .cfg_i(cfg_i), .lrh_i(word), .eth_i(1'b0), .fw_i(i_fw), .bad_i(i_bad), .over_i(i_over), .len_ok_i(i_lenok),
    .vcrc_i(v_vcrc_i), .icrc_i(v_icrc_i),
    .ok_o(lrh_ok), .quiet_o(lrh_quiet), .why_o(lrh_why)
  );
  logic [7:0] gidx;
  ohca_link_gid u_gid (
    .clk_i(clk_i), .prefix_i(cfg_i.gid_prefix), .guids_i(guids_i), .prefix_en_i(grh && at_q == 4'd4),
    .guid_en_i(grh && at_q == 4'd5),
    .dprefix_i(word), .dguid_i(word), .idx_o(gidx)
  );
  ohca_link_ext u_ext (.op_i(word[63:56]), .start_i(grh ? 6'd15 : 6'd5), .off_o(off));
  ohca_link_bth u_bth (.off_i(off), .pad_i(word[53:52]), .pktlen_i(pktlen_q), .ok_o(bth_ok), .left_o(left));

  always_ff @(posedge clk_i) begin
    if (rst_i)              at_q <= None;
    else if (v_pop_o)       at_q <= None;
    else if (start || busy) at_q <= at_next;
    if (rst_i)              valid_q <= 1'b0;
    else                    valid_q <= take_o || (valid_q && !rxd_ready_i);
    if (is_lrh) begin
      ok_q     <= lrh_ok;
      quiet_q  <= lrh_quiet;
      why_q    <= lrh_why;
      pktlen_q <= word[26:16];
    end
    if (is_grh) begin
      if (word[63:60] != 4'd6 || word[15:8] != 8'h1b) begin
        ok_q <= 1'b0;
        if (ok_q) why_q <= ohca_fmt_pkg::COUNTER_RX_BTH;
      end else if (word[31:16] != {3'd0, pktlen_q - 11'd12, 2'd0}) begin
        ok_q <= 1'b0;
        if (ok_q) why_q <= ohca_fmt_pkg::COUNTER_RX_LEN;
      end
    end
    if (is_bth && !bth_ok) begin
      ok_q <= 1'b0;
      if (ok_q) why_q <= ohca_fmt_pkg::COUNTER_RX_LEN;
    end
  end

  always_ff @(posedge clk_i) begin
    if (is_lrh) begin
      rxd_q.slot    <= 6'(i_slot);
      rxd_q.vl15    <= word[63:60] == 4'd15;
      rxd_q.from_fw <= i_fw;
      rxd_q.loop    <= i_loop;
      rxd_q.sl      <= word[55:52];
      rxd_q.dlid    <= word[47:32];
      rxd_q.slid    <= word[15:0];
      rxd_q.grh_v   <= word[49:48] == 2'd3;
      rxd_q.base    <= 20'({i_base, 3'd0});
    end
    for (int unsigned i = 0; i < 5; i++) begin
      if (grh && at_q == 4'(1 + i)) rxd_q.grh[64*(4-i) +: 64] <= word;
    end
    if (is_bth) begin
      rxd_q.bth[95:32] <= word;
      rxd_q.pay_off    <= {off, 2'd0};
      rxd_q.plen       <= left;
      rxd_q.gidx       <= gidx;
    end
    if (at_q == (grh ? 4'd7 : 4'd2)) {rxd_q.bth[31:0], rxd_q.ext[223:192]} <= word;
    for (int unsigned i = 0; i < 3; i++) begin
      if (at_q == (grh ? 4'(8 + i) : 4'(3 + i))) rxd_q.ext[64*(2-i) +: 64] <= word;
    end
    rxd_q.eth  <= 1'b0;
    rxd_q.ce   <= 1'b0;
    rxd_q.csum_ok <= 1'b0;
  end

  assign rxd_valid_o = valid_q;
  assign rxd_o       = rxd_q;
  assign slot_o      = 6'(i_slot);
  assign loop_o      = i_loop;
  assign v15_o       = rxd_q.vl15;
  assign quiet_o     = quiet_q;
  assign dlid_o      = rxd_q.dlid;
  assign pktlen_o    = pktlen_q;
  assign why_o       = why_q;
  assign idle_o      = !i_valid && !busy && !valid_q;

  `ASSERT(InfoRoom_A, !(fire_i && last_i) || i_ready)
  `ASSERT(OutFree_A, !busy || !valid_q)

  logic unused;
  assign unused = &{1'b0, i_ready, slot_i};

endmodule

`default_nettype wire
