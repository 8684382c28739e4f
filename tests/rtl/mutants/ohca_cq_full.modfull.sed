# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an event waits for a completion that the ring has no room for
# in: cq-DW=64-Sets=8
s/(assign brim     = ).*/\11'b0;/
