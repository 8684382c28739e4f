# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# idle while an answer is owed
s/\&\& issued_q == acked_q //
