# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a piece of a response is taken for the send engine's
s/ \&\& !s_q\.remote//
