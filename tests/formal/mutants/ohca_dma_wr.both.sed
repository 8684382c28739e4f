# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# data is taken from two clients
s/n_cli == CliW'\(i\)/n_cli >= CliW'(i)/
