# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: txb_join
# bytes behind the last are not cleared
s/used\[i\] \? merged/1'b1 ? merged/
