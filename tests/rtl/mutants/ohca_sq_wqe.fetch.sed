# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A WQE of which a part was not fetched is sent.
s/\(6'\(k_i\) \+ 6'd1\) << /6'(k_i) << /
