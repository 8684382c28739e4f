# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# arms go before completions
s/arm_last_q <= arm_ready_o;/arm_last_q <= 1'b0;/
