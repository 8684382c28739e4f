# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# entries of a size that there is not yet are granted
s/req\.log_cqe_bytes \|\| //
