# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a flush ends when the doorbell record cannot be read yet
s/\(fl_ask \&\& !dbr_room_i\) \|\| //
