# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# requests that end before the first version's do are taken
/udata->inlen < least/,/EINVAL/d
