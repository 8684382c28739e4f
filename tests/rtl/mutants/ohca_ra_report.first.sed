# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a WQE that fails locally hides one before it
s/local_ \&\& lk\.run \&\& lk\.idx_err;/local_ \&\& lk.run;/
