# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# news with progress that ask to go back count against the retries of before
s/assign fresh    = say_i\.news/assign fresh    = 1'b0 \&\& say_i.news/
