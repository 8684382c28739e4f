// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Checks the header of a send WQE against the send context and says what the planner has to know of it: what it asks
// for, whether it is to be refused and why, its payload that is not sent yet (rem_o), and the packets or PSNs that this
// takes (tr_o).
//
// Latency one cycle, a WQE a cycle: with load_i head_i, line_i and the rest belong together, and the outputs change;
// with cut_i the first cut_n_i packets of it are taken off, as they are not to be sent again. Outputs are flops.
// It does NOT look at scatter entries, or at whether the WQE may be sent now. No port has a ready.
// lint: NumVl=4
// lint: Csum=0

`default_nettype none

module ohca_sq_wqe #(
  parameter int unsigned NumVl = 1,           // data VLs; 1: no classes
  parameter bit          Csum  = 1'b1         // the checksums of a datagram can be filled in: its WQE may ask for it
) (
  input  logic                          clk_i,

  input  logic                          load_i,
  input  logic [255:0]                  head_i,
  input  ohca_fmt_pkg::sqc_t            line_i,
  input  logic                          pushed_i,      // it came with its doorbell: 64 bytes, all there
  input  logic [2:0]                    k_i,           // it is the k-th of its batch, counted from 0
  input  logic                          first_i,       // k_i is 0
  input  logic [4:0]                    words_i,       // of 16 bytes that were fetched of the batch
  input  logic [63:0]                   sl2vl_i,

  input  logic                          cut_i,
  input  logic [23:0]                   cut_n_i,       // fewer than tr_o
  input  logic [3:0]                    cut_sh_i,      // log2 of the path MTU

  output logic                          read_o,
  output logic                          fence_o,
  output logic                          credit_o,      // takes a receive of the other side
  output logic                          inl_o,
  output logic                          nopkt_o,       // a datagram beyond the MTU: nothing is sent of it
  output logic [3:0]                    cls_o,         // of a datagram: its VL, NumVl without one
  output logic [3:0]                    nsge_o,
  output logic [31:0]                   rem_o,
  output logic [23:0]                   tr_o,
  output logic                          many_o,        // tr_o > 127
  output logic                          huge_o,        // tr_o > 2^22
  output logic                          err_o,
  output ohca_fmt_pkg::wc_status_e      status_o,      // with err_o
  output ohca_fmt_pkg::vendor_err_e     verr_o
);

  ohca_fmt_pkg::wqe_ctrl_t hc;
  assign hc = ohca_fmt_pkg::wqe_ctrl_t'(head_i);

  // The context.
  logic        is_rc, is_ud, smi;
  logic [1:0]  row_sh;                                 // rows of 64 bytes of a WQE, log2
  logic [3:0]  mtu_sh;
  assign is_rc  = line_i.qtype == ohca_fmt_pkg::QP_TYPE_RC;
  assign smi    = line_i.qtype == ohca_fmt_pkg::QP_TYPE_SMI;
  assign is_ud  = line_i.qtype == ohca_fmt_pkg::QP_TYPE_UD || smi || line_i.qtype == ohca_fmt_pkg::QP_TYPE_GSI;
  assign row_sh = line_i.log_stride[1:0] - 2'd2;       // 6, 7, 8 -> 0, 1, 2
  assign mtu_sh = (line_i.mtu >= 3'd2 && line_i.mtu <= 3'd5) ? 4'd7 + {1'b0, line_i.mtu} : 4'd8;

  // The operation.
  logic        read, send, write, imm, op_ok;
  assign read  = hc.opcode == ohca_fmt_pkg::WR_OP_RDMA_READ;
  assign send  = hc.opcode == ohca_fmt_pkg::WR_OP_SEND || hc.opcode == ohca_fmt_pkg::WR_OP_SEND_IMM;
  assign write = hc.opcode == ohca_fmt_pkg::WR_OP_RDMA_WRITE || imm;
  assign imm   = hc.opcode == ohca_fmt_pkg::WR_OP_RDMA_WRITE_IMM;
  assign op_ok = is_rc ? send || write || (read && line_i.max_rd != '0) : is_ud && send;

  // Its form.
  logic        there, idx_ok, mbz_ok, fits, len_ok, part, part_ok;
  logic [8:0]  space;                                  // bytes after the header
  logic [31:0] rem_, rem_1;                            // rem_1: one less
  logic [23:0] full, rest;                             // packets before the last one; what is left after the cut
  assign there   = pushed_i || ((6'(k_i) + 6'd1) << (3'd2 + {1'b0, row_sh})) <= {1'b0, words_i};
  assign idx_ok  = hc.idx == line_i.next + {13'd0, k_i};
  assign mbz_ok  = is_rc ? hc.rsvd0 == '0 && hc.rsvd1 == '0 && hc.rsvd2 == '0 && !(read && hc.inl)
                         : (Csum || !hc.rsvd0[2]) && head_i[127:112] == '0 && head_i[159:152] == '0;
  always_comb begin
    case (pushed_i ? 2'd0 : row_sh)                    // rows, less the header: a table, as it is waited for
      2'd0:    space = is_ud ? 9'd0 : 9'd32;
      2'd1:    space = is_ud ? 9'd64 : 9'd96;
      default: space = is_ud ? 9'd192 : 9'd224;
    endcase
  end
  assign fits    = hc.inl ? hc.length <= {23'd0, space} && hc.nsge == 4'd0 : {1'b0, hc.nsge, 4'd0} <= space;
  assign len_ok  = hc.length <= 32'h8000_0000 && (hc.length == '0 || hc.inl || hc.nsge != '0);
  assign part    = first_i && line_i.in_msg;
  assign part_ok = !part || line_i.offset < hc.length; // else it changed while being sent
  assign rem_    = hc.length - (part ? line_i.offset : 32'd0);
  // Of rem_1, so that nothing behind the subtraction asks whether a part of a packet is left.
  assign rem_1   = hc.length + ~(part ? line_i.offset : 32'd0);
  always_comb begin
    case (line_i.mtu)
      3'd2:    full = {1'b0, rem_1[31:9]};
      3'd3:    full = {2'd0, rem_1[31:10]};
      3'd4:    full = {3'd0, rem_1[31:11]};
      3'd5:    full = {4'd0, rem_1[31:12]};
      default: full = rem_1[31:8];
    endcase
    if (hc.length == '0) full = '0;
  end

  ohca_fmt_pkg::vendor_err_e verr;
  always_comb begin
    verr = ohca_fmt_pkg::VENDOR_ERR_NONE;
    if (!there)              verr = ohca_fmt_pkg::VENDOR_ERR_WQE_FETCH;
    else if (!idx_ok)        verr = ohca_fmt_pkg::VENDOR_ERR_WQE_IDX;
    else if (!op_ok)         verr = ohca_fmt_pkg::VENDOR_ERR_OPCODE;
    else if (!mbz_ok || !fits) verr = ohca_fmt_pkg::VENDOR_ERR_WQE_FORMAT;
    else if (!len_ok)        verr = ohca_fmt_pkg::VENDOR_ERR_LENGTH;
    else if (!part_ok)       verr = ohca_fmt_pkg::VENDOR_ERR_WQE_FORMAT;
  end

  // The class of a datagram's path.
  logic [3:0] vl, cls;
  assign vl  = sl2vl_i[{head_i[211:208], 2'b00} +: 4];
  assign cls = (NumVl == 1) ? 4'd0 : (smi || vl >= 4'(NumVl)) ? 4'(NumVl) : vl;

  assign rest = tr_o - cut_n_i;
  always_ff @(posedge clk_i) begin
    if (load_i) begin
      read_o   <= read;
      fence_o  <= hc.fence;
      credit_o <= send || imm;
      inl_o    <= hc.inl;
      nopkt_o  <= is_ud && hc.length > (32'd1 << mtu_sh);
      cls_o    <= cls;
      nsge_o   <= hc.nsge;
      err_o    <= !(there && idx_ok && op_ok && mbz_ok && fits && len_ok && part_ok);
      status_o <= (verr == ohca_fmt_pkg::VENDOR_ERR_LENGTH) ? ohca_fmt_pkg::WC_STATUS_LOC_LEN
                                                            : ohca_fmt_pkg::WC_STATUS_LOC_QP_OP;
      verr_o   <= verr;
    end
    if (load_i) begin
      rem_o  <= rem_;
      tr_o   <= full + 24'd1;
      many_o <= full[23:7] != '0 || &full[6:0];
      huge_o <= full[23:22] != '0;
    end else if (cut_i) begin
      rem_o  <= rem_o - (32'(cut_n_i) << cut_sh_i);
      tr_o   <= rest;
      many_o <= rest[23:7] != '0;
      huge_o <= rest[23] || (rest[22] && rest[21:0] != '0);
    end
  end

  logic unused;
  assign unused = &{1'b0, line_i, hc, sl2vl_i, rem_1[7:0]};

endmodule

`default_nettype wire
