# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# part of a dword is written
s/assign part    = .mixed;/assign part    = 1'b0;/
