// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Packet builder, headers: descriptors (txd) in, the header bytes of one packet after the other out, a beat at a
// time, in the order of the wire: LRH, GRH, BTH and extension headers, or the internal form of an Ethernet port
// (docs/roce.md).
//
//   txd -> queue -> register (which extension header, how long, P_Key, SGID) -> header (VL, lengths) -> shift register
//
// A header lies in the shift register 3 cycles after its descriptor; the next one can follow in the cycle behind
// hdr_done_i (with Compact a cycle later). Its first beat is not moved: hdr_o has first wire byte in [7:0], hdr_left_o
// says how many 4-byte words are left. ready: txd_ready_o is the queue's. It does NOT choose the VL where there are
// several (whoever emits a descriptor has), nor does it know how the payload comes; it says in hdr_info_o that the
// packet must not leave: drop; gone, from the cycle behind gone_i on.
// lint: DW=128
// lint: DW=512
// lint: DW=512 RoCE=0

`include "ohca_lazy.svh"
`default_nettype none

module ohca_txb_hdr #(
  parameter int unsigned DW       = 64,
  parameter int unsigned TxdDepth = 32,      // descriptors waiting, power of two
  parameter bit          RoCE     = 1'b1,    // cfg_i.eth is heeded
  parameter int unsigned NumVl    = 1,       // 1: the VL is looked up here
  parameter bit          Compact  = 1'b0,    // one descriptor waits, in flops
  localparam int unsigned Lanes   = DW / 8
) (
  input  logic                       clk_i,
  input  logic                       rst_i,
  output logic                       idle_o,

  input  ohca_fmt_pkg::port_cfg_t    cfg_i,
  output logic [15:0]                pkey_idx_o,     // tables of ohca_port, combinational
  input  logic [15:0]                pkey_i,
  output logic [7:0]                 gid_idx_o,
  input  logic [127:0]               gid_i,          // first wire byte in [127:120]
  input  ohca_fmt_pkg::gid_ent_t     eth_gid_i,      // the same entry of an Ethernet port's table

  input  logic                       txd_valid_i,
  output logic                       txd_ready_o,
  input  ohca_fmt_pkg::txd_t         txd_i,
  input  logic [63:0]                gone_i,         // by slot, of requests: the QP was reset

  output logic                       hdr_valid_o,
  output logic [DW-1:0]              hdr_o,          // the next bytes of the header
  output logic [4:0]                 hdr_left_o,     // 4-byte words left
  output logic                       hdr_pay_o,      // payload follows
  output ohca_fmt_pkg::txh_t         hdr_info_o,
  input  logic                       hdr_shift_i,    // the beat is taken
  input  logic                       hdr_done_i      // the header is taken whole
);

  localparam int unsigned LaneW = $clog2(Lanes);
  localparam int unsigned HdrB  = RoCE ? 108 : 80;           // longest header in bytes
  localparam int unsigned HdrW  = (HdrB + Lanes - 1) / Lanes;

  logic                              d_valid, d_take, d_load, x_valid, x_take, hq_valid_q;
  logic [ohca_fmt_pkg::TXD_BITS-1:0] x_flat;
  ohca_fmt_pkg::txd_t                d, x;
  logic [15:0]                       pkey;          // of d
  logic [127:0]                      gid;
  ohca_fmt_pkg::gid_ent_t            eth_gid;
  logic [2:0]                        x_ext_w;
  logic [10:0]                       x_pay_w, x_bth_w;
  ohca_fmt_pkg::av_t                 av, x_av;
  ohca_fmt_pkg::lrh_t                lrh;
  ohca_fmt_pkg::grh_t                grh;
  ohca_fmt_pkg::bth_t                bth;
  ohca_fmt_pkg::reth_t               reth;
  ohca_fmt_pkg::deth_t               deth;
  logic [159:0]                      ext;
  ohca_fmt_pkg::opcode_t             x_is;
  logic [2:0]                        ext_w;         // in 4-byte words
  logic [10:0]                       bth_w;         // from BTH to ICRC
  logic [3:0]                        vl;
  logic [6:0]                        lmc_mask;      // path bits that the port has
  logic [639:0]                      hdr_be;
  logic [HdrB*8-1:0]                 hdr_le, eth_le;
  logic                              eth, eth_bad, eth_v6;
  logic [19:0]                       sum;
  logic [4:0]                        hdr_w;

  ohca_fifo #(.Width(ohca_fmt_pkg::TXD_BITS), .Depth(TxdDepth), .Single(Compact), .UseRam(1'b0)) u_txd (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(txd_valid_i), .ready_o(txd_ready_o), .data_i(txd_i),
    .valid_o(x_valid), .ready_i(x_take), .data_o(x_flat), .count_o(), .almost_full_o()
  );
  // The next descriptor and how long its packet is lie in registers (Compact: those of the queue).
  assign x       = ohca_fmt_pkg::txd_t'(x_flat);
  assign x_pay_w = 11'((x.plen + 13'd3) >> 2);
  assign x_bth_w = 11'd4 + 11'(x_ext_w) + x_pay_w;
  ohca_opcode u_opcode (.op_i(x.bth_op), .is_o(x_is));
  assign x_ext_w = x_is.cnp ? 3'd4 : x_is.ext;  // 16 bytes of a CNP are reserved
  assign d_load = d_take && d_valid;
  // What the port's tables say, which may lie far away.
  logic                   x_valid_q, x_look;
  logic [15:0]            pkey_q;
  logic [127:0]           gid_q;
  ohca_fmt_pkg::gid_ent_t eth_gid_q;
  always_ff @(posedge clk_i) begin
    if (x_look) begin
      pkey_q    <= pkey_i;
      gid_q     <= gid_i;
      eth_gid_q <= eth_gid_i;
    end
  end
  assign d_valid = x_valid_q;
  assign pkey    = pkey_q;
  assign gid     = gid_q;
  assign eth_gid = eth_gid_q;
  if (Compact) begin : g_txd_single
    // The descriptor stays in the queue's register while the tables are asked, and no header follows in the cycle of
    // the last one's end, so that what loads the wide register is a flop.
    assign d_take  = !hq_valid_q;
    assign x_take  = d_load;
    assign x_look  = 1'b1;
    assign d       = x;
    always_ff @(posedge clk_i) begin
      if (rst_i) x_valid_q <= 1'b0;
      else       x_valid_q <= x_valid;
      ext_w <= x_ext_w;                             // in the same cycle
      bth_w <= x_bth_w;
    end
  end else begin : g_txd_stage
    ohca_fmt_pkg::txd_t x_q;
    logic [2:0]         x_ext_w_q;
    logic [10:0]        x_bth_w_q;
    assign d_take  = !hq_valid_q || hdr_done_i;
    assign x_take  = !x_valid_q || d_take;
    assign x_look  = x_take && x_valid;
    assign d       = x_q;
    assign ext_w   = x_ext_w_q;
    assign bth_w   = x_bth_w_q;
    always_ff @(posedge clk_i) begin
      if (rst_i) x_valid_q <= 1'b0;
      else if (x_take) x_valid_q <= x_valid;
      if (x_look) begin
        x_q       <= x;
        x_ext_w_q <= x_ext_w;
        x_bth_w_q <= x_bth_w;
      end
    end
  end
  assign av         = ohca_fmt_pkg::av_t'(d.av);
  assign x_av       = ohca_fmt_pkg::av_t'(x.av);
  assign pkey_idx_o = x.pkey_index;
  assign gid_idx_o  = x_av.sgid_index;
  assign eth        = RoCE && cfg_i.eth;
  assign vl         = (NumVl > 1) ? d.vl : d.vl15 ? 4'd15 : cfg_i.sl2vl[{av.sl, 2'b00} +: 4];
  assign hdr_w      = 5'd5 + 5'(ext_w) + (eth ? 5'd7 + (eth_v6 ? 5'd10 : 5'd5) : av.grh ? 5'd10 : 5'd0);

  assign lmc_mask   = ~(7'h7f << cfg_i.lmc);

  // Worked out in the one cycle in which it goes into the shift register.
  always_comb begin
    lrh    = '0;
    grh    = '0;
    bth    = '0;
    reth   = '0;
    deth   = '0;
    ext    = '0;
    hdr_be = '0;
    `WHEN(d_load) begin
      lrh.vl     = vl;
      lrh.sl     = av.sl;
      lrh.lnh    = av.grh ? 2'd3 : 2'd2;
      lrh.dlid   = av.dlid;
      lrh.pktlen = 11'd2 + bth_w + (av.grh ? 11'd10 : 11'd0);
      lrh.slid   = d.slid_perm ? 16'hffff : cfg_i.lid | {9'd0, av.path_bits & lmc_mask};

      grh.ipver  = 4'd6;
      grh.tclass = av.tclass;
      grh.flow   = av.flow_label;
      grh.paylen = {3'd0, bth_w, 2'd0};
      grh.nxthdr = 8'h1b;
      grh.hoplmt = av.hop_limit;
      grh.sgid   = gid;
      grh.dgid   = ohca_fmt_pkg::bswap128(av.dgid);

      bth.opcode = d.bth_op;
      bth.se     = d.se;
      bth.becn   = d.bth_op == ohca_fmt_pkg::BTH_OP_CNP;
      bth.migreq = d.migreq;
      bth.padcnt = ohca_fmt_pkg::padcnt(d.plen[1:0]);
      bth.pkey   = d.vl15 ? 16'hffff : pkey;
      bth.destqp = d.dqpn;
      bth.ackreq = d.ackreq;
      bth.psn    = d.psn;

      reth.va     = d.va;
      reth.rkey   = d.rkey;
      reth.dmalen = d.dmalen;
      deth.qkey   = d.qkey;
      deth.srcqp  = d.qpn;

      case (d.bth_op)
        ohca_fmt_pkg::BTH_OP_SEND_LAST_IMM, ohca_fmt_pkg::BTH_OP_SEND_ONLY_IMM,
        ohca_fmt_pkg::BTH_OP_WRITE_LAST_IMM: begin
          ext   = {ohca_fmt_pkg::bswap32(d.imm), 128'd0};
        end
        ohca_fmt_pkg::BTH_OP_SEND_LAST_INV, ohca_fmt_pkg::BTH_OP_SEND_ONLY_INV: begin
          ext   = {d.rkey, 128'd0};
        end
        ohca_fmt_pkg::BTH_OP_WRITE_FIRST, ohca_fmt_pkg::BTH_OP_WRITE_ONLY, ohca_fmt_pkg::BTH_OP_READ_REQ: begin
          ext   = {reth, 32'd0};
        end
        ohca_fmt_pkg::BTH_OP_WRITE_ONLY_IMM: begin
          ext   = {reth, ohca_fmt_pkg::bswap32(d.imm)};
        end
        ohca_fmt_pkg::BTH_OP_READ_RESP_FIRST, ohca_fmt_pkg::BTH_OP_READ_RESP_LAST, ohca_fmt_pkg::BTH_OP_READ_RESP_ONLY,
        ohca_fmt_pkg::BTH_OP_ACK: begin
          ext   = {d.aeth, 128'd0};
        end
        ohca_fmt_pkg::BTH_OP_UD_SEND_ONLY: begin
          ext   = {deth, 96'd0};
        end
        ohca_fmt_pkg::BTH_OP_UD_SEND_ONLY_IMM: begin
          ext   = {deth, ohca_fmt_pkg::bswap32(d.imm), 64'd0};
        end
        ohca_fmt_pkg::BTH_OP_CNP: begin                  // 16 reserved bytes
          ext   = '0;
        end
        default: begin
          ext   = '0;
        end
      endcase
      hdr_be = av.grh ? {lrh, grh, bth, ext} : {lrh, bth, ext, 320'd0};
    end
  end
  always_comb begin
    hdr_le = '0;
    `WHEN(d_load) begin
      for (int unsigned i = 0; i < 80; i++) hdr_le[8*i +: 8] = hdr_be[639-8*i -: 8];
      if (eth) hdr_le = eth_le;
    end
  end

  // -------------------------------------------------------------------------------- Ethernet port
  // IP always begins at byte 28. The IPv4 checksum is summed up here and put in a cycle later.
  if (RoCE) begin : g_eth
    ohca_fmt_pkg::lrh_t  el;
    ohca_fmt_pkg::ipv4_t ip4;
    ohca_fmt_pkg::ipv6_t ip6;
    ohca_fmt_pkg::udp_t  udp;
    logic [127:0]        dgid;
    logic [47:0]         dmac;
    logic [15:0]         key;
    logic                no_ect;
    logic [7:0]          tos;
    logic [15:0]         udp_len;
    logic [159:0]        l2;
    logic [863:0]        be;
    assign eth_v6  = eth_gid.gtype == ohca_fmt_pkg::GID_TYPE_ROCE_V2_IPV6;
    assign dgid    = ohca_fmt_pkg::bswap128(av.dgid);
    assign dmac    = {ohca_fmt_pkg::bswap32(av.dmac_lo), av.dmac_hi[7:0], av.dmac_hi[15:8]};
    assign eth_bad = d.vl15 ||
                     (!eth_v6 && (eth_gid.gtype != ohca_fmt_pkg::GID_TYPE_ROCE_V2_IPV4 || dgid[127:32] != 96'hffff));
    // Acknowledges and CNPs are not ECN-capable: nobody would be told of a mark on them.
    assign no_ect  = d.bth_op == ohca_fmt_pkg::BTH_OP_CNP || d.bth_op[4:0] == 5'h11 || d.bth_op[4:0] == 5'h12;
    assign tos     = {av.tclass[7:2], no_ect ? 2'd0 : (cfg_i.ect && av.tclass[1:0] == 2'd0) ? 2'd2 : av.tclass[1:0]};
    assign udp_len = {3'd0, bth_w + 11'd2, 2'd0};
    // Who shares a key is spaced together by the static rate; multicast and loopback are what the link layer knows
    // by it.
    assign key     = dmac[47:32] ^ dmac[31:16] ^ dmac[15:0];
    always_comb begin
      el     = '0;
      ip4    = '0;
      ip6    = '0;
      udp    = '0;
      l2     = '0;
      be     = '0;
      eth_le = '0;
      sum    = '0;
      `WHEN(d_load && eth) begin
        el.vl     = vl;
        el.lver   = {3'd0, eth_gid.tag};
        el.sl     = av.sl;
        el.lnh    = {1'b0, eth_v6};
        el.dlid   = dmac[40] ? {3'b110, key[12:0]} : (dmac == eth_gid.mac) ? 16'hffff : {1'b0, key[14:1], 1'b1};
        el.pktlen = 11'd9 + bth_w + (eth_v6 ? 11'd10 : 11'd5);

        ip4.version = 4'd4;
        ip4.ihl     = 4'd5;
        ip4.dscp    = tos[7:2];
        ip4.ecn     = tos[1:0];
        ip4.len     = udp_len + 16'd20;
        ip4.df      = 1'b1;
        ip4.ttl     = av.hop_limit;
        ip4.proto   = 8'd17;
        ip4.src     = eth_gid.gid[31:0];
        ip4.dst     = dgid[31:0];

        ip6.version = 4'd6;
        ip6.tclass  = tos;
        ip6.flow    = av.flow_label;
        ip6.len     = udp_len;
        ip6.nxthdr  = 8'd17;
        ip6.hoplmt  = av.hop_limit;
        ip6.src     = eth_gid.gid;
        ip6.dst     = dgid;

        udp.sport   = av.udp_sport;
        udp.dport   = 16'(ohca_fmt_pkg::ROCE_UDP_DPORT);
        udp.len     = udp_len;

        l2 = eth_gid.tag ? {16'd0, dmac, eth_gid.mac, 16'h8100, av.sl[2:0], 1'b0, eth_gid.vid,
                              eth_v6 ? 16'h86dd : 16'h0800}
                           : {48'd0, dmac, eth_gid.mac, eth_v6 ? 16'h86dd : 16'h0800};
        be = eth_v6 ? {el, l2, ip6, udp, bth, ext} : {el, l2, ip4, udp, bth, ext, 160'd0};
        for (int unsigned i = 0; i < 108; i++) eth_le[8*i +: 8] = be[863-8*i -: 8];
        sum = 20'h0_8511 + 20'd28 + 20'({ip4.dscp, ip4.ecn}) + 20'({bth_w, 2'd0}) + 20'({ip4.ttl, 8'd0}) +
              20'(ip4.src[31:16]) + 20'(ip4.src[15:0]) + 20'(ip4.dst[31:16]) + 20'(ip4.dst[15:0]);
      end
    end
    logic unused_eth;
    assign unused_eth = &{1'b0, key};
  end else begin : g_ib
    assign eth_v6  = 1'b0;
    assign eth_bad = 1'b0;
    assign eth_le  = '0;
    assign sum     = '0;
    logic unused_eth;
    assign unused_eth = &{1'b0, eth_gid};
  end

  // What is known of the packet besides its bytes.

  ohca_fmt_pkg::txh_t h_q;
  logic [HdrB*8-1:0] hdr_q, hdr;
  logic [4:0]   hw_q;                // header words left
  logic         h_v4_q;              // the IPv4 checksum is to be put in
  logic [19:0]  sum_q;
  logic         h_pay_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) hq_valid_q <= 1'b0;
    else if (d_take) hq_valid_q <= d_valid;
    else if (Compact && hdr_done_i) hq_valid_q <= 1'b0;
    if (d_take) begin
      if (d_valid) begin
        h_q.kind     <= d.kind;
        h_q.done     <= d.done;
        h_q.qpn      <= d.qpn;
        h_q.idx      <= d.idx;
        h_q.wrop     <= d.wrop;
        h_q.signaled <= d.signaled;
        h_q.psn      <= d.psn;
        h_q.drop     <= eth ? eth_bad || vl == 4'd15 : !d.vl15 && vl == 4'd15;
        h_q.slot     <= d.slot;
        h_q.vl       <= vl;
        h_q.ipd      <= av.ipd;
        h_q.csum     <= d.csum;
        h_q.words    <= (NumVl > 1) ? 10'((14'(d.plen) + 14'(Lanes - 1)) >> LaneW) + 10'(HdrW) : 10'd0;
        hdr_q        <= hdr_le;
        h_v4_q       <= eth && !eth_v6;
        sum_q        <= sum;
        hw_q         <= hdr_w;
        h_pay_q      <= d.plen != 13'd0;
      end
    end else if (hdr_shift_i) begin
      hdr_q  <= hdr >> DW;
      h_v4_q <= 1'b0;
      hw_q   <= hw_q - 5'(Lanes / 4);
    end
    h_q.gone <= d_load ? gone_i[d.slot] && d.kind != ohca_fmt_pkg::TXK_RESP
                       : gone_i[h_q.slot] && h_q.kind != ohca_fmt_pkg::TXK_RESP;
  end

  if (RoCE) begin : g_sum
    logic [16:0] fold;
    logic [15:0] csum;
    assign fold = {1'b0, sum_q[15:0]} + {13'd0, sum_q[19:16]};
    assign csum = ~(fold[15:0] + {15'd0, fold[16]});
    always_comb begin
      hdr = hdr_q;
      if (h_v4_q) begin
        hdr[38*8 +: 8] = csum[15:8];
        hdr[39*8 +: 8] = csum[7:0];
      end
    end
  end else begin : g_nosum
    assign hdr = hdr_q;
    logic unused_sum;
    assign unused_sum = &{1'b0, sum_q, h_v4_q};
  end

  assign hdr_valid_o = hq_valid_q;
  assign hdr_o       = hdr[DW-1:0];
  assign hdr_left_o  = hw_q;
  assign hdr_pay_o   = h_pay_q;
  assign hdr_info_o  = h_q;
  assign idle_o      = !txd_valid_i && !x_valid && !d_valid && !hq_valid_q;

  logic unused;
  assign unused = &{1'b0, cfg_i, av, x_av, x_is, d};

endmodule

`default_nettype wire
