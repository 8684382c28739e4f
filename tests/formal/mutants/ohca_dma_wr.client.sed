# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# data is that of the client that comes next
s/n_cli == CliW'\(i\)/q_cli == CliW'(i)/
