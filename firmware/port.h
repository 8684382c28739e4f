/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/* The port: logical state, tables, counters; SMA and PMA answer from here. */
#ifndef OHCA_FW_PORT_H
#define OHCA_FW_PORT_H

#include "hw.h"

void port_init(void);
/* PHY changes, sticky conditions, trap repetition, lease timers. */
void port_poll(void);
/* The next cycle at which port_poll() has something to do, all ones if none. */
u64 port_next(void);
/* Follow the time scale that the host has set. */
void port_times(void);
/* Received SMPs: answer them, or hand them to the host's QP0. */
void mad_rx_poll(void);

u32 port_guid_lo(void);
u64 port_guid(void);
u64 node_guid(void);
/* Active MTU code of the port (NeighborMTU). */
u32 port_mtu(void);

#endif
