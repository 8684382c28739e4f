# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what was to be added when the memory had something else to do is lost
s/redo_q <= \(add_q .. redo_q\) && busy;/redo_q <= 1'b0;/
