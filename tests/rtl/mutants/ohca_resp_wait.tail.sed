# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# one that comes first of its QP makes another QP's ACK one that may not be replaced
s/push && hit_o && hit_q/push \&\& hit_q/
