# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what a token waited for never refreshes the context
s/\(di_bg \|\| .*\);/di_bg;/
