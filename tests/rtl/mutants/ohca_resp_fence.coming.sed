# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# READs that are on their way to the queue take no place
s/ready_q     <= 32'\(count\) < Depth - 2;/ready_q <= 32'(count) < Depth;/
