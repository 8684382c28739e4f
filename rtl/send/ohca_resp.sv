// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Response engine: acknowledgements and READ responses, job by job in the order in which the responder gave them.
//
// (First version: no interleaving of QPs and no merging of acknowledgements. To be replaced by the slot-based one of
// docs/architecture.md, same ports.) An acknowledgement costs one cycle, a READ response one per packet and one per piece.

`default_nettype none

module ohca_resp #(
  parameter int unsigned Slots = 64,
  parameter int unsigned Depth = 64     // jobs waiting, power of two
) (
  input  logic                clk_i,
  input  logic                rst_i,
  output logic                idle_o,
  output logic [63:0]         cnt_o,

  input  logic                job_valid_i,
  output logic                job_ready_o,
  input  ohca_fmt_pkg::rjob_t job_i,

  output logic                txd_valid_o,
  input  logic                txd_ready_i,
  output ohca_fmt_pkg::txd_t  txd_o,
  output logic                txp_valid_o,
  input  logic                txp_ready_i,
  output ohca_fmt_pkg::txp_t  txp_o
);

  logic                j_valid, j_pop;
  ohca_fmt_pkg::rjob_t j;
  ohca_fifo #(.Width(ohca_fmt_pkg::RJOB_BITS), .Depth(Depth)) u_jobs (
    .clk_i, .rst_i, .valid_i(job_valid_i), .ready_o(job_ready_o), .data_i(job_i),
    .valid_o(j_valid), .ready_i(j_pop), .data_o(j), .count_o(), .almost_full_o()
  );

  logic        piece_q;
  logic [31:0] off_q;
  logic [23:0] psn_q;
  logic        begun_q;
  logic [12:0] left_q;
  logic [63:0] va_q;

  logic [12:0] mtu, plen, seg;
  logic [31:0] off, rest;
  logic [23:0] psn;
  logic        read, first, last;
  assign mtu   = ohca_fmt_pkg::mtu_bytes(j.mtu);
  assign read  = j.kind == ohca_fmt_pkg::RJK_READ;
  assign off   = begun_q ? off_q : 32'd0;
  assign psn   = begun_q ? psn_q : j.psn;
  assign rest  = j.len - off;
  assign first = !begun_q;
  assign last  = rest <= {19'h0, mtu};
  assign plen  = !read ? 13'd0 : last ? rest[12:0] : mtu;

  always_comb begin
    seg = 13'd4096 - {1'b0, va_q[11:0]};
    if (left_q < seg) seg = left_q;
  end

  assign txd_valid_o = j_valid && !piece_q;
  assign txp_valid_o = piece_q;
  always_comb begin
    txd_o            = '0;
    txd_o.kind       = ohca_fmt_pkg::TXK_RESP;
    txd_o.qpn        = j.qpn;
    txd_o.bth_op     = !read ? ohca_fmt_pkg::BTH_OP_ACK : (first && last) ? ohca_fmt_pkg::BTH_OP_READ_RESP_ONLY :
                       first ? ohca_fmt_pkg::BTH_OP_READ_RESP_FIRST : last ? ohca_fmt_pkg::BTH_OP_READ_RESP_LAST :
                       ohca_fmt_pkg::BTH_OP_READ_RESP_MIDDLE;
    txd_o.migreq     = j.migreq;
    txd_o.pkey_index = j.pkey_index;
    txd_o.dqpn       = j.dqpn;
    txd_o.psn        = psn;
    txd_o.aeth       = j.aeth;
    txd_o.plen       = plen;
    txd_o.av         = j.av;
    txp_o            = '0;
    txp_o.last       = seg == left_q;
    txp_o.remote     = 1'b1;
    txp_o.priv       = j.priv;
    txp_o.pd         = j.pd;
    txp_o.key        = j.rkey;
    txp_o.va         = va_q;
    txp_o.len        = seg;
  end

  logic end_pkt;      // the packet that goes now is the job's last
  assign j_pop = piece_q ? (txp_ready_i && txp_o.last && !begun_q) : (txd_valid_o && txd_ready_i && plen == 13'd0);
  assign end_pkt = last || !read;

  always_ff @(posedge clk_i) begin
    if (!piece_q) begin
      if (txd_valid_o && txd_ready_i) begin
        off_q   <= off + {19'h0, plen};
        psn_q   <= psn + 24'd1;
        begun_q <= !end_pkt;
        left_q  <= plen;
        va_q    <= j.va + {32'h0, off};
        piece_q <= plen != 13'd0;
      end
    end else if (txp_ready_i) begin
      left_q <= left_q - seg;
      va_q   <= va_q + {51'h0, seg};
      if (txp_o.last) piece_q <= 1'b0;
    end
    if (rst_i) begin
      piece_q <= 1'b0;
      begun_q <= 1'b0;
    end
  end

  assign cnt_o  = '0;
  assign idle_o = !j_valid && !piece_q && !job_valid_i;

  logic unused;
  assign unused = &{1'b0, j.nak, 1'(Slots)};

endmodule

`default_nettype wire
