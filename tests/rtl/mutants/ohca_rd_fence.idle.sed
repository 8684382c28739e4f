# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# What lies in the input's register is forgotten.
s/ \&\& !i_valid \&\& q_count/ \&\& q_count/
