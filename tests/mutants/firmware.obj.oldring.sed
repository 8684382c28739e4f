# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# translations of the ring that a CQ had before stay
s/return cq_forget\(&old\) \?/return true ?/
