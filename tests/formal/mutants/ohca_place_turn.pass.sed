# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# who has had his turn has the next one too, though another one waits
s/2'd1:    turn_d = valid_i\[2\] \? 2'd2 :/2'd1:    turn_d = here ? 2'd1 : valid_i[2] ? 2'd2 :/
