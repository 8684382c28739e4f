# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: nic-DataWidth=64
# a frame may be a beat longer than the longest
s/len > Most - 14'\(Bytes\)/len > Most/
