# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# errors are not solicited
# in: DW=64
s/assign sol      = t_req.solicited \|\| .*$/assign sol      = t_req.solicited;/
