# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what stalls for a second cycle is lost
s/skid_valid_q <= valid_o && !ready_i/skid_valid_q <= valid_i \&\& ready_o \&\& !ready_i/
