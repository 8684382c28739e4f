# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the PHY of a disabled port trains
s/port\.disabled \? 2 : 1/1/
