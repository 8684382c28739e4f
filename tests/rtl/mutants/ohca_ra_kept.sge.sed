# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a READ gets the scatter list of another
s/b_sge\[128 \+: OwnW\] == b_own_q/1'b1/
