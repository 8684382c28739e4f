// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Congestion notification point of RoCEv2: a marked packet of a connected QP has a CNP sent to the QP it came from, at
// most one in `gap` ticks per QP.
//
// A CNP's descriptor stands 3 cycles after the mark, among those of the response engine, which pass at one a cycle.
// Marks that come while one is being worked on are forgotten: the next packet brings another. QPs whose numbers agree
// in the six lowest bits share one pace. It does NOT know datagrams' senders. Byte 1 of its BTH is 0 (Annex A17.9.3). A
// CNP whose queue has no room (several queues only) is forgotten, too.
`include "ohca_assert.svh"
`include "ohca_lazy.svh"
`default_nettype none

module ohca_eth_cnp #(
  parameter int unsigned NumVl = 1
) (
  input  logic                    clk_i,
  input  logic                    rst_i,
  input  logic [63:0]             now_i,
  output logic                    idle_o,
  output logic [63:0]             cnt_o,

  input  ohca_fmt_pkg::eth_cnp_t  cnp_i,
  input  logic [63:0]             sl2vl_i,
  input  logic [NumVl-1:0]        room_i,              // of each queue, for a CNP besides the longest response: into a
                                                       // flop

  input  logic                    ce_valid_i,
  input  ohca_fmt_pkg::rjob_t     ce_i,

  // Descriptors of the response engine, and what leaves
  input  logic                    txd_valid_i,
  output logic                    txd_ready_o,
  input  ohca_fmt_pkg::txd_t      txd_i,
  output logic                    txd_valid_o,
  input  logic                    txd_ready_i,
  output ohca_fmt_pkg::txd_t      txd_o
);

  localparam int unsigned Lines = 64;
  localparam int unsigned TickW = 24;                  // 256 times the longest gap: older entries may look young once
                                                       // in 17 s

  typedef enum logic [1:0] { S_IDLE, S_LOOK, S_AGED, S_SEND } state_e;     // S_AGED: how old it is, is in a flop
  state_e                state_q;
  logic                  has_room, held_q;
  ohca_fmt_pkg::rjob_t   ce_q;
  logic [Lines-1:0]      known_q;
  logic [TickW-1:0]      tick, age, line;
  logic                  young_q, take, go, sent;
  assign tick  = now_i[8 +: TickW];
  assign age   = tick - line;
  always_ff @(posedge clk_i) young_q <= known_q[ce_q.qpn[5:0]] && age < TickW'(cnp_i.gap);
  assign take  = state_q == S_IDLE && ce_valid_i && cnp_i.en;
  assign go    = state_q == S_AGED && !young_q;
  ohca_ram_sdp #(.Width(TickW), .Depth(Lines), .OldData(1'b0)) u_line (
    .clk_i(clk_i), .wr_en_i(go), .wr_be_i(1'b1), .wr_addr_i(ce_q.qpn[5:0]), .wr_data_i(tick),
    .rd_en_i(state_q == S_IDLE), .rd_addr_i(ce_i.qpn[5:0]), .rd_data_o(line)
  );
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q <= S_IDLE;
      known_q <= '0;
    end else begin
      case (state_q)
        S_IDLE:  if (take) state_q <= S_LOOK;
        S_LOOK:  state_q <= S_AGED;
        S_AGED:  state_q <= young_q ? S_IDLE : S_SEND;
        default: if (sent || !has_room) state_q <= S_IDLE;
      endcase
      if (go) known_q[ce_q.qpn[5:0]] <= 1'b1;
      if (!cnp_i.en) known_q <= '0;
    end
    `WHEN(take) if (state_q == S_IDLE) ce_q <= ce_i;           // whether it is one comes late
  end

  ohca_fmt_pkg::txd_t txd;
  ohca_fmt_pkg::av_t  av;
  // Room is looked at in the first cycle only, as it was in the one before: what stands at the output stays. So it is
  // as old as what ohca_resp goes by, whose margin has a notification in it, as has what ohca_sq leaves to both.
  logic [3:0]         vl;
  if (NumVl > 1) begin : g_vl
    logic room_q;
    always_ff @(posedge clk_i) room_q <= vl >= 4'(NumVl) || room_i[vl[$clog2(NumVl)-1:0]];
    assign vl       = sl2vl_i[{1'b0, cnp_i.pcp, 2'b00} +: 4];
    assign has_room = held_q || room_q;
  end else begin : g_one
    assign vl       = 4'd0;
    assign has_room = 1'b1;
    logic unused_vl;
    assign unused_vl = &{1'b0, sl2vl_i, room_i, held_q};
  end
  always_ff @(posedge clk_i) held_q <= state_q == S_SEND;
  always_comb begin
    av            = ce_q.av;
    av.sl         = {1'b0, cnp_i.pcp};
    av.tclass     = {cnp_i.dscp, 2'd0};
    txd           = '0;
    txd.kind      = ohca_fmt_pkg::TXK_RESP;
    txd.qpn       = ce_q.qpn;
    txd.bth_op    = ohca_fmt_pkg::BTH_OP_CNP;
    txd.pkey_index = ce_q.pkey_index;
    txd.dqpn      = ce_q.dqpn;
    txd.vl        = vl;
    txd.av        = av;
  end

  logic       sel, last;
  logic [1:0] gnt;
  ohca_arb_rr #(.N(2), .Width(ohca_fmt_pkg::TXD_BITS)) u_arb (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i({state_q == S_SEND && has_room, txd_valid_i}), .ready_o({sent, txd_ready_o}),
    .data_i({txd, txd_i}), .last_i(2'b00),
    .valid_o(txd_valid_o), .ready_i(txd_ready_i), .data_o(txd_o), .last_o(last), .sel_o(sel), .gnt_o(gnt)
  );

  always_comb begin
    cnt_o = '0;
    cnt_o[ohca_fmt_pkg::COUNTER_CNP_TX] = sent;
  end
  assign idle_o = state_q == S_IDLE && !ce_valid_i;

  logic unused;
  assign unused = &{1'b0, now_i, cnp_i, ce_q, line, sel, gnt, last};

endmodule

`default_nettype wire
