// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// For the inside of a module: crc16_dw, the CRC-16 of IBA's VCRC and LPCRC over four bytes, the lowest bit first. No
// inversion. Each bit of it is one sum of bits that go in, as bit by bit it would be a long chain.
  function automatic logic [511:0] crc16_rows(input logic [15:0] last);      // from the last bit's part
    logic [15:0] c;
    c = last;
    for (int unsigned i = 32; i > 0; i--) begin
      for (int unsigned j = 0; j < 16; j++) crc16_rows[32*j + i - 1] = c[j];
      c = (c >> 1) ^ (c[0] ? last : 16'd0);
    end
  endfunction
  localparam logic [511:0] Crc16Rows = crc16_rows(16'hd008);
  function automatic logic [15:0] crc16_dw(input logic [15:0] seed, input logic [31:0] d);
    for (int unsigned j = 0; j < 16; j++) crc16_dw[j] = ^((d ^ {16'd0, seed}) & Crc16Rows[32*j +: 32]);
  endfunction
