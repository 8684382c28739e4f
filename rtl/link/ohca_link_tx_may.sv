// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Which rings of the link's transmit side may send their oldest packet: the port's state, credits, pauses, and the
// static rate of its destination.
//
// may_o and flush_o are flops, of what was so a cycle before: in the cycle behind take_i and behind upd_valid_i they do
// not hold yet, and the caller does not use them. A packet may go or not in every cycle. It does NOT choose among those
// that may (ohca_link_tx_arb).
//
// Static rate: after a packet with ipd != 0 that occupied the wire for T cycles, no packet to the same DLID starts for
// ipd * T cycles. RateEntries DLIDs are kept; when more are active at once the oldest loses its spacing. A packet that
// waits for its rate blocks its own VL only.
// lint: NumVl=1
// lint: NumVl=8 RateEntries=2

`default_nettype none

module ohca_link_tx_may #(
  parameter int unsigned NumVl       = 4,
  parameter int unsigned RateEntries = 4,
  localparam int unsigned NumQ       = NumVl + 2,
  localparam int unsigned RateW      = (RateEntries > 1) ? $clog2(RateEntries) : 1
) (
  input  logic                   clk_i,
  input  logic                   rst_i,
  input  logic [31:0]            now_i,
  input  logic                   en_i,           // the port is not Down
  input  logic                   eth_i,          // pauses in place of credits

  // The rings: 0 … NumVl - 1 of the VLs, NumVl loopback (for which nothing is said), NumVl + 1 VL15
  input  logic [NumQ-1:0]        open_i,
  input  logic [NumQ-1:0]        have_i,         // a packet waits
  input  logic [NumQ-1:0][10:0]  len_i,          // its dwords without the CRCs
  input  logic [NumQ-1:0][15:0]  dlid_i,
  input  logic [NumQ-1:0][7:0]   ipd_i,
  input  logic [NumVl-1:0]       pause_i,

  input  logic                   upd_valid_i,    // a flow-control packet arrived
  input  logic [3:0]             upd_vl_i,
  input  logic [11:0]            upd_fccl_i,
  output logic [NumVl-1:0][11:0] credit_o,       // blocks

  output logic [NumQ-1:0]        may_o,
  output logic [NumQ-1:0]        flush_o,        // its ring is closed: the packet is to be dropped
  output logic [NumVl-1:0]       wait_o,         // it waits for credits: no register
  output logic [NumVl-1:0][11:0] need_o,         // its blocks of 64 bytes, LRH to VCRC: no register

  // A packet is chosen
  input  logic [NumQ-1:0]        take_i,         // of this ring
  input  logic                   take_rated_i,   // its ipd is not 0
  input  logic [15:0]            take_dlid_i,
  output logic [RateW-1:0]       rate_o,         // the place that is its own then: no register
  // A packet with ipd != 0 has left, or was dropped
  input  logic                   left_i,
  input  logic [RateW-1:0]       left_rate_i,
  input  logic [23:0]            left_hold_i     // its cycles times its ipd
);

  localparam int unsigned QLoop = NumVl;
  localparam int unsigned Q15   = NumVl + 1;

  // ------------------------------------------------------------------ credits
  logic [NumVl-1:0] cr_ok;
  for (genvar g = 0; g < NumVl; g++) begin : g_credit
    assign need_o[g] = 12'((32'(len_i[g]) * 32'd4 + 32'd69) >> 6);
    ohca_fc_tx u_fc (
      .clk_i(clk_i), .rst_i(rst_i), .en_i(en_i),
      .upd_valid_i(upd_valid_i && upd_vl_i == 4'(g)), .upd_limit_i(upd_fccl_i),
      .need_i(need_o[g]), .ok_o(cr_ok[g]), .take_i(take_i[g] && !eth_i), .sent_o(), .avail_o(credit_o[g])
    );
    assign wait_o[g] = have_i[g] && open_i[g] && !eth_i && !cr_ok[g];
  end

  // ------------------------------------------------------------------ static rate
  logic [RateEntries-1:0]       busy_q, hold_q, act;            // packet under way; spacing after it
  logic [RateEntries-1:0][15:0] dlid_q;
  logic [RateEntries-1:0][31:0] until_q;
  logic [RateEntries-1:0]       over, over_q;
  logic [RateW-1:0]             turn_q;
  logic                         none;                           // every place belongs to a packet under way
  always_comb begin
    for (int unsigned i = 0; i < RateEntries; i++) begin
      over[i] = !ohca_fmt_pkg::time_lt(now_i, until_q[i]);
      act[i]  = busy_q[i] || (hold_q[i] && !over_q[i]);
    end
    // A free place, else the next in turn that is not under way.
    none   = &busy_q;
    rate_o = turn_q;
    for (int unsigned i = RateEntries; i > 0; i--) if (!busy_q[i-1]) rate_o = RateW'(i - 1);
    if (!busy_q[turn_q]) rate_o = turn_q;
    for (int unsigned i = RateEntries; i > 0; i--) if (!act[i-1]) rate_o = RateW'(i - 1);
  end

  // Places: taken with the choice, timed when the packet has left.
  logic take;
  assign take = take_i != '0 && take_rated_i;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      busy_q <= '0;
      hold_q <= '0;
      turn_q <= '0;
    end else begin
      for (int unsigned i = 0; i < RateEntries; i++) begin
        // A cycle ahead: until_q is one less than the time.
        over_q[i] <= over[i];
        if (over_q[i] || !en_i) hold_q[i] <= 1'b0;
        if (left_i && left_rate_i == RateW'(i)) begin
          busy_q[i]  <= 1'b0;
          hold_q[i]  <= 1'b1;
          over_q[i]  <= left_hold_i[23:1] == '0;
          until_q[i] <= now_i + 32'(left_hold_i) - 32'd1;
        end
        if (take && rate_o == RateW'(i)) begin
          busy_q[i] <= 1'b1;
          hold_q[i] <= 1'b0;
          dlid_q[i] <= take_dlid_i;
        end
      end
      if (take) turn_q <= (rate_o == RateW'(RateEntries - 1)) ? '0 : rate_o + RateW'(1);
    end
  end

  // ------------------------------------------------------------------ who may go
  logic [NumQ-1:0] may_d, flush_d, rate_wait;
  always_comb begin
    rate_wait = '0;
    for (int unsigned v = 0; v < NumQ; v++) begin
      for (int unsigned i = 0; i < RateEntries; i++) begin
        if (act[i] && dlid_q[i] == dlid_i[v]) rate_wait[v] = 1'b1;
      end
      if (ipd_i[v] != 8'd0 && none) rate_wait[v] = 1'b1;
    end
    may_d   = '0;
    flush_d = '0;
    for (int unsigned v = 0; v < NumVl; v++) begin
      may_d[v]   = have_i[v] && open_i[v] && (eth_i ? !pause_i[v] : cr_ok[v]) && !rate_wait[v];
      flush_d[v] = have_i[v] && !open_i[v];
    end
    may_d[Q15]   = have_i[Q15] && open_i[Q15] && !rate_wait[Q15];
    flush_d[Q15] = have_i[Q15] && !open_i[Q15];
  end
  always_ff @(posedge clk_i) begin
    may_o   <= rst_i ? '0 : may_d;
    flush_o <= rst_i ? '0 : flush_d;
  end

  logic unused;
  assign unused = &{1'b0, have_i[QLoop], open_i[QLoop], len_i[QLoop], len_i[Q15], take_i, rate_wait};

endmodule

`default_nettype wire
