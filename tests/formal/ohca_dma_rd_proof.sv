// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// What ohca_dma_rd promises its clients and the bus, proved within a number of cycles from reset, with a soft reset at
// any time: every request gets its beats, with its tag, in the order of requests of its order; an error is told of the
// request that had it and of no other; no id is asked for twice, and no burst leaves its block; nothing is owed when it
// is idle, or when nothing has happened for a while.
//
// The host answers whenever it likes and in any order of ids. What a beat holds is its address, but of the page's
// number only one bit, any one, so that another page is found whatever bit it differs in; reads fail where one bit of
// that, any one, is set. One request, any one, is followed from its acceptance to its last beat.
// It does NOT show that a host that goes on answering gets all of its work: the time of a proof ends before that.
//
// RStays_A, RAsked_A and RLast_A of ohca_axi_rd_rules have no planted bug here: they are the host's rules, and the one
// below keeps them. That no more than Tags bursts are outstanding follows from Id_A and ArId_A.

// with: ohca_dma_rd ohca_axi_rd_rules
// prove: Orders=2 bits=14
// prove: Soft=1 Few=2 Compact=1 bits=16

`include "ohca_assert.svh"
`default_nettype none

module ohca_dma_rd_proof #(
  parameter int unsigned Tags    = 2,
  parameter int unsigned Orders  = 1,
  parameter bit          Compact = 1'b0,
  parameter bit          Soft    = 1'b0,       // a soft reset may come, at any time
  parameter int unsigned Few     = 0,          // not 0: so many requests at most, of up to three slots
  parameter int unsigned N       = 3,          // clients, 2 or 3
  localparam int unsigned Dw     = 16,         // two bytes a beat, two beats a slot: the smallest there is
  localparam int unsigned Slot   = 4,
  localparam int unsigned TagW   = $clog2(Tags),
  localparam int unsigned ReqW   = ohca_fmt_pkg::DMA_RD_REQ_BITS
) (
  input logic                   clk_i,
  input logic                   rst_i,
  input logic                   soft_i,
  input logic [N-1:0]           ask_i,
  input logic [N-1:0][ReqW-1:0] req_i,
  input logic                   pick_i,        // the request accepted now is the one to follow
  input logic                   arready_i,
  input logic                   beat_i,        // the host answers, if it owes a beat of this id
  input logic [TagW-1:0]        beat_id_i
);

  localparam logic [4*N-1:0] OrderOf = Orders > 1 ? 12'h010 : 12'h000;

  logic [N-1:0]    req_valid, req_ready, rsp_valid;
  logic            soft_rst, soft_q;
  logic [3:0]      asked_q;                    // requests accepted
  logic [7:0]      rsp_tag;
  logic [Dw-1:0]   rsp_data;
  logic            rsp_last, rsp_err, idle, arvalid, rvalid, rlast;
  logic [63:0]     cnt, araddr;
  logic [5:0]      arid;
  logic [7:0]      arlen;
  logic [2:0]      arsize;
  logic [1:0]      arburst, rresp;
  logic [Dw-1:0]   rdata;

  ohca_dma_rd #(
    .DW(Dw), .NumClients(N), .Tags(Tags), .MaxRead(Slot), .MaxBeats(4), .Orders(Orders), .OrderOf(OrderOf),
    .Compact(Compact)
  ) u_dut (
    .clk_i, .rst_i, .soft_rst_i(soft_rst), .idle_o(idle), .cnt_o(cnt),
    .req_valid_i(req_valid), .req_ready_o(req_ready), .req_i,
    .rsp_valid_o(rsp_valid), .rsp_tag_o(rsp_tag), .rsp_data_o(rsp_data), .rsp_last_o(rsp_last), .rsp_err_o(rsp_err),
    .m_axi_arvalid_o(arvalid), .m_axi_arready_i(arready_i), .m_axi_arid_o(arid), .m_axi_araddr_o(araddr),
    .m_axi_arlen_o(arlen), .m_axi_arsize_o(arsize), .m_axi_arburst_o(arburst),
    .m_axi_rvalid_i(rvalid), .m_axi_rready_o(), .m_axi_rid_i(6'(beat_id_i)), .m_axi_rdata_i(rdata),
    .m_axi_rresp_i(rresp), .m_axi_rlast_i(rlast)
  );
  ohca_axi_rd_rules #(.DW(Dw), .MaxBytes(Slot)) u_rules (
    .clk_i, .rst_i,
    .arvalid_i(arvalid), .arready_i(arready_i), .arid_i(arid), .araddr_i(araddr), .arlen_i(arlen), .arsize_i(arsize),
    .arburst_i(arburst), .rvalid_i(rvalid), .rready_i(1'b1), .rid_i(6'(beat_id_i)), .rdata_i(rdata), .rresp_i(rresp),
    .rlast_i(rlast)
  );

  `FORMAL_START
  always_comb if (past_valid_q) assume (!rst_i);   // one reset is enough

  // ---------------------------------------------------------------- the clients
  // One soft reset: of several cycles only the last matters.
  assign req_valid = (Few == 0 || 32'(asked_q) < Few) ? ask_i : '0;
  assign soft_rst  = Soft && soft_i && !soft_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      asked_q <= '0;
      soft_q  <= 1'b0;
    end else begin
      if (|(req_valid & req_ready) && asked_q != '1) asked_q <= asked_q + 4'd1;
      if (soft_rst) soft_q <= 1'b1;
    end
  end

  // ---------------------------------------------------------------- the host
  (* anyconst *) logic [5:0] page;             // the bit of a page's number that a beat holds
  (* anyconst *) logic [3:0] bad;              // the bit of a beat by which it fails
  logic [Tags-1:0] open_q;                     // by id: beats are owed
  logic [7:0]      left_q [Tags];
  logic [11:0]     beat_q [Tags];              // what the next one holds
  logic [11:0]     beat;
  logic            ar_fire;
  `ASSUME(BadExists_M, bad < 4'd12)
  function automatic logic page_of(logic [63:0] a);
    page_of = 1'(a[63:12] >> page);
  endfunction
  assign ar_fire = arvalid && arready_i;
  assign rvalid  = beat_i && open_q[beat_id_i];
  assign beat    = beat_q[beat_id_i];
  assign rlast   = left_q[beat_id_i] == 8'd0;
  assign rdata   = Dw'(beat);
  assign rresp   = {beat[bad], 1'b0};
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      open_q <= '0;
    end else begin
      if (rvalid) begin
        if (rlast) open_q[beat_id_i] <= 1'b0;
        left_q[beat_id_i] <= left_q[beat_id_i] - 8'd1;
        beat_q[beat_id_i] <= beat | 12'd1;       // of two in an aligned block
      end
      if (ar_fire) begin
        open_q[arid[TagW-1:0]] <= 1'b1;
        left_q[arid[TagW-1:0]] <= arlen;
        beat_q[arid[TagW-1:0]] <= {page_of(araddr), araddr[11:1]};
      end
    end
  end
  `ASSERT(Id_A, !arvalid || 32'(arid) < Tags)

  // ---------------------------------------------------------------- the request that is followed
  (* anyconst *) logic [1:0]  who;
  `ASSUME(WhoExists_M, 32'(who) < N)
  ohca_fmt_pkg::dma_rd_req_t req;
  logic [N-1:0]    same;                       // clients whose order is its
  logic [3:0]      owed_q, ahead_q;            // requests of this order: not ended, and of them those before it
  logic [3:0]      quiet_q;                    // cycles in which nothing happened
  logic            fol_q, turn, err_q, hit_q, hit, end_now, take_same, end_same, mine;
  logic [11:0]     next_q;                     // its next beat
  logic [11:0]     last_q;                     // in its page
  logic [7:0]      tag_q;
  assign req = req_i[who];
  always_comb for (int unsigned i = 0; i < N; i++) same[i] = OrderOf[4*i +: 4] == 4'(OrderOf >> {who, 2'd0});
  assign take_same = |(req_valid & req_ready & same) && !soft_rst;
  assign end_same  = |(rsp_valid & same) && rsp_last;
  assign turn      = fol_q && ahead_q == '0;
  assign mine      = turn && |(rsp_valid & same);
  assign end_now   = next_q[10:0] == last_q[11:1];
  assign hit       = hit_q || next_q[bad];

  always_ff @(posedge clk_i) begin
    if (rst_i || soft_rst) begin
      fol_q   <= 1'b0;
      owed_q  <= '0;
      quiet_q <= '0;
    end else begin
      owed_q  <= owed_q + 4'(take_same) - 4'(end_same);
      quiet_q <= (|(req_valid & req_ready) || arvalid || |open_q) ? '0 : quiet_q + 4'(quiet_q != '1);
      if (pick_i && !fol_q && req_valid[who] && req_ready[who]) begin
        fol_q   <= 1'b1;
        ahead_q <= owed_q - 4'(end_same);
        next_q  <= {page_of(req.addr), req.addr[11:1]};
        last_q  <= 12'(13'({1'b0, req.addr[11:0]}) + req.len - 13'd1);
        tag_q   <= req.tag;
        hit_q   <= 1'b0;
        err_q   <= 1'b0;
      end else if (mine) begin
        if (rsp_last) fol_q <= 1'b0;
        next_q <= {next_q[11], next_q[10:0] + 11'd1};
        hit_q  <= hit;
        err_q  <= rsp_err;
      end else if (fol_q && end_same) ahead_q <= ahead_q - 4'd1;
    end
  end
  logic [N-1:0]              legal;            // requests of 1 to 4096 bytes in a page
  ohca_fmt_pkg::dma_rd_req_t any;
  always_comb begin
    for (int unsigned i = 0; i < N; i++) begin
      any      = req_i[i];
      legal[i] = any.len != 13'd0 && 14'(any.addr[11:0]) + 14'(any.len) <= 14'd4096 &&
                 (Few == 0 || any.len <= 13'd9);
    end
  end
  `ASSUME(Legal_M, &legal)

  `ASSERT(OneClient_A, (rsp_valid & (rsp_valid - N'(1))) == '0)
  `ASSERT(Owed_A, soft_rst || !(|(rsp_valid & same)) || owed_q != '0)
  `ASSERT(Client_A, soft_rst || !mine || rsp_valid[who])
  `ASSERT(Tag_A, soft_rst || !mine || rsp_tag == tag_q)
  `ASSERT(Data_A, soft_rst || !mine || rsp_data == Dw'(next_q))
  `ASSERT(Last_A, soft_rst || !mine || rsp_last == end_now)
  // An error is told with its beat at the latest and to the end, and only of a request that has one.
  `ASSERT(Err_A, soft_rst || !mine || rsp_err || !(hit || err_q))
  `ASSERT(NoErr_A, soft_rst || !(mine && rsp_last && rsp_err) || hit)
  `ASSERT(Counted_A, !past_valid_q || $past(rst_i) ||
      cnt == (64'($past(|rsp_valid && rsp_last && rsp_err)) << ohca_fmt_pkg::COUNTER_DMA_RD_ERR))
  `ASSERT(Idle_A, !idle || (open_q == '0 && !arvalid && (soft_rst || owed_q == '0)))
  `ASSERT(Stuck_A, quiet_q < 4'd8 || owed_q == '0)

endmodule

`default_nettype wire
