# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a packet to another GID of the port is taken for the path
s/ \&\& p_i\.gidx == cav\.sgid_index//
