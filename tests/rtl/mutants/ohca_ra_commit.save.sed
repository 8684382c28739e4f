# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a response is decided in the cycle in which the walk saves
s/ \|\| \(!hit_i \&\& save_i\)\)/)/
