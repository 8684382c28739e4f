# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a fetch that was guessed beyond the oldest WQE is walked all the same
s/if \(!ahead\)/if (1'b1)/
