# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# behind an ACK that is under way its WQEs are read again
s/if \(short_q \&\& any_q/if (1'b0 \&\& any_q/
