// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Host writes of all clients over one AXI4 write channel, in the order in which their requests are accepted (one id).
// lint: DW=64
// lint: DW=128
// lint: DW=256
// From request to AW three cycles, to the first W five; one beat per cycle, no gap between small writes. req_ready_o is
// a flop, dat_ready_o a gate behind flops.
//
// It does NOT wait for data before it grants: a client that has its request accepted must deliver without waiting for
// others.

`include "ohca_assert.svh"
`default_nettype none

module ohca_dma_wr #(
  parameter int unsigned DW         = 512,
  parameter int unsigned NumClients = 8,
  parameter bit          Compact    = 1'b0   // a request every second cycle
) (
  input  logic                                         clk_i,
  input  logic                                         rst_i,
  input  logic                                         soft_rst_i,   // clients are reset: accepted writes end with no
                                                                     // byte enabled
  output logic                                         idle_o,
  output logic [63:0]                                  cnt_o,

  input  logic [NumClients-1:0]                        req_valid_i,
  output logic [NumClients-1:0]                        req_ready_o,
  input  logic [NumClients-1:0][ohca_fmt_pkg::DMA_WR_REQ_BITS-1:0] req_i,
  input  logic [NumClients-1:0]                        dat_valid_i,
  output logic [NumClients-1:0]                        dat_ready_o,
  input  logic [NumClients-1:0][DW-1:0]                dat_i,
  input  logic [NumClients-1:0]                        dat_last_i,

  // Bursts accepted and acknowledged; from the cycle after its acceptance a request is in issued_o. All up to a value
  // of issued_o are in host memory once acked_o has reached it (modulo 2^32).
  output logic [31:0]                                  issued_o,
  output logic [31:0]                                  acked_o,
  output logic                                         err_o,        // the burst that acked_o counts next ended with an
                                                                     // error

  output logic                                         m_axi_awvalid_o,
  input  logic                                         m_axi_awready_i,
  output logic [5:0]                                   m_axi_awid_o,
  output logic [63:0]                                  m_axi_awaddr_o,
  output logic [7:0]                                   m_axi_awlen_o,
  output logic [2:0]                                   m_axi_awsize_o,
  output logic [1:0]                                   m_axi_awburst_o,
  output logic                                         m_axi_wvalid_o,
  input  logic                                         m_axi_wready_i,
  output logic [DW-1:0]                                m_axi_wdata_o,
  output logic [DW/8-1:0]                              m_axi_wstrb_o,
  output logic                                         m_axi_wlast_o,
  input  logic                                         m_axi_bvalid_i,
  output logic                                         m_axi_bready_o,
  input  logic [5:0]                                   m_axi_bid_i,
  input  logic [1:0]                                   m_axi_bresp_i
);

  localparam int unsigned BeatBytes = DW / 8;
  localparam int unsigned LaneW     = $clog2(BeatBytes);
  localparam int unsigned MaxBurst  = (256 * BeatBytes > 4096) ? 4096 : 256 * BeatBytes;   // AXI: at most 256 beats
  localparam int unsigned CliW      = (NumClients > 1) ? $clog2(NumClients) : 1;
  localparam int unsigned ReqW      = ohca_fmt_pkg::DMA_WR_REQ_BITS;
  localparam int unsigned WqDepth   = 8;                                                     // AW this far ahead of W

  // ---------------------------------------------------------------- requests into one order
  logic            arb_valid, arb_room, arb_ready, q_valid, q_ready, kill_q, accept;
  logic [ReqW-1:0] arb_data;
  logic [CliW-1:0] arb_sel, q_cli;
  logic [2:0]      q_count;
  ohca_fmt_pkg::dma_wr_req_t q, arb_req;

  // verilator lint_off PINCONNECTEMPTY
  assign arb_room = (Compact ? (q_valid ? q_ready : !arb_valid) : q_count <= 3'd2) && !kill_q;
  ohca_arb_early #(.N(NumClients), .Width(ReqW)) u_arb (
    .clk_i, .rst_i(rst_i || soft_rst_i), .valid_i(req_valid_i), .ready_o(req_ready_o), .data_i(req_i),
    .room_i(arb_room), .valid_o(arb_valid), .data_o(arb_data), .sel_o(arb_sel)
  );
  assign arb_req = arb_data;
  assign accept  = arb_valid && !soft_rst_i;
  ohca_fifo #(.Width(CliW + ReqW), .Depth(4), .Single(Compact)) u_req (
    .clk_i, .rst_i,
    .valid_i(accept), .ready_o(arb_ready), .data_i({arb_sel, arb_data}),
    .valid_o(q_valid), .ready_i(q_ready), .data_o({q_cli, q}), .count_o(q_count), .almost_full_o()
  );
  // verilator lint_on PINCONNECTEMPTY

  // ---------------------------------------------------------------- bursts
  logic            mid_q, final_burst, issue, wq_ready, aw_valid_q;
  logic [11:0]     cur_q, first, last, block_end, burst_end;
  logic [11:LaneW] beats_m1;
  logic [7:0]      len_m1;
  assign first       = mid_q ? cur_q : q.addr[11:0];
  assign last        = 12'({1'b0, q.addr[11:0]} + q.len - 13'd1);
  assign block_end   = first | 12'(MaxBurst - 1);
  assign final_burst = (last | 12'(MaxBurst - 1)) == block_end;
  assign burst_end   = final_burst ? last : block_end;
  assign beats_m1    = burst_end[11:LaneW] - first[11:LaneW];
  assign len_m1      = 8'(beats_m1);
  assign issue       = q_valid && wq_ready && (!aw_valid_q || m_axi_awready_i);
  assign q_ready     = issue && final_burst;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      mid_q      <= 1'b0;
      aw_valid_q <= 1'b0;
    end else begin
      if (m_axi_awready_i) aw_valid_q <= 1'b0;
      if (issue) begin
        aw_valid_q <= 1'b1;
        mid_q      <= !final_burst;
      end
    end
    if (issue) begin
      cur_q          <= block_end + 12'd1;
      m_axi_awaddr_o <= {q.addr[63:12], first[11:LaneW], {LaneW{1'b0}}};
      m_axi_awlen_o  <= len_m1;
    end
  end
  assign m_axi_awvalid_o = aw_valid_q;
  assign m_axi_awid_o    = 6'd0;
  assign m_axi_awsize_o  = 3'(LaneW);
  assign m_axi_awburst_o = 2'b01;

  // ---------------------------------------------------------------- data
  logic             n_valid, n_pop, n_final, w_valid_q, w_pop, w_go, w_final_q, sk_valid, sk_ready, w_first, w_last;
  logic [CliW-1:0]  n_cli;
  logic [LaneW-1:0] n_from, n_to, w_from_q, w_to_q;
  logic [7:0]       n_beats_m1, w_beats_m1_q, beat_q;
  logic [3:0]       aw_done_q;                // AWs accepted whose data is not through: W never comes before its AW
  logic             aw_any_q;                 // there is one
  logic [3:0]       wq_count;
  logic [NumClients-1:0] w_cli_q;             // whose data it is, one-hot
  logic             dat_valid, dat_last;      // of this client
  logic [DW-1:0]    dat;
  logic [BeatBytes-1:0] strb;

  // verilator lint_off PINCONNECTEMPTY
  ohca_fifo #(.Width(CliW + 2 * LaneW + 8 + 1), .Depth(WqDepth)) u_wq (
    .clk_i, .rst_i,
    .valid_i(issue), .ready_o(wq_ready),
    .data_i({q_cli, first[LaneW-1:0], burst_end[LaneW-1:0], len_m1, final_burst}),
    .valid_o(n_valid), .ready_i(n_pop), .data_o({n_cli, n_from, n_to, n_beats_m1, n_final}), .count_o(wq_count),
    .almost_full_o()
  );
  // verilator lint_on PINCONNECTEMPTY

  // The burst whose data comes stands in flops, so that a client's ready begins at them. It comes there in the cycle in
  // which its AW is accepted at the earliest, so nothing is later by it.
  assign n_pop = !w_valid_q || w_pop;
  always_ff @(posedge clk_i) begin
    if (rst_i) w_valid_q <= 1'b0;
    else if (n_pop) w_valid_q <= n_valid;
    if (n_pop) begin
      for (int unsigned i = 0; i < NumClients; i++) w_cli_q[i] <= n_cli == CliW'(i);
      {w_from_q, w_to_q, w_beats_m1_q, w_final_q} <= {n_from, n_to, n_beats_m1, n_final};
    end
  end

  assign w_go     = w_valid_q && aw_any_q;
  assign sk_valid = w_go && (dat_valid || kill_q) && !soft_rst_i;
  assign w_last   = beat_q == w_beats_m1_q;
  assign w_pop    = sk_valid && sk_ready && w_last;
  assign w_first  = beat_q == 8'd0;

  assign dat_ready_o = (w_go && sk_ready && !kill_q && !soft_rst_i) ? w_cli_q : '0;
  assign dat_valid   = |(dat_valid_i & w_cli_q);
  assign dat_last    = |(dat_last_i & w_cli_q);
  always_comb begin
    dat = '0;
    for (int unsigned i = 0; i < NumClients; i++) dat = dat | (dat_i[i] & {DW{w_cli_q[i]}});
  end
  always_comb begin
    strb = '1;
    if (w_first) strb = strb & ({BeatBytes{1'b1}} << w_from_q);
    if (w_last)  strb = strb & ({BeatBytes{1'b1}} >> (LaneW'(BeatBytes - 1) - w_to_q));
    if (kill_q)  strb = '0;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      beat_q    <= 8'd0;
      aw_done_q <= 4'd0;
      aw_any_q  <= 1'b0;
      kill_q    <= 1'b0;
    end else begin
      if (sk_valid && sk_ready) beat_q <= w_last ? 8'd0 : beat_q + 8'd1;
      aw_done_q <= aw_done_q + {3'd0, aw_valid_q && m_axi_awready_i} - {3'd0, w_pop};
      aw_any_q  <= (aw_valid_q && m_axi_awready_i) || (w_pop ? aw_done_q[3:1] != 3'd0 : aw_any_q);
      if (soft_rst_i)                         kill_q <= 1'b1;
      else if (q_count == '0 && wq_count == '0 && !w_valid_q) kill_q <= 1'b0;
    end
  end

  ohca_skid #(.Width(DW + BeatBytes + 1)) u_skid (
    .clk_i, .rst_i,
    .valid_i(sk_valid), .ready_o(sk_ready), .data_i({dat, strb, w_last}),
    .valid_o(m_axi_wvalid_o), .ready_i(m_axi_wready_i), .data_o({m_axi_wdata_o, m_axi_wstrb_o, m_axi_wlast_o})
  );

  // ---------------------------------------------------------------- acknowledgements
  logic [31:0] issued_q, acked_q;
  logic [11:0] arb_last;
  logic        two;                           // the request needs two bursts
  assign arb_last = 12'({1'b0, arb_req.addr[11:0]} + arb_req.len - 13'd1);
  assign two      = (arb_last | 12'(MaxBurst - 1)) != (arb_req.addr[11:0] | 12'(MaxBurst - 1));
  assign m_axi_bready_o = 1'b1;
  assign issued_o = issued_q;
  assign acked_o  = acked_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      issued_q <= '0;
      acked_q  <= '0;
    end else begin
      if (accept)         issued_q <= issued_q + (two ? 32'd2 : 32'd1);
      if (m_axi_bvalid_i) acked_q  <= acked_q + 32'd1;
    end
  end

  assign err_o = m_axi_bvalid_i && m_axi_bresp_i[1];
  logic failed_q;
  always_ff @(posedge clk_i) failed_q <= !rst_i && err_o;
  always_comb begin
    cnt_o = '0;
    cnt_o[ohca_fmt_pkg::COUNTER_DMA_WR_ERR] = failed_q;
  end
  assign idle_o = !(|req_valid_i) && !(|dat_valid_i) && issued_q == acked_q && !kill_q;

  logic unused;
  assign unused = &{1'b0, m_axi_bid_i, m_axi_bresp_i[0], w_final_q, dat_last, arb_req.addr[63:12], beats_m1};

`ifdef VERILATOR
  ohca_axi_wr_rules #(.DW(DW)) u_rules (
    .clk_i, .rst_i,
    .awvalid_i(m_axi_awvalid_o), .awready_i(m_axi_awready_i), .awid_i(m_axi_awid_o), .awaddr_i(m_axi_awaddr_o),
    .awlen_i(m_axi_awlen_o),
    .awsize_i(m_axi_awsize_o), .awburst_i(m_axi_awburst_o), .wvalid_i(m_axi_wvalid_o), .wready_i(m_axi_wready_i),
    .wdata_i(m_axi_wdata_o), .wstrb_i(m_axi_wstrb_o), .wlast_i(m_axi_wlast_o), .bvalid_i(m_axi_bvalid_i),
    .bready_i(m_axi_bready_o),
    .bid_i(m_axi_bid_i), .bresp_i(m_axi_bresp_i)
  );
`endif

  `ASSERT(ReqRoom_A, !accept || (arb_ready && !kill_q))
  `ASSERT(Length_A, !accept || (arb_req.len != 13'd0 && 14'(arb_req.addr[11:0]) + 14'(arb_req.len) <= 14'd4096))
  `ASSERT(Last_A, !(sk_valid && sk_ready && !kill_q) || dat_last == (w_last && w_final_q))
  `ASSERT(AwAny_A, aw_any_q == (aw_done_q != 4'd0))
  `ASSERT(NoSpareAck_A, !m_axi_bvalid_i || acked_q != issued_q)

endmodule

`default_nettype wire
