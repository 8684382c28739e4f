# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# waits for the path to be empty, which it never is under load
s/left_q <= left_q - CountW'\(1\);/left_q <= inside_d;/
