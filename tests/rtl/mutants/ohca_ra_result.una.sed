# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a WQE that fails counts as done
s/if \(act == ohca_fmt_pkg::RA_ACT_ERR\) next\.una = ri\.idx;//
