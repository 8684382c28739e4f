# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a duplicate READ may ask for one packet more than was executed
s/\{~np_whole, !np_one\}/{~np_whole, 1'b1}/
