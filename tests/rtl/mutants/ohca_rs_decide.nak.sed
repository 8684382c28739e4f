# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# every packet of a gap is answered by a NAK
s/ \&\& !lk\.is_new \&\& !cx\.nak_sent;/ \&\& !lk.is_new;/
