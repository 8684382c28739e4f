# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# lookups go on though their flushes may find no room
s/Flushing - FlMargin\)/Flushing)/
