// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Headers of the send engine: a job (packets of one WQE) and its WQE in, a packet descriptor a cycle out. The first one
// leaves two cycles after the job (five when the row takes four cycles to be read), jobs follow each other without a
// gap.
//
//   job_i -> queue -> (row and what the turn's packets have in common are read) -> h_q -> txd_o
//
// A descriptor of a turn that is marked (gone_i) two cycles before says so in put_gone_o, with put_o: ohca_sq_gone
// keeps the mark, by its slot. Who hands jobs on sees to it that the WQE is in its row, and that its rows stay until
// end_o. It checks nothing and knows no PSN but the job's. Outputs are flops, but row_*, com_* and end_o: a flop and
// some LUTs. txd_ready_i should be a flop.
// lint: Depth=128 UseRam=1 Slow=1

`include "ohca_assert.svh"
`default_nettype none

module ohca_sq_head #(
  parameter int unsigned Depth  = 8,       // jobs that wait, power of two
  parameter bit          UseRam = 1'b0,
  parameter int unsigned NumVl  = 1,
  parameter bit          Slow   = 1'b0,         // a descriptor every second cycle: txd_ready_i ends in a flop
  parameter int unsigned Turns  = 64,
  parameter int unsigned Descs  = 64,      // slots of descriptors, power of two
  localparam int unsigned TurnW = $clog2(Turns)
) (
  input  logic                   clk_i,
  input  logic                   rst_i,
  output logic                   idle_o,

  input  logic                   job_valid_i,
  output logic                   job_ready_o,      // a flop
  input  ohca_fmt_pkg::sq_job_t  job_i,
  input  logic                   may_i,            // the turn of the oldest job is through
  output logic                   load_o,           // ... it is taken

  output logic                   row_en_o,         // the row is read, and what the turn has in common, a cycle later in
                                                   // com_i
  output logic [TurnW-1:0]       row_turn_o,
  output logic [1:0]             row_o,
  input  logic                   row_busy_i,       // it is still being read
  input  logic                   row_go_i,         // it is there in the next cycle
  input  logic [511:0]           row_i,
  input  ohca_fmt_pkg::sq_com_t  com_i,

  input  logic [Turns-1:0]       gone_i,           // the turn's QP was reset

  output logic                   end_o,            // the turn's last descriptor is made
  output logic [TurnW-1:0]       end_turn_o,

  output logic                   txd_valid_o,
  input  logic                   txd_ready_i,
  output ohca_fmt_pkg::txd_t     txd_o,
  output logic                   sent_valid_o,     // a job begins: its WQE, in flops and memories
  output ohca_fmt_pkg::wqe_sent_t sent_o,

  output logic                   put_o,            // txd_o is a new one, with a slot of its own
  output logic                   put_gone_o        // ... of a turn whose QP was reset
);

  typedef struct packed {
    logic [TurnW-1:0] turn;
    logic [1:0]       row;
    logic [3:0]       cls;
    logic [23:0]      psn;
    logic [6:0]       npk;
    logic [3:0]       acks;
    logic             nopkt;
    logic [31:0]      offset;
    logic             last;
  } hjob_t;
  hjob_t                   job, hj, h_q;
  logic [$bits(hj)-1:0]    hj_flat;
  logic                    j_free, j_most;
  logic                    hj_valid, h_load, h_valid_q, h_step, h_stop, h_first, h_last, h_more, h_ack, h_ud, h_smi,
      put, take, gone_q, new_q;
  logic [5:0]              slot_q;
  logic [31:0]             h_rem;
  logic [12:0]             h_mtu;
  ohca_fmt_pkg::wqe_ctrl_t c;
  ohca_fmt_pkg::wqe_ud_t   u;
  ohca_fmt_pkg::bth_op_e   h_op;
  ohca_fmt_pkg::txd_t      d;

  always_comb begin
    job.turn   = job_i.turn[TurnW-1:0];
    job.row    = job_i.row;
    job.cls    = job_i.cls;
    job.psn    = job_i.psn;
    job.npk    = job_i.npk;
    job.acks   = job_i.acks;
    job.nopkt  = job_i.nopkt;
    job.offset = job_i.offset;
    job.last   = job_i.last;
  end
  ohca_fifo #(.Width($bits(hj)), .Depth(Depth), .UseRam(UseRam), .AlmostFull(Depth - 1)) u_jobs (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(job_valid_i && job_ready_o), .ready_o(j_free), .data_i(job),
    .valid_o(hj_valid), .ready_i(h_load), .data_o(hj_flat), .count_o(), .almost_full_o(j_most)
  );
  always_ff @(posedge clk_i) job_ready_o <= !rst_i && !j_most;  // room for one that comes now and one a cycle later
  `ASSERT(JobRoom_A, !job_ready_o || j_free)
  assign hj         = hj_flat;
  assign c          = ohca_fmt_pkg::wqe_ctrl_t'(row_i[255:0]);
  assign u          = ohca_fmt_pkg::wqe_ud_t'(row_i);
  assign h_load     = hj_valid && may_i && (!h_valid_q || h_stop) && !row_busy_i;
  assign load_o     = h_load;
  assign row_en_o   = h_load;
  assign row_turn_o = hj.turn;
  assign row_o      = hj.row;
  assign h_ud       = com_i.qtype != ohca_fmt_pkg::QP_TYPE_RC;
  assign h_smi      = com_i.qtype == ohca_fmt_pkg::QP_TYPE_SMI;
  assign h_mtu      = 13'd1 << com_i.mtu_sh;
  assign h_rem      = c.length - h_q.offset;
  assign h_first    = h_q.offset == '0;
  assign h_last     = h_rem <= 32'(h_mtu);
  assign h_ack      = h_last || c.opcode == ohca_fmt_pkg::WR_OP_RDMA_READ || h_q.acks == 4'd15;
  assign h_more     = h_q.npk > 7'd1;
  assign put        = h_valid_q && h_q.npk != '0;
  assign take       = !txd_valid_o || (txd_ready_i && !Slow);
  assign h_step     = put && take;
  assign h_stop     = h_valid_q && !h_more && (take || h_q.npk == '0);
  assign end_o      = h_stop && h_q.last;
  assign end_turn_o = h_q.turn;

  // What is kept of a WQE is all that its answers need, unless it is a READ with a longer list; nothing of a QP that
  // was reset. Datagrams are not answered, and what makes no packets may be no WQE.
  assign sent_valid_o = new_q && !h_ud && h_q.npk != '0;
  always_comb begin
    sent_o          = '0;
    sent_o.keep     = !gone_q && (c.opcode != ohca_fmt_pkg::WR_OP_RDMA_READ || c.nsge <= 4'd1);
    sent_o.qpn      = com_i.qpn;
    sent_o.opcode   = c.opcode;
    sent_o.signaled = c.signaled;
    sent_o.nsge     = c.nsge != 4'd0;
    sent_o.idx      = c.idx;
    sent_o.length   = c.length;
    sent_o.sge      = row_i[383:256];
  end

  always_comb begin
    case (c.opcode)
      ohca_fmt_pkg::WR_OP_SEND:
        h_op = h_first ? (h_last ? ohca_fmt_pkg::BTH_OP_SEND_ONLY : ohca_fmt_pkg::BTH_OP_SEND_FIRST)
                       : (h_last ? ohca_fmt_pkg::BTH_OP_SEND_LAST : ohca_fmt_pkg::BTH_OP_SEND_MIDDLE);
      ohca_fmt_pkg::WR_OP_SEND_IMM:
        h_op = h_first ? (h_last ? ohca_fmt_pkg::BTH_OP_SEND_ONLY_IMM : ohca_fmt_pkg::BTH_OP_SEND_FIRST)
                       : (h_last ? ohca_fmt_pkg::BTH_OP_SEND_LAST_IMM : ohca_fmt_pkg::BTH_OP_SEND_MIDDLE);
      ohca_fmt_pkg::WR_OP_RDMA_WRITE:
        h_op = h_first ? (h_last ? ohca_fmt_pkg::BTH_OP_WRITE_ONLY : ohca_fmt_pkg::BTH_OP_WRITE_FIRST)
                       : (h_last ? ohca_fmt_pkg::BTH_OP_WRITE_LAST : ohca_fmt_pkg::BTH_OP_WRITE_MIDDLE);
      ohca_fmt_pkg::WR_OP_RDMA_WRITE_IMM:
        h_op = h_first ? (h_last ? ohca_fmt_pkg::BTH_OP_WRITE_ONLY_IMM : ohca_fmt_pkg::BTH_OP_WRITE_FIRST)
                       : (h_last ? ohca_fmt_pkg::BTH_OP_WRITE_LAST_IMM : ohca_fmt_pkg::BTH_OP_WRITE_MIDDLE);
      default:
        h_op = ohca_fmt_pkg::BTH_OP_READ_REQ;
    endcase
  end
  always_comb begin
    d            = '0;
    d.kind       = h_q.nopkt ? ohca_fmt_pkg::TXK_NOPKT : ohca_fmt_pkg::TXK_REQ;
    d.done       = h_ud;
    d.qpn        = com_i.qpn;
    d.idx        = c.idx;
    d.wrop       = c.opcode;
    d.signaled   = c.signaled || com_i.sig_all;
    d.migreq     = com_i.migreq;
    d.psn        = h_q.psn;
    d.slot       = slot_q;
    d.vl         = (NumVl == 1) ? 4'd0 : (h_q.cls == 4'(NumVl)) ? 4'd15 : h_q.cls;
    d.imm        = c.imm;                      // the same place in both layouts
    // Only connected packets have the first three, only datagrams the last.
    d.va         = c.raddr + 64'(h_q.offset);
    d.rkey       = c.rkey;
    d.dmalen     = h_rem;
    d.qkey       = u.qkey[31] ? com_i.qkey : u.qkey;
    if (h_ud) begin
      d.vl15       = h_smi;
      d.slid_perm  = h_smi && u.slid_permissive;
      d.csum       = u.csum;
      d.bth_op     = (c.opcode == ohca_fmt_pkg::WR_OP_SEND_IMM) ? ohca_fmt_pkg::BTH_OP_UD_SEND_ONLY_IMM :
          ohca_fmt_pkg::BTH_OP_UD_SEND_ONLY;
      d.se         = c.solicited;
      d.pkey_index = (com_i.qtype == ohca_fmt_pkg::QP_TYPE_GSI) ? u.pkey_index : com_i.pkey_index;
      d.dqpn       = u.dqpn;
      d.plen       = h_q.nopkt ? 13'd0 : c.length[12:0];
      d.av         = u.av;
    end else begin
      d.bth_op     = h_op;
      d.se         = c.solicited && h_last && c.opcode != ohca_fmt_pkg::WR_OP_RDMA_READ &&
          c.opcode != ohca_fmt_pkg::WR_OP_RDMA_WRITE;
      d.ackreq     = h_ack;
      d.pkey_index = com_i.pkey_index;
      d.dqpn       = com_i.dqpn;
      d.plen       = (c.opcode == ohca_fmt_pkg::WR_OP_RDMA_READ) ? 13'd0 : h_last ? h_rem[12:0] : h_mtu;
      d.av         = com_i.av;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      h_valid_q   <= 1'b0;
      txd_valid_o <= 1'b0;
      put_o       <= 1'b0;
      new_q       <= 1'b0;
      slot_q      <= '0;
    end else begin
      if (row_go_i) h_valid_q <= 1'b1;
      else if (h_stop) h_valid_q <= 1'b0;
      if (take)             txd_valid_o <= put;
      else if (txd_ready_i) txd_valid_o <= 1'b0;
      put_o  <= h_step;
      new_q  <= row_go_i;
      if (h_step) slot_q <= (slot_q + 6'd1) & 6'(Descs - 1);
    end
    put_gone_o <= gone_q;
    gone_q <= gone_i[h_load ? hj.turn : h_q.turn];
    if (h_load) h_q <= hj;
    else if (h_step) begin
      h_q.npk    <= h_q.npk - 7'd1;
      h_q.psn    <= h_q.psn + 24'd1;
      h_q.offset <= h_q.offset + 32'(h_mtu);
      h_q.acks   <= h_ack ? 4'd0 : h_q.acks + 4'd1;
    end
    if (h_step) txd_o <= d;
  end
  assign idle_o = !hj_valid && !h_valid_q && !row_busy_i && !txd_valid_o;

  logic unused;
  assign unused = &{1'b0, job_i, h_q, c, u};

endmodule

`default_nettype wire
