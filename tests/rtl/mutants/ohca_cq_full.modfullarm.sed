# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an arm beside a full ring makes an event wait for more completions
# in: cq-DW=64-Sets=8
s/(assign a_now   = !a_in).*;/\1;/
