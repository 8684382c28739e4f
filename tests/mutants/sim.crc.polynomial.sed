# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# another polynomial
s/0xedb88320u/0xedb88321u/
