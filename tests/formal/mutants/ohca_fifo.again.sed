# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# offers the last beat again when it has left
s/more \|\| !ready_i : any;/any : any;/
