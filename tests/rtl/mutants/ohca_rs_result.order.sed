# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the fence of a reset does not wait for events
s/quiet <= !ev_valid_o \&\& /quiet <= /
