# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a read goes past the end of a page of the ring
s/wrap < \{1'b0, pend\} \? wrap : \{1'b0, pend\}/wrap/
