# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# What lies in the output's register is forgotten.
s/ \&\& !fb_valid_o;/;/
