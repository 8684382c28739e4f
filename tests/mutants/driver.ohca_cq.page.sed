# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a CQ is armed through another process's doorbell page
s/req\.db_page != uctx->uar \|\| //
