# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what an arm says it has seen is not added
s/(assign arm_end = arm_i\[23:0\]).*;/\1;/
