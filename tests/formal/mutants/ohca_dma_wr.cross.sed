# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a write is one burst, whatever it crosses
s/assign final_burst = .*$/assign final_burst = 1'b1;/
