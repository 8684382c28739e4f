# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a NAK of what comes next does nothing
s/\(take_i \&\& front\) \|\| //
