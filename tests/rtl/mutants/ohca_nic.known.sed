# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# whether a frame fits is taken from the one before
s/known_q <= .*$/known_q <= !rst_i;/
