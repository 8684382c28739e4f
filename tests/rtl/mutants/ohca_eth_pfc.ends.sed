# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: eth_link-ohca_link-DataWidth=64
# who may go on is paused again
s/stop_q\[i\] \? pfc_i/vec_q[i] ? pfc_i/
