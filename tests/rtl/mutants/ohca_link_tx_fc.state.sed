# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# The flow-control packet that leaves when the port's state changes counts as told, though it bears the old state.
# in: fc_state-ohca_link-DataWidth=64-RoCE=0
s/(pend_q\[v\] +<= )fc_start;/\11'b0;/
