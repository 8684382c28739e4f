# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: txbuild
# a drain does not wait for reads that are under way
s/left_q <= flying_d/left_q <= '0/
