# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the first dword of a QP's cold half may be changed
s/acc_q\.dw >= 5'/acc_q.dw > 5'/
