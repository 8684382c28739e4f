# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an event whose time has passed waits for the end of 32 bits
s/cq_delta\[31\] \? 32'd0 : cq_delta/cq_delta/
