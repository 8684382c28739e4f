# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# slots of received MADs answer together with the buffer
s/from_mbox_q  <= is_io && \(region == 4'h4 \|\| region == 4'h5\)/from_mbox_q  <= is_io \&\& (region == 4'h4 || region == 4'h2)/
