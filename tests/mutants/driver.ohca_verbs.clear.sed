# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what one process left in its push buffers becomes part of the next one's push
/OHCA_DB_PUSH_CLR/s/OHCA_DB_PUSH_CLR \+ 8 \* i/OHCA_DB_RQ/
