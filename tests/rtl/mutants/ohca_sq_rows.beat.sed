# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# of a beat of the fetch only the first word is kept
# in: Beat=4
s/4'\(\(1 << Beat\) - 1\) << cnt_q/4'd1 << cnt_q/
