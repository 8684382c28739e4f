# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the answer does not wait for the write request
# in: DW=128
s/x_done_q : x_free\)\)/x_done_q : x_free || t_valid))/
