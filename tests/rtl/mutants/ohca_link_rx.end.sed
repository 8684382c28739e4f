# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# The ICRC is taken over what is behind its end in the last beat, too.
s/assign j_part   = j_end \? NumW'\(j_left\) : NumW'\(Bytes\);/assign j_part   = NumW'(Bytes);/
