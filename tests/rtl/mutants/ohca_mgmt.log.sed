# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the log is written in each cycle of the access
s/log_o\.we +<= first/log_o.we <= mem_valid/
