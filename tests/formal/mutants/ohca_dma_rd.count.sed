# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# an error is counted with every beat
s/\&\& rsp_last_o \&\& rsp_err_o/\&\& rsp_err_o/
