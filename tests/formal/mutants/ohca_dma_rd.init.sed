# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# slots are made free without an end
s/if \(\&init_slot_q\) init_q <= 1'b0;//
