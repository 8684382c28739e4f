# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# one that comes first of its QP makes another QP's ACK one that may not be replaced
s/behind_q <= push && hit_o/behind_q <= push/
