# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A plain ACK is merged across a NAK.
s/any_q    <= any && !nak;/any_q    <= any;/
