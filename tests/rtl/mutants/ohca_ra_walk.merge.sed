# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an ACK that merges into a walk leaves behind how far the walk may go
s/assign pi +=.*/assign pi = t_q.pi;/
