// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Acknowledge engine, scatter: where the data of one READ response goes. It takes the scatter list of the READ's WQE as
// the words come, steps over what earlier responses have filled, and hands a piece for each entry to the placement
// unit. If the list ends before the data, or its words do not come, the last piece refuses the packet.
//
// start_i begins; from the next cycle on words are taken here until done_o. An entry takes a cycle, and another if it
// has a piece; a piece is at most a packet (4,096 bytes). ready: word_ready_o is a function of the state and of end_i,
// begun_i; pieces leave from a queue. done_o is known when the last piece enters it. It does NOT check keys or bounds
// (ohca_place does, by ohca_tpt), and does not take the words that are left behind the list.

`default_nettype none

module ohca_ra_scatter #(
  parameter bit Slow = 1'b0                            // pieces come at most every second cycle
) (
  input  logic                     clk_i,
  input  logic                     rst_i,

  input  logic                     start_i,
  input  logic [31:0]              skip_i,             // bytes of the READ before this packet
  input  logic [12:0]              bytes_i,            // of the packet: 1 to 4,096
  input  logic [3:0]               nsge_i,
  input  logic [19:0]              src_i,              // in the receive buffer

  input  ohca_fmt_pkg::ra_qp_t     qp_i,               // these stay while it works
  input  logic [5:0]               e_i,                // entry: number of the QP's packets
  input  logic                     chain_i,            // refuse it if the one before was refused

  input  logic                     begun_i,            // what comes next is the list
  input  logic                     end_i,              // nothing comes any more
  input  logic                     word_valid_i,
  output logic                     word_ready_o,
  input  ohca_fmt_pkg::ring_word_t word_i,

  output logic                     done_o,
  output logic                     bad_o,              // with done_o: the packet was refused, for which reason
  output ohca_fmt_pkg::wc_status_e status_o,
  output ohca_fmt_pkg::vendor_err_e verr_o,

  output logic                     pl_valid_o,
  input  logic                     pl_ready_i,
  output ohca_fmt_pkg::pl_req_t    pl_o
);

  typedef enum logic [1:0] { S_IDLE, S_WORD, S_EMIT, S_REFUSE } state_e;
  state_e                s_q;
  ohca_fmt_pkg::sge_t    sge;
  ohca_fmt_pkg::pl_req_t pl;
  logic                  pl_valid, pl_ready, last, taken, over;
  logic [31:0]           skip_q, n_q, key_q;           // left to step over; left of the entry
  logic [31:0]           skip_left;
  logic                  longer;                       // the entry is longer than what is left to step over
  logic [63:0]           va_q;
  logic [12:0]           room_q, chunk;                // left of the packet; a piece of it
  logic [19:0]           src_q;
  logic [3:0]            left_q;                       // entries that follow

  assign sge          = word_i.data;
  assign {longer, skip_left} = {1'b0, skip_q} - {1'b0, sge.length};
  assign over       = end_i || (begun_i && left_q == 4'd0);
  assign word_ready_o = s_q == S_WORD && !over;
  assign taken        = word_valid_i && word_ready_o;
  assign last         = n_q >= {19'd0, room_q};
  assign chunk        = last ? room_q : n_q[12:0];
  assign pl_valid     = s_q == S_EMIT || s_q == S_REFUSE;
  assign done_o       = pl_valid && pl_ready && pl.last;
  assign bad_o        = s_q == S_REFUSE;

  always_comb begin
    pl         = '0;
    pl.priv    = qp_i.priv;
    pl.pd      = qp_i.pd;
    pl.qpn     = qp_i.qpn;
    pl.id_v    = 1'b1;
    pl.id      = e_i;
    pl.chain   = chain_i;
    pl.prev    = e_i;
    pl.key     = key_q;
    pl.va      = va_q;
    pl.chk_len = {19'd0, chunk};
    pl.src     = src_q;
    pl.len     = chunk;
    pl.last    = s_q == S_REFUSE || last;
    pl.empty   = s_q == S_REFUSE;
    pl.bad     = s_q == S_REFUSE;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) s_q <= S_IDLE;
    else case (s_q)
      S_IDLE: if (start_i) s_q <= S_WORD;
      S_WORD:
        if (over || (taken && word_i.err))                             s_q <= S_REFUSE;
        else if (taken && begun_i && longer)                             s_q <= S_EMIT;
      S_EMIT:  if (pl_ready) s_q <= last ? S_IDLE : S_WORD;
      default: if (pl_ready) s_q <= S_IDLE;
    endcase
    case (s_q)
      S_IDLE: begin
        skip_q <= skip_i;
        room_q <= bytes_i;
        left_q <= nsge_i;
        src_q  <= src_i;
      end
      S_WORD: begin
        status_o <= over ? ohca_fmt_pkg::WC_STATUS_LOC_LEN : ohca_fmt_pkg::WC_STATUS_LOC_QP_OP;
        verr_o   <= over ? ohca_fmt_pkg::VENDOR_ERR_LENGTH : word_i.verr;
        key_q    <= sge.lkey;
        va_q     <= sge.addr + {32'd0, skip_q};
        n_q      <= sge.length - skip_q;
        if (taken && begun_i) begin
          left_q <= left_q - 4'd1;
          skip_q <= longer ? 32'd0 : skip_left;
        end
      end
      default: if (pl_ready) begin             // behind the last piece nobody looks at them
        room_q <= room_q - n_q[12:0];
        src_q  <= src_q + {7'd0, n_q[12:0]};
      end
    endcase
  end

  ohca_fifo #(.Width(ohca_fmt_pkg::PL_REQ_BITS), .Depth(4), .Single(Slow), .ValidFlop(!Slow)) u_pl (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(pl_valid), .ready_o(pl_ready), .data_i(pl),
    .valid_o(pl_valid_o), .ready_i(pl_ready_i), .data_o(pl_o), .count_o(), .almost_full_o()
  );

  logic unused;
  assign unused = &{1'b0, qp_i, word_i, sge};

endmodule

`default_nettype wire
