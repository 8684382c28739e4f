# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# news that may end in feedback is let in without room for it
s/news_valid_i && flush_room && fb_room/news_valid_i \&\& flush_room/
