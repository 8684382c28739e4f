// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Wire buffer of the link's receive side: what arrives waits here as long as what is behind it stands still, and what
// each VL holds of it is what the credits say that the peer is told. Flow-control packets end here.
//
// First beat on the wire to valid_o: 2 cycles when empty (no store and forward); one beat a cycle. The wire has no
// ready: what does not fit is cut (bad_o with its last beat), or never begins, and is counted. valid_o and all that is
// told to others are flops, but idle_o. It does NOT check a packet but for its VL, nor a CRC but a link packet's.
// lint: DataWidth=512 NumVl=8
// lint: NumVl=1 FrontBytes=16384
// lint: RoCE=0

`include "ohca_assert.svh"
`include "ohca_lazy.svh"
`default_nettype none

module ohca_link_rx_front #(
  parameter int unsigned DataWidth  = 64,
  parameter int unsigned NumVl      = 4,       // 1, 2, 4 or 8
  parameter int unsigned FrontBytes = 131072,  // power of two from 8192; three quarters are credits, shared by VLs
  parameter bit          RoCE       = 1'b1,
  localparam int unsigned Bytes     = DataWidth / 8,
  localparam int unsigned NumW      = $clog2(Bytes) + 1
) (
  input  logic                          clk_i,
  input  logic                          rst_i,
  output logic                          idle_o,

  input  ohca_fmt_pkg::port_cfg_t       cfg_i,

  // Wire: a beat is taken whenever it is valid
  input  logic                          rx_valid_i,
  input  logic [DataWidth-1:0]          rx_data_i,      // first wire byte in [7:0]
  input  logic [Bytes-1:0]              rx_keep_i,
  input  logic                          rx_last_i,
  input  logic                          rx_error_i,     // with last: the sender marked it bad
  // 0 packet, 1 flow control, 2 Ethernet frame; what is not the port's is ignored
  input  logic [1:0]                    rx_kind_i,

  // What waits, in order
  output logic                          valid_o,
  input  logic                          ready_i,
  output logic [DataWidth-1:0]          data_o,
  output logic [NumW-1:0]               bytes_o,        // of this beat
  output logic                          last_o,
  output logic                          bad_o,          // with last: marked bad, cut, or without bytes
  output logic                          eth_o,          // a frame

  // To ohca_link_tx
  output logic                          fc_valid_o,     // a flow-control packet arrived
  output logic [3:0]                    fc_vl_o,
  output logic [11:0]                   fc_fccl_o,
  output logic [NumVl-1:0][11:0]        rx_fccl_o,      // limits to advertise
  output logic [11:0]                   rx_thr_o,

  output logic [15:0]                   fill_o,         // units of 64 bytes
  output logic                          put_o,          // a unit of a priority's frames came in
  output logic [2:0]                    put_prio_o,
  output logic                          get_o,          // and one left, never before it came
  output logic [2:0]                    get_prio_o,

  // What happened, a cycle ago
  output logic                          words_o,        // a beat
  output logic                          remote_o,       // a packet marked bad
  output logic                          over_x_o,       // no room for a packet of VL15
  output logic                          over_d_o,       // ... of another VL, or a frame
  output logic                          nocr_o,         // a packet came that the peer had no credit for
  output logic                          lpcrc_o         // a link packet with a wrong CRC
);

  localparam int unsigned BlkBeats = 64 / Bytes;                 // beats in a block of credit
  localparam int unsigned FWords  = FrontBytes / Bytes;
  localparam int unsigned FBlocks = FrontBytes / 64;
  localparam int unsigned FCountW = $clog2(FWords) + 1;
  localparam int unsigned Credits = FBlocks * 3 / 4;
  localparam int unsigned XMax    = FBlocks / 8;                 // allowance of VL15 and of what is no data VL
  localparam int unsigned VlW     = (NumVl > 1) ? $clog2(NumVl) : 1;

  if (NumVl != 1 && NumVl != 2 && NumVl != 4 && NumVl != 8) begin : g_bad_vl
    $error("ohca_link_rx_front: NumVl must be 1, 2, 4 or 8");
  end
  if (FrontBytes < 8192 || (FrontBytes & (FrontBytes - 1)) != 0 || FrontBytes > 131072) begin : g_bad_size
    $error("ohca_link_rx_front: FrontBytes must be a power of two from 8192 to 131072");
  end
  if (Credits / NumVl < 67) begin : g_small
    $error("ohca_link_rx_front: FrontBytes is too small: a data VL could not hold one packet");
  end

  `include "ohca_crc16.svh"
  `include "ohca_keep_bytes.svh"

  // ------------------------------------------------------------------ flow-control packets
  // They are acted upon at once: their counts belong to this place in the stream.
  logic        rx_first_q, fc_here, fc_ok, fc_lp_ok;
  logic [3:0]  fc_op;
  logic        eth;
  assign eth      = RoCE && cfg_i.eth;
  assign fc_here  = rx_valid_i && rx_first_q && rx_kind_i == 2'd1 && cfg_i.smp_en && !eth;
  assign fc_lp_ok = rx_last_i && !rx_error_i && rx_keep_i == Bytes'(6'h3f) &&
                    ~crc16_dw(16'hffff, rx_data_i[31:0]) == rx_data_i[47:32];
  assign fc_op    = rx_data_i[7:4];
  assign fc_ok    = fc_here && fc_lp_ok && fc_op < 4'd2;

  logic        fc_valid_q;
  logic [3:0]  fc_vl_q;
  logic [11:0] fc_fccl_q;
  assign fc_valid_o = fc_valid_q;
  assign fc_vl_o    = fc_vl_q;
  assign fc_fccl_o  = fc_fccl_q;
  always_ff @(posedge clk_i) begin
    fc_valid_q <= fc_ok && !rst_i;
    fc_vl_q    <= rx_data_i[23:20];
    fc_fccl_q  <= {rx_data_i[19:16], rx_data_i[31:24]};
  end

  // ------------------------------------------------------------------ entrance of the wire buffer
  logic                in_beat, in_first, in_last, in_x, in_store, in_dead, in_over, in_term, in_abort;
  logic                room_bad, blk_first, near_q;
  logic [3:0]          in_vl, vl_q;
  logic                dead_q;                    // the rest of the packet is thrown away
  logic [2:0]          beat_q;                    // beat within its block
  logic [11:0]         x_used_q;
  logic [NumVl-1:0]    cr_get, cr_put, cr_full, cr_over;
  logic [NumVl-1:0][11:0] cr_used;
  logic [FCountW-1:0]  f_count;
  logic [NumW-1:0]     in_bytes;
  logic                in_none;
  logic [11:0]         share, most, most_1;       // a data VL's share of credits; what it may have at most; one less
  logic                own_full;

  assign in_beat  = rx_valid_i && rx_kind_i == (eth ? 2'd2 : 2'd0) && cfg_i.smp_en;
  assign in_first = rx_first_q;
  assign in_vl    = in_first ? rx_data_i[7:4] : vl_q;
  assign in_x     = eth || in_vl >= 4'(NumVl);
  assign blk_first = in_first || beat_q == '0;

  // A data VL may go one packet beyond its share, for a peer whose count is off until the next flow-control packet: a
  // flop, compared for each count that may come.
  always_ff @(posedge clk_i) begin
    for (int unsigned v = 0; v < NumVl; v++) begin
      if (cr_get[v] == cr_put[v]) cr_over[v] <= cr_used[v] >= most;
      else                        cr_over[v] <= cr_get[v] ? cr_used[v] >= most_1 : cr_used[v] > most;
    end
  end
  always_comb begin
    own_full = 1'b0;
    room_bad = near_q;
    if (in_x) begin
      if (x_used_q >= 12'(XMax) && !eth) room_bad = 1'b1;
    end else begin
      own_full = cr_full[in_vl[VlW-1:0]];
      if (cr_over[in_vl[VlW-1:0]]) room_bad = 1'b1;
    end
  end
  // Beyond the room: the first beat is not stored at all; later, one beat ends the packet as bad and the rest is not
  // stored.
  assign in_over  = in_beat && !in_dead && room_bad;
  assign in_dead  = !in_first && dead_q;
  // A packet that the end of the link cuts is ended here, whether or not the rest of it comes.
  assign in_abort = !cfg_i.smp_en && !in_first && !dead_q;
  assign in_term  = (in_over && !in_first) || in_abort;
  assign in_store = (in_beat && !in_dead && !room_bad) || in_term;
  assign in_last  = rx_last_i || in_term;

  always_comb begin
    in_bytes = '0;
    `WHEN(rx_valid_i && rx_last_i) in_bytes = keep_bytes(rx_keep_i);
    in_none  = in_bytes == '0;
    if (in_none || in_term) in_bytes = NumW'(Bytes);
    cr_get = '0;
    if (in_store && !in_x && blk_first) cr_get[in_vl[VlW-1:0]] = 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      rx_first_q <= 1'b1;
      dead_q     <= 1'b0;
      beat_q     <= '0;
    end else if (rx_valid_i) begin
      rx_first_q <= rx_last_i;
      // A packet that began while the port was down stays out to its end.
      dead_q     <= in_first ? (!in_beat || in_over) : (dead_q || !in_beat || in_over);
      beat_q     <= rx_last_i ? 3'd0 : (blk_first && in_first) ? 3'(1 % BlkBeats) :
                    (beat_q == 3'(BlkBeats - 1)) ? 3'd0 : beat_q + 3'd1;
    end else if (in_abort) dead_q <= 1'b1;
    if (in_beat && in_first) vl_q <= rx_data_i[7:4];
  end

  // Each entry: {eth, bad, last, bytes, data}; bytes with last.
  localparam int unsigned FW = DataWidth + NumW + 3;
  logic                 f_ready;
  ohca_fifo #(.Width(FW), .Depth(FWords)) u_front (
    .clk_i(clk_i), .rst_i(rst_i),
    .valid_i(in_store), .ready_o(f_ready),
    .data_i({eth, in_term || (rx_last_i && (rx_error_i || in_none)), in_last, in_bytes, rx_data_i}),
    .valid_o(valid_o), .ready_i(ready_i), .data_o({eth_o, bad_o, last_o, bytes_o, data_o}),
    .count_o(f_count), .almost_full_o()
  );

  // ------------------------------------------------------------------ exit of the wire buffer, credits
  logic       fo_first_q, fo_x, fo_blk_last;
  logic [3:0] fo_vl, fo_vl_q;
  logic [2:0] fo_beat_q;
  assign fo_vl       = fo_first_q ? data_o[7:4] : fo_vl_q;
  assign fo_x        = eth_o || fo_vl >= 4'(NumVl);
  assign fo_blk_last = last_o || fo_beat_q == 3'(BlkBeats - 1);
  logic       fo_fire;
  assign fo_fire = valid_o && ready_i;
  // Whether but two places are left: the count is compared a cycle ahead, for each that it may become, as both what
  // comes and what goes are known late.
  always_ff @(posedge clk_i) begin
    if (rst_i)         near_q <= 1'b0;
    else if (in_store) near_q <= f_count >= (fo_fire ? FCountW'(FWords - 2) : FCountW'(FWords - 3));
    else               near_q <= f_count >= (fo_fire ? FCountW'(FWords - 1) : FCountW'(FWords - 2));
  end
  always_comb begin
    cr_put = '0;
    if (fo_fire && fo_blk_last && !fo_x) cr_put[fo_vl[VlW-1:0]] = 1'b1;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      fo_first_q <= 1'b1;
      fo_beat_q  <= '0;
      x_used_q   <= '0;
    end else begin
      if (fo_fire) begin
        fo_first_q <= last_o;
        fo_beat_q  <= fo_blk_last ? 3'd0 : fo_beat_q + 3'd1;
      end
      x_used_q <= x_used_q + 12'(in_store && in_x && blk_first) - 12'(fo_fire && fo_blk_last && fo_x);
    end
    if (fo_fire && fo_first_q) fo_vl_q <= data_o[7:4];
  end

  // What priorities have in it is for flow control: the frames themselves say it, on both sides alike.
  if (RoCE) begin : g_units
    ohca_eth_units #(.DataWidth(DataWidth)) u_put (
      .clk_i(clk_i), .rst_i(rst_i), .fire_i(in_store), .eth_i(eth), .last_i(in_last), .data_i(rx_data_i),
      .unit_o(put_o), .prio_o(put_prio_o)
    );
    ohca_eth_units #(.DataWidth(DataWidth)) u_get (
      .clk_i(clk_i), .rst_i(rst_i), .fire_i(fo_fire), .eth_i(eth_o), .last_i(last_o), .data_i(data_o),
      .unit_o(get_o), .prio_o(get_prio_o)
    );
  end else begin : g_no_units
    assign put_o      = 1'b0;
    assign put_prio_o = '0;
    assign get_o      = 1'b0;
    assign get_prio_o = '0;
  end

  // The credits are shared evenly by the VLs in use.
  logic [NumVl-1:0] in_use_q;
  always_ff @(posedge clk_i) begin
    for (int unsigned v = 0; v < NumVl; v++) in_use_q[v] <= 4'(v) < cfg_i.oper_vls;
    case (cfg_i.oper_vls)
      4'd2:    {share, most, most_1} <= {12'(Credits / 2), 12'(Credits / 2 + 67), 12'(Credits / 2 + 66)};
      4'd4:    {share, most, most_1} <= {12'(Credits / 4), 12'(Credits / 4 + 67), 12'(Credits / 4 + 66)};
      4'd8:    {share, most, most_1} <= {12'(Credits / 8), 12'(Credits / 8 + 67), 12'(Credits / 8 + 66)};
      default: {share, most, most_1} <= {12'(Credits), 12'(Credits + 67), 12'(Credits + 66)};
    endcase
  end
  assign rx_thr_o = {2'd0, share[11:2]};
  for (genvar g = 0; g < NumVl; g++) begin : g_fc
    ohca_fc_rx u_fc (
      .clk_i(clk_i), .rst_i(rst_i), .en_i(cfg_i.smp_en),
      .sync_valid_i(fc_ok && rx_data_i[23:20] == 4'(g)), .sync_abr_i({rx_data_i[3:0], rx_data_i[15:8]}),
      .get_i(cr_get[g]), .put_i(cr_put[g]), .use_i(in_use_q[g]), .share_i(share),
      .used_o(cr_used[g]), .full_o(cr_full[g]), .fccl_o(rx_fccl_o[g])
    );
  end

  // ------------------------------------------------------------------ what happened
  always_ff @(posedge clk_i) begin
    // A packet lost for want of room is counted where that shows.
    over_x_o <= in_over && !eth && in_vl == 4'd15 && !rst_i;
    over_d_o <= in_over && (eth || in_vl != 4'd15) && !rst_i;
    nocr_o   <= in_beat && in_first && !eth && own_full && in_vl < cfg_i.oper_vls && !rst_i;
    words_o  <= in_beat && !rst_i;
    remote_o <= rx_valid_i && rx_last_i && rx_error_i && cfg_i.smp_en && !rst_i;
    lpcrc_o  <= fc_here && !fc_lp_ok && !rst_i;
  end
  assign fill_o = 16'(f_count >> $clog2(64 / Bytes));

  // A packet that is on the wire is work, too.
  assign idle_o = !rx_valid_i && rx_first_q && f_count == '0 && !fc_valid_q && !lpcrc_o;

  `ASSERT(FrontRoom_A, !in_store || f_ready)
  logic [11:0] most_q;                            // most a cycle before
  always_ff @(posedge clk_i) most_q <= most;
  for (genvar g = 0; g < NumVl; g++) begin : g_over
    `ASSERT(Over_A, most != most_q || cr_over[g] == (cr_used[g] >= most))
  end
  `ASSERT(Near_A, near_q == (f_count >= FCountW'(FWords - 2)))

  logic unused;
  assign unused = &{1'b0, cfg_i, f_ready};

endmodule

`default_nettype wire
