# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a range may leave its page
# in: DW=256
s/14'\(req_i.len\) > 14'd4096/14'(req_i.len) > 14'd4112/
