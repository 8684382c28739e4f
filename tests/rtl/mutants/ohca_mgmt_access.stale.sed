# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an answer of a queue stands for the next access
/eq_done_q  <= 1'b0;/d
