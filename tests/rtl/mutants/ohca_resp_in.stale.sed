# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# What was found of a job that has gone counts for the next one.
s/^    if \(take\) twin_q <= /    if (take \&\& !s_valid_q \&\& !next) twin_q <= twin_q || /
