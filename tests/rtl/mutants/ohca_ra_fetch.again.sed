# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a token that goes round again waits for all new ones
s/load \&\& rq_valid;/load \&\& rq_valid \&\& !tq_valid;/
s/load \&\& !rq_valid \&\& tq_valid;/load \&\& tq_valid;/
s/rq_valid \? rq : tq/tq_valid ? tq : rq/
