# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what the placement was handed stays the newest when R has found it good
/newest_q\[i\] <= 1.b0;/d
