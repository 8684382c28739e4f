# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an answer behind a READ asks for it once, also where it was asked for anew since
s/if \(restart_i \&\& say\.due\) +n\.rd_seq_wait = 1'b0;//
