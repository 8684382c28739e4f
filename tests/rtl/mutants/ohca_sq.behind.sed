# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# Completed WQEs are sent again.
s/assign fb_behind = .*/assign fb_behind = 1'b0;/
