# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# What stopped VLs hold counts for all.
# in: NumVl=4
s/still_q <= still;/still_q <= '0;/
