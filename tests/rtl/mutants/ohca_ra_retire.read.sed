# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an ACK that covers a READ retires it
s/if \(known \&\& is_write\) begin/if (known) begin/
