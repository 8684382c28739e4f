// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Responder, tokens: what the commit says to the scatter stage (S), to the result stage (R) and to whoever answers (J)
// waits here, in the order of the commits; and who may still be promised an answer is counted.
//
// A push is of one token for S and R, with the path that its answer would take. When R takes it, R says whether there
// is an answer (r_job_i), and what (r_jres_i): that is put together with the token and its path, and waits until the
// engine of the responses takes it. Room for that is promised before: a token with resv holds a place until R takes it.
// Some of what S gets is the same as R's, and may not differ: key = rkey, va, chk_len = len, and of the path priv, pd,
// base, pay_off.
//
// Not Compact: a token a cycle, to be seen two cycles later, in three queues; push_ready_o need not be looked at if no
// more than InFlight are pushed. Compact: words in block RAM (ohca_rs_store), written while the token is on offer: the
// path may go ahead of it (ahead_i, with path_i stable; drop_i forgets it), flags, tid_i and same_i may change until
// push_last_i; what R has taken stays to be seen while r_hold_i is set from the cycle after. Outputs come from flops
// and memories; job_room_o is a cycle old. It does NOT look at what a token is about.

`include "ohca_assert.svh"
`default_nettype none

// lint: InFlight=16 JobDepth=16 Compact=1 RoCE=0

module ohca_rs_tokens #(
  parameter int unsigned InFlight = 32,                // tokens, power of two, 16 to 64 (Compact: 32)
  parameter int unsigned JobDepth = 32,                // answers, power of two, at least InFlight
  parameter bit          Compact  = 1'b0,
  parameter bit          RoCE     = 1'b1,              // paths have what only Ethernet has
  localparam int unsigned TidW    = $clog2(InFlight),
  localparam int unsigned JobW    = $clog2(JobDepth)
) (
  input  logic                     clk_i,
  input  logic                     rst_i,

  input  logic                     ahead_i,            // Compact: the path is known,
  input  logic                     known_i,            //   all but tid_i and same_i
  input  logic                     drop_i,
  input  logic                     push_valid_i,
  input  logic                     push_last_i,        // Compact: all of it is known
  output logic                     push_ready_o,
  input  logic [TidW-1:0]          tid_i,
  input  logic [InFlight-1:0]      same_i,
  input  ohca_fmt_pkg::rs_stok_t   st_i,
  input  ohca_fmt_pkg::rs_rtok_t   rt_i,
  input  ohca_fmt_pkg::rs_path_t   path_i,

  output logic                     s_valid_o,
  input  logic                     s_pop_i,
  output logic [TidW-1:0]          s_tid_o,
  output logic [InFlight-1:0]      s_same_o,
  output ohca_fmt_pkg::rs_stok_t   s_o,

  output logic                     r_valid_o,
  input  logic                     r_pop_i,
  input  logic                     r_hold_i,           // Compact
  output logic [TidW-1:0]          r_tid_o,
  output logic [InFlight-1:0]      r_same_o,
  output ohca_fmt_pkg::rs_rtok_t   r_o,
  input  logic                     r_job_i,            // with the pop
  input  ohca_fmt_pkg::rs_jres_t   r_jres_i,
  output logic                     job_ready_o,

  output logic                     rjob_valid_o,
  input  logic                     rjob_ready_i,
  output ohca_fmt_pkg::rjob_t      rjob_o,
  output logic                     jobs_any_o,         // one waits
  output logic [JobW+1:0]          jobs_o,             // those that wait, and those that are promised
  input  logic                     keep_one_i,         // a place is somebody's own
  output logic                     job_room_o          // one may be promised
);

  // What an answer needs of its path, packed: an InfiniBand port has no use for MAC address, UDP port and VLAN.
  localparam int unsigned AvW = RoCE ? ohca_fmt_pkg::AV_BITS : ohca_fmt_pkg::AV_IB_BITS;
  typedef struct packed {
    logic [AvW-1:0]     av;
    logic [23:0]        dqpn;
    ohca_fmt_pkg::mtu_e mtu;
    logic               priv;
    logic [23:0]        pd;
    logic [19:0]        base;
    logic [7:0]         pay_off;
  } path_t;

  if ((1 << TidW) != InFlight || InFlight < 16 || InFlight > (Compact ? 32 : 64) || JobDepth < InFlight)
      begin : g_bad_size
    $error("ohca_rs_tokens: InFlight 16 to 64 (Compact: 32), JobDepth >= InFlight");
  end

  logic [JobW:0]          count, resv_q;
  path_t                  path, jp;
  ohca_fmt_pkg::rs_rtok_t jt;
  ohca_fmt_pkg::rs_jres_t jres;
  ohca_fmt_pkg::rjob_t    job;
  ohca_fmt_pkg::av_t      av;
  assign av   = path_i.av;
  assign path = {AvW'(ohca_fmt_pkg::av_pack(av, RoCE)), path_i.dqpn, path_i.mtu, path_i.priv, path_i.pd, path_i.base,
                 path_i.pay_off};

  // ---- answers, and who may be promised one
  assign jobs_any_o = count != '0;
  assign jobs_o     = (JobW+2)'(count) + (JobW+2)'(resv_q);
  always_ff @(posedge clk_i) begin
    // A cycle old, in which no push was: it may have become more.
    job_room_o <= (JobW+1)'(count + resv_q) < (keep_one_i ? (JobW+1)'(JobDepth - 1) : (JobW+1)'(JobDepth));
    if (rst_i) resv_q <= '0;
    else resv_q <= resv_q + (JobW+1)'(push_valid_i && push_ready_o && rt_i.resv) - (JobW+1)'(r_pop_i && r_o.resv);
  end
  always_comb begin
    job            = '0;
    job.kind       = jres.read ? ohca_fmt_pkg::RJK_READ : ohca_fmt_pkg::RJK_ACK;
    job.nak        = jres.nak;
    job.qpn        = jt.qpn;
    job.psn        = jt.psn;
    job.aeth       = {jres.synd, jt.msn + 24'(jres.done)};
    job.va         = jt.va;
    job.rkey       = jt.rkey;
    job.len        = jt.len;
    job.pd         = jp.pd;
    job.priv       = jp.priv;
    job.mtu        = jp.mtu;
    job.migreq     = 1'b1;
    job.pkey_index = jt.pkey_index;
    job.dqpn       = jp.dqpn;
    job.lim        = jres.lim;
    job.av         = ohca_fmt_pkg::av_full(320'(jp.av), RoCE);
  end

  if (Compact) begin : g_store
    localparam int unsigned WordBits = (InFlight == 16) ? 144 : 180;
    localparam int unsigned Mid      = ($bits(path) + WordBits - 1) / WordBits;
    localparam int unsigned RBits    = TidW + InFlight + ohca_fmt_pkg::RS_RTOK_BITS;
    localparam int unsigned RWords   = (RBits + WordBits - 1) / WordBits;
    localparam int unsigned Changing = 26 + TidW + InFlight;               // bits of a token: its flags, tid and same
    localparam int unsigned SideHead = 1 + 2 + 5 + 13;                     // bits of rs_stok that S alone needs
    localparam int unsigned SideBits = TidW + InFlight + SideHead;
    if (RBits - Changing < (RWords - 1) * WordBits) begin : g_bad_words
      $error("ohca_rs_tokens: what may change while a token is written must lie in its last word");
    end
    logic [2*WordBits-1:0]       s_words;
    logic [RWords*WordBits-1:0]  r_words;
    logic [(Mid+2)*WordBits-1:0] j_words;
    logic [SideBits-1:0]         s_side;
    path_t                       sp;
    ohca_fmt_pkg::rs_rtok_t      su;
    ohca_rs_store #(
      .WordBits(WordBits), .Words(Mid + RWords), .Mid(Mid), .Tokens(InFlight), .Jobs(JobDepth), .SideBits(SideBits),
      .JobBits(ohca_fmt_pkg::RS_JRES_BITS)
    ) u_store (
      .clk_i(clk_i), .rst_i(rst_i), .ahead_i(ahead_i), .known_i(known_i), .drop_i(drop_i),
      .push_last_i(push_last_i), .push_valid_i(push_valid_i), .push_ready_o(push_ready_o),
      .push_i({(RWords*WordBits)'({tid_i, same_i, rt_i}), (Mid*WordBits)'(path)}),
      .side_i({tid_i, same_i, st_i[ohca_fmt_pkg::RS_STOK_BITS-1 -: SideHead]}),
      .s_valid_o(s_valid_o), .s_pop_i(s_pop_i), .s_o(s_words), .s_side_o(s_side),
      .r_valid_o(r_valid_o), .r_pop_i(r_pop_i), .r_hold_i(r_hold_i), .r_keep_i(r_job_i), .r_job_i(r_jres_i),
      .r_o(r_words),
      .j_valid_o(rjob_valid_o), .j_pop_i(rjob_valid_o && rjob_ready_i), .j_o(j_words), .j_job_o(jres), .jobs_o(count)
    );
    assign sp = path_t'(($bits(path))'(s_words[WordBits-1:0]));
    assign su = ohca_fmt_pkg::rs_rtok_t'((ohca_fmt_pkg::RS_RTOK_BITS)'(s_words[2*WordBits-1:WordBits]));
    assign s_o = {s_side[SideHead-1:0], sp.priv, sp.pd, su.rkey, su.va, su.len, sp.base, sp.pay_off};
    assign {s_tid_o, s_same_o} = s_side[SideBits-1:SideHead];
    assign {r_tid_o, r_same_o, r_o} = r_words[RBits-1:0];
    assign jp = j_words[$bits(path)-1:0];
    assign jt = ohca_fmt_pkg::rs_rtok_t'((ohca_fmt_pkg::RS_RTOK_BITS)'(j_words[(Mid+2)*WordBits-1:Mid*WordBits]));
    assign rjob_o      = job;
    assign job_ready_o = 1'b1;
    logic unused_store;
    assign unused_store = &{1'b0, st_i, s_words, r_words, j_words, sp, su, jt, jp};
  end else begin : g_queues
    logic rq_ready;
    ohca_fifo #(.Width(TidW + InFlight + ohca_fmt_pkg::RS_STOK_BITS), .Depth(InFlight), .UseRam(1'b0)) u_sq (
      .clk_i(clk_i), .rst_i(rst_i), .valid_i(push_valid_i), .ready_o(push_ready_o), .data_i({tid_i, same_i, st_i}),
      .valid_o(s_valid_o), .ready_i(s_pop_i), .data_o({s_tid_o, s_same_o, s_o}), .count_o(), .almost_full_o()
    );
    ohca_fifo #(.Width(TidW + InFlight + ohca_fmt_pkg::RS_RTOK_BITS + $bits(path)), .Depth(InFlight),
                .UseRam(1'b0)) u_rq (
      .clk_i(clk_i), .rst_i(rst_i), .valid_i(push_valid_i), .ready_o(rq_ready), .data_i({tid_i, same_i, rt_i, path}),
      .valid_o(r_valid_o), .ready_i(r_pop_i), .data_o({r_tid_o, r_same_o, r_o, jp}), .count_o(), .almost_full_o()
    );
    assign jt   = r_o;
    assign jres = r_jres_i;
    // The path lies last in a job.
    localparam int unsigned JobBits = ohca_fmt_pkg::RJOB_BITS - ohca_fmt_pkg::AV_BITS;
    logic [JobBits-1:0] jq_head;
    logic [AvW-1:0]     jq_av;
    ohca_fifo #(.Width(JobBits + AvW), .Depth(JobDepth), .UseRam(1'b0)) u_jq (
      .clk_i(clk_i), .rst_i(rst_i), .valid_i(r_pop_i && r_job_i), .ready_o(job_ready_o),
      .data_i({job[ohca_fmt_pkg::RJOB_BITS-1:ohca_fmt_pkg::AV_BITS], jp.av}),
      .valid_o(rjob_valid_o), .ready_i(rjob_ready_i), .data_o({jq_head, jq_av}), .count_o(count), .almost_full_o()
    );
    assign rjob_o = {jq_head, ohca_fmt_pkg::av_full(320'(jq_av), RoCE)};
    `ASSERT(TokenRoom_A, !push_valid_i || (push_ready_o && rq_ready))
    logic unused_queues;
    assign unused_queues = &{1'b0, jp.base, jp.pay_off, jt, job, ahead_i, known_i, drop_i, push_last_i, r_hold_i};
  end

  `ASSERT(JobRoom_A, !(r_pop_i && r_job_i) || job_ready_o)

endmodule

`default_nettype wire
