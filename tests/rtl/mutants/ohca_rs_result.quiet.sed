# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the fence of a reset passes completions that the CQ has not taken
# in: DW=512
s, && \(!rt\.fence \|\| quiet\);,;,
