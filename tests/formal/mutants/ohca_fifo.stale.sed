# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# RAM: does not read again after a pop of the last beat
s/\.rd_en_i\(valid_d && \(pop \|\| !valid_q\)\)/.rd_en_i(valid_d \&\& pop)/
