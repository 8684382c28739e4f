# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# one that has waited and finds none holds up the input
# in: resp-Slots=16-PerSlot=32
s/job_w && no_ring_q &&/job_w \&\& no_ring_q \&\& !any_hit \&\& !any_free \&\&/
