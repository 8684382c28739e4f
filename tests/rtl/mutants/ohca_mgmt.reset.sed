# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a port's register is asked in reset
s/if \(rst_i\) port_o\.valid <= .*//; s/(port_q\.valid <= .*) \&\& !rst_i;/\1;/
