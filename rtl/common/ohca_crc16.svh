// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// For the inside of a module: crc16_dw, the CRC-16 of IBA's VCRC and LPCRC over four bytes, bit by bit, the lowest
// first. No inversion.
  function automatic logic [15:0] crc16_dw(input logic [15:0] seed, input logic [31:0] d);
    crc16_dw = seed;
    for (int unsigned i = 0; i < 32; i++) crc16_dw = (crc16_dw >> 1) ^ ((crc16_dw[0] ^ d[i]) ? 16'hd008 : 16'd0);
  endfunction
