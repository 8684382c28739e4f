# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# its RNR NAK is an ACK
s/rt.job_nak \? \{3'b001, rt.min_rnr\} : //
