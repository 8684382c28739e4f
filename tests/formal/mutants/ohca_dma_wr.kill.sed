# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an accepted write of a reset client keeps waiting for data
# in: Soft=1
s/\(dat_valid \|\| kill_q\)/dat_valid/
