# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the completed entry of a work queue stays taken
s/\(idx \+ 1 - tail\)/(idx - tail)/
