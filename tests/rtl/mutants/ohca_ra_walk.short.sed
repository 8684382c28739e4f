# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a fetch that was guessed too short ends its token
s/ended \&\& \(is_resp \|\| !even\) \&\& other/1'b0/
