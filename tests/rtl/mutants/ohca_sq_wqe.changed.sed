# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A WQE that became shorter than what was sent of it goes on.
s/line_i\.offset < hc\.length;/line_i.offset <= hc.length;/
