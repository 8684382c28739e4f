# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a link that goes down while nobody has configured it is counted
s/if \(port\.state >= PORT_ARMED\)/if (1)/
