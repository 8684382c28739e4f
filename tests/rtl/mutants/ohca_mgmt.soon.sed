# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a register's access ends in its first cycle; the assertion is not there to say so
s/&& \(is_ram \|\| take\);/;/
/Done_A/d
