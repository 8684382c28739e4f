# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a fill that fails ends before what it was to take is in host memory
# in: DW=512-LineBytes=64
s/ && \(!fill_err \|\| v_through\)\)\);/));/
