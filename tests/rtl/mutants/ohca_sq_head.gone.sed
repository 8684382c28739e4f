# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# descriptors of a turn that was marked are as good as others
# in: sq-DW=64-Sets=16
s/put_gone_o <= gone_q/put_gone_o <= 1'b0/
