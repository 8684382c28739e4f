// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Set of a number in a cache of contexts (ohca_ctx_tags, ohca_ctx_small): all its bits folded to SetW, so that any run
// of numbers spreads. The bits above SetW are the tag: with the set they name the number. Whose numbers lie in flops
// and are chosen late folds them before the choice (lk_set_i of ohca_ctx).
function automatic logic [SetW-1:0] set_of(input logic [23:0] num);
  set_of = '0;
  for (int unsigned i = 0; i < 24; i++) set_of[i % SetW] = set_of[i % SetW] ^ num[i];
endfunction
// Two sets compared in parts (all ones: the same), each no more than a LUT6 up to 9 bits: what is looked up comes late,
// so the parts are put together a cycle later.
localparam int unsigned SetParts = 3;
function automatic logic [SetParts-1:0] same_set(input logic [SetW-1:0] x, input logic [SetW-1:0] y);
  same_set = '1;
  for (int unsigned i = 0; i < SetW; i++) if (x[i] != y[i]) same_set[i % SetParts] = 1'b0;
endfunction
