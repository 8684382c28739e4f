# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: Depth=1024
# a block that is used for the first time is not wiped
s/!mid_v \? A_WIPE0 : A_PUT/A_PUT/
