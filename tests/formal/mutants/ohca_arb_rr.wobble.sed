# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# changes its mind during a stall
s/assign held_d = valid_o \? \(!ready_i \|\| /assign held_d = valid_o ? (/
