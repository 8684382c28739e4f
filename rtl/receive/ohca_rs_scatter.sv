// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Responder, scatter: makes a request's placement pieces. A WRITE is one piece; a SEND's and a datagram's are cut along
// the receive WQE's list, whose words come one a cycle; a datagram's first 40 bytes are its GRH, or are left out.
//
// A list that is too short, or that could not be read, refuses the packet behind the pieces that fit, and poisons its
// QP, as an invalid request does. A token of a poisoned QP, or one without a WQE, makes no pieces. What a poisoned
// token fetched is thrown away. prev_* names the packet before it at the placement unit, whose refusal is to pass on.
//
// Tokens in order; one a cycle if it is no SEND, else one cycle, one for each entry of the list that is looked at, and
// one for each piece; Compact: one for each entry more, and two a WRITE. Pieces leave one cycle later. ready: word from
// the state; pl and out from flops inside. It does NOT read the list, nor know when the bytes are there.

`include "ohca_assert.svh"
`default_nettype none

module ohca_rs_scatter #(
  parameter int unsigned InFlight = 32,                // tokens, power of two
  parameter bit          Compact  = 1'b0,              // one adder for all
  parameter bit          Slow     = 1'b0               // a piece every second cycle
) (
  input  logic                     clk_i,
  input  logic                     rst_i,

  input  logic                     tok_valid_i,
  input  ohca_fmt_pkg::rs_stok_t   tok_i,              // stays until fire_o, and so does what follows but hit and prev
  input  logic [5:0]               id_i,               // its number
  input  logic [23:0]              qpn_i,
  input  logic                     wqe_valid_i,
  input  ohca_fmt_pkg::rs_wout_t   wqe_i,              // what the receive queue said
  input  logic                     hit_i,              // its QP is poisoned; looked at when it starts
  input  logic                     prev_v_i,
  input  logic [5:0]               prev_i,
  output logic                     fire_o,             // it leaves
  output logic                     poison_o,           //   it poisons its QP
  output logic                     heads_o,            //   it is the newest of its QP at the placement unit

  input  logic                     word_valid_i,
  output logic                     word_ready_o,
  input  ohca_fmt_pkg::ring_word_t word_i,

  output logic                     pl_valid_o,
  input  logic                     pl_ready_i,
  output ohca_fmt_pkg::pl_req_t    pl_o,

  output logic                     out_valid_o,        // in the order of the tokens
  input  logic                     out_ready_i,
  output ohca_fmt_pkg::rs_sout_t   out_o
);

  typedef enum logic [2:0] { S_GO, S_PUT, S_WORD, S_CUT, S_EMIT, S_TAIL, S_DRAIN } state_e;
  (* fsm_encoding = "none" *) state_e s_q, s_d;        // bit 2 is in front of the adders
  ohca_fmt_pkg::sge_t     sge;
  ohca_fmt_pkg::pl_req_t  pl;
  ohca_fmt_pkg::rs_sout_t so;
  logic                   so_ready, so_room_q, pl_valid, pl_ready, dead, direct, start, done, writes, step, used_up;
  logic                   ends, unread, placed;
  logic                   last_q, last_d, drop_q, prev_v_q;
  (* fsm_encoding = "none" *) logic [5:0] prev_q;      // no state machine
  ohca_fmt_pkg::rs_fail_e fail_q;
  logic [7:0]             verr_q;

  assign sge    = word_i.data;
  assign dead   = !tok_i.mark && (hit_i || wqe_i.dead);
  assign direct = tok_i.mode == ohca_fmt_pkg::RS_MODE_DIRECT || tok_i.mode == ohca_fmt_pkg::RS_MODE_CHECK;
  assign start  = tok_valid_i && wqe_valid_i && so_room_q;

  // ---- how much of the entry the next piece takes, worked out while the entry comes or the piece before it leaves
  logic        grh_q, grh_d;                           // in the GRH's 40 bytes; else in the payload
  logic [12:0] room_q, room_d;                         // bytes left there
  logic [19:0] src_q, src_d;                           // the next of them in the receive buffer
  logic [63:0] va_q, va_d, va_on;                      // the entry, without what is used of it
  logic [31:0] n_q, n_d, key_q, key_d, skip_q, skip_d, used;
  logic [32:0] n_on;
  logic [12:0] chunk_q, room_next;                     // bytes of the piece
  logic        fit_q, all_q;                           // the room's end is in the entry; the entry ends with the piece
  logic        fit_d, all_d, emit, entry;
  // The sums are looked at in S_WORD, S_CUT and S_EMIT only, of which bit 2 tells the last.
  assign emit      = s_q[2];
  assign entry     = !Compact && !emit;                // the entry comes
  assign used      = emit ? {19'd0, chunk_q} : skip_q;
  assign va_on     = (entry ? sge.addr : va_q) + {32'd0, used};
  assign n_on      = {1'b0, entry ? sge.length : n_q} - {1'b0, used};
  // Nothing of the entry is left: compared by itself, as what follows depends on it; Compact has the sum anyway.
  assign used_up = Compact ? n_on[32] || n_on[31:0] == 32'd0 : sge.length <= skip_q;
  assign room_next = emit ? tok_i.plen : room_q;   // a piece behind another of the same entry begins the payload
  assign fit_d     = n_on[31:13] != 19'd0 || n_on[12:0] >= room_next;
  assign all_d     = n_on[31:13] == 19'd0 && n_on[12:0] <= room_next;
  assign done      = fit_q && (!grh_q || tok_i.plen == 13'd0);
  assign writes    = !grh_q || tok_i.grh;
  assign step      = s_q == S_EMIT && (pl_ready || !writes);   // the piece leaves, or need not

  always_ff @(posedge clk_i) begin
    if (s_q != S_EMIT || step) begin
      chunk_q <= fit_d ? room_next : n_on[12:0];
      fit_q   <= fit_d;
      all_q   <= all_d;
    end
    key_q   <= key_d;
    va_q    <= va_d;
    n_q     <= n_d;
    skip_q  <= skip_d;
    grh_q   <= grh_d;
    room_q  <= room_d;
    src_q   <= src_d;
  end
  always_comb begin
    key_d  = key_q;
    va_d   = va_q;
    n_d    = n_q;
    skip_d = skip_q;
    grh_d  = grh_q;
    room_d = room_q;
    src_d  = src_q;
    case (s_q)
      S_GO: begin
        skip_d = tok_i.more ? tok_i.chk_len : 32'd0;
        grh_d  = tok_i.ud;
        room_d = tok_i.ud ? 13'd40 : tok_i.plen;
        src_d  = tok_i.base + (tok_i.ud ? 20'd8 : {12'd0, tok_i.pay_off});   // the GRH lies 8 bytes behind base
      end
      S_WORD: if (word_valid_i) begin
        key_d = sge.lkey;
        va_d  = Compact ? sge.addr : va_on;
        n_d   = Compact ? sge.length : n_on[31:0];
        if (!Compact) skip_d = used_up ? skip_q - sge.length : 32'd0;
      end
      S_CUT: begin
        va_d   = va_on;
        n_d    = n_on[31:0];
        skip_d = used_up ? skip_q - n_q : 32'd0;
      end
      S_EMIT: if (step) begin
        va_d   = va_on;
        n_d    = n_on[31:0];
        grh_d  = grh_q && !fit_q;
        room_d = fit_q ? tok_i.plen : room_q - chunk_q;
        src_d  = fit_q ? tok_i.base + {12'd0, tok_i.pay_off} : src_q + {7'd0, chunk_q};
      end
      default: ;
    endcase
  end

  // ---- what happens next
  assign word_ready_o = s_q == S_WORD || s_q == S_DRAIN;
  assign last_d       = (s_q == S_GO || s_q == S_PUT) ? 1'b0 : (s_q == S_WORD && word_valid_i) ? word_i.last : last_q;
  always_comb begin
    s_d      = s_q;
    fire_o   = 1'b0;
    pl_valid = 1'b0;
    placed   = 1'b0;
    ends     = 1'b0;                                   // the list is too short
    case (s_q)
      S_GO, S_PUT: begin
        if (s_q == S_PUT) begin
          // Compact: the request is made when all about it has been decided.
          pl_valid = 1'b1;
          placed   = 1'b1;
          fire_o   = pl_ready;
        end else if (start) begin
          if (wqe_i.fetch && dead) s_d = S_DRAIN;
          else if (wqe_i.fetch) s_d = (!tok_i.ud && tok_i.plen == 13'd0) ? S_TAIL : S_WORD;
          else if (!tok_i.mark && !dead && !wqe_i.rnr && !wqe_i.lost && direct) begin
            placed = 1'b1;
            if (Compact) s_d = S_PUT;
            else begin
              pl_valid = 1'b1;
              fire_o   = pl_ready;
            end
          end else fire_o = 1'b1;
        end
      end
      S_WORD: begin
        // The next entry; those wholly used by earlier packets are stepped over.
        if (word_valid_i) begin
          s_d  = Compact ? S_CUT : used_up ? S_WORD : S_EMIT;
          ends = sge.lkey == ohca_fmt_pkg::INVALID_LKEY || (!Compact && used_up && word_i.last);
        end
      end
      S_CUT: begin
        // Compact: what earlier packets used is cut off by the same adders that step over what has been handed over.
        s_d  = used_up ? S_WORD : S_EMIT;
        ends = used_up && last_q;
      end
      S_EMIT: begin
        pl_valid = writes;
        if (step) begin
          if (done) begin
            if (!writes) s_d = S_TAIL;
            else if (!last_q) s_d = S_DRAIN;
            else begin
              placed = 1'b1;
              fire_o = 1'b1;
            end
          end else if (all_q) begin
            s_d  = S_WORD;
            ends = last_q;
          end
        end
      end
      S_TAIL: begin
        // The packet's end for the placement unit, without bytes.
        pl_valid = 1'b1;
        if (pl_ready) begin
          if (!last_q) s_d = S_DRAIN;
          else begin
            placed = 1'b1;
            fire_o = 1'b1;
          end
        end
      end
      default: begin // S_DRAIN: entries that are not needed
        if (word_valid_i && word_i.last) begin
          placed = !drop_q;
          fire_o = 1'b1;
        end
      end
    endcase
    if (fire_o) s_d = S_GO;
    if (unread || ends) s_d = S_TAIL;
  end
  assign unread = s_q == S_WORD && word_valid_i && word_i.err;

  logic                   gone;
  ohca_fmt_pkg::rs_fail_e fail;
  assign gone     = (s_q == S_GO) ? dead : drop_q;
  assign fail     = (s_q == S_GO) ? ohca_fmt_pkg::RS_FAIL_OK : fail_q;
  assign poison_o = fire_o && (fail != ohca_fmt_pkg::RS_FAIL_OK || tok_i.inv) && !gone;
  assign heads_o  = placed && !tok_i.dup;
  always_comb begin
    so.dead   = gone;
    so.rnr    = wqe_i.rnr;
    so.lost   = wqe_i.lost;
    so.placed = placed;
    so.fail   = fail;
    so.verr   = verr_q;                                // where fail says so
    so.code   = wqe_i.code;
  end

  always_comb begin
    pl         = '0;
    pl.priv    = tok_i.priv;
    pl.pd      = tok_i.pd;
    pl.id_v    = !tok_i.dup;
    pl.id      = id_i;
    pl.qpn     = qpn_i;
    pl.chain   = (s_q == S_GO) ? prev_v_i : prev_v_q;
    pl.prev    = (s_q == S_GO) ? prev_i : prev_q;
    if (s_q == S_GO || s_q == S_PUT) begin
      pl.last       = 1'b1;
      pl.key        = tok_i.key;
      pl.va         = tok_i.va;
      pl.chk_len    = tok_i.chk_len;
      pl.check_only = tok_i.mode == ohca_fmt_pkg::RS_MODE_CHECK;
      pl.need_rr    = tok_i.mode == ohca_fmt_pkg::RS_MODE_CHECK;
      pl.need_rw    = tok_i.mode == ohca_fmt_pkg::RS_MODE_DIRECT;
      pl.len        = tok_i.mode == ohca_fmt_pkg::RS_MODE_CHECK ? 13'd1 : tok_i.plen;
      pl.src        = s_q == S_GO ? src_d : src_q;             // no datagram is placed like this
    end else begin
      pl.last       = s_q == S_TAIL || done;
      pl.empty      = s_q == S_TAIL;
      pl.bad        = s_q == S_TAIL && fail_q != ohca_fmt_pkg::RS_FAIL_OK;
      pl.src        = src_q;
      if (s_q == S_EMIT) begin
        pl.key     = key_q;
        pl.va      = va_q;
        pl.chk_len = {19'd0, chunk_q};
        pl.len     = chunk_q;
      end
    end
  end

  // Whether a token with a fetched WQE is dead, and which it follows, is decided once, when it starts.
  always_ff @(posedge clk_i) begin
    if (rst_i) s_q <= S_GO;
    else       s_q <= s_d;
    if (s_q == S_GO) begin
      drop_q   <= dead;
      prev_v_q <= prev_v_i;
      prev_q   <= prev_i;
    end
    last_q <= last_d;
    if (s_q == S_GO) begin
      fail_q <= ohca_fmt_pkg::RS_FAIL_OK;
    end else if (unread || ends) begin
      fail_q <= unread ? ohca_fmt_pkg::RS_FAIL_FETCH : ohca_fmt_pkg::RS_FAIL_SHORT;
      verr_q <= unread ? word_i.verr : ohca_fmt_pkg::VENDOR_ERR_LENGTH;
    end
  end

  ohca_fifo #(.Width(ohca_fmt_pkg::RS_SOUT_BITS), .Depth(InFlight), .UseRam(1'b0)) u_so (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(fire_o), .ready_o(so_ready), .data_i(so),
    .valid_o(out_valid_o), .ready_i(out_ready_i), .data_o(out_o), .count_o(so_count), .almost_full_o()
  );
  // That there is room hangs on a flop, with a place for what leaves meanwhile.
  logic [$clog2(InFlight):0] so_count;
  always_ff @(posedge clk_i) so_room_q <= so_count < ($clog2(InFlight)+1)'(InFlight - 1);
  `ASSERT(SoRoom_A, !fire_o || so_ready)
  ohca_fifo #(.Width(ohca_fmt_pkg::PL_REQ_BITS), .Depth(4), .Single(Slow || Compact)) u_pl (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(pl_valid), .ready_o(pl_ready), .data_i(pl),
    .valid_o(pl_valid_o), .ready_i(pl_ready_i), .data_o(pl_o), .count_o(), .almost_full_o()
  );

endmodule

`default_nettype wire
