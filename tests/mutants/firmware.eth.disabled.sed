# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a port stays Disabled when it becomes an Ethernet port
s/^\tport\.disabled = false;.*$//
