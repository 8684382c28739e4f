# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# Packets that are not sent again stay in the length.
s/rem_o  <= rem_o - .*;/rem_o  <= rem_o;/
