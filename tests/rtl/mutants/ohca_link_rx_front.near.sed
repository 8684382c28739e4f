# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# The wire buffer's last places are looked at without what comes in that cycle.
# in: link_rx_front
s/\(fo_fire \? FCountW'\(FWords - 2\) : FCountW'\(FWords - 3\)\)/FCountW'(FWords - 2)/
