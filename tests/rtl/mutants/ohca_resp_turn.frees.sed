# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a duplicate READ counts as one that was asked for
s/read_o && j\.lim != 5'd0/read_o/
