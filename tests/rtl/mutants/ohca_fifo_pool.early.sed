# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A chunk counts as free before it can be taken.
# in: Num=9
s/take_new != free_q/take_new != back_q/
