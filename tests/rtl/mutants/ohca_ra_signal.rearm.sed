# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a QP whose number had a timer before never gets one again
s/disarm   = time_ .*/disarm   = time_;/
