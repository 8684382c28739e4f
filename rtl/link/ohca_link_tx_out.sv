// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Exit of the link's transmit side: packets and flow-control packets onto the wire, one whole behind the other, and
// what is known of them there: blocks, cycles, counters.
//
// Beat in to tx_valid_o: 1 cycle; one beat a cycle. A flow-control packet goes before a packet that has not begun.
// A packet that was chosen before the port went Down (another epoch_o than now), or that finds it Down with its first
// beat, is taken and dropped; one that has begun goes to its end. tx_* and stat_o are flops; what it says to the
// modules beside it (ready_o, fc_send_o, begin_*, left_*) is not. It does NOT choose packets.
// lint: DataWidth=512 NumVl=8
// lint: NumVl=1

`default_nettype none

module ohca_link_tx_out #(
  parameter int unsigned DataWidth = 64,
  parameter int unsigned NumVl     = 4,
  parameter int unsigned RateW     = 2,
  localparam int unsigned Bytes    = DataWidth / 8,
  localparam int unsigned QW       = $clog2(NumVl + 2)
) (
  input  logic                 clk_i,
  input  logic                 rst_i,
  input  logic                 en_i,            // the port is not Down
  input  logic                 eth_i,
  output logic                 epoch_o,         // changes when the port goes Down

  // Packets, LRH to VCRC; what follows last_i is stable through one
  input  logic                 valid_i,
  output logic                 ready_o,
  input  logic [DataWidth-1:0] data_i,
  input  logic [Bytes-1:0]     keep_i,
  input  logic                 last_i,
  input  logic [10:0]          len_i,           // dwords without the CRCs
  input  logic [QW-1:0]        ring_i,
  input  logic                 mcast_i,
  input  logic                 rated_i,         // ipd_i is not 0
  input  logic [RateW-1:0]     rate_i,
  input  logic [7:0]           ipd_i,
  input  logic                 epoch_i,         // epoch_o as it was when it was chosen

  // Flow-control packets: ohca_link_tx_fc
  input  logic                 fc_valid_i,
  input  logic                 fc_old_i,
  input  logic [47:0]          fc_data_i,
  output logic                 fc_send_o,
  output logic                 begin_o,         // a packet's first beat goes
  output logic [NumVl-1:0]     begin_vl_o,
  output logic [11:0]          begin_blocks_o,

  // A packet with ipd != 0 has left: ohca_link_tx_may
  output logic                 left_o,
  output logic [RateW-1:0]     left_rate_o,
  output logic [23:0]          left_hold_o,

  // Wire
  output logic                 tx_valid_o,
  input  logic                 tx_ready_i,
  output logic [DataWidth-1:0] tx_data_o,
  output logic [Bytes-1:0]     tx_keep_o,
  output logic                 tx_last_o,
  output logic [1:0]           tx_kind_o,       // 0 packet, 1 flow control

  // What happened, and what is told here of it
  input  logic                 lost_i,          // a packet was dropped elsewhere
  input  logic                 waits_i,         // a packet of a data VL waits
  output ohca_fmt_pkg::port_tx_stat_t stat_o,
  output logic [63:0]          cnt_o
);

  // ------------------------------------------------------------------ mux: flow control goes between packets
  logic                 mid_q, o_ready, o_valid, o_last, fc_go, fc_wait;
  logic                 in_q, kill_q, kill;       // inside a packet of the reader; it is not to be sent
  logic                 en_q;
  logic [DataWidth-1:0] o_data;
  logic [Bytes-1:0]     o_keep;
  assign fc_wait   = fc_valid_i && !mid_q && en_i;
  assign fc_go     = fc_wait && !fc_old_i;
  assign fc_send_o = fc_go && o_ready;
  assign kill      = in_q ? kill_q : (!en_i || epoch_i != epoch_o);
  assign o_valid   = fc_go || (valid_i && !kill && !fc_wait);
  assign o_last    = fc_go || last_i;
  assign o_data    = fc_go ? DataWidth'(fc_data_i) : data_i;
  assign o_keep    = fc_go ? Bytes'(6'h3f) : keep_i;
  assign ready_o   = kill || (o_ready && !fc_wait);

  ohca_skid #(.Width(DataWidth + Bytes + 2)) u_out (
    .clk_i(clk_i), .rst_i(rst_i),
    .valid_i(o_valid), .ready_o(o_ready), .data_i({fc_go, o_last, o_keep, o_data}),
    .valid_o(tx_valid_o), .ready_i(tx_ready_i), .data_o({tx_kind_o[0], tx_last_o, tx_keep_o, tx_data_o})
  );
  assign tx_kind_o[1] = 1'b0;

  logic        fire, sent;
  logic [23:0] hold_q;                            // ipd times the cycles of the packet so far
  assign fire           = valid_i && ready_o;
  assign sent           = fire && !kill;
  assign begin_o        = sent && !in_q;
  assign begin_blocks_o = 12'((32'(len_i) * 32'd4 + 32'd69) >> 6);
  assign left_o         = fire && last_i && rated_i;
  assign left_rate_o    = rate_i;
  assign left_hold_o    = (in_q ? hold_q : 24'd0) + 24'(ipd_i);
  always_comb for (int unsigned v = 0; v < NumVl; v++) begin_vl_o[v] = ring_i == QW'(v);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      mid_q   <= 1'b0;
      in_q    <= 1'b0;
      epoch_o <= 1'b0;
      en_q    <= 1'b0;
    end else begin
      if (fire) in_q  <= !last_i;
      if (sent) mid_q <= !last_i;
      en_q <= en_i;
      if (en_q && !en_i) epoch_o <= !epoch_o;
    end
    if (fire) kill_q <= kill;
    if (valid_i || in_q) hold_q <= left_hold_o[23] ? 24'h800000 : left_hold_o;
  end

  // ------------------------------------------------------------------ what happened
  logic words_q;
  always_ff @(posedge clk_i) begin
    stat_o         <= '0;
    stat_o.pkt     <= sent && last_i && !rst_i;
    stat_o.mcast   <= mcast_i;
    stat_o.dw      <= eth_i ? len_i - 11'd2 : len_i + 11'd1;      // without what precedes the frame
    stat_o.discard <= (lost_i || (fire && last_i && kill)) && !rst_i;
    stat_o.wait_   <= waits_i && !sent && !rst_i;
    stat_o.fc      <= fc_send_o && !rst_i;
    words_q        <= sent && !rst_i;
  end
  always_comb begin
    cnt_o = '0;
    cnt_o[ohca_fmt_pkg::COUNTER_TX_DROP]  = stat_o.discard;
    cnt_o[ohca_fmt_pkg::COUNTER_TX_PKTS]  = stat_o.pkt;
    cnt_o[ohca_fmt_pkg::COUNTER_TX_WORDS] = words_q;
    cnt_o[ohca_fmt_pkg::COUNTER_TX_WAIT]  = stat_o.wait_;
  end

endmodule

`default_nettype wire
