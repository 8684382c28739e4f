# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# of a QP that is reset while its payload is awaited the packet leaves
s/    else p_q.gone <= .*//
