# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what a newer program asks for and the module does not know is not looked at
/udata->inlen > known/,/EOPNOTSUPP/d
