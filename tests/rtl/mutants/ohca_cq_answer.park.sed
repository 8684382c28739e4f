# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a fence does not wait for parked completions
# in: DW=64
s/assign mark = park_q \&\& before_q == '0;/assign mark = park_q;/
