# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the context is turned one step too few
s/rot_q == 5.\(Hot - 1\)/rot_q == 5'(Hot - 2)/
