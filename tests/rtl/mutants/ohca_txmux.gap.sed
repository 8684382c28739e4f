# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# Between two requests that wait, what is owed is forgotten.
# in: NumVl=4
s/rst_i \|\| quiet_q == 3'd7/rst_i || !want_i[v]/
