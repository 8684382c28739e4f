/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/* The client side of vfio-user, as small as the tests need it. */
#include "vfu_client.h"
#include "ids.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

bool vfc_connect(struct vfu_client *c, const char *path, void (*pump)(void *), void *ctx)
{
	struct sockaddr_un sa = { .sun_family = AF_UNIX };

	memset(c, 0, sizeof(*c));
	c->pump = pump;
	c->ctx = ctx;
	c->timeout_ms = 3000;
	strncpy(sa.sun_path, path, sizeof(sa.sun_path) - 1);
	c->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (c->fd < 0)
		return false;
	if (!connect(c->fd, (struct sockaddr *)&sa, sizeof(sa)))
		return true;
	close(c->fd);
	c->fd = -1;
	return false;
}

void vfc_close(struct vfu_client *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
}

/* one turn of the server, or a short wait for it */
static void wait_turn(struct vfu_client *c, short events)
{
	struct pollfd p = { .fd = c->fd, .events = events };

	if (c->pump) {
		c->pump(c->ctx);
		poll(&p, 1, 0);
	} else {
		poll(&p, 1, 20);
	}
}

bool vfc_send_raw(struct vfu_client *c, const void *p, size_t n, const int *fds, unsigned nfds)
{
	union { char space[CMSG_SPACE(253 * sizeof(int))]; struct cmsghdr align; } ctl;
	long end = now_ms() + c->timeout_ms;

	while (n) {
		struct iovec iov = { .iov_base = (void *)p, .iov_len = n };
		struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1 };
		ssize_t got;

		if (nfds) {
			struct cmsghdr *h;

			memset(&ctl, 0, sizeof(ctl));
			m.msg_control = ctl.space;
			m.msg_controllen = CMSG_SPACE(nfds * sizeof(int));
			h = CMSG_FIRSTHDR(&m);
			h->cmsg_level = SOL_SOCKET;
			h->cmsg_type = SCM_RIGHTS;
			h->cmsg_len = CMSG_LEN(nfds * sizeof(int));
			memcpy(CMSG_DATA(h), fds, nfds * sizeof(int));
		}
		got = sendmsg(c->fd, &m, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (got < 0 && errno != EAGAIN && errno != EINTR)
			return false;
		if (got > 0) {
			p = (const char *)p + got;
			n -= (size_t)got;
			nfds = 0;
		} else {
			if (now_ms() > end)
				return false;
			wait_turn(c, POLLOUT);
		}
	}
	return true;
}

bool vfc_send(struct vfu_client *c, uint16_t cmd, uint32_t flags, const void *p, uint32_t n,
	      const int *fds, unsigned nfds)
{
	uint8_t msg[VFU_MAX_MSG];
	struct vfu_hdr h = { .id = c->next_id++, .cmd = cmd, .flags = flags };

	h.size = (uint32_t)sizeof(h) + n;
	if (h.size > sizeof(msg))
		return false;
	memcpy(msg, &h, sizeof(h));
	if (n)
		memcpy(msg + sizeof(h), p, n);
	return vfc_send_raw(c, msg, h.size, fds, nfds);
}

static bool get(struct vfu_client *c, void *p, size_t n, long end)
{
	while (n) {
		ssize_t got = recv(c->fd, p, n, MSG_DONTWAIT);

		if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
			return false;
		if (got > 0) {
			p = (char *)p + got;
			n -= (size_t)got;
		} else {
			if (now_ms() > end)
				return false;
			wait_turn(c, POLLIN);
		}
	}
	return true;
}

int vfc_reply(struct vfu_client *c, uint16_t cmd, void *buf, uint32_t max)
{
	long end = now_ms() + c->timeout_ms;
	uint8_t body[VFU_MAX_MSG];
	struct vfu_hdr h;
	uint32_t n;

	if (!get(c, &h, sizeof(h), end) || (h.flags & VFU_TYPE) != VFU_REPLY || h.cmd != cmd ||
	    h.size < sizeof(h) || h.size > sizeof(body))
		return -1;
	n = h.size - (uint32_t)sizeof(h);
	if (!get(c, body, n, end))
		return -1;
	c->error = h.flags & VFU_ERROR ? h.error : 0;
	if (n > max)
		return -1;
	memcpy(buf, body, n);
	return (int)n;
}

int vfc_call(struct vfu_client *c, uint16_t cmd, const void *p, uint32_t n, const int *fds,
	     unsigned nfds, void *buf, uint32_t max)
{
	uint8_t none[64];

	if (!vfc_send(c, cmd, 0, p, n, fds, nfds))
		return -1;
	return vfc_reply(c, cmd, buf ? buf : none, buf ? max : sizeof(none));
}

bool vfc_hung_up(struct vfu_client *c)
{
	long end = now_ms() + c->timeout_ms;
	uint8_t b[256];

	for (;;) {
		ssize_t got = recv(c->fd, b, sizeof(b), MSG_DONTWAIT);

		if (got == 0 || (got < 0 && errno == ECONNRESET))
			return true;
		if (got < 0 && now_ms() > end)
			return false;
		if (got < 0)
			wait_turn(c, POLLIN);
	}
}

bool vfc_version(struct vfu_client *c)
{
	static const char json[] = "{\"capabilities\":{\"max_msg_fds\":8,\"max_data_xfer_size\":1048576,"
		"\"pgsizes\":4096,\"max_dma_maps\":65535,\"write_multiple\":true}}";
	uint8_t q[4 + sizeof(json)] = { 0 }, r[sizeof(q)];
	int n;

	memcpy(q + 4, json, sizeof(json));
	n = vfc_call(c, VFU_VERSION, q, sizeof(q), NULL, 0, r, sizeof(r));
	return n > 4 && !c->error && !r[0] && !r[1] && !r[2] && !r[3] && !r[n - 1] && r[4] == '{';
}

bool vfc_dma_map(struct vfu_client *c, uint64_t iova, uint64_t size, unsigned flags, int fd,
		 uint64_t offset)
{
	struct vfu_dma_map q = { sizeof(q), flags, offset, iova, size };

	return vfc_call(c, VFU_DMA_MAP, &q, sizeof(q), &fd, fd >= 0, NULL, 0) == 0 && !c->error;
}

bool vfc_dma_unmap(struct vfu_client *c, uint64_t iova, uint64_t size)
{
	struct vfu_dma_unmap q = { sizeof(q), 0, iova, size };

	return vfc_call(c, VFU_DMA_UNMAP, &q, sizeof(q), NULL, 0, NULL, 0) == sizeof(q) && !c->error;
}

bool vfc_read(struct vfu_client *c, uint32_t region, uint64_t off, void *buf, uint32_t n)
{
	struct vfu_region_rw q = { off, region, n };
	uint8_t r[sizeof(q) + VFU_MAX_DATA];

	if (vfc_call(c, VFU_REGION_READ, &q, sizeof(q), NULL, 0, r, sizeof(r)) != (int)(sizeof(q) + n) ||
	    c->error || memcmp(r, &q, sizeof(q)))
		return false;
	memcpy(buf, r + sizeof(q), n);
	return true;
}

bool vfc_write(struct vfu_client *c, uint32_t region, uint64_t off, const void *buf, uint32_t n,
	       bool posted)
{
	struct vfu_region_rw q = { off, region, n };
	uint8_t m[sizeof(q) + VFU_MAX_DATA];

	if (n > VFU_MAX_DATA)
		return false;
	memcpy(m, &q, sizeof(q));
	memcpy(m + sizeof(q), buf, n);
	if (posted)
		return vfc_send(c, VFU_REGION_WRITE, VFU_NO_REPLY, m, (uint32_t)sizeof(q) + n, NULL, 0);
	return vfc_call(c, VFU_REGION_WRITE, m, (uint32_t)sizeof(q) + n, NULL, 0, NULL, 0) ==
	       sizeof(q) && !c->error;
}

bool vfc_set_irqs(struct vfu_client *c, uint32_t index, uint32_t flags, uint32_t start,
		  uint32_t count, const int *fds, unsigned nfds)
{
	struct vfu_irq_set q = { sizeof(q), flags, index, start, count };

	return vfc_call(c, VFU_SET_IRQS, &q, sizeof(q), fds, nfds, NULL, 0) == 0 && !c->error;
}

bool vfc_bring_up(struct vfu_client *c, int memfd, uint64_t iova, uint64_t size,
		  const int *eventfds, unsigned vectors)
{
	uint8_t cfg[4096];
	struct vfu_device_info di = { .argsz = sizeof(di) };
	uint16_t command = 6;

	if (!vfc_version(c) || !vfc_dma_map(c, iova, size, 3, memfd, 0) ||
	    vfc_call(c, VFU_GET_INFO, &di, sizeof(di), NULL, 0, &di, sizeof(di)) != sizeof(di) ||
	    di.regions != VFU_REGIONS || di.irqs != VFU_IRQS || di.flags != 3)
		return false;
	for (uint32_t i = 0; i < VFU_REGIONS; i++) {
		struct vfu_region_info ri = { .argsz = sizeof(ri), .index = i };

		if (vfc_call(c, VFU_GET_REGION_INFO, &ri, sizeof(ri), NULL, 0, &ri, sizeof(ri)) !=
		    sizeof(ri) || c->error)
			return false;
		if (i == 0 && (ri.size != OHCA_BAR0_SIZE || ri.flags != 3))
			return false;
	}
	for (uint32_t i = 0; i < VFU_IRQS; i++) {
		struct vfu_irq_info ii = { .argsz = sizeof(ii), .index = i };

		if (vfc_call(c, VFU_GET_IRQ_INFO, &ii, sizeof(ii), NULL, 0, &ii, sizeof(ii)) !=
		    sizeof(ii) || c->error || (i == VFU_IRQ_MSIX && ii.count < vectors))
			return false;
	}
	return vfc_read(c, VFU_CONFIG_REGION, 0, cfg, sizeof(cfg)) &&
	       vfc_write(c, VFU_CONFIG_REGION, 4, &command, 2, false) &&
	       vfc_set_irqs(c, VFU_IRQ_MSIX, VFU_SET_EVENTFD | VFU_SET_TRIGGER, 0, vectors, eventfds,
			    vectors);
}
