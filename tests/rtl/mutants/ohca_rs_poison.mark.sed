# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the poison of S does not end with its mark
s/s_did_mark \? s_did_same\[i\] :/s_did_mark ? 1'b0 :/
