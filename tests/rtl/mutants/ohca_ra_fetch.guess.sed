# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the next token of a READ begins at its own WQE again
s/over    = !first_q \|\| short_q;/over    = short_q;/
