// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Multicast: finds the members of a received packet's group, names them one after the other, and keeps the packet's
// slot in the receive buffer until the last copy has been released. A member that is alone, in the first node of its
// chain, is named 15 cycles after the packet is offered; of several the first after 13, the others one a cycle; a node
// of another group before them takes 4 to 7 more.
//
// The table is one memory, written by firmware a dword at a time between two packets (layout mc_node, where the hash
// is, too). The packet itself does not come here: ohca_rxdispatch holds it, and what is no multicast packet never waits
// for this. It does NOT check keys or states: each copy is the responder's business like any other datagram, so what
// becomes of one copy is nothing to the others.
// lint: Words=1024 Slots=16
// lint: Words=4096

`include "ohca_assert.svh"
`default_nettype none

module ohca_rx_mcast #(
  parameter int unsigned Words = 2048,         // of the table: 1024, 2048 or 4096
  parameter int unsigned Slots = 64            // of the receive buffer
) (
  input  logic                   clk_i,
  input  logic                   rst_i,
  output logic                   idle_o,

  // The packet; all of it stays until the last copy or the drop is taken
  input  logic                   go_i,
  input  logic [127:0]           mgid_i,       // wire order
  input  logic [5:0]             slot_i,

  output logic                   valid_o,      // a copy for this QP
  input  logic                   ready_i,
  output logic [23:0]            qpn_o,
  output logic                   last_o,
  output logic                   none_o,       // the group has no member here; stays until it is taken
  input  logic                   none_ready_i,

  // Releases of the responder, two cycles later; always taken
  input  logic                   rel_valid_i,
  input  logic [5:0]             rel_slot_i,
  output logic                   rel_valid_o,
  output logic [5:0]             rel_slot_o,

  input  logic                   acc_valid_i,
  output logic                   acc_ready_o,
  // verilator lint_off UNUSEDSIGNAL
  input  ohca_fmt_pkg::ctx_acc_t acc_i,        // stays until its answer
  // verilator lint_on UNUSEDSIGNAL
  output logic                   acc_rsp_valid_o,
  output logic [31:0]            acc_rdata_o,
  output logic                   acc_err_o
);

  localparam int unsigned AddrW = $clog2(Words);
  localparam int unsigned NodeW = AddrW - 3;
  localparam int unsigned HashW = AddrW - 4;   // a sixteenth of the table are heads of chains
  localparam int unsigned SlotW = $clog2(Slots);
  localparam int unsigned RefW  = 7;           // the responder holds fewer packets than that

  if (Words != 1024 && Words != 2048 && Words != 4096) begin : g_bad_words
    $error("ohca_rx_mcast: Words must be 1024, 2048 or 4096");
  end

  typedef enum logic [2:0] { S_INIT, S_IDLE, S_HEAD, S_WALK, S_END, S_OUT, S_READ, S_WRITE } state_e;
  state_e state_q;

  // ------------------------------------------------------------------ table
  // Two steps behind the address: the memory's own register (rv_q), then data_q, so that the memory and the comparison
  // have a cycle each.
  logic             rd_en, wr_en, step;
  logic [AddrW-1:0] rd_addr;
  logic [31:0]      rdata, data_q, word_q, rword_q, wdata;
  logic             rv_q, dv_q;
  logic [2:0]       ri_q, di_q;                // dword of the node
  ohca_ram_sdp #(.Width(32), .Depth(Words), .OldData(1'b0)) u_table (
    .clk_i(clk_i),
    .wr_en_i(wr_en), .wr_be_i(1'b1), .wr_addr_i(acc_i.num[AddrW-1:0]), .wr_data_i(wdata),
    .rd_en_i(rd_en), .rd_addr_i(rd_addr), .rd_data_o(rdata)
  );

  // ------------------------------------------------------------------ hash
  logic [31:0] h32;
  logic [15:0] h16;
  logic [7:0]  h8;
  assign h32 = mgid_i[127:96] ^ mgid_i[95:64] ^ mgid_i[63:32] ^ mgid_i[31:0];
  assign h16 = h32[31:16] ^ h32[15:0];
  assign h8  = h16[15:8] ^ h16[7:0];

  // ------------------------------------------------------------------ walk
  // A member is held until it is known whether another one follows: the last copy is told apart, as the packet ends
  // with it.
  logic [NodeW-1:0] node_q, next_q;
  logic [3:0]       issue_q;                   // dword to read next; 8: all of the node
  logic [31:0]      want;                      // dword of the MGID to compare with
  logic [HashW-1:0] hash_q;
  logic             hash_v_q, hold_v_q, out_v_q, out_last_q, found, differs, ends, stall, out_free, put, rel_v_q,
      refs_busy;
  logic [23:0]      hold_q, out_q;
  logic [SlotW-1:0] clear_q;

  always_comb begin
    case (issue_q[2:0])
      3'd1:    want = mgid_i[31:0];
      3'd2:    want = mgid_i[63:32];
      3'd3:    want = mgid_i[95:64];
      default: want = mgid_i[127:96];
    endcase
  end
  assign out_free  = !out_v_q || ready_i;
  assign refs_busy = rel_v_q;
  assign found     = state_q == S_WALK && dv_q && di_q >= 3'd5 && data_q[31];
  // A copy that is not the last is counted when it is put out.
  assign stall     = found && hold_v_q && (!out_free || refs_busy);
  assign step      = !stall;
  assign put       = found && hold_v_q && !stall;
  assign differs   = dv_q && di_q >= 3'd1 && di_q <= 3'd4 && data_q != word_q;
  assign ends      = state_q == S_WALK && (differs || (dv_q && di_q == 3'd7 && step));

  always_comb begin
    rd_en   = 1'b0;
    rd_addr = {node_q, issue_q[2:0]};
    case (state_q)
      S_IDLE: begin
        rd_en   = acc_valid_i || hash_v_q;
        rd_addr = acc_valid_i ? acc_i.num[AddrW-1:0] : AddrW'(hash_q);
      end
      S_WALK:  rd_en = step && !issue_q[3];
      default: ;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q  <= S_INIT;
      rv_q     <= 1'b0;
      dv_q     <= 1'b0;
      hash_v_q <= 1'b0;
      hold_v_q <= 1'b0;
      out_v_q  <= 1'b0;
    end else begin
      hash_v_q <= 1'b0;
      if (out_v_q && ready_i) out_v_q <= 1'b0;
      case (state_q)
        S_INIT: if (&clear_q) state_q <= S_IDLE;
        S_IDLE: begin
          rv_q     <= rd_en;
          dv_q     <= 1'b0;
          hash_v_q <= go_i && !hash_v_q && !acc_valid_i;
          if (acc_valid_i)   state_q <= S_READ;
          else if (hash_v_q) state_q <= S_HEAD;
        end
        S_HEAD: begin                          // first the memory, then data_q
          rv_q <= 1'b0;
          dv_q <= rv_q;
          if (dv_q) begin
            dv_q    <= 1'b0;
            state_q <= (data_q[NodeW-1:0] == '0) ? S_END : S_WALK;
          end
        end
        S_WALK: begin
          if (step) begin
            rv_q <= rd_en;
            dv_q <= rv_q;
          end
          if (found && step) hold_v_q <= 1'b1;
          if (put) out_v_q <= 1'b1;
          if (ends) begin
            rv_q <= 1'b0;
            dv_q <= 1'b0;
            if (next_q == '0) state_q <= S_END;
          end
        end
        S_END: begin
          if (hold_v_q) begin
            if (out_free) begin
              out_v_q  <= 1'b1;
              hold_v_q <= 1'b0;
              state_q  <= S_OUT;
            end
          end else if (none_ready_i) state_q <= S_IDLE;
        end
        S_OUT: if (ready_i) state_q <= S_IDLE;
        S_READ: begin
          rv_q <= 1'b0;
          if (!rv_q) state_q <= S_WRITE;
        end
        default: state_q <= S_IDLE;            // S_WRITE
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == S_IDLE) hash_q <= HashW'(h8);
    if (step) begin
      ri_q    <= issue_q[2:0];
      rword_q <= want;
      di_q    <= ri_q;
      word_q  <= rword_q;
      data_q  <= rdata;
    end
    if (state_q == S_HEAD) begin
      node_q  <= data_q[NodeW-1:0];
      issue_q <= '0;
    end
    if (state_q == S_WALK) begin
      if (rd_en) issue_q <= issue_q + 4'd1;
      if (dv_q && di_q == 3'd0) next_q <= data_q[NodeW-1:0];
      if (ends) begin
        node_q  <= next_q;
        issue_q <= '0;
      end
    end
    if (put) begin
      out_q      <= hold_q;
      out_last_q <= 1'b0;
    end
    if (state_q == S_END && out_free) begin
      out_q      <= hold_q;
      out_last_q <= 1'b1;
    end
    if (found && step) hold_q <= data_q[23:0];
  end
  assign valid_o = out_v_q;
  assign qpn_o   = out_q;
  assign last_o  = out_last_q;
  assign none_o  = state_q == S_END && !hold_v_q;

  // ------------------------------------------------------------------ accesses
  logic bad;
  assign bad             = (acc_i.num >> AddrW) != '0 || acc_i.inval;
  assign wdata           = (data_q & ~acc_i.wmask) | (acc_i.wdata & acc_i.wmask);
  assign wr_en           = state_q == S_WRITE && acc_i.wmask != '0 && !bad;
  assign acc_ready_o     = state_q == S_IDLE;
  assign acc_rsp_valid_o = state_q == S_WRITE;
  assign acc_rdata_o     = data_q;
  assign acc_err_o       = bad;

  // ------------------------------------------------------------------ copies under way
  // refs: copies of the slot's packet that have to be released before the one that releases it: those put out and not
  // the last, less those that came back. Only when the last one is out can one more come back than were counted.
  logic [RefW-1:0]  refs [Slots];
  logic [RefW-1:0]  ref_now, ref_new;
  logic [SlotW-1:0] ref_slot, rel_q;
  logic             out_rel_q;
  logic [5:0]       out_slot_q;
  assign ref_slot = (state_q == S_INIT) ? clear_q : rel_v_q ? rel_q : slot_i[SlotW-1:0];
  assign ref_now  = refs[ref_slot];
  assign ref_new  = (state_q == S_INIT) ? '0 : rel_v_q ? ref_now - RefW'(1) : ref_now + RefW'(1);
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      rel_v_q   <= 1'b0;
      out_rel_q <= 1'b0;
      clear_q   <= '0;
    end else begin
      rel_v_q   <= rel_valid_i;
      out_rel_q <= rel_v_q && ref_now == '0;
      clear_q   <= clear_q + SlotW'(1);
    end
    rel_q      <= rel_slot_i[SlotW-1:0];
    out_slot_q <= 6'(rel_q);
    if (state_q == S_INIT || put || (rel_v_q && ref_now != '0)) refs[ref_slot] <= ref_new;
  end
  assign rel_valid_o = out_rel_q;
  assign rel_slot_o  = out_slot_q;

  assign idle_o = state_q == S_IDLE && !hash_v_q && !out_v_q && !rel_v_q && !out_rel_q && !go_i;

  `ASSERT(PacketStays_A, go_i || state_q == S_INIT || state_q == S_IDLE || state_q == S_READ || state_q == S_WRITE)
  `ASSERT(FewCopies_A, !put || ref_now != '1)
  `ASSERT(NotBothRefs_A, !(put && rel_v_q))

  logic unused;
  assign unused = &{1'b0, h8, slot_i, rel_slot_i, data_q};

endmodule

`default_nettype wire
