# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A packet that the end of the link cuts is not ended.
s/\|\| in_abort;/;/
