// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// For the inside of a module that has Bytes and NumW (bits that count to Bytes): keep_bytes, how many bytes of a beat
// there are, by where they end. keep has no holes.
  function automatic logic [NumW-1:0] keep_bytes(input logic [Bytes-1:0] keep);
    keep_bytes = '0;
    for (int unsigned i = 0; i < Bytes; i++) begin
      if (keep[i] && (i + 1 == Bytes || !keep[(i+1)%Bytes])) keep_bytes = keep_bytes | NumW'(i + 1);
    end
  endfunction
