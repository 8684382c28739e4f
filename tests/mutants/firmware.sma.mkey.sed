# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# protection level 2 of the M_Key lets everybody read
s/port\.mkey_protect < 2/port.mkey_protect < 3/
