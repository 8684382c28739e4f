# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# packets of a part of a message are not counted for the next AckReq
s/w_d.acks   = acks\[3:0\];/w_d.acks   = '0;/
