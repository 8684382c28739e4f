// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Acknowledge engine, result: confirms what the walk found, in order, as soon as the data that belongs to it is placed.
// Completions leave, tokens end, receive slots are free, and contexts have news: the late state of a QP as it is
// confirmed, and what is to follow (go back, wait, fail), lie here until the commit reads them (told_i).
//
// A failure, of the walk or of the placement, kills the entry: what comes behind it of that QP changes and completes
// nothing. News of an entry is announced once (news_*) until it is read. A completion of the commit's own (own_*) goes
// into the queue before those from here, which keeps a QP's in order.
//
// An item a cycle, its data being placed; latency two cycles (Slow: one) for what is kept here, one more to news and
// completions. ready: item and own from flops; pl_rsp, alloc, kill and told have none. It does NOT decide about
// retries.

`include "ohca_assert.svh"
`include "ohca_lazy.svh"
`default_nettype none

module ohca_ra_result #(
  parameter int unsigned InFlight = 32,                // entries, power of two, at most 64
  parameter bit          Slow     = 1'b0,              // completions leave at most every second cycle
  localparam int unsigned EW      = $clog2(InFlight)
) (
  input  logic                     clk_i,
  input  logic                     rst_i,

  input  logic                     item_valid_i,
  output logic                     item_ready_o,
  input  ohca_fmt_pkg::ra_item_t   item_i,
  input  logic                     pl_rsp_valid_i,     // in the order of the items that wait for one
  input  ohca_fmt_pkg::pl_rsp_t    pl_rsp_i,

  output logic [EW-1:0]            e_o,                // entry of the item, and its QP in the same cycle
  input  ohca_fmt_pkg::ra_qp_t     qp_i,
  output logic                     fin_o,              // a token of e_o ends now
  output logic                     rel_o,              // a receive slot is free
  output logic [5:0]               rel_slot_o,

  input  logic                     alloc_i,            // an entry begins
  input  logic [EW-1:0]            alloc_e_i,
  input  logic                     kill_i,             // its QP is reset: nothing of it counts any more
  input  logic [EW-1:0]            kill_e_i,
  output logic [InFlight-1:0]      untold_o,           // entries with news that was not read

  output logic                     news_valid_o,
  input  logic                     news_ready_i,
  output logic [EW-1:0]            news_e_o,
  output logic [23:0]              news_qpn_o,
  input  logic                     told_i,             // news is read now
  input  logic [EW-1:0]            told_e_i,
  output logic                     late_valid_o,       // of told_e_i, in the same cycle: something is confirmed
  output ohca_fmt_pkg::ra_late_t   late_o,
  output ohca_fmt_pkg::ra_act_e    act_o,
  output logic [7:0]               status_o,
  output logic [7:0]               verr_o,

  input  logic                     own_valid_i,
  output logic                     own_ready_o,
  input  ohca_fmt_pkg::cq_req_t    own_i,
  output logic                     cq_valid_o,
  input  logic                     cq_ready_i,
  output ohca_fmt_pkg::cq_req_t    cq_o
);

  ohca_fmt_pkg::ra_item_t  ri;
  ohca_fmt_pkg::pl_rsp_t   pr;
  ohca_fmt_pkg::cq_req_t   rc;
  ohca_fmt_pkg::ra_late_t  prev, next;
  ohca_fmt_pkg::ra_act_e   act;
  logic [7:0]              status, verr;
  logic                    ri_valid, pr_valid, pr_ready, there, fire, dead, bad, state, push, news_ready;

  // Bits, not structs: of an array of structs Yosys keeps one element.
  logic [ohca_fmt_pkg::RA_LATE_BITS-1:0] rst [InFlight];               // as confirmed
  logic [17:0]             eact [InFlight];                            // {act, status, verr}, if eactv_q
  logic [InFlight-1:0]     edead_q, eupd_q, einit_q, eactv_q;
  logic [17:0]             told_act;
  logic                    told_any;

  // Whether there is room for an item is seen a cycle late, so one more may come.
  ohca_fmt_pkg::ra_item_t it;
  logic it_ready, it_most, it_valid, it_pop;
  always_ff @(posedge clk_i) item_ready_o <= !rst_i && !it_most;
  ohca_fifo #(.Width(ohca_fmt_pkg::RA_ITEM_BITS), .Depth(16), .AlmostFull(15)) u_it (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(item_valid_i && item_ready_o), .ready_o(it_ready), .data_i(item_i),
    .valid_o(it_valid), .ready_i(it_pop), .data_o(it), .count_o(), .almost_full_o(it_most)
  );
  if (Slow) begin : g_small
    assign {ri_valid, it_pop, ri} = {it_valid, fire, it};
  end else begin : g_stage
    ohca_stage #(.Width(ohca_fmt_pkg::RA_ITEM_BITS)) u_item (
      .clk_i(clk_i), .rst_i(rst_i), .valid_i(it_valid), .ready_o(it_pop), .data_i(it),
      .valid_o(ri_valid), .ready_i(fire), .data_o(ri)
    );
  end
  // That a packet was refused only because of the one before it is found before it waits here: much hangs on that and
  // on whether there is an answer.
  logic in_flush, pr_flush;
  assign in_flush = pl_rsp_i.verr == ohca_fmt_pkg::VENDOR_ERR_FLUSH;
  ohca_fifo #(.Width(1 + ohca_fmt_pkg::PL_RSP_BITS), .Depth(32), .ValidFlop(1'b1)) u_pr (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(pl_rsp_valid_i), .ready_o(pr_ready), .data_i({in_flush, pl_rsp_i}),
    .valid_o(pr_valid), .ready_i(fire && ri.placed), .data_o({pr_flush, pr}), .count_o(), .almost_full_o()
  );

  assign e_o        = ri.e[EW-1:0];
  assign dead       = edead_q[e_o];
  assign prev       = rst[e_o];
  assign there      = ri_valid && (!ri.placed || pr_valid);
  assign fire       = there && own_ready_o && !own_valid_i;
  assign state      = fire && !dead;
  assign fin_o      = fire && ri.fin;
  assign rel_o      = fire && ri.rel;
  assign rel_slot_o = ri.slot;

  // The walk's own failure stands where the placement has nothing to add to it.
  assign bad        = ri.placed && !pr.ok && !(ri.act == ohca_fmt_pkg::RA_ACT_ERR && pr_flush);
  assign act        = bad ? ohca_fmt_pkg::RA_ACT_ERR : ri.act;
  assign status     = bad ? ohca_fmt_pkg::WC_STATUS_LOC_PROT : ri.status;
  assign verr       = bad ? pr.verr : ri.verr;
  always_comb begin
    next = ri.post;
    if (act == ohca_fmt_pkg::RA_ACT_ERR) next.una = ri.idx;
  end

  // That there is something to do, or no longer (a response that went on after a restart was found necessary makes it
  // needless), is noted a cycle later: what was confirmed before is compared for it. Who is told meanwhile gets it.
  logic          act_q, act_new_q;
  logic [EW-1:0] act_e_q;
  always_ff @(posedge clk_i) begin
    act_q     <= !rst_i && state && (act != ohca_fmt_pkg::RA_ACT_NONE || ri.post.acked != prev.acked);
    act_new_q <= act != ohca_fmt_pkg::RA_ACT_NONE;
    act_e_q   <= e_o;
  end

  always_ff @(posedge clk_i) begin
    if (state) rst[e_o] <= next;
    if (state && act != ohca_fmt_pkg::RA_ACT_NONE) eact[e_o] <= {act, status, verr};
    if (rst_i) begin
      edead_q <= '0;
      eupd_q  <= '0;
      einit_q <= '0;
      eactv_q <= '0;
    end else begin
      `WHEN(told_i || fire || alloc_i || kill_i || act_q) for (int unsigned i = 0; i < InFlight; i++) begin
        if (act_q && act_e_q == EW'(i)) eactv_q[i] <= act_new_q;
        if (told_i && told_e_i == EW'(i)) begin
          eupd_q[i]  <= 1'b0;
          eactv_q[i] <= 1'b0;
        end
        if (e_o == EW'(i)) begin
          if (push) eupd_q[i] <= 1'b1;
          if (state) einit_q[i] <= 1'b1;
          if (state && act == ohca_fmt_pkg::RA_ACT_ERR) edead_q[i] <= 1'b1;
        end
        if (kill_i && kill_e_i == EW'(i)) edead_q[i] <= 1'b1;
        if (alloc_i && alloc_e_i == EW'(i)) begin
          edead_q[i] <= 1'b0;
          eupd_q[i]  <= 1'b0;
          einit_q[i] <= 1'b0;
          eactv_q[i] <= 1'b0;
        end
      end
    end
  end

  // ---- news for the context
  assign told_act     = eact[told_e_i];
  assign late_valid_o = einit_q[told_e_i];
  assign late_o       = rst[told_e_i];
  assign told_any     = (act_q && act_e_q == told_e_i) ? act_new_q : eactv_q[told_e_i];
  assign act_o        = told_any ? ohca_fmt_pkg::ra_act_e'(told_act[17:16]) : ohca_fmt_pkg::RA_ACT_NONE;
  assign status_o     = told_act[15:8];
  assign verr_o       = told_act[7:0];
  assign untold_o     = eupd_q;
  assign push         = fire && ri.upd && (!eupd_q[e_o] || (told_i && told_e_i == e_o));
  ohca_fifo #(.Width(EW + 24), .Depth(2 * InFlight), .UseRam(1'b0)) u_uq (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(push), .ready_o(news_ready), .data_i({e_o, qp_i.qpn}),
    .valid_o(news_valid_o), .ready_i(news_ready_i), .data_o({news_e_o, news_qpn_o}), .count_o(), .almost_full_o()
  );

  // ---- completions
  always_comb begin
    rc          = '0;
    rc.cqn      = qp_i.cqn;
    rc.qpn      = qp_i.qpn;
    rc.opcode   = ohca_fmt_pkg::wr_op_e'(ri.op);
    rc.idx      = ri.idx;
    rc.byte_len = ri.len;
  end
  // Whether the queue has room is kept in a flop, as all that is confirmed hangs on it.
  logic       cq_put, cq_room, cq_room_q;
  logic [2:0] cq_count;
  assign cq_put = own_valid_i || (there && ri.cqe && !dead && act != ohca_fmt_pkg::RA_ACT_ERR);
  ohca_fifo #(.Width(ohca_fmt_pkg::CQ_REQ_BITS), .Depth(4), .Single(Slow), .ValidFlop(!Slow)) u_cqf (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(cq_put), .ready_o(cq_room), .data_i(own_valid_i ? own_i : rc),
    .valid_o(cq_valid_o), .ready_i(cq_ready_i), .data_o(cq_o), .count_o(cq_count), .almost_full_o()
  );
  always_ff @(posedge clk_i) begin
    cq_room_q <= rst_i || (cq_valid_o && cq_ready_i) || (cq_room && !(cq_put && cq_count == 3'd3));
  end
  assign own_ready_o = Slow ? cq_room : cq_room_q;
  `ASSERT(CqRoom_A, own_ready_o == cq_room)

  `ASSERT(NewsRoom_A, !push || news_ready)
  `ASSERT(RspRoom_A, !pl_rsp_valid_i || pr_ready)
  `ASSERT(ItemRoom_A, !(item_valid_i && item_ready_o) || it_ready)

  logic unused;
  assign unused = &{1'b0, it_ready, pr_ready, news_ready, qp_i, prev, ri, cq_count};

endmodule

`default_nettype wire
