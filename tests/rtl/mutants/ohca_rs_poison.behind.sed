# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what died of a failed packet, and had found no receive WQE before, kills what comes behind the fix-up
s/w_mark_i \? w_same_i\[i\] : w_poison_i && w_tid_i == TidW'\(i\)/(w_mark_i || w_poison_i) \&\& w_tid_i == TidW'(i)/
