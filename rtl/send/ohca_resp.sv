// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Response engine: turns the responder's jobs into acknowledgements and READ responses, in job order per QP, round
// robin over QPs. An ACK of a QP without pending READs leaves six cycles after its job; a READ starts 5 cycles after
// its turn comes, then one packet in three cycles. A job is taken every second cycle (of the same QP every third). With
// Compact a READ starts two cycles later, a packet takes four cycles and a job three.
// lint: Slots=64
// lint: Slots=64 NumVl=4 DW=512
//
//   job -> QPs and ACKs are compared -> state of the slot -> decision -+-> ACK queue (QPs without a slot) ------+-> txd
//           ^                                                          +-> slots: a ring of jobs per QP, turns -+-> txp
//           |                                                          |   of 4 packets
//           +------------------- waiting room (no slot is free) <------+
//
// A plain ACK takes the place of an older plain ACK of its QP when nothing of that QP lies between. A job that finds
// its QP's ring full is dropped (counter resp_full), as if its packets were lost; the requester asks again. The last
// place of a ring is for the NAK that ends a connection, which nobody asks for again. With the ACK queue taken the next
// job waits: nothing here waits for anything but the transmit path and, for READs, host memory. It does NOT check keys:
// ohca_txbuild translates, and reports what cannot be read.
//
// A READ that finds all slots taken goes to the waiting room (ohca_resp_wait), and so does what comes of its QP behind
// it. While anybody waits there every new READ does, also one whose QP has a slot: so slots become free, and nobody is
// passed over for ever. All else passes. few_o asks the responder for no more READs (it answers them with RNR NAKs)
// while there is place for those only that it has accepted already; an ACK is dropped then if its QP waits, a NAK goes
// behind what waits. The oldest comes into the pipeline in turns with the input, and stays if it finds no slot.
//
// A new READ is one too many while as many as its job allows (lim) wait here or are being answered: it and what comes
// behind it are dropped, and the responder is told (over_*), whose NAK comes in its place. A requester that keeps to
// the number has got an answer before it asks anew.
//
// A READ sees every write that was issued before its job came (ohca_resp_fence): its slot's turn does not come before.
// With as many behind writes as can be told of, a READ that has to wait for some goes to the waiting room, too.
// Turns are ohca_resp_turn's, jobs lie in ohca_resp_jobs.
//
// With several VLs a packet is offered only when its VL's egress ring has room (ohca_resp_room), and others pass: there
// is an ACK queue per VL, and a turn ends where its VL has no room.
// A VL can take all but Own slots of each other one; when it has used up what it can have, the next job waits, but when
// the VL is stuck (no packet left it for a long time: ohca_link_tx) the job is dropped like one that finds its ring
// full, so that the responder goes on for the others.

`include "ohca_assert.svh"
`include "ohca_lazy.svh"
`default_nettype none

module ohca_resp #(
  parameter int unsigned Slots   = 16,     // QPs with READs pending, power of two
  parameter int unsigned PerSlot = 32,     // jobs of one QP, power of two
  parameter int unsigned Acks    = 16,     // ACK queue, power of two
  parameter int unsigned Turn    = 4,      // packets in a row of one QP
  parameter int unsigned Places  = 128,    // waiting room, power of two
  parameter int unsigned Coming  = 36,     // ... kept for READs that come although few_o is set
  parameter int unsigned Row     = 8,      // ACKs in a row, power of two, before a turn's packet
  parameter bit          Compact = 1'b0,   // a job lies in two words of half as many block RAMs; fewer paths a cycle
  parameter bit          RoCE    = 1'b1,   // jobs hold what only Ethernet paths have
  parameter int unsigned NumVl   = 1,      // data VLs; 1: no room is asked for
  parameter int unsigned DW      = 64
) (
  input  logic                  clk_i,
  input  logic                  rst_i,
  output logic                  idle_o,
  output logic [63:0]           cnt_o,

  input  logic                  job_valid_i,
  output logic                  job_ready_o,
  input  ohca_fmt_pkg::rjob_t   job_i,
  output logic                  job_done_o,   // the oldest job has found its place, or was dropped: then with
                                              // over_valid_o, resp_full. These two alone: it had waited
  output logic                  few_o,        // no READ should be accepted

  input  logic [31:0]           wr_issued_i,  // of ohca_dma_wr, all clients
  input  logic [31:0]           wr_acked_i,

  input  logic [63:0]           sl2vl_i,
  input  logic [NumVl-1:0][12:0] room_i,   // of the egress rings (ohca_link_tx): words and packets
  input  logic [NumVl-1:0][7:0] desc_i,
  input  logic [NumVl-1:0]      stuck_i,
  input  logic [NumVl-1:0]      yield_i,   // requests of the VL come first
  input  logic [NumVl-1:0]      want_i,    // requests of the VL wait for room

  output logic                  over_valid_o,  // one READ too many; always taken
  output logic [23:0]           over_qpn_o,
  output logic [23:0]           over_psn_o,

  output logic                  txd_valid_o,
  input  logic                  txd_ready_i,
  output ohca_fmt_pkg::txd_t    txd_o,
  output logic                  txp_valid_o,
  input  logic                  txp_ready_i,
  output ohca_fmt_pkg::txp_t    txp_o
);

  localparam int unsigned SlotW = $clog2(Slots);
  localparam int unsigned JobW  = $clog2(PerSlot);
  localparam int unsigned AckW  = $clog2(Acks);
  localparam int unsigned RowW  = $clog2(Row);

  if ((1 << SlotW) != Slots || (1 << JobW) != PerSlot || (1 << AckW) != Acks || (1 << RowW) != Row ||
      Slots < 2 || Acks < 4 || Turn < 1 || Turn > 7 || (NumVl > 1 && Slots < 2 * NumVl)) begin : g_bad
    $error("ohca_resp: Slots, PerSlot, Acks and Row must be powers of two, with at least two slots a VL");
  end

  localparam bit          Shared = NumVl > 1;
  localparam int unsigned VlW    = Shared ? $clog2(NumVl) : 1;
  localparam int unsigned Own    = (Slots < 8 * NumVl) ? 1 : Slots / (4 * NumVl);
  localparam int unsigned Pool   = Slots - Own * NumVl;
  logic [NumVl-1:0]       has_room, turn_room;
  logic [VlW-1:0]         t_vl;
  logic                   t_none, d_room;     // the turn's VL stands two cycles before its room counts
  ohca_resp_room #(.NumVl(NumVl), .DW(DW), .RoCE(RoCE)) u_room (
    .clk_i(clk_i), .rst_i(rst_i), .room_i(room_i), .desc_i(desc_i), .yield_i(yield_i), .want_i(want_i),
    .has_room_o(has_room), .turn_room_o(turn_room), .t_vl_i(t_vl), .t_none_i(t_none), .t_room_o(d_room)
  );

  // A path, packed: an InfiniBand port has no use for MAC address, UDP port and VLAN.
  localparam int unsigned AvW    = RoCE ? ohca_fmt_pkg::AV_BITS : ohca_fmt_pkg::AV_IB_BITS;

  // ------------------------------------------------------------------------------------------------ slots
  logic [Slots-1:0]            valid_q, begun_q, block_q, tail_ack_q, want_q, only_q;   // only_q: one job
  logic [Slots-1:0][23:0]      qpn_q;
  logic [Slots-1:0][JobW-1:0]  head_q;
  logic [Slots-1:0][JobW:0]    cnt_q;
  logic [Slots-1:0][4:0]       rds_q;       // READs among them that count
  logic [Slots-1:0]            over_q;      // one was too many: nothing more but the NAK
  logic [Slots-1:0][AckW:0]    mark_q;      // ACK queue position that must have gone before the slot's first packet
  logic [Slots-1:0][VlW-1:0]   vl_q;        // one VL: not used
  logic [Slots-1:0]            none_q;      // ... there is no VL for it: it is dropped later, and needs no room
  logic [NumVl-1:0][SlotW:0]   used_q;      // slots by VL
  logic [SlotW:0]              extra_q;          // ... above their Own
  logic [NumVl-1:0]            s_may;            // ... that may have another one
  logic                        s_gone, more, gone_q, t_last, s_drop, a_drop, freed_q;
  logic [SlotW-1:0]            freed_slot_q;
  logic [VlW-1:0]              gone_vl_q;
  logic [SlotW-1:0]            in_slot;
  logic                        any_free, plain, is_ack, is_rd, final_nak, counts;
  logic [NumVl-1:0][AckW:0]    a_wr, a_rd;       // of the ACK queue of each VL

  logic                        t_idle, t_take, t_busy, t_done, t_off_we, t_next_ok, t_end, t_frees, read;
  logic [SlotW-1:0]            t_slot, pick, pick_q;
  logic                        some_q;       // pick_q is the next turn's slot

  // The job on its way: its QP is compared with those of all slots and ACKs (load), the state of its slot is read
  // (L_LOOK), it is put where it goes (L_ACT).
  typedef enum logic [1:0] { L_NONE, L_LOOK, L_ACT } lstate_e;
  lstate_e                     l_q;
  ohca_fmt_pkg::rjob_t         j0, job;
  logic [ohca_fmt_pkg::RJOB_BITS-1:0] j0_flat;
  logic                        j0_valid, jd_none, fresh, load, same_q, job_none, job_fire, job_back;
  logic                        w_try, w_turn, w_load, job_w, w_was_q;   // of the waiting room: job_w, it is from there
  logic                        act_q;       // the first cycle of L_ACT
  ohca_fmt_pkg::rjob_t         jw, jd;
  logic [3:0]                  jd_vl;
  logic [VlW-1:0]              jd_q, job_q;
  logic [Slots-1:0]            match_q, t_one;
  // Its VL is looked up beside the way in, and beside the waiting room, to be there with the choice of the two.
  logic [3:0]                  in_vl, j0_vl, jw_vl_q;
  assign in_vl = sl2vl_i[{job_i.av[19:16], 2'b00} +: 4];
  ohca_fifo #(.Width(4 + ohca_fmt_pkg::RJOB_BITS), .Depth(2), .Single(Compact)) u_in (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(job_valid_i), .ready_o(job_ready_o), .data_i({in_vl, job_i}),
    .valid_o(j0_valid), .ready_i(fresh), .data_o({j0_vl, j0_flat}), .count_o(), .almost_full_o()
  );
  always_ff @(posedge clk_i) jw_vl_q <= sl2vl_i[{jw.av[19:16], 2'b00} +: 4];
  assign j0      = ohca_fmt_pkg::rjob_t'(j0_flat);
  assign jd      = w_turn ? jw : j0;
  assign jd_vl   = w_turn ? jw_vl_q : j0_vl;
  assign jd_none = Shared && jd_vl >= 4'(NumVl);
  assign jd_q    = (!Shared || jd_none) ? '0 : jd_vl[VlW-1:0];
  // What the job before changes in this cycle is of its own QP. A cycle old: what just came waits. With Compact each
  // waits, and the job stays while the memory takes it.
  always_ff @(posedge clk_i) same_q <= Compact || !j0_valid || j0.qpn == job.qpn;
  always_ff @(posedge clk_i) w_turn <= w_try && !(w_was_q && j0_valid) && !load;
  assign fresh   = j0_valid && !w_turn && (l_q == L_NONE || (job_fire && !same_q));
  assign w_load  = w_turn && w_try && l_q == L_NONE;
  assign load    = fresh || w_load;
  always_ff @(posedge clk_i) begin
    if (rst_i)                     l_q <= L_NONE;
    else if (load)                 l_q <= L_LOOK;
    else if (l_q == L_LOOK)        l_q <= L_ACT;
    else if (job_fire || job_back) l_q <= L_NONE;
    if (load) begin
      job      <= jd;
      job_q    <= jd_q;
      job_none <= jd_none;
      job_w    <= w_turn;
      for (int unsigned i = 0; i < Slots; i++) match_q[i] <= valid_q[i] && qpn_q[i] == jd.qpn;
    end
    if (rst_i)     w_was_q <= 1'b0;
    else if (load) w_was_q <= w_turn;
    act_q <= l_q == L_LOOK && !rst_i;
  end

  // What the decision looks at, as it stands at the end of the cycle before.
  logic             any_hit, hit_now, free_now, none_now, stuck_now, no_ring_q, stuck_q, goes_q, free_v_q, tail_s;
  logic             over_s, quiet_s, quiet, hit_turn, others;
  logic [SlotW-1:0] hit_slot, hit_d, free_q, free_d;
  logic [Slots-1:0] free_one_q;                    // free_q, a bit each
  logic [JobW:0]    cnt_s, cnt_d;
  logic [JobW-1:0]  pos_s, last_s, s_pos, head_d;   // behind its slot's last job, that job
  logic [4:0]       rds_s, rds_d;
  assign t_one    = Slots'(1) << t_slot;
  assign others   = (match_q & valid_q & ~t_one) != '0;
  assign hit_turn = match_q[t_slot];
  always_comb begin
    hit_d  = '0;
    cnt_d  = '0;
    head_d = '0;
    rds_d  = '0;
    free_d = '0;
    for (int unsigned i = 0; i < Slots; i++) begin
      if (match_q[i]) begin
        hit_d  = hit_d | SlotW'(i);
        cnt_d  = cnt_d | cnt_q[i];
        head_d = head_d | head_q[i];
        rds_d  = rds_d | rds_q[i];
      end
    end
    for (int unsigned i = Slots; i > 0; i--) if (!valid_q[i-1]) free_d = SlotW'(i - 1);
  end
  // Where there is a place at all, so that whether the job goes on is decided from few flops.
  assign hit_now   = others || ((match_q & valid_q & t_one) != '0 && !t_last);
  assign free_now  = !(&valid_q) && s_may[job_q];
  assign none_now  = !hit_now && !free_now;
  assign stuck_now = Shared && stuck_i[job_q];
  always_ff @(posedge clk_i) begin
    any_hit  <= hit_now;
    any_free <= free_now;
    // A READ that finds no ring (or none to wait in for writes); what is dropped as its VL stands; what need not ask
    // whether there is room for an ACK.
    no_ring_q <= job.kind == ohca_fmt_pkg::RJK_READ && (!f_ready || none_now);
    stuck_q   <= job.kind != ohca_fmt_pkg::RJK_ACK && none_now && stuck_now;
    goes_q    <= (job.kind == ohca_fmt_pkg::RJK_ACK) ? hit_now || stuck_now :
                 !none_now && (job.kind != ohca_fmt_pkg::RJK_READ || f_ready);
    hit_slot <= hit_d;
    cnt_s    <= cnt_d - (JobW+1)'(t_done && hit_turn);
    pos_s    <= head_d + cnt_d[JobW-1:0];
    last_s   <= head_d + cnt_d[JobW-1:0] - JobW'(1);
    rds_s    <= rds_d - 5'(freed_q && match_q[freed_slot_q]);
    tail_s   <= (match_q & tail_ack_q) != '0;
    over_s   <= (match_q & over_q) != '0;
    quiet_s  <= quiet;
    free_q   <= free_d;
    for (int unsigned i = 0; i < Slots; i++) free_one_q[i] <= free_d == SlotW'(i);
    free_v_q <= !(&valid_q);
    f_full_s <= !f_ready;             // no READ comes before this job goes
  end
  always_comb begin
    for (int unsigned v = 0; v < NumVl; v++) s_may[v] = !Shared || used_q[v] < (SlotW+1)'(Own) ||
        extra_q < (SlotW+1)'(Pool);
  end
  // What the job is, is found while its slot is looked at, before the decision.
  always_ff @(posedge clk_i) begin
    is_ack    <= job.kind == ohca_fmt_pkg::RJK_ACK;
    is_rd     <= job.kind == ohca_fmt_pkg::RJK_READ;
    plain     <= job.kind == ohca_fmt_pkg::RJK_ACK && !job.nak;
    final_nak <= job.kind == ohca_fmt_pkg::RJK_ACK && job.nak && job.aeth[31:29] == 3'b011 &&
        job.aeth[28:24] != 5'(ohca_fmt_pkg::AETH_NAK_PSN_SEQ);
    counts    <= job.kind != ohca_fmt_pkg::RJK_ACK && job.lim != 5'd0;
  end
  assign in_slot  = any_hit ? hit_slot : free_q;

  logic [Slots-1:0] may_go;
  logic             f_ready, f_full_s, rd_push;

  // The waiting room. A READ for a VL that is stuck does not go there.
  logic w_some, w_hit, w_fits, w_bears, w_other, w_full, w_go, w_merge, w_nak, w_push, w_drop;
  ohca_resp_wait #(.Places(Places), .Coming(Coming), .Compact(Compact), .RoCE(RoCE)) u_wait (
    .clk_i(clk_i), .rst_i(rst_i), .some_o(w_some), .few_o(few_o),
    .look_i(load), .look_qpn_i(jd.qpn), .hit_o(w_hit), .merge_o(w_fits), .bears_o(w_bears),
    .other_o(w_other), .full_o(w_full), .act_i(act_q), .may_i(is_rd || w_hit),
    .put_i(l_q == L_ACT && (w_push || w_merge || w_nak)), .put_merge_i(w_merge), .put_nak_i(w_nak), .put_plain_i(plain),
    .put_job_i(job),
    .freed_i(s_gone || (f_full_s && f_ready)), .valid_o(w_try), .take_i(w_load), .pop_i(job_fire && job_w), .job_o(jw)
  );
  assign w_go    = !job_w && (w_hit || (!stuck_q && is_rd && (w_some || no_ring_q)));
  assign w_merge = !job_w && plain && w_fits;    // only with w_hit
  assign w_nak   = !job_w && is_ack && job.nak && w_bears;
  assign w_push  = w_go && !w_merge && !w_nak && !w_full && (is_rd || w_other || final_nak);
  assign w_drop  = w_go && !w_merge && !w_nak && !w_push;

  // Where the job goes.
  logic too_many, in_use, fits_old, no_place, goes, c_push, s_merge, s_push, s_new, s_full, a_merge, a_push, a_fits,
      a_full, s_we, m_we;

  // Not into the job that a turn works on, or reads in this very cycle.
  assign in_use   = (cnt_s == (JobW+1)'(1) && (t_busy ? t_slot == hit_slot : some_q && pick_q == hit_slot)) ||
                    (cnt_s == (JobW+1)'(2) && t_end && t_slot == hit_slot);
  assign fits_old = plain && tail_s && !in_use && !over_s;
  assign too_many = any_hit && !w_go && !over_s && counts && rds_s >= job.lim;
  assign no_place = cnt_s[JobW] || (&cnt_s[JobW-1:0] && !final_nak) || (over_s ? !final_nak : counts &&
                    rds_s >= job.lim);
  assign s_merge  = any_hit && !w_go && fits_old;
  assign s_full   = any_hit && !w_go && !fits_old && no_place;
  assign s_push   = !w_go && (any_hit ? !fits_old && !no_place : !is_ack && any_free);
  assign s_new    = !any_hit && s_push;
  // s_push of a READ that counts, which is merged with nothing: so it waits for no turn.
  assign c_push   = counts && !w_go && (any_hit ? !cnt_s[JobW] && !(&cnt_s[JobW-1:0]) && !too_many && !over_s :
                                        any_free);
  `ASSERT(Counts_A, l_q != L_ACT || c_push == (s_push && counts))
  assign a_merge  = !any_hit && !w_go && plain && a_fits;
  assign a_push   = !any_hit && !w_go && is_ack && !a_merge && !a_full;
  // What a stuck VL has no place for.
  assign s_drop   = stuck_q && (job_w || !w_hit);
  assign a_drop   = Shared && !any_hit && !w_go && is_ack && !a_merge && !a_push && goes_q;
  // That it goes somewhere, if not to the waiting room: as s_push, a_merge, a_push, s_drop or a_drop have it, each of
  // which knows more.
  assign goes     = goes_q || stuck_q || (is_ack && (!a_full || (plain && a_fits)));
  assign job_fire = l_q == L_ACT && (w_go || goes);
  `ASSERT(Goes_A, l_q != L_ACT || w_go || goes == ((any_hit || s_push || a_merge || a_push || s_drop || a_drop) &&
                                                   (!is_rd || s_drop || !f_full_s)))
  assign job_back = l_q == L_ACT && job_w && no_ring_q && !stuck_q;
  assign s_we     = job_fire && (s_merge || s_push);
  // A free place is written before it is known whether the job comes to it.
  assign m_we     = Compact ? s_we : l_q == L_ACT && (any_hit ? s_merge || !cnt_s[JobW] : any_free);
  `ASSERT(Written_A, !s_we || m_we)
  assign s_pos    = any_hit ? (s_merge ? last_s : pos_s) : '0;

  // The job read is never the one written: see in_use; a new one lies behind at least one that is there.
  ohca_fmt_pkg::rjob_t j;
  logic                j_rd;
  logic [SlotW-1:0]    j_slot;
  logic [JobW-1:0]     j_head;
  ohca_resp_jobs #(.Depth(Slots * PerSlot), .Compact(Compact), .RoCE(RoCE)) u_jobs (
    .clk_i(clk_i), .rst_i(rst_i), .we_i(m_we), .waddr_i({in_slot, s_pos}), .job_i(job),
    .re_i(j_rd), .raddr_i({j_slot, j_head}), .job_o(j)
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      valid_q <= '0;
      block_q <= '0;
    end else begin
      `WHEN(block_q != '0 || s_gone || l_q == L_ACT) for (int unsigned i = 0; i < Slots; i++) begin
        if (block_q[i] && mark_q[i] == a_rd[vl_q[i]]) block_q[i] <= 1'b0;
        if (s_gone && t_one[i]) valid_q[i] <= 1'b0;
        if (job_fire && s_new && free_one_q[i]) begin
          valid_q[i] <= 1'b1;
          block_q[i] <= a_wr[job_q] != a_rd[job_q];
        end
      end
    end
    // One slot after the other, not by index: Yosys makes shifters of indexed writes to packed arrays.
    `WHEN(t_done || t_off_we || l_q == L_ACT || freed_q) for (int unsigned i = 0; i < Slots; i++) begin
      if (t_done && t_slot == SlotW'(i)) begin
        head_q[i]  <= head_q[i] + JobW'(1);
        begun_q[i] <= 1'b0;
        if (!more) begin
          cnt_q[i]  <= cnt_q[i] - (JobW+1)'(1);
          only_q[i] <= cnt_q[i] == (JobW+1)'(2);
        end
      end
      if (t_off_we && t_slot == SlotW'(i)) begun_q[i] <= 1'b1;
      if (job_fire && s_push && any_hit && hit_slot == SlotW'(i)) begin
        if (!(t_done && hit_slot == t_slot)) begin
          cnt_q[i]  <= cnt_q[i] + (JobW+1)'(1);
          only_q[i] <= 1'b0;
        end
        tail_ack_q[i] <= plain;
      end
      if ((job_fire && c_push && any_hit && hit_slot == SlotW'(i)) != (freed_q && freed_slot_q == SlotW'(i)))
        rds_q[i] <= rds_q[i] + {{4{freed_q && freed_slot_q == SlotW'(i)}}, 1'b1};
      if (job_fire && too_many && hit_slot == SlotW'(i)) over_q[i] <= 1'b1;
      // A free slot has what each job would have in it: nothing looks at it before the slot is valid.
      if (l_q == L_ACT && free_v_q && free_q == SlotW'(i)) begin
        qpn_q[i]      <= job.qpn;
        head_q[i]     <= '0;
        cnt_q[i]      <= (JobW+1)'(1);
        only_q[i]     <= 1'b1;
        rds_q[i]      <= 5'(counts);
        begun_q[i]    <= 1'b0;
        tail_ack_q[i] <= 1'b0;                         // it is no ACK
        over_q[i]     <= 1'b0;
        mark_q[i]     <= a_wr[job_q];
        vl_q[i]       <= job_q;
        none_q[i]     <= job_none;
      end
    end
    // A READ that ended counts a cycle longer, before any answer to it can have come anywhere.
    freed_q      <= t_done && t_frees && !rst_i;
    freed_slot_q <= t_slot;
    // A slot that became free counts a cycle later.
    gone_q    <= s_gone && !rst_i;
    gone_vl_q <= vl_q[t_slot];
    if (rst_i) extra_q <= '0;
    else if (Shared && !(job_fire && s_new && gone_q && job_q == gone_vl_q)) begin
      extra_q <= extra_q + (SlotW+1)'(job_fire && s_new && used_q[job_q] >= (SlotW+1)'(Own)) - (SlotW+1)'(gone_q &&
          used_q[gone_vl_q] > (SlotW+1)'(Own));
    end
    for (int unsigned v = 0; v < NumVl; v++) begin
      if (rst_i) used_q[v] <= '0;
      else used_q[v] <= used_q[v] + (SlotW+1)'(Shared && job_fire && s_new && job_q == VlW'(v))
          - (SlotW+1)'(Shared && gone_q && gone_vl_q == VlW'(v));
    end
    over_valid_o <= job_fire && too_many && !rst_i;
    over_qpn_o   <= job.qpn;
    over_psn_o   <= job.psn;
    job_done_o   <= job_fire && !job_w && !rst_i;
    cnt_o        <= '0;
    cnt_o[ohca_fmt_pkg::COUNTER_RESP_FULL] <= job_fire && (s_full || s_drop || a_drop || w_drop) && !rst_i;
  end

  // ------------------------------------------------------------------ READs behind writes
  assign rd_push  = job_fire && s_push && is_rd;
  ohca_resp_fence #(.Slots(Slots), .PerSlot(PerSlot), .Depth(Compact ? 16 : 64)) u_fence (
    .clk_i(clk_i), .rst_i(rst_i), .wr_issued_i(wr_issued_i), .wr_acked_i(wr_acked_i), .quiet_o(quiet),
    .ready_o(f_ready),
    .push_i(rd_push), .quiet_i(quiet_s), .slot_i(in_slot), .done_i(t_done && read), .turn_i(t_slot), .read_i(read),
    .may_go_o(may_go), .next_ok_o(t_next_ok)
  );

  assign t_last = t_done && only_q[t_slot];
  assign more   = job_fire && s_push && any_hit && hit_slot == t_slot;   // one is put behind it; a new slot has no turn
  assign s_gone = t_last && !more;

  // ------------------------------------------------------------------------------------------------ ACK queues
  localparam int unsigned StatW = 24 + 32 + 1 + 16 + 24 + AvW;
  logic [StatW-1:0] a_stat;
  logic [VlW-1:0]   a_sel;
  logic [23:0]      a_qpn;
  logic             a_valid, a_none, a_pop, a_some;
  ohca_resp_acks #(.Acks(Acks), .NumVl(NumVl), .Width(StatW)) u_acks (
    .clk_i(clk_i), .rst_i(rst_i), .look_i(load), .look_qpn_i(jd.qpn), .look_vl_i(jd_q), .vl_i(job_q), .merge_o(a_fits),
    .full_o(a_full), .act_i(l_q == L_ACT), .put_i(job_fire && (a_push || a_merge)), .put_merge_i(a_merge),
    .put_qpn_i(job.qpn), .put_nak_i(job.nak), .put_none_i(job_none),
    .put_data_i({job.psn, job.aeth, job.migreq, job.pkey_index, job.dqpn, AvW'(ohca_fmt_pkg::av_pack(job.av, RoCE))}),
    .wr_o(a_wr), .rd_o(a_rd), .some_o(a_some), .has_room_i(has_room), .valid_o(a_valid), .pop_i(a_pop), .vl_o(a_sel),
    .none_o(a_none), .qpn_o(a_qpn), .data_o(a_stat)
  );

  // ------------------------------------------------------------------------------------------------ turns
  logic [SlotW-1:0]   last_q;
  logic               d_valid, d_ready, pick_any;
  ohca_fmt_pkg::txd_t dt;
  // Chosen two cycles before: nothing but its own turn, which takes longer, changes that it may have one.
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < Slots; i++) begin
      want_q[i] <= valid_q[i] && !block_q[i] && may_go[i] && (!Shared || none_q[i] || turn_room[vl_q[i]]) && !rst_i &&
          !(t_busy ? t_slot == SlotW'(i) : some_q && pick_q == SlotW'(i));
    end
    some_q <= pick_any && !rst_i;
    pick_q <= pick;
    if (rst_i)       last_q <= '0;
    else if (t_take) last_q <= pick_q;
  end
  ohca_next #(.N(Slots)) u_pick (.valid_i(want_q), .last_i(last_q), .any_o(pick_any), .next_o(pick));
  ohca_resp_turn #(.Slots(Slots), .PerSlot(PerSlot), .Turn(Turn), .Compact(Compact), .Shared(Shared),
      .VlW(VlW)) u_turn (
    .clk_i(clk_i), .rst_i(rst_i), .idle_o(t_idle),
    .some_i(some_q), .pick_i(pick_q), .pick_head_i(head_q[pick_q]), .pick_begun_i(begun_q[pick_q]),
    .pick_vl_i(vl_q[pick_q]), .pick_none_i(none_q[pick_q]), .take_o(t_take),
    .busy_o(t_busy), .slot_o(t_slot), .vl_o(t_vl), .none_o(t_none),
    .one_i(only_q[t_slot]), .next_ok_i(t_next_ok), .room_i(d_room),
    .rd_o(j_rd), .rd_slot_o(j_slot), .rd_head_o(j_head), .job_i(j),
    .last_o(t_end), .read_o(read), .frees_o(t_frees), .done_o(t_done), .off_we_o(t_off_we),
    .d_valid_o(d_valid), .d_ready_i(d_ready), .d_o(dt), .p_valid_o(txp_valid_o), .p_ready_i(txp_ready_i), .p_o(txp_o)
  );

  // ------------------------------------------------------------------ out: up to Row ACKs, then a turn's packet
  ohca_fmt_pkg::txd_t at;
  logic               sel, take;                        // sel: the turn's packet
  logic [RowW:0]      row_q;                            // ACKs since the last one of these
  always_comb begin
    at            = '0;
    at.kind       = ohca_fmt_pkg::TXK_RESP;
    at.bth_op     = ohca_fmt_pkg::BTH_OP_ACK;
    at.vl         = !Shared ? 4'd0 : a_none ? 4'd15 : 4'(a_sel);
    at.qpn        = a_qpn;
    {at.psn, at.aeth, at.migreq, at.pkey_index, at.dqpn} = a_stat[StatW-1:AvW];
    at.av         = ohca_fmt_pkg::av_full(320'(a_stat[AvW-1:0]), RoCE);
  end
  // One leaves in two cycles, as jobs come, and packets of a turn take three: so that the one before has been taken is
  // known from a flop, and txd_ready_i is not what everything else here waits for.
  assign take    = !txd_valid_o;
  assign sel     = d_valid && (!a_valid || row_q[RowW]);
  assign a_pop   = take && a_valid && !sel;
  assign d_ready = take && (!a_valid || row_q[RowW]);
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      txd_valid_o <= 1'b0;
      row_q       <= '0;
    end else begin
      txd_valid_o <= take ? sel || a_valid : !txd_ready_i;
      if (take && sel) row_q <= '0;
      else if (take && a_valid && !row_q[RowW]) row_q <= row_q + (RowW+1)'(1);
    end
    if (take && (sel || a_valid)) txd_o <= sel ? dt : at;
  end

  logic quiet_q;                   // what lies here does so only behind a job, so it is asked a cycle before
  always_ff @(posedge clk_i) quiet_q <= l_q == L_NONE && valid_q == '0 && !w_some && !a_some && t_idle && !gone_q &&
      !rst_i;
  assign idle_o = quiet_q && !job_valid_i && !j0_valid && l_q == L_NONE && !job_done_o && !txd_valid_o && cnt_o == '0;

  `ASSERT(Room_A, !d_valid || !Shared || t_none || has_room[t_vl])
  `ASSERT(OneSlot_A, l_q != L_ACT || (match_q & valid_q & ((match_q & valid_q) - Slots'(1))) == '0)
  `ASSERT(CountBound_A, !valid_q[t_slot] || cnt_q[t_slot] <= (JobW+1)'(PerSlot))
  `ASSERT(FreeIs_A, l_q != L_ACT || !free_v_q || !valid_q[free_q])
  `ASSERT(New_A, !(job_fire && s_new) || (free_v_q && !plain))
  `ASSERT(TurnHasJob_A, !t_busy || (valid_q[t_slot] && cnt_q[t_slot] != '0 && only_q[t_slot] == (cnt_q[t_slot] == 1)))

endmodule

`default_nettype wire
