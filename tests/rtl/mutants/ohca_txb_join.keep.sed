# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: txb_join
# the bytes kept are one too many
s/keep_mask\(7'\(r2_f_q\)\)/keep_mask(7'(r2_f_q) + 7'd1)/
