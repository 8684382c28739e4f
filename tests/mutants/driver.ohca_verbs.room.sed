# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a context whose answer has too little room is made
/OHCA_RESP_FITS\(udata, &resp, state_bytes\)/,/EINVAL/d
