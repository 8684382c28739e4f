# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a word that comes while a beat waits is taken into it
s/if \(!full_q \&\& pin_valid_q\) shift_q/if (pin_valid_q) shift_q/
s/pin_ready_q <= !full_q \&\& /pin_ready_q <= /
