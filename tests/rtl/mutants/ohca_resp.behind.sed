# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# What comes of a QP that waits passes it.
# in: PerSlot=32
s/!s_drop && \(w_hit \|\| /!s_drop \&\& (/
