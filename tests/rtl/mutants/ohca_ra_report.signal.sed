# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# every datagram has a completion
s/done \&\& \(up_i\.signaled \|\| cx_i\.sig_all\);/done;/
