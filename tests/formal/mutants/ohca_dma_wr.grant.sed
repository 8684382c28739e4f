# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a request is accepted that was not granted
s/assign accept  = arb_valid/assign accept  = |req_valid_i/
