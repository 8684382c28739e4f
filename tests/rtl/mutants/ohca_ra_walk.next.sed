# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# behind a fetch that ended early a word of the next one is taken
s/leave \? !w_last_q && /leave ? /
