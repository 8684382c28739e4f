# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a pushed WQE may have a turn that is just being taken
# in: NumVl=4
s/ && left != '0 && !pool_all/ \&\& !pool_all/
