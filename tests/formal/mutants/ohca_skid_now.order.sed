# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what comes later goes first
s/assign data_o  = skid_valid_q \? skid_data_q : data_i;/assign data_o  = valid_i ? data_i : skid_data_q;/
