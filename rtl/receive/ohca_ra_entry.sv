// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Acknowledge engine, entries: what is known of the QPs that have tokens between the commit and the result stage. An
// entry begins with the first token of a QP, numbers the QP's tokens, counts them, and keeps what stands still
// meanwhile (ra_qp_t) and the late state as the walk left it (first the context's). It is freed (drop_i) when none is
// left.
//
//   commit  finds the QP's entry, and a free one: find_i with the QP's number in one cycle, and from the next (ok_o)
//           on what there is, until fire_i, with which a token is pushed (alloc_i: it begins the entry), an ACK merged
//           into the newest one, or the entry dropped
//   F       reads by f_e_i
//   L       shows the token in front of it (w_tok_i): is it its turn; w_look_i closes it to further ACKs in that cycle
//           (w_open_o), so in the next one what was merged stands still. w_save_i, w_placed_i, w_fin_i are for w_e_i
//   R       reads by r_e_i; r_fin_i ends a token of it
//
// Reads are those of memories, in the cycle of the address; hit_o, e_o, free_o and ok_o are flops' (Compact: after a
// search of two entries a cycle; known_i says that there is none to make). Writes show in the next cycle. No port has a
// ready: there are as many entries as InFlight, and who pushes counts them (ohca_ra_in). A save and an alloc do not
// come in one cycle. It does NOT know what tokens are for.

`include "ohca_assert.svh"
`include "ohca_lazy.svh"
`default_nettype none

module ohca_ra_entry #(
  parameter int unsigned InFlight = 32,                // power of two, at most 64
  parameter bit          Compact  = 1'b0,
  localparam int unsigned EW      = $clog2(InFlight)
) (
  input  logic                     clk_i,
  input  logic                     rst_i,

  input  logic                     find_i,             // a context may come
  input  logic                     valid_i,            //   it is there, until fire_i
  input  logic [23:0]              qpn_i,
  input  logic                     known_i,            // Compact: its entry is known
  input  logic [EW-1:0]            known_e_i,
  output logic                     ok_o,
  output logic                     hit_o,
  output logic [EW-1:0]            e_o,                // its entry
  output logic [EW-1:0]            free_o,             //   or one for it
  output logic                     open_o,             // the newest token of e_o takes ACKs
  output logic                     none_o,             // e_o has no token
  output logic [EW:0]              seq_o,              // number of the next token

  input  logic                     fire_i,
  input  logic                     push_i,             // only with fire_i, which may come later in the cycle
  input  logic                     alloc_i,            // these with fire_i
  input  logic                     merge_i,
  input  logic                     drop_i,
  input  logic                     ack_i,              // the token is an ACK
  input  logic [23:0]              psn_i,
  input  logic [15:0]              pi_i,               // what was posted when it came
  input  ohca_fmt_pkg::ra_qp_t     qp_i,
  input  ohca_fmt_pkg::ra_late_t   late_i,

  input  logic [EW-1:0]            f_e_i,
  output ohca_fmt_pkg::ra_qp_t     f_qp_o,
  output ohca_fmt_pkg::ra_late_t   f_late_o,
  output logic                     f_walked_o,         // the walk has left something

  input  logic                     w_look_i,
  input  ohca_fmt_pkg::ra_tok_t    w_tok_i,
  output logic                     w_turn_o,
  output logic                     w_open_o,
  output ohca_fmt_pkg::ra_qp_t     w_qp_o,
  output ohca_fmt_pkg::ra_late_t   w_late_o,
  input  logic [EW-1:0]            w_e_i,
  output logic [23:0]              w_psn_o,            // newest PSN merged
  output logic [15:0]              w_pi_o,
  output logic                     w_chain_o,          // data of it went to the placement unit
  input  logic                     w_save_i,
  input  ohca_fmt_pkg::ra_late_t   w_late_i,
  input  logic                     w_fin_i,
  input  logic                     w_placed_i,

  input  logic [EW-1:0]            r_e_i,
  output ohca_fmt_pkg::ra_qp_t     r_qp_o,
  input  logic                     r_fin_i
);

  logic [InFlight-1:0]  valid_q, walked_q, chain_q;
  logic [InFlight-1:0]  open_q, open_now, shuts;       // a token that takes no more ACKs is noted as such a cycle later
  logic                 shut_q;
  logic [EW-1:0]        shut_e_q;
  logic [EW:0]          cnt_q  [InFlight];             // tokens between commit and the end of R
  logic [EW:0]          seq_q  [InFlight];             // number of the next token
  logic [EW:0]          exp_q  [InFlight];             // number of the token L will take
  logic [23:0]          psn_q  [InFlight];             // the token that still takes ACKs: newest PSN acknowledged
  logic [15:0]          pi_q   [InFlight];             //   it may be for WQEs younger than the token's own
  // Bits, not structs: of an array of structs Yosys keeps one element.
  logic [ohca_fmt_pkg::RA_QP_BITS-1:0]   info [InFlight];
  logic [ohca_fmt_pkg::RA_LATE_BITS-1:0] late [InFlight];

  // ---- the entry of a QP, and a free one, which nobody else takes meanwhile
  logic                 push, alloc;
  logic [InFlight-1:0]  hits, comes, goes;             // comes, goes: a token of the entry
  logic [EW-1:0]        found, free_d, free_q, e;
  assign push  = push_i;
  assign alloc = push && alloc_i;
  assign e     = hit_o ? e_o : free_q;
  always_comb begin
    free_d = '0;
    for (int unsigned i = 0; i < InFlight; i++) begin
      comes[i] = push && e == EW'(i);
      goes[i]  = r_fin_i && r_e_i == EW'(i);
    end
    for (int unsigned i = 0; i < InFlight; i++) shuts[i] = shut_q && shut_e_q == EW'(i);
    for (int unsigned i = InFlight; i > 0; i--) if (!valid_q[i-1]) free_d = EW'(i - 1);
    found = '0;
    for (int unsigned i = 0; i < InFlight; i++) if (hits[i]) found = found | EW'(i);
  end
  assign open_now = open_q & ~shuts;
  always_ff @(posedge clk_i) if (find_i) free_q <= free_d;
  assign free_o = free_q;
  if (Compact) begin : g_by_two
    logic [InFlight-1:0] match;
    logic                done;
    ohca_qpn_match #(.InFlight(InFlight), .Banks(2)) u_match (
      .clk_i(clk_i), .rst_i(rst_i), .set_i(alloc), .e_i(e), .set_qpn_i(qp_i.qpn),
      .find_i(valid_i), .qpn_i(qpn_i), .end_i(fire_i), .done_o(done), .match_o(match)
    );
    assign hits   = match & valid_q;
    assign open_o = open_now[e_o];
    always_ff @(posedge clk_i) begin
      ok_o  <= !rst_i && valid_i && (done || known_i) && !fire_i;
      hit_o <= known_i || hits != '0;
      e_o   <= known_i ? known_e_i : found;
    end
  end else begin : g_at_once
    logic [23:0]   qpn_q [InFlight];
    logic          hit_q, here_q;
    logic [EW-1:0] e_q;
    always_comb begin
      for (int unsigned i = 0; i < InFlight; i++) hits[i] = valid_q[i] && qpn_q[i] == qpn_i;
    end
    always_ff @(posedge clk_i) begin
      if (alloc) qpn_q[e] <= qp_i.qpn;
      if (find_i && valid_i) begin
        hit_q <= hits != '0;
        e_q   <= found;
      end
      // As open_now[e_q] is, but for what this token makes of it; w_open_o comes late.
      here_q <= (find_i ? (hits & open_now) != '0 : here_q) && !(w_open_o && (find_i ? hits[w_next] : w_next == e_q));
    end
    assign open_o = here_q;
    `ASSERT(Here_A, find_i || rst_i || here_q == (hit_q && open_now[e_q]))
    assign ok_o  = 1'b1;
    assign hit_o = hit_q;
    assign e_o   = e_q;
    logic unused_known;
    assign unused_known = &{1'b0, known_i, known_e_i};
  end
  assign none_o = cnt_q[e_o] == '0;
  assign seq_o  = hit_o ? seq_q[e_o] : exp_q[free_q];  // goes on where the entry's last user ended

  // ---- what others read
  logic [EW-1:0] w_next;
  logic [EW:0]   w_seq, w_new, w_one, w_two;           // w_new: number of the entry's next token
  assign f_qp_o     = info[f_e_i];
  assign f_late_o   = late[f_e_i];
  assign f_walked_o = walked_q[f_e_i];
  assign r_qp_o     = info[r_e_i];
  assign w_next     = w_tok_i.e[EW-1:0];
  assign w_seq      = w_tok_i.seq[EW:0];
  assign w_turn_o   = exp_q[w_next] == w_seq;
  // w_new - w_seq = 1, without a carry: w_new + ~w_seq is nought where each bit of the sum is the carry into it, which
  // then either bit below has brought. L's choice and all that takes ACKs hang on that.
  assign w_new      = seq_q[w_next];
  assign w_one      = w_new ^ ~w_seq;
  assign w_two      = w_new | ~w_seq;
  assign w_open_o   = w_look_i && w_turn_o && open_q[w_next] && !(shut_q && shut_e_q == w_next) &&
                      w_one == {w_two[EW-1:0], 1'b0};
  assign w_qp_o     = info[w_next];
  assign w_late_o   = late[w_next];
  assign w_psn_o    = psn_q[w_e_i];
  assign w_pi_o     = pi_q[w_e_i];
  assign w_chain_o  = chain_q[w_e_i];

  // ---- what changes
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      shut_q   <= 1'b0;
      valid_q  <= '0;
      walked_q <= '0;
      open_q   <= '0;
      chain_q  <= '0;
    end else begin
      shut_q <= w_open_o && !(push && e == w_next);     // a new token of the entry is open if it says so
      `WHEN(shut_q || w_look_i || w_save_i || w_placed_i || fire_i) for (int unsigned i = 0; i < InFlight; i++) begin
        if (shuts[i]) open_q[i] <= 1'b0;
        if (w_save_i && w_e_i == EW'(i)) walked_q[i] <= 1'b1;
        if (w_placed_i && w_e_i == EW'(i)) chain_q[i] <= 1'b1;
        if (fire_i && drop_i && e_o == EW'(i)) valid_q[i] <= 1'b0;
        if (push && e == EW'(i)) open_q[i] <= ack_i;
        if (alloc && free_q == EW'(i)) begin
          valid_q[i]  <= 1'b1;
          walked_q[i] <= 1'b0;
          chain_q[i]  <= 1'b0;
        end
      end
    end
    shut_e_q <= w_next;
    if (push) seq_q[e] <= seq_o + (EW+1)'(1);
    if (alloc) info[e] <= qp_i;
    if (w_save_i || alloc) late[w_save_i ? w_e_i : free_q] <= w_save_i ? w_late_i : late_i;
    // Of a token that takes no more ACKs this stays as it was in the cycle in which it was closed: L reads it in the
    // next.
    if ((push && ack_i) || (fire_i && merge_i && ohca_fmt_pkg::psn_lt(psn_q[e], psn_i))) begin
      psn_q[e] <= psn_i;
      pi_q[e]  <= pi_i;
    end
    `WHEN(push || r_fin_i) for (int unsigned i = 0; i < InFlight; i++) begin
      if (alloc && e == EW'(i)) cnt_q[i] <= (EW+1)'(1);
      else if (comes[i] != goes[i]) cnt_q[i] <= cnt_q[i] + {{EW{goes[i]}}, 1'b1};
    end
    if (w_fin_i) exp_q[w_e_i] <= exp_q[w_e_i] + (EW+1)'(1);
  end

  `ASSERT(Push_A, !push_i || fire_i)
  `ASSERT(Merge_A, !(fire_i && merge_i) || open_o)
  `ASSERT(Free_A, !alloc || !valid_q[free_q])
  `ASSERT(Used_A, !r_fin_i || (valid_q[r_e_i] && cnt_q[r_e_i] != '0))
  `ASSERT(Known_A, !(find_i && valid_i && known_i) ||
                   (valid_q[known_e_i] && info[known_e_i][ohca_fmt_pkg::RA_QP_BITS-1 -: 24] == qpn_i))
  `ASSERT(OneWriter_A, !(alloc && w_save_i))

  logic unused;
  assign unused = &{1'b0, w_tok_i, w_two[EW]};

endmodule

`default_nettype wire
