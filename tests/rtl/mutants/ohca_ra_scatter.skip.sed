# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an entry that earlier responses have filled in part is filled from its beginning
s/sge\.addr \+ \{32'd0, skip_q\}/sge.addr/
