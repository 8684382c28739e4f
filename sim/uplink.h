/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * A port of the fabric that leads out of it, every datagram or frame being one
 * Ethernet frame without FCS: a unix datagram socket, as QEMU's -netdev dgram
 * speaks, so that a guest with soft-RoCE can be a peer; a network interface of
 * the host by AF_PACKET, so that a real adapter can; a TAP device.
 */
#ifndef OHCA_SIM_UPLINK_H
#define OHCA_SIM_UPLINK_H

#include "wire.h"

/* waits: frames that found the receiver full; no_peer: lost, for there was none, or it took nothing for long */
struct uplink_stats { uint64_t in, out, no_peer, not_ethernet, too_long, waits; };

enum uplink_kind { UPLINK_UNIX, UPLINK_PACKET, UPLINK_TAP };

struct uplink {
	enum uplink_kind kind;
	int fd;
	char local[108], remote[108];
	bool stuck;			/* took nothing for long: is not waited for until it does */
	struct wire *to_fabric;
	struct uplink_stats st;
};

/* spec is LOCAL:REMOTE, two socket paths, or packet:INTERFACE, or tap:INTERFACE.  NULL after a message. */
struct uplink *uplink_open(const char *spec);
void uplink_close(struct uplink *o);
/* A packet that has left the fabric by this port; takes it. */
void uplink_send(void *o, struct packet *p);
/* Frames that wait on the socket go into the fabric at cycle `now`. */
void uplink_receive(struct uplink *o, uint64_t now);

#endif
