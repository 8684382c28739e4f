// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Port registers: configuration, P_Key and GID tables, VL arbitration tables, sticky events and 64-bit counters, for
// the management core.
//
// Reads answer in the next cycle, table look-ups in the same one. The map is in formats/60-port.toml (byte offsets;
// mg_addr_i counts dwords) and docs/port-registers.md. Register writes act in the next cycle, on what packets are
// compared with (pkeys_o, guids_o) in the one after that; nothing here waits for or stalls the packet path. The first
// access comes 512 cycles after a reset at the earliest (firmware clears its memory until then).
//
// One block RAM of 512 words of 64 bits, by dword address, keeps what can be read back: registers and tables as they
// are written (in the upper half with their bytes swapped, which is how GID 0 shows the prefix and the GUID), and the
// counters, which are added up there.

`include "ohca_assert.svh"
`include "ohca_clocks.svh"
`default_nettype none

module ohca_port #(
  parameter int unsigned NumVl   = 4,
  localparam int unsigned Pkeys  = ohca_fmt_pkg::PORT_PKEYS,
  localparam int unsigned Gids   = ohca_fmt_pkg::PORT_GIDS,
  localparam int unsigned Arb    = ohca_fmt_pkg::PORT_ARB_ENTRIES,
  localparam int unsigned NumCnt = 20
) (
  input  logic                          clk_i,
`ifdef OHCA_GATES
  input  logic                          clk_cfg_i,      // clk_i less edges: "clocks by part" of rtl/ohca.sv; all of the
                                                        // first 512 after a reset
`endif
  input  logic                          rst_i,
  input  logic [63:0]                   now_i,
  output logic                          idle_o,

  // Management bus
  input  logic                          mg_valid_i,
  input  logic                          mg_we_i,
  input  logic [9:0]                    mg_addr_i,      // dword address
  input  logic [31:0]                   mg_wdata_i,
  output logic [31:0]                   mg_rdata_o,     // next cycle
  output logic                          event_o,        // level, a flop: a sticky event that is in the mask

  // Configuration
  output ohca_fmt_pkg::port_cfg_t       cfg_o,
  output logic [31:0]                   fc_period_o,
  output logic [Arb*12-1:0]             arb_low_o,      // entry n: {vl, weight} at 12 n
  output logic [Arb*12-1:0]             arb_high_o,

  // Tables
  input  logic [2:0][15:0]              pkey_idx_i,     // 0 txbuild, 1 rs, 2 ra
  output logic [2:0][15:0]              pkey_o,         // 0 (invalid) beyond the table
  output logic [Pkeys*16-1:0]           pkeys_o,        // entry n at 16 n
  input  logic [7:0]                    gid_idx_i,
  output logic [127:0]                  gid_o,          // first wire byte in [127:120]; 0 beyond the table
  output logic [Gids*64-1:0]            guids_o,        // lower halves of all GIDs, entry n at 64 n; 0: none

  // What happened
  input  ohca_fmt_pkg::port_tx_stat_t   tx_stat_i,
  input  ohca_fmt_pkg::port_rx_stat_t   rx_stat_i,
  input  logic                          symbol_err_i,
  input  logic                          bad_pkey_i,
  input  logic                          bad_qkey_i,
  input  logic [NumVl*12-1:0]           tx_credit_i,    // for port_vl_state
  input  logic [NumVl*12-1:0]           rx_fccl_i
);

  if (NumVl != 1 && NumVl != 2 && NumVl != 4 && NumVl != 8) begin : g_bad_vl
    $error("ohca_port: NumVl must be 1, 2, 4 or 8");
  end

  // ------------------------------------------------------------------ address decode
  localparam int unsigned WCtrl    = ohca_fmt_pkg::PORT_REG_CTRL / 4;
  localparam int unsigned WLid     = ohca_fmt_pkg::PORT_REG_LID / 4;
  localparam int unsigned WPrefLo  = ohca_fmt_pkg::PORT_REG_PREFIX_LO / 4;
  localparam int unsigned WPrefHi  = ohca_fmt_pkg::PORT_REG_PREFIX_HI / 4;
  localparam int unsigned WGuidLo  = ohca_fmt_pkg::PORT_REG_GUID_LO / 4;
  localparam int unsigned WGuidHi  = ohca_fmt_pkg::PORT_REG_GUID_HI / 4;
  localparam int unsigned WSlLo    = ohca_fmt_pkg::PORT_REG_SL2VL_LO / 4;
  localparam int unsigned WSlHi    = ohca_fmt_pkg::PORT_REG_SL2VL_HI / 4;
  localparam int unsigned WCyc4    = ohca_fmt_pkg::PORT_REG_CYC_4US / 4;
  localparam int unsigned WCyc10   = ohca_fmt_pkg::PORT_REG_CYC_10US / 4;
  localparam int unsigned WPeriod  = ohca_fmt_pkg::PORT_REG_FC_PERIOD / 4;
  localparam int unsigned WWatch   = ohca_fmt_pkg::PORT_REG_FC_WATCHDOG / 4;
  localparam int unsigned WEvent   = ohca_fmt_pkg::PORT_REG_EVENT / 4;
  localparam int unsigned WMask    = ohca_fmt_pkg::PORT_REG_EVENT_MASK / 4;
  localparam int unsigned WCaps    = ohca_fmt_pkg::PORT_REG_CAPS / 4;
  localparam int unsigned WVlState = ohca_fmt_pkg::PORT_REG_VL_STATE / 4;
  localparam int unsigned WPkey    = ohca_fmt_pkg::PORT_REG_PKEY / 4;
  localparam int unsigned WGid     = ohca_fmt_pkg::PORT_REG_GID / 4;
  localparam int unsigned WArbLow  = ohca_fmt_pkg::PORT_REG_ARB_LOW / 4;
  localparam int unsigned WArbHigh = ohca_fmt_pkg::PORT_REG_ARB_HIGH / 4;
  localparam int unsigned WCnt     = ohca_fmt_pkg::PORT_REG_CNT / 4;

  logic wr, is_pkey, is_gid, is_arbl, is_arbh, is_cnt, is_reg;
  assign wr      = mg_valid_i && mg_we_i;
  assign is_reg  = mg_addr_i < 10'(WCaps) && mg_addr_i != 10'(WEvent);
  assign is_pkey = mg_addr_i[9:5] == 5'(WPkey >> 5);
  assign is_gid  = mg_addr_i[9:6] == 4'(WGid >> 6);
  assign is_arbl = mg_addr_i[9:4] == 6'(WArbLow >> 4);
  assign is_arbh = mg_addr_i[9:4] == 6'(WArbHigh >> 4);
  assign is_cnt  = mg_addr_i[9:6] == 4'(WCnt >> 6) && mg_addr_i[5:1] < 5'(NumCnt);

  // ------------------------------------------------------------------ registers
  ohca_fmt_pkg::port_ctrl_t ctrl_q;
  logic [15:0] lid_q;
  logic [63:0] prefix_q, guid_q, sl2vl_q;
  logic [31:0] cyc4_q, cyc10_q, period_q, watch_q;
  logic [7:0]  mask_q, event_q, event_set;

  always_ff @(posedge `CLOCK_CFG) begin
    if (rst_i) begin
      ctrl_q   <= '0;
      lid_q    <= '0;
      prefix_q <= 64'hfe80_0000_0000_0000;
      guid_q   <= '0;
      sl2vl_q  <= '0;
      cyc4_q   <= 32'd1024;
      cyc10_q  <= 32'd2500;
      period_q <= 32'd16000;
      watch_q  <= '0;
      mask_q   <= '0;
    end else if (wr) begin
      case (mg_addr_i)
        10'(WCtrl):   ctrl_q          <= mg_wdata_i & ~ohca_fmt_pkg::PORT_CTRL_RSVD;
        10'(WLid):    lid_q           <= mg_wdata_i[15:0];
        10'(WPrefLo): prefix_q[31:0]  <= mg_wdata_i;
        10'(WPrefHi): prefix_q[63:32] <= mg_wdata_i;
        10'(WGuidLo): guid_q[31:0]    <= mg_wdata_i;
        10'(WGuidHi): guid_q[63:32]   <= mg_wdata_i;
        10'(WSlLo):   sl2vl_q[31:0]   <= mg_wdata_i;
        10'(WSlHi):   sl2vl_q[63:32]  <= mg_wdata_i;
        10'(WCyc4):   cyc4_q          <= mg_wdata_i;
        10'(WCyc10):  cyc10_q         <= mg_wdata_i;
        10'(WPeriod): period_q        <= mg_wdata_i;
        10'(WWatch):  watch_q         <= mg_wdata_i;
        10'(WMask):   mask_q          <= mg_wdata_i[7:0];
        default: ;
      endcase
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) event_q <= '0;
    else       event_q <= ((wr && mg_addr_i == 10'(WEvent)) ? event_q & ~mg_wdata_i[7:0] : event_q) | event_set;
  end

  always_ff @(posedge clk_i) event_o <= (event_q & mask_q) != '0 && !rst_i;
  assign fc_period_o = period_q;

  logic [3:0] oper_vls;
  assign oper_vls = (ctrl_q.oper_vls > 4'(NumVl)) ? 4'(NumVl) : ctrl_q.oper_vls;

  always_comb begin
    cfg_o               = '0;
    cfg_o.rx_data_en    = ctrl_q.rx_data_en;
    cfg_o.tx_data_en    = ctrl_q.tx_data_en;
    cfg_o.smp_en        = ctrl_q.smp_en;
    cfg_o.fc_init       = ctrl_q.fc_init;
    cfg_o.lid           = lid_q;
    cfg_o.lmc           = ctrl_q.lmc;
    cfg_o.mtu           = ctrl_q.mtu;
    cfg_o.oper_vls      = oper_vls;
    cfg_o.gid_prefix    = prefix_q;
    cfg_o.sl2vl         = sl2vl_q;
    cfg_o.vl_high_limit = ctrl_q.vl_high_limit;
    cfg_o.cyc_4us       = cyc4_q;
    cfg_o.cyc_10us      = cyc10_q;
    cfg_o.eth           = ctrl_q.eth;
  end

  // ------------------------------------------------------------------ VL arbitration tables
  logic [Arb-1:0][11:0] arbl_q, arbh_q;
  assign arb_low_o  = arbl_q;
  assign arb_high_o = arbh_q;
  always_ff @(posedge `CLOCK_CFG) begin
    if (rst_i) begin
      arbl_q    <= '0;
      arbh_q    <= '0;
      arbl_q[0] <= {4'd0, 8'd64};
    end else if (wr) begin
      // Written and read entry by entry: a variable index into a packed table becomes a shifter as wide as the table.
      for (int unsigned i = 0; i < Arb; i++) begin
        if (is_arbl && mg_addr_i[3:0] == 4'(i)) arbl_q[i] <= mg_wdata_i[11:0];
        if (is_arbh && mg_addr_i[3:0] == 4'(i)) arbh_q[i] <= mg_wdata_i[11:0];
      end
    end
  end

  // ------------------------------------------------------------------ P_Keys
  // Flops for whoever wants all of them at once, and small memories for the look-ups: a multiplexer of 32 entries per
  // reader is dear.
  logic [Pkeys-1:0][15:0] pkeys_q;
  logic [15:0]            pkey_mem [Pkeys];
  logic [Pkeys-1:0]       put_pkey_q;
  logic [31:0]            put_data_q;
  assign pkeys_o = pkeys_q;
  always_comb begin
    for (int unsigned r = 0; r < 3; r++) begin
      pkey_o[r] = (pkey_idx_i[r] < 16'(Pkeys)) ? pkey_mem[pkey_idx_i[r][4:0]] : 16'd0;
    end
  end
  always_ff @(posedge `CLOCK_CFG) begin
    if (init_q || (wr && is_pkey)) pkey_mem[init_q ? init_idx_q[4:0] : mg_addr_i[4:0]] <= init_q ?
        {16{init_idx_q[4:0] == '0}} : mg_wdata_i[15:0];
    // These a cycle later: their enables go to flops all over the table.
    put_data_q <= mg_wdata_i;
    for (int unsigned i = 0; i < Pkeys; i++) put_pkey_q[i] <= wr && is_pkey && mg_addr_i[4:0] == 5'(i) && !rst_i;
    if (rst_i) begin
      pkeys_q    <= '0;
      pkeys_q[0] <= 16'hffff;
    end else begin
      for (int unsigned i = 0; i < Pkeys; i++) if (put_pkey_q[i]) pkeys_q[i] <= put_data_q[15:0];
    end
  end

  // ------------------------------------------------------------------ GIDs
  // Four small memories, one per dword, for look-ups; an entry counts when its last dword was written.
  logic [31:0] gid0 [Gids];
  logic [31:0] gid1 [Gids];
  logic [31:0] gid2 [Gids];
  logic [31:0] gid3 [Gids];
  logic [Gids-1:0] gid_v_q;
  logic [3:0]  gw;
  assign gw = mg_addr_i[5:2];
  always_ff @(posedge `CLOCK_CFG) begin
    if (wr && is_gid && mg_addr_i[1:0] == 2'd0) gid0[gw] <= mg_wdata_i;
    if (wr && is_gid && mg_addr_i[1:0] == 2'd1) gid1[gw] <= mg_wdata_i;
    if (wr && is_gid && mg_addr_i[1:0] == 2'd2) gid2[gw] <= mg_wdata_i;
    if (wr && is_gid && mg_addr_i[1:0] == 2'd3) gid3[gw] <= mg_wdata_i;
    if (rst_i) gid_v_q <= '0;
    else if (wr && is_gid && mg_addr_i[1:0] == 2'd3) gid_v_q[gw] <= 1'b1;
  end

  // What packets are compared with, all at once; written a cycle later, as P_Keys are.
  logic [Gids-1:0][63:0] guids_q;
  logic [Gids-1:1]       put_hi_q, put_lo_q;
  assign guids_o = {guids_q[Gids-1:1], guid_q};
  always_ff @(posedge `CLOCK_CFG) begin
    for (int unsigned i = 1; i < Gids; i++) begin
      put_hi_q[i] <= wr && is_gid && gw == 4'(i) && mg_addr_i[1:0] == 2'd2 && !rst_i;
      put_lo_q[i] <= wr && is_gid && gw == 4'(i) && mg_addr_i[1:0] == 2'd3 && !rst_i;
    end
    if (rst_i) guids_q <= '0;
    else begin
      for (int unsigned i = 1; i < Gids; i++) begin
        if (put_hi_q[i]) guids_q[i][63:32] <= ohca_fmt_pkg::bswap32(put_data_q);
        if (put_lo_q[i]) guids_q[i][31:0]  <= ohca_fmt_pkg::bswap32(put_data_q);
      end
    end
  end
  logic unused_guid;
  assign unused_guid = &{1'b0, guids_q[0]};

  logic [127:0] gid_rd;
  logic [3:0]   gr;
  assign gr     = gid_idx_i[3:0];
  assign gid_rd = {ohca_fmt_pkg::bswap32(gid0[gr]), ohca_fmt_pkg::bswap32(gid1[gr]),
                   ohca_fmt_pkg::bswap32(gid2[gr]), ohca_fmt_pkg::bswap32(gid3[gr])};
  assign gid_o  = (gid_idx_i == 8'd0) ? {prefix_q, guid_q} :
                  (gid_idx_i < 8'(Gids) && gid_v_q[gr]) ? gid_rd : '0;

  // ------------------------------------------------------------------ events
  logic [NumVl-1:0][31:0] seen_q;
  logic                   watch_hit, watch_hit_q;
  always_comb begin
    watch_hit = 1'b0;
    for (int unsigned v = 0; v < NumVl; v++) begin
      if (4'(v) < oper_vls && (now_i[31:0] - seen_q[v]) > watch_q) watch_hit = 1'b1;
    end
    if (watch_q == '0 || !ctrl_q.rx_data_en || watch_hit_q) watch_hit = 1'b0;
  end
  // Told, and begun anew, a cycle later.
  always_ff @(posedge clk_i) begin
    watch_hit_q <= watch_hit && !rst_i;
    for (int unsigned v = 0; v < NumVl; v++) begin
      if (!ctrl_q.rx_data_en || watch_hit_q || (rx_stat_i.fc && rx_stat_i.fc_vl == 4'(v))) seen_q[v] <= now_i[31:0];
    end
  end

  always_comb begin
    event_set = '0;
    event_set[ohca_fmt_pkg::PORT_EVENT_FC_WATCHDOG[2:0]]    = watch_hit_q;
    event_set[ohca_fmt_pkg::PORT_EVENT_OVERRUN[2:0]]        = rx_stat_i.overrun;
    event_set[ohca_fmt_pkg::PORT_EVENT_LINK_INTEGRITY[2:0]] = rx_stat_i.vcrc || rx_stat_i.lpcrc;
    event_set[ohca_fmt_pkg::PORT_EVENT_DATA_RCVD[2:0]]      = rx_stat_i.pkt && rx_stat_i.data;
    event_set[ohca_fmt_pkg::PORT_EVENT_BAD_PKEY[2:0]]       = bad_pkey_i;
    event_set[ohca_fmt_pkg::PORT_EVENT_BAD_QKEY[2:0]]       = bad_qkey_i;
    event_set[ohca_fmt_pkg::PORT_EVENT_VL15_DROP[2:0]]      = rx_stat_i.vl15;
    event_set[ohca_fmt_pkg::PORT_EVENT_FC_RCVD[2:0]]        = rx_stat_i.fc;
  end

  // ------------------------------------------------------------------ counters
  // What comes in is gathered in small counts; one of them a cycle is added to its 64-bit word, and what comes in that
  // cycle is all that stays. In a cycle with an access of management, and in the one before, nothing is added: the
  // counter is visited again. So all are visited within NumCnt + 1 cycles and two for each access in between, of which
  // the core makes one in four cycles at most: less than 63. Packets of dwords (16 a cycle in the long run) need 12
  // bits.
  localparam int unsigned CntW = 6;
  localparam int unsigned AccW = 12;
  localparam int unsigned XData = 32'(ohca_fmt_pkg::PORT_CNT_XMIT_DATA);
  localparam int unsigned RData = 32'(ohca_fmt_pkg::PORT_CNT_RCV_DATA);
  localparam int unsigned RErr  = 32'(ohca_fmt_pkg::PORT_CNT_RCV_ERR);
  logic [NumCnt-1:0] pulse, take, some;
  always_comb begin
    pulse = '0;
    pulse[ohca_fmt_pkg::PORT_CNT_XMIT_PKTS]     = tx_stat_i.pkt;
    pulse[ohca_fmt_pkg::PORT_CNT_RCV_PKTS]      = rx_stat_i.pkt;
    pulse[ohca_fmt_pkg::PORT_CNT_XMIT_MCAST]    = tx_stat_i.pkt && tx_stat_i.mcast;
    pulse[ohca_fmt_pkg::PORT_CNT_RCV_MCAST]     = rx_stat_i.pkt && rx_stat_i.mcast;
    pulse[ohca_fmt_pkg::PORT_CNT_RCV_REMOTE_PHYS] = rx_stat_i.remote;
    pulse[ohca_fmt_pkg::PORT_CNT_RCV_VCRC]      = rx_stat_i.vcrc;
    pulse[ohca_fmt_pkg::PORT_CNT_RCV_ICRC]      = rx_stat_i.icrc;
    pulse[ohca_fmt_pkg::PORT_CNT_LPCRC]         = rx_stat_i.lpcrc;
    pulse[ohca_fmt_pkg::PORT_CNT_XMIT_DISCARDS] = tx_stat_i.discard;
    pulse[ohca_fmt_pkg::PORT_CNT_VL15_DROPPED]  = rx_stat_i.vl15;
    pulse[ohca_fmt_pkg::PORT_CNT_XMIT_WAIT]     = tx_stat_i.wait_;
    pulse[ohca_fmt_pkg::PORT_CNT_OVERRUN]       = rx_stat_i.overrun;
    pulse[ohca_fmt_pkg::PORT_CNT_SYMBOL_ERR]    = symbol_err_i;
    pulse[ohca_fmt_pkg::PORT_CNT_BAD_PKEY]      = bad_pkey_i;
    pulse[ohca_fmt_pkg::PORT_CNT_BAD_QKEY]      = bad_qkey_i;
    pulse[ohca_fmt_pkg::PORT_CNT_FC_XMIT]       = tx_stat_i.fc;
    pulse[ohca_fmt_pkg::PORT_CNT_FC_RCV]        = rx_stat_i.fc;
  end

  logic [4:0]       visit_q, added_q;             // next to be read; the one whose word the memory shows
  logic             add_q, add, clr, init_q;
  logic [8:0]       init_idx_q;
  logic [31:0][7:0] states;                       // powers of two, so that the index is a multiplexer
  logic [CntW-1:0]  num;
  logic [AccW-1:0]  xdw_q, rdw_q, n_visit;
  logic [6:0]       rerr_q;
  assign clr = wr && is_cnt;
  assign add = add_q && !mg_valid_i;
  for (genvar g = 0; g < NumCnt; g++) begin : g_cnt
    assign take[g] = init_q || (add && added_q == 5'(g)) || (clr && mg_addr_i[5:1] == 5'(g));
    if (g != XData && g != RData && g != RErr) begin : g_pulses
      logic [CntW-1:0] state;
      ohca_pulse_cnt #(.Width(CntW)) u_cnt (.clk_i(clk_i), .rst_i(rst_i), .pulse_i(pulse[g]), .take_i(take[g]),
          .state_o(state));
      assign states[g] = 8'(state);
    end else begin : g_sum
      assign states[g] = '0;
    end
    assign some[g] = states[g] != '0;
  end
  assign states[31:NumCnt] = '0;
  always_ff @(posedge clk_i) begin
    if (rst_i || (take[XData] && !tx_stat_i.pkt)) xdw_q <= '0;
    else if (tx_stat_i.pkt)                       xdw_q <= (take[XData] ? '0 : xdw_q) + AccW'(tx_stat_i.dw);
    if (rst_i || (take[RData] && !rx_stat_i.pkt)) rdw_q <= '0;
    else if (rx_stat_i.pkt)                       rdw_q <= (take[RData] ? '0 : rdw_q) + AccW'(rx_stat_i.dw);
    if (rst_i)                                    rerr_q <= '0;
    else                                          rerr_q <= (take[RErr] ? '0 : rerr_q)
        + 7'(rx_stat_i.err) + 7'(rx_stat_i.lpcrc);
  end
  ohca_pulse_num #(.Width(CntW)) u_num (.state_i(states[added_q][CntW-1:0]), .num_o(num));
  always_comb begin
    n_visit = AccW'(num);
    if (added_q == 5'(XData)) n_visit = xdw_q;
    if (added_q == 5'(RData)) n_visit = rdw_q;
    if (added_q == 5'(RErr))  n_visit = AccW'(rerr_q);
  end
  assign idle_o = !init_q && !watch_hit_q && some == '0 && xdw_q == '0 && rdw_q == '0 && rerr_q == '0 &&
                  event_o == ((event_q & mask_q) != '0);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      visit_q    <= '0;
      add_q      <= 1'b0;
      init_q     <= 1'b1;
      init_idx_q <= '0;
    end else begin
      if (init_q) init_idx_q <= init_idx_q + 9'd1;
      if (&init_idx_q) init_q <= 1'b0;
      add_q <= !mg_valid_i && !init_q;
      if (!mg_valid_i)  visit_q <= (visit_q == 5'(NumCnt - 1)) ? '0 : visit_q + 5'd1;
      else if (add_q)   visit_q <= added_q;
    end
    added_q <= visit_q;
  end

  // ------------------------------------------------------------------ memory of all that is read back
  logic [63:0] mem_data, sum;
  logic [31:0] dflt, keep;
  logic        mem_we, is_gid0, is_tab;
  logic [8:0]  mem_rd, mem_wr;
  assign is_tab  = is_reg || is_pkey || is_gid || is_arbl || is_arbh;
  assign is_gid0 = is_gid && mg_addr_i[5:2] == 4'd0;
  assign mem_we  = init_q || add || (wr && (is_tab || is_cnt));
  assign mem_wr  = init_q ? init_idx_q : mg_valid_i ? {mg_addr_i[8:1], mg_addr_i[0] && !is_cnt} :
      {3'b100, added_q, 1'b0};
  assign sum     = mem_data + 64'(n_visit);
  // GID 0 is what prefix and GUID registers say: {hi, lo, hi, lo} of them.
  assign mem_rd  = !mg_valid_i ? {3'b100, visit_q, 1'b0} :
                   is_gid0 ? {6'd0, mg_addr_i[1], !mg_addr_i[1], !mg_addr_i[0]} :
                       {mg_addr_i[8:1], mg_addr_i[0] && !is_cnt};
  always_comb begin
    dflt = '0;
    if (init_idx_q == 9'(WPrefHi))  dflt = 32'hfe80_0000;
    if (init_idx_q == 9'(WCyc4))    dflt = 32'd1024;
    if (init_idx_q == 9'(WCyc10))   dflt = 32'd2500;
    if (init_idx_q == 9'(WPeriod))  dflt = 32'd16000;
    if (init_idx_q == 9'(WPkey))    dflt = 32'hffff;
    if (init_idx_q == 9'(WArbLow))  dflt = 32'd64;
    // Bits that there are
    keep = {32{!is_cnt}};
    if (mg_addr_i == 10'(WCtrl))                            keep = keep & ~ohca_fmt_pkg::PORT_CTRL_RSVD;
    if (is_arbl || is_arbh)                                 keep[15:12] = 4'd0;
    if (is_arbl || is_arbh || is_pkey || mg_addr_i == 10'(WLid)) keep[31:16] = 16'd0;
  end
  ohca_ram_sdp #(.Width(64), .Depth(512), .OldData(1'b0)) u_mem (
    .clk_i(clk_i),
    .wr_en_i(mem_we), .wr_be_i(1'b1), .wr_addr_i(mem_wr),
    .wr_data_i(init_q ? {ohca_fmt_pkg::bswap32(dflt), dflt} :
               add ? sum : {ohca_fmt_pkg::bswap32(mg_wdata_i & keep), mg_wdata_i & keep}),
    .rd_en_i(!(mg_valid_i && mg_we_i)), .rd_addr_i(mem_rd), .rd_data_o(mem_data)
  );
  `ASSERT(NotInInit_A, !(mg_valid_i && init_q))

  // ------------------------------------------------------------------ read
  // Reading the low half of a counter keeps the other.
  logic [31:0] rdata, rdata_q, vl_state, cnt_hi_q;
  logic        use_lo_q, use_hi_q, latch_q;
  always_comb begin
    vl_state = '0;
    for (int unsigned i = 0; i < NumVl; i++) if (mg_addr_i[2:0] == 3'(i)) vl_state =
        {4'd0, rx_fccl_i[12*i +: 12], 4'd0, tx_credit_i[12*i +: 12]};
    rdata = '0;
    if (is_cnt && mg_addr_i[0])                   rdata = cnt_hi_q;
    if (mg_addr_i[9:3] == 7'(WVlState >> 3))      rdata = vl_state;
    if (mg_addr_i == 10'(WEvent))                 rdata = {24'd0, event_q};
    if (mg_addr_i == 10'(WCaps))                  rdata = {8'(Gids), 8'(Pkeys), 8'(Arb), 4'd0, 4'(NumVl)};
  end
  always_ff @(posedge clk_i) begin
    if (mg_valid_i) begin
      rdata_q  <= rdata;
      use_hi_q <= is_gid0;
      use_lo_q <= (is_cnt && !mg_addr_i[0]) || (is_tab && (!is_gid || gid_v_q[gw]));
    end
    latch_q <= mg_valid_i && !mg_we_i && is_cnt && !mg_addr_i[0];
    if (latch_q) cnt_hi_q <= mem_data[63:32];
  end
  assign mg_rdata_o = use_hi_q ? mem_data[63:32] : use_lo_q ? mem_data[31:0] : rdata_q;

  logic unused;
  assign unused = &{1'b0, now_i[63:32], ctrl_q, pulse};

endmodule

`default_nettype wire
