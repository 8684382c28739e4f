# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a READ that repeats what was none is answered
s/ && cx_i\.rd_any; /; /
