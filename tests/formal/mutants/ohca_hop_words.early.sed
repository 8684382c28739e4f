# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a beat counts as there while its last word leaves
s/valid_q \? !ready_i : done_q/valid_q ? !ready_i : (send \&\& last)/
