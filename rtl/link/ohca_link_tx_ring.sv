// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Egress rings of the link's transmit side: the writer, the memories, and of each ring a queue of descriptors with
// length, destination and CRCs of the packets that wait in it.
//
// Last beat in to have_o: 6 cycles (5 up to 64 bits); one beat a cycle. Store and forward: a packet that fails (err_i,
// a length that is not PktLen's, too long, ok_i 0, its ring closed) leaves nothing behind. A ring that is full makes
// its packet wait, and those behind it. ready_o and what is told of a packet's end are no flops: they go to registers
// beside it. It does NOT choose a ring (ohca_link_tx_head) nor what leaves (ohca_link_tx_may, ohca_link_tx_arb): a
// ring's words are read in order (rd_*_i, lp_en_i), or dropped by whole packets (drop_*_i).
// lint: NumVl=1 QueueBytes=8192 Descs=16
// lint: DataWidth=512 NumVl=8
// lint: RoCE=0

//             ┌─► memory of the VLs and VL15 ──► rd_data_o
// beats ─► writer ─► memory of loopback ───────► lp_data_o
//             ├─► ICRC, VCRC ─┐
//             └─► what waits for them ─► a FIFO of descriptors per ring ─► have_o, desc_o

`include "ohca_assert.svh"
`default_nettype none

module ohca_link_tx_ring #(
  parameter int unsigned DataWidth  = 64,
  parameter int unsigned NumVl      = 4,           // 1, 2, 4 or 8 data VLs
  parameter int unsigned QueueBytes = 32768,       // of each data VL and of loopback; at least 4224, or 16384
  parameter int unsigned Vl15Bytes  = 2048,        // at least 512
  parameter int unsigned Descs      = 64,          // packets per ring of a VL; of the others 16
  parameter bit          RoCE       = 1'b1,
  localparam int unsigned Bytes     = DataWidth / 8,
  localparam int unsigned Lanes     = DataWidth / 32,
  localparam int unsigned LaneW     = $clog2(Lanes),
  localparam int unsigned NumQ      = NumVl + 2,
  localparam int unsigned QW        = $clog2(NumQ),
  localparam int unsigned QWords    = QueueBytes / Bytes,
  localparam int unsigned PtrW      = $clog2(QWords),
  localparam int unsigned DescW     = 11 + 16 + 8 + 1 + 48
) (
  input  logic                       clk_i,
  input  logic                       rst_i,
  output logic                       busy_o,       // a packet is in it that is not yet at have_o: no register
  input  logic [NumQ-1:0]            open_i,       // the ring may send

  // Beats, full but for a packet's last; what follows last_i and err_i holds with its first one: ohca_link_tx_head
  input  logic                       valid_i,
  output logic                       ready_o,
  input  logic [DataWidth-1:0]       data_i,
  input  logic [Bytes-1:0]           keep_i,
  input  logic [LaneW:0]             dw_i,
  input  logic [LaneW:0]             dw1_i,
  input  logic                       last_i,
  input  logic                       err_i,        // with last
  input  logic [7:0]                 ipd_i,        // with last
  input  logic                       host_i,
  input  logic [QW-1:0]              ring_i,
  input  logic [NumQ-1:0]            rings_i,      // ring_i, a bit each; of multicast loopback's as well
  input  logic                       ok_i,
  input  logic                       size_i,

  // A packet has ended
  output logic                       end_o,
  output logic                       end_good_o,   // it lies in its ring
  output logic                       end_used_o,   // and that is the one that LRH.VL names
  output logic [3:0]                 end_vl_o,
  output logic                       end_host_o,
  output logic [10:0]                end_len_o,    // dwords

  // The packets that wait: {len, dlid, ipd, host, vcrc, icrc} of each ring's oldest
  output logic [NumQ-1:0]            have_o,
  output logic [NumQ-1:0][DescW-1:0] desc_o,
  input  logic [NumQ-1:0]            pop_i,        // only where have_o

  // Their words: at *_data_o in the next cycle
  input  logic                       rd_en_i,
  input  logic [QW-1:0]              rd_ring_i,
  output logic [DataWidth-1:0]       rd_data_o,
  input  logic                       lp_en_i,      // loopback
  output logic [DataWidth-1:0]       lp_data_o,
  input  logic [NumQ-1:0]            drop_i,       // so many words of this ring are dropped
  input  logic [PtrW:0]              drop_words_i
);

  localparam int unsigned QLoop   = NumVl;
  localparam int unsigned Q15     = NumVl + 1;              // last, so that its shorter ring ends the memory
  localparam int unsigned Words15 = Vl15Bytes / Bytes;
  localparam int unsigned MaxDw   = (4096 + 124 - 4) / 4;   // LRH to pad
  localparam int unsigned MaxDw15 = 512 / 4;
  localparam int unsigned HeldW   = $clog2(Descs) + 1;

  if (NumVl != 1 && NumVl != 2 && NumVl != 4 && NumVl != 8) begin : g_bad_vl
    $error("ohca_link_tx_ring: NumVl must be 1, 2, 4 or 8");
  end
  if (QueueBytes < 4224 || Vl15Bytes < 512 || Vl15Bytes > QueueBytes || (QWords & (QWords - 1)) != 0 ||
      (Words15 & (Words15 - 1)) != 0 || Descs < 16) begin : g_bad_size
    $error("ohca_link_tx_ring: QueueBytes and Vl15Bytes must be powers of two, at least 4224 and 512; Descs 16");
  end

  `include "ohca_crc16.svh"

  // ------------------------------------------------------------------ writer
  // State of the packet that is being written
  logic                      first_q, drop_q;
  logic [QW-1:0]             q_q, q;
  logic [PtrW:0]             start_q, start_l_q;
  logic [10:0]               len_q, len, h_pktlen;
  logic [10:0]               want_q, want;        // what its header says, and its ICRC, less what came: dwords
  logic [10-LaneW:0]         rest_q, rest;        // beats that it may have yet, less that which may be short
  logic [15:0]               dlid_q, dlid, h_dlid;
  logic [3:0]                vl_q, vl;
  logic                      host_q, host, drop, both, size_q, size, end_q, q15_q;
  logic                      fire, room, room_1, room_n, too_long, good, right, right_1, right_n, had_ring, held_ring_q;
  logic [NumQ-1:0]           rings_q, rings;      // those of its packet
  assign h_dlid   = {data_i[23:16], data_i[31:24]};
  assign h_pktlen = {data_i[34:32], data_i[47:40]};

  // Rings, of powers of two
  logic [NumQ-1:0][PtrW:0]   wr_ptr_q, wr_next, rd_ptr_q;
  logic [NumQ-1:0]           full_q, full_now, full_one;   // a cycle longer than it is; it is; but for a word
  logic [NumQ-1:0]           put_to;
  logic [NumQ-1:0][HeldW-1:0] held_q;             // packets of the ring, from their first beat on
  logic [NumQ-1:0]           desc_full;
  for (genvar g = 0; g < NumQ; g++) begin : g_full
    localparam int unsigned FullB = (g == Q15) ? $clog2(Words15) : PtrW;
    localparam int unsigned DescB = $clog2((g < NumVl) ? Descs : 16);
    assign wr_next[g]   = wr_ptr_q[g] + (PtrW+1)'(1);
    assign full_now[g]  = (wr_ptr_q[g][FullB:0] ^ rd_ptr_q[g][FullB:0]) == {1'b1, FullB'(0)};
    assign full_one[g]  = (wr_next[g][FullB:0] ^ rd_ptr_q[g][FullB:0]) == {1'b1, FullB'(0)};
    assign desc_full[g] = held_q[g][DescB];
  end

  assign q      = first_q ? ring_i : q_q;
  // A ring that loses its right to send (link down) drops even what is half in, from the next cycle on, so that nobody
  // waits for its room.
  assign drop   = first_q ? !ok_i : drop_q;
  assign dlid   = first_q ? h_dlid : dlid_q;
  assign host   = first_q ? host_i : host_q;
  assign rings  = first_q ? rings_i : rings_q;
  assign both   = rings[QLoop] && q != QW'(QLoop);
  assign size   = first_q ? size_i : size_q;
  assign vl     = first_q ? data_i[7:4] : vl_q;
  // By a bit for each ring, from flops, as what the room says goes far: to the enables of what waits in front.
  assign room_1 = (rings_i & (full_q | desc_full)) == '0;
  assign room_n = (rings_q & full_q) == '0;
  assign room   = first_q ? room_1 : room_n;
  assign len    = (first_q ? 11'd0 : len_q) + 11'(dw_i);
  assign want   = first_q ? h_pktlen : want_q;
  // Every beat but the last is full, so what is left when less than one is is known from the first one on.
  assign rest   = (first_q ? (11-LaneW)'(((ring_i == QW'(Q15)) ? MaxDw15 : MaxDw) / Lanes) : rest_q) -
      (11-LaneW)'(1);
  assign too_long = !first_q && end_q && (q15_q ? dw_i > (LaneW+1)'(MaxDw15 % Lanes) :
      dw_i > (LaneW+1)'(MaxDw % Lanes));
  assign ready_o  = drop || too_long || room;
  assign fire     = valid_i && ready_o;
  // A packet counts if it ended well and its header tells its true length. Five dwords and the ICRC: LRH and BTH.
  // Each length for itself, as above.
  assign right_1  = !err_i && size_i && h_pktlen == 11'(dw1_i);
  assign right_n  = !err_i && size_q && want_q == 11'(dw1_i);
  assign right    = first_q ? right_1 : right_n;
  assign good     = !drop && !too_long && right;

  logic put;                                      // this beat goes into its ring
  assign put = valid_i && room && !drop && !too_long;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      first_q <= 1'b1;
      drop_q  <= 1'b0;
    end else if (fire) begin
      first_q <= last_i;
      drop_q  <= drop || too_long || !open_i[q];
    end else if (!open_i[q_q]) drop_q <= 1'b1;
    if (fire) begin
      q_q      <= q;
      q15_q    <= q == QW'(Q15);
      len_q    <= len;
      want_q   <= want - 11'(dw_i);
      rest_q   <= rest;
      end_q    <= rest == '0;
      dlid_q   <= dlid;
      vl_q     <= vl;
      host_q   <= host;
      rings_q  <= rings;
      size_q   <= size;
      if (first_q) start_q <= wr_ptr_q[ring_i];
      if (first_q) start_l_q <= wr_ptr_q[QLoop];
    end
  end

  assign end_o      = fire && last_i;
  assign end_good_o = good;
  assign end_vl_o   = vl;
  assign end_host_o = host;
  assign end_len_o  = len;
  assign end_used_o = good && vl < 4'(NumVl) && q == QW'(vl);

  // The reservation of a ring's descriptor: from the first beat until the packet is read, or found bad.
  logic [NumQ-1:0]             reserve, unreserve, popped, less1_q, less2_q;
  logic [NumQ-1:0][HeldW-1:0] held_less, held_same;
  logic [NumQ-1:0] back;                         // what is in the ring of the packet goes: unreserve, of a later beat
  logic            ends;
  assign had_ring = first_q ? ok_i : held_ring_q;
  assign ends     = valid_i && last_i && had_ring;
  always_comb begin
    // Which ring is nothing while no beat is here.
    for (int unsigned i = 0; i < NumQ; i++) begin
      reserve[i]   = valid_i && first_q && ok_i && rings_i[i] && room_1;
      unreserve[i] = ends && rings[i] && (drop || too_long || (room && !right));
      back[i]      = valid_i && last_i && !first_q && held_ring_q && rings_q[i] && (drop_q || too_long || (!right_n &&
                     room_n));
      put_to[i]    = valid_i && (first_q ? ok_i && rings_i[i] : !drop_q && rings_q[i]) && !too_long && room;
      // Both sums, as what takes a place is known last.
      held_less[i] = held_q[i] - HeldW'(less1_q[i]) - HeldW'(less2_q[i]);
      held_same[i] = held_q[i] + HeldW'(!less1_q[i]) - HeldW'(less2_q[i]);
    end
  end
  assign popped = pop_i & have_o;
  always_ff @(posedge clk_i) begin
    if (fire) held_ring_q <= had_ring;
    less1_q <= rst_i ? '0 : unreserve;
    less2_q <= rst_i ? '0 : popped;
    for (int unsigned i = 0; i < NumQ; i++) begin
      if (rst_i) begin
        held_q[i]   <= '0;
        wr_ptr_q[i] <= '0;
        full_q[i]   <= 1'b0;
      end else begin
        held_q[i] <= reserve[i] ? held_same[i] : held_less[i];
        // What is read in this cycle is not looked at: nobody waits for it who has room.
        full_q[i] <= full_now[i] || (full_one[i] && put_to[i]);
        // A packet of one beat that fails is not put, so the pointer is where it was.
        if (back[i]) wr_ptr_q[i] <= (i == QLoop) ? start_l_q : start_q;
        else if (put_to[i] && !(first_q && last_i && !right_1)) wr_ptr_q[i] <= wr_next[i];
      end
    end
  end

  // ------------------------------------------------------------------ CRCs, in step with the writer
  logic [DataWidth-1:0] masked;
  logic [31:0]          seed, icrc;
  logic [15:0]          vcrc_d;
  logic                 icrc_valid, vcrc_valid, icrc_ok, vcrc_ok;
  ohca_icrc_mask #(.DataWidth(DataWidth), .RoCE(RoCE)) u_mask (
    .clk_i(clk_i), .rst_i(rst_i), .mode_i(2'd0), .fire_i(fire), .last_i(last_i), .data_i(data_i), .data_o(masked),
    .seed_o(seed)
  );
  ohca_crc32 #(.DataWidth(DataWidth), .Ones(1'b1)) u_icrc (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(fire), .data_i(masked), .keep_i(keep_i), .last_i(last_i), .seed_i(seed),
    .crc_valid_o(icrc_valid), .crc_o(icrc), .ok_o(icrc_ok)
  );
  ohca_crc16_vcrc #(.DataWidth(DataWidth), .Ones(1'b1)) u_vcrc (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(fire), .data_i(data_i), .keep_i(keep_i), .last_i(last_i),
    .crc_valid_o(vcrc_valid), .crc_o(vcrc_d), .ok_o(vcrc_ok)
  );

  // What waits for its CRCs: they come in order, a fixed number of cycles later.
  localparam int unsigned PendW = 1 + QW + 11 + 16 + 8 + 1 + 1;
  logic             pend_ready, pend_valid, p_good, p_host, p_both;
  logic [QW-1:0]    p_q;
  logic [10:0]      p_len;
  logic [15:0]      p_dlid;
  logic [7:0]       p_ipd;
  ohca_fifo #(.Width(PendW), .Depth(8)) u_pend (
    .clk_i(clk_i), .rst_i(rst_i),
    .valid_i(end_o), .ready_o(pend_ready), .data_i({good, q, len, dlid, ipd_i, host, both}),
    .valid_o(pend_valid), .ready_i(icrc_valid), .data_o({p_good, p_q, p_len, p_dlid, p_ipd, p_host, p_both}),
    .count_o(), .almost_full_o()
  );

  // The VCRC covers the ICRC: four more bytes on top of the CRC of the packet.
  logic             c_valid_q, c_both_q;
  logic [QW-1:0]    c_q_q;
  logic [DescW-1:0] c_desc_q;
  logic [15:0]      vcrc;
  assign vcrc = ~crc16_dw(~vcrc_d, icrc);
  always_ff @(posedge clk_i) begin
    if (rst_i) c_valid_q <= 1'b0;
    else       c_valid_q <= icrc_valid && p_good;
    if (icrc_valid) begin
      c_q_q    <= p_q;
      c_both_q <= p_both;
      c_desc_q <= {p_len, p_dlid, p_ipd, p_host, vcrc, icrc};
    end
  end

  logic [NumQ-1:0] d_ready;
  for (genvar g = 0; g < NumQ; g++) begin : g_desc
    ohca_fifo #(.Width(DescW), .Depth((g < NumVl) ? Descs : 16), .UseRam(1'b0)) u_desc (
      .clk_i(clk_i), .rst_i(rst_i),
      .valid_i(c_valid_q && (c_q_q == QW'(g) || (g == QLoop && c_both_q))), .ready_o(d_ready[g]), .data_i(c_desc_q),
      .valid_o(have_o[g]), .ready_i(pop_i[g]), .data_o(desc_o[g]),
      .count_o(), .almost_full_o()
    );
  end

  // ------------------------------------------------------------------ memories
  // The ring of loopback is a memory of its own, as a multicast packet goes into two rings at once. Ring q begins at
  // q * QWords; that of VL15, which is shorter, in the place of loopback's.
  localparam int unsigned AddrW = $clog2(NumVl * QWords + Words15);
  logic [AddrW-1:0] wr_addr, rd_addr;
  assign wr_addr = (q == QW'(Q15)) ? AddrW'({QW'(QLoop), wr_ptr_q[q][PtrW-1:0] & PtrW'(Words15 - 1)}) :
      AddrW'({q, wr_ptr_q[q][PtrW-1:0]});
  assign rd_addr = (rd_ring_i == QW'(Q15)) ?
      AddrW'({QW'(QLoop), rd_ptr_q[rd_ring_i][PtrW-1:0] & PtrW'(Words15 - 1)}) :
      AddrW'({rd_ring_i, rd_ptr_q[rd_ring_i][PtrW-1:0]});

  // Only whole packets are read, so no read meets a write.
  ohca_ram_sdp #(.Width(DataWidth), .Depth(NumVl * QWords + Words15), .OldData(1'b0)) u_mem (
    .clk_i(clk_i),
    .wr_en_i(put && q != QW'(QLoop)), .wr_be_i(1'b1), .wr_addr_i(wr_addr), .wr_data_i(data_i),
    .rd_en_i(rd_en_i), .rd_addr_i(rd_addr), .rd_data_o(rd_data_o)
  );
  ohca_ram_sdp #(.Width(DataWidth), .Depth(QWords), .OldData(1'b0)) u_loop_mem (
    .clk_i(clk_i),
    .wr_en_i(put_to[QLoop]), .wr_be_i(1'b1), .wr_addr_i(wr_ptr_q[QLoop][PtrW-1:0]),
    .wr_data_i(data_i),
    .rd_en_i(lp_en_i), .rd_addr_i(rd_ptr_q[QLoop][PtrW-1:0]), .rd_data_o(lp_data_o)
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) rd_ptr_q <= '0;
    else begin
      for (int unsigned i = 0; i < NumQ; i++) begin
        if ((i == QLoop) ? lp_en_i : rd_en_i && rd_ring_i == QW'(i)) rd_ptr_q[i] <= rd_ptr_q[i] + (PtrW+1)'(1);
        if (drop_i[i]) rd_ptr_q[i] <= rd_ptr_q[i] + drop_words_i;
      end
    end
  end

  assign busy_o = !first_q || pend_valid || c_valid_q;

  for (genvar g = 0; g < NumQ; g++) begin : g_held
    `ASSERT(HeldBound_A, held_q[g] <= HeldW'((g < NumVl) ? Descs : 16))
  end
  // Whoever sends on a data VL has room of its ring: its packet never waits, so it stops nobody else.
  if (NumVl > 1) begin : g_room
    `ASSERT(NeverWaits_A, !valid_i || drop || both || data_i[7:4] >= 4'(NumVl) || host_i || q == QW'(QLoop) ||
        !first_q || ready_o)
    `ASSERT(NeverWaitsIn_A, !valid_i || first_q || both || q >= QW'(NumVl) || ready_o)
  end
  `ASSERT(Rings_A, !valid_i || !first_q ||
      (rings_i & ~(NumQ'(1) << QLoop)) == (NumQ'(ring_i != QW'(QLoop)) << ring_i))
  `ASSERT(Full_A, !valid_i || last_i || dw_i == (LaneW+1)'(Lanes))
  `ASSERT(Reserve_A, reserve == (rings & {NumQ{fire && first_q && had_ring}}))
  `ASSERT(Back_A, back == (unreserve & {NumQ{!first_q}}))
  `ASSERT(Unreserve_A, unreserve == (rings & {NumQ{end_o && had_ring && !good}}))
  `ASSERT(Put_A, put_to == (rings & {NumQ{put}}))
  `ASSERT(PendRoom_A, !end_o || pend_ready)
  `ASSERT(PendThere_A, !icrc_valid || pend_valid)
  `ASSERT(CrcsTogether_A, icrc_valid == vcrc_valid)
  `ASSERT(DescRoom_A, !c_valid_q || d_ready[c_q_q])

  logic unused;
  assign unused = &{1'b0, icrc_ok, vcrc_ok, vcrc_valid, pend_ready, d_ready, seed};

endmodule

`default_nettype wire
