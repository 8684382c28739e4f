/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/* Frames between the fabric and a unix datagram socket; never blocks. */
#include "outside.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define BURST 64			/* frames taken at a time */

struct outside *outside_open(const char *spec)
{
	struct sockaddr_un sa = { .sun_family = AF_UNIX };
	const char *colon = strchr(spec, ':');
	struct outside *o;
	struct stat st;

	if (!colon || colon == spec || !colon[1] || (size_t)(colon - spec) >= sizeof(o->local) ||
	    strlen(colon + 1) >= sizeof(o->remote)) {
		log_err("outside port '%s': two socket paths LOCAL:REMOTE are needed", spec);
		return NULL;
	}
	o = xcalloc(1, sizeof(*o));
	memcpy(o->local, spec, (size_t)(colon - spec));
	strcpy(o->remote, colon + 1);
	strcpy(sa.sun_path, o->local);
	if (!lstat(o->local, &st) && S_ISSOCK(st.st_mode))
		unlink(o->local);
	o->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (o->fd < 0 || bind(o->fd, (struct sockaddr *)&sa, sizeof(sa))) {
		log_err("cannot bind %s: %s", o->local, strerror(errno));
		if (o->fd >= 0)
			close(o->fd);
		free(o);
		return NULL;
	}
	return o;
}

void outside_close(struct outside *o)
{
	if (!o)
		return;
	close(o->fd);
	unlink(o->local);
	free(o);
}

void outside_send(void *ctx, struct packet *p)
{
	struct outside *o = ctx;
	struct sockaddr_un sa = { .sun_family = AF_UNIX };

	if (p->kind != OHCA_KIND_ETH || p->error) {
		o->st.not_ethernet++;
	} else {
		strcpy(sa.sun_path, o->remote);
		if (sendto(o->fd, p->data, p->len, MSG_NOSIGNAL, (struct sockaddr *)&sa, sizeof(sa)) < 0)
			o->st.no_peer++;	/* not there yet, or too slow: lost, as on a cable */
		else
			o->st.out++;
	}
	packet_free(p);
}

void outside_receive(struct outside *o, uint64_t now)
{
	for (unsigned i = 0; i < BURST; i++) {
		struct packet *p = packet_new();
		ssize_t n = recv(o->fd, p->data, PACKET_MAX, MSG_TRUNC);

		if (n < 0 || n < 14 || n > PACKET_MAX) {
			packet_free(p);
			if (n < 0)
				return;
			o->st.too_long += n > PACKET_MAX;
			o->st.not_ethernet += n < 14;
			continue;
		}
		p->kind = OHCA_KIND_ETH;
		p->len = (uint32_t)n;
		if (p->len < 60) {		/* what a MAC would pad */
			memset(p->data + p->len, 0, 60 - p->len);
			p->len = 60;
		}
		o->st.in++;
		/* one after the other at the rate of the link */
		wire_send_now(o->to_fabric, p, now > wire_free_at(o->to_fabric) ? now :
			      wire_free_at(o->to_fabric));
	}
}
