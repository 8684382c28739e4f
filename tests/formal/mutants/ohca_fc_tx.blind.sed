# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# Any packet may go while there is any limit.
s/room <= Half && need_i <= room/room <= Half/
