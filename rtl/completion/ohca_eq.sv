// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Event queues: writes EQEs of all sources to the rings of the host and raises an interrupt when the host wants one.
// lint: DW=128
// lint: DW=256
// lint: DW=512
// lint: Compact=1
// One event every two cycles; contexts are on chip. An interrupt leaves when its EQE and every write before it are
// acknowledged.
//
// An event for a queue that is full, or does not exist, is dropped and counted; a full queue also gets `err` (sticky),
// and the first loss of a row is reported by an eq_overflow event on EQ 0. Writing goes on as soon as the host has made
// room.

`include "ohca_assert.svh"
`default_nettype none

module ohca_eq #(
  parameter int unsigned DW         = 64,
  parameter int unsigned NumEq      = 16,     // power of two, 2 to 256
  parameter int unsigned NumSources = 4,      // cq, rs, ra, mgmt
  parameter bit          Compact    = 1'b0    // one EQE and one interrupt on their way, in registers
) (
  input  logic                                clk_i,
  input  logic                                rst_i,
  output logic                                idle_o,
  output logic [63:0]                         cnt_o,

  input  logic [NumSources-1:0]               ev_valid_i,
  output logic [NumSources-1:0]               ev_ready_o,
  input  logic [NumSources-1:0][ohca_fmt_pkg::EV_REQ_BITS-1:0] ev_i,

  input  logic                                db_valid_i,
  output logic                                db_ready_o,
  input  logic [32:0]                         db_i,           // {eqn 8, arm 1, ci 24}

  // Contexts (layout eqc), dword by dword. An access of dword 0 is done when every EQE written before it is
  // acknowledged: after valid has been cleared nothing more goes to the ring.
  input  logic                                mg_valid_i,
  output logic                                mg_ready_o,
  input  logic                                mg_we_i,
  input  logic [7:0]                          mg_eqn_i,
  input  logic [2:0]                          mg_dw_i,
  input  logic [31:0]                         mg_wdata_i,
  output logic                                mg_done_o,
  output logic [31:0]                         mg_rdata_o,     // with mg_done_o

  output logic                                wr_valid_o,
  input  logic                                wr_ready_i,
  output ohca_fmt_pkg::dma_wr_req_t           wr_o,
  output logic                                wr_dat_valid_o,
  input  logic                                wr_dat_ready_i,
  output logic [DW-1:0]                       wr_dat_o,
  output logic                                wr_dat_last_o,
  input  logic [31:0]                         wr_issued_i,    // of ohca_dma_wr, all clients
  input  logic [31:0]                         wr_acked_i,

  output logic                                irq_valid_o,
  input  logic                                irq_ready_i,
  output logic [7:0]                          irq_vector_o
);

  localparam int unsigned EqW = $clog2(NumEq);
  if ((1 << EqW) != NumEq || NumEq > 256 || NumEq < 2) begin : g_bad_num
    $error("ohca_eq: NumEq must be a power of two, 2 to 256");
  end

  // ---------------------------------------------------------------- sources
  logic                          ev_valid, ev_take;
  ohca_fmt_pkg::ev_req_t         ev;
  logic [ohca_fmt_pkg::EV_REQ_BITS-1:0] ev_raw;
  // Requests are seen a cycle after they came, as they stay until they are taken, and an operation takes two cycles: so
  // whose turn it is comes from flops.
  logic [NumSources-1:0]         ev_seen_q;
  logic                          mg_seen_q, db_seen_q;
  always_ff @(posedge clk_i) begin
    ev_seen_q <= rst_i ? '0 : ev_valid_i & ~ev_ready_o;
    mg_seen_q <= mg_valid_i && !mg_ready_o && !rst_i;
    db_seen_q <= db_valid_i && !db_ready_o && !rst_i;
  end
  // verilator lint_off PINCONNECTEMPTY
  ohca_arb_rr #(.N(NumSources), .Width(ohca_fmt_pkg::EV_REQ_BITS)) u_arb (
    .clk_i, .rst_i,
    .valid_i(ev_seen_q), .ready_o(ev_ready_o), .data_i(ev_i), .last_i('0),
    .valid_o(ev_valid), .ready_i(ev_take), .data_o(ev_raw), .last_o(), .sel_o(), .gnt_o()
  );
  // verilator lint_on PINCONNECTEMPTY
  assign ev = ev_raw;

  // ---------------------------------------------------------------- choose an operation and read its context
  typedef enum logic [2:0] {OP_NONE, OP_MG, OP_DB, OP_EV, OP_LOST} op_e;
  op_e          op, op_q;
  logic         busy, wq_room, mg_wait_q, lost_try_q;
  logic [7:0]   eqn;
  logic [NumEq-1:0] valid_q, lost_q, tell_q;    // lost_q: the last event was dropped; tell_q: that is still to be
                                                // reported
  logic [EqW-1:0]   eq_q, tell_idx;
  logic         eq_ok_q;
  ohca_fmt_pkg::ev_req_t ev_q;
  logic [31:0]  db_q, mg_wdata_q;
  logic [2:0]   mg_dw_q;
  logic         mg_we_q;

  assign busy = op_q != OP_NONE;
  always_comb begin
    op  = OP_NONE;
    eqn = ev.eqn;
    if (!busy && wq_room) begin
      if (mg_seen_q && !mg_wait_q) begin
        op  = OP_MG;
        eqn = mg_eqn_i;
      end else if (db_seen_q) begin
        op  = OP_DB;
        eqn = db_i[32:25];
      end else if (lost_try_q && valid_q[0]) begin
        op  = OP_LOST;
        eqn = 8'd0;
      end else if (ev_valid) begin
        op = OP_EV;
      end
    end
  end
  assign mg_ready_o = op == OP_MG;
  assign db_ready_o = op == OP_DB;
  assign ev_take    = op == OP_EV;

  // What is kept of a context; valid is in flops so that reset clears it.
  typedef struct packed {
    logic        armed;
    logic        err;
    logic [4:0]  log_size;
    logic [7:0]  vector;
    logic [23:0] pi;
    logic [23:0] ci;
    logic [63:0] buf_;
  } eq_ctx_t;
  localparam int unsigned CtxW = 127;
  eq_ctx_t c, n;
  logic    ctx_we;
  ohca_ram_sdp #(.Width(CtxW), .Depth(NumEq)) u_ctx (
    .clk_i,
    .wr_en_i(ctx_we), .wr_be_i(1'b1), .wr_addr_i(eq_q), .wr_data_i(n),
    .rd_en_i(op != OP_NONE), .rd_addr_i(eqn[EqW-1:0]), .rd_data_o(c)
  );

  // ---------------------------------------------------------------- execute
  logic [23:0] used, within_ring, db_used, new_ci;
  logic        live, full, event_op, write, fire, drop, mark, ci_ok;
  logic [31:0] dw_old, dw_new;
  ohca_fmt_pkg::ev_req_t e;
  assign live     = eq_ok_q && valid_q[eq_q];
  // The bits that count within a ring, one by one from the context; 2^23 entries at most.
  always_comb begin
    for (int unsigned i = 0; i < 24; i++) within_ring[i] = i < 23 && 5'(i) < c.log_size;
  end
  assign used     = c.pi - c.ci;
  assign full     = |(used & ~within_ring);
  assign event_op = op_q == OP_EV || op_q == OP_LOST;
  assign e        = ev_q;
  assign write    = event_op && live && !full;
  assign drop     = event_op && !write && op_q == OP_EV;
  // A consumer index that is not between the last one and the producer index is nonsense and changes nothing.
  assign db_used  = c.pi - db_q[23:0];
  assign ci_ok    = db_used <= used;
  assign new_ci   = ci_ok ? db_q[23:0] : c.ci;
  assign fire     = live && ((write && c.armed) || (op_q == OP_DB && db_q[24] && c.pi != new_ci));
  assign mark     = op_q == OP_MG && mg_dw_q == 3'd0;

  always_comb begin
    case (mg_dw_q)
      3'd0:    dw_old = {8'd0, c.vector, 3'd0, c.log_size, 5'd0, c.err, c.armed, valid_q[eq_q]};
      3'd1:    dw_old = {8'd0, c.pi};
      3'd2:    dw_old = c.buf_[31:0];
      3'd3:    dw_old = c.buf_[63:32];
      3'd4:    dw_old = {8'd0, c.ci};
      default: dw_old = 32'd0;
    endcase
  end
  assign dw_new = mg_wdata_q;

  always_comb begin
    n      = c;
    ctx_we = 1'b0;
    unique case (op_q)
      OP_MG: begin
        ctx_we = mg_we_q && eq_ok_q;
        case (mg_dw_q)
          3'd0: begin
            n.armed    = dw_new[1];
            n.err      = dw_new[2];
            n.log_size = dw_new[12:8];
            n.vector   = dw_new[23:16];
          end
          3'd1:    n.pi          = dw_new[23:0];
          3'd2:    n.buf_[31:0]  = dw_new;
          3'd3:    n.buf_[63:32] = dw_new;
          3'd4:    n.ci          = dw_new[23:0];
          default: ctx_we = 1'b0;
        endcase
      end
      OP_DB: begin
        ctx_we = live;
        n.ci   = new_ci;
        if (db_q[24]) n.armed = !fire;
      end
      OP_EV, OP_LOST: begin
        ctx_we = live;
        if (write) begin
          n.pi = c.pi + 24'd1;
          if (fire) n.armed = 1'b0;
        end else if (op_q == OP_EV) begin
          n.err = 1'b1;
        end
      end
      default: ;
    endcase
  end

  always_comb begin
    tell_idx = '0;
    for (int unsigned i = 0; i < NumEq; i++) if (tell_q[i]) tell_idx = EqW'(i);
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      op_q       <= OP_NONE;
      valid_q    <= '0;
      lost_q     <= '0;
      tell_q     <= '0;
      lost_try_q <= 1'b0;
    end else begin
      op_q <= op;
      if (op_q == OP_MG && mg_we_q && eq_ok_q && mg_dw_q == 3'd0) begin
        valid_q[eq_q] <= dw_new[0];
        lost_q[eq_q]  <= 1'b0;
        tell_q[eq_q]  <= 1'b0;
      end
      if (drop && live) begin
        lost_q[eq_q] <= 1'b1;
        if (!lost_q[eq_q]) begin
          tell_q[eq_q] <= 1'b1;
          lost_try_q   <= 1'b1;
        end
      end
      if (write) lost_q[eq_q] <= 1'b0;
      // EQ 0 itself may be full: then the report waits for its next doorbell.
      if (op_q == OP_LOST) begin
        lost_try_q <= write && ((tell_q & ~(NumEq'(1) << tell_idx)) != '0);
        if (write) tell_q[tell_idx] <= 1'b0;
      end
      if (op_q == OP_DB && live && eq_q == '0 && tell_q != '0) lost_try_q <= 1'b1;
    end
    if (op != OP_NONE) begin
      eq_q    <= eqn[EqW-1:0];
      eq_ok_q <= 32'(eqn) < NumEq;
    end
    if (op == OP_EV) ev_q <= ev;
    if (op == OP_LOST) ev_q <= {8'd0, ohca_fmt_pkg::EQE_TYPE_EQ_OVERFLOW, 8'd0, 16'd0, 32'(tell_idx), 32'd0};
    if (op == OP_DB) db_q <= {7'd0, db_i[24:0]};
    if (op == OP_MG) begin
      mg_we_q    <= mg_we_i;
      mg_dw_q    <= mg_dw_i;
      mg_wdata_q <= mg_wdata_i;
    end
  end

  // ---------------------------------------------------------- EQEs to the host, in order with the interrupts and marks
  logic         w_valid, w_pop, w_write, w_irq, w_mark, w_ready, pass;
  logic [2:0]   put_q;                          // write, fire, mark
  logic [7:0]   w_vector;
  logic [127:0] eqe, w_eqe;
  logic [63:4]  w_addr;
  logic [2:0]   w_count;
  logic [23:0]  slot;
  // In the cycle after the operation, whose context and event are still there: the next one begins in it.
  always_ff @(posedge clk_i) put_q <= rst_i ? '0 : {write, fire, mark};
  assign slot = c.pi & within_ring;
  assign pass = |(c.pi & ~within_ring & {within_ring[22:0], 1'b1});     // odd pass of the ring
  assign eqe  = {!pass, 31'd0, e.param, e.num, e.syndrome, e.port, e.etype};
  ohca_fifo #(.Width(3 + 8 + 60 + 128), .Depth(4), .AlmostFull(3), .Single(Compact)) u_wq (
    .clk_i, .rst_i,
    .valid_i(put_q != '0), .ready_o(w_ready),
    .data_i({put_q, c.vector, c.buf_[63:4] + 60'(slot), eqe}),
    .valid_o(w_valid), .ready_i(w_pop), .data_o({w_write, w_irq, w_mark, w_vector, w_addr, w_eqe}), .count_o(w_count),
    .almost_full_o()
  );
  // A cycle old: the operation before and the next one may be on their way into the queue (Compact: none may).
  always_ff @(posedge clk_i) begin
    wq_room <= !rst_i && (Compact ? w_count == '0 && !busy && put_q == '0 : w_count < 3'd3);
  end

  logic req_done_q, dat_done_q, req_ok, dat_ok, f_room, p_valid_q, p_irq_q;
  logic [7:0] p_vector_q;
  assign wr_valid_o = w_valid && w_write && !req_done_q;
  assign wr_o       = {w_addr, 4'd0, 13'd16};
  assign req_ok     = !w_write || req_done_q || wr_ready_i;

  if (DW == 64) begin : g_two
    logic beat_q;
    assign wr_dat_valid_o = w_valid && w_write && !dat_done_q;
    assign wr_dat_o       = beat_q ? w_eqe[127:64] : w_eqe[63:0];
    assign wr_dat_last_o  = beat_q;
    assign dat_ok         = !w_write || dat_done_q || (wr_dat_ready_i && beat_q);
    always_ff @(posedge clk_i) begin
      if (rst_i) beat_q <= 1'b0;
      else if (wr_dat_valid_o && wr_dat_ready_i) beat_q <= !beat_q;
    end
  end else begin : g_one
    assign wr_dat_valid_o = w_valid && w_write && !dat_done_q;
    assign wr_dat_o       = {(DW / 128){w_eqe}};
    assign wr_dat_last_o  = 1'b1;
    assign dat_ok         = !w_write || dat_done_q || wr_dat_ready_i;
  end
  assign w_pop = w_valid && req_ok && dat_ok && (!(w_irq || w_mark) || (f_room && !p_valid_q));

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      req_done_q <= 1'b0;
      dat_done_q <= 1'b0;
      p_valid_q  <= 1'b0;
    end else begin
      req_done_q <= !w_pop && (req_done_q || (wr_valid_o && wr_ready_i));
      dat_done_q <= !w_pop && (dat_done_q || (wr_dat_valid_o && wr_dat_ready_i && wr_dat_last_o));
      p_valid_q  <= w_pop && (w_irq || w_mark);
    end
    if (w_pop) begin
      p_irq_q    <= w_irq;
      p_vector_q <= w_vector;
    end
  end

  // ---------------------------------------------------------------- fence: what waits for acknowledgements
  // p_q holds it for the cycle after which wr_issued_i counts the write.
  logic        f_valid, f_pop, f_irq, f_ready, passed;
  logic [7:0]  f_vector;
  logic [15:0] f_snap, behind;
  logic [4:0]  f_count;
  // verilator lint_off PINCONNECTEMPTY
  ohca_fifo #(.Width(1 + 8 + 16), .Depth(16), .Single(Compact)) u_fence (
    .clk_i, .rst_i,
    .valid_i(p_valid_q), .ready_o(f_ready), .data_i({p_irq_q, p_vector_q, wr_issued_i[15:0]}),
    .valid_o(f_valid), .ready_i(f_pop), .data_o({f_irq, f_vector, f_snap}), .count_o(f_count), .almost_full_o()
  );
  // verilator lint_on PINCONNECTEMPTY
  assign f_room       = f_count < (Compact ? 5'd1 : 5'd15);
  assign behind       = wr_acked_i[15:0] - f_snap;
  assign passed       = f_valid && !behind[15];
  assign irq_valid_o  = passed && f_irq;
  assign irq_vector_o = f_vector;
  assign f_pop        = passed && (!f_irq || irq_ready_i);

  // ---------------------------------------------------------------- management answers
  logic mg_done_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      mg_wait_q <= 1'b0;
      mg_done_q <= 1'b0;
    end else begin
      mg_done_q <= (op_q == OP_MG && !mark) || (f_pop && !f_irq);
      if (op == OP_MG) mg_wait_q <= 1'b1;
      if (mg_done_q)   mg_wait_q <= 1'b0;
    end
    if (op_q == OP_MG) mg_rdata_o <= eq_ok_q ? dw_old : 32'd0;
  end
  assign mg_done_o = mg_done_q;

  always_ff @(posedge clk_i) begin
    cnt_o <= '0;
    cnt_o[ohca_fmt_pkg::COUNTER_EQ_OVERFLOW] <= !rst_i && drop;
  end
  assign idle_o = op_q == OP_NONE && put_q == '0 && !w_valid && !p_valid_q && !f_valid && !mg_wait_q && !mg_valid_i &&
                  !db_valid_i && !(|ev_valid_i) && !(lost_try_q && valid_q[0]);

  logic unused;
  assign unused = &{1'b0, e.eqn, db_q[31:25], c.buf_[3:0], behind[14:0], wr_issued_i[31:16], wr_acked_i[31:16]};

  `ASSERT(WqRoom_A, put_q == '0 || w_ready)
  `ASSERT(PutHeld_A, put_q == '0 || !busy)      // no operation has replaced what is put
  `ASSERT(FenceRoom_A, !p_valid_q || f_ready)
  `ASSERT(OneKind_A, !(mark && (fire || write)))

endmodule

`default_nettype wire
