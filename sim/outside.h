/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * A port of the fabric that leads out of it, every datagram or frame being one
 * Ethernet frame without FCS: a unix datagram socket, as QEMU's -netdev dgram
 * speaks, so that a guest with soft-RoCE can be a peer; a network interface of
 * the host by AF_PACKET, so that a real adapter can; a TAP device.
 */
#ifndef OHCA_SIM_OUTSIDE_H
#define OHCA_SIM_OUTSIDE_H

#include "wire.h"

/* waits: frames that found the receiver full; no_peer: lost, for there was none, or it took nothing for long */
struct outside_stats { uint64_t in, out, no_peer, not_ethernet, too_long, waits; };

enum outside_kind { OUTSIDE_UNIX, OUTSIDE_PACKET, OUTSIDE_TAP };

struct outside {
	enum outside_kind kind;
	int fd;
	char local[108], remote[108];
	bool stuck;			/* took nothing for long: is not waited for until it does */
	struct wire *to_fabric;
	struct outside_stats st;
};

/* spec is LOCAL:REMOTE, two socket paths, or packet:INTERFACE, or tap:INTERFACE.  NULL after a message. */
struct outside *outside_open(const char *spec);
void outside_close(struct outside *o);
/* A packet that has left the fabric by this port; takes it. */
void outside_send(void *o, struct packet *p);
/* Frames that wait on the socket go into the fabric at cycle `now`. */
void outside_receive(struct outside *o, uint64_t now);

#endif
