# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a failure is told again for each token that comes later
s/work \&\& !cx\.flushing \&\&/work \&\&/
