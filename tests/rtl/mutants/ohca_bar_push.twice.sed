# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a dword that comes twice does not begin a push anew
s/assign p_twice = .*$/assign p_twice = 1'b0;/
