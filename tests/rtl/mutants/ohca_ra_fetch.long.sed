# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# and where a message is many packets those behind it are taken for acknowledged
s/!in_q \&\& !end_ok_q \&\& !long_q \&\&/!in_q \&\&/
