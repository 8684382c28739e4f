# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# entries of the former pass of the ring are taken for new ones
s/!= \(\(i - cq->base\) >> cq->log & 1\)/!= 0/
