# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a doorbell rung in the cycle in which the reset ends is lost
s/ \&\& !soft_rst_q \&\& !rst_q \&\&/ \&\& !soft_rst_q \&\&/
