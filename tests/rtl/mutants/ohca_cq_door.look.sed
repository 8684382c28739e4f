# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a record that was read ahead comes as a completion
s/rep_look_i \? K_ERR : K_COMP/K_COMP/
