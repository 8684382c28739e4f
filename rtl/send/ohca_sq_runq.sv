// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// QPs of the send engine that have something to send: a queue, and a list per VL of those whose VL had no turn for
// them. The one whose turn is next lies in a register. Without lists a QP is offered four cycles after it came in, and
// with them if queue and list are empty; one every second cycle goes.
//
//   push_i --> in_q --> run queue ------------------+
//   park_i --> in_q --> list of the VL (adm_i) -----+--> next_q --> valid_o, id_o
//
// That a QP comes in is known at the end of a cycle, so it lies in a register before the memories see it. From which of
// them the next one comes is known a cycle before. Queue and lists take turns, and so do the lists of VLs that may have
// a turn (adm_i); one of the others is offered every 256 cycles all the same, for QPs that are to be flushed. A QP must
// be inside at most once: nobody checks it. Of a number IdW bits are kept. Outputs are flops.
//
// Queue and lists share RunQueue places (ohca_fifo_pool). The queue may have all of them; a list no more than are free,
// so a VL that is stopped keeps half of them at most, and two a third each; and what Leave says is for the queue alone.
// lint: NumVl=4
// lint: NumVl=8 RunQueue=65536 IdW=17

`include "ohca_assert.svh"
`default_nettype none

module ohca_sq_runq #(
  parameter int unsigned RunQueue = 1024,  // power of two
  parameter int unsigned Leave    = 128,   // places that are for the queue alone, of QPs that had a turn (room_o)
  parameter int unsigned NumVl    = 1,     // 1: no lists
  parameter int unsigned IdW      = 24,    // bits of a QP's number, at most 24: others are 0
  localparam bit          Shared  = NumVl > 1,
  localparam int unsigned NumC    = Shared ? NumVl + 1 : 1,
  localparam int unsigned ClsW    = Shared ? 4 : 1
) (
  input  logic              clk_i,
  input  logic              rst_i,
  output logic              idle_o,

  input  logic              push_i,        // only with ready_o
  input  logic              park_i,        // only with park_ready_o of the class
  input  logic [ClsW-1:0]   cls_i,
  input  logic [23:0]       id_i,
  output logic              ready_o,
  output logic [NumC-1:0]   park_ready_o,  // for the class of no VL there is no list
  output logic              room_o,
  output logic              few_o,         // less than a quarter is used; both two cycles old

  input  logic [NumC-1:0]   adm_i,
  output logic              valid_o,
  output logic [23:0]       id_o,
  input  logic              take_i         // only with valid_o
);

  localparam int unsigned RqW = $clog2(RunQueue);
  logic        rq_valid, load, pk_use, pk_idle, rq_pop;   // where there are lists, load, pk_use (from one of them) and
                                                          // what is popped are flops: memories hang on them
  logic        rq_any;
  logic [IdW-1:0] rq_id, pk_id, id_q;

  logic            in_push_q, in_park_q;
  logic [ClsW-1:0] in_cls_q;
  logic [IdW-1:0]  in_id_q;
  always_ff @(posedge clk_i) begin
    in_push_q <= push_i && !rst_i;
    in_park_q <= park_i && !rst_i;
    in_cls_q  <= cls_i;
    in_id_q   <= id_i[IdW-1:0];
  end
  `ASSERT(One_A, !(push_i && park_i))

  if (Shared) begin : g_park
    logic [NumVl-1:0]    p_valid, p_ok, p_some;
    logic [IdW*NumVl-1:0] p_id;
    logic [2:0]          sel, sel_q, last_q;
    logic                use_d, use_q, load_d, load_q, rq_pop_q;
    logic [NumVl-1:0]    pop_q;
    logic [7:0]          poll_q;
    logic                poll_due_q, first_q;
    // Lists are the first NumVl of the pool, the queue is the last. What is free is two cycles old, so it has to be
    // enough for three more, each of another list.
    localparam int unsigned Chunk  = (RunQueue > 4096) ? RunQueue / 1024 : 4;
    localparam int unsigned Chunks = RunQueue / Chunk;
    localparam int unsigned ChW    = $clog2(Chunks) + 1;
    localparam int unsigned Least  = Leave / Chunk + NumC + 4;
    if (Chunks < NumC + Least + 4) begin : g_bad_leave
      $error("ohca_sq_runq: RunQueue is too small for Leave");
    end
    logic [ChW-1:0]      free;
    logic [NumC*ChW-1:0] chunks;
    ohca_fifo_pool #(.Width(IdW), .Num(NumC), .Depth(RunQueue), .Chunk(Chunk)) u_pool (
      .clk_i(clk_i), .rst_i(rst_i), .push_i(in_push_q || in_park_q),
      .sel_i(in_push_q ? $clog2(NumC)'(NumVl) : in_cls_q[$clog2(NumC)-1:0]), .data_i(in_id_q), .free_o(free),
      .chunks_o(chunks), .any_o({rq_any, p_some}), .valid_o({rq_valid, p_valid}), .pop_i({rq_pop, pop_q}),
      .data_o({rq_id, p_id})
    );
    for (genvar g = 0; g < NumVl; g++) begin : g_list
      always_ff @(posedge clk_i) begin
        park_ready_o[g] <= free > chunks[ChW*g +: ChW] && free >= ChW'(Least) && !rst_i;
        pop_q[g]        <= load_d && use_d && sel == 3'(g) && !rst_i;
      end
    end
    always_ff @(posedge clk_i) begin
      ready_o <= free >= ChW'(4) && !rst_i;
      room_o  <= free >= ChW'(Least);
      few_o   <= free > ChW'(Chunks - Chunks / 4);
    end
    logic unused_chunks;
    assign unused_chunks = &{1'b0, chunks[ChW*NumVl +: ChW], in_cls_q};
    assign park_ready_o[NumC-1] = 1'b0;
    always_comb begin
      p_ok  = p_valid & (adm_i[NumVl-1:0] | {NumVl{poll_due_q}});
      sel   = '0;
      pk_id = '0;
      for (int unsigned i = NumVl; i > 0; i--) if (p_ok[i-1]) sel = 3'(i - 1);
      for (int unsigned i = NumVl; i > 0; i--) if (p_ok[i-1] && 3'(i - 1) > last_q) sel = 3'(i - 1);
      for (int unsigned i = 0; i < NumVl; i++) if (sel_q == 3'(i)) pk_id = p_id[IdW*i +: IdW];
    end
    // What is offered is chosen anew after each: what was chosen while one went may be the one that went.
    assign use_d   = p_ok != '0 && (first_q || !rq_valid);
    assign load_d  = (p_ok != '0 || rq_valid) && !load_q && (!valid_o || take_i);
    assign pk_use  = use_q;
    assign load    = load_q;
    assign rq_pop  = rq_pop_q;
    assign pk_idle = p_some == '0;
    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        last_q     <= '0;
        poll_q     <= '0;
        poll_due_q <= 1'b0;
        first_q    <= 1'b0;
        load_q     <= 1'b0;
      end else begin
        load_q <= load_d;
        poll_q <= (p_valid == '0) ? '0 : poll_q + 8'd1;
        if (&poll_q) poll_due_q <= 1'b1;
        if (load) begin
          first_q <= !pk_use;
          if (pk_use) begin
            last_q     <= sel_q;
            poll_due_q <= 1'b0;
          end
        end
      end
      use_q    <= use_d;
      sel_q    <= sel;
      rq_pop_q <= load_d && !use_d && !rst_i;
    end
    logic unused_adm;
    assign unused_adm = &{1'b0, adm_i[NumC-1]};
  end else begin : g_no_park
    logic [RqW:0] count;
    logic         in_ready;
    ohca_fifo #(.Width(IdW), .Depth(RunQueue)) u_runq (
      .clk_i(clk_i), .rst_i(rst_i), .valid_i(in_push_q), .ready_o(in_ready), .data_i(in_id_q),
      .valid_o(rq_valid), .ready_i(rq_pop), .data_o(rq_id), .count_o(count), .almost_full_o()
    );
    // Room for what comes in and for the two that a count two cycles old does not show.
    always_ff @(posedge clk_i) begin
      ready_o <= count <= (RqW+1)'(RunQueue - 3) && !rst_i;
      room_o  <= count < (RqW+1)'(RunQueue - Leave);
      few_o   <= count < (RqW+1)'(RunQueue / 4);
    end
    assign rq_any = count != '0;
    `ASSERT(Room_A, !in_push_q || in_ready)
    assign park_ready_o = '0;
    assign load         = !valid_o && rq_valid;
    assign rq_pop       = load;
    assign pk_use       = 1'b0;
    assign pk_idle      = 1'b1;
    assign pk_id        = '0;
    logic unused_park;
    assign unused_park = &{1'b0, in_park_q, in_cls_q, adm_i};
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) valid_o <= 1'b0;
    else       valid_o <= load || (valid_o && !take_i);
    if (load) id_q <= pk_use ? pk_id : rq_id;
  end
  assign id_o = 24'(id_q);
  `ASSERT(IdBits_A, !(push_i || park_i) || (id_i >> IdW) == '0)
  // A cycle late, so that no count is compared behind it; what came in meanwhile is seen in in_push_q, in_park_q.
  logic none_q;
  always_ff @(posedge clk_i) none_q <= !rq_any && pk_idle && !in_push_q && !in_park_q && !rst_i;
  assign idle_o = !valid_o && !in_push_q && !in_park_q && none_q;

endmodule

`default_nettype wire
