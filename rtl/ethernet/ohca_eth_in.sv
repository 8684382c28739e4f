// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Ethernet frames in: sorts them into RoCEv2 and others, checks IP and UDP headers and the destination against the GID
// table, and hands RoCEv2 packets on in the internal form of docs/roce.md, other frames to the network interface as
// they came.
//
// One beat a cycle; a packet's first beat leaves 5 cycles after the beat with its 64th byte (or its last) was taken,
// with fewer GidLanes than GIDs 8 to 15 cycles (ohca_gid_match), and no cycle is lost between frames but those that
// the internal form is longer. It does NOT check the ICRC, the length of the frame against that in the IP header, or
// UDP checksums.
// lint: DataWidth=128
// lint: DataWidth=256
// lint: DataWidth=512

//         ┌─► beats ───────────────────────────────────┐
//   in ───┤                                            ├─► drop / network interface / shift by 14 or 10 ─► out
//         └─► first 64 bytes ─► fields ─► GID ─► verdict ─┘

`include "ohca_assert.svh"
`include "ohca_lazy.svh"
`default_nettype none

module ohca_eth_in #(
  parameter int unsigned DataWidth = 64,
  // GIDs that are compared at once. A RoCEv2 frame has 62 bytes or more: at 64 bits as many cycles as two lanes take.
  parameter int unsigned GidLanes  = (DataWidth == 64) ? 2 : ohca_fmt_pkg::PORT_GIDS,
  localparam int unsigned Bytes    = DataWidth / 8,
  localparam int unsigned NumW     = $clog2(Bytes) + 1,
  localparam int unsigned GidW     = ohca_fmt_pkg::GID_ENT_BITS,
  localparam int unsigned GidSteps = ohca_fmt_pkg::PORT_GIDS / GidLanes,
  localparam int unsigned StepW    = (GidSteps > 1) ? $clog2(GidSteps) : 1
) (
  input  logic                       clk_i,
  input  logic                       rst_i,
  output logic                       idle_o,
  output logic [63:0]                cnt_o,

  input  ohca_fmt_pkg::eth_ctrl_t    ctrl_i,
  input  logic [47:0]                mac_i,          // first wire byte in [47:40]
  input  logic [63:0]                hash_i,
  output logic [StepW-1:0]           gid_step_o,     // of ohca_gid_table
  input  logic [GidLanes*GidW-1:0]   gids_i,

  input  logic                       valid_i,
  output logic                       ready_o,
  input  logic [DataWidth-1:0]       data_i,         // first wire byte in [7:0]
  input  logic [NumW-1:0]            bytes_i,        // with last
  input  logic                       last_i,
  input  logic                       bad_i,          // with last: to be thrown away
  input  logic                       loop_i,         // stable through a frame

  // RoCEv2 packets, LRH to ICRC
  output logic                       valid_o,
  input  logic                       ready_i,
  output logic [DataWidth-1:0]       data_o,
  output logic [NumW-1:0]            bytes_o,
  output logic                       last_o,
  output logic                       bad_o,
  output logic                       loop_o,

  // Other frames. Who takes them takes every beat of a frame that began while nic_room_i was 1
  output logic                       nic_valid_o,
  input  logic                       nic_room_i,
  output logic [DataWidth-1:0]       nic_data_o,
  output logic [Bytes-1:0]           nic_keep_o,
  output logic                       nic_last_o,
  output logic                       nic_err_o       // with last
);

  localparam int unsigned Beats = 64 / Bytes;                // of the header window
  localparam int unsigned IdxW  = (Beats > 1) ? $clog2(Beats) : 1;
  localparam int unsigned Depth = (DataWidth == 64) ? 32 : 16;
  localparam int unsigned R14   = 14 % Bytes;
  localparam int unsigned R10   = 10 % Bytes;
  localparam bit          Lrh1  = Bytes == 8;                // the LRH is a beat of its own

  // ------------------------------------------------------------------ beats
  localparam int unsigned BW = DataWidth + NumW + 3;
  logic                 fire, q_valid, q_pop, d_valid, d_pop, d_last, d_bad, d_loop, d_ready;
  logic [BW-1:0]        q_beat;
  logic [DataWidth-1:0] d_data;
  logic [NumW-1:0]      d_bytes;
  ohca_fifo #(.Width(BW), .Depth(Depth), .UseRam(1'b0)) u_beats (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(valid_i), .ready_o(d_ready),
    .data_i({last_i, bad_i, loop_i, bytes_i, data_i}),
    .valid_o(q_valid), .ready_i(q_pop), .data_o(q_beat), .count_o(), .almost_full_o()
  );
  ohca_stage #(.Width(BW)) u_beat (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(q_valid), .ready_o(q_pop), .data_i(q_beat),
    .valid_o(d_valid), .ready_i(d_pop), .data_o({d_last, d_bad, d_loop, d_bytes, d_data})
  );
  assign ready_o = d_ready;
  assign fire    = valid_i && ready_o;

  // ------------------------------------------------------------------ header window
  logic [511:0]    hdr_q;
  logic [IdxW-1:0] idx_q;
  logic            past_q, h_valid_q, h_loop_q;
  logic            tg_q;                                     // its frame has a VLAN tag: where all else is
  logic [6:0]      h_n_q;                                    // bytes of the frame in the window
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      idx_q     <= '0;
      past_q    <= 1'b0;
      h_valid_q <= 1'b0;
    end else begin
      h_valid_q <= fire && !past_q && (last_i || idx_q == IdxW'(Beats - 1));
      if (fire) begin
        idx_q  <= (last_i || idx_q == IdxW'(Beats - 1)) ? '0 : idx_q + IdxW'(1);
        past_q <= !last_i && (past_q || idx_q == IdxW'(Beats - 1));
      end
    end
    if (fire && !past_q) begin
      for (int unsigned i = 0; i < Beats; i++) if (idx_q == IdxW'(i)) hdr_q[i * DataWidth +: DataWidth] <= data_i;
      h_n_q    <= 7'(32'(idx_q) * Bytes) + (last_i ? 7'(bytes_i) : 7'(Bytes));
      h_loop_q <= loop_i;
      if (idx_q == IdxW'(12 / Bytes)) tg_q <= data_i[8 * (12 % Bytes) +: 16] == 16'h0081;
    end
  end

  // ------------------------------------------------------------------ fields
  // In wire order: first byte in the most significant place.
  logic [511:0] w;
  logic [367:0] ip;                                          // 46 bytes from the IP header on
  logic         is4, is6, udp4, udp6, v6;
  logic [15:0]  etype, dport4;
  logic [3:0]   ihl;
  logic [6:0]   l2;
  always_comb begin
    w = '0;
    `WHEN(h_valid_q) for (int unsigned i = 0; i < 64; i++) w[511-8*i -: 8] = hdr_q[8*i +: 8];
    ip     = tg_q ? w[511-144 -: 368] : w[511-112 -: 368];
    etype  = tg_q ? w[511-128 -: 16] : w[511-96 -: 16];
    l2     = tg_q ? 7'd18 : 7'd14;
    ihl    = ip[363:360];
    case (ihl)
      4'd5:    dport4 = ip[367-176 -: 16];
      4'd6:    dport4 = ip[367-208 -: 16];
      4'd7:    dport4 = ip[367-240 -: 16];
      4'd8:    dport4 = ip[367-272 -: 16];
      4'd9:    dport4 = ip[367-304 -: 16];
      4'd10:   dport4 = ip[367-336 -: 16];
      default: dport4 = 16'd0;
    endcase
    // One of both if it is RoCEv2; of others nobody looks at what is cut by it.
    v6     = ip[365];
    is4    = etype == 16'h0800 && ip[367:364] == 4'd4;
    is6    = etype == 16'h86dd && ip[367:364] == 4'd6;
    // A later fragment has no ports; a first one has.
    udp4   = is4 && ip[367-72 -: 8] == 8'd17 && ip[367-51 -: 13] == 13'd0 &&
        dport4 == 16'(ohca_fmt_pkg::ROCE_UDP_DPORT) &&
             h_n_q >= l2 + {1'b0, ihl, 2'd0} + 7'd6;
    udp6   = is6 && ip[367-48 -: 8] == 8'd17 && ip[367-336 -: 16] == 16'(ohca_fmt_pkg::ROCE_UDP_DPORT) &&
        h_n_q >= l2 + 7'd46;
  end

  // The CRC-32 of six bytes, for the multicast filter.
  function automatic logic [5:0] hash_of(input logic [47:0] m);
    logic [31:0] c;
    c = 32'hffffffff;
    for (int unsigned b = 0; b < 6; b++) begin
      for (int unsigned i = 0; i < 8; i++) c = (c >> 1) ^ ((c[0] ^ m[40-8*b+i]) ? 32'hedb88320 : 32'd0);
    end
    c = ~c;
    hash_of = c[31:26];
  endfunction

  logic         r_valid_q, r_roce_q, r_v1_q, r_v6_q, r_opt_q, r_frag_q, r_ctl_q, r_loop_q, r_tag_q, r_ce_q, r_len_q,
      r_udp_q, r_short_q, r_hash_q,
                r_mc_q, r_mc_mac_q;
  logic [47:0]  r_dmac_q;
  logic [127:0] r_dgid_q;
  logic [15:0]  r_tci_q, pay;
  logic [10:0]  r_words_q;
  logic [18:0]  r_sum0_q, r_sum1_q, sum0, sum1;
  logic [16:0]  span;                                        // bytes from the IP header to the ICRC
  always_comb begin
    sum0 = '0;
    sum1 = '0;
    `WHEN(h_valid_q) for (int unsigned i = 0; i < 5; i++) begin
      sum0 = sum0 + 19'(ip[367-16*i -: 16]);
      sum1 = sum1 + 19'(ip[367-80-16*i -: 16]);
    end
    pay  = v6 ? ip[367-32 -: 16] : ip[367-16 -: 16] - 16'd20;         // UDP header and what follows
    span = v6 ? {1'b0, ip[367-32 -: 16]} + 17'd40 : {1'b0, ip[367-16 -: 16]};
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) r_valid_q <= 1'b0;
    else       r_valid_q <= h_valid_q;
    if (h_valid_q) begin
      r_roce_q  <= udp4 || udp6;
      r_v1_q    <= etype == 16'h8915;
      r_ctl_q   <= etype == 16'h8808;
      r_short_q <= h_n_q < 7'd14 || (tg_q && h_n_q < 7'd18);
      r_v6_q    <= udp6;
      r_opt_q   <= udp4 && ihl != 4'd5;
      r_frag_q  <= udp4 && ip[367-50];
      r_len_q   <= pay[1:0] != 2'd0 || (v6 ? pay < 16'd24 : ip[367-16 -: 16] < 16'd44);
      r_udp_q   <= (v6 ? ip[367-352 -: 16] : ip[367-192 -: 16]) != pay;
      r_sum0_q  <= sum0;
      r_sum1_q  <= sum1;
      r_loop_q  <= h_loop_q;
      r_tag_q   <= tg_q;
      r_tci_q   <= tg_q ? w[511-112 -: 16] : 16'd0;
      r_dmac_q  <= w[511 -: 48];
      r_hash_q  <= hash_i[hash_of(w[511 -: 48])];
      r_ce_q    <= (v6 ? ip[357:356] : ip[353:352]) == 2'd3;
      r_mc_q    <= v6 ? ip[367-192 -: 8] == 8'hff : ip[367-128 -: 4] == 4'he;
      r_mc_mac_q <= v6 ? w[511 -: 48] == {16'h3333, ip[367-288 -: 32]} :
          w[511 -: 48] == {24'h01005e, 1'b0, ip[367-137 -: 23]};
      r_dgid_q  <= v6 ? ip[367-192 -: 128] : {80'd0, 16'hffff, ip[367-128 -: 32]};
      // Beyond what the field holds it is too long in any case.
      r_words_q <= (span > 17'd8000) ? 11'd2047 : 11'd7 + 11'(span >> 2);
    end
  end

  // ------------------------------------------------------------------ verdict
  typedef enum logic [1:0] { K_DROP, K_ROCE, K_NIC } kind_e;
  // K_ROCE: if its GID is there.
  kind_e           r_kind, v_kind;
  logic [5:0]      r_why, v_why;                             // 63: nothing to count
  logic [1:0]      v_kind_b;
  logic [19:0]     sum;
  logic            sum_ok, mine;
  always_comb begin
    sum    = {1'b0, r_sum0_q} + {1'b0, r_sum1_q};
    // sum[15:0] + sum[19:16] is 0xffff: sixteen ones are missing by what is above them, less than sixteen.
    sum_ok = (&sum[15:4]) && sum[3:0] == ~sum[19:16];
    mine   = ctrl_i.promisc || r_dmac_q == mac_i || (&r_dmac_q) || (r_dmac_q[40] && (ctrl_i.allmulti || r_hash_q));
    r_kind = K_DROP;
    r_why  = 6'd63;
    // Not ETH_TRUNC, which ohca_link_rx may count in the same cycle.
    if (r_short_q)                 r_why = ohca_fmt_pkg::COUNTER_ETH_IP_LEN;
    else if (r_v1_q)               r_why = ohca_fmt_pkg::COUNTER_ETH_V1;
    else if (r_roce_q) begin
      if (r_opt_q)                       r_why = ohca_fmt_pkg::COUNTER_ETH_IP_OPT;
      else if (r_frag_q)                 r_why = ohca_fmt_pkg::COUNTER_ETH_FRAG;
      else if (!r_v6_q && !sum_ok)       r_why = ohca_fmt_pkg::COUNTER_ETH_IP_SUM;
      else if (r_len_q)                  r_why = ohca_fmt_pkg::COUNTER_ETH_IP_LEN;
      else if (r_udp_q)                  r_why = ohca_fmt_pkg::COUNTER_ETH_UDP_LEN;
      else                               r_kind = K_ROCE;
    end else if (r_loop_q || r_ctl_q || !ctrl_i.nic_en || !mine)
        r_why = r_ctl_q ? 6'd63 : ohca_fmt_pkg::COUNTER_ETH_MAC;
    else                           r_kind = K_NIC;
  end

  localparam int unsigned InfoW = 2 + 6 + 1 + 1 + 16 + 11 + 1;
  logic             m_valid, m_need, m_gid, m_vid, m_mac, m_idle, m_v6, m_tag, m_ce;
  logic [5:0]       m_why;
  logic [7:0]       m_idx;
  logic [15:0]      m_tci;
  logic [10:0]      m_words;
  ohca_gid_match #(.Lanes(GidLanes), .InfoW(InfoW), .Depth(Depth)) u_gid (
    .clk_i(clk_i), .rst_i(rst_i), .idle_o(m_idle), .step_o(gid_step_o), .ents_i(gids_i),
    .valid_i(r_valid_q), .need_i(r_kind == K_ROCE), .mc_i(r_mc_q), .mc_mac_i(r_mc_mac_q), .v6_i(r_v6_q),
    .vid_i(r_tci_q[11:0]), .dmac_i(r_dmac_q), .dgid_i(r_dgid_q),
    .info_i({r_kind, r_why, r_v6_q, r_tag_q, r_tag_q ? r_tci_q : 16'hffff, r_words_q, r_ce_q}),
    .valid_o(m_valid), .need_o(m_need), .gid_o(m_gid), .vid_o(m_vid), .mac_o(m_mac), .idx_o(m_idx),
    .info_o({v_kind_b, m_why, m_v6, m_tag, m_tci, m_words, m_ce})
  );
  always_comb begin
    v_kind = kind_e'(v_kind_b);
    v_why  = m_why;
    if (m_need && !m_mac) begin
      v_kind = K_DROP;
      v_why  = !m_gid ? ohca_fmt_pkg::COUNTER_ETH_GID : !m_vid ? ohca_fmt_pkg::COUNTER_ETH_VLAN :
               ohca_fmt_pkg::COUNTER_ETH_MAC;
    end
  end

  localparam int unsigned VW = 2 + 1 + 1 + 16 + 11 + 8 + 1;
  logic        q_v_valid, q_v_pop, v_valid, v_pop, v_ready, f_v6, f_tag, f_ce;
  logic [VW-1:0] q_verdict;
  kind_e       f_kind;
  logic [1:0]  f_kind_b;
  logic [15:0] f_tci;
  logic [10:0] f_words;
  logic [7:0]  f_idx;
  ohca_fifo #(.Width(VW), .Depth(Depth), .UseRam(1'b0)) u_verdict (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(m_valid), .ready_o(v_ready),
    .data_i({v_kind, m_v6, m_tag, m_tci, m_words, m_idx, m_ce}),
    .valid_o(q_v_valid), .ready_i(q_v_pop), .data_o(q_verdict), .count_o(), .almost_full_o()
  );
  // As many places as there are beats.
  ohca_stage #(.Width(VW)) u_next (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(q_v_valid), .ready_o(q_v_pop), .data_i(q_verdict),
    .valid_o(v_valid), .ready_i(v_pop), .data_o({f_kind_b, f_v6, f_tag, f_tci, f_words, f_idx, f_ce})
  );
  assign f_kind = kind_e'(f_kind_b);

  // ------------------------------------------------------------------ out
  logic                 first_q, pre_q, tail_q, gone_q, nic_no_q, nic_no;
  logic [DataWidth-1:0] carry_q, shifted, lrh;
  logic [12:0]          left_q, left;
  logic [13:0]          need_q;                              // of the packet's bytes those that the next beat must have
  logic [NumW:0]        avail, tail_n_q;                     // bytes that there are for this beat
  logic [NumW-1:0]      r;
  logic                 roce, nic, start, small_q, go_lrh, go_data, ends, cut, hold, o_fire, raw_q;

  assign r       = f_tag ? NumW'(R10) : NumW'(R14);
  assign roce    = v_valid && f_kind == K_ROCE;
  assign nic     = v_valid && f_kind == K_NIC;
  assign start   = first_q && !tail_q;
  assign left    = (start && !pre_q) ? {f_words, 2'd0} : left_q;
  assign go_lrh  = Lrh1 && start && !pre_q;
  assign go_data = d_valid && !gone_q && !tail_q && !go_lrh;
  assign avail   = (NumW+1)'(r) + (d_last ? (NumW+1)'(d_bytes) : (NumW+1)'(Bytes));
  // The packet ends in this beat: never in its first one, as a packet that is let through has 72 bytes and more. Where
  // no more than a beat is left, a beat that is not the frame's last brings it.
  assign ends    = small_q && (Lrh1 || !first_q) && (!d_last || need_q[13] || 13'(d_bytes) >= need_q[12:0]);
  assign cut     = d_last && (f_tag ? d_bytes <= NumW'(Bytes - R10) : d_bytes <= NumW'(Bytes - R14));  // the frame does
  // The packet's last bytes wait in carry_q until the frame has ended well, when more of it follows.
  assign hold    = roce && go_data && ends && !d_last;

  always_comb begin
    lrh        = '0;
    lrh[15:8]  = {1'b0, (f_tag ? f_tci[15:13] : 3'd0), 3'd0, f_v6};
    lrh[31:16] = {f_tci[7:0], f_tci[15:8]};
    lrh[47:32] = {f_words[7:0], 5'd0, f_words[10:8]};
    lrh[63:48] = {f_idx, 7'd0, f_ce};
    shifted    = '0;
    `WHEN(roce) begin
      if (f_tag) shifted = (carry_q >> 8 * (Bytes - R10)) | (tail_q ? '0 : d_data << 8 * R10);
      else       shifted = (carry_q >> 8 * (Bytes - R14)) | (tail_q ? '0 : d_data << 8 * R14);
      if (start && !go_lrh) begin
        shifted = f_tag ? d_data << 8 * R10 : d_data << 8 * R14;
        if (!Lrh1) shifted = shifted | lrh;
      end
      if (go_lrh) shifted = lrh;
      if (tail_q && raw_q) shifted = carry_q;
    end
  end

  assign valid_o = roce && (go_lrh || (go_data && !hold) || tail_q);
  assign data_o  = shifted;
  assign loop_o  = d_loop_eff;
  assign last_o  = !go_lrh && (tail_q || ends || cut);
  assign bytes_o = go_lrh ? NumW'(Bytes) : tail_q ? ((13'(tail_n_q) < left_q) ? NumW'(tail_n_q) : NumW'(left_q)) :
                   ends ? NumW'(left_q) : cut ? NumW'(avail) : NumW'(Bytes);
  assign bad_o   = tail_q ? tail_bad_q : d_last && d_bad;
  assign o_fire  = valid_o && ready_i;

  logic tail_bad_q, tail_loop_q, d_loop_eff;
  assign d_loop_eff = tail_q ? tail_loop_q : d_loop;

  // Others: taken or left whole.
  assign nic_no      = first_q ? !nic_room_i : nic_no_q;
  assign nic_valid_o = nic && d_valid && !nic_no;
  assign nic_data_o  = d_data;
  assign nic_last_o  = d_last;
  assign nic_err_o   = d_bad;
  always_comb begin
    nic_keep_o = '1;
    `WHEN(d_last) for (int unsigned i = 0; i < Bytes; i++) nic_keep_o[i] = !d_last || d_bytes > NumW'(i);
  end

  assign d_pop = v_valid && (roce ? (gone_q || (go_data && (hold || ready_i))) : !tail_q);
  assign v_pop = (d_valid && d_pop && d_last && !(roce && (gone_q || (!ends && !cut)))) || (tail_q && o_fire);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      first_q  <= 1'b1;
      pre_q    <= 1'b0;
      tail_q   <= 1'b0;
      gone_q   <= 1'b0;
      nic_no_q <= 1'b0;
    end else begin
      if (o_fire && go_lrh) pre_q <= 1'b1;
      if (d_valid && d_pop) begin
        first_q <= d_last;
        pre_q   <= 1'b0;
        gone_q  <= !d_last && (gone_q || hold);
        if (roce && d_last && (gone_q || (!ends && !cut))) tail_q <= 1'b1;
      end
      if (tail_q && o_fire) tail_q <= 1'b0;
      nic_no_q <= nic_no;
    end
    if (o_fire) begin
      left_q  <= left - 13'(Bytes);
      need_q  <= {1'b0, left} - 14'(Bytes) - 14'(r);
      small_q <= left <= 13'(2 * Bytes);
    end
    if (d_valid && d_pop) begin
      if (!gone_q) carry_q <= hold ? shifted : d_data;
      raw_q       <= gone_q;
      tail_n_q    <= gone_q ? (NumW+1)'(Bytes) : avail - (NumW+1)'(Bytes);
      tail_bad_q  <= d_bad;
      tail_loop_q <= d_loop;
    end
  end

  // ------------------------------------------------------------------ what happened
  logic       why_q_v, nic_take_q, nic_lost_q;
  logic [5:0] why_q;
  always_ff @(posedge clk_i) begin
    why_q_v    <= m_valid && v_kind == K_DROP && v_why != 6'd63 && !rst_i;
    why_q      <= v_why;
    nic_take_q <= nic_valid_o && first_q && !rst_i;
    nic_lost_q <= nic && d_valid && first_q && nic_no && !rst_i;
  end
  always_comb begin
    cnt_o = '0;
    for (int unsigned i = 0; i < 64; i++) cnt_o[i] = why_q_v && why_q == 6'(i);
    cnt_o[ohca_fmt_pkg::COUNTER_ETH_NIC]      = nic_take_q;
    cnt_o[ohca_fmt_pkg::COUNTER_ETH_NIC_DROP] = nic_lost_q;
  end

  assign idle_o = !valid_i && !q_valid && !d_valid && !q_v_valid && !v_valid && !h_valid_q && m_idle && !tail_q;

  `ASSERT(VerdictRoom_A, !m_valid || v_ready)

  logic unused;
  assign unused = &{1'b0, v_ready, ctrl_i, ip, w, r_tci_q[12]};

endmodule

`default_nettype wire
