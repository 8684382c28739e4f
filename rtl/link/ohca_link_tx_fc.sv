// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Flow-control packets of all VLs: what each bears (Op, FCTBS, FCCL, LPCRC), and when one is due.
//
// A VL tells its limit at once when it has moved by thr_i since it was told, with the period, when the port's state or
// its VLs change, and when a packet of it has waited 128 cycles without credit while the peer does not know of all that
// was sent: packets that were lost took theirs with them until then. Due to valid_o: 3 cycles; a packet in 4. valid_o
// and data_o are registers. data_o is anew in each cycle as long as valid_o is 1, so it bears the limit and the blocks
// of one cycle before; valid_o may fall again (the VL is no longer in use). While it is 1 no other packet may begin; in
// the cycle behind the first beat of one (old_o) data_o does not count that yet and may not go. It does NOT keep
// accounts of credits (ohca_fc_tx), nor make limits (ohca_link_rx), nor send: the caller sees to it that it goes
// between packets.
//
// FCTBS counts the blocks that are before the flow-control packet on the wire, so it is kept here, at the very end of
// the path.
// lint: NumVl=1
// lint: NumVl=8

`include "ohca_assert.svh"
`default_nettype none

module ohca_link_tx_fc #(
  parameter int unsigned NumVl = 4
) (
  input  logic                   clk_i,
  input  logic                   rst_i,
  output logic                   idle_o,         // no register: the clock may stop behind it
  input  logic [31:0]            now_i,
  output logic [31:0]            due_in_o,       // time to the next ones, if it is not over: no register

  input  logic                   en_i,           // the port is not Down; 0 forgets everything
  input  logic                   eth_i,          // no flow-control packets
  input  logic                   init_i,         // the port is in Initialize: Op 1
  input  logic [3:0]             vls_i,          // VLs in use
  input  logic [31:0]            period_i,
  input  logic [NumVl-1:0][11:0] fccl_i,         // the receiver's limits
  input  logic [11:0]            thr_i,

  input  logic [NumVl-1:0]       wait_i,         // a packet of the VL waits for credit
  input  logic                   begin_i,        // a packet's first beat goes onto the wire
  input  logic [NumVl-1:0]       begin_vl_i,     // one bit, or none
  input  logic [11:0]            begin_blocks_i,

  output logic                   valid_o,
  output logic                   old_o,
  output logic [47:0]            data_o,         // first wire byte in [7:0]
  input  logic                   send_i          // it goes; only while valid_o and not old_o
);

  localparam int unsigned VlW = (NumVl > 1) ? $clog2(NumVl) : 1;

  `include "ohca_crc16.svh"

  logic [NumVl-1:0][11:0] fctbs_q, fctbs_sent_q, fccl_sent_q;
  logic [NumVl-1:0]       ask_q;                   // no credit, and the peer does not know all that was sent
  logic [6:0]             ask_age_q;
  logic [NumVl-1:0]       pend_q, moved, pend_d;
  logic [31:0]            due_q, due_less;         // time of the next one; from now to it less one, negative if over
  logic                   en_q, en2_q, init_q, due, fc_due, fc_start, any, sel_q;
  logic [3:0]             vls_q;
  logic [VlW-1:0]         vl_d, vl_q;              // the next one; the one whose turn it is
  logic [11:0]            lim_d, lim_q, fctbs;
  logic [31:0]            bytes;

  // ------------------------------------------------------------------ when
  always_comb begin
    for (int unsigned v = 0; v < NumVl; v++) moved[v] = 4'(v) < vls_i && fccl_i[v] != fccl_sent_q[v];
  end
  // The second case: the period was made shorter.
  assign due_less = due_q + ~now_i;
  assign due      = !eth_i && (due_less[31] || due_less >= period_i);
  // A cycle late, and once: due_q says so a cycle later still.
  always_ff @(posedge clk_i) fc_due <= en_i && due && !fc_due && !rst_i;
  // Start and stop: a cycle late, when ohca_link_rx shows its limits.
  assign fc_start = en_q && !eth_i && (!en2_q || init_q != init_i || vls_q != vls_i);
  always_comb begin
    for (int unsigned v = 0; v < NumVl; v++) begin
      // At once when a quarter of the VL's share was freed, else with the period: what the peer has of the other three
      // takes the longest packet.
      pend_d[v] = pend_q[v] || fc_due || fc_start || (moved[v] && (fccl_i[v] - fccl_sent_q[v]) >= thr_i);
      if (ask_q[v] && ask_age_q == 7'h7f) pend_d[v] = 1'b1;
      if (4'(v) >= vls_i || eth_i) pend_d[v] = 1'b0;
    end
    vl_d = '0;
    for (int unsigned v = NumVl; v > 0; v--) if (pend_q[v-1]) vl_d = VlW'(v - 1);
  end

  // ------------------------------------------------------------------ what
  // Whose turn it is; then the packet, anew in each cycle until it goes. Packets are counted with their first beat, so
  // only after one of a single beat it is older than the count (old_o); no other packet begins then.
  assign any   = pend_q != '0;
  always_comb begin
    lim_d   = '0;
    fctbs   = '0;
    for (int unsigned v = 0; v < NumVl; v++) if (vl_q == VlW'(v)) {lim_d, fctbs} = {fccl_i[v], fctbs_q[v]};
  end
  assign bytes = {lim_d[7:0], 4'(vl_q), lim_d[11:8], fctbs[7:0], 3'd0, init_i, fctbs[11:8]};
  always_ff @(posedge clk_i) begin
    sel_q  <= any && en_i && !sel_q && !valid_o && !rst_i;
    if (!sel_q && !valid_o) vl_q <= vl_d;
    if (rst_i || send_i || !en_i || !pend_q[vl_q]) valid_o <= 1'b0;
    else if (sel_q) valid_o <= 1'b1;
    data_o <= {~crc16_dw(16'hffff, bytes), bytes};
    lim_q  <= lim_d;
    old_o  <= begin_i;
    for (int unsigned v = 0; v < NumVl; v++) ask_q[v] <= wait_i[v] && fctbs_q[v] != fctbs_sent_q[v] && !rst_i;
    if (rst_i || ask_q == '0 || send_i) ask_age_q <= '0;
    else if (ask_age_q != 7'h7f)        ask_age_q <= ask_age_q + 7'd1;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) due_q <= '0;
    else if (en_i && (fc_due || fc_start)) due_q <= now_i + period_i;
    if (rst_i || !en_i) begin
      en_q         <= 1'b0;
      en2_q        <= 1'b0;
      pend_q       <= '0;
      fctbs_q      <= '0;
      fctbs_sent_q <= '0;
      fccl_sent_q  <= '0;
    end else begin
      en_q  <= 1'b1;
      en2_q <= en_q;
      if (en_q) pend_q <= pend_d;
      for (int unsigned v = 0; v < NumVl; v++) begin
        if (send_i && vl_q == VlW'(v)) begin
          pend_q[v]       <= fc_start;             // what leaves now is a cycle old
          fccl_sent_q[v]  <= lim_q;
          fctbs_sent_q[v] <= {data_o[3:0], data_o[15:8]};
        end
        if (begin_i && begin_vl_i[v]) fctbs_q[v] <= fctbs_q[v] + begin_blocks_i;
      end
    end
    init_q <= init_i;
    vls_q  <= vls_i;
  end

  assign due_in_o = due_less + 32'd1;
  assign idle_o   = !en_i || (en2_q && !fc_start && !any && !sel_q && !valid_o && pend_d == '0 && !due);

  `ASSERT(SendValid_A, !send_i || (valid_o && !old_o))

endmodule

`default_nettype wire
