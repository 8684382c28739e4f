// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Head of the link's transmit side: the packets of two sources in one row, and of each what its first beat says: the
// ring that it is for, and whether it may go at all.
//
// Beat in to valid_o: 1 cycle; one beat a cycle, packets taking turns. What is out is flops; ready of the sources is
// that of the register behind them for the one whose turn it is. ring_o, rings_o, ok_o and size_o are made of each beat
// as if it were a packet's first: only a first one's mean something. It does NOT count a packet's beats, nor look
// whether its ring has room: ohca_link_tx_ring.
// lint: NumVl=1
// lint: DataWidth=512 NumVl=8
// lint: RoCE=0

`default_nettype none

module ohca_link_tx_head #(
  parameter int unsigned DataWidth = 64,
  parameter int unsigned NumVl     = 4,
  parameter bit          RoCE      = 1'b1,
  localparam int unsigned Bytes    = DataWidth / 8,
  localparam int unsigned LaneW    = $clog2(DataWidth / 32),
  localparam int unsigned QW       = $clog2(NumVl + 2)
) (
  input  logic                    clk_i,
  input  logic                    rst_i,
  output logic                    busy_o,        // a beat is in it or comes in: no register

  input  ohca_fmt_pkg::port_cfg_t cfg_i,

  // From ohca_txbuild
  input  logic                    in_valid_i,
  output logic                    in_ready_o,
  input  logic [DataWidth-1:0]    in_data_i,     // first wire byte in [7:0]
  input  logic [Bytes-1:0]        in_keep_i,
  input  logic                    in_last_i,
  input  logic                    in_err_i,
  input  logic [7:0]              in_ipd_i,
  input  logic [9:0]              in_words_i,

  // From ohca_mgmt, with its room
  input  logic                    mg_valid_i,
  output logic                    mg_ready_o,
  input  logic [DataWidth-1:0]    mg_data_i,
  input  logic [Bytes-1:0]        mg_keep_i,
  input  logic                    mg_last_i,
  input  logic                    mg_host_i,
  input  logic [9:0]              mg_words_i,

  output logic                    valid_o,
  input  logic                    ready_i,
  output logic [DataWidth-1:0]    data_o,
  output logic [Bytes-1:0]        keep_o,
  output logic                    last_o,
  output logic                    err_o,
  output logic [7:0]              ipd_o,
  output logic [9:0]              words_o,
  output logic                    host_o,        // the management core says: to the host
  output logic [LaneW:0]          dw_o,          // dwords of this beat
  output logic [LaneW:0]          dw1_o,         // and one: its ICRC
  output logic [QW-1:0]           ring_o,        // 0 … NumVl - 1 of a VL, NumVl loopback, NumVl + 1 VL15
  output logic                    ok_o,          // it may go
  output logic [NumVl+1:0]        rings_o,       // ring_o, a bit each; of multicast that of loopback as well
  output logic                    size_o         // PktLen is that of LRH, BTH and ICRC at least
);

  localparam int unsigned Lanes = DataWidth / 32;
  localparam int unsigned QLoop = NumVl;
  localparam int unsigned Q15   = NumVl + 1;
  localparam int unsigned VlW   = (NumVl > 1) ? $clog2(NumVl) : 1;

  // ------------------------------------------------------------------ which ring, and may it go
  // Of each source by itself, in front of the choice between them.
  // {ring, rings, ok, long enough, dwords and one, dwords}
  localparam int unsigned NumQ = NumVl + 2;
  localparam int unsigned HW   = QW + NumQ + 2 + 2 * (LaneW + 1);
  logic [3:0]  vl_mask_n;
  logic [15:0] lid_mask;
  logic        eth;
  assign vl_mask_n = cfg_i.oper_vls;
  assign lid_mask  = 16'hffff << cfg_i.lmc;
  assign eth       = RoCE && cfg_i.eth;

  logic [1:0][DataWidth-1:0] src_data;
  logic [1:0][Bytes-1:0]     src_keep;
  logic [1:0]                src_host;
  logic [1:0][HW-1:0]        src_head;
  assign src_data = {mg_data_i, in_data_i};
  assign src_keep = {mg_keep_i, in_keep_i};
  assign src_host = {mg_host_i, 1'b0};
  for (genvar g = 0; g < 2; g++) begin : g_head
    logic [3:0]     vl;
    logic [1:0]     lnh;
    logic [15:0]    to;
    logic [LaneW:0] dw, dw1;
    logic           own, loop, ok, mc;
    logic [QW-1:0]  ring;
    logic [NumQ-1:0] rings;
    assign vl   = src_data[g][7:4];
    assign lnh  = src_data[g][9:8];
    assign to   = {src_data[g][23:16], src_data[g][31:24]};
    assign own  = cfg_i.lid != 16'd0 && to < 16'hc000 && ((to ^ cfg_i.lid) & lid_mask) == 16'd0;
    assign loop = eth ? to == 16'hffff : src_host[g] || own;
    always_comb begin
      ring = QW'(vl[VlW-1:0]);
      ok   = cfg_i.smp_en && cfg_i.tx_data_en && vl < vl_mask_n && vl < 4'(NumVl);
      if (NumVl == 1) ring = '0;
      if (vl == 4'd15) begin
        ring = QW'(Q15);
        ok   = cfg_i.smp_en;
      end
      if (loop) begin
        ring = QW'(QLoop);
        ok   = src_host[g] || vl == 4'd15 || (cfg_i.tx_data_en && vl < vl_mask_n);
      end
      if (eth) begin
        if (lnh[1] || src_host[g] || vl == 4'd15) ok = 1'b0;
      end else if ((to == 16'd0 && !src_host[g]) || lnh < 2'd2) ok = 1'b0;
      dw = '0;
      for (int unsigned i = 0; i < Lanes; i++) dw = dw + (LaneW+1)'(src_keep[g][4 * i]);
    end
    assign dw1 = dw + (LaneW+1)'(1);
    // Multicast of the host, in this form on both link layers.
    assign mc  = ok && !loop && vl != 4'd15 && to[15:14] == 2'b11 && to != 16'hffff;
    always_comb for (int unsigned i = 0; i < NumQ; i++) rings[i] = ring == QW'(i) || (i == QLoop && mc);
    assign src_head[g] = {ring, rings, ok, {src_data[g][34:32], src_data[g][47:40]} >= 11'd6, dw1, dw};
  end

  // ------------------------------------------------------------------ merge, packet by packet
  // {head, words, to_host, ipd, err, keep, data}
  localparam int unsigned InW = HW + DataWidth + Bytes + 1 + 1 + 8 + 10;
  logic           m_valid, m_ready, m_last, m_sel;
  logic [InW-1:0] m_data;
  logic [1:0]     m_gnt;
  ohca_arb_rr #(.N(2), .Width(InW), .Lock(1'b1)) u_merge (
    .clk_i(clk_i), .rst_i(rst_i),
    .valid_i({mg_valid_i, in_valid_i}), .ready_o({mg_ready_o, in_ready_o}),
    .data_i({src_head[1], mg_words_i, mg_host_i, 8'd0, 1'b0, mg_keep_i, mg_data_i,
             src_head[0], in_words_i, 1'b0, in_ipd_i, in_err_i, in_keep_i, in_data_i}),
    .last_i({mg_last_i, in_last_i}),
    .valid_o(m_valid), .ready_i(m_ready), .data_o(m_data), .last_o(m_last), .sel_o(m_sel), .gnt_o(m_gnt)
  );
  ohca_skid #(.Width(InW + 1)) u_skid (
    .clk_i(clk_i), .rst_i(rst_i),
    .valid_i(m_valid), .ready_o(m_ready), .data_i({m_last, m_data}),
    .valid_o(valid_o), .ready_i(ready_i),
    .data_o({last_o, ring_o, rings_o, ok_o, size_o, dw1_o, dw_o, words_o, host_o, ipd_o, err_o, keep_o, data_o})
  );
  assign busy_o = valid_o || m_valid;

  logic unused;
  assign unused = &{1'b0, cfg_i, m_sel, m_gnt};

endmodule

`default_nettype wire
