// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// What ohca_dma_wr promises its clients and the bus, proved within a number of cycles from reset: every request that is
// accepted becomes the bursts that it needs, in order, each of its beats with the client's data and the bytes that it
// names, last where the address said; issued_o has it from the next cycle on, acked_o does not reach that before all of
// it is written and answered; an error is told once; nothing is owed when it is idle, or when everybody has waited for
// a while. After a soft reset what was accepted ends with whole beats or none, and what is new is written as always.
//
// The host and the clients do what they like when they like. A client's data is a number that goes on with each of its
// beats, so one that is lost, taken twice or from another client is found. One request, any one, is followed from its
// acceptance to its last beat. Bursts are those of 64 bits, at most 2 KiB: the narrowest, with two in a page.
// It does NOT show what comes after the time of the proof.
//
// Some assertions of ohca_dma_wr and ohca_axi_wr_rules, which stand there for simulations, have no planted bug here:
// - BStays_A, BAsked_A, NoSpareAck_A: the host's rules. The one below keeps them; Issued_A and Acked_A say the rest.
// - AwBlock_A: Addr_A and Len_A say more. WAfterAw_A: as a length that is not there yet is any, WLast_A fails, too.
// - AwAhead_A: 16 bursts do not fit into the time; AwAny_A, whose counter wraps there, would fail before it.
// That acked_o is not ahead of what is written follows from Acked_A and Last_A.

// with: ohca_dma_wr ohca_axi_wr_rules
// prove: Short=1 bits=12
// prove: Short=1 Soft=1 Few=2 Compact=1 bits=13
// prove: Few=1 bits=10

`include "ohca_assert.svh"
`default_nettype none

module ohca_dma_wr_proof #(
  parameter bit          Compact = 1'b0,
  parameter bit          Soft    = 1'b0,       // a soft reset may come, at any time
  parameter int unsigned Few     = 0,          // not 0: so many requests at most
  parameter bit          Short   = 1'b0,       // requests of up to 24 bytes, near the middle or an end of a page
  localparam int unsigned N      = 2,
  localparam int unsigned Dw     = 64,
  localparam int unsigned ReqW   = ohca_fmt_pkg::DMA_WR_REQ_BITS
) (
  input logic                   clk_i,
  input logic                   rst_i,
  input logic                   soft_i,
  input logic [N-1:0]           ask_i,
  input logic [N-1:0]           high_i,        // requests: a page of zeros or ones, and where in it
  input logic [N-1:0][11:0]     at_i,
  input logic [N-1:0][12:0]     len_i,
  input logic [N-1:0]           dat_valid_i,
  input logic                   pick_i,        // the request accepted now is the one to follow
  input logic                   awready_i,
  input logic                   wready_i,
  input logic                   answer_i,      // the host answers, if it has a burst to answer
  input logic                   fail_i
);

  logic [N-1:0]         req_valid, req_ready, dat_ready;
  logic [3:0]           taken_q;               // requests accepted
  logic [N-1:0][ReqW-1:0] reqs;
  logic [N-1:0][Dw-1:0] dat;
  logic [N-1:0]         dat_last;
  logic [31:0]          issued, acked;
  logic                 idle, err, awvalid, wvalid, wlast, bvalid, soft_rst, soft_q;
  logic [63:0]          cnt, awaddr;
  logic [5:0]           awid;
  logic [7:0]           awlen;
  logic [2:0]           awsize;
  logic [1:0]           awburst, bresp;
  logic [Dw-1:0]        wdata;
  logic [Dw/8-1:0]      wstrb;

  ohca_dma_wr #(.DW(Dw), .NumClients(N), .Compact(Compact)) u_dut (
    .clk_i, .rst_i, .soft_rst_i(soft_rst), .idle_o(idle), .cnt_o(cnt),
    .req_valid_i(req_valid), .req_ready_o(req_ready), .req_i(reqs),
    .dat_valid_i, .dat_ready_o(dat_ready), .dat_i(dat), .dat_last_i(dat_last),
    .issued_o(issued), .acked_o(acked), .err_o(err),
    .m_axi_awvalid_o(awvalid), .m_axi_awready_i(awready_i), .m_axi_awid_o(awid), .m_axi_awaddr_o(awaddr),
    .m_axi_awlen_o(awlen), .m_axi_awsize_o(awsize), .m_axi_awburst_o(awburst),
    .m_axi_wvalid_o(wvalid), .m_axi_wready_i(wready_i), .m_axi_wdata_o(wdata), .m_axi_wstrb_o(wstrb),
    .m_axi_wlast_o(wlast),
    .m_axi_bvalid_i(bvalid), .m_axi_bready_o(), .m_axi_bid_i(6'd0), .m_axi_bresp_i(bresp)
  );
  ohca_axi_wr_rules #(.DW(Dw)) u_rules (
    .clk_i, .rst_i,
    .awvalid_i(awvalid), .awready_i, .awid_i(awid), .awaddr_i(awaddr), .awlen_i(awlen), .awsize_i(awsize),
    .awburst_i(awburst),
    .wvalid_i(wvalid), .wready_i, .wdata_i(wdata), .wstrb_i(wstrb), .wlast_i(wlast),
    .bvalid_i(bvalid), .bready_i(1'b1), .bid_i(6'd0), .bresp_i(bresp)
  );

  `FORMAL_START
  always_comb if (past_valid_q) assume (!rst_i);   // one reset is enough

  // ---------------------------------------------------------------- host and clients
  (* anyconst *) logic       who;
  ohca_fmt_pkg::dma_wr_req_t req, any;
  logic            aw_fire, w_fire, take, two, ended;
  logic [11:0]     req_last;
  logic [9:0]      beats;                      // of the request
  logic [N-1:0]    legal;                      // requests of 1 to 4096 bytes in a page
  logic [N-1:0][4:0] sent_q;                   // beats, by client
  logic [4:0]      asked_q, open_q;            // beats of who's requests; bursts with their data and without answer
  logic [3:0]      ends_q, come_q;             // beats of all requests, and of them those that came
  logic [7:0]      last_of_q;                  // by beat: it is its request's last one
  logic [4:0]      made_q, said_q, whole_q;    // bursts of all requests; answers; bursts whose data came
  for (genvar i = 0; i < N; i++) begin : g_req
    assign reqs[i] = {{52{high_i[i]}}, at_i[i], len_i[i]};
  end
  assign req_valid = (Few == 0 || 32'(taken_q) < Few) ? ask_i : '0;
  assign soft_rst = Soft && soft_i && !soft_q;     // of several cycles only the last matters
  assign aw_fire  = awvalid && awready_i;
  assign w_fire   = wvalid && wready_i;
  assign bvalid   = answer_i && open_q != '0;
  assign bresp    = {fail_i, 1'b0};
  assign take     = |(req_valid & req_ready) && !soft_rst;
  assign ended    = w_fire && wlast;
  always_comb begin
    req = reqs[0];
    for (int unsigned i = 0; i < N; i++) begin
      any      = reqs[i];
      legal[i] = any.len != 13'd0 && 14'(any.addr[11:0]) + 14'(any.len) <= 14'd4096 &&
                 (!Short || (any.len <= 13'd24 && (any.addr[10:4] == '0 || any.addr[10:4] == '1)));
      if (req_ready[i]) req = reqs[i];
      dat[i]   = Dw'({i[0], sent_q[i]});
    end
  end
  assign req_last = 12'(13'({1'b0, req.addr[11:0]}) + req.len - 13'd1);
  assign two      = req.addr[11] != req_last[11];
  assign beats    = {1'b0, req_last[11:3]} - {1'b0, req.addr[11:3]} + 10'd1;
  assign dat_last = {N{last_of_q[come_q[2:0]]}};
  `ASSUME(Legal_M, &legal)
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      soft_q  <= 1'b0;
      taken_q <= '0;
      sent_q  <= '0;
      asked_q <= '0;
      ends_q  <= '0;
      come_q  <= '0;
      open_q  <= '0;
      made_q  <= '0;
      said_q  <= '0;
      whole_q <= '0;
    end else begin
      if (soft_rst) soft_q <= 1'b1;
      if (take && taken_q != '1) taken_q <= taken_q + 4'd1;
      for (int unsigned i = 0; i < N; i++) if (dat_valid_i[i] && dat_ready[i]) sent_q[i] <= sent_q[i] + 5'd1;
      if (soft_rst)                    asked_q <= sent_q[who];
      else if (take && req_ready[who]) asked_q <= asked_q + 5'(beats);
      // No more than eight come in the time of the proof.
      if (soft_rst)  ends_q <= come_q;
      else if (take) ends_q <= beats >= 10'd8 || ends_q[3] ? 4'd8 : ends_q + 4'(beats);
      if (|(dat_valid_i & dat_ready)) come_q <= come_q + 4'd1;
      if (take) for (int unsigned k = 0; k < 8; k++)
        if (10'(k) >= 10'(ends_q)) last_of_q[k] <= 10'(k + 1) == 10'(ends_q) + beats;
      open_q  <= open_q + 5'(ended) - 5'(bvalid);
      made_q  <= made_q + (take ? two ? 5'd2 : 5'd1 : 5'd0);
      said_q  <= said_q + 5'(bvalid);
      whole_q <= whole_q + 5'(ended);
    end
  end

  // ---------------------------------------------------------------- the request that is followed
  logic            fol_q, killed_q, aw_turn, w_turn, b_end, w_end;
  logic [4:0]      aw_ahead_q, w_ahead_q, addrs_q, value_q;   // modulo 32
  logic [1:0]      aw_left_q;                  // its bursts whose address did not go
  logic            page_q;
  logic [11:0]     from_q, last_q;             // of the next burst, and its end
  logic [8:0]      beat_q;
  logic            first_q;
  logic [7:0]      strb;
  logic            since_q, gone;              // after a soft reset no request was accepted: nobody brings data
  logic [3:0]      quiet_q;
  assign gone    = soft_q && !since_q;
  assign aw_turn = fol_q && aw_ahead_q == '0 && aw_left_q != '0;
  assign w_turn  = fol_q && w_ahead_q == '0;
  assign w_end   = beat_q == last_q[11:3];
  assign b_end   = w_end || &beat_q[7:0];
  always_comb begin
    strb = '1;
    if (first_q) strb = strb & (8'hff << from_q[2:0]);
    if (w_end)   strb = strb & (8'hff >> (3'd7 - last_q[2:0]));
  end
  logic [11:0] at_q;                           // where its next address begins
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      fol_q   <= 1'b0;
      addrs_q <= '0;
      quiet_q <= '0;
    end else begin
      addrs_q <= addrs_q + 5'(aw_fire);
      quiet_q <= (take || soft_rst || awvalid || wvalid || !(awready_i && wready_i && (&dat_valid_i || gone))) ? '0 :
                 quiet_q + 4'(quiet_q != '1);
      if (soft_rst) killed_q <= 1'b1;
      if (soft_rst || take) since_q <= take;
      if (pick_i && !fol_q && take && req_ready[who]) begin
        fol_q      <= 1'b1;
        killed_q   <= 1'b0;
        aw_ahead_q <= made_q - addrs_q - 5'(aw_fire);
        w_ahead_q  <= made_q - whole_q - 5'(ended);
        aw_left_q  <= two ? 2'd2 : 2'd1;
        value_q    <= asked_q;
        page_q     <= req.addr[12];
        at_q       <= req.addr[11:0];
        from_q     <= req.addr[11:0];
        last_q     <= req_last;
        beat_q     <= req.addr[11:3];
        first_q    <= 1'b1;
      end else begin
        if (aw_fire && fol_q && aw_left_q != '0) begin
          if (!aw_turn) aw_ahead_q <= aw_ahead_q - 5'd1;
          else begin
            aw_left_q <= aw_left_q - 2'd1;
            at_q      <= 12'h800;
          end
        end
        if (ended && fol_q && !w_turn) w_ahead_q <= w_ahead_q - 5'd1;
        if (w_fire && w_turn) begin
          beat_q  <= beat_q + 9'd1;
          value_q <= value_q + 5'd1;
          first_q <= 1'b0;
          if (w_end) fol_q <= 1'b0;
        end
      end
    end
  end

  `ASSERT(OneGrant_A, (req_ready & (req_ready - N'(1))) == '0 && (dat_ready & (dat_ready - N'(1))) == '0)
  `ASSERT(AwOwed_A, !awvalid || addrs_q != made_q)
  `ASSERT(Addr_A, !(awvalid && aw_turn) || awaddr == {{52{page_q}}, at_q[11:3], 3'd0})
  `ASSERT(Len_A, !(awvalid && aw_turn) ||
      awlen == 8'((at_q[11] == last_q[11] ? last_q[10:3] : 8'hff) - at_q[10:3]))
  `ASSERT(Last_A, !(wvalid && w_turn) || wlast == b_end)
  `ASSERT(Strobes_A, !(wvalid && w_turn) || wstrb == strb || (killed_q && wstrb == '0))
  `ASSERT(Data_A, !(wvalid && w_turn) || wstrb == '0 || wdata == Dw'({who, value_q}))
  `ASSERT(Issued_A, issued[4:0] == made_q)
  `ASSERT(Acked_A, acked[4:0] == said_q)
  `ASSERT(Err_A, err == (bvalid && fail_i))
  `ASSERT(Counted_A, !past_valid_q || $past(rst_i) ||
      cnt == (64'($past(bvalid && fail_i)) << ohca_fmt_pkg::COUNTER_DMA_WR_ERR))
  `ASSERT(Idle_A, !idle || (made_q == said_q && !awvalid && !wvalid && !fol_q))
  `ASSERT(Stuck_A, quiet_q < 4'd6 || whole_q == made_q)

endmodule

`default_nettype wire
