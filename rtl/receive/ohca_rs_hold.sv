// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Responder, the commit's first cycle: a context that the cache offers is held, with what came with it, until the token
// ends (end_i); ready_o says that there is something to decide.
//
// A cycle after it is offered, two for a packet to QP1, whose P_Key may be any of the table (ohca_rs_look knows a cycle
// later which). An access of the management core instead turns the hot half of the context once around, some words at a
// time, and changes the one it is for as it comes by, which takes four cycles more: a multiplexer for any word of a
// line would be larger than all others together. Then acc_old_o is the word as it was, acc_chg_o whether it is another
// now, was_o the state before. A token every second cycle at most; ready_o and all that is held come from flops.
//
// Compact: the cache holds the context, and what came with it, until it takes it back, and makes the change (edit_o);
// nothing is copied here, and the context is taken again. It does NOT write the context, and it compares nothing.

`default_nettype none

// lint: Compact=1

module ohca_rs_hold #(
  parameter bit          Compact = 1'b0,
  localparam int unsigned PayW   = Compact ? 32 : 69   // as in ohca_rs_lookup
) (
  input  logic                     clk_i,
  input  logic                     rst_i,

  input  logic                     in_valid_i,         // stays until end_i
  input  logic [23:0]              in_qpn_i,
  input  logic                     in_err_i,
  input  logic [PayW+2:0]          in_token_i,         // {kind, what came with it}
  input  ohca_fmt_pkg::rsc_t       in_i,
  output logic                     load_o,             // it is taken

  input  ohca_fmt_pkg::ctx_acc_t   acc_i,              // Compact
  output logic                     edit_o,
  input  logic                     edit_done_i,
  input  logic [31:0]              edit_old_i,

  output logic                     idle_o,
  output logic                     ready_o,
  input  logic                     end_i,
  output ohca_fmt_pkg::rs_kind_e   kind_o,
  output logic [PayW-1:0]          pay_o,
  output logic [23:0]              qpn_o,
  output logic                     err_o,
  output ohca_fmt_pkg::rsc_t       cx_o,               // the reserved words are zero
  output ohca_fmt_pkg::qp_state_e  was_o,
  output logic [4:0]               acc_dw_o,
  output logic [31:0]              acc_wdata_o,
  output logic [31:0]              acc_mask_o,
  output logic                     acc_chg_o,
  output logic [31:0]              acc_old_o
);

  localparam int unsigned Words  = 28;                 // of a context; the rest is reserved
  localparam int unsigned Hot    = ohca_fmt_pkg::QPC_HOT_BYTES / 4;   // of them: what may change
  localparam int unsigned Turned = 4;                  // of these in a cycle

  typedef enum logic [1:0] { C_IDLE, C_GSI, C_ROT, C_ACT } state_e;
  state_e                   c_q;
  ohca_fmt_pkg::rs_kind_e   in_kind;
  logic [4:0]               rot_q;                     // the first word of those that can be changed
  logic [Turned-1:0]        here;
  logic [Turned-1:0][31:0]  words;
  logic [31:0]              old, old_q;
  assign in_kind = ohca_fmt_pkg::rs_kind_e'(in_token_i[PayW+2:PayW]);
  assign idle_o  = c_q == C_IDLE;
  assign load_o  = c_q == C_IDLE && in_valid_i;
  assign ready_o = c_q == C_ACT;
  assign edit_o  = Compact && c_q == C_ROT;

  always_comb begin
    old = '0;
    for (int unsigned i = 0; i < Turned; i++) begin
      here[i]  = rot_q + 5'(i) == acc_dw_o;
      words[i] = here[i] ? (cx_o[32*i +: 32] & ~acc_mask_o) | (acc_wdata_o & acc_mask_o) : cx_o[32*i +: 32];
      if (here[i]) old = old | cx_o[32*i +: 32];
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) c_q <= C_IDLE;
    else begin
      case (c_q)
        C_IDLE: begin
          if (in_valid_i) begin
            c_q <= (in_kind == ohca_fmt_pkg::RS_KIND_ACC) ? C_ROT :
                   (in_kind == ohca_fmt_pkg::RS_KIND_PKT && in_i.qtype == ohca_fmt_pkg::QP_TYPE_GSI) ? C_GSI : C_ACT;
          end
        end
        C_ROT:   if (Compact ? edit_done_i : rot_q == 5'(Hot - Turned)) c_q <= C_ACT;
        C_GSI:   c_q <= C_ACT;
        default: if (end_i) c_q <= C_IDLE;
      endcase
    end
    if (c_q == C_IDLE) begin
      was_o     <= in_i.state;
      old_q     <= '0;
      acc_chg_o <= 1'b0;
      rot_q     <= '0;
    end else if (c_q == C_ROT) begin
      rot_q <= rot_q + 5'(Turned);
      if (here != '0) begin
        old_q     <= old;
        acc_chg_o <= ((old ^ acc_wdata_o) & acc_mask_o) != '0;
      end
    end
  end

  if (Compact) begin : g_held
    assign cx_o        = 1024'(in_i[32*Words-1:0]);
    assign qpn_o       = in_qpn_i;
    assign err_o       = in_err_i;
    assign kind_o      = in_kind;
    assign pay_o       = in_token_i[PayW-1:0];
    assign acc_dw_o    = acc_i.dw;
    assign acc_wdata_o = acc_i.wdata;
    assign acc_mask_o  = acc_i.wmask;
    assign acc_old_o   = edit_old_i;
    logic unused_copy;
    assign unused_copy = &{1'b0, words, old_q, acc_i};
  end else begin : g_copy
    assign {acc_dw_o, acc_wdata_o, acc_mask_o} = pay_o;
    assign acc_old_o = old_q;
    always_ff @(posedge clk_i) begin
      if (c_q == C_IDLE) begin
        qpn_o  <= in_qpn_i;
        err_o  <= in_err_i;
        kind_o <= in_kind;
        pay_o  <= in_token_i[PayW-1:0];
      end
      if (c_q == C_IDLE || c_q == C_ROT) begin
        cx_o[32*Hot-1:0] <= (c_q == C_ROT) ? {words, cx_o[32*Hot-1:32*Turned]} : in_i[32*Hot-1:0];
      end
      if (c_q == C_IDLE) cx_o[1023:32*Hot] <= (1024 - 32 * Hot)'(in_i[32*Words-1:32*Hot]);
    end
    logic unused_edit;
    assign unused_edit = &{1'b0, acc_i, edit_done_i, edit_old_i};
  end

  logic unused;
  assign unused = &{1'b0, in_i};

endmodule

`default_nettype wire
