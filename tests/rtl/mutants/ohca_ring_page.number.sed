# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the number of a page of 1 MiB is cut where one of 64 KiB ends
s/\{12'd0, q\.va\[59:20\]\}/{8'd0, q.va[59:16]}/
