# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an address is counted within 4 GiB
s/j\.va \+ 64'\(off\)/{j.va[63:32], j.va[31:0] + off}/
