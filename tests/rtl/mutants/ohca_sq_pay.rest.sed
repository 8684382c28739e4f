# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# The packet behind an aborted one is as long as the rest of the job.
s/pk_next = rest_lt \? rest_q\[12:0\] : mtu;/pk_next = rest_q[12:0];/
