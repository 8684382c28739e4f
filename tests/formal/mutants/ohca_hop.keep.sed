# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what waits is replaced by what comes
s/if \(!valid_q\) data_q/if (1'b1) data_q/
