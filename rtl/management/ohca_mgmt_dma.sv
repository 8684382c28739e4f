// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Copies between host memory and a buffer of 4 KiB that belongs to the management core: mailboxes of commands, MADs.
//
// One copy at a time, of up to 4 KiB at any dword of either side, one dword a cycle: mailboxes are not the data path.
// From 256 bits on it is cut into requests of 16 beats, one after the other, so that they fit into LUT RAM. A write is
// requested when all its beats are there, as ohca_dma_wr would keep everybody's data waiting behind it; the copy ends
// when host memory has acknowledged all. It does NOT cut requests at a page's end, nor try again what failed.
//
//   host read ──► FIFO ──► a beat, dword by dword ──► buffer          (firmware ◄─► buffer: while nothing is copied)
//   buffer ──► dwords joined to a beat ──► FIFO ──► request, beats, acknowledgement
//
// Readys: that of the FIFO only, whose room is there for every beat of a copy.
// lint: DataWidth=512
// lint: Compact=1

`include "ohca_assert.svh"
`default_nettype none

module ohca_mgmt_dma #(
  parameter int unsigned DataWidth = 64,
  parameter bit          Compact   = 1'b0   // what is written begins with a beat: mailboxes do
) (
  input  logic                      clk_i,
  input  logic                      rst_i,
  output logic                      busy_o,          // a copy is under way
  output logic                      moves_o,         // something is held that a clock moves, also of a read that is
                                                     // over
  output logic                      err_o,           // of the newest copy: a read failed

  // Registers m_sys_dma_*, and the buffer: firmware leaves both alone while busy_o is set
  input  logic                      wr_i,            // pulse: register off_i is written
  input  logic [9:0]                off_i,
  input  logic [31:0]               wdata_i,
  input  logic                      buf_we_i,
  input  logic [9:0]                buf_addr_i,      // dword
  output logic [31:0]               buf_rdata_o,     // one cycle later

  // Host memory
  output logic                      rd_req_valid_o,
  input  logic                      rd_req_ready_i,
  output ohca_fmt_pkg::dma_rd_req_t rd_req_o,
  input  logic                      rd_rsp_valid_i,
  input  logic [DataWidth-1:0]      rd_rsp_data_i,
  input  logic                      rd_rsp_last_i,
  input  logic                      rd_rsp_err_i,
  output logic                      wr_req_valid_o,
  input  logic                      wr_req_ready_i,
  output ohca_fmt_pkg::dma_wr_req_t wr_req_o,
  output logic                      wr_dat_valid_o,
  input  logic                      wr_dat_ready_i,
  output logic [DataWidth-1:0]      wr_dat_o,
  output logic                      wr_dat_last_o,
  input  logic [31:0]               wr_issued_i,     // writes of this client that ohca_dma_wr has taken, and
  input  logic [31:0]               wr_acked_i       // those that host memory has acknowledged
);

  localparam int unsigned BeatBytes = DataWidth / 8;
  localparam int unsigned LaneW     = (BeatBytes > 4) ? $clog2(BeatBytes / 4) : 1;
  localparam int unsigned BeatDw    = BeatBytes / 4;

  logic        dma_err_q, dma_rd_q;
  logic [63:0] dma_addr_q;
  logic [9:0]  dma_ptr_q;                 // dword in the buffer
  logic [10:0] dma_left_q;                // dwords to go
  logic [12:0] dma_len_q;                 // of the request
  logic [10:0] dma_step_q, part, step;    // dwords that the request still waits for: a write's, if copies are cut
  logic        plan_q;                    // the next request begins
  logic        dma_req_q;                 // request not yet accepted
  logic        dma_act_q;                 // data moving
  logic        dma_ack_q;                 // waiting for write acknowledgement
  logic [31:0] dma_mark_q;
  logic [DataWidth-1:0] beat_q;
  logic        beat_v_q, beat_last_q;
  logic [LaneW-1:0] lane_q;
  logic        wfull_q, wlast_q, mbr_q, dma_out_q;   // dma_out_q: the beats of a write leave
  logic [DataWidth-1:0] wbeat_q;
  logic        rd_end_q, ack_armed_q;
  logic [31:0] ack_late;                  // [31]: not yet acknowledged
  assign ack_late = wr_acked_i - dma_mark_q;

  // Beats wait here for, or after, the one-dword-a-cycle copy: those of a request.
  // Compact: of 4096 bytes that begin with a beat, or of any that are read, as a dword goes on in each cycle.
  localparam bit          Cut     = DataWidth >= 256;
  localparam int unsigned CutDw   = 16 * BeatDw;
  localparam int unsigned CutW    = $clog2(CutDw);
  localparam int unsigned RdDepth = Cut ? 16 : 4096 / BeatBytes + (Compact ? 0 : 2);
  // A request ends where the next aligned one begins.
  always_comb begin
    step = dma_left_q;
    if (Cut && dma_left_q > 11'(CutDw) - 11'(dma_addr_q[2 +: CutW])) step = 11'(CutDw) - 11'(dma_addr_q[2 +: CutW]);
  end
  localparam int unsigned RdLog   = $clog2(RdDepth);
  logic                 rf_valid, rf_ready, rf_room;
  logic [DataWidth:0]   rf_data;
  // verilator lint_off PINCONNECTEMPTY
  ohca_fifo #(.Width(DataWidth + 1), .Depth(1 << RdLog)) u_rdf (
    .clk_i   (clk_i),
    .rst_i   (rst_i),
    .valid_i (rd_rsp_valid_i || wfull_q),
    .ready_o (rf_room),
    .data_i  (wfull_q ? {wlast_q, wbeat_q} : {rd_rsp_last_i, rd_rsp_data_i}),
    .valid_o (rf_valid),
    .ready_i (rf_ready),
    .data_o  (rf_data),
    .count_o (), .almost_full_o()
  );
  // verilator lint_on PINCONNECTEMPTY

  assign busy_o         = dma_req_q || dma_act_q || dma_ack_q;
  assign moves_o        = rf_valid || beat_v_q;
  assign err_o          = dma_err_q;
  assign rd_req_valid_o = dma_req_q && dma_rd_q;
  assign rd_req_o       = {dma_addr_q, dma_len_q, 8'h0};
  assign wr_req_valid_o = dma_req_q && !dma_rd_q;
  assign wr_req_o       = {dma_addr_q, dma_len_q};
  assign wr_dat_valid_o = dma_out_q && rf_valid;
  assign wr_dat_o       = rf_data[DataWidth-1:0];
  assign wr_dat_last_o  = rf_data[DataWidth];
  assign rf_ready       = dma_rd_q ? !beat_v_q : dma_out_q && wr_dat_ready_i;

  logic [31:0] beat_dw;
  always_comb begin
    beat_dw = '0;
    for (int i = 0; i < BeatDw; i++) if (BeatDw == 1 || lane_q == LaneW'(i)) beat_dw = beat_q[32*i +: 32];
  end

  logic w_take, rd_dword, beat_end, wr_end, next;
  assign part     = Cut ? dma_step_q : dma_left_q;
  assign w_take   = mbr_q && !wfull_q && part != '0;
  assign rd_dword = dma_act_q && dma_rd_q && beat_v_q;                      // a dword of the beat goes to the buffer
  assign beat_end = rd_dword && (dma_left_q <= 11'd1 || BeatDw == 1 || lane_q == LaneW'(BeatDw - 1));
  assign wr_end   = wr_dat_valid_o && wr_dat_ready_i && wr_dat_last_o;      // a write's last beat

  assign next     = wr_end || (dma_act_q && dma_rd_q && rd_end_q);          // a request is over

  // Firmware and the copy share the buffer's ports. Whoever reads a dword does so after it was written, so what a read
  // shows that meets a write of its dword is not used.
  logic        core_we, mb_we;
  logic [9:0]  mb_waddr, mb_raddr;
  logic [31:0] mb_wdata, mbox_rdata;
  assign core_we  = buf_we_i && !dma_act_q;
  assign mb_we    = core_we || (rd_dword && dma_left_q != '0);
  assign mb_waddr = core_we ? buf_addr_i : dma_ptr_q;
  assign mb_wdata = core_we ? wdata_i : beat_dw;
  assign mb_raddr = (dma_act_q && !dma_rd_q) ? dma_ptr_q : buf_addr_i;
  ohca_ram_sdp #(.Width(32), .Depth(1024), .OldData(1'b0)) u_buf (
    .clk_i(clk_i),
    .wr_en_i(mb_we), .wr_be_i(1'b1), .wr_addr_i(mb_waddr), .wr_data_i(mb_wdata),
    .rd_en_i(1'b1), .rd_addr_i(mb_raddr), .rd_data_o(mbox_rdata)
  );
  assign buf_rdata_o = mbox_rdata;

  always_ff @(posedge clk_i) begin
    if (wr_i && !busy_o) begin
      unique case (off_i)
        10'(ohca_fmt_pkg::M_SYS_DMA_LO): dma_addr_q[31:0]  <= {wdata_i[31:2], 2'b00};
        10'(ohca_fmt_pkg::M_SYS_DMA_HI): dma_addr_q[63:32] <= wdata_i;
        10'(ohca_fmt_pkg::M_SYS_DMA_GO): begin
          dma_rd_q   <= wdata_i[31];
          dma_left_q <= wdata_i[12:2];
          dma_ptr_q  <= wdata_i[27:18];
          lane_q     <= (BeatDw == 1) ? '0 : LaneW'(dma_addr_q[31:2] & 30'(BeatDw - 1));
          dma_err_q  <= 1'b0;
          plan_q     <= wdata_i[12:2] != '0;
          dma_act_q  <= wdata_i[12:2] != '0;
          wbeat_q    <= '0;
          rd_end_q   <= 1'b0;
        end
        default: ;
      endcase
    end

    if (dma_req_q && (dma_rd_q ? rd_req_ready_i : wr_req_ready_i)) dma_req_q <= 1'b0;
    if (plan_q) begin
      plan_q     <= 1'b0;
      dma_len_q  <= {step, 2'b00};
      dma_req_q  <= dma_rd_q;
      dma_step_q <= dma_rd_q ? '0 : step;
    end
    if (Cut && next) begin
      plan_q                 <= dma_left_q != '0;
      dma_addr_q[63:2+CutW]  <= dma_addr_q[63:2+CutW] + (62-CutW)'(1);
      dma_addr_q[2 +: CutW]  <= '0;
    end

    if ((rd_dword && dma_left_q != '0) || w_take) begin
      dma_left_q <= dma_left_q - 11'd1;
      dma_ptr_q  <= dma_ptr_q + 10'd1;
      lane_q     <= lane_q + LaneW'(1);
    end

    // host read: beats to dwords
    if (rd_rsp_valid_i && rd_rsp_err_i) dma_err_q <= 1'b1;
    if (beat_end && beat_last_q) rd_end_q <= 1'b1;
    if (dma_act_q && dma_rd_q && rd_end_q) begin
      dma_act_q <= dma_left_q != '0;
      rd_end_q  <= 1'b0;
    end

    // host write: dwords to beats in bus lanes
    mbr_q <= dma_act_q && !dma_rd_q && !w_take;
    if (wfull_q) begin
      wfull_q <= 1'b0;
      wbeat_q <= '0;
      if (wlast_q) begin
        dma_req_q <= 1'b1;
        dma_out_q <= 1'b1;
      end
    end
    if (wr_end) begin
      dma_out_q <= 1'b0;
      dma_act_q <= dma_left_q != '0;
    end
    if (w_take) begin
      for (int i = 0; i < BeatDw; i++) if (BeatDw == 1 || lane_q == LaneW'(i)) wbeat_q[32*i +: 32] <= mbox_rdata;
      dma_step_q <= dma_step_q - 11'd1;
      wlast_q    <= part == 11'd1;
      if (part == 11'd1 || BeatDw == 1 || lane_q == LaneW'(BeatDw - 1)) wfull_q <= 1'b1;
    end

    if (rst_i) begin
      dma_req_q  <= 1'b0;
      dma_act_q  <= 1'b0;
      dma_out_q  <= 1'b0;
      dma_err_q  <= 1'b0;
      wfull_q    <= 1'b0;
      mbr_q      <= 1'b0;
      rd_end_q   <= 1'b0;
      plan_q     <= 1'b0;
      {dma_left_q, dma_step_q} <= '0;
    end
  end

  // The beat that is read.
  always_ff @(posedge clk_i) begin
    if (rf_valid && rf_ready && dma_rd_q) begin
      beat_q      <= rf_data[DataWidth-1:0];
      beat_last_q <= rf_data[DataWidth];
      beat_v_q    <= 1'b1;
    end
    if (beat_end || rst_i) beat_v_q <= 1'b0;
  end

  // Acknowledged means: everything issued up to and including this write.
  always_ff @(posedge clk_i) begin
    ack_armed_q <= dma_ack_q;
    if (dma_ack_q && !ack_armed_q) dma_mark_q <= wr_issued_i;
    if (wr_end && dma_left_q == '0) dma_ack_q <= 1'b1;
    if (rst_i || (dma_ack_q && ack_armed_q && !ack_late[31])) begin
      dma_ack_q   <= 1'b0;
      ack_armed_q <= 1'b0;
    end
  end

  logic unused;
  assign unused = &{1'b0, ack_late, rf_room};

  `ASSERT(DmaRoom_A, !(rd_rsp_valid_i || wfull_q) || rf_room)

endmodule

`default_nettype wire
