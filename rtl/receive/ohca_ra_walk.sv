// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Acknowledge engine, walk (L): takes a token and the words of the WQEs that were fetched for it, and goes from the
// oldest WQE of the QP as far as the token answers. WQEs retire, the data of a READ response goes to the placement
// unit; what came of it leaves as items, one for each completion and one behind the last, which ohca_ra_result
// confirms.
//
//   L_IDLE  its turn? What its entry says is taken, and it is closed to further ACKs
//   L_TAKE  how far those went: is there anything to walk for
//   L_HDR   the first word of a WQE
//   L_DEC   ohca_ra_retire judges it, if it is the oldest
//   L_BODY  its other words: passed by, and L_HDR again, in the same cycle if none is left; or the list of a READ, for
//           ohca_ra_scatter
//   L_DRAIN words that nobody needs
//   L_FIN   what came of it leaves
//
// A token whose turn has not come, or whose fetch was guessed too short, goes round again (again_o) with what it knows.
// Seven cycles a token and a 64-byte WQE, four for each further one, words coming; with Beat = 4 six and two: behind
// the header of what is no READ nothing is looked at, so it goes by the beat. ready: ltok_ready_o is a state's;
// word_ready_o hangs on the state, item_ready_i and the list. Items and again_o are functions of flops and
// item_ready_i; pieces leave from a queue. It does NOT guess (ohca_ra_fetch), and changes nothing of an entry itself.

`default_nettype none

module ohca_ra_walk #(
  parameter int unsigned Beat = 1,                     // words that word_pass_o passes by at once: 1, 2 or 4
  parameter bit          Slow = 1'b0                   // pieces come at most every second cycle
) (
  input  logic                      clk_i,
  input  logic                      rst_i,

  input  logic                      ltok_valid_i,
  output logic                      ltok_ready_o,
  input  ohca_fmt_pkg::ra_ltok_t    ltok_i,
  input  logic                      turn_i,            // what its entry says: it is the one to be walked now
  input  logic                      open_i,            //   ACKs were merged into it until now, and are not any more
  input  ohca_fmt_pkg::ra_qp_t      qp_i,
  input  ohca_fmt_pkg::ra_late_t    late_i,

  output logic [5:0]                e_o,               // the entry from the next cycle on
  input  logic [23:0]               open_psn_i,        // newest PSN merged, and the end of the WQEs it may be for
  input  logic [15:0]               open_pi_i,
  input  logic                      chain_i,           // data of it went to the placement unit
  output logic                      save_o,            // late_o is its late state now
  output logic                      may_save_o,        // save_o may come in this cycle: early
  output logic                      fin_o,             //   and the token ends
  output logic                      placed_o,          // data went to the placement unit
  output ohca_fmt_pkg::ra_late_t    late_o,
  output logic                      again_valid_o,     // always taken
  output ohca_fmt_pkg::ra_tok_t     again_o,

  input  logic                      word_valid_i,      // of the fetches of tokens with any, in their order
  output logic                      word_ready_o,
  input  ohca_fmt_pkg::ring_word_t  word_i,
  output logic                      word_pass_o,       // those behind it up to a multiple of Beat are taken with it
  input  logic                      word_pass_last_i,  //   the last of these is its fetch's

  output logic                      item_valid_o,
  input  logic                      item_ready_i,
  output ohca_fmt_pkg::ra_item_t    item_o,
  output logic                      pl_valid_o,
  input  logic                      pl_ready_i,
  output ohca_fmt_pkg::pl_req_t     pl_o
);

  typedef enum logic [2:0] { L_IDLE, L_TAKE, L_HDR, L_DEC, L_BODY, L_DRAIN, L_FIN } state_e;
  state_e                    l_q, l_d;
  ohca_fmt_pkg::ra_tok_t     t_q;
  ohca_fmt_pkg::ra_qp_t      qp_q;
  logic                      any_q, ok_q, open_q;
  logic [15:0]               pi_q, w_idx_q, w_next_q;   // the WQE, the one behind it
  logic [4:0]                w_pos_q, w_pos_d, w_pos1;  // words of the WQE taken; with those that are passed by
  logic [4:0]                w_words_q;                 // words of a WQE
  logic                      w_full_q;                  // all of them are taken
  logic                      w_last_q, w_last_d;        // the fetch's last word was taken
  logic                      more_q, more_d, skip_q, skip_d, placed_q, placed_d, told_q;
  logic                      past_q, leave, tell;       // older than the oldest; its words are passed by; it completes
  logic                      hdr_q, body_q, fin_q;      // L_HDR, L_BODY, L_FIN, as much hangs on them
  logic                      first_q;                   // of L_BODY
  logic                      list_q;                    // two words of the WQE are taken: its list comes
  logic                      is_ack, is_nak, is_resp;

  assign is_ack  = t_q.kind == ohca_fmt_pkg::RA_TK_ACK;
  assign is_nak  = t_q.kind == ohca_fmt_pkg::RA_TK_NAK;
  assign is_resp = t_q.kind == ohca_fmt_pkg::RA_TK_RESP;
  assign e_o     = t_q.e;

  // ---- the WQE's verdict
  ohca_fmt_pkg::ra_late_t    s;
  ohca_fmt_pkg::ra_act_e     act;
  ohca_fmt_pkg::wc_status_e  g_status;
  ohca_fmt_pkg::vendor_err_e g_verr;
  logic [23:0]               psn, to;
  logic [31:0]               skip_bytes, len;
  logic [15:0]               idx;
  logic [7:0]                status, verr;
  logic [4:0]                op;
  logic [3:0]                nsge;
  logic                      take, head, bad_word, ended, even, done, place, sig, cqe, g_ready, g_done, g_bad;
  ohca_ra_retire u_retire (
    .clk_i(clk_i), .load_i(l_q == L_IDLE), .late_i(late_i), .tok_i(t_q), .mtu_i(qp_q.mtu), .sig_all_i(qp_q.sig_all),
    .take_i(take), .psn_i(psn), .head_i(head), .head_data_i(word_i.data), .judge_i(l_q == L_DEC), .end_i(ended),
    .fail_i(bad_word || (g_done && g_bad)), .status_i(bad_word ? ohca_fmt_pkg::WC_STATUS_LOC_QP_OP : g_status),
    .verr_i(bad_word ? word_i.verr : g_verr),
    .late_o(s), .to_o(to), .even_o(even), .done_o(done), .place_o(place), .sig_o(sig), .cqe_o(cqe), .idx_o(idx),
    .op_o(op), .len_o(len), .nsge_o(nsge), .skip_o(skip_bytes), .act_o(act), .status_o(status), .verr_o(verr)
  );
  assign take   = l_q == L_TAKE && ok_q;
  assign late_o = s;

  // The list begins at the third word.
  ohca_ra_scatter #(.Slow(Slow)) u_scatter (
    .clk_i(clk_i), .rst_i(rst_i),
    .start_i(first_q && place), .skip_i(skip_bytes), .bytes_i(t_q.plen), .nsge_i(nsge), .src_i(t_q.src),
    .qp_i(qp_q), .e_i(t_q.e), .chain_i(chain_i),
    .begun_i(list_q), .end_i(w_last_q), .word_valid_i(word_valid_i), .word_ready_o(g_ready), .word_i(word_i),
    .done_o(g_done), .bad_o(g_bad), .status_o(g_status), .verr_o(g_verr),
    .pl_valid_o(pl_valid_o), .pl_ready_i(pl_ready_i), .pl_o(pl_o)
  );
  assign placed_o = g_done;

  // ---- the token. What an ACK says may have moved on while it was open; a NAK and a response are about their own PSN.
  logic [15:0] pi;
  logic        old, other;
  logic [23:0] off_tok, off_open;
  assign off_tok  = t_q.psn - s.acked;
  assign off_open = open_psn_i - s.acked;
  assign psn      = (is_ack && open_q) ? open_psn_i : t_q.psn;
  assign pi       = open_q ? open_pi_i : t_q.pi;
  assign old      = (is_ack && open_q) ? off_open[23] : off_tok[23] || (is_nak && t_q.psn == s.acked);
  assign other    = pi_q != s.una;                     // WQEs are left that it may be for
  always_ff @(posedge clk_i) begin
    if (l_q == L_IDLE) begin
      t_q    <= ltok_i.t;
      any_q  <= ltok_i.any;
      ok_q   <= turn_i;
      open_q <= open_i;
      qp_q   <= qp_i;
      w_words_q <= 5'd1 << (qp_i.log_stride - 4'd4);
    end
    if (take) pi_q <= pi;
  end

  // A token that goes round again keeps what merged into it.
  always_comb begin
    again_o       = t_q;
    again_o.front = !skip_q;
    if (is_ack && !skip_q) begin
      again_o.psn = to - 24'd1;
      again_o.pi  = pi_q;
    end
  end

  // ---- words. Behind the header of what is no READ nothing is looked at.
  logic go_on, next_hdr, body_end;
  logic oldest, ahead;                                 // the header is that of the oldest WQE; of a later one
  assign leave    = past_q || done;
  assign tell     = done && sig && !past_q && !told_q;
  assign go_on    = body_q && leave && (!tell || item_ready_i);
  assign next_hdr = go_on && w_full_q && !w_last_q;    // all of it was passed by: the next header
  assign head     = (hdr_q || next_hdr) && word_valid_i;
  assign bad_word = head && word_i.err;
  assign w_pos1   = (w_pos_q | 5'(Beat - 1)) + 5'd1;
  assign body_end = go_on && (w_full_q || w_last_q || (word_valid_i && (w_pos1 == w_words_q || word_pass_last_i)));
  assign ended    = go_on && (w_last_q || (!w_full_q && word_valid_i && word_pass_last_i));
  assign oldest   = l_q == L_HDR ? w_idx_q == s.una : w_next_q == s.una;
  assign ahead    = l_q == L_HDR ? ohca_fmt_pkg::pos_lt(s.una, w_idx_q) : ohca_fmt_pkg::pos_lt(s.una, w_next_q);
  always_comb begin
    case (l_q)
      L_HDR:   word_ready_o = 1'b1;
      L_DEC:   word_ready_o = !w_last_q;
      L_BODY:  word_ready_o = leave ? !w_last_q && (!tell || item_ready_i) : place ? g_ready : !w_last_q;
      L_DRAIN: word_ready_o = !w_last_q;
      default: word_ready_o = 1'b0;
    endcase
    case (l_q)
      L_DEC:   word_pass_o = op != ohca_fmt_pkg::WR_OP_RDMA_READ;
      L_BODY:  word_pass_o = leave ? !w_full_q : !place;
      default: word_pass_o = l_q == L_DRAIN;
    endcase
    w_pos_d  = w_pos_q;
    w_last_d = w_last_q;
    if (word_valid_i && word_ready_o) begin
      w_pos_d  = word_pass_o ? w_pos1 : w_pos_q + 5'd1;
      if (l_q == L_HDR || (l_q == L_BODY && leave && w_full_q)) w_pos_d = 5'd1;
      w_last_d = word_pass_o ? word_pass_last_i : word_i.last;
    end
    if (l_q == L_IDLE) begin
      w_pos_d  = 5'd0;
      w_last_d = !ltok_i.any;
    end
  end

  // ---- states
  always_comb begin
    l_d      = l_q;
    more_d   = more_q;
    skip_d   = skip_q;
    placed_d = placed_q || g_done;
    case (l_q)
      L_IDLE: begin
        more_d   = 1'b0;
        skip_d   = 1'b0;
        placed_d = 1'b0;
        if (ltok_valid_i) l_d = L_TAKE;
      end
      L_TAKE: begin
        l_d = any_q ? L_HDR : L_FIN;
        if (!ok_q || old) l_d = any_q ? L_DRAIN : L_FIN;
        skip_d = !ok_q;                                // not its turn: round again
        more_d = !ok_q || (!old && !any_q && pi != s.una);
      end
      L_DEC: l_d = L_BODY;
      L_BODY: begin
        if (leave) begin
          if (body_end) l_d = ended ? L_FIN : L_HDR;
          // All before the target retired: a NAK acts here, anything else is done or needs more WQEs.
          if (ended && (is_resp || !even) && other) more_d = 1'b1;
        end else if (place) begin
          if (g_done) l_d = w_last_q ? L_FIN : L_DRAIN;
        end else if (w_last_d) l_d = L_FIN;
      end
      L_DRAIN: if (w_last_d) l_d = L_FIN;
      L_FIN:   if (item_ready_i || (more_q && skip_q)) l_d = L_IDLE;
      default: ;
    endcase
    if (head) begin
      if (word_i.err)                                  l_d = L_FIN;
      else if (oldest)                                 l_d = L_DEC;
      else if (!ahead)                                 l_d = L_BODY;
      else begin
        more_d = 1'b1;                                 // the guess was beyond the oldest
        l_d    = word_i.last ? L_FIN : L_DRAIN;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    l_q    <= rst_i ? L_IDLE : l_d;
    hdr_q  <= !rst_i && l_d == L_HDR;
    body_q <= !rst_i && l_d == L_BODY;
    fin_q  <= !rst_i && l_d == L_FIN;
    if (l_q == L_IDLE) w_idx_q <= ltok_i.idx;
    else if (body_end) w_idx_q <= w_next_q;
    if (l_q == L_IDLE) w_next_q <= ltok_i.idx + 16'd1;
    else if (body_end) w_next_q <= w_next_q + 16'd1;
    w_pos_q  <= w_pos_d;
    list_q   <= w_pos_d >= 5'd2;
    w_full_q <= l_q != L_IDLE && w_pos_d == w_words_q;
    w_last_q <= w_last_d;
    more_q   <= more_d;
    skip_q   <= skip_d;
    placed_q <= placed_d;
    told_q   <= l_q != L_DEC && (told_q || (l_q == L_BODY && item_ready_i));
    if (head) past_q <= !oldest;
    first_q  <= l_q == L_DEC;
  end

  // ---- what came of it. The completion of a WQE that has retired goes with the state behind it; what a token that
  // goes round again has done is news already.
  assign ltok_ready_o  = l_q == L_IDLE;
  assign item_valid_o  = (l_q == L_BODY && tell) || (l_q == L_FIN && !(more_q && skip_q));
  assign may_save_o    = fin_q;
  assign save_o        = l_q == L_FIN && item_ready_i && !(more_q && skip_q);
  assign fin_o         = l_q == L_FIN && item_ready_i && !more_q;
  assign again_valid_o = l_q == L_FIN && more_q && (skip_q || item_ready_i);
  always_comb begin
    item_o      = '0;
    item_o.e    = t_q.e;
    item_o.op   = op;
    item_o.post = s;
    item_o.act  = ohca_fmt_pkg::RA_ACT_NONE;
    if (l_q == L_FIN) begin
      item_o.upd    = 1'b1;
      item_o.fin    = !more_q;
      item_o.idx    = s.una;
      if (!more_q) begin
        item_o.cqe    = cqe;
        if (placed_q || cqe) item_o.idx = idx;
        item_o.len    = len;
        item_o.placed = placed_q;
        item_o.rel    = is_resp;
        item_o.slot   = t_q.slot;
        item_o.act    = act;
        item_o.status = status;
        item_o.verr   = verr;
      end
    end else begin
      item_o.cqe    = 1'b1;
      item_o.idx    = w_idx_q;
    end
  end

  logic unused;
  assign unused = &{1'b0, qp_q, ltok_i.t, word_i, off_tok, off_open};

  // Words of a beat are those of one WQE: rings lie at a multiple of 64 bytes.
  if (Beat != 1 && Beat != 2 && Beat != 4) begin : g_bad_beat
    $error("ohca_ra_walk: Beat is 1, 2 or 4");
  end

endmodule

`default_nettype wire
