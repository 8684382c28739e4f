# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# news with progress that ask to go back count against the retries of before
s/d\.u_fresh  = d\.u_run/d.u_fresh  = 1'b0/
