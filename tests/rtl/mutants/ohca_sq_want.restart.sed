# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A drained QP that is to begin inside of a WQE again is taken for one that has nothing to send again.
s/assign back_again = fb_i\.una_psn != fb_i\.psn \|\| /assign back_again = /
