/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * Frames between the fabric and a unix datagram socket, a network interface or a TAP device. Only a receiver that is there and full is waited for,
 * and not for long.
 */
#include "uplink.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define BURST 64			/* frames taken at a time */
#define FULL_US 50			/* between two tries of a frame whose receiver is full */
#define FULL_TRIES 400			/* 20 ms: longer than a processor is taken away from a peer that runs */

static int open_unix(struct uplink *o, const char *spec)
{
	struct sockaddr_un sa = { .sun_family = AF_UNIX };
	const char *colon = strchr(spec, ':');
	struct stat st;
	int fd;

	if (!colon || colon == spec || !colon[1] || (size_t)(colon - spec) >= sizeof(o->local) ||
	    strlen(colon + 1) >= sizeof(o->remote)) {
		log_err("uplink '%s': wanted are LOCAL:REMOTE, two socket paths, or packet:INTERFACE, or tap:INTERFACE", spec);
		return -1;
	}
	memcpy(o->local, spec, (size_t)(colon - spec));
	strcpy(o->remote, colon + 1);
	strcpy(sa.sun_path, o->local);
	if (!lstat(o->local, &st) && S_ISSOCK(st.st_mode))
		unlink(o->local);
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&sa, sizeof(sa))) {
		log_err("cannot bind %s: %s", o->local, strerror(errno));
		if (fd >= 0)
			close(fd);
		return -1;
	}
	return fd;
}

/* Everything on the interface, also what is for other stations; not what the port itself sent. */
static int open_packet(const char *name)
{
	struct sockaddr_ll sa = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL), .sll_ifindex = (int)if_nametoindex(name) };
	struct packet_mreq mr = { .mr_ifindex = sa.sll_ifindex, .mr_type = PACKET_MR_PROMISC };
	int one = 1, fd;

	if (!sa.sll_ifindex) {
		log_err("no interface %s", name);
		return -1;
	}
	/* Bound before it hears anything: protocol 0 until then. */
	fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0 || setsockopt(fd, SOL_PACKET, PACKET_AUXDATA, &one, sizeof(one)) ||
	    setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &one, sizeof(one)) || bind(fd, (struct sockaddr *)&sa, sizeof(sa)) ||
	    setsockopt(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &mr, sizeof(mr))) {
		log_err("interface %s: %s%s", name, strerror(errno), errno == EPERM ? " (CAP_NET_RAW is needed)" : "");
		if (fd >= 0)
			close(fd);
		return -1;
	}
	return fd;
}

static int open_tap(const char *name)
{
	struct ifreq r = { .ifr_flags = IFF_TAP | IFF_NO_PI };
	int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);

	snprintf(r.ifr_name, IFNAMSIZ, "%s", name);
	if (fd < 0 || ioctl(fd, TUNSETIFF, &r)) {
		log_err("TAP device %s: %s", name, strerror(errno));
		if (fd >= 0)
			close(fd);
		return -1;
	}
	return fd;
}

struct uplink *uplink_open(const char *spec)
{
	struct uplink *o = xcalloc(1, sizeof(*o));
	const char *name = strchr(spec, ':');
	bool device = !strncmp(spec, "packet:", 7) || !strncmp(spec, "tap:", 4);

	if (device && (!name[1] || strlen(name + 1) >= IFNAMSIZ)) {
		log_err("uplink '%s': not the name of an interface", spec);
		o->fd = -1;
	} else if (device) {
		o->kind = *spec == 'p' ? UPLINK_PACKET : UPLINK_TAP;
		o->fd = *spec == 'p' ? open_packet(name + 1) : open_tap(name + 1);
	} else {
		o->fd = open_unix(o, spec);
	}
	if (o->fd < 0) {
		free(o);
		return NULL;
	}
	return o;
}

void uplink_close(struct uplink *o)
{
	if (!o)
		return;
	close(o->fd);
	if (o->kind == UPLINK_UNIX)
		unlink(o->local);
	free(o);
}

static ssize_t give(struct uplink *o, const struct packet *p)
{
	struct sockaddr_un sa = { .sun_family = AF_UNIX };

	if (o->kind != UPLINK_UNIX)
		return write(o->fd, p->data, p->len);
	strcpy(sa.sun_path, o->remote);
	return sendto(o->fd, p->data, p->len, MSG_NOSIGNAL, (struct sockaddr *)&sa, sizeof(sa));
}

/*
 * The adapter's clock is not the peer's, so a peer that does not keep up is no fault of its own: device time stands still until it has room, as pauses would have
 * it. One that takes nothing for as long as that is waited for again when it has taken something.
 */
void uplink_send(void *ctx, struct packet *p)
{
	struct uplink *o = ctx;
	ssize_t n;

	if (p->kind != OHCA_KIND_ETH || p->error) {
		o->st.not_ethernet++;
	} else {
		n = give(o, p);
		for (unsigned i = 0; n < 0 && (errno == EAGAIN || errno == ENOBUFS) && !o->stuck; i++) {
			o->st.waits += !i;
			o->stuck = i == FULL_TRIES;
			usleep(FULL_US);
			n = give(o, p);
		}
		if (n < 0) {
			o->st.no_peer++;	/* not there yet, down, or stuck: lost, as on a cable */
		} else {
			o->st.out++;
			o->stuck = false;
		}
	}
	packet_free(p);
}

/* The next frame that waits; its length, more than PACKET_MAX if it was cut, -1: none. */
static ssize_t take(struct uplink *o, uint8_t *data)
{
	union { struct cmsghdr align; char space[CMSG_SPACE(sizeof(struct tpacket_auxdata))]; } aux;
	struct iovec v = { data, PACKET_MAX };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = &aux, .msg_controllen = sizeof(aux) };
	ssize_t n;

	if (o->kind == UPLINK_UNIX)
		return recv(o->fd, data, PACKET_MAX, MSG_TRUNC);
	if (o->kind == UPLINK_TAP)
		return read(o->fd, data, PACKET_MAX);
	n = recvmsg(o->fd, &m, MSG_TRUNC);
	for (struct cmsghdr *c = n < 0 ? NULL : CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c)) {
		struct tpacket_auxdata a;

		if (c->cmsg_level != SOL_PACKET || c->cmsg_type != PACKET_AUXDATA)
			continue;
		memcpy(&a, CMSG_DATA(c), sizeof(a));
		/* The kernel has taken the VLAN tag out of the frame. */
		if (a.tp_status & TP_STATUS_VLAN_VALID && n >= 12 && n + 4 <= PACKET_MAX) {
			uint16_t tag[2] = { htons(a.tp_status & TP_STATUS_VLAN_TPID_VALID ? a.tp_vlan_tpid : ETH_P_8021Q), htons(a.tp_vlan_tci) };

			memmove(data + 16, data + 12, (size_t)n - 12);
			memcpy(data + 12, tag, 4);
			n += 4;
		}
	}
	return n;
}

void uplink_receive(struct uplink *o, uint64_t now)
{
	for (unsigned i = 0; i < BURST; i++) {
		struct packet *p = packet_new();
		ssize_t n = take(o, p->data);

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
