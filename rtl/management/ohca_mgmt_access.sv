// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// What firmware asks of the engines by registers: accesses to contexts in their caches, to event queues, and events.
//
// One of each at a time. The registers of an access, or of an event, stall firmware until the newest is through (busy
// and pending below); an access to an event queue stalls it until it is answered. Requests are flops that wait for
// their ready, of an access to a context one for each part. An access to the cold half of a QP's context is refused
// here, as engines and caches have no way to change it (docs/architecture.md). It does NOT know which context or queue
// there is.

`include "ohca_clocks.svh"
`default_nettype none

module ohca_mgmt_access (
  input  logic                   clk_i,
`ifdef OHCA_GATES
  input  logic                   clk_cfg_i,       // "clocks by part" of rtl/ohca.sv: an edge where a register is
                                                  // written
`endif
  input  logic                   rst_i,

  input  logic                   wr_i,            // pulse: register off_i is written
  input  logic [9:0]             off_i,
  input  logic [31:0]            wdata_i,

  // Contexts: m_sys_acc_*
  output logic                   acc_busy_o,
  output logic                   acc_err_o,       // of the newest one
  output logic [31:0]            acc_rdata_o,
  output logic [7:0]             acc_valid_o,     // by enum ctx_part, one at a time: acc_o.part is for who needs it
  input  logic [7:0]             acc_ready_i,     //   of several
  output ohca_fmt_pkg::ctx_acc_t acc_o,
  input  logic                   acc_rsp_valid_i,
  input  logic                   acc_err_i,
  input  logic [31:0]            acc_rdata_i,

  // Event queues: m_sys_eq_*
  input  logic                   eq_go_i,         // pulse: the register of data is read or written
  input  logic                   eq_we_i,         // with it
  output logic                   eq_pend_o,       // not yet taken
  output logic                   eq_wait_o,       // not yet answered
  output logic                   eq_done_o,       // the newest one is answered
  output logic [31:0]            eq_rdata_o,
  output logic                   eq_valid_o,
  input  logic                   eq_ready_i,
  output logic                   eq_we_o,
  output logic [7:0]             eq_eqn_o,
  output logic [2:0]             eq_dw_o,
  output logic [31:0]            eq_wdata_o,
  input  logic                   eq_done_i,
  input  logic [31:0]            eq_rdata_i,

  // Events: m_sys_ev_*
  output logic                   ev_pend_o,       // not yet taken
  output logic                   ev_valid_o,
  input  logic                   ev_ready_i,
  output ohca_fmt_pkg::ev_req_t  ev_o
);

  // ------------------------------------------------------------------ context accesses
  logic        acc_wait_q, acc_err_q;
  logic [7:0]  acc_pend_q;
  logic [31:0] acc_rdata_q;
  ohca_fmt_pkg::ctx_acc_t acc_q;
  logic        acc_go, acc_cold;
  assign acc_go      = wr_i && off_i == 10'(ohca_fmt_pkg::M_SYS_ACC_GO);
  assign acc_cold    = (acc_q.part == ohca_fmt_pkg::CTX_PART_SQC || acc_q.part == ohca_fmt_pkg::CTX_PART_RSC ||
                        acc_q.part == ohca_fmt_pkg::CTX_PART_RAC) && !acc_q.inval &&
                       acc_q.dw >= 5'(ohca_fmt_pkg::QPC_HOT_BYTES / 4);
  assign acc_busy_o  = acc_pend_q != '0 || acc_wait_q;
  assign acc_err_o   = acc_err_q;
  assign acc_rdata_o = acc_rdata_q;
  assign acc_valid_o = acc_pend_q;
  assign acc_o       = acc_q;
  always_ff @(posedge `CLOCK_CFG) begin
    if (wr_i) begin
      unique case (off_i)
        10'(ohca_fmt_pkg::M_SYS_ACC_SEL): begin
          acc_q.part  <= ohca_fmt_pkg::ctx_part_e'(wdata_i[2:0]);
          acc_q.inval <= wdata_i[8];
        end
        10'(ohca_fmt_pkg::M_SYS_ACC_NUM):   acc_q.num   <= wdata_i[23:0];
        10'(ohca_fmt_pkg::M_SYS_ACC_DW):    acc_q.dw    <= wdata_i[4:0];
        10'(ohca_fmt_pkg::M_SYS_ACC_WDATA): acc_q.wdata <= wdata_i;
        10'(ohca_fmt_pkg::M_SYS_ACC_GO):    acc_q.wmask <= wdata_i;
        default: ;
      endcase
    end
  end
  always_ff @(posedge clk_i) begin
    if (acc_go && !acc_cold) acc_pend_q <= 8'd1 << acc_q.part;
    if (acc_go && acc_cold) begin
      acc_err_q   <= 1'b1;
      acc_rdata_q <= '0;
    end
    for (int unsigned i = 0; i < 8; i++) if (acc_pend_q[i] && acc_ready_i[i]) begin
      acc_pend_q[i] <= 1'b0;
      acc_wait_q    <= 1'b1;
    end
    if (acc_rsp_valid_i) begin
      acc_wait_q  <= 1'b0;
      acc_err_q   <= acc_err_i;
      acc_rdata_q <= acc_rdata_i;
    end
    if (rst_i) begin
      acc_pend_q <= '0;
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
    if (wr_i) begin
      unique case (off_i)
        10'(ohca_fmt_pkg::M_SYS_EV_HDR): begin
          ev_q.etype    <= ohca_fmt_pkg::eqe_type_e'(wdata_i[7:0]);
          ev_q.port     <= wdata_i[15:8];
          ev_q.syndrome <= wdata_i[31:16];
        end
        10'(ohca_fmt_pkg::M_SYS_EV_NUM):   ev_q.num   <= wdata_i;
        10'(ohca_fmt_pkg::M_SYS_EV_PARAM): ev_q.param <= wdata_i;
        10'(ohca_fmt_pkg::M_SYS_EV_GO):    ev_q.eqn   <= wdata_i[7:0];
        default: ;
      endcase
    end
  end
  assign eq_pend_o  = eq_pend_q;
  assign eq_wait_o  = eq_wait_q;
  assign eq_done_o  = eq_done_q;
  assign eq_rdata_o = eq_rdata_q;
  assign ev_pend_o  = ev_pend_q;
  assign eq_valid_o = eq_pend_q;
  assign eq_we_o    = eq_we_q;
  assign eq_eqn_o   = eq_eqn_q;
  assign eq_dw_o    = eq_dw_q;
  assign eq_wdata_o = eq_wdata_q;
  assign ev_valid_o = ev_pend_q;
  assign ev_o       = ev_q;
  always_ff @(posedge clk_i) begin
    if (wr_i && off_i == 10'(ohca_fmt_pkg::M_SYS_EQ_SEL)) begin
      eq_eqn_q <= wdata_i[7:0];
      eq_dw_q  <= wdata_i[10:8];
    end
    if (eq_go_i) begin
      eq_pend_q  <= 1'b1;
      eq_done_q  <= 1'b0;
      eq_we_q    <= eq_we_i;
      eq_wdata_q <= wdata_i;
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

    if (wr_i && off_i == 10'(ohca_fmt_pkg::M_SYS_EV_GO)) ev_pend_q <= 1'b1;
    if (ev_pend_q && ev_ready_i) ev_pend_q <= 1'b0;

    if (rst_i) begin
      eq_pend_q <= 1'b0;
      eq_wait_q <= 1'b0;
      eq_done_q <= 1'b0;
      ev_pend_q <= 1'b0;
    end
  end

endmodule

`default_nettype wire
