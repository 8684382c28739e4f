# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: tx_sum-DataWidth=64
# what is not marked overtakes what is
s/in_sum_i \|\| some_q : way_q/in_sum_i : way_q/
