# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a completion in error does not send the event that waits
# in: DW=64
s/\(c\.pi == c\.last \|\| bad \|\| brim\)/(c.pi == c.last || brim)/
