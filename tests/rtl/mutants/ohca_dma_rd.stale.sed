# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an error outlives a reset of the client that read it
# in: MaxBeats=256
s/if \(soft_rst_i\) bad_q <= '0;.*$//
