/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * An InfiniBand switch at packet level, with its own subnet management agent,
 * and a learning bridge for Ethernet frames on the same ports.
 */
#ifndef OHCA_SIM_SWITCH_H
#define OHCA_SIM_SWITCH_H

#include "wire.h"

#define SWITCH_MAX_PORTS 36

struct ib_switch;

/* lanes: data VLs, 1 2 4 8 or 15.  NULL after a message if out of range. */
struct ib_switch *ib_switch_create(unsigned ports, unsigned lanes, double rate_gbps,
				   unsigned clock_mhz, uint64_t seed);
/* The default is OHCA_SWITCH_GUID; each switch of a fabric needs its own. */
void ib_switch_set_guid(struct ib_switch *s, uint64_t guid);
void ib_switch_destroy(struct ib_switch *s);
/* port from 1; *present is what the port drives: false while it is disabled
 * or retraining */
void ib_switch_attach(struct ib_switch *s, unsigned port, struct wire *rx, struct wire *tx,
		      bool *present);
void ib_switch_link(struct ib_switch *s, unsigned port, bool up, uint64_t now);
void ib_switch_step(struct ib_switch *s, uint64_t now);
/* the cycle of its next own event; `now` if it has work; UINT64_MAX: none.
 * Packets in flight on the wires are the wires' events. */
uint64_t ib_switch_next(const struct ib_switch *s, uint64_t now);

struct switch_port_stats {
	uint64_t rx_packets, tx_packets, rx_bytes, tx_bytes;
	uint64_t rx_errors, remote_errors, discards, vl15_dropped, relay_errors, xmit_wait;
};
const struct switch_port_stats *ib_switch_stats(const struct ib_switch *s, unsigned port);
unsigned ib_switch_ports(const struct ib_switch *s);

#endif
