# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# pieces of a message that does not fit are written
s/pl\.bad        = .*/pl.bad = 1'b0;/
