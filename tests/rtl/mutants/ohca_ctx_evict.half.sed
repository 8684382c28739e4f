# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a lookup of two cycles takes its own victim for what it misses
# in: DW=256-LineBytes=128-Sets=2
s/half_q_i \? \{half_conf_q, half_at_q\} : //
