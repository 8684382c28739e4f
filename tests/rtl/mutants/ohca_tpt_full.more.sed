# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the line behind a region's last is taken for its own
s/b_togo_q > \(b_left \| b_line\);/b_togo_q > b_left;/
