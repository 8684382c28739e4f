# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the slot of a READ's data is free before it is placed
s/on \&\& !\(push \&\& lk\.op_rd\);/on;/
