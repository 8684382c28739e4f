# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# What comes of a QP that waits passes it.
# in: PerSlot=32
s/!job_w && \(w_hit \|\| \(!stuck_q/!job_w \&\& ((!stuck_q/
