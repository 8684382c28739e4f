# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an error and its write take a cycle each, so errors that come faster are lost
s/w_valid && \(e_valid \? !past\[SeqW-1\]/w_valid \&\& (e_valid ? older/
