# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# Fences are ignored.
s/d_fence && w_q.rd_unsafe != '0/1'b0/
