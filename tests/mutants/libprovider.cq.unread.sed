# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what is unread stays in the old ring
s/\*e = \*cqe_at\(&old, i\);/;/
