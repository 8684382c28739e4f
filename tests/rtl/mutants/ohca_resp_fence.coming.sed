# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a READ that is on its way to the queue takes no place
s/ \&\& !in_q\);$/);/
