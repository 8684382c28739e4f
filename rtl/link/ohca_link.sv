// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// A port's link layer: ohca_port, ohca_link_tx and ohca_link_rx wired together, and with RoCE ohca_eth_port and the way
// of frames to the wire and of loopback, as the top level and the tests use them.
//
// Nothing but those two ways is added here; see the modules for what they do and how long it takes.
// lint: DataWidth=512
// lint: RoCE=0
// lint: RoCE=0 Compact=1

`include "ohca_clocks.svh"
`default_nettype none

module ohca_link #(
  parameter int unsigned DataWidth  = 64,
  parameter int unsigned NumVl      = 4,
  parameter int unsigned BufBytes   = (DataWidth > 64) ? 65536 : 32768,
  parameter int unsigned FrontBytes = 131072,
  parameter int unsigned QueueBytes = (NumVl == 1) ? 8192 : 32768,
  parameter int unsigned Vl15Bytes  = 2048,
  parameter int unsigned NumRel     = 3,
  parameter int unsigned RateEntries = 4,    // destinations whose static rate is kept at a time
  parameter bit          RoCE       = 1'b1,
  parameter bit          Compact    = 1'b0,
  localparam int unsigned Bytes     = DataWidth / 8,
  localparam int unsigned AddrW     = $clog2(BufBytes / Bytes),
  localparam int unsigned Pkeys     = ohca_fmt_pkg::PORT_PKEYS,
  localparam int unsigned Arb       = ohca_fmt_pkg::PORT_ARB_ENTRIES
) (
  input  logic                          clk_i,
`ifdef OHCA_GATES
  input  logic                          clk_tx_i,       // clk_i less edges: "clocks by part" of rtl/ohca.sv
  input  logic                          clk_rx_i,
  input  logic                          clk_pfc_i,
  input  logic                          clk_cfg_i,
  output logic                          tx_busy_o,
  output logic                          rx_busy_o,
  output logic                          pfc_busy_o,
`endif
  input  logic                          rst_i,
  input  logic [63:0]                   now_i,
  output logic                          idle_o,
  output logic                          next_valid_o,   // the next flow-control packet is due at next_o
  output logic [63:0]                   next_o,

  // Management: registers of port and Ethernet port, event
  input  ohca_fmt_pkg::cfg_acc_t        mg_i,
  output logic [31:0]                   mg_rdata_o,
  output logic                          event_o,

  // Configuration and tables for the engines
  output ohca_fmt_pkg::port_cfg_t       cfg_o,
  input  ohca_fmt_pkg::port_ask_t       ask_i,
  output ohca_fmt_pkg::port_say_t       say_o,
  output logic [Pkeys*16-1:0]           pkeys_o,
  input  ohca_fmt_pkg::port_note_t      note_i,

  // Packets to send: ohca_txbuild, ohca_mgmt
  input  ohca_fmt_pkg::pk_beat_t        in_i,
  output logic                          in_ready_o,
  input  logic [DataWidth-1:0]          in_data_i,
  input  logic [Bytes-1:0]              in_keep_i,
  output logic [NumVl-1:0][12:0]        room_o,         // of the egress rings, and who takes it: ohca_link_tx
  output logic [NumVl-1:0][7:0]         desc_o,
  output logic [NumVl-1:0]              stuck_o,
  input  ohca_fmt_pkg::room_take_t      take_i,
  input  ohca_fmt_pkg::mtx_beat_t       mtx_i,
  output logic                          mtx_ready_o,
  input  logic [DataWidth-1:0]          mtx_data_i,
  input  logic [Bytes-1:0]              mtx_keep_i,

  // Received packets, release, receive buffer
  output logic                          rxd_valid_o,
  input  logic                          rxd_ready_i,
  output ohca_fmt_pkg::rxd_t            rxd_o,
  input  logic [NumRel-1:0]             rel_valid_i,
  input  logic [NumRel-1:0][5:0]        rel_slot_i,
  input  logic                          rb_en_i,
  input  logic [AddrW-1:0]              rb_addr_i,
  output logic [DataWidth-1:0]          rb_data_o,

  // Ethernet: frames for the network interface (ohca_eth_in), its own as they leave, congestion notifications
  output ohca_fmt_pkg::nic_beat_t       nic_o,
  input  logic                          nic_room_i,
  output logic [DataWidth-1:0]          nic_data_o,
  output logic [Bytes-1:0]              nic_keep_o,
  input  ohca_fmt_pkg::ntx_beat_t       ntx_i,
  output logic                          ntx_ready_o,
  input  logic [DataWidth-1:0]          ntx_data_i,
  input  logic [Bytes-1:0]              ntx_keep_i,
  output logic                          ntx_en_o,       // they may leave
  output ohca_fmt_pkg::eth_cnp_t        cnp_cfg_o,
  output ohca_fmt_pkg::cnp_note_t       cnp_o,          // ohca_link_rx

  // Wire
  output ohca_fmt_pkg::wire_tx_t        tx_o,
  input  logic                          tx_ready_i,
  output logic [DataWidth-1:0]          tx_data_o,
  output logic [Bytes-1:0]              tx_keep_o,
  input  ohca_fmt_pkg::wire_rx_t        rx_i,
  input  logic [DataWidth-1:0]          rx_data_i,
  input  logic [Bytes-1:0]              rx_keep_i,

  output logic [63:0]                   cnt_o
);

  ohca_fmt_pkg::port_tx_stat_t tx_stat;
  ohca_fmt_pkg::port_rx_stat_t rx_stat;
  logic [31:0]            fc_period;
  logic [Arb*12-1:0]      arb_low, arb_high;
  logic [NumVl-1:0][11:0] tx_credit, rx_fccl;
  logic [11:0]            rx_thr, fc_fccl;
  logic                   fc_valid, lb_valid, lb_ready, lb_last, lb_from_fw, lb_eth, port_idle, tx_idle, rx_idle;
  logic [3:0]             fc_vl;
  logic [DataWidth-1:0]   lb_data;
  logic [Bytes-1:0]       lb_keep;
  logic [63:0]            tx_cnt, rx_cnt, pfc_cnt;
  logic                   eth_idle, sum_idle;

  assign idle_o = port_idle && tx_idle && rx_idle && eth_idle && sum_idle;
  assign cnt_o  = tx_cnt | rx_cnt | pfc_cnt;

  // Each block's own copy of the reset.
  logic rst_port, rst_tx, rst_rx;
  ohca_reset u_rst_port (.clk_i(clk_i), .rst_i(rst_i), .rst_o(rst_port));
  ohca_reset u_rst_tx (.clk_i(`CLOCK_TX), .rst_i(rst_i), .rst_o(rst_tx));
  ohca_reset u_rst_rx (.clk_i(`CLOCK_RX), .rst_i(rst_i), .rst_o(rst_rx));

  // ------------------------------------------------------------------ Ethernet
  localparam int unsigned GidLanes = (DataWidth == 64) ? 2 : ohca_fmt_pkg::PORT_GIDS;
  localparam int unsigned GidTabW  = GidLanes * ohca_fmt_pkg::GID_ENT_BITS;
  localparam int unsigned GidSteps = ohca_fmt_pkg::PORT_GIDS / GidLanes;
  localparam int unsigned GidStepW = (GidSteps > 1) ? $clog2(GidSteps) : 1;
  ohca_fmt_pkg::port_cfg_t  cfg;
  ohca_fmt_pkg::eth_ctrl_t  eth_ctrl;
  logic [31:0]              port_rdata;
  logic [47:0]              eth_mac;
  logic [63:0]              eth_hash;
  logic [GidTabW-1:0]       gids;
  logic [GidStepW-1:0]      gid_step;
  logic [64*ohca_fmt_pkg::PORT_GIDS-1:0] guids;
  logic [NumVl-1:0]         pause;
  logic [15:0]              fill;
  logic                     put, get;           // units of frames, into the wire buffer and out of it
  logic [2:0]               put_prio, get_prio;
  logic                     t_valid, t_ready, t_last, l_valid, l_ready, l_last, l_from_fw;
  logic [DataWidth-1:0]     t_data, l_data;
  logic [Bytes-1:0]         t_keep, l_keep;
  logic [1:0]               t_kind;

`ifdef OHCA_GATES
  logic frames;
  assign tx_busy_o  = !tx_idle || !sum_idle || !eth_idle || in_i.valid || take_i.tk0_vl != '0 || take_i.tk1_vl != '0 ||
                      mtx_i.valid || t_valid || l_valid || ntx_i.valid || fc_valid || (|rel_valid_i);
  assign rx_busy_o  = !rx_idle || rx_i.valid || lb_valid || (|rel_valid_i) || rb_en_i;
  assign pfc_busy_o = frames || put || get;
`endif
  if (RoCE) begin : g_eth
    logic                       rst_eth, rst_pfc;
    ohca_reset u_rst_eth (.clk_i(`CLOCK_CFG), .rst_i(rst_i), .rst_o(rst_eth));
    ohca_reset u_rst_pfc (.clk_i(`CLOCK_PFC), .rst_i(rst_i), .rst_o(rst_pfc));
    ohca_fmt_pkg::eth_pfc_t     pfc;
    ohca_fmt_pkg::eth_pfc_lim_t pfc_lim, pfc_own;
    ohca_fmt_pkg::eth_state_t   pfc_state;
    logic [31:0]                eth_rdata, quantum;
    logic [ohca_fmt_pkg::PORT_GIDS-1:0] gid_put;
    ohca_fmt_pkg::gid_ent_t     gid_ent;
    ohca_eth_port u_eth_port (
      .clk_i(`CLOCK_CFG), .rst_i(rst_eth), .mg_valid_i(mg_i.valid), .mg_we_i(mg_i.we), .mg_addr_i(mg_i.addr),
      .mg_wdata_i(mg_i.wdata), .mg_rdata_o(eth_rdata),
      .ctrl_o(eth_ctrl), .mac_o(eth_mac), .hash_o(eth_hash), .pfc_o(pfc), .pfc_lim_o(pfc_lim), .pfc_own_o(pfc_own),
      .quantum_o(quantum), .cnp_o(cnp_cfg_o),
      .state_i(pfc_state), .gid_put_o(gid_put), .gid_ent_o(gid_ent)
    );
    ohca_gid_table #(.Lanes(GidLanes)) u_gids (
      .clk_i(`CLOCK_CFG), .rst_i(rst_eth), .put_i(gid_put), .put_ent_i(gid_ent),
      .at_i(ask_i.gid), .ent_o(say_o.eth_gid), .step_i(gid_step), .ents_o(gids)
    );
    assign mg_rdata_o = port_rdata | eth_rdata;
    always_comb begin
      cfg_o     = cfg;
      cfg_o.ect = eth_ctrl.ect;
    end

    // To the wire, and back: the link layer that a packet belongs to is the port's a cycle before it begins. A flop, as
    // readiness hangs on it.
    logic                 tm_q, tm_d, te_q, ti_ready, to_valid, to_ready, to_last, to_idle;
    logic                 lm_q, lm_d, le_q, li_ready, lo_valid, lo_ready, lo_last, lo_idle;
    logic [DataWidth-1:0] to_data, lo_data;
    logic [Bytes-1:0]     to_keep, lo_keep;
    assign tm_d = (t_valid && t_ready) ? !t_last : tm_q;
    assign lm_d = (l_valid && l_ready) ? !l_last : lm_q;
    always_ff @(posedge `CLOCK_TX) begin
      tm_q <= tm_d && !rst_tx;
      lm_q <= lm_d && !rst_tx;
      if (!tm_d || rst_tx) te_q <= cfg.eth;
      if (!lm_d || rst_tx) le_q <= cfg.eth;
    end

    ohca_eth_out #(.DataWidth(DataWidth)) u_out (
      .clk_i(`CLOCK_TX), .rst_i(rst_tx), .idle_o(to_idle),
      .valid_i(t_valid && te_q), .ready_o(ti_ready), .data_i(t_data),
      .last_i(t_last),
      .valid_o(to_valid), .ready_i(to_ready), .data_o(to_data), .keep_o(to_keep), .last_o(to_last)
    );
    logic                 p_valid, p_ready, p_last, o_valid, o_ready, o_last;
    logic [DataWidth-1:0] p_data, o_data;
    logic [Bytes-1:0]     p_keep, o_keep;
    logic [1:0]           p_kind, o_kind, w_sel;
    logic [2:0]           w_gnt;
    assign to_ready = p_ready;
    assign t_ready  = te_q ? ti_ready : to_idle && p_ready;
    assign p_valid  = to_valid || (t_valid && !te_q && to_idle);
    assign p_data   = to_valid ? to_data : t_data;
    assign p_keep   = to_valid ? to_keep : t_keep;
    assign p_last   = to_valid ? to_last : t_last;
    assign p_kind   = to_valid ? 2'd2 : t_kind;
    // Whose turn it is on the wire is known late, and much in front of here waits for it.
    ohca_skid_now #(.Width(DataWidth + Bytes + 3)) u_turn (
      .clk_i(`CLOCK_TX), .rst_i(rst_tx), .valid_i(p_valid), .ready_o(p_ready),
      .data_i({p_last, p_kind, p_keep, p_data}),
      .valid_o(o_valid), .ready_i(o_ready), .data_o({o_last, o_kind, o_keep, o_data})
    );
    // Priority flow control. The network interface is one queue, of priority 0.
    logic                 f_valid, f_ready, f_last, pause0, n_valid, nm_q, pfc_idle;
    logic [DataWidth-1:0] f_data;
    logic [Bytes-1:0]     f_keep;
    ohca_eth_pfc #(.DataWidth(DataWidth), .NumVl(NumVl), .MaxUnits(FrontBytes / Bytes)) u_pfc (
      .clk_i(`CLOCK_PFC), .rst_i(rst_pfc), .now_i(now_i), .idle_o(pfc_idle), .cnt_o(pfc_cnt),
      .on_i(cfg.eth && cfg.smp_en), .pfc_i(pfc), .lim_i(pfc_lim), .own_i(pfc_own), .quantum_i(quantum), .mac_i(eth_mac),
      .sl2vl_i(cfg.sl2vl),
      .fill_i(fill), .put_i(put), .put_prio_i(put_prio), .get_i(get), .get_prio_i(get_prio),
      .rx_valid_i(rx_i.valid), .rx_data_i(rx_data_i), .rx_keep_i(rx_keep_i), .rx_last_i(rx_i.last),
      .rx_error_i(rx_i.error), .rx_kind_i(rx_i.kind),
      .tx_valid_o(f_valid), .tx_ready_i(f_ready), .tx_data_o(f_data), .tx_keep_o(f_keep), .tx_last_o(f_last),
      .pause_o(pause), .pause0_o(pause0), .state_o(pfc_state)
    );
    assign n_valid = ntx_i.valid && (nm_q || !pause0);
    always_ff @(posedge `CLOCK_TX) begin
      if (rst_tx) nm_q <= 1'b0;
      else if (n_valid) nm_q <= !(ntx_ready_o && ntx_i.last);      // what is offered stays
    end

    // Frames of the network interface take turns with packets, and pauses with both.
    assign ntx_en_o = cfg.eth && cfg.smp_en && cfg.tx_data_en;
    ohca_arb_rr #(.N(3), .Width(DataWidth + Bytes + 2), .Lock(1'b1)) u_wire (
      .clk_i(`CLOCK_TX), .rst_i(rst_tx), .valid_i({f_valid, n_valid, o_valid}),
      .ready_o({f_ready, ntx_ready_o, o_ready}),
      .data_i({2'd2, f_keep, f_data, 2'd2, ntx_keep_i, ntx_data_i, o_kind, o_keep, o_data}),
      .last_i({f_last, ntx_i.last, o_last}),
      .valid_o(tx_o.valid), .ready_i(tx_ready_i), .data_o({tx_o.kind, tx_keep_o, tx_data_o}), .last_o(tx_o.last),
      .sel_o(w_sel), .gnt_o(w_gnt)
    );

    ohca_eth_out #(.DataWidth(DataWidth)) u_loop (
      .clk_i(`CLOCK_TX), .rst_i(rst_tx), .idle_o(lo_idle),
      .valid_i(l_valid && le_q), .ready_o(li_ready), .data_i(l_data),
      .last_i(l_last),
      .valid_o(lo_valid), .ready_i(lo_ready), .data_o(lo_data), .keep_o(lo_keep), .last_o(lo_last)
    );
    assign lo_ready   = lb_ready;
    assign l_ready    = le_q ? li_ready : lo_idle && lb_ready;
    assign lb_valid   = lo_valid || (l_valid && !le_q && lo_idle);
    assign lb_data    = lo_valid ? lo_data : l_data;
    assign lb_keep    = lo_valid ? lo_keep : l_keep;
    assign lb_last    = lo_valid ? lo_last : l_last;
    assign lb_from_fw = !lo_valid && l_from_fw;
    assign lb_eth     = lo_valid;
    assign eth_idle   = to_idle && p_ready && lo_idle && pfc_idle;
`ifdef OHCA_GATES
    assign frames = !pfc_idle || cfg.eth || f_valid;
`endif
    logic unused_eth;
    assign unused_eth = &{1'b0, w_sel, w_gnt};
  end else begin : g_ib
`ifdef OHCA_GATES
    assign frames     = 1'b0;
`endif
    assign eth_ctrl   = '0;
    assign eth_mac    = '0;
    assign eth_hash   = '0;
    assign gids       = '0;
    logic unused_step;
    assign unused_step = &{1'b0, gid_step};
    assign pause      = '0;
    assign pfc_cnt    = '0;
    assign cnp_cfg_o  = '0;
    assign say_o.eth_gid = '0;
    assign mg_rdata_o = port_rdata;
    assign cfg_o      = cfg;
    assign tx_o.valid = t_valid;
    assign t_ready    = tx_ready_i;
    assign tx_data_o  = t_data;
    assign tx_keep_o  = t_keep;
    assign tx_o.last  = t_last;
    assign tx_o.kind  = t_kind;
    assign lb_valid   = l_valid;
    assign l_ready    = lb_ready;
    assign lb_data    = l_data;
    assign lb_keep    = l_keep;
    assign lb_last    = l_last;
    assign lb_from_fw = l_from_fw;
    assign lb_eth     = 1'b0;
    assign eth_idle   = 1'b1;
    assign ntx_ready_o = 1'b0;
    assign ntx_en_o    = 1'b0;
    logic unused_ib;
    assign unused_ib = &{1'b0, fill, put, put_prio, get, get_prio, ntx_i, ntx_data_i, ntx_keep_i, ask_i.gid};
  end

  ohca_port #(.NumVl(NumVl)) u_port (
    .clk_i(clk_i),
`ifdef OHCA_GATES
    .clk_cfg_i(clk_cfg_i),
`endif
    .rst_i(rst_port), .now_i(now_i), .idle_o(port_idle),
    .mg_valid_i(mg_i.valid), .mg_we_i(mg_i.we), .mg_addr_i(mg_i.addr), .mg_wdata_i(mg_i.wdata), .mg_rdata_o(port_rdata),
    .event_o(event_o),
    .cfg_o(cfg), .fc_period_o(fc_period), .arb_low_o(arb_low), .arb_high_o(arb_high),
    .pkey_idx_i(ask_i.pkey), .pkey_o(say_o.pkey), .pkeys_o(pkeys_o), .gid_idx_i(ask_i.gid), .gid_o(say_o.gid),
    .guids_o(guids),
    .tx_stat_i(tx_stat), .rx_stat_i(rx_stat), .symbol_err_i(note_i.symbol_err), .bad_pkey_i(note_i.bad_pkey),
    .bad_qkey_i(note_i.bad_qkey),
    .tx_credit_i(tx_credit), .rx_fccl_i(rx_fccl)
  );

  // Internet checksums, in an adapter that has room for them
  logic                 c_valid, c_ready, c_last, c_err;
  logic [DataWidth-1:0] c_data;
  logic [Bytes-1:0]     c_keep;
  logic [7:0]           c_ipd;
  logic [9:0]           c_words;
  if (!Compact) begin : g_sum
    ohca_tx_sum #(.DataWidth(DataWidth), .RoCE(RoCE)) u_sum (
      .clk_i(`CLOCK_TX), .rst_i(rst_tx), .idle_o(sum_idle), .eth_i(RoCE && cfg.eth),
      .in_valid_i(in_i.valid), .in_ready_o(in_ready_o), .in_data_i(in_data_i), .in_keep_i(in_keep_i),
      .in_last_i(in_i.last), .in_err_i(in_i.err),
      .in_ipd_i(in_i.ipd), .in_words_i(in_i.words), .in_sum_i(in_i.sum),
      .out_valid_o(c_valid), .out_ready_i(c_ready), .out_data_o(c_data), .out_keep_o(c_keep), .out_last_o(c_last),
      .out_err_o(c_err),
      .out_ipd_o(c_ipd), .out_words_o(c_words)
    );
  end else begin : g_no_sum
    // Who builds packets may lie far away: its way here and the ready's way back begin and end in flops.
    ohca_skid #(.Width(DataWidth + Bytes + 20)) u_in (
      .clk_i(`CLOCK_TX), .rst_i(rst_tx),
      .valid_i(in_i.valid), .ready_o(in_ready_o),
      .data_i({in_data_i, in_keep_i, in_i.last, in_i.err, in_i.ipd, in_i.words}),
      .valid_o(c_valid), .ready_i(c_ready), .data_o({c_data, c_keep, c_last, c_err, c_ipd, c_words})
    );
    assign sum_idle = !c_valid;
    logic unused_sum;
    assign unused_sum = &{1'b0, in_i.sum};
  end

  ohca_link_tx #(.DataWidth(DataWidth), .NumVl(NumVl), .QueueBytes(QueueBytes), .Vl15Bytes(Vl15Bytes),
      .RateEntries(RateEntries), .RoCE(RoCE)) u_tx (
    .clk_i(`CLOCK_TX), .rst_i(rst_tx), .now_i(now_i), .idle_o(tx_idle), .next_valid_o(next_valid_o), .next_o(next_o),
    .cfg_i(cfg), .fc_period_i(fc_period), .arb_low_i(arb_low), .arb_high_i(arb_high),
    .in_valid_i(c_valid), .in_ready_o(c_ready), .in_data_i(c_data), .in_keep_i(c_keep), .in_last_i(c_last),
    .in_err_i(c_err),
    .in_ipd_i(c_ipd), .in_words_i(c_words), .room_o(room_o), .desc_o(desc_o), .stuck_o(stuck_o),
    .tk0_vl_i(take_i.tk0_vl[NumVl-1:0]), .tk0_words_i(take_i.tk0_words), .tk0_n_i(take_i.tk0_n),
    .tk1_vl_i(take_i.tk1_vl[NumVl-1:0]), .tk1_words_i(take_i.tk1_words),
    .mg_valid_i(mtx_i.valid), .mg_ready_o(mtx_ready_o), .mg_data_i(mtx_data_i), .mg_keep_i(mtx_keep_i),
    .mg_last_i(mtx_i.last), .mg_to_host_i(mtx_i.to_host),
    .fc_valid_i(fc_valid), .fc_vl_i(fc_vl), .fc_fccl_i(fc_fccl), .rx_fccl_i(rx_fccl), .rx_thr_i(rx_thr),
    .lb_valid_o(l_valid), .lb_ready_i(l_ready), .lb_data_o(l_data), .lb_keep_o(l_keep), .lb_last_o(l_last),
    .lb_from_fw_o(l_from_fw),
    .pause_i(pause),
    .tx_valid_o(t_valid), .tx_ready_i(t_ready), .tx_data_o(t_data), .tx_keep_o(t_keep), .tx_last_o(t_last),
    .tx_kind_o(t_kind),
    .tx_credit_o(tx_credit), .stat_o(tx_stat), .cnt_o(tx_cnt)
  );

  ohca_link_rx #(.DataWidth(DataWidth), .NumVl(NumVl), .BufBytes(BufBytes), .FrontBytes(FrontBytes), .NumRel(NumRel),
      .RoCE(RoCE), .Compact(Compact), .GidLanes(GidLanes)) u_rx (
    .clk_i(`CLOCK_RX), .rst_i(rst_rx), .idle_o(rx_idle), .cfg_i(cfg), .eth_ctrl_i(eth_ctrl), .eth_mac_i(eth_mac),
    .eth_hash_i(eth_hash), .gid_step_o(gid_step), .gids_i(gids), .guids_i(guids),
    .rx_valid_i(rx_i.valid), .rx_data_i(rx_data_i), .rx_keep_i(rx_keep_i), .rx_last_i(rx_i.last),
    .rx_error_i(rx_i.error), .rx_kind_i(rx_i.kind),
    .lb_valid_i(lb_valid), .lb_ready_o(lb_ready), .lb_data_i(lb_data), .lb_keep_i(lb_keep), .lb_last_i(lb_last),
    .lb_from_fw_i(lb_from_fw), .lb_eth_i(lb_eth),
    .nic_valid_o(nic_o.valid), .nic_room_i(nic_room_i), .nic_data_o(nic_data_o), .nic_keep_o(nic_keep_o),
    .nic_last_o(nic_o.last), .nic_err_o(nic_o.err), .fill_o(fill),
    .put_o(put), .put_prio_o(put_prio), .get_o(get), .get_prio_o(get_prio),
    .cnp_valid_o(cnp_o.valid), .cnp_qpn_o(cnp_o.qpn), .cnp_sgid_o(cnp_o.sgid),
    .fc_valid_o(fc_valid), .fc_vl_o(fc_vl), .fc_fccl_o(fc_fccl), .rx_fccl_o(rx_fccl), .rx_thr_o(rx_thr),
    .rxd_valid_o(rxd_valid_o), .rxd_ready_i(rxd_ready_i), .rxd_o(rxd_o), .rel_valid_i(rel_valid_i),
    .rel_slot_i(rel_slot_i),
    .rb_en_i(rb_en_i), .rb_addr_i(rb_addr_i), .rb_data_o(rb_data_o), .stat_o(rx_stat), .cnt_o(rx_cnt)
  );

endmodule

`default_nettype wire
