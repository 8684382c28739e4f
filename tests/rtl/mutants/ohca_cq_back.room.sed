# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an event is dropped where there is no room for it
s/\(!p_event \|\| eq_ready\) \&\& !p_both/!p_both/
