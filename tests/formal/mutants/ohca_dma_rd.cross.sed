# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a burst goes on into the next block
s/^(  assign burst_end .*) : block_end;/\1 : block_end + 12'd2;/
