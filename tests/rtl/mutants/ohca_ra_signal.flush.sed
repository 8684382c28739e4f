# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a WQE is flushed before completions that are under way
s/say_o\.one      = turn \&\& !hit_i \&\&/say_o.one      = turn \&\&/
