# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A block that leaves while another comes is not given back.
s/assign used_d = used_q \+ CntW'\(get_i\) - CntW'\(put_i\);/assign used_d = used_q + CntW'(get_i) - CntW'(put_i \&\& !get_i);/
