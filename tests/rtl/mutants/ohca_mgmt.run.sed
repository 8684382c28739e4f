# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a reset does not reach the core
s/core_run_q <= !rst_i/core_run_q <= 1'b1/
