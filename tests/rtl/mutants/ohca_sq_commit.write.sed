# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# that a QP went into the run queue is not written where nothing else is
s/if \(asks_we && outside.*//
