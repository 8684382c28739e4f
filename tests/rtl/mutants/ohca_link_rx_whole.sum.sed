# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A datagram does not wait for its Internet checksum.
s/ && \(!p_ud \|\| c_valid\);/;/
