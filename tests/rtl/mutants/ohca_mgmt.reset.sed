# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a port's register is asked in reset
s/(port_o\.valid <= .*) && !rst_i;/\1;/
