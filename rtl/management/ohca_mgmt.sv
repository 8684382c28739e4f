// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// The management core: PicoRV32 (RV32IMC) with its RAM and the registers through which firmware owns tables, contexts,
// MADs and events.
//
// Nothing on the packet path waits for it. RAM accesses take two cycles, registers three (four where ohca_bar is read,
// five where port or network interface are, which are reached through registers), with Compact one and two more (what
// another block makes wait is seen a cycle later), m_sys_wait as long as nothing happens; while the core waits there,
// idle_o is set and wake_o tells the cycle at which it wants to run again. In a cycle without touch_o nothing changes
// that another block looks at, but levels that the host reads (bar_o.status, …), and no answer is expected of one.

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

  // Command block, status, counters, log: ohca_bar
  input  ohca_fmt_pkg::bar_fw_t           bar_i,
  output ohca_fmt_pkg::fw_bar_t           bar_o,
  output ohca_fmt_pkg::fw_log_t           log_o,

  // Registers of port and network interface
  output ohca_fmt_pkg::cfg_acc_t          port_o,
  input  logic [31:0]                     port_rdata_i,    // one cycle later
  input  logic                            port_event_i,    // level: a sticky condition is set

  // Congestion notifications that came: the QP that is to slow down. Packets with bad keys: ohca_rs, ohca_ra_stream
  input  ohca_fmt_pkg::cnp_note_t         cnp_i,
  input  ohca_fmt_pkg::viol_note_t        rs_viol_i,
  input  ohca_fmt_pkg::viol_note_t        ra_viol_i,

  // Received MADs: ohca_rxdispatch and ohca_place
  output ohca_fmt_pkg::mad_room_t         mad_o,
  input  ohca_fmt_pkg::mad_put_t          mad_i,

  // MADs to send: ohca_link_tx
  output ohca_fmt_pkg::mtx_beat_t         mtx_o,
  input  logic                            mtx_ready_i,
  output logic [DataWidth-1:0]            mtx_data_o,
  output logic [BeatBytes-1:0]            mtx_keep_o,

  // Context accesses, to whom enum ctx_part says
  output logic [7:0]                      acc_valid_o,
  input  logic [7:0]                      acc_ready_i,
  output ohca_fmt_pkg::ctx_acc_t          acc_o,
  input  ohca_fmt_pkg::acc_rsp_t          acc_rsp_i,

  // Tables
  output ohca_fmt_pkg::icm_set_t          icm_o,
  output logic [3:0][15:0]                tbl_base_o,      // chunk, order of enum icm_table
  output logic [3:0][31:0]                tbl_limit_o,     // entries

  // Event queues, ohca_eq
  output ohca_fmt_pkg::eqm_req_t          eq_o,
  input  ohca_fmt_pkg::eqm_rsp_t          eq_i,
  output logic                            ev_valid_o,
  input  logic                            ev_ready_i,
  output ohca_fmt_pkg::ev_req_t           ev_o,

  // Host memory
  output ohca_fmt_pkg::hrd_req_t          rd_o,
  input  ohca_fmt_pkg::hrd_rsp_t          rd_i,
  input  logic [DataWidth-1:0]            rd_rsp_data_i,
  input  ohca_fmt_pkg::hrd_beat_t         rd_rsp_i,
  output ohca_fmt_pkg::hwr_req_t          wr_o,
  input  ohca_fmt_pkg::hwr_rsp_t          wr_i,
  output logic [DataWidth-1:0]            wr_dat_o,
  input  ohca_fmt_pkg::hwr_cnt_t          wr_cnt_i,

  // PHY
  input  ohca_fmt_pkg::phy_state_t        phy_i,
  output logic                            phy_reset_o,

  output logic                            con_valid_o,     // console character
  output logic [7:0]                      con_o
);

  localparam int unsigned RamAw = $clog2(RamBytes / 4);

  // ------------------------------------------------------------------ core
  logic        core_valid, mem_valid, mem_ready, mem_instr;
  logic [31:0] core_addr, core_wdata, mem_addr, mem_wdata, mem_rdata, la_addr, ram_addr;
  logic [3:0]  core_wstrb, mem_wstrb;
  logic        la_read, ram_rd;                // what it reads in the next cycle
  logic        trap;

  // Its reset reaches far into it, and comes a cycle late.
  logic        core_run_q;
  always_ff @(posedge clk_i) core_run_q <= !rst_i;

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
    .resetn       (core_run_q),
    .trap         (trap),
    .mem_valid    (core_valid),
    .mem_instr    (mem_instr),
    .mem_ready    (mem_ready),
    .mem_addr     (core_addr),
    .mem_wdata    (core_wdata),
    .mem_wstrb    (core_wstrb),
    .mem_rdata    (mem_rdata),
    .mem_la_read  (la_read),
    .mem_la_write (),
    .mem_la_addr  (la_addr),
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
  if (Compact) begin : g_far
    // RAM and registers may lie far from the core: what it asks for goes there from flops.
    always_ff @(posedge clk_i) begin
      mem_valid <= core_valid && !done_q && !rst_i;
      mem_addr  <= core_addr;
      mem_wdata <= core_wdata;
      mem_wstrb <= core_wstrb;
    end
    assign ram_rd   = core_valid && !mem_valid;
    assign ram_addr = core_addr;
  end else begin : g_near
    assign {mem_valid, mem_addr, mem_wdata, mem_wstrb} = {core_valid, core_addr, core_wdata, core_wstrb};
    assign {ram_rd, ram_addr}                          = {la_read, la_addr};
  end

  // A transfer takes an address cycle (first), for a register one in which it is written or read, or more (take ends
  // them), and one in which the core is told (done_q). So nothing that a register says reaches the core in its cycle,
  // and what is selected is known by flops, as the address stays.
  logic        phase_q, later_q, latest_q, got_q, done_q, sleeps, stall, stall_q, far_rd, first, take;
  logic        is_ram, is_io, write;
  logic        from_ram_q, from_bar_q, from_sys_q, from_port_q, from_madrx_q, from_mbox_q, sys_q;
  logic        at_cmd;                        // the command, which is in ohca_bar
  logic [3:0]  region;
  logic [9:0]  dwa;
  assign is_ram = mem_addr < RamBytes;
  assign is_io  = mem_addr[31:15] == 17'h1_0000;        // 0x80000000..0x80007fff
  assign region = {1'b0, mem_addr[14:12]};
  assign dwa    = mem_addr[11:2];
  assign write  = mem_wstrb != 4'h0;

  assign first     = mem_valid && !phase_q;
  assign take      = mem_valid && phase_q && !from_ram_q && !got_q && !sleeps &&
                     !(Compact ? stall_q || !later_q : stall) && (!far_rd || (from_port_q ? latest_q : later_q));
  assign mem_ready = done_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      phase_q <= 1'b0;
      {later_q, latest_q} <= '0;
      got_q   <= 1'b0;
      done_q  <= 1'b0;
    end else begin
      phase_q <= mem_valid && !done_q;
      later_q  <= phase_q && !done_q;
      latest_q <= later_q && !done_q;
      got_q   <= take;
      // A flop of its own: the core does much with it in its cycle.
      done_q  <= mem_valid && !done_q && (is_ram || take);
    end
    {stall_q, from_ram_q} <= {stall, is_ram};
    from_bar_q   <= is_io && (region == 4'h7 || (region == 4'h0 && at_cmd));
    from_sys_q   <= is_io && region == 4'h0 && !at_cmd;
    from_port_q  <= is_io && region == 4'h1;
    from_madrx_q <= is_io && region == 4'h2;
    from_mbox_q  <= is_io && (region == 4'h4 || region == 4'h5);
    sys_q        <= is_io && region == 4'h0;
  end

  `ASSERT(Done_A, done_q == (mem_valid && phase_q && (from_ram_q || got_q)))

  // RAM, loaded by the simulator or from the bitstream. It is read a cycle ahead, so what it answers is there in the
  // first cycle, and goes to the core from flops as well: its decoder is deep. What is read for another address than
  // one of the RAM is not looked at. It is written in the last cycle, in which nothing is read ahead either; not in
  // reset, as at power-on these flops may hold anything before its first edge.
  logic [31:0] ram_rdata;
  ohca_fw_ram #(.Bytes(RamBytes)) u_ram (
    .clk_i     (clk_i),
    .rst_i     (rst_i),
    .rd_en_i   (ram_rd),
    .rd_addr_i (ram_addr[RamAw+1:2]),
    .wr_be_i   (mem_wstrb & {4{phase_q && from_ram_q && !rst_i}}),
    .wr_addr_i (mem_addr[RamAw+1:2]),
    .wr_data_i (mem_wdata),
    .rd_data_o (ram_rdata)
  );

  // Register strobes
  logic       sys, sys_wr;
  logic [9:0] off;
  assign sys    = mem_valid && is_io && region == 4'h0;
  assign off    = {mem_addr[9:2], 2'b00};
  assign sys_wr = sys_q && write && take;
  // A flop: it goes far. Firmware asks no earlier than in the next transfer.
  always_ff @(posedge clk_i) drain_o <= sys_wr && off == 10'(ohca_fmt_pkg::M_SYS_DRAIN) && !rst_i;

  logic sys_rd, eq_access;
  assign sys_rd    = sys_q && !write && take;
  assign eq_access = sys && off == 10'(ohca_fmt_pkg::M_SYS_EQ_DATA);

  // ------------------------------------------------------------------ registers and peripherals
  logic        cmd_done, icm_we, phy_evt, regs_busy;
  logic [31:0] now_hi, rand_, status, viol_rdata;
  logic [63:0] wake;
  ohca_mgmt_regs u_regs (
    .clk_i,
`ifdef OHCA_GATES
    .clk_on_i, .clk_cfg_i,
`endif
    .rst_i, .now_i, .strap_guid_i,
    .wr_i(sys_wr), .rd_i(sys_rd), .off_i(off), .wdata_i(mem_wdata),
    .now_hi_o(now_hi), .rand_o(rand_), .wake_o(wake), .busy_o(regs_busy),
    .cmd_done_o(cmd_done), .cmd_status_o(bar_o.cmd_status), .cmd_imm_o(bar_o.cmd_imm), .fw_version_o(bar_o.version),
    .status_o(status), .health_o(bar_o.health),
    .icm_we_o(icm_we), .icm_chunk_o(icm_o.chunk), .icm_valid_o(icm_o.valid), .icm_addr_o(icm_o.addr), .tbl_base_o,
    .tbl_limit_o,
    .phy_link_up_i(phy_i.link_up), .phy_evt_o(phy_evt), .phy_reset_o, .con_valid_o, .con_o
  );
  assign bar_o.cmd_done = cmd_done;
  assign icm_o.we       = icm_we;
  assign wake_o         = wake;
  // A trapped core (illegal instruction, bus error) is fatal and says so by itself.
  assign bar_o.status   = trap ? {16'hdead, 14'h0, 2'b10} : status;

  logic [3:0]      slot_full;
  logic [1:0]      slot_old;
  logic [3:0][9:0] slot_len;
  logic [31:0]     madrx_rdata;
  ohca_mgmt_madrx u_madrx (
    .clk_i, .rst_i, .free_o(mad_o.free), .slot_o(mad_o.slot), .take_i(mad_i.take), .len_i(mad_i.len),
    .we_i(mad_i.we), .addr_i(mad_i.addr), .data_i(mad_i.data), .done_i(mad_i.done),
    .give_i(sys_wr && off == 10'(ohca_fmt_pkg::M_SYS_MADRX)), .give_slot_i(mem_wdata[1:0]),
    .full_o(slot_full), .old_o(slot_old), .len_o(slot_len),
    .rd_en_i(first), .rd_addr_i(mem_addr[10:2]), .rdata_o(madrx_rdata)
  );

  logic mtx_busy;
  ohca_mgmt_madtx #(.DataWidth(DataWidth)) u_madtx (
    .clk_i, .rst_i, .busy_o(mtx_busy),
    .we_i(first && is_io && region == 4'h3 && write), .addr_i(mem_addr[10:2]),
    .start_i(sys_wr && off == 10'(ohca_fmt_pkg::M_SYS_MADTX)), .wdata_i(mem_wdata),
    .valid_o(mtx_o.valid), .ready_i(mtx_ready_i), .data_o(mtx_data_o), .keep_o(mtx_keep_o), .last_o(mtx_o.last),
    .to_host_o(mtx_o.to_host)
  );

  logic        acc_busy, acc_err, eq_pend, eq_wait, eq_done, ev_pend;
  logic [31:0] acc_rdata, eq_rdata;
  ohca_mgmt_access u_access (
    .clk_i,
`ifdef OHCA_GATES
    .clk_cfg_i,
`endif
    .rst_i, .wr_i(sys_wr), .off_i(off), .wdata_i(mem_wdata),
    .acc_busy_o(acc_busy), .acc_err_o(acc_err), .acc_rdata_o(acc_rdata),
    .acc_valid_o, .acc_ready_i, .acc_o, .acc_rsp_valid_i(acc_rsp_i.valid), .acc_err_i(acc_rsp_i.err),
    .acc_rdata_i(acc_rsp_i.rdata),
    .eq_go_i(first && eq_access), .eq_we_i(write), .eq_pend_o(eq_pend), .eq_wait_o(eq_wait), .eq_done_o(eq_done),
    .eq_rdata_o(eq_rdata), .eq_valid_o(eq_o.valid), .eq_ready_i(eq_i.ready), .eq_we_o(eq_o.we), .eq_eqn_o(eq_o.eqn),
    .eq_dw_o(eq_o.dw), .eq_wdata_o(eq_o.wdata), .eq_done_i(eq_i.done), .eq_rdata_i(eq_i.rdata),
    .ev_pend_o(ev_pend), .ev_valid_o, .ev_ready_i, .ev_o
  );

  logic        dma_busy, dma_moves, dma_err;
  logic [31:0] mbox_rdata;
  ohca_mgmt_dma #(.DataWidth(DataWidth), .Compact(Compact)) u_dma (
    .clk_i, .rst_i, .busy_o(dma_busy), .moves_o(dma_moves), .err_o(dma_err),
    .wr_i(sys_wr), .off_i(off), .wdata_i(mem_wdata),
    // 0x4000..
    .buf_we_i(first && is_io && region[2] && !region[1] && write), .buf_addr_i(dwa), .buf_rdata_o(mbox_rdata),
    .rd_req_valid_o(rd_o.valid), .rd_req_ready_i(rd_i.ready), .rd_req_o(rd_o.req), .rd_rsp_valid_i(rd_i.valid),
    .rd_rsp_data_i, .rd_rsp_last_i(rd_rsp_i.last), .rd_rsp_err_i(rd_rsp_i.err),
    .wr_req_valid_o(wr_o.valid), .wr_req_ready_i(wr_i.ready), .wr_req_o(wr_o.req), .wr_dat_valid_o(wr_o.dat_valid),
    .wr_dat_ready_i(wr_i.dat_ready), .wr_dat_o, .wr_dat_last_o(wr_o.dat_last), .wr_issued_i(wr_cnt_i.issued),
    .wr_acked_i(wr_cnt_i.acked)
  );

  // ------------------------------------------------------------------ events and waiting
  logic [6:0]  ev_bits;
  logic        cnp_have, cnp_room, cnp_lost_q, viol_have;
  logic [23:0] cnp_qpn;
  assign ev_bits[3'(ohca_fmt_pkg::M_EVENT_CMD)]    = bar_i.cmd_go && !cmd_done;
  assign ev_bits[3'(ohca_fmt_pkg::M_EVENT_MAD_RX)] = slot_full != 4'h0;
  assign ev_bits[3'(ohca_fmt_pkg::M_EVENT_PHY)]    = phy_evt;
  assign ev_bits[3'(ohca_fmt_pkg::M_EVENT_TIMER)]  = due_q;
  assign ev_bits[3'(ohca_fmt_pkg::M_EVENT_PORT)]   = port_event_i;
  assign ev_bits[3'(ohca_fmt_pkg::M_EVENT_CNP)]    = cnp_have;
  assign ev_bits[3'(ohca_fmt_pkg::M_EVENT_VIOL)]   = viol_have;

  // The time is compared a cycle ahead of what asks for it, also while the part's clock stands.
  logic due, due_q, waiting;
  assign due = now_i >= wake;
  always_ff @(posedge `CLOCK_ON) due_q <= due;
  assign sleeps  = sys_q && !write && off == 10'(ohca_fmt_pkg::M_SYS_WAIT) && ev_bits == '0;
  assign waiting = mem_valid && sleeps && phase_q && !got_q;
`ifdef OHCA_GATES
  assign cpu_waits_o = waiting;
  // Who waits looks at the timer, the command and the port without a clock: each of them makes it wait no longer.
  assign busy_o = !idle_o || regs_busy || eq_pend || eq_wait || eq_i.done || cnp_i.valid || rs_viol_i.valid ||
                  ra_viol_i.valid || mad_i.take || mad_i.done || mad_i.we || acc_rsp_i.valid || rd_i.valid ||
                  dma_moves;
`endif
  assign idle_o  = ((waiting && !due) || trap) && !mtx_busy && !dma_busy && !acc_busy && !ev_pend;

  // Registers of this block that are only read, and its buffers, are its own.
  assign touch_o = mtx_busy || dma_busy || acc_busy || ev_pend || eq_pend || eq_wait || cmd_done || icm_we ||
                   eq_access || (sys && write) || at_cmd || (mem_valid && is_io && (region == 4'h1 || region == 4'h7));

  // ------------------------------------------------------------------ congestion notifications
  // One a QP and some microseconds: sixteen are room for as many QPs at once. What finds no room is lost, and firmware
  // told so.
  logic cnp_read;
  assign cnp_read = sys_rd && off == 10'(ohca_fmt_pkg::M_SYS_CNP);
  // verilator lint_off PINCONNECTEMPTY
  ohca_fifo #(.Width(24), .Depth(16)) u_cnp (
    .clk_i   (clk_i),
    .rst_i   (rst_i),
    .valid_i (cnp_i.valid),
    .ready_o (cnp_room),
    .data_i  (cnp_i.qpn),
    .valid_o (cnp_have),
    .ready_i (cnp_read),
    .data_o  (cnp_qpn),
    .count_o (),
    .almost_full_o ()
  );
  // verilator lint_on PINCONNECTEMPTY
  always_ff @(posedge clk_i) begin
    if (rst_i)                         cnp_lost_q <= 1'b0;
    else if (cnp_i.valid && !cnp_room) cnp_lost_q <= 1'b1;
    else if (cnp_read)                 cnp_lost_q <= 1'b0;
  end

  // ------------------------------------------------------------------ packets with bad keys
  ohca_viol #(.Gids(!Compact)) u_viol (
    .clk_i      (clk_i),
    .rst_i      (rst_i),
    .rs_valid_i (rs_viol_i.valid),
    .rs_i       (rs_viol_i.viol),
    .ra_valid_i (ra_viol_i.valid),
    .ra_i       (ra_viol_i.viol),
    .we_i       (sys_wr && off == 10'(ohca_fmt_pkg::M_SYS_VIOL)),
    .release_i  (mem_wdata[31]),
    .wait_i     (mem_wdata[1:0]),
    .dw_i       (off[5:2]),
    .have_o     (viol_have),
    .rdata_o    (viol_rdata)
  );

  // ------------------------------------------------------------------ port registers, log, counters
  // They are asked a cycle after the address cycle; port registers, which lie far away, in the next one.
  ohca_fmt_pkg::cfg_acc_t port_q;
  assign far_rd = (from_port_q || from_bar_q) && !write;
  always_ff @(posedge clk_i) begin
    log_o.we     <= first && is_io && region == 4'h6 && write && !rst_i;
    log_o.addr   <= dwa;
    log_o.wdata  <= mem_wdata;
    bar_o.rd     <= first && ((is_io && region == 4'h7) || at_cmd) && !rst_i;
    bar_o.addr   <= at_cmd ? {5'b10000, mem_addr[4:2]} : {1'b0, mem_addr[8:2]};
    port_q.valid <= first && is_io && region == 4'h1 && !rst_i;
    port_q.we    <= write;
    port_q.addr  <= dwa;
    port_q.wdata <= mem_wdata;
    port_o       <= port_q;
    if (rst_i) port_o.valid <= 1'b0;
  end
  assign at_cmd       = sys && mem_addr[9:5] == 5'(ohca_fmt_pkg::M_SYS_CMD >> 5);

  // ------------------------------------------------------------------ read data and stalls
  logic [31:0] sys_rdata;
  always_comb begin
    sys_rdata = '0;
    unique case (off)
      10'(ohca_fmt_pkg::M_SYS_ID):         sys_rdata = HwCfg;
      10'(ohca_fmt_pkg::M_SYS_NOW_LO):     sys_rdata = now_i[31:0];
      10'(ohca_fmt_pkg::M_SYS_NOW_HI):     sys_rdata = now_hi;
      10'(ohca_fmt_pkg::M_SYS_TIME_SCALE): sys_rdata = bar_i.time_scale;
      10'(ohca_fmt_pkg::M_SYS_EVENT):      sys_rdata = {25'h0, ev_bits};
      10'(ohca_fmt_pkg::M_SYS_WAIT):       sys_rdata = {25'h0, ev_bits};
      10'(ohca_fmt_pkg::M_SYS_ICM_LOG2):   sys_rdata = IcmLog2;
      10'(ohca_fmt_pkg::M_SYS_DMA_STAT):   sys_rdata = {30'h0, dma_err, dma_busy};
      10'(ohca_fmt_pkg::M_SYS_ACC_GO):     sys_rdata = {31'h0, acc_err};
      10'(ohca_fmt_pkg::M_SYS_ACC_RDATA):  sys_rdata = acc_rdata;
      10'(ohca_fmt_pkg::M_SYS_EQ_DATA):    sys_rdata = eq_rdata;
      10'(ohca_fmt_pkg::M_SYS_MADRX):      sys_rdata = {26'h0, slot_old, slot_full};
      10'(ohca_fmt_pkg::M_SYS_MADRX_LEN):  sys_rdata = {6'h0, slot_len[1], 6'h0, slot_len[0]};
      10'(ohca_fmt_pkg::M_SYS_MADRX_LEN2): sys_rdata = {6'h0, slot_len[3], 6'h0, slot_len[2]};
      10'(ohca_fmt_pkg::M_SYS_MADTX):      sys_rdata = {31'h0, mtx_busy};
      10'(ohca_fmt_pkg::M_SYS_PHY):        sys_rdata = {phy_i.speed, 8'h0, phy_i.width, 3'h0, phy_i.link_up};
      10'(ohca_fmt_pkg::M_SYS_DRAIN):      sys_rdata = {30'h0, draining_i};
      10'(ohca_fmt_pkg::M_SYS_GUID_LO):    sys_rdata = strap_guid_i[31:0];
      10'(ohca_fmt_pkg::M_SYS_GUID_HI):    sys_rdata = strap_guid_i[63:32];
      10'(ohca_fmt_pkg::M_SYS_CNP):        sys_rdata = {cnp_have, cnp_lost_q, 6'h0, cnp_qpn};
      10'(ohca_fmt_pkg::M_SYS_RAND):       sys_rdata = rand_;
      default: begin
        if (off[9:6] == 4'(ohca_fmt_pkg::M_SYS_VIOL >> 6)) sys_rdata = viol_rdata;
      end
    endcase
  end

  always_comb begin
    stall = 1'b0;
    if (sys_q) begin
      unique case (off)
        10'(ohca_fmt_pkg::M_SYS_ACC_SEL),
        10'(ohca_fmt_pkg::M_SYS_ACC_NUM),
        10'(ohca_fmt_pkg::M_SYS_ACC_DW),
        10'(ohca_fmt_pkg::M_SYS_ACC_WDATA),
        10'(ohca_fmt_pkg::M_SYS_ACC_GO),
        10'(ohca_fmt_pkg::M_SYS_ACC_RDATA): stall = acc_busy;
        10'(ohca_fmt_pkg::M_SYS_EQ_DATA):   stall = !eq_done;
        10'(ohca_fmt_pkg::M_SYS_EV_HDR),
        10'(ohca_fmt_pkg::M_SYS_EV_NUM),
        10'(ohca_fmt_pkg::M_SYS_EV_PARAM),
        10'(ohca_fmt_pkg::M_SYS_EV_GO):     stall = ev_pend;
        10'(ohca_fmt_pkg::M_SYS_DMA_LO),
        10'(ohca_fmt_pkg::M_SYS_DMA_HI),
        10'(ohca_fmt_pkg::M_SYS_DMA_GO):    stall = dma_busy;
        10'(ohca_fmt_pkg::M_SYS_MADTX):     stall = write && mtx_busy;
        default:                            stall = 1'b0;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (first) mem_rdata <= ram_rdata;
    if (take)  mem_rdata <= (from_bar_q ? bar_i.rdata : 32'd0) | (from_sys_q ? sys_rdata : 32'd0) |
                            (from_port_q ? port_rdata_i : 32'd0) | (from_madrx_q ? madrx_rdata : 32'd0) |
                            (from_mbox_q ? mbox_rdata : 32'd0);
  end
  logic        ahead_q;
  logic [31:0] ahead_addr_q;
  always_ff @(posedge clk_i) begin
    ahead_q      <= ram_rd;
    ahead_addr_q <= ram_addr;
  end
  `ASSERT(Ahead_A, !first || !is_ram || (write ? !ram_rd : ahead_q && ahead_addr_q == mem_addr))

  // The instruction flag is only looked at by people.
  logic unused;
  assign unused = &{1'b0, mem_instr, waiting, mem_addr[1:0], la_read, la_addr, ram_addr[1:0], ahead_q, ahead_addr_q,
                    regs_busy, dma_moves, cnp_i.sgid, rd_rsp_i.tag};

endmodule

`default_nettype wire
