# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# nothing is known of pulses that were added up but not counted
# in: CntSources=3
s/ \(\|coming\) \|\|//
