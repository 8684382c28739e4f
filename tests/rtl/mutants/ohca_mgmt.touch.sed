# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# others may rest while a counter is read
s/\(region == 4'h1 \|\| region == 4'h7\)/region == 4'h1/
