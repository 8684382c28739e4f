# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# Responses always go first.
s/run_q == 4'\(Burst\)\);/1'b0);/
