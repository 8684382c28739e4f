/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * A vfio-user client that plays QEMU.  The server usually runs in the same
 * process: pump() is called while the client waits, and lets it run.
 */
#ifndef OHCA_TEST_VFU_CLIENT_H
#define OHCA_TEST_VFU_CLIENT_H

#include "vfio_user_proto.h"

#include <stdbool.h>
#include <stddef.h>

struct vfu_client {
	int fd;
	uint16_t next_id;
	void (*pump)(void *ctx);	/* NULL: the server is another process */
	void *ctx;
	uint32_t error;			/* of the last reply */
	int timeout_ms;
};

bool vfc_connect(struct vfu_client *c, const char *path, void (*pump)(void *), void *ctx);
void vfc_close(struct vfu_client *c);
/* raw bytes, with file descriptors */
bool vfc_send_raw(struct vfu_client *c, const void *p, size_t n, const int *fds, unsigned nfds);
bool vfc_send(struct vfu_client *c, uint16_t cmd, uint32_t flags, const void *p, uint32_t n,
	      const int *fds, unsigned nfds);
/* Length of the reply's body, or -1: no reply in time, wrong reply, or hung up. */
int vfc_reply(struct vfu_client *c, uint16_t cmd, void *buf, uint32_t max);
int vfc_call(struct vfu_client *c, uint16_t cmd, const void *p, uint32_t n, const int *fds,
	     unsigned nfds, void *buf, uint32_t max);
bool vfc_hung_up(struct vfu_client *c);	/* the server has closed the connection */

bool vfc_version(struct vfu_client *c);
bool vfc_dma_map(struct vfu_client *c, uint64_t iova, uint64_t size, unsigned flags, int fd,
		 uint64_t offset);
bool vfc_dma_unmap(struct vfu_client *c, uint64_t iova, uint64_t size);
bool vfc_read(struct vfu_client *c, uint32_t region, uint64_t off, void *buf, uint32_t n);
bool vfc_write(struct vfu_client *c, uint32_t region, uint64_t off, const void *buf, uint32_t n,
	       bool posted);
bool vfc_set_irqs(struct vfu_client *c, uint32_t index, uint32_t flags, uint32_t start,
		  uint32_t count, const int *fds, unsigned nfds);
/* What QEMU does at realise: version, memory, information, configuration, eventfds. */
bool vfc_bring_up(struct vfu_client *c, int memfd, uint64_t iova, uint64_t size,
		  const int *eventfds, unsigned vectors);

#endif
