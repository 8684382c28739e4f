# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# one that is answered while another one may go is not counted
s/done\[i\]  = done_i &&/done[i]  = done_i \&\& !pop \&\&/
