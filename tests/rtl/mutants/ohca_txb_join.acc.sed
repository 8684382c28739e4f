# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: txb_join
# what does not fit into a beat is not kept
s/acc_q <= r2_emit_q \? r2_data_q : merged/acc_q <= merged/
