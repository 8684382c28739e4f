# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# one READ more is asked for than there is place for
s/count_q >= \(PlaceW\+1\)'\(Reads\)/count_q > (PlaceW+1)'(Reads)/
