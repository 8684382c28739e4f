# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# only half of the writes that may be outstanding are told apart
s/behind\[15\]/behind[14]/
