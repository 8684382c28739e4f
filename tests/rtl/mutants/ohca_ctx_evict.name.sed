# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a number that was evicted twice is found at a place that is neither
# in: DW=128
s/if \(name_i\) ev_valid_q <= .*//
s/conf_no = conf_no \| EvW.\(~i\)/conf_no = '0/
