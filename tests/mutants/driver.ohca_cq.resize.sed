# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a reserved word of a request to resize is not looked at
s/req\.comp_mask \|\| req\.reserved\)/req.comp_mask)/
