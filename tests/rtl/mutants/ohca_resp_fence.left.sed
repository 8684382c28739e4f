# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# all is quiet while it is not yet said that the last READ may go
s/ && !pop_q;/;/
