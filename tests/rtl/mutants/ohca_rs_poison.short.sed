# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the same, of one whose list was too short
s/s_did_mark \? s_did_same\[i\] : s_did_poison && s_did_tid == TidW'\(i\)/(s_did_mark || s_did_poison) \&\& s_did_tid == TidW'(i)/
