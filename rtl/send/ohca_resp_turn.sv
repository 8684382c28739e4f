// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// A turn of the response engine: up to Turn packets in a row of one slot's jobs, each READ cut into packets by the MTU
// and each packet's payload into pieces by pages. What is left of a READ when its turn ends goes on in the slot's next
// one.
//
//   slot -> job read -> T_CALC: which packet -> T_CUT: where a page ends in it -> T_PKT: descriptor and pieces
//
// A packet in three cycles, one with two pieces in four, the first one three cycles after take_o; with Compact in four
// and five, each job's first one two cycles later, and d_ready_i ends in a flop. d_valid_o may go away again: with
// several VLs (Shared) the turn ends where its VL has no room, before anything of the packet has left. The descriptor
// comes from flops and the job's memory, the pieces from a FIFO. It does NOT choose slots, nor know rings: one_i and
// next_ok_i are of the slot slot_o.

`default_nettype none

module ohca_resp_turn #(
  parameter int unsigned Slots   = 16,     // power of two
  parameter int unsigned PerSlot = 32,     // jobs of one slot, power of two
  parameter int unsigned Turn    = 4,      // packets, at most 7
  parameter bit          Compact = 1'b0,   // the job is there two cycles later
  parameter bit          Shared  = 1'b0,   // several VLs
  parameter int unsigned VlW     = 1,
  localparam int unsigned SlotW  = $clog2(Slots),
  localparam int unsigned JobW   = $clog2(PerSlot)
) (
  input  logic                clk_i,
  input  logic                rst_i,
  output logic                idle_o,

  input  logic                some_i,         // this slot is next
  input  logic [SlotW-1:0]    pick_i,
  input  logic [JobW-1:0]     pick_head_i,    //   its oldest job
  input  logic                pick_begun_i,   //   of which packets have left
  input  logic [VlW-1:0]      pick_vl_i,
  input  logic                pick_none_i,    //   whose VL is none: no room is asked for
  output logic                take_o,         //   the turn begins

  output logic                busy_o,
  output logic [SlotW-1:0]    slot_o,         // whose turn it is
  output logic [VlW-1:0]      vl_o,
  output logic                none_o,
  input  logic                one_i,          // the slot's oldest job is its only one
  input  logic                next_ok_i,      // the one behind it need not wait
  input  logic                room_i,         // of the VL

  output logic                rd_o,           // this job is read
  output logic [SlotW-1:0]    rd_slot_o,
  output logic [JobW-1:0]     rd_head_o,
  input  ohca_fmt_pkg::rjob_t job_i,

  output logic                last_o,         // the slot's oldest job ends with this packet
  output logic                read_o,         //   it is a READ
  output logic                frees_o,        //   which counts
  output logic                done_o,         // it has ended
  output logic                off_we_o,       // it goes on in the next turn

  output logic                d_valid_o,
  input  logic                d_ready_i,      // does not follow from d_valid_o
  output ohca_fmt_pkg::txd_t  d_o,
  output logic                p_valid_o,
  input  logic                p_ready_i,
  output ohca_fmt_pkg::txp_t  p_o
);

  typedef enum logic [2:0] { T_IDLE, T_READ, T_THERE, T_CALC, T_CUT, T_PKT } tstate_e;
  tstate_e          t_q, t_d;
  logic [2:0]       n_q, n_d;                  // packets of this turn
  logic             new_q;                     // off comes from the slot
  logic [31:0]      off_q, off_d, off, off_rd; // of the packet; off: as T_CALC begins
  logic             piece_q, piece_d;          // the second piece of a packet that crosses a page
  logic             sent_q, sent_d, sent;      // its descriptor is out
  logic             bare_q, frees_q, fits_q, last_p;   // the packet has no payload; the job is a READ that counts
  logic             end_q, first, p_ready, p_push, fin, begun;
  logic [JobW-1:0]  next_head_q;               // the job behind the one that was read
  logic [3:0]       mtu_sh, above;
  logic             fits;
  logic [31:0]      rem_1;                     // what is left, less one
  logic [12:0]      rem_, plen, page, page_d, plen1, step;
  logic [63:0]      va;
  logic [23:0]      psn, pkts;                 // pkts: packets of the job before this one
  ohca_fmt_pkg::rjob_t j;
  ohca_fmt_pkg::txp_t  p;
  logic [ohca_fmt_pkg::TXP_BITS-1:0] p_flat;
  assign j       = job_i;
  assign take_o  = !busy_o && some_i;
  assign last_o  = t_q == T_PKT && last_p;
  assign frees_o = frees_q;
  assign idle_o  = t_q == T_IDLE && !p_valid_o;

  // Progress of a READ that was interrupted by the end of a turn.
  ohca_ram_sdp #(.Width(32), .Depth(Slots), .OldData(1'b0)) u_off (
    .clk_i(clk_i), .wr_en_i(off_we_o), .wr_be_i(1'b1), .wr_addr_i(slot_o), .wr_data_i(off_d),
    .rd_en_i(rd_o), .rd_addr_i(rd_slot_o), .rd_data_o(off_rd)
  );

  // T_CALC: what the next packet is.
  logic read;                                     // as read_o, which the packet has in a flop
  assign read    = j.kind == ohca_fmt_pkg::RJK_READ;
  // The path MTU's logarithm, and which of bits 11 to 8 are not below it: tables, which take no carry cells.
  always_comb begin
    case (j.mtu)
      3'd2:    {mtu_sh, above} = {4'd9, 4'b1110};
      3'd3:    {mtu_sh, above} = {4'd10, 4'b1100};
      3'd4:    {mtu_sh, above} = {4'd11, 4'b1000};
      3'd5:    {mtu_sh, above} = {4'd12, 4'b0000};
      default: {mtu_sh, above} = {4'd8, 4'b1111};
    endcase
  end
  assign off    = !new_q ? off_q : begun ? off_rd : 32'd0;
  assign rem_   = j.len[12:0] - off[12:0];
  assign rem_1  = j.len + ~off;
  // The rest fits a packet: one less than it has no bit above those of an MTU; or there is nothing at all.
  assign fits   = j.len == '0 || (rem_1[31:12] == '0 && (rem_1[11:8] & above) == '0);
  always_ff @(posedge clk_i) begin
    if (rd_o) begin
      begun       <= t_q == T_IDLE && pick_begun_i;
      next_head_q <= rd_head_o + JobW'(1);
      if (t_q == T_IDLE) begin
        vl_o   <= pick_vl_i;
        none_o <= pick_none_i;
      end
    end
    if (t_q == T_CALC) begin
      step   <= 13'd1 << mtu_sh;
      first  <= off == '0;
      read_o <= read;
      fits_q <= !read || fits;
      plen   <= !read ? 13'd0 : fits ? rem_ : 13'd1 << mtu_sh;
      va     <= j.va + 64'(off);
      pkts   <= read ? 24'(off >> mtu_sh) : 24'd0;
    end
  end
  // T_CUT: where a page ends in it. What of it T_PKT asks only whether is asked here.
  assign page_d = 13'd4096 - {1'b0, va[11:0]};
  always_ff @(posedge clk_i) begin
    if (t_q == T_CUT) begin
      page  <= page_d;
      plen1 <= (plen > page_d) ? page_d : plen;
      last_p  <= fits_q;
      psn     <= j.psn + pkts;
      bare_q  <= plen == '0;
      frees_q <= read_o && j.lim != 5'd0;
    end
    // The packet's last piece: the only one, or the second one. A flop, as much hangs on it.
    end_q <= (t_q == T_CUT) ? plen <= page_d : end_q || (piece_d && !piece_q);
  end

  always_comb begin
    t_d       = t_q;
    n_d       = n_q;
    off_d     = off_q;
    piece_d   = piece_q;
    sent_d    = sent_q;
    sent      = 1'b0;
    done_o    = 1'b0;
    off_we_o  = 1'b0;
    rd_o      = 1'b0;
    rd_slot_o = (t_q == T_IDLE) ? pick_i : slot_o;
    rd_head_o = (t_q == T_IDLE) ? pick_head_i : next_head_q;
    d_valid_o = 1'b0;
    p_push    = 1'b0;
    fin       = 1'b0;
    case (t_q)
      T_IDLE: begin
        n_d     = '0;
        sent_d  = 1'b0;
        piece_d = 1'b0;
        if (some_i) begin
          rd_o = 1'b1;
          t_d  = Compact ? T_READ : T_CALC;
        end
      end
      T_READ: t_d = T_THERE;
      T_THERE: t_d = T_CALC;
      T_CALC: begin
        off_d = off;
        t_d   = T_CUT;
      end
      T_CUT: t_d = T_PKT;
      default: begin
        d_valid_o = !sent_q && room_i;
        if (d_ready_i && room_i) sent_d = 1'b1;
        sent      = Compact ? sent_q : sent_d;
        // The last piece goes with the descriptor or behind it, the first of two may go before it; but a turn that ends
        // for want of room must not have given pieces of its packet.
        if (!bare_q && p_ready && (sent || (!Shared && !end_q))) begin
          p_push  = 1'b1;
          piece_d = 1'b1;
        end
        fin = sent && (bare_q || (p_ready && end_q));
        if (fin) begin
          n_d     = n_q + 3'd1;
          sent_d  = 1'b0;
          piece_d = 1'b0;
          off_d   = off_q + 32'(step);
          t_d     = T_CALC;
          if (last_p) begin
            done_o    = 1'b1;
            off_d     = '0;
            if (n_d == 3'(Turn) || one_i || !next_ok_i) t_d = T_IDLE;
            else begin
              rd_o = 1'b1;
              t_d  = Compact ? T_READ : T_CALC;
            end
          end else if (n_d == 3'(Turn)) begin
            off_we_o = 1'b1;
            t_d      = T_IDLE;
          end
        end else if (Shared && !sent_q && !room_i) begin
          off_we_o = 1'b1;
          t_d      = T_IDLE;
        end
      end
    endcase
  end

  always_ff @(posedge clk_i) begin
    t_q    <= rst_i ? T_IDLE : t_d;
    busy_o <= !rst_i && t_d != T_IDLE;              // as t_q has it
    if (t_q == T_IDLE) slot_o <= pick_i;
    if (rd_o) new_q <= 1'b1;
    else if (t_q == T_CALC) new_q <= 1'b0;
    n_q     <= n_d;
    off_q   <= off_d;
    piece_q <= piece_d;
    sent_q  <= sent_d;
  end

  always_comb begin
    p        = '0;
    p.last   = end_q;
    p.remote = 1'b1;
    p.priv   = j.priv;
    p.pd     = j.pd;
    p.key    = j.rkey;
    p.va     = piece_q ? va + 64'(page) : va;
    p.len    = piece_q ? plen - page : plen1;

    d_o            = '0;
    d_o.kind       = ohca_fmt_pkg::TXK_RESP;
    d_o.qpn        = j.qpn;
    d_o.bth_op     = !read_o ? ohca_fmt_pkg::BTH_OP_ACK :
                     first ? (last_p ? ohca_fmt_pkg::BTH_OP_READ_RESP_ONLY : ohca_fmt_pkg::BTH_OP_READ_RESP_FIRST)
                           : (last_p ? ohca_fmt_pkg::BTH_OP_READ_RESP_LAST : ohca_fmt_pkg::BTH_OP_READ_RESP_MIDDLE);
    d_o.migreq     = j.migreq;
    d_o.pkey_index = j.pkey_index;
    d_o.dqpn       = j.dqpn;
    d_o.psn        = psn;
    d_o.aeth       = j.aeth;
    d_o.plen       = plen;
    d_o.vl         = !Shared ? 4'd0 : none_o ? 4'd15 : 4'(vl_o);
    d_o.av         = j.av;
  end

  ohca_fifo #(.Width(ohca_fmt_pkg::TXP_BITS), .Depth(8)) u_pieces (
    .clk_i(clk_i), .rst_i(rst_i), .valid_i(p_push), .ready_o(p_ready), .data_i(p),
    .valid_o(p_valid_o), .ready_i(p_ready_i), .data_o(p_flat), .count_o(), .almost_full_o()
  );
  assign p_o = ohca_fmt_pkg::txp_t'(p_flat);

  logic unused;
  assign unused = &{1'b0, rem_1[7:0], j};

endmodule

`default_nettype wire
