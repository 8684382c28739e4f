# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# more is found than there is room for
s/!rst_i \&\& !hits_most \&\& /!rst_i \&\& /
