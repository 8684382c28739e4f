// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Host reads of all clients over one AXI4 read channel: many bursts outstanding, returned in any order, delivered in
// the order of requests of the clients that share an order (OrderOf), whatever comes for others. Bursts of requests of
// different orders may alternate.
// lint: DW=64 Tags=16 MaxRead=256
// lint: DW=128
// lint: DW=256
// From request to AR three cycles, from R to the client four; one burst and one beat per cycle. req_ready_o is a flop.
//
//   req[N] -> arbiter -> queue -> split at MaxRead blocks -> AR (id = a free slot)
//                                        | slot -> ohca_rd_order[Orders]
//   rsp    <- output register <- slot memory (Tags x MaxRead bytes) <- R
//
// A slot is delivered from its first beat to its last without another in between. Next is one that is complete before
// one that has only begun; of these that of the order whose turn it is, which goes on with each slot, then that of the
// lowest order. It does NOT check requests: 1 to 4096 bytes that stay inside one 4 KiB page are the clients' duty.

`include "ohca_assert.svh"
`include "ohca_lazy.svh"
`default_nettype none

module ohca_dma_rd #(
  parameter int unsigned DW         = 512,
  parameter int unsigned NumClients = 13,
  parameter int unsigned Tags       = 64,    // bursts outstanding, power of two, at most 64
  parameter int unsigned MaxRead    = 512,   // bytes of a slot: a burst lies inside an aligned block of this size
  parameter int unsigned MaxBeats   = 512,   // beats outstanding, about: a read may wait for all, as the host has an
                                             // order of its own
  parameter int unsigned Orders     = 1,     // 1 to 15
  parameter logic [4*NumClients-1:0] OrderOf = '0,   // by client, four bits each
  parameter bit          Compact    = 1'b0   // a request every second cycle
) (
  input  logic                                         clk_i,
  input  logic                                         rst_i,
  input  logic                                         soft_rst_i,   // clients are reset: what is in flight is taken
                                                                     // and dropped
  output logic                                         idle_o,
  output logic [63:0]                                  cnt_o,

  input  logic [NumClients-1:0]                        req_valid_i,
  output logic [NumClients-1:0]                        req_ready_o,
  input  logic [NumClients-1:0][ohca_fmt_pkg::DMA_RD_REQ_BITS-1:0] req_i,

  output logic [NumClients-1:0]                        rsp_valid_o,  // one-hot; must be taken
  output logic [7:0]                                   rsp_tag_o,
  output logic [DW-1:0]                                rsp_data_o,
  output logic                                         rsp_last_o,
  output logic                                         rsp_err_o,    // stays set to the end of the request

  output logic                                         m_axi_arvalid_o,
  input  logic                                         m_axi_arready_i,
  output logic [5:0]                                   m_axi_arid_o,
  output logic [63:0]                                  m_axi_araddr_o,
  output logic [7:0]                                   m_axi_arlen_o,
  output logic [2:0]                                   m_axi_arsize_o,
  output logic [1:0]                                   m_axi_arburst_o,
  input  logic                                         m_axi_rvalid_i,
  output logic                                         m_axi_rready_o,
  input  logic [5:0]                                   m_axi_rid_i,
  input  logic [DW-1:0]                                m_axi_rdata_i,
  input  logic [1:0]                                   m_axi_rresp_i,
  input  logic                                         m_axi_rlast_i
);

  localparam int unsigned BeatBytes = DW / 8;
  localparam int unsigned LaneW     = $clog2(BeatBytes);
  localparam int unsigned BlockW    = $clog2(MaxRead);
  localparam int unsigned BeatW     = BlockW - LaneW;          // a beat's number in its slot
  localparam int unsigned TagW      = $clog2(Tags);
  localparam int unsigned CliW      = $clog2(NumClients);
  localparam int unsigned ReqW      = ohca_fmt_pkg::DMA_RD_REQ_BITS;

  if (Tags > 64 || (1 << TagW) != Tags) begin : g_bad_tags
    $error("ohca_dma_rd: Tags must be a power of two, at most 64");
  end
  if (MaxRead > 4096 || (1 << BlockW) != MaxRead || MaxRead < 2 * BeatBytes || MaxRead > 256 * BeatBytes)
      begin : g_bad_read
    $error("ohca_dma_rd: MaxRead must be a power of two of 2 to 256 beats, at most 4096");
  end

  // ---------------------------------------------------------------- requests into one order
  logic              arb_valid, arb_room, arb_ready, q_valid, q_ready;
  logic [2:0]        q_count;
  logic [ReqW-1:0]   arb_data;
  logic [CliW-1:0]   arb_sel, q_cli;
  ohca_fmt_pkg::dma_rd_req_t q;

  // verilator lint_off PINCONNECTEMPTY
  assign arb_room = Compact ? (q_valid ? q_ready : !arb_valid) : q_count <= 3'd2;
  ohca_arb_early #(.N(NumClients), .Width(ReqW)) u_arb (
    .clk_i, .rst_i(rst_i || soft_rst_i), .valid_i(req_valid_i), .ready_o(req_ready_o), .data_i(req_i),
    .room_i(arb_room), .valid_o(arb_valid), .data_o(arb_data), .sel_o(arb_sel)
  );
  ohca_fifo #(.Width(CliW + ReqW), .Depth(4), .Single(Compact)) u_req (
    .clk_i, .rst_i(rst_i || soft_rst_i),
    .valid_i(arb_valid && !soft_rst_i), .ready_o(arb_ready), .data_i({arb_sel, arb_data}),
    .valid_o(q_valid), .ready_i(q_ready), .data_o({q_cli, q}), .count_o(q_count), .almost_full_o()
  );
  // verilator lint_on PINCONNECTEMPTY

  // ---------------------------------------------------------------- bursts
  logic            mid_q;                // the request at the queue's head is partly issued, up to cur_q
  logic [11:0]     cur_q, first, last, block_end, burst_end;
  logic            final_burst, issue, pop;
  logic [11:LaneW] beats_m1;
  logic            few_q;                // not too many beats are outstanding
  logic            ar_valid_q;
  logic [TagW-1:0] alloc_q;

  assign first       = mid_q ? cur_q : q.addr[11:0];
  assign last        = 12'(13'({1'b0, q.addr[11:0]}) + q.len - 13'd1);
  assign block_end   = first | 12'(MaxRead - 1);
  assign final_burst = last <= block_end;
  assign burst_end   = final_burst ? last : block_end;
  assign beats_m1    = burst_end[11:LaneW] - first[11:LaneW];
  assign issue       = q_valid && free_q && few_q && (!ar_valid_q || m_axi_arready_i) && !soft_rst_i;
  assign q_ready     = issue && final_burst;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      mid_q      <= 1'b0;
      ar_valid_q <= 1'b0;
    end else begin
      if (m_axi_arready_i) ar_valid_q <= 1'b0;
      if (issue) begin
        ar_valid_q <= 1'b1;
        mid_q      <= !final_burst;
      end
      if (soft_rst_i) mid_q <= 1'b0;
    end
    if (issue) begin
      cur_q          <= block_end + 12'd1;
      m_axi_araddr_o <= {q.addr[63:12], first[11:LaneW], {LaneW{1'b0}}};
      m_axi_arlen_o  <= 8'(beats_m1);
      m_axi_arid_o   <= 6'(alloc_q);
    end
  end
  assign m_axi_arvalid_o = ar_valid_q;
  assign m_axi_arsize_o  = 3'(LaneW);
  assign m_axi_arburst_o = 2'b01;

  // Free slots: all of them after reset, each again when its last beat was read. The next one to be used lies in flops.
  logic            free_q, f_valid, f_ready, put_q, gone_q, init_q;
  logic [TagW-1:0] f_slot, put_slot_q, gone_slot_q, init_slot_q;
  logic [TagW:0]   live_q;                  // slots in use
  // verilator lint_off PINCONNECTEMPTY
  logic            back_ready;
  ohca_fifo #(.Width(TagW), .Depth(Tags), .UseRam(1'b0)) u_free (
    .clk_i, .rst_i,
    .valid_i(init_q || gone_q), .ready_o(back_ready), .data_i(init_q ? init_slot_q : gone_slot_q),
    .valid_o(f_valid), .ready_i(f_ready), .data_o(f_slot), .count_o(), .almost_full_o()
  );
  // verilator lint_on PINCONNECTEMPTY
  assign f_ready = !free_q || issue;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      free_q      <= 1'b0;
      init_q      <= 1'b1;
      init_slot_q <= '0;
      live_q      <= '0;
    end else begin
      if (f_ready) free_q <= f_valid;
      init_slot_q <= init_slot_q + TagW'(1);
      if (&init_slot_q) init_q <= 1'b0;
      live_q <= live_q + {{TagW{1'b0}}, issue} - {{TagW{1'b0}}, pop};
    end
    if (f_ready) alloc_q <= f_slot;
  end

  // What the delivery needs to know of each slot.
  logic [CliW+8:0] meta [Tags];
  logic [Orders-1:0] put_to_q;
  logic [3:0]        to;
  always_comb begin
    to = '0;
    for (int unsigned i = 0; i < NumClients; i++) if (q_cli == CliW'(i)) to = OrderOf[4*i +: 4];
  end
  always_ff @(posedge clk_i) begin
    put_q      <= issue && !rst_i;
    put_slot_q <= alloc_q;
    for (int unsigned k = 0; k < Orders; k++) put_to_q[k] <= to == 4'(k);
    if (issue) meta[alloc_q] <= {q_cli, q.tag, final_burst};
  end

  // ---------------------------------------------------------------- data into the slots
  logic             r_valid_q, r_last_q, r_err_q;
  logic [TagW-1:0]  r_id_q;
  logic [DW-1:0]    r_data_q;
  logic [Tags-1:0]             begun_q, done_q, err_q, dead_q;   // dead_q: its client is gone
  logic [Tags-1:0][BeatW-1:0]  fill_q;      // beats in the slot so far (not its wrap at the last: done_q says that)

  assign m_axi_rready_o = 1'b1;
  always_ff @(posedge clk_i) begin
    if (rst_i) r_valid_q <= 1'b0;
    else       r_valid_q <= m_axi_rvalid_i;
    if (m_axi_rvalid_i) begin
      r_id_q   <= m_axi_rid_i[TagW-1:0];
      r_data_q <= m_axi_rdata_i;
      r_last_q <= m_axi_rlast_i;
      r_err_q  <= m_axi_rresp_i[1];
    end
  end

  // Beats that were asked for, but those of the last two cycles.
  localparam int unsigned OutW = $clog2(MaxBeats + 4 * (MaxRead / BeatBytes)) + 1;
  logic             ask_q;
  logic [BeatW-1:0] ask_m1_q;
  logic [OutW-1:0]  out_q;
  always_ff @(posedge clk_i) begin
    ask_q    <= issue && !rst_i;
    ask_m1_q <= beats_m1[LaneW +: BeatW];
    few_q    <= rst_i || out_q < OutW'(MaxBeats);
    if (rst_i) out_q <= '0;
    else       out_q <= out_q + (ask_q ? OutW'(ask_m1_q) + OutW'(1) : '0) - OutW'(r_valid_q);
  end

  logic [DW-1:0]    ram_data;
  // Read with a padded width: a number of bits that is a power of two becomes a multiplexer in synthesis, another one a
  // shifter.
  localparam int unsigned PadW = 1 << $clog2(BeatW);
  logic [Tags-1:0][PadW-1:0] fill_pad;
  logic [BeatW-1:0]          fill_in;
  always_comb for (int unsigned i = 0; i < Tags; i++) fill_pad[i] = PadW'(fill_q[i]);
  assign fill_in = BeatW'(fill_pad[r_id_q]);

  // ---------------------------------------------------------------- which slot is next
  logic [Orders-1:0]            begun, done, pick, turn_q, cur_order_q;
  logic [Orders-1:0][TagW-1:0]  slot;
  logic [Orders-1:0][BeatW-1:0] slot_m1;
  logic                         free, cur_valid_q;
  logic [TagW-1:0]              cur_slot_q, p_slot;
  logic [BeatW-1:0]             cur_m1_q, p_m1, beat_q;
  for (genvar k = 0; k < Orders; k++) begin : g_order
    ohca_rd_order #(.Tags(Tags), .BeatW(BeatW)) u_order (
      .clk_i, .rst_i, .put_i(put_q && put_to_q[k]), .put_slot_i(put_slot_q), .put_m1_i(ask_m1_q), .begun_i(begun_q),
      .done_i(done_q),
      .begun_o(begun[k]), .done_o(done[k]), .slot_o(slot[k]), .m1_o(slot_m1[k]), .next_i(free && pick[k])
    );
  end

  always_comb begin
    pick = '0;
    if (|(done & turn_q))  pick = done & turn_q;
    else if (|done)        pick = done & (~done + Orders'(1));
    else                   pick = begun & (~begun + Orders'(1));
    p_slot = '0;
    p_m1   = '0;
    for (int unsigned k = 0; k < Orders; k++) begin
      p_slot = p_slot | (slot[k] & {TagW{pick[k]}});
      p_m1   = p_m1 | (slot_m1[k] & {BeatW{pick[k]}});
    end
  end

  logic take, t_last;
  assign take   = cur_valid_q && (done_q[cur_slot_q] || beat_q < BeatW'(fill_pad[cur_slot_q]));
  assign t_last = beat_q == cur_m1_q;
  assign pop    = take && t_last;
  assign free   = !cur_valid_q || pop;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      cur_valid_q <= 1'b0;
      beat_q      <= '0;
      turn_q      <= Orders'(1);
    end else begin
      if (free) cur_valid_q <= |begun || |done;
      if (take) beat_q <= t_last ? '0 : beat_q + BeatW'(1);
      // not while nothing happens: clocks may be left out then
      if (free && (|begun || |done)) turn_q <= Orders'({turn_q, turn_q[Orders-1]});
    end
    if (free) begin
      cur_slot_q  <= p_slot;
      cur_m1_q    <= p_m1;
      cur_order_q <= pick;
    end
  end

  // A beat is read only after the cycle that wrote it.
  ohca_ram_sdp #(.Width(DW), .Depth(Tags << BeatW), .OldData(1'b0)) u_slots (
    .clk_i,
    .wr_en_i(r_valid_q), .wr_be_i(1'b1), .wr_addr_i({r_id_q, fill_in}), .wr_data_i(r_data_q),
    .rd_en_i(take), .rd_addr_i({cur_slot_q, beat_q}), .rd_data_o(ram_data)
  );

  // A slot's state is cleared when it is used again: of that which was read last, some is still looked at in the cycle
  // after.
  always_ff @(posedge clk_i) begin
    gone_q      <= pop && !rst_i;
    gone_slot_q <= cur_slot_q;
    // Slot by slot: an indexed write of more than a bit becomes a shifter in synthesis.
    `WHEN(m_axi_rvalid_i || r_valid_q || issue || rst_i || soft_rst_i) for (int unsigned i = 0; i < Tags; i++) begin
      if (rst_i || (issue && alloc_q == TagW'(i))) begin
        begun_q[i] <= 1'b0;
        done_q[i]  <= 1'b0;
        err_q[i]   <= 1'b0;
        fill_q[i]  <= '0;
      end else begin
        if (m_axi_rvalid_i && m_axi_rid_i[TagW-1:0] == TagW'(i)) begun_q[i] <= 1'b1;
        if (r_valid_q && r_id_q == TagW'(i)) begin
          fill_q[i] <= fill_in + BeatW'(1);
          if (r_last_q) done_q[i] <= 1'b1;
          if (r_err_q)  err_q[i]  <= 1'b1;
        end
      end
      if (soft_rst_i && !rst_i)                       dead_q[i] <= 1'b1;
      else if (rst_i || (issue && alloc_q == TagW'(i))) dead_q[i] <= 1'b0;
    end
  end

  // ---------------------------------------------------------------- delivery
  logic                  s1_valid_q, s1_last_q, s1_final, s1_dead, err_now;
  logic [Orders-1:0]     bad_q, s1_order_q;      // an earlier beat of the request had an error
  logic [TagW-1:0]       s1_slot_q;
  logic [CliW-1:0]       s1_cli;
  logic [7:0]            s1_tag;
  logic [NumClients-1:0] rsp_valid_q;
  assign {s1_cli, s1_tag, s1_final} = meta[s1_slot_q];
  assign err_now = err_q[s1_slot_q] || |(bad_q & s1_order_q);
  assign s1_dead = dead_q[s1_slot_q] || soft_rst_i;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      bad_q       <= '0;
      s1_valid_q  <= 1'b0;
      rsp_valid_q <= '0;
    end else begin
      s1_valid_q <= take;
      for (int unsigned k = 0; k < Orders; k++) begin
        if (s1_valid_q && s1_order_q[k]) bad_q[k] <= err_now && !(s1_last_q && s1_final) && !s1_dead;
      end
      if (soft_rst_i) bad_q <= '0;       // the rest of a request may not even have been asked for
      for (int unsigned i = 0; i < NumClients; i++) rsp_valid_q[i] <= s1_valid_q && !s1_dead && s1_cli == CliW'(i);
    end
    if (take) begin
      s1_slot_q  <= cur_slot_q;
      s1_order_q <= cur_order_q;
      s1_last_q  <= t_last;
    end
    if (s1_valid_q) begin
      rsp_tag_o  <= s1_tag;
      rsp_data_o <= ram_data;
      rsp_last_o <= s1_last_q && s1_final;
      rsp_err_o  <= err_now;
    end
  end
  assign rsp_valid_o = rsp_valid_q;

  logic failed_q;
  always_ff @(posedge clk_i) failed_q <= !rst_i && |rsp_valid_q && rsp_last_o && rsp_err_o;
  always_comb begin
    cnt_o = '0;
    cnt_o[ohca_fmt_pkg::COUNTER_DMA_RD_ERR] = failed_q;
  end
  assign idle_o = !(|req_valid_i) && !q_valid && !ar_valid_q && live_q == '0 && !gone_q && !init_q && !s1_valid_q &&
                  rsp_valid_q == '0;

  logic unused;
  assign unused = &{1'b0, m_axi_rid_i, m_axi_rresp_i[0], burst_end, beats_m1};

`ifdef VERILATOR
  ohca_axi_rd_rules #(.DW(DW), .MaxBytes(MaxRead)) u_rules (
    .clk_i, .rst_i,
    .arvalid_i(m_axi_arvalid_o), .arready_i(m_axi_arready_i), .arid_i(m_axi_arid_o), .araddr_i(m_axi_araddr_o),
    .arlen_i(m_axi_arlen_o),
    .arsize_i(m_axi_arsize_o), .arburst_i(m_axi_arburst_o), .rvalid_i(m_axi_rvalid_i), .rready_i(m_axi_rready_o),
    .rid_i(m_axi_rid_i),
    .rdata_i(m_axi_rdata_i), .rresp_i(m_axi_rresp_i), .rlast_i(m_axi_rlast_i)
  );
`endif

  `ASSERT(ReqRoom_A, !arb_valid || arb_ready)
  `ASSERT(Length_A, !q_valid || (q.len != 13'd0 && 14'(q.addr[11:0]) + 14'(q.len) <= 14'd4096))
  `ASSERT(Counted_A, !r_valid_q || out_q != '0)
  `ASSERT(NotTwice_A, !r_valid_q || !done_q[r_id_q])
  `ASSERT(LastIsLast_A, !pop || done_q[cur_slot_q])
  `ASSERT(Back_A, !(init_q || gone_q) || back_ready)
  `ASSERT(Order_A, !issue || 32'(to) < Orders)
`ifdef VERILATOR
  // A slot is asked for once at a time, and beats come for none else.
  logic [Tags-1:0] used_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) used_q <= '0;
    else begin
      if (pop)   used_q[cur_slot_q]  <= 1'b0;
      if (issue) used_q[alloc_q] <= 1'b1;
    end
  end
  `ASSERT(Expected_A, !r_valid_q || used_q[r_id_q])
  `ASSERT(Once_A, !issue || !used_q[alloc_q])
`endif

endmodule

`default_nettype wire
