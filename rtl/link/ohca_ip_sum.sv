// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Internet checksums of IPoIB datagrams (RFC 4391) as they stream by: those of the IPv4 header and of TCP or UDP with
// the pseudo header.
//
// One beat a cycle, taken whenever it is valid; what was found comes 6 cycles (7 above 64 bits) after a packet's last
// beat, in order, for UD SENDs and for nothing else (ud_o says which those are). It does NOT look at the CRCs, nor
// whether a packet is as long as its headers say: whoever does drops it, and then nobody looks at its sums.
// lint: DataWidth=128
// lint: DataWidth=256
// lint: DataWidth=512
// lint: RoCE=0 DataWidth=512

//        dword  0    2 | 12 | 14 | 19             + 5 (6 with immediate data) = start
//               LRH   … BTH, DETH [, ImmDt]        │ 0 encapsulation │ 1 IP header …  │ TCP, UDP …         │ pad, ICRC
//   counted in dwords from the start:                                 0x0800: 4, 5; 0x86dd: 3 to 10: addresses
//
// Everything lies at multiples of four bytes, so a region is a range of dwords; only the end of a TCP segment is a
// byte's. Ones' complement sums do not mind the byte order: halves are summed as they lie in memory, and a sum is put
// into a packet as it is.

`include "ohca_assert.svh"
`include "ohca_lazy.svh"
`default_nettype none

module ohca_ip_sum #(
  parameter int unsigned DataWidth = 64,
  parameter bit          RoCE      = 1'b1,
  parameter bit          Fill      = 1'b0    // checksum fields count as zeros: what is to be put there is wanted
) (
  input  logic                 clk_i,
  input  logic                 rst_i,

  input  logic                 valid_i,
  input  logic                 last_i,
  input  logic [DataWidth-1:0] data_i,       // LRH to pad or further, first byte in [7:0]
  input  logic                 eth_i,        // in the internal form of an Ethernet port
  output logic                 ud_o,         // combinational, with valid_i and last_i: done_o will come

  output logic                 done_o,
  output logic                 v4_o,         // there is an IPv4 header, whole
  output logic                 l4_o,         // there is TCP or UDP, whole and not in fragments
  output logic                 udp_o,        // UDP, if l4_o
  output logic                 ok_o,         // TCP or UDP, and every checksum is right (not with Fill)
  output logic [16:0]          sum4_o,       // of the IPv4 header, [16] to be added to the rest
  output logic [17:0]          sum_o,        // of TCP or UDP with its pseudo header, [17:16] to be added to the rest
  output logic [11:0]          start_o,      // dwords before the start, and from there
  output logic [4:0]           at_o          // to TCP or UDP
);

  localparam int unsigned L     = DataWidth / 32;
  localparam int unsigned LaneW = $clog2(L);
  localparam int unsigned CntW  = LaneW + 1;
  localparam int unsigned BeatW = 12 - LaneW;
  localparam bit          Wide  = DataWidth > 64;
  localparam int unsigned Grp   = Wide ? 4 : L;         // dwords that are summed at once
  localparam int unsigned Grps  = L / Grp;

  // Where the BTH is: InfiniBand without and with a GRH, Ethernet with IPv4 and IPv6.
  function automatic int unsigned bth_at(input int unsigned form);
    bth_at = (form == 0) ? 2 : (form == 1) ? 12 : (form == 2) ? 14 : 19;
  endfunction
  localparam int unsigned Forms = RoCE ? 4 : 2;

  // ------------------------------------------------------------------ the headers below IP, as they come in
  logic             first_q, known_q, known, at_bth, ud, ud_q, imm_q, s1_valid_q, s1_last_q, s1_begin_q;
  logic [1:0]       form_q, form, pad_q;
  logic [10:0]      pktlen_q;
  logic [BeatW-1:0] n_q, n;                            // beat, stops at its highest value
  logic [15:0]      op;
  logic [DataWidth-1:0] s1_data_q;
  logic [BeatW-1:0] s1_n_q;
  assign n     = first_q ? '0 : n_q;
  assign form  = !first_q ? form_q : eth_i ? {RoCE, data_i[8]} : {1'b0, data_i[8]};
  assign known = first_q ? eth_i || data_i[9] : known_q;
  always_comb begin
    at_bth = 1'b0;
    op     = '0;
    for (int unsigned f = 0; f < Forms; f++) begin
      if (form == 2'(f)) begin
        at_bth = n == BeatW'(bth_at(f) / L);
        op     = data_i[32*(bth_at(f)%L) +: 16];
      end
    end
    ud = at_bth ? known && op[7:1] == 7'h32 : !first_q && ud_q;
  end
  assign ud_o = ud;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      first_q    <= 1'b1;
      s1_valid_q <= 1'b0;
    end else begin
      if (valid_i) first_q <= last_i;
      s1_valid_q <= valid_i && ud;
    end
    if (valid_i) begin
      n_q     <= (&n) ? n : n + BeatW'(1);
      form_q  <= form;
      known_q <= known;
      ud_q    <= ud;
      if (first_q) pktlen_q <= {data_i[34:32], data_i[47:40]};
      if (at_bth) begin
        imm_q <= op[0];
        pad_q <= op[13:12];
      end
      if (ud) s1_data_q <= data_i;
      s1_last_q  <= last_i;
      s1_begin_q <= at_bth;
      s1_n_q     <= n;
    end
  end

  // ------------------------------------------------------------------ s1: the fields of IP that lie at known places
  logic [31:0] k_dw [4];
  logic [3:0]  k_at;
  logic [L-1:0] k_adr4, k_adr6, k_sum4;          // lanes with addresses, if it is IPv4, IPv6; with IPv4's checksum
  logic [11:0] start, start_1, start_11;         // and 1, 11 more: chosen with it, no sums behind it
  always_comb begin
    start    = '0;
    start_1  = '0;
    start_11 = '0;
    k_at     = '0;
    k_adr4   = '0;
    k_adr6   = '0;
    k_sum4   = '0;
    for (int unsigned k = 0; k < 4; k++) k_dw[k] = '0;
    `WHEN(s1_valid_q) for (int unsigned f = 0; f < Forms; f++) begin
      for (int unsigned i = 0; i < 2; i++) begin
        if (form_q == 2'(f) && imm_q == 1'(i)) begin
          start    = 12'(bth_at(f) + 5 + i);
          start_1  = 12'(bth_at(f) + 6 + i);
          start_11 = 12'(bth_at(f) + 16 + i);
          for (int unsigned k = 0; k < 4; k++) begin
            k_at[k] = s1_n_q == BeatW'((bth_at(f) + 5 + i + k) / L);
            k_dw[k] = s1_data_q[32*((bth_at(f)+5+i+k)%L) +: 32];
          end
          // Known places as well: a beat's number says it, no sum of it.
          for (int unsigned k = 2; k < 10; k++) begin
            if (s1_n_q == BeatW'((bth_at(f) + 6 + i + k) / L)) begin
              k_adr6[(bth_at(f)+6+i+k)%L] = 1'b1;
              if (k == 2)           k_sum4[(bth_at(f)+6+i+k)%L] = 1'b1;
              if (k == 3 || k == 4) k_adr4[(bth_at(f)+6+i+k)%L] = 1'b1;
            end
          end
        end
      end
    end
  end

  // In dwords from the first one of IP: the first lane (rel). What lies behind is counted here as well, as the next
  // stage compares it with each lane.
  logic                 s2_valid_q, s2_last_q, s2_begin_q, e4_q, e6_q, frag_q;
  logic [3:0]           ver_q, ihl_q;
  logic [15:0]          len4_q, len6_q;
  logic [7:0]           nxt_q, proto4_q;
  logic [DataWidth-1:0] s2_data_q;
  logic [L-1:0]         s2_adr4_q, s2_adr6_q, s2_sum4_q;
  logic [12:0]          s2_ip_q, s2_at4_q, s2_at6_q;   // from the first lane to IP, and to TCP or UDP, negative if it
                                                       // began before
  logic [17:0]          s2_left4_q, s2_left6_q;        // bytes to its end, from the first lane
  logic [3:0]           ihl;                           // as of this beat, like len4, len6
  logic [15:0]          len4, len6;
  logic [12:0]          lane0, rel;
  logic [14:0]          s2_room_q;                     // bytes from IP on
  logic [11:0]          s2_start_q;
  assign ihl  = k_at[1] ? k_dw[1][3:0] : ihl_q;
  assign len4 = k_at[1] ? {k_dw[1][23:16], k_dw[1][31:24]} : len4_q;
  assign len6 = k_at[2] ? {k_dw[2][7:0], k_dw[2][15:8]} : len6_q;
  assign lane0 = 13'({s1_n_q, LaneW'(0)});
  assign rel   = lane0 - {1'b0, start_1};
  always_ff @(posedge clk_i) begin
    if (rst_i) s2_valid_q <= 1'b0;
    else       s2_valid_q <= s1_valid_q;
    if (s1_valid_q) begin
      s2_last_q  <= s1_last_q;
      s2_begin_q <= s1_begin_q;
      s2_data_q  <= s1_data_q;
      s2_start_q <= start;
      s2_adr4_q  <= k_adr4;
      s2_adr6_q  <= k_adr6;
      s2_sum4_q  <= k_sum4;
      s2_ip_q    <= {1'b0, start_1} - lane0;
      s2_at4_q   <= 13'(ihl) - rel;
      s2_at6_q   <= {1'b0, start_11} - lane0;
      s2_left4_q <= 18'(len4) - {{3{rel[12]}}, rel, 2'd0};
      s2_left6_q <= 18'(len6) + {4'd0, start_11, 2'd0} - {3'd0, lane0, 2'd0};   // all at once
      // without encapsulation, ICRC and pad
      s2_room_q  <= {2'd0, pktlen_q, 2'd0} - {1'b0, start, 2'd0} - 15'd8 - 15'(pad_q);
      if (k_at[0]) begin
        e4_q <= k_dw[0][15:0] == 16'h0008;
        e6_q <= k_dw[0][15:0] == 16'hdd86;
      end
      if (k_at[1]) ver_q <= k_dw[1][7:4];
      if (k_at[2]) begin
        frag_q <= {k_dw[2][21:16], k_dw[2][31:24]} != '0;        // more fragments, or not the first one
        nxt_q  <= k_dw[2][23:16];
      end
      ihl_q  <= ihl;
      len4_q <= len4;
      len6_q <= len6;
      if (k_at[3]) proto4_q <= k_dw[3][15:8];
    end
  end

  // ------------------------------------------------------------------ s2: which bytes of the beat count
  logic               is4, is6, tcp, udp;
  logic [12:0]        at;                              // dwords from the first lane to TCP or UDP, negative if it began
                                                       // before
  logic [17:0]        left;                            // bytes to its end
  logic [CntW-1:0]    at_c, ip_c;
  logic               left_all;                        // it goes on beyond this beat
  logic [LaneW+1:0]   left_c;                          // else: bytes of it in this beat
  logic [2*L-1:0]     m_lo, m_hi, m_4;                 // by half
  logic [L-1:0]       m_u;                             // the dword with UDP's length and checksum
  logic [15:0]        l4_len;
  function automatic logic [CntW-1:0] lanes(input logic [12:0] d);
    lanes = d[12] ? '0 : (d[11:LaneW] != '0) ? CntW'(L) : CntW'(d[LaneW-1:0]);
  endfunction
  assign is4    = e4_q && ver_q == 4'd4;
  assign is6    = e6_q && ver_q == 4'd6;
  assign tcp    = (e4_q ? proto4_q : nxt_q) == 8'd6;
  assign udp    = (e4_q ? proto4_q : nxt_q) == 8'd17;
  assign at     = e4_q ? s2_at4_q : s2_at6_q;
  assign left   = e4_q ? s2_left4_q : s2_left6_q;
  assign l4_len = e4_q ? len4_q - {10'd0, ihl_q, 2'd0} : len6_q;
  assign at_c   = lanes(at);
  assign ip_c   = lanes(s2_ip_q);
  assign left_all = !left[17] && left[16:LaneW+2] != '0;
  assign left_c   = left[17] ? '0 : left[LaneW+1:0];
  logic               adr, l4, hd;
  always_comb begin
    m_lo = '0;
    m_hi = '0;
    m_4  = '0;
    m_u  = '0;
    adr  = 1'b0;
    l4   = 1'b0;
    hd   = 1'b0;
    `WHEN(s2_valid_q) for (int unsigned i = 0; i < L; i++) begin
      adr = e4_q ? s2_adr4_q[i] : s2_adr6_q[i];
      l4  = CntW'(i) >= at_c;
      hd  = CntW'(i) >= ip_c && CntW'(i) < at_c;
      m_u[i] = at == 13'(i - 1);
      for (int unsigned h = 0; h < 2; h++) begin
        m_lo[2*i+h] = adr || (l4 && (left_all || left_c > (LaneW+2)'(4 * i + 2 * h)));
        m_hi[2*i+h] = adr || (l4 && (left_all || left_c > (LaneW+2)'(4 * i + 2 * h + 1)));
        m_4[2*i+h]  = hd;
      end
      if (Fill) begin
        if (udp && m_u[i]) begin
          m_lo[2*i+1] = 1'b0;
          m_hi[2*i+1] = 1'b0;
        end
        if (tcp && at == 13'(i - 4)) begin
          m_lo[2*i] = 1'b0;
          m_hi[2*i] = 1'b0;
        end
        if (s2_sum4_q[i]) m_4[2*i+1] = 1'b0;
      end
    end
  end

  // What is known as of a beat, which holds for its packet when that was the last one. A field that a short packet does
  // not have is left over from another; room says so.
  typedef struct packed {
    logic        v4;
    logic        l4;
    logic        udp;
    logic [15:0] len;                                  // of TCP or UDP
    logic [11:0] start;
    logic [4:0]  at;
  } found_t;
  logic                 s3_valid_q, s3_last_q, s3_begin_q, s3_is4_q, s3_is6_q, s3_fits_q, s3_hdr_q, s3_frag_q, s3_tcp_q;
  logic [DataWidth-1:0] s3_data_q;
  logic [2*L-1:0]       s3_lo_q, s3_hi_q, s3_4_q;
  logic [L-1:0]         s3_u_q;
  found_t               s3_q, s3, s4_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) s3_valid_q <= 1'b0;
    else       s3_valid_q <= s2_valid_q;
    if (s2_valid_q) begin
      s3_last_q  <= s2_last_q;
      s3_begin_q <= s2_begin_q;
      s3_data_q  <= s2_data_q;
      s3_lo_q    <= m_lo;
      s3_hi_q    <= m_hi;
      s3_4_q     <= m_4;
      s3_u_q     <= m_u;
      s3_is4_q   <= is4;
      s3_is6_q   <= is6;
      s3_tcp_q   <= tcp;
      s3_frag_q  <= frag_q;
      s3_hdr_q   <= ihl_q >= 4'd5 && len4_q >= {10'd0, ihl_q, 2'd0};
      s3_fits_q  <= !s2_room_q[14] && (e4_q ? len4_q <= {2'd0, s2_room_q[13:0]} :
          {1'b0, len6_q} + 17'd40 <= {3'd0, s2_room_q[13:0]});
      s3_q.v4    <= 1'b0;                              // below
      s3_q.l4    <= 1'b0;
      s3_q.udp   <= udp;
      s3_q.len   <= l4_len;
      s3_q.start <= s2_start_q;
      s3_q.at    <= e4_q ? 5'(ihl_q) + 5'd1 : 5'd11;
    end
  end
  always_comb begin
    s3    = s3_q;
    s3.v4 = s3_is4_q && s3_fits_q && s3_hdr_q;
    s3.l4 = ((s3.v4 && !s3_frag_q) || (s3_is6_q && s3_fits_q)) &&
        ((s3_tcp_q && s3_q.len >= 16'd20) || (s3_q.udp && s3_q.len >= 16'd8));
  end

  // ------------------------------------------------------------------ s3, s4: sums of a beat; s5: of the packet
  // Functions, called where their result is taken: a simulator does nothing for them while no datagram is here.
  function automatic logic [20:0] total(input logic [32*Grp-1:0] data, input logic [2*Grp-1:0] lo,
      input logic [2*Grp-1:0] hi);
    total = '0;
    for (int unsigned i = 0; i < 2 * Grp; i++) total = total +
        21'({data[16*i+8 +: 8] & {8{hi[i]}}, data[16*i +: 8] & {8{lo[i]}}});
  endfunction
  function automatic logic [31:0] pick(input logic [DataWidth-1:0] data, input logic [L-1:0] sel);
    pick = '0;
    for (int unsigned i = 0; i < L; i++) pick = pick | (data[32*i +: 32] & {32{sel[i]}});
  endfunction
  logic            s4_valid_q, s4_last_q, s4_begin_q, s4_u_q;
  logic [31:0]     s4_udp_q;
  logic [20:0]     g_sum_q [Grps];
  logic [20:0]     g_sum4_q [Grps];
  always_ff @(posedge clk_i) begin
    if (rst_i) s4_valid_q <= 1'b0;
    else       s4_valid_q <= s3_valid_q;
    if (s3_valid_q) begin
      s4_last_q  <= s3_last_q;
      s4_begin_q <= s3_begin_q;
      s4_q       <= s3;
      s4_u_q     <= s3_u_q != '0;
      s4_udp_q   <= pick(s3_data_q, s3_u_q);
      for (int unsigned g = 0; g < Grps; g++) begin
        g_sum_q[g]  <= total(s3_data_q[32*Grp*g +: 32*Grp], s3_lo_q[2*Grp*g +: 2*Grp], s3_hi_q[2*Grp*g +: 2*Grp]);
        g_sum4_q[g] <= total(s3_data_q[32*Grp*g +: 32*Grp], s3_4_q[2*Grp*g +: 2*Grp], s3_4_q[2*Grp*g +: 2*Grp]);
      end
    end
  end

  logic        b_valid, b_last, b_begin, b_u;
  logic [31:0] b_udp;
  logic [20:0] b_sum, b_sum4;
  found_t      b;
  if (Wide) begin : g_more
    logic        v_q, last_q, begin_q, u_q;
    logic [31:0] udp_q;
    logic [20:0] sum_q, sum4_q;
    found_t      f_q;
    function automatic logic [20:0] all(input logic [21*Grps-1:0] v);
      all = '0;
      for (int unsigned g = 0; g < Grps; g++) all = all + v[21*g +: 21];
    endfunction
    logic [21*Grps-1:0] g_sum, g_sum4;
    always_comb for (int unsigned g = 0; g < Grps; g++) begin
      g_sum[21*g +: 21]  = g_sum_q[g];
      g_sum4[21*g +: 21] = g_sum4_q[g];
    end
    always_ff @(posedge clk_i) begin
      if (rst_i) v_q <= 1'b0;
      else       v_q <= s4_valid_q;
      if (s4_valid_q) begin
        last_q  <= s4_last_q;
        begin_q <= s4_begin_q;
        u_q     <= s4_u_q;
        udp_q   <= s4_udp_q;
        f_q     <= s4_q;
        sum_q   <= all(g_sum);
        sum4_q  <= all(g_sum4);
      end
    end
    assign b_valid = v_q;
    assign b_last  = last_q;
    assign b_begin = begin_q;
    assign b_u     = u_q;
    assign b_udp   = udp_q;
    assign b_sum   = sum_q;
    assign b_sum4  = sum4_q;
    assign b       = f_q;
  end else begin : g_one
    assign b_valid = s4_valid_q;
    assign b_last  = s4_last_q;
    assign b_begin = s4_begin_q;
    assign b_u     = s4_u_q;
    assign b_udp   = s4_udp_q;
    assign b_sum   = g_sum_q[0];
    assign b_sum4  = g_sum4_q[0];
    assign b       = s4_q;
  end

  // A packet has 2,048 halves and a few.
  logic        s5_last_q, bad_q, zero_q;
  logic [27:0] acc_q, acc4_q;
  logic [16:0] pseudo_q;
  found_t      s5_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) s5_last_q <= 1'b0;
    else       s5_last_q <= b_valid && b_last;
    if (b_valid) begin
      acc_q  <= (b_begin ? '0 : acc_q) + 28'(b_sum);
      acc4_q <= (b_begin ? '0 : acc4_q) + 28'(b_sum4);
      if (b_u) begin
        bad_q  <= {b_udp[7:0], b_udp[15:8]} != b.len;
        zero_q <= b_udp[31:16] == '0;
      end
      s5_q     <= b;
      pseudo_q <= {1'b0, b.udp ? 8'd17 : 8'd6, 8'd0} + {1'b0, b.len[7:0], b.len[15:8]};
    end
  end

  // ------------------------------------------------------------------ the packet's end
  logic    done_q, zero2_q;
  found_t  out_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) done_q <= 1'b0;
    else       done_q <= s5_last_q;
    if (s5_last_q) begin
      sum_o    <= 18'(acc_q[27:16]) + 18'(acc_q[15:0]) + 18'(pseudo_q[15:0]) + 18'(pseudo_q[16]);
      sum4_o   <= 17'(acc4_q[27:16]) + 17'(acc4_q[15:0]);
      out_q    <= s5_q;
      out_q.l4 <= s5_q.l4 && !(s5_q.udp && bad_q);     // what UDP's own length leaves out is not in its sum
      zero2_q  <= zero_q;
    end
  end
  assign done_o     = done_q;
  assign v4_o       = out_q.v4;
  assign l4_o       = out_q.l4;
  assign udp_o      = out_q.udp;
  // All ones, whatever is still to be carried. Where UDP has no checksum nothing was verified, which its receiver sees
  // for itself.
  assign ok_o       = out_q.l4 && !(out_q.udp && zero2_q) && (!out_q.v4 || sum4_o == 17'h0ffff ||
      sum4_o == 17'h1fffe) &&
                      (sum_o == 18'h0ffff || sum_o == 18'h1fffe || sum_o == 18'h2fffd);
  assign start_o    = out_q.start;
  assign at_o       = out_q.at;

  `ASSERT(Fold_A, !done_q || sum_o < 18'h3_0000)

  logic unused;
  assign unused = &{1'b0, op, at, left, out_q.len, s2_sum4_q};

endmodule

`default_nettype wire
