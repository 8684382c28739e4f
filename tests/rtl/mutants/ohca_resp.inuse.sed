# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# An ACK is merged into the job that a turn has read already.
s/tail_s && !in_use && /tail_s \&\& /
