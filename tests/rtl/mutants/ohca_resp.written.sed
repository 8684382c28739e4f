# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a job that finds no free slot is written over another QP's
s/l_q == L_ACT && free_v_q && free_q/l_q == L_ACT \&\& free_q/
