/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/* Queue pairs, as the rest of the firmware needs them. */
#ifndef OHCA_FW_QP_H
#define OHCA_FW_QP_H

#include "hw.h"

void qp_init(void);
bool qp_exists(u32 qpn);
bool qp_is_ud(u32 qpn);
/* All there are. False: not all of their memory is done with. */
bool qp_destroy_all(void);
/* Write back and drop what the engines have cached of a QP's context. */
void qp_inval(u32 qpn);
/* QPs in SQD whose owner wants to hear when they are drained. */
void qp_poll(void);
u64 qp_next(void);

#endif
