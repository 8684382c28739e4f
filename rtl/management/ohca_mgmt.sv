// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// The management core: PicoRV32 (RV32IMC) with its RAM and the registers through which firmware owns tables, contexts,
// MADs and events.
//
// Nothing on the packet path waits for it. RAM accesses take two cycles, registers two, m_sys_wait as long as nothing
// happens; while the core waits there, idle_o is set and wake_o tells the cycle at which it wants to run again. In a
// cycle without touch_o nothing changes that another block looks at, but levels that the host reads (status_o,
// health_o, …), and no answer is expected of one.

`include "ohca_assert.svh"
`include "ohca_clocks.svh"
`default_nettype none

module ohca_mgmt #(
  parameter int unsigned DataWidth  = 64,
  parameter int unsigned RamBytes   = 131072,
  parameter bit          Compact    = 1'b0,   // a core without divider, with a multiplier block, shifting by up to four
                                              // bits a cycle
  parameter int unsigned IcmLog2    = 11,
  parameter int unsigned HwCfg      = 0,           // layout reg_hw_cfg
  localparam int unsigned BeatBytes = DataWidth / 8
) (
  input  logic                            clk_i,
`ifdef OHCA_GATES
  input  logic                            clk_on_i,       // has all edges; clk_i and these two leave some out: "clocks
                                                          // by part" of rtl/ohca.sv
  input  logic                            clk_cpu_i,
  input  logic                            clk_cfg_i,
  output logic                            cpu_waits_o,    // for an event: nothing in it moves
  output logic                            busy_o,         // combinational, from inputs too: clk_i is needed, and for
                                                          // the next eight edges
`endif
  input  logic                            rst_i,
  input  logic [63:0]                     now_i,
  input  logic [63:0]                     strap_guid_i,
  output logic                            idle_o,
  output logic                            touch_o,         // combinational: other blocks must be running
  output logic                            drain_o,         // pulse: mark what is between translation and host memory
  input  logic [1:0]                      draining_i,      // some of it is: ohca_place, ohca_txbuild
  output logic [63:0]                     wake_o,          // all ones: never

  // Command block and status, ohca_bar
  input  logic                            cmd_go_i,        // level: a command waits
  output logic                            cmd_done_o,      // pulse
  output logic [7:0]                      cmd_status_o,
  output logic [31:0]                     cmd_imm_o,
  output logic [31:0]                     fw_version_o,
  output logic [31:0]                     status_o,
  output logic [31:0]                     health_o,
  input  logic [31:0]                     time_scale_i,
  output logic                            log_we_o,
  output logic [9:0]                      log_waddr_o,
  output logic [31:0]                     log_wdata_o,
  output logic                            bar_rd_o,        // counters, and the command: memory of ohca_bar
  output logic [7:0]                      bar_addr_o,      // dword of the counters, or of the command with bit 7 set
  input  logic [31:0]                     bar_rdata_i,     // one cycle later

  // Port registers, ohca_port
  output logic                            port_valid_o,
  output logic                            port_we_o,
  output logic [9:0]                      port_addr_o,     // dword address
  output logic [31:0]                     port_wdata_o,
  input  logic [31:0]                     port_rdata_i,    // one cycle later
  input  logic                            port_event_i,    // level: a sticky condition is set

  // Congestion notifications that came: the QP that is to slow down
  input  logic                            cnp_valid_i,     // pulse
  input  logic [23:0]                     cnp_qpn_i,

  // Packets with bad keys: ohca_rs, ohca_ra_stream
  input  logic                            rs_viol_valid_i, // pulse
  input  ohca_fmt_pkg::rx_viol_t          rs_viol_i,
  input  logic                            ra_viol_valid_i,
  input  ohca_fmt_pkg::rx_viol_t          ra_viol_i,

  // Received MADs: ohca_rxdispatch and ohca_place
  output logic                            mad_free_o,
  output logic [1:0]                      mad_slot_o,
  input  logic                            mad_take_i,
  input  logic [9:0]                      mad_len_i,       // with take
  input  logic                            mad_done_i,
  input  logic                            mad_we_i,
  input  logic [8:0]                      mad_addr_i,
  input  logic [31:0]                     mad_data_i,

  // MADs to send: ohca_link_tx
  output logic                            mtx_valid_o,
  input  logic                            mtx_ready_i,
  output logic [DataWidth-1:0]            mtx_data_o,
  output logic [BeatBytes-1:0]            mtx_keep_o,
  output logic                            mtx_last_o,
  output logic                            mtx_to_host_o,

  // Context accesses; acc_part_o selects the engine
  output logic                            acc_valid_o,
  input  logic                            acc_ready_i,
  output ohca_fmt_pkg::ctx_acc_t          acc_o,
  input  logic                            acc_rsp_valid_i,
  input  logic                            acc_err_i,
  input  logic [31:0]                     acc_rdata_i,

  // Tables
  output logic                            icm_we_o,
  output logic [15:0]                     icm_chunk_o,
  output logic                            icm_valid_o,
  output logic [63:18]                    icm_addr_o,
  output logic [3:0][15:0]                tbl_base_o,      // chunk, order of enum icm_table
  output logic [3:0][31:0]                tbl_limit_o,     // entries

  // Event queues, ohca_eq
  output logic                            eq_valid_o,
  input  logic                            eq_ready_i,
  output logic                            eq_we_o,
  output logic [7:0]                      eq_eqn_o,
  output logic [2:0]                      eq_dw_o,
  output logic [31:0]                     eq_wdata_o,
  input  logic                            eq_done_i,
  input  logic [31:0]                     eq_rdata_i,
  output logic                            ev_valid_o,
  input  logic                            ev_ready_i,
  output ohca_fmt_pkg::ev_req_t           ev_o,

  // Host memory
  output logic                            rd_req_valid_o,
  input  logic                            rd_req_ready_i,
  output ohca_fmt_pkg::dma_rd_req_t       rd_req_o,
  input  logic                            rd_rsp_valid_i,
  input  logic [DataWidth-1:0]            rd_rsp_data_i,
  input  logic                            rd_rsp_last_i,
  input  logic                            rd_rsp_err_i,
  output logic                            wr_req_valid_o,
  input  logic                            wr_req_ready_i,
  output ohca_fmt_pkg::dma_wr_req_t       wr_req_o,
  output logic                            wr_dat_valid_o,
  input  logic                            wr_dat_ready_i,
  output logic [DataWidth-1:0]            wr_dat_o,
  output logic                            wr_dat_last_o,
  input  logic [31:0]                     wr_issued_i,
  input  logic [31:0]                     wr_acked_i,

  // PHY
  input  logic                            phy_link_up_i,
  input  logic [3:0]                      phy_width_i,
  input  logic [15:0]                     phy_speed_i,
  output logic                            phy_reset_o,

  output logic                            con_valid_o,     // console character
  output logic [7:0]                      con_o
);

  localparam int unsigned RamAw = $clog2(RamBytes / 4);
  localparam int unsigned LaneW = (BeatBytes > 4) ? $clog2(BeatBytes / 4) : 1;
  localparam int unsigned BeatDw = BeatBytes / 4;

  // ------------------------------------------------------------------ core
  logic        mem_valid, mem_ready, mem_instr;
  logic [31:0] mem_addr, mem_wdata, mem_rdata;
  logic [3:0]  mem_wstrb;
  logic        trap;

  // verilator lint_off PINCONNECTEMPTY
  picorv32 #(
    .ENABLE_COUNTERS   (0),
    .ENABLE_COUNTERS64 (0),
    .COMPRESSED_ISA    (1),
    .ENABLE_MUL        (!Compact),
    .ENABLE_FAST_MUL   (Compact),
    .ENABLE_DIV        (!Compact),
    .BARREL_SHIFTER    (!Compact),
    .CATCH_MISALIGN    (1),
    .CATCH_ILLINSN     (1),
    .REGS_INIT_ZERO    (1),
    .STACKADDR         (RamBytes)
  ) u_core (
`ifdef OHCA_GATES
    .clk          (clk_cpu_i),
`else
    .clk          (clk_i),
`endif
    .resetn       (!rst_i),
    .trap         (trap),
    .mem_valid    (mem_valid),
    .mem_instr    (mem_instr),
    .mem_ready    (mem_ready),
    .mem_addr     (mem_addr),
    .mem_wdata    (mem_wdata),
    .mem_wstrb    (mem_wstrb),
    .mem_rdata    (mem_rdata),
    .mem_la_read  (),
    .mem_la_write (),
    .mem_la_addr  (),
    .mem_la_wdata (),
    .mem_la_wstrb (),
    .pcpi_valid   (),
    .pcpi_insn    (),
    .pcpi_rs1     (),
    .pcpi_rs2     (),
    .pcpi_wr      (1'b0),
    .pcpi_rd      (32'h0),
    .pcpi_wait    (1'b0),
    .pcpi_ready   (1'b0),
    .irq          (32'h0),
    .eoi          (),
    .trace_valid  (),
    .trace_data   ()
  );
  // verilator lint_on PINCONNECTEMPTY

  // ------------------------------------------------------------------ bus
  // A transfer takes an address cycle and at least one data cycle; phase_q marks the second.
  logic        phase_q, stall;
  logic        is_ram, is_io, write;
  logic [3:0]  region;
  logic [9:0]  dwa;
  assign is_ram = mem_addr < RamBytes;
  assign is_io  = mem_addr[31:15] == 17'h1_0000;        // 0x80000000..0x80007fff
  assign region = {1'b0, mem_addr[14:12]};
  assign dwa    = mem_addr[11:2];
  assign write  = mem_wstrb != 4'h0;

  logic first, done;
  assign first = mem_valid && !phase_q;
  assign done  = mem_valid && phase_q && !stall;
  assign mem_ready = done;

  always_ff @(posedge clk_i) begin
    if (rst_i) phase_q <= 1'b0;
    else       phase_q <= mem_valid && !done;
  end

  // RAM, loaded by the simulator or from the bitstream
  logic [31:0] ram_rdata;
  ohca_fw_ram #(.Bytes(RamBytes)) u_ram (
    .clk_i     (clk_i),
    .en_i      (first && is_ram),
    .wr_be_i   (mem_wstrb),
    .addr_i    (mem_addr[RamAw+1:2]),
    .wr_data_i (mem_wdata),
    .rd_data_o (ram_rdata)
  );

  // Register strobes
  logic       sys, sys_wr, at_cmd;            // at_cmd: the command, which is in ohca_bar
  logic [9:0] off;
  assign sys    = mem_valid && is_io && region == 4'h0;
  assign off    = {mem_addr[9:2], 2'b00};
  assign sys_wr = sys && write && done;
  assign drain_o = sys_wr && off == 10'(ohca_fmt_pkg::M_SYS_DRAIN);

  // ------------------------------------------------------------------ MAD receive RAM, MAD transmit RAM, DMA buffer
  // Whoever reads a word does so after it was written, so what a read shows that meets a write of its word is not used:
  // a MAD is in its place when its slot is said to be full, and is there before it is sent; the core leaves the buffer
  // alone while a transfer is under way.
  logic [31:0] madrx_rdata, mbox_rdata, mtx_rdata;
  logic [8:0]  mtx_raddr;

  ohca_ram_sdp #(.Width(32), .Depth(512), .OldData(1'b0)) u_madrx (
    .clk_i   (clk_i),
    .wr_en_i    (mad_we_i),
    .wr_addr_i (mad_addr_i),
    .wr_data_i (mad_data_i),
    .wr_be_i   (1'b1),
    .rd_en_i    (first),
    .rd_addr_i (mem_addr[10:2]),
    .rd_data_o (madrx_rdata)
  );

  ohca_ram_sdp #(.Width(32), .Depth(512), .OldData(1'b0)) u_madtx (
    .clk_i   (clk_i),
    .wr_en_i    (first && is_io && region == 4'h3 && write),
    .wr_addr_i (mem_addr[10:2]),
    .wr_data_i (mem_wdata),
    .wr_be_i   (1'b1),
    .rd_en_i    (1'b1),
    .rd_addr_i (mtx_raddr),
    .rd_data_o (mtx_rdata)
  );

  logic        mb_we;
  logic [9:0]  mb_waddr, mb_raddr;
  logic [31:0] mb_wdata;
  ohca_ram_sdp #(.Width(32), .Depth(1024), .OldData(1'b0)) u_mbox (
    .clk_i   (clk_i),
    .wr_en_i    (mb_we),
    .wr_addr_i (mb_waddr),
    .wr_data_i (mb_wdata),
    .wr_be_i   (1'b1),
    .rd_en_i    (1'b1),
    .rd_addr_i (mb_raddr),
    .rd_data_o (mbox_rdata)
  );

  // ------------------------------------------------------------------ simple registers
  logic [31:0] now_hi_q, fw_version_q, status_q, health_q, cmd_imm_q;
  logic [63:0] wake_q;
  logic [31:0] wake_lo_q;
  logic        cmd_done_q;
  logic [7:0]  cmd_status_q;
  logic [3:0][15:0] tbl_base_q;
  logic [3:0][31:0] tbl_limit_q;
  logic [15:0] icm_chunk_q;
  logic [31:0] icm_hi_q;
  logic        icm_we_q, icm_valid_q;
  logic [63:18] icm_addr_q;
  logic        phy_seen_q, phy_evt_q, phy_reset_q, phy_hold_q;
  logic [63:0] rand_q;
  logic        con_valid_q;
  logic [7:0]  con_q;

  assign fw_version_o = fw_version_q;
  // A trapped core (illegal instruction, bus error) is fatal and says so by itself.
  assign status_o     = trap ? {16'hdead, 14'h0, 2'b10} : status_q;
  assign health_o     = health_q;
  assign cmd_done_o   = cmd_done_q;
  assign cmd_status_o = cmd_status_q;
  assign cmd_imm_o    = cmd_imm_q;
  assign tbl_base_o   = tbl_base_q;
  assign tbl_limit_o  = tbl_limit_q;
  assign icm_we_o     = icm_we_q;
  assign icm_chunk_o  = icm_chunk_q;
  assign icm_valid_o  = icm_valid_q;
  assign icm_addr_o   = icm_addr_q;
  assign phy_reset_o  = phy_reset_q;
  assign con_valid_o  = con_valid_q;
  assign con_o        = con_q;

  always_ff @(posedge clk_i) begin
    cmd_done_q  <= 1'b0;
    icm_we_q    <= 1'b0;
    phy_reset_q <= phy_hold_q;
    con_valid_q <= 1'b0;
    if (sys_wr) begin
      unique case (off)
        10'(ohca_fmt_pkg::M_SYS_WAKE_LO):    wake_lo_q    <= mem_wdata;
        10'(ohca_fmt_pkg::M_SYS_WAKE_HI):    wake_q       <= {mem_wdata, wake_lo_q};
        10'(ohca_fmt_pkg::M_SYS_FW_VERSION): fw_version_q <= mem_wdata;
        10'(ohca_fmt_pkg::M_SYS_STATUS):     status_q     <= mem_wdata;
        10'(ohca_fmt_pkg::M_SYS_HEALTH):     health_q     <= mem_wdata;
        10'(ohca_fmt_pkg::M_SYS_CMD_IMM):    cmd_imm_q    <= mem_wdata;
        10'(ohca_fmt_pkg::M_SYS_CMD_DONE): begin
          cmd_done_q   <= 1'b1;
          cmd_status_q <= mem_wdata[7:0];
        end
        10'(ohca_fmt_pkg::M_SYS_ICM_CHUNK):  icm_chunk_q  <= mem_wdata[15:0];
        10'(ohca_fmt_pkg::M_SYS_ICM_HI):     icm_hi_q     <= mem_wdata;
        10'(ohca_fmt_pkg::M_SYS_ICM_LO): begin
          icm_we_q    <= 1'b1;
          icm_valid_q <= mem_wdata[0];
          icm_addr_q  <= {icm_hi_q, mem_wdata[31:18]};
        end
        10'(ohca_fmt_pkg::M_SYS_PHY): begin
          phy_reset_q  <= |mem_wdata[1:0];
          phy_hold_q   <= mem_wdata[1];
        end
        10'(ohca_fmt_pkg::M_SYS_CONSOLE): begin
          con_valid_q <= 1'b1;
          con_q       <= mem_wdata[7:0];
        end
        default: ;
      endcase
    end
    if (sys && !write && done && off == 10'(ohca_fmt_pkg::M_SYS_NOW_LO)) now_hi_q <= now_i[63:32];

    phy_seen_q <= phy_link_up_i;
    if (phy_seen_q != phy_link_up_i) phy_evt_q <= 1'b1;
    else if (sys && !write && done && off == 10'(ohca_fmt_pkg::M_SYS_PHY)) phy_evt_q <= 1'b0;

    if (rst_i) begin
      wake_q       <= '1;
      wake_lo_q    <= '1;
      fw_version_q <= '0;
      status_q     <= '0;
      health_q     <= '0;
      phy_seen_q   <= 1'b0;
      phy_evt_q    <= 1'b0;
      phy_hold_q   <= 1'b0;
      icm_we_q     <= 1'b0;
    end
  end

  // It goes on while all else rests.
  always_ff @(posedge `CLOCK_ON) begin
    if (rst_i)       rand_q <= strap_guid_i | 64'h1;
    else if (sys_wr) rand_q <= rand_q ^ {now_i[31:0], mem_wdata};
    else             rand_q <= {rand_q[62:0], rand_q[63] ^ rand_q[62] ^ rand_q[60] ^ rand_q[59]};
  end

  // What other parts look at all the time
  always_ff @(posedge `CLOCK_CFG) begin
    if (rst_i) begin
      tbl_base_q  <= '0;
      tbl_limit_q <= '0;
    end else if (sys_wr) begin
      unique case (off)
        10'(ohca_fmt_pkg::M_SYS_TBL_BASE):       tbl_base_q[0]  <= mem_wdata[15:0];
        10'(ohca_fmt_pkg::M_SYS_TBL_BASE + 4):   tbl_base_q[1]  <= mem_wdata[15:0];
        10'(ohca_fmt_pkg::M_SYS_TBL_BASE + 8):   tbl_base_q[2]  <= mem_wdata[15:0];
        10'(ohca_fmt_pkg::M_SYS_TBL_BASE + 12):  tbl_base_q[3]  <= mem_wdata[15:0];
        10'(ohca_fmt_pkg::M_SYS_TBL_LIMIT):      tbl_limit_q[0] <= mem_wdata;
        10'(ohca_fmt_pkg::M_SYS_TBL_LIMIT + 4):  tbl_limit_q[1] <= mem_wdata;
        10'(ohca_fmt_pkg::M_SYS_TBL_LIMIT + 8):  tbl_limit_q[2] <= mem_wdata;
        10'(ohca_fmt_pkg::M_SYS_TBL_LIMIT + 12): tbl_limit_q[3] <= mem_wdata;
        default: ;
      endcase
    end
  end

  // ------------------------------------------------------------------ events and waiting
  logic [3:0]  slot_full_q, slot_busy_q;
  logic [6:0]  ev_bits;
  logic        cnp_have, cnp_room, cnp_lost_q;
  logic [23:0] cnp_qpn;
  logic        viol_have;
  logic [31:0] viol_rdata;
  assign ev_bits[3'(ohca_fmt_pkg::M_EVENT_CMD)]    = cmd_go_i && !cmd_done_q;
  assign ev_bits[3'(ohca_fmt_pkg::M_EVENT_MAD_RX)] = slot_full_q != 4'h0;
  assign ev_bits[3'(ohca_fmt_pkg::M_EVENT_PHY)]    = phy_evt_q;
  assign ev_bits[3'(ohca_fmt_pkg::M_EVENT_TIMER)]  = now_i >= wake_q;
  assign ev_bits[3'(ohca_fmt_pkg::M_EVENT_PORT)]   = port_event_i;
  assign ev_bits[3'(ohca_fmt_pkg::M_EVENT_CNP)]    = cnp_have;
  assign ev_bits[3'(ohca_fmt_pkg::M_EVENT_VIOL)]   = viol_have;

  logic waiting;
  assign waiting = sys && !write && off == 10'(ohca_fmt_pkg::M_SYS_WAIT) && phase_q && ev_bits == '0;
`ifdef OHCA_GATES
  assign cpu_waits_o = waiting;
  // Who waits looks at the timer, the command and the port without a clock: each of them makes it wait no longer.
  assign busy_o      = !idle_o || eq_pend_q || eq_wait_q || eq_done_i || cmd_done_q || icm_we_q || con_valid_q ||
      phy_seen_q != phy_link_up_i ||
                       phy_reset_q != phy_hold_q || cnp_valid_i || rs_viol_valid_i || ra_viol_valid_i || mad_take_i ||
                           mad_done_i || mad_we_i ||
                       acc_rsp_valid_i || rd_rsp_valid_i || rf_valid || beat_v_q;
`endif
  assign wake_o  = wake_q;
  assign idle_o  = (waiting || trap) && !mtx_busy && !dma_busy && !acc_busy && !ev_pend_q;

  // Registers of this block that are only read, and its buffers, are its own.
  assign touch_o = mtx_busy || dma_busy || acc_busy || ev_pend_q || eq_pend_q || eq_wait_q || cmd_done_q || icm_we_q ||
      eq_access || (sys && write) ||
                   at_cmd || (mem_valid && is_io && (region == 4'h1 || region == 4'h7));

  // ------------------------------------------------------------------ congestion notifications
  // One a QP and some microseconds: sixteen are room for as many QPs at once. What finds no room is lost, and firmware
  // told so.
  logic cnp_read;
  assign cnp_read = sys && !write && done && off == 10'(ohca_fmt_pkg::M_SYS_CNP);
  // verilator lint_off PINCONNECTEMPTY
  ohca_fifo #(.Width(24), .Depth(16)) u_cnp (
    .clk_i   (clk_i),
    .rst_i   (rst_i),
    .valid_i (cnp_valid_i),
    .ready_o (cnp_room),
    .data_i  (cnp_qpn_i),
    .valid_o (cnp_have),
    .ready_i (cnp_read),
    .data_o  (cnp_qpn),
    .count_o (),
    .almost_full_o ()
  );
  // verilator lint_on PINCONNECTEMPTY
  always_ff @(posedge clk_i) begin
    if (rst_i)                         cnp_lost_q <= 1'b0;
    else if (cnp_valid_i && !cnp_room) cnp_lost_q <= 1'b1;
    else if (cnp_read)                 cnp_lost_q <= 1'b0;
  end

  // ------------------------------------------------------------------ packets with bad keys
  ohca_viol #(.Gids(!Compact)) u_viol (
    .clk_i      (clk_i),
    .rst_i      (rst_i),
    .rs_valid_i (rs_viol_valid_i),
    .rs_i       (rs_viol_i),
    .ra_valid_i (ra_viol_valid_i),
    .ra_i       (ra_viol_i),
    .we_i       (sys_wr && off == 10'(ohca_fmt_pkg::M_SYS_VIOL)),
    .release_i  (mem_wdata[31]),
    .wait_i     (mem_wdata[1:0]),
    .dw_i       (off[5:2]),
    .have_o     (viol_have),
    .rdata_o    (viol_rdata)
  );

  // ------------------------------------------------------------------ received MADs
  // Slots are taken in ring order, so the oldest is known by a pointer.
  logic [1:0]  take_q, old_q, fill_q;
  logic [3:0][9:0] slot_len_q;
  assign mad_free_o = !slot_busy_q[take_q];
  assign mad_slot_o = take_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      take_q      <= '0;
      fill_q      <= '0;
      old_q       <= '0;
      slot_full_q <= '0;
      slot_busy_q <= '0;
      slot_len_q  <= '0;
    end else begin
      if (mad_take_i) begin
        slot_busy_q[take_q] <= 1'b1;
        slot_len_q[take_q]  <= mad_len_i;
        take_q              <= take_q + 2'd1;
      end
      if (mad_done_i) begin
        slot_full_q[fill_q] <= 1'b1;
        fill_q              <= fill_q + 2'd1;
      end
      if (sys_wr && off == 10'(ohca_fmt_pkg::M_SYS_MADRX) && slot_full_q[mem_wdata[1:0]]) begin
        slot_full_q[mem_wdata[1:0]] <= 1'b0;
        slot_busy_q[mem_wdata[1:0]] <= 1'b0;
        old_q                       <= mem_wdata[1:0] + 2'd1;
      end
    end
  end

  // ------------------------------------------------------------------ MADs to send
  // Dwords are joined to beats; one dword a cycle is plenty for a management packet.
  logic        mtx_busy, mtx_rd_q, mtx_to_host_q;
  logic [9:0]  mtx_left_q;
  logic [8:0]  mtx_ptr_q;
  logic [LaneW-1:0] mtx_lane_q;
  logic [DataWidth-1:0] mtx_data_q;
  logic [BeatBytes-1:0] mtx_keep_q;
  logic        mtx_full_q, mtx_last_q;
  logic        mtx_start, mtx_take;

  assign mtx_start    = sys_wr && off == 10'(ohca_fmt_pkg::M_SYS_MADTX);
  assign mtx_busy     = mtx_left_q != '0 || mtx_full_q || mtx_rd_q;
  assign mtx_raddr    = mtx_ptr_q;
  assign mtx_valid_o  = mtx_full_q;
  assign mtx_data_o   = mtx_data_q;
  assign mtx_keep_o   = mtx_keep_q;
  assign mtx_last_o   = mtx_last_q;
  assign mtx_to_host_o = mtx_to_host_q;
  assign mtx_take     = mtx_rd_q && !mtx_full_q;

  always_ff @(posedge clk_i) begin
    if (mtx_full_q && mtx_ready_i) begin
      mtx_full_q <= 1'b0;
      mtx_keep_q <= '0;
      mtx_data_q <= '0;
    end
    // mtx_rd_q: the RAM shows dword mtx_ptr_q
    mtx_rd_q <= mtx_left_q != '0 && !mtx_take;
    if (mtx_take && mtx_left_q != '0) begin
      for (int i = 0; i < BeatDw; i++) begin
        if (BeatDw == 1 || mtx_lane_q == LaneW'(i)) begin
          mtx_data_q[32*i +: 32] <= mtx_rdata;
          mtx_keep_q[4*i +: 4]   <= 4'hf;
        end
      end
      mtx_lane_q <= mtx_lane_q + LaneW'(1);
      mtx_ptr_q  <= mtx_ptr_q + 9'd1;
      mtx_left_q <= (mtx_left_q > 10'd4) ? mtx_left_q - 10'd4 : 10'd0;
      mtx_last_q <= mtx_left_q <= 10'd4;
      if (mtx_left_q <= 10'd4 || mtx_lane_q == LaneW'(BeatDw - 1)) mtx_full_q <= 1'b1;
    end
    if (mtx_start && !mtx_busy) begin
      mtx_left_q    <= mem_wdata[9:0];
      mtx_ptr_q     <= '0;
      mtx_lane_q    <= '0;
      mtx_to_host_q <= mem_wdata[16];
      mtx_keep_q    <= '0;
      mtx_data_q    <= '0;
    end
    if (rst_i) begin
      mtx_left_q <= '0;
      mtx_full_q <= 1'b0;
      mtx_rd_q   <= 1'b0;
    end
  end

  // ------------------------------------------------------------------ context accesses
  logic        acc_busy, acc_pend_q, acc_wait_q, acc_err_q;
  logic [31:0] acc_rdata_q;
  ohca_fmt_pkg::ctx_acc_t acc_q;
  assign acc_busy    = acc_pend_q || acc_wait_q;
  assign acc_valid_o = acc_pend_q;
  assign acc_o       = acc_q;
  always_ff @(posedge `CLOCK_CFG) begin
    if (sys_wr) begin
      unique case (off)
        10'(ohca_fmt_pkg::M_SYS_ACC_SEL): begin
          acc_q.part  <= ohca_fmt_pkg::ctx_part_e'(mem_wdata[2:0]);
          acc_q.inval <= mem_wdata[8];
        end
        10'(ohca_fmt_pkg::M_SYS_ACC_NUM):   acc_q.num   <= mem_wdata[23:0];
        10'(ohca_fmt_pkg::M_SYS_ACC_DW):    acc_q.dw    <= mem_wdata[4:0];
        10'(ohca_fmt_pkg::M_SYS_ACC_WDATA): acc_q.wdata <= mem_wdata;
        10'(ohca_fmt_pkg::M_SYS_ACC_GO):    acc_q.wmask <= mem_wdata;
        default: ;
      endcase
    end
  end
  always_ff @(posedge clk_i) begin
    if (sys_wr && off == 10'(ohca_fmt_pkg::M_SYS_ACC_GO)) acc_pend_q <= 1'b1;
    if (acc_pend_q && acc_ready_i) begin
      acc_pend_q <= 1'b0;
      acc_wait_q <= 1'b1;
    end
    if (acc_rsp_valid_i) begin
      acc_wait_q  <= 1'b0;
      acc_err_q   <= acc_err_i;
      acc_rdata_q <= acc_rdata_i;
    end
    if (rst_i) begin
      acc_pend_q <= 1'b0;
      acc_wait_q <= 1'b0;
      acc_err_q  <= 1'b0;
    end
  end

  // ------------------------------------------------------------------ event queues and events
  logic [7:0]  eq_eqn_q;
  logic [2:0]  eq_dw_q;
  logic        eq_pend_q, eq_wait_q, eq_done_q;
  logic [31:0] eq_rdata_q, eq_wdata_q;
  logic        eq_we_q;
  logic        ev_pend_q;
  ohca_fmt_pkg::ev_req_t ev_q;
  always_ff @(posedge `CLOCK_CFG) begin
    if (sys_wr) begin
      unique case (off)
        10'(ohca_fmt_pkg::M_SYS_EV_HDR): begin
          ev_q.etype    <= ohca_fmt_pkg::eqe_type_e'(mem_wdata[7:0]);
          ev_q.port     <= mem_wdata[15:8];
          ev_q.syndrome <= mem_wdata[31:16];
        end
        10'(ohca_fmt_pkg::M_SYS_EV_NUM):   ev_q.num   <= mem_wdata;
        10'(ohca_fmt_pkg::M_SYS_EV_PARAM): ev_q.param <= mem_wdata;
        10'(ohca_fmt_pkg::M_SYS_EV_GO):    ev_q.eqn   <= mem_wdata[7:0];
        default: ;
      endcase
    end
  end
  logic        eq_access;
  assign eq_access  = sys && off == 10'(ohca_fmt_pkg::M_SYS_EQ_DATA);
  assign eq_valid_o = eq_pend_q;
  assign eq_we_o    = eq_we_q;
  assign eq_eqn_o   = eq_eqn_q;
  assign eq_dw_o    = eq_dw_q;
  assign eq_wdata_o = eq_wdata_q;
  assign ev_valid_o = ev_pend_q;
  assign ev_o       = ev_q;
  always_ff @(posedge clk_i) begin
    if (sys_wr && off == 10'(ohca_fmt_pkg::M_SYS_EQ_SEL)) begin
      eq_eqn_q <= mem_wdata[7:0];
      eq_dw_q  <= mem_wdata[10:8];
    end
    if (first && eq_access) begin
      eq_pend_q  <= 1'b1;
      eq_done_q  <= 1'b0;
      eq_we_q    <= write;
      eq_wdata_q <= mem_wdata;
    end
    if (eq_pend_q && eq_ready_i) begin
      eq_pend_q <= 1'b0;
      eq_wait_q <= 1'b1;
    end
    if (eq_done_i) begin
      eq_wait_q  <= 1'b0;
      eq_done_q  <= 1'b1;
      eq_rdata_q <= eq_rdata_i;
    end

    if (sys_wr && off == 10'(ohca_fmt_pkg::M_SYS_EV_GO)) ev_pend_q <= 1'b1;
    if (ev_pend_q && ev_ready_i) ev_pend_q <= 1'b0;

    if (rst_i) begin
      eq_pend_q <= 1'b0;
      eq_wait_q <= 1'b0;
      eq_done_q <= 1'b0;
      ev_pend_q <= 1'b0;
    end
  end

  // ------------------------------------------------------------------ DMA between host memory and the buffer
  // One request at a time, one dword a cycle: mailboxes are not the data path. A write is requested when all its beats
  // are there: ohca_dma_wr would keep everybody's data waiting behind it.
  logic        dma_busy, dma_err_q, dma_rd_q;
  logic [63:0] dma_addr_q;
  logic [9:0]  dma_ptr_q;                 // dword in the buffer
  logic [10:0] dma_left_q;                // dwords to go
  logic [12:0] dma_len_q;
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

  // Beats wait here for, or after, the one-dword-a-cycle copy: a mailbox is up to 4096/BeatBytes beats.
  localparam int unsigned RdDepth = 4096 / BeatBytes + 2;
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
    .count_o (),
    .almost_full_o ()
  );
  // verilator lint_on PINCONNECTEMPTY

  assign dma_busy       = dma_req_q || dma_act_q || dma_ack_q;
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

  // The core and the copy share the buffer's ports; the copy only runs while firmware waits for it.
  logic core_mb_we;
  assign core_mb_we = first && is_io && region[2] && !region[1] && write && !dma_act_q;   // 0x4000..0x5fff
  assign mb_we    = core_mb_we || (dma_act_q && dma_rd_q && beat_v_q && dma_left_q != '0);
  assign mb_waddr = core_mb_we ? dwa : dma_ptr_q;
  assign mb_wdata = core_mb_we ? mem_wdata : beat_dw;
  assign mb_raddr = (dma_act_q && !dma_rd_q) ? dma_ptr_q : dwa;

  logic w_take;
  assign w_take = mbr_q && !wfull_q && dma_left_q != '0;

  always_ff @(posedge clk_i) begin
    if (sys_wr && !dma_busy) begin
      unique case (off)
        10'(ohca_fmt_pkg::M_SYS_DMA_LO): dma_addr_q[31:0]  <= {mem_wdata[31:2], 2'b00};
        10'(ohca_fmt_pkg::M_SYS_DMA_HI): dma_addr_q[63:32] <= mem_wdata;
        10'(ohca_fmt_pkg::M_SYS_DMA_GO): begin
          dma_rd_q   <= mem_wdata[31];
          dma_len_q  <= {mem_wdata[12:2], 2'b00};
          dma_left_q <= mem_wdata[12:2];
          dma_ptr_q  <= mem_wdata[27:18];
          lane_q     <= (BeatDw == 1) ? '0 : LaneW'(dma_addr_q[31:2] & 30'(BeatDw - 1));
          dma_err_q  <= 1'b0;
          dma_req_q  <= mem_wdata[31] && mem_wdata[12:2] != '0;
          dma_act_q  <= mem_wdata[12:2] != '0;
          wbeat_q    <= '0;
          rd_end_q   <= 1'b0;
        end
        default: ;
      endcase
    end

    if (dma_req_q && (dma_rd_q ? rd_req_ready_i : wr_req_ready_i)) dma_req_q <= 1'b0;

    // host read: beats to dwords
    if (rd_rsp_valid_i && rd_rsp_err_i) dma_err_q <= 1'b1;
    if (rf_valid && rf_ready && dma_rd_q) begin
      beat_q      <= rf_data[DataWidth-1:0];
      beat_last_q <= rf_data[DataWidth];
      beat_v_q    <= 1'b1;
    end
    if (dma_act_q && dma_rd_q && beat_v_q) begin
      if (dma_left_q != '0) begin
        dma_left_q <= dma_left_q - 11'd1;
        dma_ptr_q  <= dma_ptr_q + 10'd1;
        lane_q     <= lane_q + LaneW'(1);
      end
      if (dma_left_q <= 11'd1 || BeatDw == 1 || lane_q == LaneW'(BeatDw - 1)) begin
        beat_v_q <= 1'b0;
        if (beat_last_q) rd_end_q <= 1'b1;
      end
    end
    if (dma_act_q && dma_rd_q && rd_end_q) begin
      dma_act_q <= 1'b0;
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
    if (wr_dat_valid_o && wr_dat_ready_i && wr_dat_last_o) begin
      dma_out_q <= 1'b0;
      dma_act_q <= 1'b0;
      dma_ack_q <= 1'b1;
    end
    if (w_take) begin
      for (int i = 0; i < BeatDw; i++) if (BeatDw == 1 || lane_q == LaneW'(i)) wbeat_q[32*i +: 32] <= mbox_rdata;
      dma_left_q <= dma_left_q - 11'd1;
      dma_ptr_q  <= dma_ptr_q + 10'd1;
      lane_q     <= lane_q + LaneW'(1);
      wlast_q    <= dma_left_q == 11'd1;
      if (dma_left_q == 11'd1 || BeatDw == 1 || lane_q == LaneW'(BeatDw - 1)) wfull_q <= 1'b1;
    end
    // Acknowledged means: everything issued up to and including this write.
    ack_armed_q <= dma_ack_q;
    if (dma_ack_q && !ack_armed_q) dma_mark_q <= wr_issued_i;
    if (dma_ack_q && ack_armed_q && !ack_late[31]) begin
      dma_ack_q   <= 1'b0;
      ack_armed_q <= 1'b0;
    end

    if (rst_i) begin
      dma_req_q <= 1'b0;
      dma_act_q <= 1'b0;
      dma_out_q <= 1'b0;
      dma_ack_q <= 1'b0;
      dma_err_q <= 1'b0;
      beat_v_q  <= 1'b0;
      wfull_q   <= 1'b0;
      mbr_q     <= 1'b0;
      rd_end_q  <= 1'b0;
      ack_armed_q <= 1'b0;
      dma_left_q <= '0;
    end
  end

  // ------------------------------------------------------------------ port registers, log, counters
  assign port_valid_o = first && is_io && region == 4'h1;
  assign port_we_o    = write;
  assign port_addr_o  = dwa;
  assign port_wdata_o = mem_wdata;
  assign log_we_o     = first && is_io && region == 4'h6 && write;
  assign log_waddr_o  = dwa;
  assign log_wdata_o  = mem_wdata;
  assign at_cmd       = sys && mem_addr[9:5] == 5'(ohca_fmt_pkg::M_SYS_CMD >> 5);
  assign bar_rd_o     = first && ((is_io && region == 4'h7) || at_cmd);
  assign bar_addr_o   = at_cmd ? {5'b10000, mem_addr[4:2]} : {1'b0, mem_addr[8:2]};

  // ------------------------------------------------------------------ read data and stalls
  logic [31:0] sys_rdata;
  always_comb begin
    sys_rdata = '0;
    unique case (off)
      10'(ohca_fmt_pkg::M_SYS_ID):         sys_rdata = HwCfg;
      10'(ohca_fmt_pkg::M_SYS_NOW_LO):     sys_rdata = now_i[31:0];
      10'(ohca_fmt_pkg::M_SYS_NOW_HI):     sys_rdata = now_hi_q;
      10'(ohca_fmt_pkg::M_SYS_TIME_SCALE): sys_rdata = time_scale_i;
      10'(ohca_fmt_pkg::M_SYS_EVENT):      sys_rdata = {25'h0, ev_bits};
      10'(ohca_fmt_pkg::M_SYS_WAIT):       sys_rdata = {25'h0, ev_bits};
      10'(ohca_fmt_pkg::M_SYS_ICM_LOG2):   sys_rdata = IcmLog2;
      10'(ohca_fmt_pkg::M_SYS_DMA_STAT):   sys_rdata = {30'h0, dma_err_q, dma_busy};
      10'(ohca_fmt_pkg::M_SYS_ACC_GO):     sys_rdata = {31'h0, acc_err_q};
      10'(ohca_fmt_pkg::M_SYS_ACC_RDATA):  sys_rdata = acc_rdata_q;
      10'(ohca_fmt_pkg::M_SYS_EQ_DATA):    sys_rdata = eq_rdata_q;
      10'(ohca_fmt_pkg::M_SYS_MADRX):      sys_rdata = {26'h0, old_q, slot_full_q};
      10'(ohca_fmt_pkg::M_SYS_MADRX_LEN):  sys_rdata = {6'h0, slot_len_q[1], 6'h0, slot_len_q[0]};
      10'(ohca_fmt_pkg::M_SYS_MADRX_LEN2): sys_rdata = {6'h0, slot_len_q[3], 6'h0, slot_len_q[2]};
      10'(ohca_fmt_pkg::M_SYS_MADTX):      sys_rdata = {31'h0, mtx_busy};
      10'(ohca_fmt_pkg::M_SYS_PHY):        sys_rdata = {phy_speed_i, 8'h0, phy_width_i, 3'h0, phy_link_up_i};
      10'(ohca_fmt_pkg::M_SYS_DRAIN):      sys_rdata = {30'h0, draining_i};
      10'(ohca_fmt_pkg::M_SYS_GUID_LO):    sys_rdata = strap_guid_i[31:0];
      10'(ohca_fmt_pkg::M_SYS_GUID_HI):    sys_rdata = strap_guid_i[63:32];
      10'(ohca_fmt_pkg::M_SYS_CNP):        sys_rdata = {cnp_have, cnp_lost_q, 6'h0, cnp_qpn};
      10'(ohca_fmt_pkg::M_SYS_RAND):       sys_rdata = rand_q[63:32] ^ rand_q[31:0];
      default: begin
        if (off[9:6] == 4'(ohca_fmt_pkg::M_SYS_VIOL >> 6)) sys_rdata = viol_rdata;
      end
    endcase
  end

  always_comb begin
    stall = 1'b0;
    if (sys) begin
      unique case (off)
        10'(ohca_fmt_pkg::M_SYS_WAIT):      stall = !write && ev_bits == '0;
        10'(ohca_fmt_pkg::M_SYS_ACC_SEL),
        10'(ohca_fmt_pkg::M_SYS_ACC_NUM),
        10'(ohca_fmt_pkg::M_SYS_ACC_DW),
        10'(ohca_fmt_pkg::M_SYS_ACC_WDATA),
        10'(ohca_fmt_pkg::M_SYS_ACC_GO),
        10'(ohca_fmt_pkg::M_SYS_ACC_RDATA): stall = acc_busy;
        10'(ohca_fmt_pkg::M_SYS_EQ_DATA):   stall = !eq_done_q;
        10'(ohca_fmt_pkg::M_SYS_EV_HDR),
        10'(ohca_fmt_pkg::M_SYS_EV_NUM),
        10'(ohca_fmt_pkg::M_SYS_EV_PARAM),
        10'(ohca_fmt_pkg::M_SYS_EV_GO):     stall = ev_pend_q;
        10'(ohca_fmt_pkg::M_SYS_DMA_LO),
        10'(ohca_fmt_pkg::M_SYS_DMA_HI),
        10'(ohca_fmt_pkg::M_SYS_DMA_GO):    stall = dma_busy;
        10'(ohca_fmt_pkg::M_SYS_MADTX):     stall = write && mtx_busy;
        default:                            stall = 1'b0;
      endcase
    end
  end

  always_comb begin
    mem_rdata = '0;
    if (is_ram) mem_rdata = ram_rdata;
    else if (is_io) begin
      unique case (region)
        4'h0:       mem_rdata = at_cmd ? bar_rdata_i : sys_rdata;
        4'h1:       mem_rdata = port_rdata_i;
        4'h2:       mem_rdata = madrx_rdata;
        4'h4, 4'h5: mem_rdata = mbox_rdata;
        4'h7:       mem_rdata = bar_rdata_i;
        default:    mem_rdata = '0;
      endcase
    end
  end

  // The instruction flag and the reason for waiting are only looked at by people.
  logic unused;
  assign unused = &{1'b0, mem_instr, waiting, eq_wait_q, mem_addr[1:0], ack_late, rf_room};

  `ASSERT(DmaRoom_A, !(rd_rsp_valid_i || wfull_q) || rf_room)

endmodule

`default_nettype wire
