# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a request to any LID of the port is the connection's
s/~\(7'h7f << lmc_i\)/7'd0/
