/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * A port of the fabric that leads out of it: a unix datagram socket on which
 * every datagram is one Ethernet frame without FCS, as QEMU's -netdev dgram
 * speaks, so that a guest with soft-RoCE can be a peer.
 */
#ifndef OHCA_SIM_OUTSIDE_H
#define OHCA_SIM_OUTSIDE_H

#include "wire.h"

struct outside_stats { uint64_t in, out, no_peer, not_ethernet, too_long; };

struct outside {
	int fd;
	char local[108], remote[108];
	struct wire *to_fabric;
	struct outside_stats st;
};

/* spec is LOCAL:REMOTE, two socket paths.  NULL after a message. */
struct outside *outside_open(const char *spec);
void outside_close(struct outside *o);
/* A packet that has left the fabric by this port; takes it. */
void outside_send(void *o, struct packet *p);
/* Frames that wait on the socket go into the fabric at cycle `now`. */
void outside_receive(struct outside *o, uint64_t now);

#endif
