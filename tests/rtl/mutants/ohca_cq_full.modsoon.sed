# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an arm for as many entries as an event waits for waits for as many again
# in: DW=64
s/tr1_period_q, to_last\[23\]\}/tr1_period_q, 1'b0}/
