# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a beat stays although it was taken
s/else if \(ready_o\) valid_o <= valid_i;/else if (ready_o) valid_o <= valid_i || valid_o;/
