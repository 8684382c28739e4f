// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Acknowledge engine, the commit's first cycle: a context that the cache offers is in turn until its token ends
// (end_i); ready_o says that there is something to decide, a cycle after it is offered. News of a receiver that is not
// ready take one more (rnr_o), in which the time to wait is found from what is held here.
//
// An access of the management core instead turns the hot half of the context once around, a word a cycle, and changes
// the one it is for as it comes by: a multiplexer for any word of a line would be larger than all others together. Then
// acc_old_o is the word as it was, acc_chg_o whether it is another now, was_o the state before. An entry in the timer
// outlives whatever is written. What the walk found out (news_*) is kept as it is when its token comes, told_o; more
// may follow. A token every second cycle at most; ready_o and what is kept come from flops.
//
// The cache holds the QP's number and the token until it takes the context back. Compact: so it does the context, and
// makes the change (edit_o); nothing is copied here. It does NOT write the context, and it compares nothing.

`default_nettype none

// lint: Compact=1

module ohca_ra_hold #(
  parameter bit          Compact = 1'b0,
  localparam int unsigned Words  = 29,                 // of a context; the rest is reserved
  localparam int unsigned Hot    = ohca_fmt_pkg::QPC_HOT_BYTES / 4   // of them: what may change
) (
  input  logic                     clk_i,
  input  logic                     rst_i,

  input  logic                     in_valid_i,         // stays until end_i
  input  ohca_fmt_pkg::ra_ck_e     in_kind_i,
  input  logic [32*Words-1:0]      in_i,
  input  ohca_fmt_pkg::ra_late_t   news_late_i,
  input  ohca_fmt_pkg::ra_act_e    news_act_i,
  input  logic [7:0]               news_status_i,
  input  logic [7:0]               news_verr_i,

  input  logic [4:0]               acc_dw_i,           // an access; it stays as well
  input  logic [31:0]              acc_wdata_i,
  input  logic [31:0]              acc_bits_i,
  output logic [31:0]              acc_mask_o,         // what of it may change
  output logic                     edit_o,
  input  logic                     edit_done_i,
  input  logic [31:0]              edit_old_i,

  output logic                     idle_o,
  output logic                     told_o,
  output logic                     rnr_o,
  output logic                     ready_o,
  input  logic                     end_i,
  output ohca_fmt_pkg::rac_t       cx_o,               // the reserved words are zero
  output ohca_fmt_pkg::qp_state_e  was_o,
  output logic                     acc_state_o,        // the access is about the state
  output logic                     acc_chg_o,
  output logic [31:0]              acc_old_o,
  output ohca_fmt_pkg::ra_late_t   late_o,
  output ohca_fmt_pkg::ra_act_e    act_o,
  output logic [7:0]               status_o,
  output logic [7:0]               verr_o
);

  typedef enum logic [1:0] { C_IDLE, C_ROT, C_RNR, C_ACT } state_e;
  state_e             c_q, c_d;
  ohca_fmt_pkg::rac_t in, fixed;
  logic [4:0]         rot_q, word;                     // the word that can be changed
  logic               here, open_q;                    // open_q: C_IDLE, C_ROT; the copy is filled
  logic [31:0]        changed, old_q;
  assign in      = 1024'(in_i);
  assign told_o  = idle_o && in_valid_i && in_kind_i == ohca_fmt_pkg::RA_CK_UPD;
  assign edit_o  = Compact && c_q == C_ROT;

  assign word = Compact ? acc_dw_i : rot_q;
  assign here = rot_q == acc_dw_i;
  always_comb begin
    fixed             = '0;
    fixed.timer_armed = 1'b1;
    fixed.tmr         = '1;
    acc_mask_o        = acc_bits_i;
    for (int unsigned i = 0; i < Hot; i++) if (word == 5'(i)) acc_mask_o = acc_bits_i & ~fixed[32*i +: 32];
  end
  assign changed     = (cx_o[31:0] & ~acc_mask_o) | (acc_wdata_i & acc_mask_o);
  assign acc_state_o = acc_dw_i == 5'd0 && acc_bits_i[2:0] != 3'd0;

  always_comb begin
    c_d = c_q;
    case (c_q)
      C_IDLE:  if (in_valid_i) c_d = (in_kind_i == ohca_fmt_pkg::RA_CK_ACC) ? C_ROT :
                   (told_o && news_act_i == ohca_fmt_pkg::RA_ACT_RNR) ? C_RNR : C_ACT;
      C_ROT:   if (Compact ? edit_done_i : rot_q == 5'(Hot - 1)) c_d = C_ACT;
      C_RNR:   c_d = C_ACT;
      default: if (end_i) c_d = C_IDLE;
    endcase
  end
  // Whether a context is waited for, whether the wait for a receiver is found now, and whether there is something to
  // decide have a flop each that does not enable the copy as well.
  always_ff @(posedge clk_i) begin
    c_q     <= rst_i ? C_IDLE : c_d;
    idle_o  <= rst_i || c_d == C_IDLE;
    rnr_o   <= !rst_i && c_d == C_RNR;
    ready_o <= !rst_i && c_d == C_ACT;
    open_q  <= rst_i || c_d == C_IDLE || c_d == C_ROT;
    if (c_q == C_IDLE) begin
      was_o     <= in.state;
      old_q     <= '0;
      acc_chg_o <= 1'b0;
      rot_q     <= '0;
    end else if (c_q == C_ROT) begin
      rot_q <= rot_q + 5'd1;
      if (here) begin
        old_q     <= cx_o[31:0];
        acc_chg_o <= changed != cx_o[31:0];
      end
    end
    if (c_q == C_IDLE && in_valid_i) begin
      late_o   <= news_late_i;
      act_o    <= news_act_i;
      status_o <= news_status_i;
      verr_o   <= news_verr_i;
    end
  end

  if (Compact) begin : g_held
    assign cx_o      = in;
    assign acc_old_o = edit_old_i;
    logic unused_copy;
    assign unused_copy = &{1'b0, old_q, open_q};
  end else begin : g_copy
    assign acc_old_o = old_q;
    always_ff @(posedge clk_i) begin
      if (open_q) begin
        cx_o[32*Hot-1:0] <= (c_q == C_ROT) ? {here ? changed : cx_o[31:0], cx_o[32*Hot-1:32]} : in_i[32*Hot-1:0];
        if (c_q != C_ROT) cx_o[1023:32*Hot] <= (1024 - 32 * Hot)'(in_i[32*Words-1:32*Hot]);
      end
    end
    logic unused_edit;
    assign unused_edit = &{1'b0, edit_done_i, edit_old_i};
  end

  logic unused;
  assign unused = &{1'b0, in, fixed};

endmodule

`default_nettype wire
