# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the newer beat overtakes the one in the skid register
s/skid_valid_q \? skid_data_q : data_i/data_i/
