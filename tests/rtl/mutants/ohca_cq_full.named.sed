# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: DW=64
# the completion that does not fit is dropped, and its QP not named
s/\(accept \&\& \(do_drop \|\| do_over\)\)/(accept \&\& do_drop)/
