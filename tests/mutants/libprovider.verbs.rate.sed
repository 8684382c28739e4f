# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the port's own rate counts as slower than the port
s/\{ 16, 140 \}/{ 16, 150 }/
