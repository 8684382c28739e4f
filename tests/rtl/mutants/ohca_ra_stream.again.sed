# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: DW=64
# an answer behind a READ asks for it once, also where it was asked for anew since
s/if \(tmr_hit\) n\.rd_seq_wait = 1'b0;//
