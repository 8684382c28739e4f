# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what is stored elsewhere is stored in RAM, too
s/phase_q && from_ram_q && !rst_i/phase_q \&\& !rst_i/
