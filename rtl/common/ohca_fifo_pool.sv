// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Several FIFOs in one memory, each as long as the others leave it room. The memory is dealt out in chunks: a FIFO has
// the chunk that it writes, those that are full, and the rest of the one that it reads; a table says which chunk
// follows which.
//
//   push_i --+--------------------------+--> output FIFO of each (4) --> valid_o, data_o
//            +--> chunks, read ahead ---+
//
// What comes in while nothing of its FIFO lies in the chunks goes past them: valid_o a cycle later, else four cycles
// later at least. One entry comes in per cycle; from the chunks one goes to the outputs every second cycle, of each
// FIFO in turn that has room there. It does NOT refuse anything: whoever pushes looks at free_o, the chunks that nobody
// has, and at chunks_o, what a FIFO has of them. Both are flops and do not show the push of the same cycle; a push
// takes at most one chunk. Outputs are flops, but for data_o (LUT RAM behind a pointer).
// lint: Num=5 Width=17 Depth=65536 Chunk=64
// prove: Width=1 Num=2 Chunk=2 Depth=8 bits=20 cover=16

`include "ohca_assert.svh"
`default_nettype none

module ohca_fifo_pool #(
  parameter int unsigned Width   = 24,
  parameter int unsigned Num     = 2,              // FIFOs, at most 16
  parameter int unsigned Depth   = 256,            // entries of all, power of two; a FIFO wastes up to two chunks
  parameter int unsigned Chunk   = 4,              // entries of a chunk, power of two, at least 2
  localparam int unsigned Chunks = Depth / Chunk,
  localparam int unsigned ChW    = $clog2(Chunks),
  localparam int unsigned OffW   = $clog2(Chunk),
  localparam int unsigned SelW   = $clog2(Num),
  localparam int unsigned CntW   = $clog2(Depth) + 1
) (
  input  logic                 clk_i,
  input  logic                 rst_i,

  input  logic                 push_i,             // only while free_o is not 0, see above
  input  logic [SelW-1:0]      sel_i,
  input  logic [Width-1:0]     data_i,
  output logic [ChW:0]         free_o,
  output logic [Num*(ChW+1)-1:0] chunks_o,         // ChW + 1 bits for each

  output logic [Num-1:0]       any_o,              // the FIFO has an entry, in chunks or at its output
  output logic [Num-1:0]       valid_o,
  input  logic [Num-1:0]       pop_i,              // only with valid_o
  output logic [Num*Width-1:0] data_o
);

  if ((1 << (CntW - 1)) != Depth || (1 << OffW) != Chunk || Chunk < 2 || Num < 2 || Num > 16 ||
      Chunks < 2 * Num) begin : g_bad
    $error("ohca_fifo_pool: Depth and Chunk must be powers of two, with two chunks a FIFO at least");
  end

  localparam int unsigned Ahead = 4;               // entries of an output FIFO
  localparam int unsigned CrW   = $clog2(Ahead) + 1;

  // ------------------------------------------------------------------ who comes in, who is fetched
  logic [Num-1:0]           some_q;                // entries lie in its chunks
  logic [Num-1:0]           room_q;                // its output FIFO takes one more than is there or on its way
  logic [Num-1:0]           in, past, store, w_last, r_last;
  logic [Num-1:0]           fetch_q, fetched_q;    // an entry of it is read; is there
  logic [Num-1:0][ChW-1:0]  w_chunk_q, r_chunk_q;
  logic [Num-1:0][OffW-1:0] w_off_q, r_off_q;
  logic                     go_q, next_q;          // one of somebody's is read; the chunk behind one that is there, too
  logic [SelW-1:0]          go_sel_q, sel, rd_sel_q, last_q;
  logic [Num-1:0]           want;
  logic [Width-1:0]         rd_data;
  logic [ChW-1:0]           next_chunk, new_chunk;
  logic                     take_new, new_valid;

  always_comb begin
    for (int unsigned i = 0; i < Num; i++) begin
      in[i]      = push_i && sel_i == SelW'(i);
      past[i]    = in[i] && !some_q[i] && room_q[i] && !fetch_q[i] && !fetched_q[i];
      store[i]   = in[i] && !past[i];
      w_last[i]  = store[i] && (&w_off_q[i]);
      r_last[i]  = fetch_q[i] && (&r_off_q[i]);
    end
    // In turn. Whether what has just been fetched has more is not yet known, so one goes every second cycle.
    want = some_q & room_q;
    sel  = '0;
    for (int unsigned i = Num; i > 0; i--) if (want[i-1]) sel = SelW'(i - 1);
    for (int unsigned i = Num; i > 0; i--) if (want[i-1] && SelW'(i - 1) > last_q) sel = SelW'(i - 1);
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      go_q      <= 1'b0;
      fetch_q   <= '0;
      fetched_q <= '0;
      next_q    <= 1'b0;
      last_q    <= '0;
    end else begin
      go_q      <= want != '0 && !go_q;
      for (int unsigned i = 0; i < Num; i++) fetch_q[i] <= want != '0 && !go_q && sel == SelW'(i);
      fetched_q <= fetch_q;
      next_q    <= r_last != '0;
      if (go_q) last_q <= go_sel_q;
    end
    go_sel_q <= sel;
    rd_sel_q <= go_sel_q;
  end

  // ------------------------------------------------------------------ each FIFO
  logic [Num-1:0] sound;                            // of what is counted, and of what goes where
  for (genvar g = 0; g < Num; g++) begin : g_fifo
    logic [CntW-1:0] count_q;                      // in chunks
    logic [CrW-1:0]  held_q, held;                 // at the output, or on the way there
    logic            out_ready, one;
    logic [CrW-1:0]  out_count;
    assign one  = count_q == CntW'(1);
    assign held = held_q + CrW'(past[g]) + CrW'(fetch_q[g]) - CrW'(pop_i[g]);
    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        count_q      <= '0;
        held_q       <= '0;
        some_q[g]    <= 1'b0;
        room_q[g]    <= 1'b1;
        any_o[g]     <= 1'b0;
        w_chunk_q[g] <= ChW'(g);
        r_chunk_q[g] <= ChW'(g);
        w_off_q[g]   <= '0;
        r_off_q[g]   <= '0;
      end else begin
        if (store[g] != fetch_q[g]) count_q <= store[g] ? count_q + CntW'(1) : count_q - CntW'(1);
        some_q[g] <= store[g] || (some_q[g] && !(fetch_q[g] && one));
        held_q    <= held;
        room_q[g] <= held < CrW'(Ahead);
        any_o[g]  <= in[g] || (any_o[g] && !(pop_i[g] && !some_q[g] && held_q == CrW'(1)));
        if (store[g]) w_off_q[g] <= w_off_q[g] + OffW'(1);
        if (w_last[g]) w_chunk_q[g] <= new_chunk;
        if (fetch_q[g]) r_off_q[g] <= r_off_q[g] + OffW'(1);
        if (next_q && rd_sel_q == SelW'(g)) r_chunk_q[g] <= next_chunk;
      end
    end
    ohca_fifo #(.Width(Width), .Depth(Ahead), .ValidFlop(1'b1)) u_out (
      .clk_i(clk_i), .rst_i(rst_i), .valid_i(past[g] || fetched_q[g]), .ready_o(out_ready),
      .data_i(fetched_q[g] ? rd_data : data_i), .valid_o(valid_o[g]), .ready_i(pop_i[g]),
      .data_o(data_o[Width*g +: Width]), .count_o(out_count), .almost_full_o()
    );
    logic [ChW:0] has_q;                           // chunks
    always_ff @(posedge clk_i) begin
      if (rst_i) has_q <= (ChW+1)'(1);
      else if (w_last[g] != r_last[g]) has_q <= w_last[g] ? has_q + (ChW+1)'(1) : has_q - (ChW+1)'(1);
    end
    assign chunks_o[(ChW+1)*g +: ChW+1] = has_q;
    assign sound[g] = (!(past[g] || fetched_q[g]) || out_ready) && held_q <= CrW'(Ahead) && out_count <= held_q &&
        (!pop_i[g] || valid_o[g]) && some_q[g] == (count_q != '0) && (!fetch_q[g] || some_q[g]) &&
        any_o[g] == (some_q[g] || held_q != '0);
  end

  `ASSERT(Sound_A, &sound || rst_i)
  logic unused_sound;
  assign unused_sound = &{1'b0, sound};

  // ------------------------------------------------------------------ chunks
  // Those that nobody has had yet, by a count; then those that were given back.
  logic [ChW:0]   fresh_q;
  logic           back_q, free_q, back_ready, old_valid;   // free_q: the one of the last cycle can be taken in the next
  logic [ChW-1:0] back_chunk_q, old_chunk, w_at;
  logic [OffW-1:0] w_off;
  logic [ChW-1:0] r_at;
  logic [OffW-1:0] r_off;
  assign take_new  = w_last != '0;
  assign new_chunk = fresh_q[ChW] ? old_chunk : fresh_q[ChW-1:0];
  assign new_valid = !fresh_q[ChW] || old_valid;
  always_comb begin
    w_at  = '0;
    w_off = '0;
    r_at  = '0;
    r_off = '0;
    for (int unsigned i = 0; i < Num; i++) begin
      if (sel_i == SelW'(i))    {w_at, w_off} = {w_chunk_q[i], w_off_q[i]};
      if (go_sel_q == SelW'(i)) {r_at, r_off} = {r_chunk_q[i], r_off_q[i]};
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      fresh_q <= (ChW+1)'(Num);
      free_o  <= (ChW+1)'(Chunks - Num);
      back_q  <= 1'b0;
      free_q  <= 1'b0;
    end else begin
      if (take_new && !fresh_q[ChW]) fresh_q <= fresh_q + (ChW+1)'(1);
      if (take_new != free_q) free_o <= take_new ? free_o - (ChW+1)'(1) : free_o + (ChW+1)'(1);
      back_q <= r_last != '0;
      free_q <= back_q;
    end
    back_chunk_q <= r_at;
  end
  ohca_fifo #(.Width(ChW), .Depth(Chunks)) u_free (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(back_q), .ready_o(back_ready), .data_i(back_chunk_q),
    .valid_o(old_valid), .ready_i(take_new && fresh_q[ChW]), .data_o(old_chunk), .count_o(), .almost_full_o()
  );
  ohca_ram_sdp #(.Width(ChW), .Depth(Chunks), .OldData(1'b0)) u_next (
    .clk_i(clk_i), .wr_en_i(take_new), .wr_be_i(1'b1), .wr_addr_i(w_at), .wr_data_i(new_chunk),
    .rd_en_i(go_q), .rd_addr_i(r_at), .rd_data_o(next_chunk)
  );
  ohca_ram_sdp #(.Width(Width), .Depth(Depth), .OldData(1'b0)) u_mem (
    .clk_i(clk_i), .wr_en_i(store != '0), .wr_be_i(1'b1), .wr_addr_i({w_at, w_off}), .wr_data_i(data_i),
    .rd_en_i(go_q), .rd_addr_i({r_at, r_off}), .rd_data_o(rd_data)
  );
  `ASSERT(New_A, !take_new || new_valid)
  `ASSERT(Back_A, !back_q || back_ready)

`ifdef FORMAL
  `FORMAL_START
  `ASSUME(Free_M, !push_i || (free_o != '0 && 32'(sel_i) < Num))
  `ASSUME(Pop_M, (pop_i & ~valid_o) == '0)
  // Of FIFO 0 one arbitrary entry is followed by its number.
  (* anyconst *) logic [5:0] pick;
  logic [5:0]       in_q = '0, out_q = '0;
  logic [Width-1:0] picked_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) {in_q, out_q} <= '0;
    else begin
      if (in[0])    in_q  <= in_q + 6'd1;
      if (pop_i[0]) out_q <= out_q + 6'd1;
      if (in[0] && in_q == pick) picked_q <= data_i;
    end
  end
  `ASSERT(OutIsPicked_A, !(valid_o[0] && out_q == pick) || data_o[Width-1:0] == picked_q)
  `ASSERT(Count_A, any_o[0] == (in_q != out_q) && (!valid_o[0] || any_o[0]))
  `COVER(Full_C, free_o == '0)
  `COVER(Again_C, fresh_q[ChW] && take_new)
`endif

endmodule

`default_nettype wire
