# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# valid_o as a flop does not notice that the last beat leaves.
s/!\(ready_i && one\)/1'b1/
