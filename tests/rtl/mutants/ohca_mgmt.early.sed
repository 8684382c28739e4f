# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the answer of a port's register, or of ohca_bar, is taken a cycle early
s/\(from_port_q \? latest_q : later_q\)/later_q/
