# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the oldest is tried all the time
s/\(try_q && !take_i\)/try_q/
