# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# Nothing is dropped for a stuck VL: the responder waits.
# in: NumVl=4
s/assign a_drop   = Shared/assign a_drop   = 1'b0/
