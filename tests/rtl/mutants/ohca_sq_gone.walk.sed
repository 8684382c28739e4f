# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the walk ends before its last marks
s/Steps \+ 3\)/Steps - 1)/
