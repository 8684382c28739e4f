# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the record is read only when the ring looks full
# in: DW=512
s/(assign look     = ).*/\11'b0;/
