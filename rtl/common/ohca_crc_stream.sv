// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Reflected CRC (ICRC, VCRC, Ethernet FCS) over a packet stream of any width, any length on the last beat.
//
// Takes one beat each cycle, without stalls; the CRC of a packet comes 2 + Pipe cycles after its last beat. It does NOT
// mask header fields (ohca_icrc_mask does) and does NOT append the CRC to the stream (ohca_crc_append does).

// How the last beat is treated. A beat with n of its bytes used is taken as a whole with zeros behind the n bytes, by
// the same wide XOR matrix as every other beat; that advances the CRC by p = DataWidth/8 - n zero bytes too many. Each
// step of a CRC register is invertible, so the result is stepped back by p bytes, in log2 stages of fixed small
// matrices (CrcWidth^2, not CrcWidth * DataWidth). That costs neither a wide shifter for the data nor a matrix per
// length.
//
//   data, masked ──► M·d ──(Pipe)──► state ◄── A·state      last ──► state ──► step back by p ──► crc_o
//                                                                    state = Residue, forward by p? ──► ok_o
//
// Granule says in which unit the length comes; 4 (every IBA packet) saves two of the stages against 1.

`include "ohca_assert.svh"
`include "ohca_lazy.svh"
`default_nettype none

module ohca_crc_stream #(
  parameter int unsigned         DataWidth = 64,               // 32 to 512, a power of two
  parameter int unsigned         CrcWidth  = 32,
  parameter logic [CrcWidth-1:0] Poly      = 32'hedb88320,     // reflected: the lowest bit is the highest power
  parameter logic [CrcWidth-1:0] Residue   = 32'hdebb20e3,     // register after a packet that ends with its own CRC
  parameter int unsigned         Granule   = 4,                // a last beat holds a multiple of this many bytes
  parameter bit                  Pipe      = (DataWidth > 64), // one more register, behind the wide matrix
  parameter bit                  Ones      = 1'b0,             // keep_i is all ones in all beats but the last
  localparam int unsigned        Bytes     = DataWidth / 8,
  localparam int unsigned        Parts     = Bytes / Granule
) (
  input  logic                 clk_i,
  input  logic                 rst_i,

  input  logic                 valid_i,      // a beat is taken whenever this is 1
  input  logic [DataWidth-1:0] data_i,       // first byte of the wire in [7:0]
  input  logic [Bytes-1:0]     keep_i,       // looked at with last_i only: the lowest n bytes, n > 0
  input  logic                 last_i,
  input  logic [CrcWidth-1:0]  seed_i,       // register before the first byte, sampled with the first beat

  output logic                 crc_valid_o,  // for one cycle
  output logic [CrcWidth-1:0]  crc_o,        // final inversion done; [7:0] goes first on the wire
  output logic                 ok_o          // the packet ended with its own CRC
);

  localparam int unsigned IdxW = $clog2(CrcWidth);
  localparam int unsigned PadW = (Parts > 1) ? $clog2(Parts) : 1;

  if (CrcWidth > DataWidth || Parts * Granule != Bytes || (1 << $clog2(Parts)) != Parts) begin : g_bad_width
    $error("ohca_crc_stream: DataWidth must be at least CrcWidth and a power of two of Granules");
  end

  // One zero bit forward, and back.
  function automatic logic [CrcWidth-1:0] step(input logic [CrcWidth-1:0] v);
    step = (v >> 1) ^ (v[0] ? Poly : '0);
  endfunction
  function automatic logic [CrcWidth-1:0] back_by(input int unsigned bits);
    logic [CrcWidth-1:0] v;
    v = CrcWidth'(1) << (CrcWidth - 1);
    for (int unsigned k = 0; k < bits; k++) v = v[CrcWidth-1] ? ((v ^ Poly) << 1) | CrcWidth'(1) : v << 1;
    back_by = v;
  endfunction

  // Constants are made the cheap way, because Yosys is slow at them. The bits that fall out of the register after a
  // single 1 went in, the first one at the top, are one sequence; every row of the wide matrix is a sum of shifts of
  // it, chosen by the polynomial.
  function automatic logic [DataWidth-1:0] sequence_of(input logic first);
    logic [CrcWidth-1:0] v;
    v = Poly;
    sequence_of[DataWidth-1] = first;
    for (int unsigned i = 1; i < DataWidth; i++) begin
      sequence_of[DataWidth-1-i] = v[0];
      v = step(v);
    end
  endfunction
  localparam logic [DataWidth-1:0] Seq = sequence_of(1'b1);

  // Row j: which bits of a beat (the register XORed into the lowest ones) flip bit j of the next register.
  function automatic logic [DataWidth-1:0] row(input logic [IdxW-1:0] j);
    logic [CrcWidth-1:0] p;
    p   = Poly >> j;
    row = '0;
    for (int unsigned m = 0; m < CrcWidth; m++) begin
      if (p[m]) row = row ^ (Seq >> m);
    end
  endfunction

  // Stepping back is a multiplication by the constant `by`. Row j: which bits of the register flip bit j of the
  // product.
  function automatic logic [CrcWidth-1:0] times_row(input logic [IdxW-1:0] j, input logic [CrcWidth-1:0] by);
    logic [CrcWidth-1:0] v;
    v = by;
    for (int unsigned i = 0; i < CrcWidth; i++) begin
      times_row[CrcWidth-1-i] = v[j];
      v = step(v);
    end
  endfunction

  // Masking of the tail, and how far it is to be stepped back.
  logic [DataWidth-1:0] data;
  logic [PadW-1:0]      pad;
  always_comb begin
    for (int unsigned g = 0; g < Parts; g++) begin
      data[g*Granule*8 +: Granule*8] = ((Ones || last_i) && !keep_i[g*Granule]) ? '0 : data_i[g*Granule*8 +: Granule*8];
    end
    // keep_i has no holes: where it ends gives the count, without an adder.
    pad = '0;
    for (int unsigned g = 0; g + 1 < Parts; g++) begin
      if ((Ones || last_i) && keep_i[g*Granule] && !keep_i[(g+1)*Granule]) pad = pad | PadW'(Parts - 1 - g);
    end
  end

  // md: what the beat gives; ms: what the register before it gives, which is the whole recursion.
  logic [CrcWidth-1:0] md, ms, s_in;
  for (genvar j = 0; j < CrcWidth; j++) begin : g_md
    localparam logic [DataWidth-1:0] Row = row(IdxW'(j));
    assign md[j] = `TAKEN(valid_i, ^(data & Row));
    assign ms[j] = ^(s_in & Row[CrcWidth-1:0]);
  end

  // Optional register behind the wide matrix.
  logic [CrcWidth-1:0] m_md, m_seed;
  logic [PadW-1:0]     m_pad;
  logic                m_valid, m_last;
  if (Pipe) begin : g_pipe
    always_ff @(posedge clk_i) begin
      if (rst_i) m_valid <= 1'b0;
      else       m_valid <= valid_i;
      if (valid_i) begin
        m_md   <= md;
        m_seed <= seed_i;
        m_last <= last_i;
        m_pad  <= pad;
      end
    end
  end else begin : g_nopipe
    assign m_valid = valid_i;
    assign m_md    = md;
    assign m_seed  = seed_i;
    assign m_last  = last_i;
    assign m_pad   = pad;
  end

  logic                first_q, s_last_q;
  logic [CrcWidth-1:0] s_q;
  logic [PadW-1:0]     s_pad_q;
  assign s_in = first_q ? m_seed : s_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      first_q  <= 1'b1;
      s_last_q <= 1'b0;
    end else begin
      s_last_q <= m_valid && m_last;
      if (m_valid) first_q <= m_last;
    end
    if (m_valid) begin
      s_q     <= m_md ^ ms;
      s_pad_q <= m_pad;
    end
  end

  // Step back.
  logic [PadW:0][CrcWidth-1:0] back;
  assign back[0] = s_q;
  for (genvar k = 0; k < PadW; k++) begin : g_back
    localparam logic [CrcWidth-1:0] By = back_by(Granule * 8 << k);
    for (genvar j = 0; j < CrcWidth; j++) begin : g_row
      localparam logic [CrcWidth-1:0] Row = times_row(IdxW'(j), By);
      assign back[k+1][j] = `TAKEN(s_last_q, s_pad_q[k] ? ^(back[k] & Row) : back[k][j]);
    end
  end

  // Whether it is right needs no step back: what the register holds p zero bytes behind its own CRC is known.
  function automatic logic [Parts*CrcWidth-1:0] residues_of(input logic [CrcWidth-1:0] first);
    logic [CrcWidth-1:0] v;
    v = first;
    for (int unsigned p = 0; p < Parts; p++) begin
      residues_of[CrcWidth*p +: CrcWidth] = v;
      for (int unsigned k = 0; k < 8 * Granule; k++) v = step(v);
    end
  endfunction
  localparam logic [Parts*CrcWidth-1:0] Residues = residues_of(Residue);
  logic [CrcWidth-1:0] residue;
  always_comb begin
    residue = '0;
    for (int unsigned p = 0; p < Parts; p++) begin
      if (s_pad_q == PadW'(p)) residue = residue | Residues[CrcWidth*p +: CrcWidth];
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) crc_valid_o <= 1'b0;
    else       crc_valid_o <= s_last_q;
    if (s_last_q) begin
      crc_o <= ~back[PadW];
      ok_o  <= s_q == residue;
    end
  end

`ifndef FORMAL
  `ASSERT(KeepContiguous_A, !(valid_i && last_i) || (keep_i[0] && (keep_i & (keep_i + Bytes'(1))) == '0))
  `ASSERT(Ones_A, !Ones || !valid_i || last_i || keep_i == '1)
`endif

endmodule

`default_nettype wire
