# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the newer beat overtakes the one that waits beside
s/\.data_i\(side_data\)/.data_i(data_i)/
