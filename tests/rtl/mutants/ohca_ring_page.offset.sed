# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# of a page of 64 KiB the first 4 KiB are accessed only
s/\{4'd0, q\.va\[15:12\]\} : 8'd0/8'd0 : 8'd0/
