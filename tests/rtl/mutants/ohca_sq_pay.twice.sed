# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A word that was taken stays, as nothing comes behind it in the same cycle.
# in: sq_pay-Depth=128-UseRam=1-Slow=1
s/if \(i_take \|\| inl_ready_i\) inl_valid_o/if (i_take) inl_valid_o/
