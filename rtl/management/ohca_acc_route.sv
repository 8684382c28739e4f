// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Accesses of the management core to what the engines hold: contexts, the multicast table, and what ohca_tpt is to
// forget. One access at a time, to the part whose valid is set; the answer is a flop, as the engines are far apart.
// Compact: so is the access, for the same reason; acc_ready_o is set while there is none. It does NOT check a number,
// nor wait for an answer: the engines answer each access once.
//
//   acc ─┬─► valid_o: ohca_sq, ohca_rs, ohca_ra_stream, ohca_cq, ohca_rx_mcast ─► rsp_i ─┐
//        └─► inv_o: ohca_tpt ─► taken, a cycle ──────────────────────────────────────────┴─► acc_rsp_o
// lint: Compact=1

`default_nettype none

module ohca_acc_route #(
  parameter bit                      Compact = 1'b0
) (
  input  logic                       clk_i,
  input  logic                       rst_i,

  input  logic [7:0]                 acc_valid_i,   // by enum ctx_part, each a flop
  output logic [7:0]                 acc_ready_o,
  input  ohca_fmt_pkg::ctx_acc_t     acc_i,         // stays until it is taken
  output ohca_fmt_pkg::acc_rsp_t     acc_rsp_o,

  output logic [4:0]                 valid_o,       // the order of enum ctx_part; then the multicast table
  input  logic [4:0]                 ready_i,
  output ohca_fmt_pkg::ctx_acc_t     acc_o,         // stays until it is taken
  input  logic [4:0][ohca_fmt_pkg::ACC_RSP_BITS-1:0] rsp_i,
  output ohca_fmt_pkg::inv_req_t     inv_o,
  input  logic                       inv_ready_i
);

  localparam int unsigned Mcast = 32'(ohca_fmt_pkg::CTX_PART_MCAST);
  localparam int unsigned Mpt   = 32'(ohca_fmt_pkg::CTX_PART_MPT);
  localparam int unsigned Mtt   = 32'(ohca_fmt_pkg::CTX_PART_MTT);
  logic [7:0] part, ready;                          // who is asked, and takes it
  logic       inv_done_q;
  if (Compact) begin : g_far
    logic                                  valid, room;
    logic [7:0]                            one;
    logic [ohca_fmt_pkg::CTX_ACC_BITS-1:0] acc;
    ohca_hop #(.Width(8 + ohca_fmt_pkg::CTX_ACC_BITS)) u_far (
      .clk_i(clk_i), .rst_i(rst_i), .valid_i(acc_valid_i != '0), .ready_o(room), .data_i({acc_valid_i, acc_i}),
      .valid_o(valid), .ready_i((one & ready) != '0), .data_o({one, acc})
    );
    assign part        = one & {8{valid}};
    assign acc_o       = ohca_fmt_pkg::ctx_acc_t'(acc);
    assign acc_ready_o = {8{room}};
  end else begin : g_near
    assign {part, acc_o, acc_ready_o} = {acc_valid_i, acc_i, ready};
  end
  assign valid_o = {part[Mcast], part[3:0]};

  assign inv_o.valid = (part[Mpt] || part[Mtt]) && !inv_done_q;
  assign inv_o.mtt   = acc_o.part == ohca_fmt_pkg::CTX_PART_MTT;
  assign inv_o.all   = !acc_o.wmask[0];
  assign inv_o.num   = acc_o.num;
  assign inv_o.last  = acc_o.wdata[5:0];
  assign inv_o.block = acc_o.wdata[12:8];
  always_ff @(posedge clk_i) inv_done_q <= !rst_i && inv_o.valid && inv_ready_i;

  always_comb begin
    ready        = '0;
    ready[3:0]   = ready_i[3:0];
    ready[Mcast] = ready_i[4];
    ready[Mpt]   = inv_o.valid && inv_ready_i;
    ready[Mtt]   = inv_o.valid && inv_ready_i;
  end

  ohca_fmt_pkg::acc_rsp_t sq_rsp, rs_rsp, ra_rsp, cq_rsp, mc_rsp, rsp;
  assign {mc_rsp, cq_rsp, ra_rsp, rs_rsp, sq_rsp} = rsp_i;
  always_comb begin
    rsp       = '0;
    rsp.valid = inv_done_q;
    if (sq_rsp.valid) rsp = sq_rsp;
    if (rs_rsp.valid) rsp = rs_rsp;
    if (ra_rsp.valid) rsp = ra_rsp;
    if (cq_rsp.valid) rsp = cq_rsp;
    if (mc_rsp.valid) rsp = mc_rsp;
  end
  always_ff @(posedge clk_i) begin
    acc_rsp_o       <= rsp;
    acc_rsp_o.valid <= rsp.valid && !rst_i;
  end

endmodule

`default_nettype wire
