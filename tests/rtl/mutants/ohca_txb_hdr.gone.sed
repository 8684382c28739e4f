# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the slot of a response is taken for a request's
s/ \&\& d.kind != ohca_fmt_pkg::TXK_RESP//
