# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# The chunk that is given back is the one behind it.
s/back_chunk_q <= r_at;/back_chunk_q <= next_chunk;/
