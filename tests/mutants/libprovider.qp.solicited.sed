# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a SEND does not ask for the event
s/!!\(flags & IBV_SEND_SOLICITED\)/0/
