// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Host reads of all clients over one AXI4 read channel: many bursts outstanding, returned in any order, delivered in request order.
// lint: DW=64 Tags=16 MaxRead=256
// lint: DW=128
// lint: DW=256
// From request to AR three cycles, from R to the client four; one burst and one beat per cycle. req_ready_o is a flop.
//
//   req[N] -> arbiter -> queue -> split at MaxRead blocks -> AR (id = slot)
//                                        | slot, in order
//   rsp    <- output register <- slot memory (Tags x MaxRead bytes) <- R
//
// It does NOT check requests: 1 to 4096 bytes that stay inside one 4 KiB page are the clients' duty.

`include "ohca_assert.svh"
`include "ohca_lazy.svh"
`default_nettype none

module ohca_dma_rd #(
  parameter int unsigned DW         = 512,
  parameter int unsigned NumClients = 13,
  parameter int unsigned Tags       = 64,    // bursts outstanding, power of two, at most 64
  parameter int unsigned MaxRead    = 512,   // bytes of a slot: a burst lies inside an aligned block of this size
  parameter int unsigned MaxBeats   = 512,   // beats outstanding, about: in whatever order they come, a read may wait for all
  parameter bit          Compact    = 1'b0   // a request every second cycle
) (
  input  logic                                         clk_i,
  input  logic                                         rst_i,
  input  logic                                         soft_rst_i,   // clients are reset: what is in flight is taken and dropped
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
  if (MaxRead > 4096 || (1 << BlockW) != MaxRead || MaxRead < 2 * BeatBytes || MaxRead > 256 * BeatBytes) begin : g_bad_read
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
  logic            final_burst, issue, meta_ready;
  logic [11:LaneW] beats_m1;
  logic            few_q;                // beats are outstanding
  logic            ar_valid_q;
  logic [TagW-1:0] alloc_q;

  assign first       = mid_q ? cur_q : q.addr[11:0];
  assign last        = 12'(13'({1'b0, q.addr[11:0]}) + q.len - 13'd1);
  assign block_end   = first | 12'(MaxRead - 1);
  assign final_burst = last <= block_end;
  assign burst_end   = final_burst ? last : block_end;
  assign beats_m1    = burst_end[11:LaneW] - first[11:LaneW];
  assign issue       = q_valid && meta_ready && few_q && (!ar_valid_q || m_axi_arready_i) && !soft_rst_i;
  assign q_ready     = issue && final_burst;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      mid_q      <= 1'b0;
      ar_valid_q <= 1'b0;
      alloc_q    <= '0;
    end else begin
      if (m_axi_arready_i) ar_valid_q <= 1'b0;
      if (issue) begin
        ar_valid_q <= 1'b1;
        alloc_q    <= alloc_q + TagW'(1);
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

  // What the delivery needs to know of each slot; the slot number is the position in this queue.
  logic             m_valid, m_pop, m_final;
  logic [CliW-1:0]  m_cli;
  logic [7:0]       m_tag;
  logic [BeatW-1:0] m_beats_m1;
  logic [TagW:0]    m_count;
  // verilator lint_off PINCONNECTEMPTY
  ohca_fifo #(.Width(CliW + 8 + BeatW + 1), .Depth(Tags), .UseRam(1'b0)) u_meta (
    .clk_i, .rst_i,
    .valid_i(issue), .ready_o(meta_ready), .data_i({q_cli, q.tag, beats_m1[LaneW +: BeatW], final_burst}),
    .valid_o(m_valid), .ready_i(m_pop), .data_o({m_cli, m_tag, m_beats_m1, m_final}), .count_o(m_count), .almost_full_o()
  );
  // verilator lint_on PINCONNECTEMPTY

  // ---------------------------------------------------------------- data into the slots
  logic             r_valid_q, r_last_q, r_err_q;
  logic [TagW-1:0]  r_id_q, head_q;
  logic [DW-1:0]    r_data_q;
  logic [Tags-1:0]             done_q, err_q;
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

  logic             take, have, burst_last;
  logic [BeatW-1:0] beat_q;
  logic [DW-1:0]    ram_data;
  // Read with a padded width, for the same reason.
  localparam int unsigned PadW = 1 << $clog2(BeatW);
  logic [Tags-1:0][PadW-1:0] fill_pad;
  logic [BeatW-1:0]          fill_in, fill_head;
  always_comb for (int unsigned i = 0; i < Tags; i++) fill_pad[i] = PadW'(fill_q[i]);
  assign fill_in   = BeatW'(fill_pad[r_id_q]);
  assign fill_head = BeatW'(fill_pad[head_q]);
  assign have       = done_q[head_q] || beat_q < fill_head;
  assign take       = m_valid && have;
  assign burst_last = beat_q == m_beats_m1;
  assign m_pop      = take && burst_last;

  // A beat is read only after the cycle that wrote it.
  ohca_ram_sdp #(.Width(DW), .Depth(Tags << BeatW), .OldData(1'b0)) u_slots (
    .clk_i,
    .wr_en_i(r_valid_q), .wr_be_i(1'b1), .wr_addr_i({r_id_q, fill_in}), .wr_data_i(r_data_q),
    .rd_en_i(take), .rd_addr_i({head_q, beat_q}), .rd_data_o(ram_data)
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      done_q <= '0;
      err_q  <= '0;
      fill_q <= '0;
      head_q <= '0;
      beat_q <= '0;
    end else begin
      // Slot by slot: an indexed write of more than a bit becomes a shifter in synthesis.
      `WHEN(r_valid_q || m_pop) for (int unsigned i = 0; i < Tags; i++) begin
        if (r_valid_q && r_id_q == TagW'(i)) begin
          fill_q[i] <= fill_in + BeatW'(1);
          if (r_last_q) done_q[i] <= 1'b1;
          if (r_err_q)  err_q[i]  <= 1'b1;
        end
        if (m_pop && head_q == TagW'(i)) begin
          done_q[i] <= 1'b0;
          err_q[i]  <= 1'b0;
          fill_q[i] <= '0;
        end
      end
      if (take)  beat_q <= burst_last ? '0 : beat_q + BeatW'(1);
      if (m_pop) head_q <= head_q + TagW'(1);
    end
  end

  // ---------------------------------------------------------------- delivery
  logic [TagW:0]         dead_q;            // slots at the head whose client is gone
  logic                  bad_q, s1_valid_q, s1_last_q, s1_err_q, err_now, deliver;
  logic [CliW-1:0]       s1_cli_q;
  logic [7:0]            s1_tag_q;
  logic [NumClients-1:0] rsp_valid_q;
  assign err_now = err_q[head_q] || bad_q;
  assign deliver = take && dead_q == '0 && !soft_rst_i;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      dead_q      <= '0;
      bad_q       <= 1'b0;
      s1_valid_q  <= 1'b0;
      rsp_valid_q <= '0;
    end else begin
      if (soft_rst_i)                    dead_q <= m_count - {{TagW{1'b0}}, m_pop};
      else if (m_pop && dead_q != '0)    dead_q <= dead_q - (TagW + 1)'(1);
      if (soft_rst_i || dead_q != '0)    bad_q <= 1'b0;
      else if (take)                     bad_q <= err_now && !(burst_last && m_final);
      s1_valid_q <= deliver;
      rsp_valid_q <= '0;
      if (s1_valid_q && !soft_rst_i) rsp_valid_q[s1_cli_q] <= 1'b1;
    end
    if (take) begin
      s1_cli_q  <= m_cli;
      s1_tag_q  <= m_tag;
      s1_last_q <= burst_last && m_final;
      s1_err_q  <= err_now;
    end
    if (s1_valid_q) begin
      rsp_tag_o  <= s1_tag_q;
      rsp_data_o <= ram_data;
      rsp_last_o <= s1_last_q;
      rsp_err_o  <= s1_err_q;
    end
  end
  assign rsp_valid_o = rsp_valid_q;

  logic failed_q;
  always_ff @(posedge clk_i) failed_q <= !rst_i && |rsp_valid_q && rsp_last_o && rsp_err_o;
  always_comb begin
    cnt_o = '0;
    cnt_o[ohca_fmt_pkg::COUNTER_DMA_RD_ERR] = failed_q;
  end
  assign idle_o = !(|req_valid_i) && !q_valid && !ar_valid_q && !m_valid && !s1_valid_q && rsp_valid_q == '0;

  logic unused;
  assign unused = &{1'b0, m_axi_rid_i, m_axi_rresp_i[0], burst_end, beats_m1};

`ifdef VERILATOR
  ohca_axi_rd_rules #(.DW(DW), .MaxBytes(MaxRead)) u_rules (
    .clk_i, .rst_i,
    .arvalid_i(m_axi_arvalid_o), .arready_i(m_axi_arready_i), .arid_i(m_axi_arid_o), .araddr_i(m_axi_araddr_o), .arlen_i(m_axi_arlen_o),
    .arsize_i(m_axi_arsize_o), .arburst_i(m_axi_arburst_o), .rvalid_i(m_axi_rvalid_i), .rready_i(m_axi_rready_o), .rid_i(m_axi_rid_i),
    .rdata_i(m_axi_rdata_i), .rresp_i(m_axi_rresp_i), .rlast_i(m_axi_rlast_i)
  );
`endif

  `ASSERT(ReqRoom_A, !arb_valid || arb_ready)
  `ASSERT(Length_A, !q_valid || (q.len != 13'd0 && 14'(q.addr[11:0]) + 14'(q.len) <= 14'd4096))
  `ASSERT(Expected_A, !r_valid_q || {1'b0, TagW'(r_id_q - head_q)} < m_count)
  `ASSERT(Counted_A, !r_valid_q || out_q != '0)
  `ASSERT(NotTwice_A, !r_valid_q || !done_q[r_id_q])
  `ASSERT(LastIsLast_A, !m_pop || done_q[head_q])

endmodule

`default_nettype wire
