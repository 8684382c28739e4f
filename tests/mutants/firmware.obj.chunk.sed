# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# addresses of 50 bits and more are cut
/CHUNK_SHIFT \+ 32\) \|\|$/d
