# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# An ACK takes the place of one of another QP, where that differs in its high bits only.
s/job_i\.qpn == job_o\.qpn;/job_i.qpn[19:0] == job_o.qpn[19:0];/
