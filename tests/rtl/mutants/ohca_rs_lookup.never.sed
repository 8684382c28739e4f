# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# requests wait for a place for ever
s/late_q       <= .*/late_q       <= 1'b0;/
