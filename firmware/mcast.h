/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/* The multicast table, as the rest of the firmware needs it. */
#ifndef OHCA_FW_MCAST_H
#define OHCA_FW_MCAST_H

#include "hw.h"

/* A look-up walks a chain while packets wait behind it, so chains end here. */
#define MC_CHAIN_MAX 16
#define MC_QP_MAX (3 * MC_CHAIN_MAX)

void mcast_init(void);			/* no group has members */
u32 mcast_groups(void);			/* groups that fit */
void mcast_forget(u32 qpn);		/* the QP leaves all groups */

#endif
