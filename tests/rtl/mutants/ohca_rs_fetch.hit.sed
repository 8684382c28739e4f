# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a poisoned token fetches its receive WQE
s/wt\.wqe \&\& !res\.dead \&\&/wt.wqe \&\&/
