# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an invalid request completes no receive that has begun
s/ \|\| \(p_inv \&\& cx\.wqe_taken\);/;/
