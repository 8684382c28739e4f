// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Jobs of the send engine by VL: each waits in its VL's queue until the VL's egress ring has room for its next packets
// (up to 4 KiB at a time), takes it, and goes on as a job of just these packets. A job goes out 6 cycles after it came
// in; a VL gives one in two cycles, all together one a cycle.
//
// A class is a data VL, or (the last one) what takes no room: VL15, and packets that no VL is there for. The oldest job
// of a class lies in registers, and in front of it the part of it that goes next, with the room that it takes. Whether
// that is there is looked at in one cycle, and it goes in the next one:
//
//   job_i -> job_q -> queue of the class -> cur_q -> part_q, need_q, leave_q -> (room_i) -> ready_q -> turn -+-> out_o
//                                                                                   tk_*_o a cycle later <---+
//
// Packets of one class stay in order. A job may go when its turn is through (turn_*_i): what the turn reports must
// precede its packets. Classes take turns. Others who take room do not see at once what was taken here, nor is theirs
// seen here at once: ResW and ResN are left to them. job_i is always taken: whoever hands jobs on sees to it that no
// class holds more than QJobs. It does NOT look at a job beyond how long it is.
// lint: NumVl=2 DW=512
// lint: NumVl=8

`include "ohca_assert.svh"
`default_nettype none

module ohca_sq_lanes #(
  parameter int unsigned DW    = 64,
  parameter int unsigned NumVl = 4,
  parameter int unsigned QJobs = 256,      // power of two
  parameter int unsigned HdrW  = 14,       // what a header is reckoned at
  parameter int unsigned ResW  = 1108,     // words and packets to be left
  parameter int unsigned ResN  = 6,
  localparam int unsigned NumC = NumVl + 1
) (
  input  logic                    clk_i,
  input  logic                    rst_i,
  output logic                    idle_o,

  input  logic                    job_valid_i,
  input  ohca_fmt_pkg::sq_job_t   job_i,
  input  logic                    turn_valid_i,      // a turn of this class is through
  input  logic [3:0]              turn_cls_i,
  input  logic [2:0]              turn_jobs_i,       // ... with so many jobs

  input  logic [NumVl-1:0][12:0]  room_i,            // of the egress rings (ohca_link_tx): words and packets
  input  logic [NumVl-1:0][7:0]   desc_i,
  output logic [NumVl-1:0]        want_o,            // a job waits for room; flops
  output logic [7:0]              tk_vl_o,           // one VL's bit, or none; flops. room_i is without it a cycle later
  output logic [12:0]             tk_words_o,
  output logic [4:0]              tk_n_o,

  output logic                    out_valid_o,
  input  logic                    out_ready_i,       // a flop of the queue behind
  output ohca_fmt_pkg::sq_job_t   out_o
);

  localparam int unsigned JobW = ohca_fmt_pkg::SQ_JOB_BITS;

  logic [NumC-1:0]       q_valid, q_ready, held, go, wait_;
  logic [NumC*JobW-1:0]  flat;                       // what goes of each class
  logic [NumC*13-1:0]    words;
  logic [3:0]            sel, last_q, turn_cls_q;
  logic [2:0]            turn_jobs_q;
  ohca_fmt_pkg::sq_job_t job_q;
  logic                  job_valid_q, fire;
  logic [12:0]           words_sel;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      job_valid_q <= 1'b0;
      turn_jobs_q <= '0;
    end else begin
      job_valid_q <= job_valid_i;
      turn_jobs_q <= turn_valid_i ? turn_jobs_i : '0;
    end
    job_q      <= job_i;
    turn_cls_q <= turn_cls_i;
  end

  for (genvar g = 0; g < NumC; g++) begin : g_class
    ohca_fmt_pkg::sq_job_t next, cur_q, part_q, part;   // the oldest job; what of it goes next
    logic [JobW-1:0]       head;
    logic [7:0]            ok_q;                     // jobs whose turn is through
    logic                  held_q, valid_q, ready_q, mine, split, load, last_part, fits;
    logic [6:0]            most;
    logic [12:0]           need, need_q;
    ohca_fifo #(.Width(JobW), .Depth(QJobs), .UseRam(1'b0), .ValidFlop(1'b1)) u_jobs (
      .clk_i(clk_i), .rst_i(rst_i), .valid_i(job_valid_q && job_q.cls == 4'(g)), .ready_o(q_ready[g]), .data_i(job_q),
      .valid_o(q_valid[g]), .ready_i(load), .data_o(head), .count_o(), .almost_full_o()
    );
    assign mine    = fire && sel == 4'(g);
    assign split   = held_q && ok_q != '0 && (!valid_q || mine);
    assign load    = !held_q;                        // a cycle after the one before left: no slower, as that takes two
    assign held[g] = held_q || valid_q;

    // All but the last part of a job are full.
    assign next      = ohca_fmt_pkg::sq_job_t'(head);
    assign last_part = cur_q.npk <= most;
    assign need      = last_part ? 13'((32'(cur_q.bytes) + DW / 8 - 1) / (DW / 8)) + 13'(cur_q.npk) * 13'(HdrW)
                                 : 13'(4096 / (DW / 8)) + 13'(most) * 13'(HdrW);
    always_comb begin
      part = cur_q;
      if (!last_part) begin
        part.npk   = most;
        part.last  = 1'b0;
        part.bytes = 16'd4096;
      end
    end
    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        held_q  <= 1'b0;
        valid_q <= 1'b0;
        ready_q <= 1'b0;
        ok_q    <= '0;
      end else begin
        if (load) held_q <= q_valid[g];
        else if (split && last_part) held_q <= 1'b0;
        if (split) valid_q <= 1'b1;
        else if (mine) valid_q <= 1'b0;
        ready_q <= valid_q && !mine && fits;
        ok_q    <= ok_q + ((turn_cls_q == 4'(g)) ? 8'(turn_jobs_q) : 8'd0) - 8'(split && last_part);
      end
      if (load) begin
        cur_q <= next;
        most  <= 7'(16'd4096 >> next.mtu_sh);
      end else if (split) begin
        cur_q.psn    <= cur_q.psn + 24'(most);
        cur_q.offset <= cur_q.offset + 32'd4096;
        cur_q.acks   <= cur_q.acks + most[3:0];
        cur_q.npk    <= cur_q.npk - most;
        cur_q.bytes  <= cur_q.bytes - 16'd4096;
      end
      if (split) begin
        part_q <= part;
        need_q <= (cur_q.nopkt || cur_q.npk == '0) ? 13'd0 : need;
      end
    end
    assign flat[JobW*g +: JobW] = part_q;
    assign words[13*g +: 13]    = need_q;
    assign go[g]                = ready_q;
    if (g < NumVl) begin : g_room
      logic [12:0] leave_q, taken;
      logic [7:0]  leave_n_q, taken_n;
      always_ff @(posedge clk_i) begin
        if (split) begin
          leave_q   <= need + 13'(ResW);
          leave_n_q <= {1'b0, part.npk} + 8'(ResN);
        end
      end
      // room_i still has what this class took in the cycle before.
      assign taken    = tk_vl_o[g] ? tk_words_o : 13'd0;
      assign taken_n  = tk_vl_o[g] ? 8'(tk_n_o) : 8'd0;
      assign fits     = need_q == '0 || ({1'b0, room_i[g]} >= {1'b0, leave_q} + {1'b0, taken} &&
          {1'b0, desc_i[g]} >= {1'b0, leave_n_q} + {1'b0, taken_n});
      assign wait_[g] = valid_q && !fits;
    end else begin : g_none
      assign fits     = 1'b1;
      assign wait_[g] = 1'b0;
    end
    `ASSERT(Part_A, !held_q || (last_part ? 32'(cur_q.bytes) <= 32'(cur_q.npk) << cur_q.mtu_sh :
        cur_q.bytes > 16'd4096))
  end

  always_comb begin
    sel = '0;
    for (int unsigned i = NumC; i > 0; i--) if (go[i-1]) sel = 4'(i - 1);
    for (int unsigned i = NumC; i > 0; i--) if (go[i-1] && 4'(i - 1) > last_q) sel = 4'(i - 1);
    out_o     = '0;
    words_sel = '0;
    for (int unsigned i = 0; i < NumC; i++) begin
      if (sel == 4'(i)) begin
        out_o     = ohca_fmt_pkg::sq_job_t'(flat[JobW*i +: JobW]);
        words_sel = words[13*i +: 13];
      end
    end
  end
  assign out_valid_o = go != '0;
  assign fire        = out_valid_o && out_ready_i;
  assign idle_o      = q_valid == '0 && held == '0 && !job_valid_q;    // whoever hands a job on is not idle
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      last_q <= '0;
      want_o <= '0;
    end else begin
      if (fire) last_q <= sel;
      want_o <= wait_[NumVl-1:0];
    end
    for (int unsigned v = 0; v < 8; v++)
      tk_vl_o[v] <= !rst_i && fire && words_sel != '0 && v < NumVl && sel == 4'(v);
    tk_words_o <= words_sel;
    tk_n_o     <= out_o.npk[4:0];
  end

  logic unused;
  assign unused = &{1'b0, q_ready, wait_};

  `ASSERT(JobRoom_A, !job_valid_q || q_ready[job_q.cls[$clog2(NumC)-1:0]])

endmodule

`default_nettype wire
