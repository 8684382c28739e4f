# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# serves the highest number first
s/for \(int unsigned i = N; i > 0; i--\) begin/for (int unsigned i = 1; i <= N; i++) begin/
