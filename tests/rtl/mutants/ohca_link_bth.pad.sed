# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A packet without payload may have padding.
s/ && \(pad_i == 2'd0 \|\| [^;]*\);/;/
