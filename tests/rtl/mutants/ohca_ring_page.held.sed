# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the offset is not kept until the answer comes
# in: Held=1
s/if \(go_i != '0\) was_q/was_q/
