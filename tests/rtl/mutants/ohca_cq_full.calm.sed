# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# once completions are parked, all that follow are
# in: DW=512
s/(assign calm     = ).*/\11'b0;/
