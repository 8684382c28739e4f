# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a push rings with the QP number that was there before its last write
s/push_valid_i \? st_new.qpn/push_valid_i ? st.qpn/
