# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# with several VLs the last job of a turn that ends with it may not leave
# in: NumVl=4
s/\.turn_jobs_i\(new_\)/.turn_jobs_i(new_q)/
