# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A plain ACK is merged across a NAK.
s/plain && a_any && !a_nak_q.*;/plain \&\& a_any;/
