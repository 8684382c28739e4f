# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# completions pass a parked one of the same CQ
# in: DW=64
s/if \(cam_valid_q\[i\] \&\& cam_q\[i\] == out_id\) behind = 1'b1;/behind = behind;/
