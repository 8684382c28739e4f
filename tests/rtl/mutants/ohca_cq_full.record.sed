# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the doorbell record is not believed
# in: DW=64
s/t_ci_ok \&\& rec_used <= used;/t_ci_ok \&\& rec_used > used;/
