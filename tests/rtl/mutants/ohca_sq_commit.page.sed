# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a doorbell from another page counts
s/assign db_ok     = !err_i && db_own/assign db_ok     = !err_i/
