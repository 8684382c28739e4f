// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Payload of the send engine: a job (packets of one WQE) in, its payload out in the order of the packets: pieces that
// lie in one entry of the scatter list, one page and one packet, or the words of what lies in the WQE. A piece (a word)
// a cycle; an entry of the list costs one cycle more. The first piece leaves four cycles after the job, the first word
// three. Slow: a piece (a word) every second cycle, as no ready goes further than its register; an entry costs two, the
// first piece leaves after five.
//
//   job_i -> queue -> (word of the WQE is read) -> entry -> address, left of the entry, of the packet, the job -> txp_o
//                                             +-------------------------------------------------------------> inl_o
//
// A list that ends before the length aborts this packet and those behind it of the job (`bad`), and so does gone_i of
// the job's turn, two cycles after it came, in the middle of a packet too (`bad`, `gone`); inline words leave all the
// same. It checks no keys and reads no payload. Outputs are flops, but rd_*, end_o and put_o: a flop and some LUTs. The
// readies should be flops.
// lint: Depth=128 UseRam=1 Slow=1

`include "ohca_assert.svh"
`default_nettype none

module ohca_sq_pay #(
  parameter int unsigned Depth  = 8,       // jobs that wait, power of two
  parameter bit          UseRam = 1'b0,
  parameter int unsigned Turns  = 64,
  parameter bit          Slow   = 1'b0,    // an entry is worked on in the cycle after that in which it was read
  localparam int unsigned TurnW = $clog2(Turns)
) (
  input  logic                   clk_i,
  input  logic                   rst_i,
  output logic                   idle_o,

  input  logic                   job_valid_i,
  output logic                   job_ready_o,      // a flop
  input  ohca_fmt_pkg::sq_job_t  job_i,

  output logic                   rd_en_o,          // a word of a row is read, one cycle
  output logic [TurnW-1:0]       rd_turn_o,
  output logic [3:0]             rd_word_o,        // {row, word}
  input  logic [127:0]           rd_data_i,

  input  logic [Turns-1:0]       gone_i,           // the turn's QP was reset: nothing of its lists leaves any more

  output logic                   end_o,            // the turn's last piece is made
  output logic [TurnW-1:0]       end_turn_o,

  output logic                   txp_valid_o,
  input  logic                   txp_ready_i,
  output ohca_fmt_pkg::txp_t     txp_o,
  output logic                   put_o,            // a piece of that turn (rd_turn_o of the cycle before) goes to txp_o
  output logic [2:0]             put_slot_o,       // ... with this slot
  output logic                   inl_valid_o,
  input  logic                   inl_ready_i,
  output logic [127:0]           inl_o
);

  typedef struct packed {
    logic [TurnW-1:0] turn;
    logic [1:0]       row;
    logic             ud;
    logic             inl;
    logic [3:0]       nsge;
    logic [31:0]      offset;
    logic [15:0]      bytes;
    logic [3:0]       mtu_sh;
    logic             priv;
    logic [23:0]      pd;
    logic             last;
  } wjob_t;
  typedef enum logic [2:0] { W_IDLE, W_NONE, W_READ, W_SGE, W_EMIT, W_BAD, W_INL } wstate_e;     // W_READ: Slow
  wjob_t                job, wj, w_q;       // w_q.offset: bytes still to be stepped over
  logic [$bits(wj)-1:0] wj_flat;
  wstate_e              ws_q, ws_d, ws_w;   // *_w: unless a job is loaded
  logic                 j_free, j_most;
  logic                 wj_valid, w_load, w_stop, words_q, words_d, words_w, said_q, said_d, said_w, p_last, p_take,
      i_take, p_put, i_put, step, next, fresh_q;
  logic                 gone_q;
  logic [2:0]           slot_q;
  logic                 left_hi, rest_lt, pk_rm_c;
  logic                 le_pk, rm_pk, le_rm, all;    // left < packet's rest, page's rest < packet's, left <= page's;
                                                     // the entry ends with the piece
  logic [3:0]           s_idx_q, s_idx_d;
  logic [4:0]           s_word_q, s_word_d;          // from the WQE's first row
  logic [12:0]          pk_q, pk_d, pk_w, pk_rm, piece, pk_next, a_room, mtu;
  logic [11:0]          room_q, room_d;              // what the page has from a_q on; 0: all of it
  logic [4:0]           s_word_1;
  logic [15:0]          rest_q, rest_d, rest_w, bytes;       // of the job, behind this packet
  logic [63:0]          a_q, a_d;
  logic [31:0]          left_q, left_d, left_pk, left_rm, skip_d, key_q;
  ohca_fmt_pkg::sge_t   sge;
  ohca_fmt_pkg::txp_t   p;

  always_comb begin
    job.turn   = job_i.turn[TurnW-1:0];
    job.row    = job_i.row;
    job.ud     = job_i.ud;
    job.inl    = job_i.inl;
    job.nsge   = job_i.nsge;
    job.offset = job_i.offset;
    job.bytes  = job_i.bytes;
    job.mtu_sh = job_i.mtu_sh;
    job.priv   = job_i.priv;
    job.pd     = job_i.pd;
    job.last   = job_i.last;
  end
  ohca_fifo #(.Width($bits(wj)), .Depth(Depth), .UseRam(UseRam), .AlmostFull(Depth - 1)) u_jobs (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(job_valid_i && job_ready_o), .ready_o(j_free), .data_i(job),
    .valid_o(wj_valid), .ready_i(w_load), .data_o(wj_flat), .count_o(), .almost_full_o(j_most)
  );
  always_ff @(posedge clk_i) job_ready_o <= !rst_i && !j_most;  // room for one that comes now and one a cycle later
  `ASSERT(JobRoom_A, !job_ready_o || j_free)
  assign wj      = wj_flat;
  logic [127:0] entry;
  if (Slow) begin : g_late
    always_ff @(posedge clk_i) entry <= rd_data_i;
  end else begin : g_now
    assign entry = rd_data_i;
  end
  assign sge     = ohca_fmt_pkg::sge_t'(entry);
  assign a_room  = {room_q == '0, room_q};
  assign w_load  = wj_valid && (ws_q == W_IDLE || w_stop);
  assign p_take  = !txp_valid_o || (txp_ready_i && !Slow);
  assign i_take  = !inl_valid_o || (inl_ready_i && !Slow);
  assign mtu     = 13'd1 << w_q.mtu_sh;
  assign s_word_1 = s_word_q + 5'd1;
  // The next packet's payload, whatever this one's pieces are.
  assign rest_lt = rest_q < 16'(mtu);
  assign pk_next = rest_lt ? rest_q[12:0] : mtu;
  assign left_hi = left_q[31:13] != '0;
  assign le_pk   = !left_hi && left_q[12:0] < pk_q;
  assign rm_pk   = room_q != '0 && {1'b0, room_q} < pk_q;
  assign le_rm   = !left_hi && left_q[12:0] <= a_room;
  assign p_last  = !le_pk && !rm_pk;
  assign left_pk = left_q - 32'(pk_q);
  assign left_rm = left_q - 32'(a_room);
  // By this form it stays a sum of its own: of two differences synthesis makes one, behind the choice between them.
  assign {pk_rm, pk_rm_c} = {pk_q, 1'b1} + {~a_room, 1'b1};
  assign piece   = p_last ? pk_q : le_rm ? left_q[12:0] : a_room;
  assign all     = p_last ? left_q == 32'(pk_q) : le_rm;

  // What is offered.
  always_comb begin
    p_put    = 1'b0;
    i_put    = 1'b0;
    p        = '0;
    p.last   = 1'b1;
    p.slot   = slot_q;
    p.priv   = w_q.priv;
    p.pd     = w_q.pd;
    p.key    = key_q;
    p.va     = a_q;
    p.len    = piece;
    case (ws_q)
      W_EMIT: begin
        p_put  = !gone_q;
        p.last = p_last;
      end
      W_BAD: begin
        p_put  = 1'b1;
        p.bad  = 1'b1;
        p.gone = gone_q;
        p.len  = '0;
      end
      W_INL: begin
        p_put = !said_q;
        p.inl = 1'b1;
        p.len = pk_q;
        i_put = !words_q;
      end
      default: begin
      end
    endcase
  end

  // Where in its list and in its packets the job is.
  always_comb begin
    ws_w    = ws_q;
    pk_w    = pk_q;
    rest_w  = rest_q;
    a_d     = a_q;
    room_d  = room_q;
    left_d  = left_q;
    skip_d  = w_q.offset;
    words_w = words_q;
    said_w  = said_q;
    w_stop  = 1'b0;
    step    = 1'b0;
    next    = 1'b0;
    case (ws_q)
      W_NONE: w_stop = 1'b1;
      W_READ: ws_w = W_SGE;
      W_SGE: begin
        next   = fresh_q;                  // the first packet
        a_d    = sge.addr + 64'(w_q.offset);
        room_d = 12'd0 - sge.addr[11:0] - w_q.offset[11:0];
        left_d = sge.length - w_q.offset;
        if (s_idx_q == w_q.nsge || gone_q) ws_w = W_BAD;
        else if (sge.length <= w_q.offset) begin
          skip_d = w_q.offset - sge.length;
          step   = 1'b1;
          if (Slow) ws_w = W_READ;
        end else begin
          skip_d = '0;
          ws_w   = W_EMIT;
        end
      end
      W_EMIT: if (gone_q) ws_w = W_BAD;
      else if (p_take) begin
        next   = p_last;
        // A piece that is not its packet's last ends with the page, or with the entry: then the next one sets these.
        a_d    = p_last ? a_q + 64'(pk_q) : {a_q[63:12] + 52'd1, 12'd0};
        room_d = p_last ? room_q - pk_q[11:0] : '0;
        left_d = p_last ? left_pk : left_rm;
        if (!p_last) pk_w = le_rm ? pk_q - left_q[12:0] : pk_rm;
        if (p_last && rest_q == '0) w_stop = 1'b1;
        else if (all) begin
          ws_w = Slow ? W_READ : W_SGE;
          step = 1'b1;
        end
      end
      // The list ended before the length, or is gone: this packet and the others of the job are aborted.
      W_BAD: if (p_take) begin
        next   = 1'b1;
        w_stop = rest_q == '0;
      end
      W_INL: begin
        // One packet: its words are counted in rest_q.
        if (p_take) said_w = 1'b1;
        if (!words_q && i_take) begin
          rest_w = rest_q - 16'd16;
          step   = 1'b1;
          if (rest_q <= 16'd16) words_w = 1'b1;
        end
        w_stop = said_w && words_w;
      end
      default: begin
      end
    endcase
    if (next) begin
      pk_w   = pk_next;
      rest_w = rest_lt ? '0 : rest_q - 16'(mtu);
    end
  end

  // The next entry or inline word of this job, or the first of the one that is loaded.
  always_comb begin
    bytes     = wj.bytes;
    ws_d      = w_stop ? W_IDLE : ws_w;
    s_idx_d   = s_idx_q + 4'(step && ws_q != W_INL);
    s_word_d  = step ? s_word_1 : s_word_q;
    pk_d      = pk_w;
    rest_d    = rest_w;
    words_d   = words_w;
    said_d    = said_w;
    rd_en_o   = step;
    rd_turn_o = w_q.turn;
    rd_word_o = {2'(w_q.row + s_word_1[3:2]), s_word_1[1:0]};
    if (w_load) begin
      rd_en_o   = bytes != '0;
      rd_turn_o = wj.turn;
      rd_word_o = {2'(wj.row + {1'b0, wj.ud}), wj.ud ? 2'd0 : 2'd2};
      s_idx_d   = '0;
      s_word_d  = wj.ud ? 5'd4 : 5'd2;
      words_d   = 1'b0;
      said_d    = 1'b0;
      pk_d      = bytes[12:0];
      rest_d    = bytes;
      ws_d      = (bytes == '0) ? W_NONE : wj.inl ? W_INL : Slow ? W_READ : W_SGE;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      ws_q        <= W_IDLE;
      txp_valid_o <= 1'b0;
      inl_valid_o <= 1'b0;
      slot_q      <= '0;
    end else begin
      ws_q   <= ws_d;
      slot_q <= slot_q + 3'(put_o);
      if (p_take || txp_ready_i) txp_valid_o <= p_take && p_put;
      if (i_take || inl_ready_i) inl_valid_o <= i_take && i_put;
    end
    if (p_take && p_put) txp_o <= p;
    if (i_take && i_put) inl_o <= rd_data_i;
    if (w_load) w_q <= wj;
    else w_q.offset <= skip_d;
    gone_q   <= gone_i[rd_turn_o];
    fresh_q  <= w_load || (ws_q == W_READ && fresh_q);
    s_idx_q  <= s_idx_d;
    s_word_q <= s_word_d;
    pk_q     <= pk_d;
    rest_q   <= rest_d;
    a_q      <= a_d;
    room_q   <= room_d;
    left_q   <= left_d;
    words_q  <= words_d;
    said_q   <= said_d;
    if (ws_q == W_SGE) key_q <= sge.lkey;
  end

  assign put_o      = p_take && p_put;
  assign put_slot_o = slot_q;
  assign end_o      = w_stop && w_q.last;
  assign end_turn_o = w_q.turn;
  assign idle_o     = !wj_valid && ws_q == W_IDLE && !txp_valid_o && !inl_valid_o;

  logic unused;
  assign unused = &{1'b0, job_i, w_q, pk_rm_c};

  `ASSERT(Room_A, ws_q != W_EMIT || room_q == 12'd0 - a_q[11:0])
  `ASSERT(NextWord_A, !rd_en_o || w_load || s_word_d == s_word_1)
  `ASSERT(InlineOnce_A, !(w_load && wj.inl && wj.bytes != '0) || wj.bytes <= 16'd1 << wj.mtu_sh)

endmodule

`default_nettype wire
