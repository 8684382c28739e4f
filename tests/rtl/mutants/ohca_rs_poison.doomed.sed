# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the same, of one that finds that when the mark is past W
s/ && !s_doomed//
