# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A READ does not wait for the writes issued before it.
s/pop    = valid && !behind\[15\]/pop    = valid/
