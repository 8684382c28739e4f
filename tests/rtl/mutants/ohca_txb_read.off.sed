# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# Inline words are taken to begin where the last host piece did.
s/off_q  <= x_host \? x_off : '0/off_q  <= x_off/
