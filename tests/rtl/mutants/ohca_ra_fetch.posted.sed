# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# WQEs are read that were not posted
s/posted < max_q \? posted : max_q/max_q/
