# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# room is promised to the token behind one that ends
# in: rs_result-InFlight=32-Slow=1
s/ \&\& !evf_valid \&\& !fire_o;/ \&\& !evf_valid;/
