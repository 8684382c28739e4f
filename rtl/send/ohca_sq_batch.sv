// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Send engine: how many WQEs a turn fetches, and where they lie: what is posted, up to the ring's end and the page's
// end, four rows of 64 bytes at most, one WQE at least; and one alone where a part of it is sent already.
//
// n_o is a LUT behind flops, of line_i a cycle before; req_o is for n_o of the context that is still there. Counted is
// up to four, in rows and blocks of 64 bytes. A WQE across pages counts as one: the fetch refuses it. It does NOT look
// at whether there is anything to fetch, and takes the stride for one of three (64, 128, 256 bytes).

`default_nettype none

module ohca_sq_batch (
  input  logic                    clk_i,
  input  ohca_fmt_pkg::sqc_t      line_i,
  output logic [2:0]              n_o,
  output ohca_fmt_pkg::ring_req_t req_o
);

  ohca_fmt_pkg::sqc_t l;
  logic [15:0]        mask, slot, behind, pend;
  logic [4:2]         pend_ok, ring_ok, page_ok, max_ok, page_q, rest_q, ok;
  logic [5:0]         free, shift;
  logic [1:0]         row_sh;
  logic               whole, four;
  assign l      = line_i;
  assign row_sh = l.log_stride[1:0] - 2'd2;        // 6, 7, 8 -> 0, 1, 2
  always_comb begin
    mask = '0;
    for (int unsigned i = 0; i < 15; i++) mask[i] = l.log_size > 4'(i);
  end
  assign slot   = l.fetch & mask;
  assign behind = ~l.fetch & mask;
  assign pend   = l.pi - l.fetch;
  // Blocks of the page from there on, less those that a buffer begins late: free + (no offset).
  assign shift  = row_sh[0] ? {slot[4:0], 1'b0} : slot[5:0];         // a stride of 256 bytes is fetched alone
  assign free   = ~l.buf_[11:6] - shift;
  assign whole  = l.buf_[5:0] == '0;
  // Whether two, three, four are posted; lie before the ring's end; before the page's end; may be fetched together.
  always_comb begin
    pend_ok    = {pend[15:2] != '0, pend[15:2] != '0 || pend[1:0] == 2'd3, pend[15:1] != '0};
    ring_ok    = {behind[15:2] != '0 || behind[1:0] == 2'd3, behind[15:1] != '0, behind != '0};
    four       = free[5:2] != '0;
    page_ok[4] = four || (whole && free[1:0] == 2'd3);
    page_ok[3] = four || free[1:0] == 2'd3 || (whole && free[1:0] == 2'd2);
    page_ok[2] = (row_sh == 2'd0) ? four || free[1] || (whole && free[0]) : page_ok[4];
    max_ok[2]  = !l.in_msg && row_sh != 2'd2;
    max_ok[3]  = !l.in_msg && row_sh == 2'd0;
    max_ok[4]  = max_ok[3];
  end
  // The page comes last: what it says is a flop of its own.
  always_ff @(posedge clk_i) begin
    page_q <= page_ok;
    rest_q <= pend_ok & ring_ok & max_ok;
  end
  assign ok  = page_q & rest_q;
  assign n_o = ok[4] ? 3'd4 : ok[3] ? 3'd3 : ok[2] ? 3'd2 : 3'd1;

  assign req_o.buf_mtt = l.buf_mtt;
  assign req_o.buf_    = l.buf_;
  assign req_o.offset  = 24'(slot) << l.log_stride;
  assign req_o.len     = 13'(n_o) << l.log_stride;

  logic unused;
  assign unused = &{1'b0, l, slot[15]};

endmodule

`default_nettype wire
