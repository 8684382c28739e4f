/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * The server side of vfio-user.  A message is read in two steps, header and
 * body, so that file descriptors belong to exactly one message.  Every length
 * is checked against the message before its contents are looked at.
 */
#include "vfio_user.h"
#include "ids.h"
#include "pci_config.h"
#include "vfio_user_proto.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define READS 64			/* register reads of the guest in flight */
#define OUT_LIMIT (1u << 20)		/* replies the client has not fetched */
#define BURST 512			/* messages per turn */

struct pending_read {
	struct vfu_server *s;
	bool busy, silent;	/* silent: no answer is wanted */
	uint16_t id, cmd;
	struct vfu_region_rw rw;
};

struct vfu_server {
	struct vfu_config cfg;
	struct ohca_host *host;
	struct pci_config pci;
	struct vfu_stats st;
	int listen_fd, fd;
	bool greeted, stalled;

	struct vfu_hdr hdr;
	unsigned hdr_have;
	uint8_t *body;
	uint32_t body_have;
	int fds[VFU_MAX_FDS];
	unsigned nfds;

	uint8_t *out;
	uint32_t out_len, out_sent;

	int irq_fd[OHCA_MAX_VECTORS];
	bool irq_pending[OHCA_MAX_VECTORS];
	struct pending_read read[READS];
};

static void close_client(struct vfu_server *s);

/* The client broke the protocol: say how, and hang up. */
static void hang_up(struct vfu_server *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static void hang_up(struct vfu_server *s, const char *fmt, ...)
{
	char why[160];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	s->st.protocol_errors++;
	log_err("%s: vfio-user client disconnected: %s", s->cfg.name, why);
	close_client(s);
}

/* ---- sending ------------------------------------------------------------ */

static void flush_out(struct vfu_server *s)
{
	while (s->fd >= 0 && s->out_sent < s->out_len) {
		ssize_t n = send(s->fd, s->out + s->out_sent, s->out_len - s->out_sent,
				 MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return;
		if (n < 0) {
			log_info("%s: vfio-user client went away: %s", s->cfg.name, strerror(errno));
			close_client(s);
			return;
		}
		s->out_sent += (uint32_t)n;
	}
	s->out_len = s->out_sent = 0;
}

static void send_reply(struct vfu_server *s, uint16_t id, uint16_t cmd, uint32_t error,
		       const void *a, uint32_t alen, const void *b, uint32_t blen)
{
	struct vfu_hdr h = {
		.id = id, .cmd = cmd, .size = (uint32_t)sizeof(h) + alen + blen,
		.flags = VFU_REPLY | (error ? VFU_ERROR : 0), .error = error,
	};

	if (s->fd < 0)
		return;
	/* What is sent is not waiting any more, however long something behind it does. */
	if (s->out_sent && s->out_len + h.size > OUT_LIMIT) {
		memmove(s->out, s->out + s->out_sent, s->out_len - s->out_sent);
		s->out_len -= s->out_sent;
		s->out_sent = 0;
	}
	if (s->out_len + h.size > OUT_LIMIT) {
		hang_up(s, "it does not fetch its replies");
		return;
	}
	s->out = xrealloc(s->out, s->out_len + h.size);
	memcpy(s->out + s->out_len, &h, sizeof(h));
	if (alen)
		memcpy(s->out + s->out_len + sizeof(h), a, alen);
	if (blen)
		memcpy(s->out + s->out_len + sizeof(h) + alen, b, blen);
	s->out_len += h.size;
	flush_out(s);
}

static void reply(struct vfu_server *s, const void *data, uint32_t len)
{
	if (!(s->hdr.flags & VFU_NO_REPLY))
		send_reply(s, s->hdr.id, s->hdr.cmd, 0, data, len, NULL, 0);
}

/* A request that is well formed but cannot be granted. */
static void refuse(struct vfu_server *s, int error, const char *what)
{
	s->st.errors++;
	log_warn("%s: vfio-user request %u refused: %s (%s)", s->cfg.name, s->hdr.cmd, what,
		 strerror(error));
	if (!(s->hdr.flags & VFU_NO_REPLY))
		send_reply(s, s->hdr.id, s->hdr.cmd, (uint32_t)error, NULL, 0, NULL, 0);
}

/* ---- interrupts ----------------------------------------------------------- */

static void signal_vector(struct vfu_server *s, unsigned v)
{
	struct pollfd p = { .fd = s->irq_fd[v], .events = POLLOUT };
	uint64_t one = 1;

	if (s->irq_fd[v] < 0) {
		s->irq_pending[v] = true;
		s->st.latched++;
		return;
	}
	s->irq_pending[v] = false;
	s->st.signals++;
	/*
	 * A full counter has signalled already. That the descriptor is non-blocking is a property which it shares with the client's, so that alone
	 * would let a client stop the simulator; between the look and the write it still can, by a race that it would have to win.
	 */
	if (poll(&p, 1, 0) == 0)
		return;
	if (write(s->irq_fd[v], &one, sizeof(one)) < 0 && errno != EAGAIN)
		log_warn("%s: interrupt %u: %s", s->cfg.name, v, strerror(errno));
}

static void on_irq(void *ctx, unsigned vector)
{
	struct vfu_server *s = ctx;

	if (vector < s->cfg.vectors)
		signal_vector(s, vector);
}

static void irq_take_away(struct vfu_server *s, unsigned start, unsigned count)
{
	for (unsigned v = start; v < start + count; v++) {
		if (s->irq_fd[v] >= 0)
			close(s->irq_fd[v]);
		s->irq_fd[v] = -1;
	}
}

static bool is_eventfd(int fd)
{
	char link[64], target[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, target, sizeof(target) - 1);
	if (n < 0)
		return true;		/* no /proc: believe it */
	target[n] = 0;
	return strstr(target, "[eventfd]") != NULL;
}

static void do_set_irqs(struct vfu_server *s, uint32_t len)
{
	struct vfu_irq_set q;
	uint32_t data, action, max;

	if (len < sizeof(q)) {
		hang_up(s, "SET_IRQS of %u bytes", len);
		return;
	}
	memcpy(&q, s->body, sizeof(q));
	data = q.flags & 7;
	action = q.flags & ~7u;
	max = q.index == VFU_IRQ_MSIX ? s->cfg.vectors : q.index == VFU_IRQ_ERR ? 1 : 0;
	if (q.index >= VFU_IRQS) {
		refuse(s, EINVAL, "interrupt index");
		return;
	}
	if (q.start > max || q.count > max - q.start) {
		refuse(s, EINVAL, "interrupt range");
		return;
	}
	if (__builtin_popcount(data) != 1 || __builtin_popcount(action) != 1 ||
	    action > VFU_SET_TRIGGER) {
		refuse(s, EINVAL, "interrupt flags");
		return;
	}
	if (data == VFU_SET_BOOL && len - sizeof(q) < q.count) {
		hang_up(s, "SET_IRQS lacks its flags");
		return;
	}
	if (data == VFU_SET_EVENTFD && s->nfds && s->nfds != q.count) {
		refuse(s, EINVAL, "number of eventfds");
		return;
	}
	if (action != VFU_SET_TRIGGER || q.index != VFU_IRQ_MSIX) {
		reply(s, NULL, 0);	/* masks are QEMU's; the error interrupt never fires */
		return;
	}
	if (data == VFU_SET_EVENTFD) {
		for (unsigned i = 0; i < s->nfds; i++)
			if (!is_eventfd(s->fds[i])) {
				refuse(s, EINVAL, "not an eventfd");
				return;
			}
		irq_take_away(s, q.start, q.count);
		for (unsigned i = 0; i < s->nfds; i++) {
			unsigned v = q.start + i;
			int fl = fcntl(s->fds[i], F_GETFL);

			if (fl >= 0)
				fcntl(s->fds[i], F_SETFL, fl | O_NONBLOCK);
			s->irq_fd[v] = s->fds[i];
			s->fds[i] = -1;
			if (s->irq_pending[v])
				signal_vector(s, v);
		}
	} else if (data == VFU_SET_NONE && !q.count) {
		irq_take_away(s, 0, s->cfg.vectors);
	} else {
		for (unsigned i = 0; i < q.count; i++)
			if (data == VFU_SET_NONE || s->body[sizeof(q) + i])
				signal_vector(s, q.start + i);
	}
	reply(s, NULL, 0);
}

/* ---- regions --------------------------------------------------------------- */

static uint64_t region_size(unsigned index)
{
	switch (index) {
	case 0: return OHCA_BAR0_SIZE;
	case 2: return OHCA_BAR2_SIZE;
	case VFU_CONFIG_REGION: return PCI_CONFIG_SIZE;
	default: return 0;
	}
}

static void function_reset(struct vfu_server *s, const char *why)
{
	struct pci_config_ids ids = s->pci.ids;

	log_info("%s: function reset (%s)", s->cfg.name, why);
	pci_config_init(&s->pci, &ids);
	s->host->axi.bus_master = false;
	memset(s->irq_pending, 0, sizeof(s->irq_pending));
	host_reset(s->host);
}

static void read_done(void *ctx, const uint8_t *data, unsigned len, bool ok)
{
	struct pending_read *r = ctx;

	(void)ok;			/* a failed read gives all ones, as on PCI */
	r->busy = false;
	if (!r->silent)
		send_reply(r->s, r->id, r->cmd, 0, &r->rw, sizeof(r->rw), data, len);
}

/* false: no room now, try the same message again later */
static bool do_region_read(struct vfu_server *s, uint32_t len)
{
	struct pending_read *r = NULL;
	struct vfu_region_rw q;
	uint8_t zero[VFU_MAX_DATA];

	if (len != sizeof(q)) {
		hang_up(s, "REGION_READ of %u bytes", len);
		return true;
	}
	memcpy(&q, s->body, sizeof(q));
	if (!q.count || q.count > VFU_MAX_DATA || q.region >= VFU_REGIONS ||
	    q.offset >= region_size(q.region) || q.count > region_size(q.region) - q.offset) {
		refuse(s, EINVAL, "region range");
		return true;
	}
	if (q.region == VFU_CONFIG_REGION) {
		if (!(s->hdr.flags & VFU_NO_REPLY))
			send_reply(s, s->hdr.id, s->hdr.cmd, 0, &q, sizeof(q),
				   s->pci.reg + q.offset, q.count);
		return true;
	}
	if (q.region == 2) {		/* the table is QEMU's; pending bits are ours */
		memset(zero, 0, q.count);
		for (unsigned i = 0; i < q.count; i++) {
			uint64_t a = q.offset + i;

			for (unsigned b = 0; a >= OHCA_MSIX_PBA_OFFSET && b < 8; b++) {
				uint64_t v = (a - OHCA_MSIX_PBA_OFFSET) * 8 + b;

				if (v < s->cfg.vectors && s->irq_pending[v])
					zero[i] |= (uint8_t)(1u << b);
			}
		}
		if (!(s->hdr.flags & VFU_NO_REPLY))
			send_reply(s, s->hdr.id, s->hdr.cmd, 0, &q, sizeof(q), zero, q.count);
		return true;
	}
	if (q.count > 64) {
		refuse(s, EINVAL, "register read of more than 64 bytes");
		return true;
	}
	for (unsigned i = 0; i < READS && !r; i++)
		if (!s->read[i].busy)
			r = &s->read[i];
	if (!r || mmio_room(&s->host->axi) < 16)
		return false;
	r->s = s;
	r->busy = true;
	r->silent = s->hdr.flags & VFU_NO_REPLY;
	r->id = s->hdr.id;
	r->cmd = s->hdr.cmd;
	r->rw = q;
	return host_mmio_read(s->host, (uint32_t)q.offset, q.count, read_done, r);
}

static bool do_region_write(struct vfu_server *s, uint32_t len)
{
	struct vfu_region_rw q;
	const uint8_t *data = s->body + sizeof(q);

	if (len < sizeof(q)) {
		hang_up(s, "REGION_WRITE of %u bytes", len);
		return true;
	}
	memcpy(&q, s->body, sizeof(q));
	if (len - sizeof(q) != q.count) {
		hang_up(s, "REGION_WRITE says %u bytes and carries %zu", q.count, len - sizeof(q));
		return true;
	}
	if (!q.count || q.count > VFU_MAX_DATA || q.region >= VFU_REGIONS ||
	    q.offset >= region_size(q.region) || q.count > region_size(q.region) - q.offset) {
		refuse(s, EINVAL, "region range");
		return true;
	}
	if (q.region == 0) {
		if (mmio_room(&s->host->axi) < q.count / 8 + 2)
			return false;
		host_mmio_write(s->host, (uint32_t)q.offset, data, q.count);
	} else if (q.region == VFU_CONFIG_REGION) {
		unsigned did = pci_config_write(&s->pci, (unsigned)q.offset, data, q.count);

		if (did & PCI_CONFIG_FLR)
			function_reset(s, "FLR");
		if (did & PCI_CONFIG_COMMAND)
			s->host->axi.bus_master = pci_config_bus_master(&s->pci);
	}
	reply(s, &q, sizeof(q));
	return true;
}

/* ---- the other requests ------------------------------------------------------ */

static void do_version(struct vfu_server *s, uint32_t len)
{
	static const char *const json[] = {
		"{\"capabilities\":{\"max_msg_fds\":8,\"max_data_xfer_size\":4096}}", "{}",
	};
	struct vfu_version v;
	uint8_t out[4 + 96];
	uint32_t n = sizeof(v);

	if (len < sizeof(v) || (len > sizeof(v) && s->body[len - 1])) {
		hang_up(s, "VERSION of %u bytes, or without its final NUL", len);
		return;
	}
	memcpy(&v, s->body, sizeof(v));
	if (v.major) {
		refuse(s, EINVAL, "protocol version");
		if (s->fd >= 0)
			hang_up(s, "protocol %u.%u; this server speaks 0.0", v.major, v.minor);
		return;
	}
	v.major = v.minor = 0;
	memcpy(out, &v, sizeof(v));
	for (unsigned i = 0; i < ARRAY_SIZE(json); i++) {
		uint32_t jn = (uint32_t)strlen(json[i]) + 1;

		if (sizeof(v) + jn > len)
			continue;
		memcpy(out + sizeof(v), json[i], jn);
		n += jn;
		break;
	}
	s->greeted = true;
	reply(s, out, n);
}

static void do_dma_map(struct vfu_server *s, uint32_t len)
{
	struct vfu_dma_map q;
	unsigned prot;
	int err;

	if (len != sizeof(q)) {
		hang_up(s, "DMA_MAP of %u bytes", len);
		return;
	}
	memcpy(&q, s->body, sizeof(q));
	prot = (q.flags & 1 ? DMA_READ : 0) | (q.flags & 2 ? DMA_WRITE : 0);
	if (q.argsz < sizeof(q) || q.flags & ~3u) {
		refuse(s, EINVAL, "DMA_MAP flags");
		return;
	}
	if (s->nfds > 1) {
		refuse(s, EINVAL, "DMA_MAP with several files");
		return;
	}
	if (s->nfds) {
		err = dma_map_add_fd(&s->host->axi.dma, q.iova, q.size, prot, s->fds[0], q.offset);
	} else {
		struct dma_region r = { .iova = q.iova, .size = q.size, .prot = prot };

		err = dma_map_add(&s->host->axi.dma, &r);
	}
	if (err) {
		refuse(s, -err, "DMA_MAP");
		return;
	}
	reply(s, NULL, 0);
}

static void do_dma_unmap(struct vfu_server *s, uint32_t len)
{
	struct vfu_dma_unmap q;
	int err;

	if (len < sizeof(q)) {
		hang_up(s, "DMA_UNMAP of %u bytes", len);
		return;
	}
	memcpy(&q, s->body, sizeof(q));
	if (q.flags & ~VFU_UNMAP_ALL) {
		refuse(s, EINVAL, "DMA_UNMAP flags");
		return;
	}
	if (q.flags & VFU_UNMAP_ALL) {
		dma_map_clear(&s->host->axi.dma);
		err = 0;
	} else {
		err = dma_map_remove(&s->host->axi.dma, q.iova, q.size);
	}
	if (err) {
		refuse(s, -err, "DMA_UNMAP");
		return;
	}
	reply(s, &q, sizeof(q));
}

static void do_info(struct vfu_server *s, uint32_t len)
{
	struct vfu_device_info q;

	if (len < sizeof(q)) {
		hang_up(s, "GET_INFO of %u bytes", len);
		return;
	}
	q.argsz = sizeof(q);
	q.flags = 3;			/* can be reset, is a PCI device */
	q.regions = VFU_REGIONS;
	q.irqs = VFU_IRQS;
	reply(s, &q, sizeof(q));
}

static void do_region_info(struct vfu_server *s, uint32_t len)
{
	struct vfu_region_info q;

	if (len < sizeof(q)) {
		hang_up(s, "GET_REGION_INFO of %u bytes", len);
		return;
	}
	memcpy(&q, s->body, sizeof(q));
	if (q.index >= VFU_REGIONS) {
		refuse(s, EINVAL, "region index");
		return;
	}
	q.argsz = sizeof(q);
	q.cap_offset = 0;
	q.offset = 0;
	q.size = region_size(q.index);
	q.flags = q.size ? 3 : 0;	/* read, write; never mmap */
	reply(s, &q, sizeof(q));
}

static void do_irq_info(struct vfu_server *s, uint32_t len)
{
	struct vfu_irq_info q;

	if (len < sizeof(q)) {
		hang_up(s, "GET_IRQ_INFO of %u bytes", len);
		return;
	}
	memcpy(&q, s->body, sizeof(q));
	if (q.index >= VFU_IRQS) {
		refuse(s, EINVAL, "interrupt index");
		return;
	}
	q.argsz = sizeof(q);
	q.count = q.index == VFU_IRQ_MSIX ? s->cfg.vectors : q.index == VFU_IRQ_ERR ? 1 : 0;
	q.flags = q.count ? VFU_IRQ_F_EVENTFD : 0;
	reply(s, &q, sizeof(q));
}

static bool handle(struct vfu_server *s)
{
	uint32_t len = s->hdr.size - (uint32_t)sizeof(s->hdr);

	if (!s->greeted && s->hdr.cmd != VFU_VERSION) {
		hang_up(s, "request %u before VERSION", s->hdr.cmd);
		return true;
	}
	switch (s->hdr.cmd) {
	case VFU_VERSION: do_version(s, len); break;
	case VFU_DMA_MAP: do_dma_map(s, len); break;
	case VFU_DMA_UNMAP: do_dma_unmap(s, len); break;
	case VFU_GET_INFO: do_info(s, len); break;
	case VFU_GET_REGION_INFO: do_region_info(s, len); break;
	case VFU_GET_IRQ_INFO: do_irq_info(s, len); break;
	case VFU_SET_IRQS: do_set_irqs(s, len); break;
	case VFU_REGION_READ: return do_region_read(s, len);
	case VFU_REGION_WRITE: return do_region_write(s, len);
	case VFU_DEVICE_RESET:
		function_reset(s, "DEVICE_RESET");
		reply(s, NULL, 0);
		break;
	default:
		refuse(s, ENOTSUP, "unknown request");
		break;
	}
	return true;
}

/* ---- receiving ----------------------------------------------------------------- */

static void drop_fds(struct vfu_server *s)
{
	for (unsigned i = 0; i < s->nfds; i++)
		if (s->fds[i] >= 0)
			close(s->fds[i]);
	s->nfds = 0;
}

/* > 0: bytes; 0: nothing now; < 0: the connection is gone */
static int receive(struct vfu_server *s, void *buf, size_t want)
{
	union { char space[CMSG_SPACE(VFU_MAX_FDS * sizeof(int))]; struct cmsghdr align; } ctl;
	struct iovec iov = { .iov_base = buf, .iov_len = want };
	struct msghdr m = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = ctl.space,
		.msg_controllen = sizeof(ctl.space),
	};
	bool too_many = false;
	ssize_t n;

	do {
		n = recvmsg(s->fd, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
		return 0;
	if (n < 0) {
		log_info("%s: vfio-user client went away: %s", s->cfg.name, strerror(errno));
		close_client(s);
		return -1;
	}
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c)) {
		size_t bytes = c->cmsg_len - CMSG_LEN(0);

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t i = 0; i < bytes / sizeof(int); i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
			if (s->nfds < VFU_MAX_FDS) {
				s->fds[s->nfds++] = fd;
			} else {
				close(fd);
				too_many = true;
			}
		}
	}
	if (n == 0) {
		log_info("%s: vfio-user client disconnected", s->cfg.name);
		close_client(s);
		return -1;
	}
	if (too_many || m.msg_flags & MSG_CTRUNC) {
		hang_up(s, "more than %d file descriptors in a message", VFU_MAX_FDS);
		return -1;
	}
	return (int)n;
}

static void receive_messages(struct vfu_server *s)
{
	s->stalled = false;
	for (unsigned n = 0; n < BURST && s->fd >= 0; n++) {
		uint32_t len;
		int got;

		while (s->hdr_have < sizeof(s->hdr)) {
			got = receive(s, (uint8_t *)&s->hdr + s->hdr_have, sizeof(s->hdr) - s->hdr_have);
			if (got <= 0)
				return;
			s->hdr_have += (unsigned)got;
			if (s->hdr_have < sizeof(s->hdr))
				continue;
			if (s->hdr.size < sizeof(s->hdr) || s->hdr.size > VFU_MAX_MSG) {
				hang_up(s, "message size %u", s->hdr.size);
				return;
			}
			if (s->hdr.flags & VFU_TYPE) {
				hang_up(s, "message type %u where a request was due",
					s->hdr.flags & VFU_TYPE);
				return;
			}
		}
		len = s->hdr.size - (uint32_t)sizeof(s->hdr);
		while (s->body_have < len) {
			got = receive(s, s->body + s->body_have, len - s->body_have);
			if (got <= 0)
				return;
			s->body_have += (uint32_t)got;
		}
		if (!handle(s)) {
			s->stalled = true;	/* the whole message stays for later */
			return;
		}
		if (s->fd < 0)
			return;
		s->st.messages++;
		drop_fds(s);
		s->hdr_have = 0;
		s->body_have = 0;
	}
}

/* ---- connections ------------------------------------------------------------------ */

static void close_client(struct vfu_server *s)
{
	if (s->fd < 0)
		return;
	close(s->fd);
	s->fd = -1;
	for (unsigned i = 0; i < READS; i++) {
		if (s->read[i].busy)
			host_mmio_forget(s->host, &s->read[i]);
		s->read[i].busy = false;
	}
	drop_fds(s);
	s->hdr_have = s->body_have = 0;
	s->out_len = s->out_sent = 0;
	s->greeted = s->stalled = false;
	function_reset(s, "no client");
	irq_take_away(s, 0, OHCA_MAX_VECTORS);
	dma_map_clear(&s->host->axi.dma);
}

static void accept_client(struct vfu_server *s)
{
	int fd = accept4(s->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (fd < 0)
		return;
	if (s->fd >= 0) {
		s->st.refused++;
		log_warn("%s: a second vfio-user client was turned away", s->cfg.name);
		close(fd);
		return;
	}
	s->fd = fd;
	s->st.connections++;
	log_info("%s: vfio-user client connected", s->cfg.name);
}

struct vfu_server *vfu_create(const struct vfu_config *cfg, struct ohca_host *host)
{
	struct sockaddr_un sa = { .sun_family = AF_UNIX };
	struct pci_config_ids ids = {
		.vendor = cfg->vendor, .device = cfg->device, .serial = cfg->serial,
		.vectors = cfg->vectors,
	};
	struct vfu_server *s;
	struct stat st;
	int fd;

	if (!cfg->vectors || cfg->vectors > OHCA_MAX_VECTORS) {
		log_err("%u interrupt vectors: must be 1 to %d", cfg->vectors, OHCA_MAX_VECTORS);
		return NULL;
	}
	if (strlen(cfg->path) >= sizeof(sa.sun_path)) {
		log_err("socket path %s is longer than %zu bytes", cfg->path, sizeof(sa.sun_path) - 1);
		return NULL;
	}
	strcpy(sa.sun_path, cfg->path);
	if (!lstat(cfg->path, &st) && S_ISSOCK(st.st_mode))
		unlink(cfg->path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&sa, sizeof(sa)) || listen(fd, 4)) {
		log_err("cannot listen on %s: %s", cfg->path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	s = xcalloc(1, sizeof(*s));
	s->cfg = *cfg;
	s->cfg.path = xstrdup(cfg->path);
	s->cfg.name = xstrdup(cfg->name);
	s->host = host;
	s->listen_fd = fd;
	s->fd = -1;
	s->body = xcalloc(1, VFU_MAX_MSG);
	for (unsigned v = 0; v < OHCA_MAX_VECTORS; v++)
		s->irq_fd[v] = -1;
	pci_config_init(&s->pci, &ids);
	host->axi.bus_master = false;
	host_set_irq(host, cfg->vectors, on_irq, s);
	return s;
}

void vfu_destroy(struct vfu_server *s)
{
	if (!s)
		return;
	close_client(s);
	close(s->listen_fd);
	unlink(s->cfg.path);
	host_set_irq(s->host, OHCA_MAX_VECTORS, NULL, NULL);
	free((char *)s->cfg.path);
	free((char *)s->cfg.name);
	free(s->body);
	free(s->out);
	free(s);
}

void vfu_poll_prepare(struct vfu_server *s, struct pollfd *pfd)
{
	pfd[0] = (struct pollfd){ .fd = s->listen_fd, .events = POLLIN };
	pfd[1] = (struct pollfd){ .fd = s->fd };
	if (s->fd >= 0) {
		pfd[1].events = (short)((s->stalled ? 0 : POLLIN) | (s->out_len ? POLLOUT : 0));
	}
}

void vfu_poll_done(struct vfu_server *s, const struct pollfd *pfd)
{
	if (s->fd >= 0 && pfd[1].fd == s->fd && pfd[1].revents & POLLOUT)
		flush_out(s);
	if (s->fd >= 0 && s->stalled) {
		if (handle(s)) {
			if (s->fd >= 0) {
				s->st.messages++;
				drop_fds(s);
				s->hdr_have = s->body_have = 0;
			}
			s->stalled = false;
		}
	}
	if (s->fd >= 0 && !s->stalled && pfd[1].fd == s->fd &&
	    pfd[1].revents & (POLLIN | POLLHUP | POLLERR))
		receive_messages(s);
	if (pfd[0].revents & POLLIN)
		accept_client(s);
}

bool vfu_stalled(const struct vfu_server *s) { return s->stalled; }
bool vfu_connected(const struct vfu_server *s) { return s->fd >= 0; }
const struct vfu_stats *vfu_get_stats(const struct vfu_server *s) { return &s->st; }
