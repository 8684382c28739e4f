# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# Progress is never beyond what is to be sent next.
s/assign behind_o   = .*/assign behind_o = 1'b0;/
