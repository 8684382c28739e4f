# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a job is offered before its path has been looked up
# in: Compact=1
s/Compact \? reading_q\[2\] : reading_q\[0\]/reading_q[1]/
