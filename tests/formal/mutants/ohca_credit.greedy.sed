# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# grants one more than there is
s/SumW'\(avail_q\) >= SumW'\(take_n_i\)/SumW'(avail_q) + SumW'(1) >= SumW'(take_n_i)/
