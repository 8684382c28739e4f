# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# flags of a QP that have no meaning yet are taken
s/req\.comp_mask \|\| req\.flags \|\|/req.comp_mask ||/
