# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a line that is on its way is not known to be when it is looked up
s/\(match & here_now\)/(match \& full_q[odd])/
