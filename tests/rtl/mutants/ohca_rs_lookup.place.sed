# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the packets on their way to the commit are not counted when places are given
s/places = jobs_i \+ .*pre_q\)/places = jobs_i/
