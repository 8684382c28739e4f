// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Port registers: configuration, P_Key and GID tables, VL arbitration tables, sticky events and 64-bit counters, for the management core.
//
// Reads answer in the next cycle, table look-ups in the same one. The map is in formats/60-port.toml (byte offsets; mg_addr_i counts
// dwords) and docs/port-registers.md. Register writes act at once; nothing here waits for or stalls the packet path.

`include "ohca_assert.svh"
`default_nettype none

module ohca_port #(
  parameter int unsigned NumVl   = 4,
  localparam int unsigned Pkeys  = ohca_fmt_pkg::PORT_PKEYS,
  localparam int unsigned Gids   = ohca_fmt_pkg::PORT_GIDS,
  localparam int unsigned Arb    = ohca_fmt_pkg::PORT_ARB_ENTRIES,
  localparam int unsigned NumCnt = 20
) (
  input  logic                          clk_i,
  input  logic                          rst_i,
  input  logic [63:0]                   now_i,
  output logic                          idle_o,

  // Management bus
  input  logic                          mg_valid_i,
  input  logic                          mg_we_i,
  input  logic [9:0]                    mg_addr_i,      // dword address
  input  logic [31:0]                   mg_wdata_i,
  output logic [31:0]                   mg_rdata_o,     // next cycle
  output logic                          event_o,        // level: a sticky event that is in the mask

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

  logic wr, is_pkey, is_gid, is_arbl, is_arbh, is_cnt;
  assign wr      = mg_valid_i && mg_we_i;
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
  logic [31:0] mask_q;
  logic [7:0]  event_q, event_set;

  always_ff @(posedge clk_i) begin
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
      event_q  <= '0;
    end else begin
      event_q <= event_q | event_set;
      if (wr) begin
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
          10'(WMask):   mask_q          <= mg_wdata_i;
          10'(WEvent):  event_q         <= (event_q & ~mg_wdata_i[7:0]) | event_set;
          default: ;
        endcase
      end
    end
  end

  assign event_o     = (event_q & mask_q[7:0]) != '0;
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
  always_ff @(posedge clk_i) begin
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
  // Flops for whoever wants all of them at once, and small memories for the look-ups: a multiplexer of 32 entries per reader is dear.
  logic [Pkeys-1:0][15:0] pkeys_q;
  logic [Pkeys-1:0]       pkey_v_q;
  logic [15:0]            pkey_mem [Pkeys];
  assign pkeys_o = pkeys_q;
  always_comb begin
    for (int unsigned r = 0; r < 3; r++) begin
      pkey_o[r] = pkey_mem[pkey_idx_i[r][4:0]];
      if (!pkey_v_q[pkey_idx_i[r][4:0]]) pkey_o[r] = (pkey_idx_i[r][4:0] == 5'd0) ? 16'hffff : 16'd0;
      if (pkey_idx_i[r] >= 16'(Pkeys)) pkey_o[r] = 16'd0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (wr && is_pkey) pkey_mem[mg_addr_i[4:0]] <= mg_wdata_i[15:0];
    if (rst_i) begin
      pkeys_q    <= '0;
      pkeys_q[0] <= 16'hffff;
      pkey_v_q   <= '0;
    end else if (wr && is_pkey) begin
      for (int unsigned i = 0; i < Pkeys; i++) begin
        if (mg_addr_i[4:0] == 5'(i)) begin
          pkeys_q[i]  <= mg_wdata_i[15:0];
          pkey_v_q[i] <= 1'b1;
        end
      end
    end
  end

  // ------------------------------------------------------------------ GIDs
  // Four small memories, one per dword; an entry counts when its last dword was written.
  logic [31:0] gid0 [Gids];
  logic [31:0] gid1 [Gids];
  logic [31:0] gid2 [Gids];
  logic [31:0] gid3 [Gids];
  logic [Gids-1:0] gid_v_q;
  logic [3:0]  gw;
  assign gw = mg_addr_i[5:2];
  always_ff @(posedge clk_i) begin
    if (wr && is_gid && mg_addr_i[1:0] == 2'd0) gid0[gw] <= mg_wdata_i;
    if (wr && is_gid && mg_addr_i[1:0] == 2'd1) gid1[gw] <= mg_wdata_i;
    if (wr && is_gid && mg_addr_i[1:0] == 2'd2) gid2[gw] <= mg_wdata_i;
    if (wr && is_gid && mg_addr_i[1:0] == 2'd3) gid3[gw] <= mg_wdata_i;
    if (rst_i) gid_v_q <= '0;
    else if (wr && is_gid && mg_addr_i[1:0] == 2'd3) gid_v_q[gw] <= 1'b1;
  end

  logic [127:0] gid_rd;
  logic [3:0]   gr;
  assign gr     = gid_idx_i[3:0];
  assign gid_rd = {ohca_fmt_pkg::bswap32(gid0[gr]), ohca_fmt_pkg::bswap32(gid1[gr]),
                   ohca_fmt_pkg::bswap32(gid2[gr]), ohca_fmt_pkg::bswap32(gid3[gr])};
  assign gid_o  = (gid_idx_i == 8'd0) ? {prefix_q, guid_q} :
                  (gid_idx_i < 8'(Gids) && gid_v_q[gr]) ? gid_rd : '0;

  // ------------------------------------------------------------------ events
  logic [NumVl-1:0][31:0] seen_q;
  logic                   watch_hit;
  always_comb begin
    watch_hit = 1'b0;
    for (int unsigned v = 0; v < NumVl; v++) begin
      if (4'(v) < oper_vls && (now_i[31:0] - seen_q[v]) > watch_q) watch_hit = 1'b1;
    end
    if (watch_q == '0 || !ctrl_q.rx_data_en) watch_hit = 1'b0;
  end
  always_ff @(posedge clk_i) begin
    for (int unsigned v = 0; v < NumVl; v++) begin
      if (!ctrl_q.rx_data_en || watch_hit || (rx_stat_i.fc && rx_stat_i.fc_vl == 4'(v))) seen_q[v] <= now_i[31:0];
    end
  end

  always_comb begin
    event_set = '0;
    event_set[ohca_fmt_pkg::PORT_EVENT_FC_WATCHDOG[2:0]]    = watch_hit;
    event_set[ohca_fmt_pkg::PORT_EVENT_OVERRUN[2:0]]        = rx_stat_i.overrun;
    event_set[ohca_fmt_pkg::PORT_EVENT_LINK_INTEGRITY[2:0]] = rx_stat_i.vcrc || rx_stat_i.lpcrc;
    event_set[ohca_fmt_pkg::PORT_EVENT_DATA_RCVD[2:0]]      = rx_stat_i.pkt && rx_stat_i.data;
    event_set[ohca_fmt_pkg::PORT_EVENT_BAD_PKEY[2:0]]       = bad_pkey_i;
    event_set[ohca_fmt_pkg::PORT_EVENT_BAD_QKEY[2:0]]       = bad_qkey_i;
    event_set[ohca_fmt_pkg::PORT_EVENT_VL15_DROP[2:0]]      = rx_stat_i.vl15;
    event_set[ohca_fmt_pkg::PORT_EVENT_FC_RCVD[2:0]]        = rx_stat_i.fc;
  end

  // ------------------------------------------------------------------ counters
  // What comes in is gathered in small accumulators; one of them a cycle is added to its 64-bit word. Every accumulator is
  // visited each NumCnt cycles (so much may a reader be behind), so 12 bits hold the most that can come in between (16 dwords a cycle).
  localparam int unsigned AccW = 12;
  logic [NumCnt-1:0][AccW-1:0] inc, acc_q;
  always_comb begin
    inc = '0;
    inc[ohca_fmt_pkg::PORT_CNT_XMIT_DATA]       = tx_stat_i.pkt ? AccW'(tx_stat_i.dw) : '0;
    inc[ohca_fmt_pkg::PORT_CNT_XMIT_PKTS][0]    = tx_stat_i.pkt;
    inc[ohca_fmt_pkg::PORT_CNT_RCV_DATA]        = rx_stat_i.pkt ? AccW'(rx_stat_i.dw) : '0;
    inc[ohca_fmt_pkg::PORT_CNT_RCV_PKTS][0]     = rx_stat_i.pkt;
    inc[ohca_fmt_pkg::PORT_CNT_XMIT_MCAST][0]   = tx_stat_i.pkt && tx_stat_i.mcast;
    inc[ohca_fmt_pkg::PORT_CNT_RCV_MCAST][0]    = rx_stat_i.pkt && rx_stat_i.mcast;
    inc[ohca_fmt_pkg::PORT_CNT_RCV_ERR]         = AccW'(rx_stat_i.err) + AccW'(rx_stat_i.lpcrc);
    inc[ohca_fmt_pkg::PORT_CNT_RCV_REMOTE_PHYS][0] = rx_stat_i.remote;
    inc[ohca_fmt_pkg::PORT_CNT_RCV_VCRC][0]     = rx_stat_i.vcrc;
    inc[ohca_fmt_pkg::PORT_CNT_RCV_ICRC][0]     = rx_stat_i.icrc;
    inc[ohca_fmt_pkg::PORT_CNT_LPCRC][0]        = rx_stat_i.lpcrc;
    inc[ohca_fmt_pkg::PORT_CNT_XMIT_DISCARDS][0] = tx_stat_i.discard;
    inc[ohca_fmt_pkg::PORT_CNT_VL15_DROPPED][0] = rx_stat_i.vl15;
    inc[ohca_fmt_pkg::PORT_CNT_XMIT_WAIT][0]    = tx_stat_i.wait_;
    inc[ohca_fmt_pkg::PORT_CNT_OVERRUN][0]      = rx_stat_i.overrun;
    inc[ohca_fmt_pkg::PORT_CNT_SYMBOL_ERR][0]   = symbol_err_i;
    inc[ohca_fmt_pkg::PORT_CNT_BAD_PKEY][0]     = bad_pkey_i;
    inc[ohca_fmt_pkg::PORT_CNT_BAD_QKEY][0]     = bad_qkey_i;
    inc[ohca_fmt_pkg::PORT_CNT_FC_XMIT][0]      = tx_stat_i.fc;
    inc[ohca_fmt_pkg::PORT_CNT_FC_RCV][0]       = rx_stat_i.fc;
  end

  logic [63:0] cnt_mem [32];
  logic [4:0]  visit_q, cnt_idx;
  logic [63:0] cnt_sum, cnt_read;
  logic [AccW-1:0] acc_visit;
  logic [31:0] cnt_hi_q;
  logic        clr, init_q;
  assign clr      = wr && is_cnt;
  assign cnt_idx  = mg_addr_i[5:1];
  always_comb begin
    acc_visit = '0;
    for (int unsigned i = 0; i < NumCnt; i++) if (visit_q == 5'(i)) acc_visit = acc_visit | acc_q[i];
  end
  assign cnt_sum  = cnt_mem[visit_q] + 64'(acc_visit);
  assign cnt_read = cnt_mem[cnt_idx];
  assign idle_o   = !init_q && acc_q == '0;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      visit_q <= '0;
      init_q  <= 1'b1;
      acc_q   <= '0;
    end else begin
      visit_q <= (visit_q == 5'(NumCnt - 1)) ? '0 : visit_q + 5'd1;
      if (visit_q == 5'(NumCnt - 1)) init_q <= 1'b0;
      for (int unsigned i = 0; i < NumCnt; i++) begin
        if (init_q || (clr && cnt_idx == 5'(i)))     acc_q[i] <= inc[i];
        else if (!clr && visit_q == 5'(i))           acc_q[i] <= inc[i];
        else                                         acc_q[i] <= acc_q[i] + inc[i];
      end
    end
    // One write port: a clear by management takes the turn of the visited counter.
    if (clr)          cnt_mem[cnt_idx] <= '0;
    else if (init_q)  cnt_mem[visit_q] <= '0;
    else              cnt_mem[visit_q] <= cnt_sum;
    if (mg_valid_i && !mg_we_i && is_cnt && !mg_addr_i[0]) cnt_hi_q <= cnt_read[63:32];
  end

  // ------------------------------------------------------------------ read
  // The tables are read back from a memory of their own, which sees the same writes; what was never written has its reset value.
  logic [31:0] tab_data, rdata, rdata_q, vl_state, tab_dflt, gid0_word;
  logic        is_tab, tab_known, use_tab_q;
  logic [31:0] arb_v_q;                           // low, high
  assign is_tab = is_pkey || is_gid || is_arbl || is_arbh;
  ohca_ram_sdp #(.Width(32), .Depth(256)) u_tables (
    .clk_i(clk_i),
    .wr_en_i(wr && is_tab), .wr_be_i(1'b1), .wr_addr_i(mg_addr_i[7:0]),
    .wr_data_i(is_gid ? mg_wdata_i : is_pkey ? {16'd0, mg_wdata_i[15:0]} : {20'd0, mg_wdata_i[11:0]}),
    .rd_en_i(mg_valid_i), .rd_addr_i(mg_addr_i[7:0]), .rd_data_o(tab_data)
  );
  always_ff @(posedge clk_i) begin
    if (rst_i) arb_v_q <= '0;
    else if (wr && (is_arbl || is_arbh)) begin
      for (int unsigned i = 0; i < 2 * Arb; i++) if ({is_arbh, mg_addr_i[3:0]} == 5'(i)) arb_v_q[i] <= 1'b1;
    end
  end
  always_comb begin
    case (mg_addr_i[1:0])
      2'd0:    gid0_word = ohca_fmt_pkg::bswap32(prefix_q[63:32]);
      2'd1:    gid0_word = ohca_fmt_pkg::bswap32(prefix_q[31:0]);
      2'd2:    gid0_word = ohca_fmt_pkg::bswap32(guid_q[63:32]);
      default: gid0_word = ohca_fmt_pkg::bswap32(guid_q[31:0]);
    endcase
    tab_known = arb_v_q[{is_arbh, mg_addr_i[3:0]}];
    tab_dflt  = (is_arbl && mg_addr_i[3:0] == 4'd0) ? 32'd64 : 32'd0;
    if (is_pkey) begin
      tab_known = pkey_v_q[mg_addr_i[4:0]];
      tab_dflt  = (mg_addr_i[4:0] == 5'd0) ? 32'hffff : 32'd0;
    end
    if (is_gid) begin
      tab_known = gid_v_q[gw] && gw != 4'd0;
      tab_dflt  = (gw == 4'd0) ? gid0_word : 32'd0;
    end
    vl_state = '0;
    for (int unsigned i = 0; i < NumVl; i++) if (mg_addr_i[2:0] == 3'(i)) vl_state = {4'd0, rx_fccl_i[12*i +: 12], 4'd0, tx_credit_i[12*i +: 12]};
    rdata = '0;
    if (is_tab)       rdata = tab_dflt;
    else if (is_cnt)  rdata = mg_addr_i[0] ? cnt_hi_q : cnt_read[31:0];
    else if (mg_addr_i[9:3] == 7'(WVlState >> 3)) rdata = vl_state;
    else begin
      case (mg_addr_i)
        10'(WCtrl):   rdata = ctrl_q;
        10'(WLid):    rdata = {16'd0, lid_q};
        10'(WPrefLo): rdata = prefix_q[31:0];
        10'(WPrefHi): rdata = prefix_q[63:32];
        10'(WGuidLo): rdata = guid_q[31:0];
        10'(WGuidHi): rdata = guid_q[63:32];
        10'(WSlLo):   rdata = sl2vl_q[31:0];
        10'(WSlHi):   rdata = sl2vl_q[63:32];
        10'(WCyc4):   rdata = cyc4_q;
        10'(WCyc10):  rdata = cyc10_q;
        10'(WPeriod): rdata = period_q;
        10'(WWatch):  rdata = watch_q;
        10'(WEvent):  rdata = {24'd0, event_q};
        10'(WMask):   rdata = mask_q;
        10'(WCaps):   rdata = {8'(Gids), 8'(Pkeys), 8'(Arb), 4'd0, 4'(NumVl)};
        default:      rdata = '0;
      endcase
    end
  end
  always_ff @(posedge clk_i) begin
    if (mg_valid_i) begin
      rdata_q   <= rdata;
      use_tab_q <= is_tab && tab_known;
    end
  end
  assign mg_rdata_o = use_tab_q ? tab_data : rdata_q;

  logic unused;
  assign unused = &{1'b0, now_i[63:32], ctrl_q};

endmodule

`default_nettype wire
