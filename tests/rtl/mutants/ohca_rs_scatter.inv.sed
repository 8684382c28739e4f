# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what follows an invalid request is placed until the fix-up
s/ \|\| tok_i\.inv\) \&\& !gone/) \&\& !gone/
