# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the last response of a READ of whole packets is to be empty
s/rest       = .*/rest       = odd;/
