# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a later packet replaces the one that firmware reads
s/valid && !have_q && \(/valid \&\& (/
