# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a beat that arrives during a stall takes the place of the one that is offered
s/\.ready_i\(side_ready\)/.ready_i(1'b1)/
