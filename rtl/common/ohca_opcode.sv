// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// What a BTH opcode says, for everybody who reads one: whose packet it is, its operation, its place in the message, the
// headers behind the BTH. A row an opcode (IBA 9.2, table 38), combinational; what is not asked for is no logic.
//
// The operation is the same in every service that has it, so all but service and ext is a function of five bits, and
// one who knows the service may leave that open. A row with headers only is an operation that this adapter does not
// have: it is none of send, write, read, and the engines refuse it. UC and XRC are services more here, atomics and SEND
// with Invalidate rows with a kind. It does NOT say who may have an operation, nor what opcode a packet is sent with
// (ohca_sq_head, ohca_resp).

// comb: a table, one level of LUT6 from five bits, two from eight.

`default_nettype none

module ohca_opcode (
  input  logic [7:0]             op_i,
  output ohca_fmt_pkg::opcode_t  is_o
);

  ohca_fmt_pkg::opcode_t is;
  ohca_fmt_pkg::rs_msg_e msg;
  logic [2:0]            ext;                  // of a connection
  always_comb begin
    is     = '0;
    ext    = 3'd0;
    is.rc  = op_i[7:5] == 3'd0;
    is.ud  = op_i[7:5] == 3'd3;
    is.cnp = op_i == ohca_fmt_pkg::BTH_OP_CNP;
    case (op_i[4:0])
      5'h00: begin is.send  = 1'b1; is.first  = 1'b1; end
      5'h01: begin is.send  = 1'b1; is.middle = 1'b1; end
      5'h02: begin is.send  = 1'b1; is.last   = 1'b1; end
      5'h03: begin is.send  = 1'b1; is.last   = 1'b1; is.imm = 1'b1; ext = 3'd1; end
      5'h04: begin is.send  = 1'b1; is.only   = 1'b1; end
      5'h05: begin is.send  = 1'b1; is.only   = 1'b1; is.imm = 1'b1; ext = 3'd1; end
      5'h06: begin is.write = 1'b1; is.first  = 1'b1; is.reth = 1'b1; ext = 3'd4; end
      5'h07: begin is.write = 1'b1; is.middle = 1'b1; end
      5'h08: begin is.write = 1'b1; is.last   = 1'b1; end
      5'h09: begin is.write = 1'b1; is.last   = 1'b1; is.imm = 1'b1; ext = 3'd1; end
      5'h0a: begin is.write = 1'b1; is.only   = 1'b1; is.reth = 1'b1; ext = 3'd4; end
      5'h0b: begin is.write = 1'b1; is.only   = 1'b1; is.reth = 1'b1; is.imm = 1'b1; ext = 3'd5; end
      5'h0c: begin is.read  = 1'b1; is.reth   = 1'b1; ext = 3'd4; end
      5'h0d: begin is.resp  = 1'b1; is.first  = 1'b1; is.aeth = 1'b1; ext = 3'd1; end
      5'h0e: begin is.resp  = 1'b1; is.middle = 1'b1; end
      5'h0f: begin is.resp  = 1'b1; is.last   = 1'b1; is.aeth = 1'b1; ext = 3'd1; end
      5'h10: begin is.resp  = 1'b1; is.only   = 1'b1; is.aeth = 1'b1; ext = 3'd1; end
      5'h11: begin is.ack   = 1'b1; is.aeth   = 1'b1; ext = 3'd1; end
      5'h12: begin is.answer = 1'b1; is.aeth  = 1'b1; ext = 3'd3; end    // of an atomic: a requester's to refuse
      5'h13: ext = 3'd7;                                                 // compare and swap
      5'h14: ext = 3'd7;                                                 // fetch and add
      5'h16: ext = 3'd1;                                                 // SEND LAST with Invalidate
      5'h17: ext = 3'd1;                                                 // SEND ONLY with Invalidate
      5'h1c: ext = 3'd5;
      5'h1d: ext = 3'd4;
      default: ;
    endcase
    if (is.resp || is.ack) is.answer = 1'b1;
    msg = is.send ? ohca_fmt_pkg::RS_MSG_SEND : is.write ? ohca_fmt_pkg::RS_MSG_WRITE : ohca_fmt_pkg::RS_MSG_NONE;
    // FIRST, MIDDLE, LAST of an operation follow each other, ONLY and READ stand between messages (9.7.4.1).
    if (is.middle || is.last)  is.needs  = msg;
    if (is.first || is.middle) is.leaves = msg;
    case (op_i[7:5])
      3'd0, 3'd1: is.ext = ext;
      3'd3:       is.ext = !is.send || !is.only ? 3'd0 : is.imm ? 3'd3 : 3'd2;    // DETH
      default:    is.ext = 3'd0;
    endcase
  end
  assign is_o = is;

endmodule

`default_nettype wire
