# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the last byte of a word is not stored
s/\{4\{phase_q && from_ram_q && !rst_i\}\}/{1'b0, {3{phase_q \&\& from_ram_q \&\& !rst_i}}}/
