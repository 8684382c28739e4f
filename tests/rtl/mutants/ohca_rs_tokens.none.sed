# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an answer is queued for every token
s/r_pop_i \&\& r_job_i\), \.ready_o/r_pop_i), .ready_o/
