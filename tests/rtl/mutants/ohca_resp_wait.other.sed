# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# What is no READ takes the places kept for READs.
s/other_o <= .*/other_o <= 1'b1;/
