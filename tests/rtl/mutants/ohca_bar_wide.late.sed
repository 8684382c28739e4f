# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the WQE of a beat that is still waiting
s/if \(valid_o \&\& ready_i \&\& whole_o\) +wqe_o/if (valid_o) wqe_o/
