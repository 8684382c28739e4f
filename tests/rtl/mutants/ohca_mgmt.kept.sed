# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what was read of an address stands over a store to it
s/^  logic \[31:0\] ram_rdata;/  logic [31:0] kept_q, kept_addr_q;\n  always_ff @(posedge clk_i) if (first \&\& is_ram \&\& !write \&\& !mem_instr) begin\n    kept_q      <= mem_addr == kept_addr_q ? kept_q : ram_rdata;\n    kept_addr_q <= mem_addr;\n  end\n&/
s/if \(first\) mem_rdata <= ram_rdata;/if (first) mem_rdata <= (mem_addr == kept_addr_q \&\& !mem_instr) ? kept_q : ram_rdata;/
