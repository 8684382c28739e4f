# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the tags of another set that was written before are taken where a part of the set's number is the same
s/\(&s1_fwd_q\)/(|s1_fwd_q)/
