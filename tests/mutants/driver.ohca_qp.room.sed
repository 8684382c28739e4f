# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a QP whose answer has too little room is made
s/ \|\| !OHCA_RESP_FITS\(udata, &resp, qpn\)//
