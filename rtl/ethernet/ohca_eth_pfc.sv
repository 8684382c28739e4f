// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Priority flow control (802.1Qbb) of an Ethernet port: honours the peer's pauses, and pauses the peer's priorities:
// each by what it has in the wire buffer, all of them by the filling of the whole.
//
// A pause acts at most 11 cycles after the last beat of its frame and ends within 8 cycles of its time; the request to
// send one stands 2 cycles after the whole's threshold was passed, within 9 cycles of a priority's. It does NOT look at
// pauses of the whole link (opcode 1), nor take the frames out of the received stream.
// lint: DataWidth=128
// lint: DataWidth=256
// lint: DataWidth=512

//   rx ─► first 34 bytes ─► vector, times ─┐
//                                          ├─► time × quantum ─► end of pause ─► paused (8) ─► pause_o by SL2VL
//   pause time to send ────────────────────┘                └─► half of it: send again
//   put, get ─► what each has (8) ─► own threshold ─┬─► who is to be paused ─► differs, or half is over ─► frame ─► tx
//   fill_i ─────────────────────► the whole's ──────┘

`include "ohca_assert.svh"
`default_nettype none

module ohca_eth_pfc #(
  parameter int unsigned DataWidth = 64,
  parameter int unsigned NumVl     = 4,
  parameter int unsigned MaxUnits  = 8192,            // the most that the wire buffer can hold: units of frames of one
                                                      // beat
  localparam int unsigned Bytes    = DataWidth / 8
) (
  input  logic                        clk_i,
  input  logic                        rst_i,
  input  logic [63:0]                 now_i,
  output logic                        idle_o,
  output logic [63:0]                 cnt_o,

  input  logic                        on_i,           // an Ethernet port that is up
  input  ohca_fmt_pkg::eth_pfc_t      pfc_i,
  input  ohca_fmt_pkg::eth_pfc_lim_t  lim_i,          // of the whole wire buffer
  input  ohca_fmt_pkg::eth_pfc_lim_t  own_i,          // of a priority's part of it; xoff 0: not looked at
  input  logic [31:0]                 quantum_i,      // cycles of a quantum, 1/256
  input  logic [47:0]                 mac_i,          // first wire byte in [47:40]
  input  logic [63:0]                 sl2vl_i,
  input  logic [15:0]                 fill_i,         // of the wire buffer, units of 64 bytes
  input  logic                        put_i,          // a unit of a priority's frames came into it
  input  logic [2:0]                  put_prio_i,
  input  logic                        get_i,          // and one left
  input  logic [2:0]                  get_prio_i,

  // Wire
  input  logic                        rx_valid_i,
  input  logic [DataWidth-1:0]        rx_data_i,      // first wire byte in [7:0]
  input  logic [Bytes-1:0]            rx_keep_i,
  input  logic                        rx_last_i,
  input  logic                        rx_error_i,
  input  logic [1:0]                  rx_kind_i,

  // Pause frames to send
  output logic                        tx_valid_o,
  input  logic                        tx_ready_i,
  output logic [DataWidth-1:0]        tx_data_o,
  output logic [Bytes-1:0]            tx_keep_o,
  output logic                        tx_last_o,

  output logic [NumVl-1:0]            pause_o,        // the queue must not begin another packet
  output logic                        pause0_o,       // nor what has priority 0
  output ohca_fmt_pkg::eth_state_t    state_o
);

  localparam int unsigned HdrBytes = 34;              // of a pause frame: up to the last time
  localparam int unsigned HBeats   = (HdrBytes + Bytes - 1) / Bytes;
  localparam int unsigned HTail    = HdrBytes - (HBeats - 1) * Bytes;
  localparam int unsigned HW       = $clog2(HBeats + 1);
  localparam int unsigned TBeats   = (60 + Bytes - 1) / Bytes;
  localparam int unsigned TTail    = 60 - (TBeats - 1) * Bytes;
  localparam int unsigned TW       = (TBeats > 1) ? $clog2(TBeats) : 1;
  localparam int unsigned EndW     = 40;

  // ------------------------------------------------------------------ frames of the peer
  logic [HBeats*DataWidth-1:0] hdr_q;
  logic [HBeats*Bytes*8-1:0]   w;                     // first byte in the most significant place
  logic [HW-1:0]               idx_q;
  logic                        whole_q, is_pfc;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      idx_q   <= '0;
      whole_q <= 1'b0;
    end else begin
      whole_q <= rx_valid_i && rx_last_i && !rx_error_i && rx_kind_i == 2'd2 && on_i &&
                 (idx_q > HW'(HBeats - 1) || (idx_q == HW'(HBeats - 1) && rx_keep_i[HTail-1]));
      if (rx_valid_i) idx_q <= rx_last_i ? '0 : (idx_q > HW'(HBeats - 1)) ? idx_q : idx_q + HW'(1);
    end
    if (rx_valid_i) begin
      for (int unsigned i = 0; i < HBeats; i++) if (idx_q == HW'(i)) hdr_q[i*DataWidth +: DataWidth] <= rx_data_i;
    end
  end
  localparam int unsigned Top = HBeats * Bytes * 8 - 1;
  always_comb begin
    for (int unsigned i = 0; i < HBeats * Bytes; i++) w[Top-8*i -: 8] = hdr_q[8*i +: 8];
    is_pfc = whole_q && w[Top -: 48] == 48'h0180c2000001 && w[Top-96 -: 32] == 32'h88080101;
  end

  // What a frame names waits here for the multiplier; a newer frame replaces only what it names itself.
  logic [7:0]       pend_q;
  logic [7:0][15:0] time_q;
  logic [3:0]       scan_q;                           // 0 to 7: priorities; 8: half of what is sent
  logic             m_valid_q, m_half_q, m_zero_q, p_valid_q, p_half_q, p_zero_q, run;
  logic [2:0]       m_idx_q, p_idx_q;
  logic [15:0]      m_time_q, quantum;
  logic [31:0]      p_prod_q;
  logic [EndW-1:0]  half_q;
  assign run     = on_i && !rst_i;
  always_ff @(posedge clk_i) begin
    if (!run) begin
      pend_q    <= '0;
      scan_q    <= '0;
      m_valid_q <= 1'b0;
      p_valid_q <= 1'b0;
    end else begin
      scan_q    <= (scan_q == 4'd8) ? 4'd0 : scan_q + 4'd1;
      m_valid_q <= scan_q == 4'd8 || pend_q[scan_q[2:0]];
      p_valid_q <= m_valid_q;
      for (int unsigned i = 0; i < 8; i++) begin
        if (is_pfc && w[Top-136-7+i]) pend_q[i] <= pfc_i.rx_en[i];
        else if (scan_q == 4'(i))     pend_q[i] <= 1'b0;
      end
    end
    for (int unsigned i = 0; i < 8; i++) if (is_pfc && w[Top-136-7+i]) time_q[i] <= w[Top-144-16*i -: 16];
    m_half_q <= scan_q == 4'd8;
    m_idx_q  <= scan_q[2:0];
    m_time_q <= (scan_q == 4'd8) ? pfc_i.time_ : time_q[scan_q[2:0]];
    m_zero_q <= time_q[scan_q[2:0]] == '0;
    p_half_q <= m_half_q;
    p_idx_q  <= m_idx_q;
    p_zero_q <= m_zero_q;
    p_prod_q <= m_time_q * quantum;
    quantum  <= (quantum_i[31:16] != '0) ? 16'hffff : quantum_i[15:0];
    if (p_valid_q && p_half_q) half_q <= EndW'(p_prod_q >> 9);
  end

  // ------------------------------------------------------------------ pauses
  logic [7:0]       paused_q;
  logic [EndW-1:0]  end_q [8];
  logic [EndW-1:0]  end_rd, past;
  logic [2:0]       look_q;
  assign end_rd = end_q[look_q];
  assign past   = now_i[EndW-1:0] - end_rd;
  always_ff @(posedge clk_i) begin
    look_q <= rst_i ? 3'd0 : look_q + 3'd1;
    if (!run) paused_q <= '0;
    else begin
      if (!past[EndW-1]) paused_q[look_q] <= 1'b0;
      if (p_valid_q && !p_half_q) paused_q[p_idx_q] <= !p_zero_q;
    end
    if (p_valid_q && !p_half_q) end_q[p_idx_q] <= now_i[EndW-1:0] + EndW'(p_prod_q >> 8) + EndW'(1);
  end

  logic [7:0] held;
  assign held = paused_q & pfc_i.rx_en;
  always_ff @(posedge clk_i) begin
    for (int unsigned v = 0; v < NumVl; v++) begin
      pause_o[v] <= 1'b0;
      for (int unsigned p = 0; p < 8; p++) if (held[p] && sl2vl_i[4*p +: 4] == 4'(v) && run) pause_o[v] <= 1'b1;
    end
    pause0_o <= held[0] && run;
  end

  // ------------------------------------------------------------------ what each priority has
  localparam int unsigned HasW = $clog2(MaxUnits + 1);
  logic [7:0][HasW-1:0] has_q;
  logic [7:0]           put, get, much_q;             // much: too much, until little is left
  logic [15:0]          has;
  assign put = 8'(put_i) << put_prio_i;
  assign get = 8'(get_i) << get_prio_i;
  assign has = 16'(has_q[look_q]);
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < 8; i++) begin
      if (rst_i)                 has_q[i] <= '0;
      else if (put[i] != get[i]) has_q[i] <= has_q[i] + {{(HasW-1){get[i]}}, 1'b1};      // one more, or one less
    end
    if (!run || own_i.xoff == '0) much_q <= '0;
    else                          much_q[look_q] <= has >= own_i.xoff || (much_q[look_q] && has > own_i.xon);
  end

  // ------------------------------------------------------------------ pausing the peer
  logic            busy_q, full_q, full, start;
  logic [7:0]      want, pausing_q, vec_q, stop_q;    // to be paused; paused as far as the peer knows; named in the
                                                      // frame, and of these paused
  logic [TW-1:0]   beat_q;
  logic [EndW-1:0] due_q, late;
  logic            again_q;
  logic [TBeats*Bytes*8-1:0] f;                       // the frame, first byte in the most significant place
  localparam int unsigned FTop = TBeats * Bytes * 8 - 1;

  assign full  = lim_i.xoff != '0 && (fill_i >= lim_i.xoff || (full_q && fill_i > lim_i.xon));
  assign want  = pfc_i.tx_en & (full_q ? 8'hff : much_q);    // a cycle late: the count comes from far away
  assign late  = now_i[EndW-1:0] - due_q;
  // Each frame says all there is to say, so one time is enough for saying it again.
  assign start = !busy_q && run && (want != pausing_q || (want != '0 && again_q));
  always_ff @(posedge clk_i) begin
    full_q  <= full && run;
    again_q <= !late[EndW-1];                         // a cycle late; a frame takes longer than that to leave
    if (rst_i) begin
      busy_q <= 1'b0;
      beat_q <= '0;
    end else if (busy_q) begin
      // A frame that has begun ends, whatever becomes of the port.
      if (tx_ready_i) begin
        beat_q <= tx_last_o ? '0 : beat_q + TW'(1);
        busy_q <= !tx_last_o;
      end
    end else begin
      busy_q <= start;
    end
    if (!run) pausing_q <= '0;
    else if (start) begin
      pausing_q <= want;
      vec_q     <= want | pausing_q;
      stop_q    <= want;
      due_q     <= now_i[EndW-1:0] + half_q;
    end
  end
  always_comb begin
    f = '0;
    f[FTop -: 48]      = 48'h0180c2000001;
    f[FTop-48 -: 48]   = mac_i;
    f[FTop-96 -: 32]   = 32'h88080101;
    f[FTop-136 -: 8]   = vec_q;
    for (int unsigned i = 0; i < 8; i++) f[FTop-144-16*i -: 16] = stop_q[i] ? pfc_i.time_ : 16'd0;
    tx_data_o = '0;
    for (int unsigned b = 0; b < TBeats; b++) begin
      if (beat_q == TW'(b)) begin
        for (int unsigned i = 0; i < Bytes; i++) tx_data_o[8*i +: 8] = f[FTop-8*(b*Bytes+i) -: 8];
      end
    end
  end
  assign tx_valid_o = busy_q;
  assign tx_last_o  = beat_q == TW'(TBeats - 1);
  assign tx_keep_o  = tx_last_o ? Bytes'((64'd1 << TTail) - 64'd1) : '1;

  // ------------------------------------------------------------------ what happened
  assign state_o.paused  = held;
  assign state_o.pausing = pausing_q;
  assign state_o.rsvd0   = '0;
  always_comb begin
    cnt_o = '0;
    cnt_o[ohca_fmt_pkg::COUNTER_PFC_RX] = is_pfc && pfc_i.rx_en != '0;
    cnt_o[ohca_fmt_pkg::COUNTER_PFC_TX] = busy_q && tx_ready_i && tx_last_o;
  end

  // Somebody's pause that runs out is no work: who waits for it is not idle.
  logic work;
  assign work   = whole_q || pend_q != '0 || (m_valid_q && !m_half_q) || (p_valid_q && !p_half_q) || busy_q ||
                  pausing_q != '0 || (run && want != '0) || much_q != '0;
  assign idle_o = !work;

  `ASSERT(LeavesAfterItCame_A, !get_i || has_q[get_prio_i] != '0)

  logic unused;
  assign unused = &{1'b0, w, rx_keep_i, now_i};

endmodule

`default_nettype wire
