# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a search that is ended early leaves the next one its place
s/if \(rst_i \|\| end_i\) begin/if (rst_i || (end_i \&\& done_o)) begin/
