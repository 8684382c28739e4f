# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# capabilities are told that the program does not know
/resp->caps &= c->caps;/d
