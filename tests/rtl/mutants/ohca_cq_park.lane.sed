# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the consumer index is taken from the first lane
# in: DW=512
s/rsp_sh = rd_rsp_data_i >> .*;/rsp_sh = rd_rsp_data_i;/
