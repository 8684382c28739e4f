# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: DW=64
# a fence does not wait for parked completions
s/assign acc_mark = acc_park_q \&\& before_q == '0;/assign acc_mark = acc_park_q;/
