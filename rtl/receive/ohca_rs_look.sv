// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Compares what the responder's commit will ask of a context: all kinds of tokens at once, in the cycle in which the
// context comes. The result lies in registers while the commit decides, which then needs no adder and no comparison of
// its own before its answer.
//
// Latency one cycle, a result a cycle; the inputs belong to one token. Which entry of the P_Key table fits a packet to
// QP1 (gsi_*) is known a cycle later, two behind load_i. It does NOT decide anything, and what an access of the
// management core changes is not in it. pkey_i is combinational of pkey_idx_o. No port has a ready.

`include "ohca_lazy.svh"
`default_nettype none

module ohca_rs_look #(
  parameter int unsigned NumPkeys = 32         // at most 64
) (
  input  logic                     clk_i,
  input  logic                     load_i,     // look_o changes

  input  ohca_fmt_pkg::rs_kind_e   kind_i,
  input  ohca_fmt_pkg::rsc_t       cx_i,
  input  logic                     err_i,      // cx_i is none
  input  ohca_fmt_pkg::rxd_t       p_i,        // a packet
  input  logic [2:0]               lmc_i,
  input  logic [15:0]              pi_i,       // a producer index, and the page it came from
  input  logic [15:0]              uar_i,

  output logic [15:0]              pkey_idx_o,
  input  logic [15:0]              pkey_i,
  input  logic [16*NumPkeys-1:0]   pkeys_i,    // the table, entry n at 16 n
  output logic                     gsi_any_o,
  output logic [5:0]               gsi_first_o,

  output ohca_fmt_pkg::rs_look_t   look_o
);

  ohca_fmt_pkg::rs_look_t d;
  ohca_fmt_pkg::bth_t     bth;
  ohca_fmt_pkg::grh_t     grh;
  ohca_fmt_pkg::reth_t    reth;
  ohca_fmt_pkg::deth_t    deth;
  ohca_fmt_pkg::av_t      cav;
  assign bth  = p_i.bth;
  assign grh  = p_i.grh;
  assign reth = p_i.ext[223:96];
  assign deth = p_i.ext[223:160];
  assign cav  = cx_i.av;

  ohca_fmt_pkg::opcode_t op;
  logic                  op_fm, op_ml;         // more packets follow, came before
  ohca_opcode u_opcode (.op_i(bth.opcode), .is_o(op));
  assign op_fm = op.first || op.middle;
  assign op_ml = op.middle || op.last;

  // ---- the QP
  logic is_gsi, is_smi, is_dg, run;
  assign is_gsi = cx_i.qtype == ohca_fmt_pkg::QP_TYPE_GSI;
  assign is_smi = cx_i.qtype == ohca_fmt_pkg::QP_TYPE_SMI;
  assign is_dg  = is_gsi || is_smi || cx_i.qtype == ohca_fmt_pkg::QP_TYPE_UD;
  assign run    = !err_i && (cx_i.state == ohca_fmt_pkg::QP_STATE_RTR || cx_i.state == ohca_fmt_pkg::QP_STATE_RTS ||
                  cx_i.state == ohca_fmt_pkg::QP_STATE_SQD || (cx_i.state == ohca_fmt_pkg::QP_STATE_SQE && is_dg));

  // ---- P_Key: the QP's own entry; for QP1 any: all are compared at once, and the next cycle says which is the first.
  function automatic logic same_pkey(input logic [15:0] a, input logic [15:0] b);
    same_pkey = a[14:0] == b[14:0] && a[14:0] != 15'd0 && (a[15] || b[15]);
  endfunction
  logic [NumPkeys-1:0] gsi_fits, gsi_fits_q;
  logic [5:0]          gsi_first;
  logic                pkey_ok;
  assign pkey_idx_o = cx_i.pkey_index;
  assign pkey_ok    = is_smi || same_pkey(pkey_i, bth.pkey);
  always_comb begin
    gsi_fits  = '0;
    gsi_first = '0;
    `WHEN(load_i && is_gsi) for (int unsigned i = 0; i < NumPkeys; i++) begin
      gsi_fits[i] = same_pkey(pkeys_i[16*i +: 16], bth.pkey);
    end
    for (int unsigned i = NumPkeys; i > 0; i--) if (gsi_fits_q[i-1]) gsi_first = 6'(i - 1);
  end
  always_ff @(posedge clk_i) begin
    if (load_i) gsi_fits_q <= gsi_fits;
    gsi_any_o   <= gsi_fits_q != '0;
    gsi_first_o <= gsi_first;
  end

  // ---- path: to the path's own LID of the port, and its GID; a datagram to any of the port's, or to a group's LID.
  logic type_ok, path_rc, path_dg, qkey_ok, mad_ok;
  assign type_ok = is_dg ? op.ud : (cx_i.qtype == ohca_fmt_pkg::QP_TYPE_RC && op.rc);
  assign path_rc = !p_i.vl15 && p_i.slid == cav.dlid && p_i.grh_v == cav.grh &&
                   ((p_i.dlid[6:0] ^ cav.path_bits) & ~(7'h7f << lmc_i)) == 7'd0 &&
                   (!cav.grh || (grh.sgid == ohca_fmt_pkg::bswap128(cav.dgid) && p_i.gidx == cav.sgid_index));
  assign path_dg = p_i.vl15 == is_smi && (!p_i.grh_v || p_i.gidx != 8'hff || p_i.dlid[15:14] == 2'b11);
  assign qkey_ok = is_smi || deth.qkey == cx_i.qkey;
  assign mad_ok  = !(is_gsi || is_smi) || (!op.imm && p_i.plen == 13'd256);
  always_comb begin
    for (int unsigned k = 0; k < 8; k++) d.on[k] = kind_i == ohca_fmt_pkg::rs_kind_e'(k);
    d.op      = op;
    d.alive   = !err_i && cx_i.state != ohca_fmt_pkg::QP_STATE_RESET;
    d.run     = run;
    d.failed  = !err_i && cx_i.state == ohca_fmt_pkg::QP_STATE_ERR;
    d.back_ok = !err_i && cx_i.state != ohca_fmt_pkg::QP_STATE_RESET && cx_i.state != ohca_fmt_pkg::QP_STATE_INIT;
    d.est     = cx_i.state == ohca_fmt_pkg::QP_STATE_RTR && !cx_i.est_sent;
    d.dg      = is_dg;
    d.gsi     = is_gsi;
    d.type_ok = type_ok;
    d.pkey_ok = pkey_ok;
    d.path_ok = is_dg ? path_dg : path_rc;
    d.qkey_ok = qkey_ok;
    d.mad_ok  = mad_ok;
    d.conn    = run && type_ok && pkey_ok && path_rc && !is_dg;
    d.msg     = run && type_ok && path_dg && is_dg && qkey_ok && mad_ok;
  end

  // ---- the receive queue
  logic [15:0] size, mask, known, fresh;
  logic        known_in, fresh_in;
  assign size     = 16'd1 << cx_i.log_size;
  assign mask     = ~(16'hffff << cx_i.log_size);        // size - 1
  assign known    = cx_i.pi - cx_i.head;
  assign fresh    = pi_i - cx_i.head;
  assign known_in = known <= size;             // an index that does not lie ahead within the ring counts as none
  assign fresh_in = fresh <= size;
  always_comb begin
    d.none   = cx_i.pi == cx_i.head || !known_in;
    d.one    = known == 16'd1;
    d.renew  = known <= 16'd8 || cx_i.head[2:0] == 3'd0;
    d.left   = known_in ? known : 16'd0;
    d.pi_ok  = fresh_in && (known_in ? fresh > known : pi_i != cx_i.head);
    d.uar_ok = uar_i == {cx_i.uar_hi, cx_i.uar_lo};
    d.size   = size;
    d.offset = {8'd0, cx_i.head & mask} << cx_i.log_stride;
    d.head1  = cx_i.head + 16'd1;
  end

  // ---- the packet in its message
  logic [23:0] np_whole, ahead, end_left, next;
  logic        np_one, end_low, next_low;
  // A READ's packets: whole ones, and one more or none.
  assign {np_whole, np_one} = op.read ? ohca_fmt_pkg::npkts(reth.dmalen, cx_i.mtu) : 25'd1;
  assign ahead  = cx_i.epsn - bth.psn;
  // Both in one adder each: ahead - np_whole - np_one, and psn + np_whole + np_one.
  assign {end_left, end_low} = {ahead, 1'b1} + {~np_whole, !np_one};
  assign {next, next_low}    = {bth.psn, 1'b1} + {np_whole, np_one};
  logic [12:0] mtu_len;
  logic [31:0] rem, skip;                      // WRITE: bytes left; SEND: bytes before this packet
  logic [32:0] got, rest;                      // bytes with this packet; bytes after it
  logic        rem_all, seq_ok, len_ok, acc_ok, sum_ok;
  assign mtu_len = ohca_fmt_pkg::mtu_bytes(cx_i.mtu);
  assign rem     = op.reth ? reth.dmalen : cx_i.remain;
  assign skip    = op_ml ? cx_i.remain : 32'd0;
  assign got     = {1'b0, is_dg ? 32'd40 : skip} + {20'd0, p_i.plen};
  assign rest    = {1'b0, rem} - {20'd0, p_i.plen};
  assign rem_all = rem == {19'd0, p_i.plen};
  assign seq_ok  = cx_i.cur_op == op.needs;
  assign len_ok  = op_fm   ? (p_i.plen == mtu_len && bth.padcnt == 2'd0) :
                   op.only ? p_i.plen <= mtu_len :
                   op.last ? (p_i.plen <= mtu_len && p_i.plen != 13'd0) :
                             p_i.plen == 13'd0;
  assign acc_ok  = op.send || (op.write && cx_i.acc_write) || (op.read && cx_i.acc_read && cx_i.max_rd != 5'd0);
  // At most 2^31; a WRITE carries exactly what its RETH says.
  assign sum_ok  = op.send ? got <= 33'h080000000
                           : (rem <= 32'h80000000 && (op.read || (op_fm ? !rest[32] && !rem_all : rem_all)));
  always_comb begin
    d.msn1    = cx_i.msn + 24'd1;
    d.epsn_1  = cx_i.epsn - 24'd1;
    d.is_new  = bth.psn == cx_i.epsn;
    d.is_dup  = ohca_fmt_pkg::psn_lt(bth.psn, cx_i.epsn);
    d.dup_end = !end_left[23] && cx_i.rd_any;                   // where no READ was executed none can come again
    d.behind  = cx_i.rd_any && ohca_fmt_pkg::psn_lt(bth.psn, {cx_i.rd_psn_hi, cx_i.rd_psn});
    d.len_ok  = len_ok;
    d.acc_ok  = acc_ok;
    d.sum_ok  = sum_ok;
    d.valid   = (op.send || op.write || op.read) && seq_ok && len_ok && acc_ok && sum_ok;
    d.next    = next;
    d.got     = got[31:0];
    d.rest    = rest[31:0];
    d.va1     = (op.reth ? reth.va : cx_i.va) + {51'd0, p_i.plen};
  end

  always_ff @(posedge clk_i) begin
    if (load_i) look_o <= d;
  end

  logic unused;
  assign unused = &{1'b0, cx_i, p_i, bth, op, grh, reth, deth, cav, end_low, next_low, got[32], end_left[22:0]};

endmodule

`default_nettype wire
