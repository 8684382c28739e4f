# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the last one is chosen again before others
s/SelW.\(i\) > last_i/SelW'(i) >= last_i/
