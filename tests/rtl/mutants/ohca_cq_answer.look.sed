# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a fence does not wait for a record that is read ahead
# in: DW=512
s/before_q <= \{looks_i, parked_i\}/before_q <= {1'b0, parked_i}/
