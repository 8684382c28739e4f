# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# What is looked up next goes over one that the cache has not taken yet.
s/free     = !lk_valid_o \|\| lk_ready_i/free     = 1'b1/
