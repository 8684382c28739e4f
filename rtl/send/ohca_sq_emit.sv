// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Send engine, emitters: jobs of the plan in; packet descriptors, payload pieces and inline words out. What the packets
// of a turn have in common is kept by turn (com_*), a job waits until its turn's report has been made (end_i), and with
// several VLs until its egress ring has room (ohca_sq_lanes). Then ohca_sq_head and ohca_sq_pay walk it, each at its
// own pace, and read the turn's rows.
//
// A job a cycle, always taken: there is room for five of every turn. With Compact jobs come through a register, as what
// is decided of a WQE is known late. With one VL pieces may leave before the turn's
// report. Outputs are those of ohca_sq_lanes, ohca_sq_head and ohca_sq_pay; *_end_o say that an emitter is through with
// a turn. It does NOT look at a context or at a WQE, and knows no turn that is free.
// lint: DW=512 NumVl=4 Turns=64
// lint: Compact=1

`include "ohca_assert.svh"
`default_nettype none

module ohca_sq_emit #(
  parameter int unsigned DW      = 64,
  parameter int unsigned NumVl   = 1,            // data VLs; 1: no room is asked for
  parameter int unsigned Turns   = 16,           // power of two
  parameter bit          Compact = 1'b0,
  parameter int unsigned MostVl  = 48,           // turns that one VL may have
  parameter int unsigned HdrW    = 14,           // words of a packet's headers
  parameter int unsigned ResW    = 1000,         // words and packets of a ring that are left to others
  parameter int unsigned ResN    = 7,
  parameter int unsigned Descs   = 64,           // slots of descriptors, power of two
  localparam int unsigned TurnW  = $clog2(Turns),
  localparam bit          Shared = NumVl > 1
) (
  input  logic                    clk_i,
  input  logic                    rst_i,
  output logic                    idle_o,

  input  logic                    com_en_i,      // before the turn's first job
  input  logic [TurnW-1:0]        com_turn_i,
  input  ohca_fmt_pkg::sq_com_t   com_i,
  input  logic                    job_valid_i,
  input  ohca_fmt_pkg::sq_job_t   job_i,
  input  logic                    end_i,         // the jobs so far may leave; cls of job_i is theirs, if there are any

  input  logic [NumVl-1:0][12:0]  room_i,
  input  logic [NumVl-1:0][7:0]   desc_i,
  output logic [NumVl-1:0]        want_o,
  output logic [7:0]              tk_vl_o,
  output logic [12:0]             tk_words_o,
  output logic [4:0]              tk_n_o,

  output logic                    row_en_o,      // as in ohca_sq_rows
  output logic [TurnW-1:0]        row_turn_o,
  output logic [1:0]              row_at_o,
  input  logic                    row_busy_i,
  input  logic                    row_go_i,
  input  logic [511:0]            row_i,
  output logic                    dat_en_o,
  output logic [TurnW-1:0]        dat_turn_o,
  output logic [3:0]              dat_at_o,
  input  logic [127:0]            dat_i,

  input  logic [Turns-1:0]        gone_i,        // by turn: its QP was reset
  output logic                    put_o,         // as in ohca_sq_pay
  output logic [2:0]              put_slot_o,
  output logic                    desc_o,        // as put_o and put_gone_o of ohca_sq_head
  output logic                    desc_gone_o,

  output logic                    sent_valid_o,  // as in ohca_sq_head
  output ohca_fmt_pkg::wqe_sent_t sent_o,

  output logic                    h_end_o,       // the header emitter is through with a turn
  output logic [TurnW-1:0]        h_turn_o,
  output logic                    w_end_o,       // ... the payload emitter
  output logic [TurnW-1:0]        w_turn_o,

  output logic                    txd_valid_o,
  input  logic                    txd_ready_i,
  output ohca_fmt_pkg::txd_t      txd_o,
  output logic                    txp_valid_o,
  input  logic                    txp_ready_i,
  output ohca_fmt_pkg::txp_t      txp_o,
  output logic                    inl_valid_o,
  input  logic                    inl_ready_i,
  output logic [127:0]            inl_o
);

  localparam int unsigned Depth = Shared ? 8 : 8 * Turns;        // at most five a turn
  logic                  h_ready, w_ready, h_load, h_may, h_idle, w_idle, jobs_idle, e_push;
  ohca_fmt_pkg::sq_job_t e_job;            // into both emitters' queues
  logic                  job_v, job_end;
  ohca_fmt_pkg::sq_job_t job;
  if (Compact) begin : g_late
    logic                  v_q, end_q;
    ohca_fmt_pkg::sq_job_t job_q;
    always_ff @(posedge clk_i) begin
      {v_q, end_q} <= rst_i ? '0 : {job_valid_i, end_i};
      job_q        <= job_i;
    end
    assign {job_v, job_end, job} = {v_q, end_q, job_q};
    assign idle_o = h_idle && w_idle && jobs_idle && !v_q;
  end else begin : g_now
    assign {job_v, job_end, job} = {job_valid_i, end_i, job_i};
    assign idle_o = h_idle && w_idle && jobs_idle;
  end

  // The descriptors of a turn leave after its report: jobs count for the header emitter when their turn is through.
  logic [2:0] new_q, new_;
  assign new_ = new_q + 3'(job_v);
  always_ff @(posedge clk_i) begin
    if (rst_i) new_q <= '0;
    else       new_q <= job_end ? '0 : new_;
  end

  if (Shared) begin : g_queues
    localparam int unsigned QJobs = 256;             // at most five a turn
    if (5 * (MostVl + 1) > QJobs || Turns > 256) begin : g_few
      $error("ohca_sq_emit: no more turns of a VL than the job queues hold");
    end
    logic                  go;
    ohca_sq_lanes #(.DW(DW), .NumVl(NumVl), .QJobs(QJobs), .HdrW(HdrW), .ResW(ResW), .ResN(ResN)) u_lanes (
      .clk_i(clk_i), .rst_i(rst_i), .idle_o(jobs_idle), .job_valid_i(job_v), .job_i(job),
      .turn_valid_i(job_end), .turn_cls_i(job.cls), .turn_jobs_i(new_),
      .room_i(room_i), .desc_i(desc_i), .want_o(want_o), .tk_vl_o(tk_vl_o),
      .tk_words_o(tk_words_o), .tk_n_o(tk_n_o),
      .out_valid_o(go), .out_ready_i(h_ready && w_ready), .out_o(e_job)
    );
    assign e_push = go && h_ready && w_ready;
    assign h_may  = 1'b1;
    logic unused_queues;
    assign unused_queues = &{1'b0, h_load};
  end else begin : g_queue
    logic [7:0] ok_q;
    always_ff @(posedge clk_i) begin
      if (rst_i) ok_q <= '0;
      else       ok_q <= ok_q + (job_end ? 8'(new_) : 8'd0) - 8'(h_load);
    end
    assign h_may      = ok_q != '0;
    assign e_push     = job_v;
    assign e_job      = job;
    assign tk_vl_o    = '0;
    assign tk_words_o = '0;
    assign tk_n_o     = '0;
    assign want_o     = '0;
    assign jobs_idle  = 1'b1;
    `ASSERT(JobRoom_A, !job_v || (h_ready && w_ready))
    logic unused_queue;
    assign unused_queue = &{1'b0, room_i, desc_i};
  end

  // What the packets of a turn have in common. A turn's jobs come after its plan began.
  logic [ohca_fmt_pkg::SQ_COM_BITS-1:0] com;
  ohca_ram_sdp #(.Width(ohca_fmt_pkg::SQ_COM_BITS), .Depth(Turns), .OldData(1'b0)) u_common (
    .clk_i(clk_i), .wr_en_i(com_en_i), .wr_be_i(1'b1), .wr_addr_i(com_turn_i), .wr_data_i(com_i),
    .rd_en_i(row_en_o), .rd_addr_i(row_turn_o), .rd_data_o(com)
  );

  ohca_sq_head #(.Depth(Depth), .UseRam(Compact && !Shared), .NumVl(NumVl), .Slow(Compact), .Turns(Turns),
      .Descs(Descs)) u_head (
    .clk_i(clk_i), .rst_i(rst_i), .idle_o(h_idle), .job_valid_i(e_push), .job_ready_o(h_ready), .job_i(e_job),
    .may_i(h_may), .load_o(h_load),
    .row_en_o(row_en_o), .row_turn_o(row_turn_o), .row_o(row_at_o), .row_busy_i(row_busy_i), .row_go_i(row_go_i),
    .row_i(row_i), .com_i(ohca_fmt_pkg::sq_com_t'(com)), .gone_i(gone_i),
    .end_o(h_end_o), .end_turn_o(h_turn_o), .txd_valid_o(txd_valid_o), .txd_ready_i(txd_ready_i), .txd_o(txd_o),
    .sent_valid_o(sent_valid_o), .sent_o(sent_o), .put_o(desc_o), .put_gone_o(desc_gone_o)
  );
  ohca_sq_pay #(.Depth(Depth), .UseRam(Compact && !Shared), .Turns(Turns), .Slow(Compact)) u_pay (
    .clk_i(clk_i), .rst_i(rst_i), .idle_o(w_idle), .job_valid_i(e_push), .job_ready_o(w_ready), .job_i(e_job),
    .rd_en_o(dat_en_o), .rd_turn_o(dat_turn_o), .rd_word_o(dat_at_o), .rd_data_i(dat_i),
    .gone_i(gone_i), .put_o(put_o), .put_slot_o(put_slot_o),
    .end_o(w_end_o), .end_turn_o(w_turn_o), .txp_valid_o(txp_valid_o), .txp_ready_i(txp_ready_i), .txp_o(txp_o),
    .inl_valid_o(inl_valid_o), .inl_ready_i(inl_ready_i), .inl_o(inl_o)
  );

  logic unused;
  assign unused = &{1'b0, h_ready, w_ready};

endmodule

`default_nettype wire
