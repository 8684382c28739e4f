# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what follows an invalid request is placed until the fix-up
# in: DW=512
s/ \|\| st\.inv\) \&\& !so_in\.dead/) \&\& !so_in.dead/
