# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what comes goes over what is on its way
s/if \(!full_q\) near_q/if (1'b1) near_q/
