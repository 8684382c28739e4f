# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what is read begins at the request's first WQE
s/a_q\.ring\.offset <= a_q\.ring\.offset \+ 24'\(stride\);//
