# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a push rings with its own index
s/key_idx \+ 16'd1/key_idx/
