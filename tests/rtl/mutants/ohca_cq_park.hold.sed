# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# completions come in behind those that are parked
s/\(calm_i \|\| hold_o\)/1'b0/
