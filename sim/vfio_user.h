/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * vfio-user server for one adapter: stock QEMU (vfio-user-pci) connects to a
 * unix socket and gets a PCI function.  Never blocks; driven by poll().  A
 * client that breaks the protocol is told in the log and disconnected; when a
 * client goes, the adapter is reset and all its memory is unmapped, and the
 * next one may connect.
 */
#ifndef OHCA_SIM_VFIO_USER_H
#define OHCA_SIM_VFIO_USER_H

#include "host_native.h"

#include <poll.h>

struct vfu_config {
	const char *path;		/* of the socket; an old socket there is replaced */
	const char *name;		/* for messages */
	uint16_t vendor, device;	/* PCI ids */
	uint64_t serial;
	unsigned vectors;		/* MSI-X, 1 .. 256 */
};

struct vfu_stats {
	uint64_t connections, messages, errors, protocol_errors, refused;
	uint64_t signals, latched;
};

struct vfu_server;
/* NULL after a message */
struct vfu_server *vfu_create(const struct vfu_config *cfg, struct ohca_host *host);
void vfu_destroy(struct vfu_server *s);		/* also removes the socket */
#define VFU_POLLFDS 2
/* Fills up to VFU_POLLFDS entries (unused: fd -1) and takes them back. */
void vfu_poll_prepare(struct vfu_server *s, struct pollfd *pfd);
void vfu_poll_done(struct vfu_server *s, const struct pollfd *pfd);
/* true: a message waits only for room in the adapter's queue, so do not sleep */
bool vfu_stalled(const struct vfu_server *s);
bool vfu_connected(const struct vfu_server *s);
const struct vfu_stats *vfu_get_stats(const struct vfu_server *s);

#endif
