// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/*
 * Run in a guest: the functions of libibverbs, each called for what it is there for, on a port that is Active; what is not supported says
 * EOPNOTSUPP. Queue pairs are connected to themselves. docs/features.md names the case (a function here) that shows each of them.
 *
 * usage: api DEVICE GID-INDEX [CASE…]
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include <linux/udmabuf.h>

#include <infiniband/verbs.h>

#include "../sim/check.h"

#define CASE(fn) do { \
	if (wanted(#fn)) \
		run_case(#fn, fn); \
} while (0)
#define PAGE 4096u
#define ALL (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ)

/* A call that gives a pointer or nothing, and one that gives an error number, answer EOPNOTSUPP. */
#define NO_PTR(call) do { errno = 0; CHECK(!(call)); CHECK_EQ(errno, EOPNOTSUPP); } while (0)
#define NO_INT(call) do { errno = 0; int r_ = (call); CHECK_EQ(r_ < 0 ? errno : r_, EOPNOTSUPP); } while (0)

static const char *name;
static int gid_index;
static struct ibv_context *ctx;
static struct ibv_pd *pd;
static struct ibv_port_attr port;
static union ibv_gid gid;
static bool eth;
static uint8_t *buf;		/* of 64 pages */
static struct ibv_mr *mr;

static uint8_t dest_rd = 4;	/* READs at once that a QP's partner may send it */
static char **cases;		/* that are to run; none: all */

static bool wanted(const char *fn)
{
	for (char **c = cases; *c; c++)
		if (!strcmp(*c, fn))
			return true;
	return !*cases;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* ------------------------------------------------------------------ queue pairs connected to themselves */

static void path(struct ibv_ah_attr *ah)
{
	memset(ah, 0, sizeof(*ah));
	ah->port_num = 1;
	ah->dlid = port.lid;
	if (eth) {
		ah->is_global = 1;
		ah->grh.dgid = gid;
		ah->grh.sgid_index = (uint8_t)gid_index;
		ah->grh.hop_limit = 64;
	}
}

/* Connected to the QP of that number, up to that state */
static int to_state(struct ibv_qp *qp, unsigned int access, uint32_t dest, enum ibv_qp_state last)
{
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = access, .qkey = 0x1234 };
	bool rc = qp->qp_type == IBV_QPT_RC;
	int ret = ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | (rc ? IBV_QP_ACCESS_FLAGS : IBV_QP_QKEY));

	if (ret)
		return ret;
	a.qp_state = IBV_QPS_RTR;
	a.path_mtu = IBV_MTU_1024;
	a.dest_qp_num = dest;
	a.rq_psn = 5;
	a.max_dest_rd_atomic = dest_rd;
	a.min_rnr_timer = 12;
	path(&a.ah_attr);
	ret = ibv_modify_qp(qp, &a, IBV_QP_STATE | (rc ? IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
						     IBV_QP_MIN_RNR_TIMER : 0));
	if (ret || last == IBV_QPS_RTR)
		return ret;
	a.qp_state = IBV_QPS_RTS;
	a.timeout = 18;
	a.retry_cnt = 7;
	a.rnr_retry = 7;
	a.sq_psn = 5;
	a.max_rd_atomic = 4;
	return ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_SQ_PSN | (rc ? IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
								     IBV_QP_MAX_QP_RD_ATOMIC : 0));
}

static int to_rts(struct ibv_qp *qp, unsigned int access)
{
	return to_state(qp, access, qp->qp_num, IBV_QPS_RTS);
}

static struct ibv_qp *make_qp(struct ibv_pd *p, struct ibv_cq *cq, enum ibv_qp_type type)
{
	struct ibv_qp_init_attr i = { .send_cq = cq, .recv_cq = cq, .qp_type = type, .sq_sig_all = 1,
				      .cap = { .max_send_wr = 32, .max_recv_wr = 32, .max_send_sge = 4, .max_recv_sge = 4, .max_inline_data = 64 } };
	struct ibv_qp *qp = ibv_create_qp(p, &i);

	if (qp && to_rts(qp, IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ)) {
		ibv_destroy_qp(qp);
		qp = NULL;
	}
	return qp;
}

static int post_recv(struct ibv_qp *qp, uint64_t id, void *addr, uint32_t len, uint32_t lkey)
{
	struct ibv_sge s = { (uintptr_t)addr, len, lkey };
	struct ibv_recv_wr wr = { .wr_id = id, .sg_list = &s, .num_sge = 1 }, *bad;

	return ibv_post_recv(qp, &wr, &bad);
}

static int post(struct ibv_qp *qp, enum ibv_wr_opcode op, uint64_t id, void *addr, uint32_t len, uint32_t lkey, void *raddr, uint32_t rkey)
{
	struct ibv_sge s = { (uintptr_t)addr, len, lkey };
	struct ibv_send_wr wr = { .wr_id = id, .sg_list = &s, .num_sge = 1, .opcode = op, .imm_data = htobe32(0x11223344) }, *bad;

	wr.wr.rdma.remote_addr = (uintptr_t)raddr;
	wr.wr.rdma.rkey = rkey;
	return ibv_post_send(qp, &wr, &bad);
}

/* n completions within a minute; how many there were */
static int wait_cq(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
	uint64_t end = now_ns() + 60000000000ull;
	int got = 0, k;

	while (got < n && now_ns() < end) {
		k = ibv_poll_cq(cq, n - got, wc + got);
		if (k < 0)
			break;
		got += k;
		if (!k)
			usleep(1000);
	}
	return got;
}

/* A message from one page to another by RDMA WRITE: 0 if it arrived */
static int write_page(struct ibv_qp *qp, struct ibv_cq *cq, struct ibv_mr *from, void *at, struct ibv_mr *to, void *there, uint8_t what)
{
	struct ibv_wc wc = { .status = IBV_WC_GENERAL_ERR };

	memset(at, what, 64);
	if (post(qp, IBV_WR_RDMA_WRITE, what, at, 64, from->lkey, there, to->rkey) || wait_cq(cq, 1, &wc) != 1)
		return -1;
	return (int)wc.status;
}

/* ------------------------------------------------------------------ cases */

static void devices(void)
{
	struct ibv_device **list;
	struct ibv_context *c;
	int n = 0, found = -1;

	list = ibv_get_device_list(&n);
	CHECK(list && n > 0);
	for (int i = 0; list && i < n; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			found = i;
	CHECK(found >= 0);
	if (found < 0)
		return;
	CHECK(ibv_get_device_guid(list[found]));
	CHECK(ibv_get_device_index(list[found]) >= 0);
	CHECK(!strcmp(ibv_node_type_str(list[found]->node_type), "InfiniBand channel adapter"));
	c = ibv_open_device(list[found]);
	CHECK(c);
	ibv_free_device_list(list);
	CHECK(c && !ibv_close_device(c));
}

static void queries(void)
{
	struct ibv_device_attr a;
	struct ibv_device_attr_ex x;
	struct ibv_gid_entry e, all[32];
	struct ibv_port_attr p;
	union ibv_gid g;
	__be16 pkey;
	ssize_t n;

	CHECK_EQ(ibv_query_device(ctx, &a), 0);
	CHECK(a.phys_port_cnt == 1 && a.max_qp > 1000 && a.max_mr > 1000 && a.max_qp_rd_atom > 0 && a.atomic_cap == IBV_ATOMIC_NONE);
	CHECK(!a.max_srq && !a.max_mw && !a.max_raw_ethy_qp && a.max_mcast_grp > 0);
	CHECK_EQ(ibv_query_device_ex(ctx, NULL, &x), 0);
	CHECK(x.completion_timestamp_mask == (1ull << 48) - 1 && x.hca_core_clock > 0 && !x.odp_caps.general_caps && x.orig_attr.max_qp == a.max_qp);
	CHECK(x.phys_port_cnt_ex == 1 && !x.max_dm_size && !x.rss_caps.supported_qpts && !x.tso_caps.max_tso);
	CHECK_EQ(ibv_query_port(ctx, 1, &p), 0);
	CHECK(p.state == IBV_PORT_ACTIVE && p.max_msg_sz == 1u << 31 && p.link_layer == (eth ? IBV_LINK_LAYER_ETHERNET : IBV_LINK_LAYER_INFINIBAND));
	CHECK(!strcmp(ibv_port_state_str(p.state), "active"));
	CHECK_EQ(ibv_query_port(ctx, 2, &p), EINVAL);
	CHECK_EQ(ibv_query_gid(ctx, 1, gid_index, &g), 0);
	CHECK_EQ(ibv_query_gid_ex(ctx, 1, (uint32_t)gid_index, &e, 0), 0);
	CHECK(!memcmp(&g, &e.gid, 16) && e.gid_type == (eth ? IBV_GID_TYPE_ROCE_V2 : IBV_GID_TYPE_IB) && e.port_num == 1);
	n = ibv_query_gid_table(ctx, all, 32, 0);
	CHECK(n >= 1);
	for (ssize_t i = 0; i < n; i++)
		if (all[i].gid_index == (uint32_t)gid_index)
			CHECK(!memcmp(&all[i].gid, &g, 16));
	CHECK_EQ(ibv_query_pkey(ctx, 1, 0, &pkey), 0);
	CHECK(be16toh(pkey) & 0x7fff);
	CHECK_EQ(ibv_get_pkey_index(ctx, 1, pkey), 0);
	CHECK(!ibv_is_qpt_supported(0, IBV_QPT_RC) && ibv_is_qpt_supported(1u << IBV_QPT_RC, IBV_QPT_RC));
}

/* What the library knows without a device */
static void words(void)
{
	CHECK(!strcmp(ibv_wc_status_str(IBV_WC_RNR_RETRY_EXC_ERR), "RNR retry counter exceeded"));
	CHECK(!strcmp(ibv_event_type_str(IBV_EVENT_QP_FATAL), "local work queue catastrophic error"));
	CHECK(ibv_wr_opcode_str(IBV_WR_SEND)[0]);
	CHECK_EQ(ibv_rate_to_mult(IBV_RATE_10_GBPS), 4);
	CHECK_EQ(mult_to_ibv_rate(8), IBV_RATE_20_GBPS);
	CHECK_EQ(ibv_rate_to_mbps(IBV_RATE_40_GBPS), 40000);
	CHECK_EQ(mbps_to_ibv_rate(40000), IBV_RATE_40_GBPS);
	CHECK_EQ(ibv_inc_rkey(0x123456ff), 0x12345600);
	CHECK(ibv_flow_label_to_udp_sport(0x12345) >= 0xc000);
}

static void memory(void)
{
	struct ibv_cq *cq = ibv_create_cq(ctx, 16, NULL, NULL, 0);
	struct ibv_qp *qp = make_qp(pd, cq, IBV_QPT_RC);
	struct ibv_mr *m, *n;
	struct ibv_wc wc;

	CHECK(cq && qp);
	m = ibv_reg_mr(pd, buf + 8 * PAGE, 2 * PAGE, ALL);
	CHECK(m && m->length == 2 * PAGE && m->addr == buf + 8 * PAGE && m->pd == pd && m->context == ctx);
	CHECK_EQ(write_page(qp, cq, mr, buf, m, buf + 9 * PAGE, 0x31), 0);
	CHECK(buf[9 * PAGE] == 0x31 && buf[9 * PAGE + 63] == 0x31);
	CHECK_EQ(ibv_dereg_mr(m), 0);
	/* addresses of its own */
	m = ibv_reg_mr_iova(pd, buf + 8 * PAGE, 2 * PAGE, 0x100000, ALL);
	CHECK(m);
	CHECK_EQ(write_page(qp, cq, mr, buf, m, (void *)0x100040, 0x32), 0);
	CHECK(buf[8 * PAGE + 64] == 0x32);
	/* a flag that may be ignored */
	n = ibv_reg_mr_iova2(pd, buf + 10 * PAGE, PAGE, 0x7000, ALL | IBV_ACCESS_RELAXED_ORDERING);
	CHECK(n);
	CHECK_EQ(write_page(qp, cq, mr, buf, n, (void *)0x7fc0, 0x33), 0);
	CHECK(buf[11 * PAGE - 1] == 0x33);
	CHECK_EQ(ibv_dereg_mr(n), 0);
	/* a key that is gone */
	CHECK_EQ(ibv_dereg_mr(m), 0);
	CHECK_EQ(post(qp, IBV_WR_RDMA_READ, 1, buf, 64, mr->lkey, (void *)0x100040, 0x12345678), 0);
	CHECK_EQ(wait_cq(cq, 1, &wc), 1);
	/* its own responder may have brought the QP to its error before the answer came */
	CHECK(wc.status == IBV_WC_REM_ACCESS_ERR || wc.status == IBV_WC_WR_FLUSH_ERR);
	CHECK_EQ(ibv_destroy_qp(qp), 0);
	CHECK_EQ(ibv_destroy_cq(cq), 0);
}

static void queue_pairs(void)
{
	struct ibv_cq *cq = ibv_create_cq(ctx, 64, NULL, NULL, 0);
	struct ibv_qp *qp = make_qp(pd, cq, IBV_QPT_RC);
	struct ibv_qp_init_attr i;
	struct ibv_qp_attr a;
	struct ibv_wc wc[4];

	CHECK(cq && qp);
	CHECK_EQ(ibv_query_qp(qp, &a, IBV_QP_STATE | IBV_QP_CAP, &i), 0);
	CHECK(a.qp_state == IBV_QPS_RTS && i.cap.max_send_wr >= 32 && i.qp_type == IBV_QPT_RC && i.sq_sig_all);
	memset(buf, 0x41, 256);
	CHECK_EQ(post_recv(qp, 7, buf + PAGE, 256, mr->lkey), 0);
	CHECK_EQ(post(qp, IBV_WR_SEND_WITH_IMM, 8, buf, 256, mr->lkey, NULL, 0), 0);
	CHECK_EQ(wait_cq(cq, 2, wc), 2);
	for (int k = 0; k < 2; k++) {
		CHECK_EQ(wc[k].status, 0);
		if (wc[k].wr_id == 7)
			CHECK(wc[k].opcode == IBV_WC_RECV && wc[k].wc_flags == IBV_WC_WITH_IMM && wc[k].imm_data == htobe32(0x11223344) && wc[k].byte_len == 256);
		else
			CHECK(wc[k].opcode == IBV_WC_SEND && wc[k].wr_id == 8);
	}
	CHECK(!memcmp(buf, buf + PAGE, 256));
	CHECK_EQ(ibv_destroy_qp(qp), 0);
	CHECK_EQ(ibv_destroy_cq(cq), 0);
}

/*
 * Rings of hundreds of KiB, which may lie on huge pages or not, and traffic over their ends: each message says its number, comes in its order and to
 * the memory that its receive named.
 */
static void large_rings(void)
{
	enum { SENDS = 4096, RECVS = 8192, BYTES = 64, TOTAL = 3 * SENDS + 100, BATCH = 64 };
	struct ibv_cq *cq = ibv_create_cq(ctx, SENDS + RECVS, NULL, NULL, 0);
	struct ibv_qp_init_attr i = { .send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC,
				      .cap = { .max_send_wr = SENDS, .max_recv_wr = RECVS, .max_send_sge = 1, .max_recv_sge = 1 } };
	struct ibv_qp *qp = ibv_create_qp(pd, &i);
	size_t bytes = (size_t)(SENDS + RECVS) * BYTES;
	uint8_t *from = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *to = from + (size_t)SENDS * BYTES;
	struct ibv_mr *m = ibv_reg_mr(pd, from, bytes, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_send_wr send[BATCH], *bad;
	struct ibv_sge sge[BATCH];
	struct ibv_wc wc[BATCH];
	unsigned int posted = 0, received = 0, sent = 0, wrong = 0, k;
	uint64_t last = now_ns(), value;
	int n = 0;

	CHECK(cq && qp && m);
	CHECK_EQ(to_rts(qp, 0), 0);
	for (k = 0; k < RECVS; k++)
		CHECK_EQ(post_recv(qp, k, to + (size_t)k * BYTES, BYTES, m->lkey), 0);
	while ((received < TOTAL || sent < TOTAL) && !wrong && now_ns() - last < 60000000000ull) {
		/* a batch as soon as there is room for a whole one */
		for (k = 0; posted < TOTAL && posted - sent + BATCH <= SENDS && k < BATCH; k++, posted++) {
			uint8_t *at = from + (size_t)(posted % SENDS) * BYTES;

			value = posted;
			memcpy(at + BYTES - 8, &value, 8);
			sge[k] = (struct ibv_sge){ (uintptr_t)at, BYTES, m->lkey };
			send[k] = (struct ibv_send_wr){ .wr_id = posted, .sg_list = &sge[k], .num_sge = 1, .opcode = IBV_WR_SEND, .next = &send[k + 1],
							.send_flags = posted % BATCH == BATCH - 1 || posted == TOTAL - 1 ? IBV_SEND_SIGNALED : 0 };
		}
		if (k) {
			send[k - 1].next = NULL;
			CHECK_EQ(ibv_post_send(qp, send, &bad), 0);
		}
		n = ibv_poll_cq(cq, BATCH, wc);
		CHECK(n >= 0);
		if (n > 0)
			last = now_ns();
		for (int w = 0; w < n && !wrong; w++) {
			if (wc[w].status) {
				printf("# after %u of %u sent and %u received, %lu: %s\n", sent, posted, received, (unsigned long)wc[w].wr_id,
				       ibv_wc_status_str(wc[w].status));
				wrong++;
			} else if (wc[w].opcode == IBV_WC_SEND) {
				sent = (unsigned int)wc[w].wr_id + 1;
			} else {
				memcpy(&value, to + (size_t)wc[w].wr_id * BYTES + BYTES - 8, 8);
				wrong += wc[w].wr_id != received % RECVS || value != received || wc[w].byte_len != BYTES;
				received++;
				CHECK_EQ(post_recv(qp, wc[w].wr_id, to + (size_t)wc[w].wr_id * BYTES, BYTES, m->lkey), 0);
			}
		}
	}
	CHECK_EQ(wrong, 0);
	CHECK_EQ(sent, TOTAL);
	CHECK_EQ(received, TOTAL);
	CHECK_EQ(ibv_destroy_qp(qp), 0);
	CHECK_EQ(ibv_destroy_cq(cq), 0);
	CHECK_EQ(ibv_dereg_mr(m), 0);
	munmap(from, bytes);
}

static void completion_events(void)
{
	struct ibv_comp_channel *ch = ibv_create_comp_channel(ctx);
	struct ibv_cq *cq = ch ? ibv_create_cq(ctx, 16, &gid, ch, ctx->num_comp_vectors - 1) : NULL, *who = NULL;
	struct ibv_qp *qp = cq ? make_qp(pd, cq, IBV_QPT_RC) : NULL;
	struct ibv_wc wc[2];
	void *what = NULL;

	CHECK(ch && cq && qp);
	if (!qp)
		return;
	for (int k = 0; k < 3; k++) {
		CHECK_EQ(ibv_req_notify_cq(cq, 0), 0);
		CHECK_EQ(post(qp, IBV_WR_RDMA_WRITE, 1, buf, 8, mr->lkey, buf + PAGE, mr->rkey), 0);
		CHECK_EQ(ibv_get_cq_event(ch, &who, &what), 0);
		CHECK(who == cq && what == &gid);
		CHECK_EQ(wait_cq(cq, 1, wc), 1);
	}
	ibv_ack_cq_events(cq, 3);
	/* What came between the last look and the arm raises an event, too: UCX does not look again before it sleeps. */
	for (int k = 0; k < 4; k++) {
		CHECK_EQ(post(qp, IBV_WR_RDMA_WRITE, 1, buf, 8, mr->lkey, buf + PAGE, mr->rkey), 0);
		usleep(20000);
		CHECK_EQ(ibv_req_notify_cq(cq, 0), 0);
		CHECK_EQ(poll(&(struct pollfd){ .fd = ch->fd, .events = POLLIN }, 1, 60000), 1);
		if (check_failed)
			break;
		CHECK_EQ(ibv_get_cq_event(ch, &who, &what), 0);
		ibv_ack_cq_events(cq, 1);
		CHECK_EQ(wait_cq(cq, 1, wc), 1);
	}
	CHECK_EQ(ibv_destroy_qp(qp), 0);
	CHECK_EQ(ibv_destroy_cq(cq), 0);
	CHECK_EQ(ibv_destroy_comp_channel(ch), 0);
}

/* One thread gives the CQ other sizes, again and again; who polls must not notice. */
struct resizer {
	struct ibv_cq *cq;
	_Atomic(bool) stop;
	_Atomic(unsigned int) done;
	int ret;
};

static void *resize_on(void *arg)
{
	struct resizer *r = arg;
	unsigned int random = 1;

	while (!r->stop && !r->ret) {
		int want = 40 + (int)((random = random * 1664525 + 1013904223) >> 16) % 2000;

		r->ret = ibv_resize_cq(r->cq, want);
		if (!r->ret && r->cq->cqe < want)
			r->ret = -1;
		r->done++;
		usleep(200 + (random >> 8) % 2000);
	}
	return NULL;
}

static int next_id(struct ibv_cq *cq, struct ibv_cq_ex *x, uint64_t *id)
{
	struct ibv_poll_cq_attr pa = {};
	struct ibv_wc wc;
	int n;

	if (!x) {
		n = ibv_poll_cq(cq, 1, &wc);
		*id = wc.wr_id;
		return n == 1 && wc.status ? -1 : n;
	}
	n = ibv_start_poll(x, &pa);
	if (n)
		return n == ENOENT ? 0 : -1;
	*id = x->wr_id;
	n = x->status ? -1 : 1;
	ibv_end_poll(x);
	return n;
}

static void resize_under_way(bool ex)
{
	struct ibv_cq_init_attr_ex ci = { .cqe = 63, .wc_flags = IBV_WC_STANDARD_FLAGS };
	struct ibv_cq_ex *x = ex ? ibv_create_cq_ex(ctx, &ci) : NULL;
	struct ibv_cq *cq = x ? ibv_cq_ex_to_cq(x) : ibv_create_cq(ctx, 63, NULL, NULL, 0);
	struct ibv_qp *qp = cq ? make_qp(pd, cq, IBV_QPT_RC) : NULL;
	struct resizer r = { .cq = cq };
	uint64_t end = now_ns() + 40000000000ull, posted = 0, got = 0, id = 0;
	pthread_t t;
	int n = 0;

	CHECK(qp && !pthread_create(&t, NULL, resize_on, &r));
	if (!qp)
		return;
	while (n >= 0 && !r.ret && now_ns() < end && (got < posted || posted < 150 || r.done < 12)) {
		if (posted - got < 32 && (posted < 150 || r.done < 12)) {
			if (post(qp, IBV_WR_RDMA_WRITE, posted, buf, 8, mr->lkey, buf + PAGE, mr->rkey))
				break;
			posted++;
			continue;
		}
		n = next_id(cq, x, &id);
		if (n > 0) {
			if (id != got)
				break;
			got++;
		}
	}
	r.stop = true;
	CHECK_EQ(pthread_join(t, NULL), 0);
	CHECK_EQ(r.ret, 0);
	CHECK(n >= 0);
	CHECK_EQ(got, posted);
	CHECK(got >= 150 && r.done >= 12);
	CHECK_EQ(ibv_destroy_qp(qp), 0);
	CHECK_EQ(ibv_destroy_cq(cq), 0);
}

/* A process that is killed while it resizes leaves nothing behind that others feel. */
static void resize_killed(void)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		struct ibv_device **list = ibv_get_device_list(NULL);
		struct ibv_context *c = NULL;
		struct ibv_cq *cq;

		for (int i = 0; list && list[i]; i++)
			if (!strcmp(ibv_get_device_name(list[i]), name))
				c = ibv_open_device(list[i]);
		cq = c ? ibv_create_cq(c, 20, NULL, NULL, 0) : NULL;
		for (int k = 0; cq && !ibv_resize_cq(cq, k & 1 ? 20 : 5000); k++)
			;
		_exit(1);
	}
	usleep(400000);
	CHECK_EQ(kill(pid, SIGKILL), 0);
	CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
}

/* Other sizes both ways: what is unread is kept, what was asked for comes, completions come all the time; too small a size is refused. */
static void resized_cqs(void)
{
	struct ibv_comp_channel *ch = ibv_create_comp_channel(ctx);
	struct ibv_cq *cq = ch ? ibv_create_cq(ctx, 40, NULL, ch, 0) : NULL, *who = NULL;
	struct ibv_qp *qp = cq ? make_qp(pd, cq, IBV_QPT_RC) : NULL;
	volatile uint8_t *there = buf + 3 * PAGE;
	uint64_t end = now_ns() + 60000000000ull;
	struct ibv_device_attr a;
	struct ibv_wc wc[16];
	void *what = NULL;

	CHECK(qp && !ibv_query_device(ctx, &a));
	if (!qp)
		return;
	CHECK_EQ(ibv_resize_cq(cq, 0), EINVAL);
	CHECK_EQ(ibv_resize_cq(cq, -1), EINVAL);
	CHECK_EQ(ibv_resize_cq(cq, a.max_cqe + 1), EINVAL);
	CHECK_EQ(ibv_resize_cq(cq, cq->cqe), 0);
	CHECK(cq->cqe >= 40);
	/* ten that are unread, or eleven: the last one's data are there before its completion */
	buf[PAGE] = 0xa5;
	*there = 0;
	for (uint64_t k = 0; k < 10; k++)
		CHECK_EQ(post(qp, IBV_WR_RDMA_WRITE, k, buf, 8, mr->lkey, buf + 2 * PAGE, mr->rkey), 0);
	CHECK_EQ(post(qp, IBV_WR_RDMA_READ, 10, (void *)there, 8, mr->lkey, buf + PAGE, mr->rkey), 0);
	while (*there != 0xa5 && now_ns() < end)
		usleep(1000);
	CHECK_EQ(ibv_resize_cq(cq, 5), EINVAL);
	CHECK(cq->cqe >= 40);
	CHECK_EQ(ibv_resize_cq(cq, 500), 0);
	CHECK(cq->cqe >= 500);
	CHECK_EQ(wait_cq(cq, 11, wc), 11);
	for (uint64_t k = 0; k < 11; k++)
		CHECK(wc[k].wr_id == k && !wc[k].status);
	CHECK_EQ(ibv_resize_cq(cq, 5), 0);
	CHECK(cq->cqe >= 5 && cq->cqe < 40);
	/* an event that was asked for before */
	for (int k = 0; k < 4; k++) {
		struct pollfd f = { .fd = ch->fd, .events = POLLIN };

		CHECK_EQ(ibv_req_notify_cq(cq, 0), 0);
		CHECK_EQ(ibv_resize_cq(cq, k & 1 ? 5 : 1000), 0);
		CHECK_EQ(post(qp, IBV_WR_RDMA_WRITE, 1, buf, 8, mr->lkey, buf + PAGE, mr->rkey), 0);
		CHECK_EQ(poll(&f, 1, 60000), 1);
		if (!(f.revents & POLLIN))
			break;
		CHECK_EQ(ibv_get_cq_event(ch, &who, &what), 0);
		ibv_ack_cq_events(cq, 1);
		CHECK_EQ(wait_cq(cq, 1, wc), 1);
	}
	resize_killed();
	CHECK_EQ(write_page(qp, cq, mr, buf, mr, buf + PAGE, 0x66), 0);
	CHECK_EQ(ibv_destroy_qp(qp), 0);
	CHECK_EQ(ibv_destroy_cq(cq), 0);
	CHECK_EQ(ibv_destroy_comp_channel(ch), 0);
	resize_under_way(false);
	resize_under_way(true);
}

static int moderate(struct ibv_cq *cq, uint16_t count, uint16_t period)
{
	struct ibv_modify_cq_attr a = { .attr_mask = IBV_CQ_ATTR_MODERATE, .moderate = { .cq_count = count, .cq_period = period } };

	return ibv_modify_cq(cq, &a);
}

/* Whether an event comes within so many milliseconds; it is taken */
static bool event_within(struct ibv_comp_channel *ch, struct ibv_cq *cq, int ms)
{
	struct pollfd f = { .fd = ch->fd, .events = POLLIN };
	struct ibv_cq *who = NULL;
	void *what = NULL;

	if (poll(&f, 1, ms) != 1 || ibv_get_cq_event(ch, &who, &what))
		return false;
	CHECK(who == cq);
	ibv_ack_cq_events(who, 1);
	return true;
}

/* Completion events that wait for more completions, for a time, for either; an error and a change of what they wait for send them at once. */
static void moderated_cqs(void)
{
	struct ibv_comp_channel *ch = ibv_create_comp_channel(ctx);
	struct ibv_cq *cq = ch ? ibv_create_cq(ctx, 40, NULL, ch, 0) : NULL;
	struct ibv_qp *qp = cq ? make_qp(pd, cq, IBV_QPT_RC) : NULL;
	struct ibv_modify_cq_attr odd = { .attr_mask = IBV_CQ_ATTR_MODERATE << 1 };
	struct ibv_device_attr_ex x;
	struct ibv_wc wc[16];
	int n = 0;

	CHECK(qp && !ibv_query_device_ex(ctx, NULL, &x));
	if (!qp)
		return;
#define WRITE(k) CHECK_EQ(post(qp, IBV_WR_RDMA_WRITE, (k), buf, 8, mr->lkey, buf + PAGE, mr->rkey), 0)
	if (!x.cq_mod_caps.max_cq_count) {	/* the small adapter */
		CHECK(!x.cq_mod_caps.max_cq_period);
		CHECK_EQ(moderate(cq, 4, 16), EOPNOTSUPP);
		goto end;
	}
	CHECK(x.cq_mod_caps.max_cq_count == 65535 && x.cq_mod_caps.max_cq_period == 65535);
	CHECK(ibv_modify_cq(cq, &odd) != 0);
	CHECK_EQ(moderate(cq, (uint16_t)(cq->cqe + 1), 0), EINVAL);	/* never */
	CHECK_EQ(moderate(cq, 65535, 65535), 0);
	CHECK_EQ(moderate(cq, 4, 0), 0);
	CHECK_EQ(ibv_resize_cq(cq, 2), EINVAL);
	for (int round = 0; round < 3; round++) {
		CHECK_EQ(ibv_req_notify_cq(cq, 0), 0);
		for (uint64_t k = 0; k < 3; k++)
			WRITE(k);
		CHECK_EQ(wait_cq(cq, 3, wc), 3);		/* all three are there, and the host knows without an event */
		CHECK(!event_within(ch, cq, 20));
		WRITE(3);
		CHECK(event_within(ch, cq, 60000));
		CHECK_EQ(wait_cq(cq, 1, wc), 1);
	}
	CHECK_EQ(moderate(cq, 30, 500), 0);			/* time, counted by the adapter's clock */
	CHECK_EQ(ibv_req_notify_cq(cq, 0), 0);
	WRITE(1);
	CHECK(event_within(ch, cq, 60000));
	CHECK_EQ(wait_cq(cq, 1, wc), 1);
	CHECK_EQ(moderate(cq, 30, 0), 0);
	CHECK_EQ(ibv_req_notify_cq(cq, 0), 0);
	WRITE(1);
	CHECK_EQ(wait_cq(cq, 1, wc), 1);
	CHECK_EQ(moderate(cq, 0, 0), 0);			/* what waits is sent */
	CHECK(event_within(ch, cq, 60000));
	CHECK_EQ(ibv_req_notify_cq(cq, 0), 0);
	WRITE(1);
	CHECK(event_within(ch, cq, 60000));
	CHECK_EQ(wait_cq(cq, 1, wc), 1);
	/* nobody who polls until the CQ is empty and arms before sleeping sleeps for ever */
	CHECK_EQ(moderate(cq, 5, 50), 0);
	for (int left = 200, out = 0; left || out;) {
		CHECK_EQ(ibv_req_notify_cq(cq, 0), 0);
		for (; left && out < 16; left--, out++)
			WRITE((uint64_t)left);
		if (!event_within(ch, cq, 60000))
			break;
		for (int k; (k = ibv_poll_cq(cq, 16, wc)) > 0; out -= k)
			n += k;
	}
	CHECK_EQ(n, 200);
	CHECK_EQ(moderate(cq, 30, 0), 0);
	while (event_within(ch, cq, 20))
		;
	CHECK_EQ(ibv_req_notify_cq(cq, 0), 0);
	CHECK_EQ(post(qp, IBV_WR_RDMA_WRITE, 1, buf, 8, mr->lkey, buf + PAGE, mr->rkey + 256), 0);
	CHECK(event_within(ch, cq, 60000));			/* an error */
	CHECK_EQ(wait_cq(cq, 1, wc), 1);
	CHECK(wc[0].status);
#undef WRITE
end:
	CHECK_EQ(ibv_destroy_qp(qp), 0);
	CHECK_EQ(ibv_destroy_cq(cq), 0);
	CHECK_EQ(ibv_destroy_comp_channel(ch), 0);
}

/* Extended QPs and CQs: every operation that is there, in batches, and every reader of a completion */
static void extended(void)
{
	struct ibv_cq_init_attr_ex ci = { .cqe = 64, .wc_flags = IBV_WC_STANDARD_FLAGS | IBV_WC_EX_WITH_COMPLETION_TIMESTAMP | (eth ? IBV_WC_EX_WITH_CVLAN : 0) };
	struct ibv_cq_ex *x = ibv_create_cq_ex(ctx, &ci);
	struct ibv_cq *cq = x ? ibv_cq_ex_to_cq(x) : NULL;
	struct ibv_qp_init_attr_ex i = { .send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC, .sq_sig_all = 0, .pd = pd,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM | IBV_QP_EX_WITH_RDMA_WRITE |
				  IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | IBV_QP_EX_WITH_RDMA_READ,
		.cap = { .max_send_wr = 32, .max_recv_wr = 32, .max_send_sge = 4, .max_recv_sge = 4, .max_inline_data = 64 } };
	struct ibv_qp *qp = cq ? ibv_create_qp_ex(ctx, &i) : NULL;
	struct ibv_qp_ex *q = qp ? ibv_qp_to_qp_ex(qp) : NULL;
	struct ibv_data_buf parts[2] = { { "inline ", 7 }, { "in two parts", 13 } };
	struct ibv_sge list[2] = { { (uintptr_t)buf, 16, mr->lkey }, { (uintptr_t)buf + 32, 16, mr->lkey } };
	uint64_t seen = 0, ts = 0, last = 0, end = now_ns() + 60000000000ull;
	struct ibv_poll_cq_attr pa = {};
	int done = 0;

	CHECK(x && q);
	if (!q)
		return;
	CHECK_EQ(to_rts(qp, IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ), 0);
	for (int k = 0; k < 64; k++)
		buf[k] = (uint8_t)k;
	memset(buf + PAGE, 0, 7 * PAGE);
	for (unsigned int k = 1; k <= 4; k++)
		CHECK_EQ(post_recv(qp, 100 + k, buf + k * PAGE, 64, mr->lkey), 0);
	/* what is given up leaves no trace */
	ibv_wr_start(q);
	q->wr_id = 99;
	q->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_send(q);
	ibv_wr_set_sge(q, mr->lkey, (uintptr_t)buf, 64);
	ibv_wr_abort(q);
	ibv_wr_start(q);
	q->wr_flags = IBV_SEND_SIGNALED;
	q->wr_id = 1;
	ibv_wr_send(q);
	ibv_wr_set_sge(q, mr->lkey, (uintptr_t)buf, 64);
	q->wr_id = 2;
	ibv_wr_send_imm(q, htobe32(0xabcd0001));
	ibv_wr_set_sge_list(q, 2, list);
	q->wr_id = 3;
	ibv_wr_rdma_write(q, mr->rkey, (uintptr_t)buf + 5 * PAGE);
	ibv_wr_set_inline_data(q, "one piece", 10);
	q->wr_id = 4;
	ibv_wr_rdma_write_imm(q, mr->rkey, (uintptr_t)buf + 6 * PAGE, htobe32(0xabcd0002));
	ibv_wr_set_inline_data_list(q, 2, parts);
	q->wr_id = 5;
	ibv_wr_rdma_read(q, mr->rkey, (uintptr_t)buf);
	ibv_wr_set_sge(q, mr->lkey, (uintptr_t)buf + 7 * PAGE, 64);
	CHECK_EQ(ibv_wr_complete(q), 0);
	while (done < 8 && now_ns() < end) {
		int r = ibv_start_poll(x, &pa);

		if (r == ENOENT)
			continue;
		CHECK_EQ(r, 0);
		while (!r) {
			done++;
			CHECK_EQ(x->status, 0);
			CHECK_EQ(ibv_wc_read_vendor_err(x), 0);
			CHECK_EQ(ibv_wc_read_qp_num(x), qp->qp_num);
			ts = ibv_wc_read_completion_ts(x);
			CHECK(ts >= last);
			last = ts;
			if (x->wr_id < 64)
				seen |= 1ull << x->wr_id;
			switch (x->wr_id) {
			case 1: case 2:
				CHECK_EQ(ibv_wc_read_opcode(x), IBV_WC_SEND);
				break;
			case 3: case 4:
				CHECK_EQ(ibv_wc_read_opcode(x), IBV_WC_RDMA_WRITE);
				break;
			case 5:
				CHECK_EQ(ibv_wc_read_opcode(x), IBV_WC_RDMA_READ);
				break;
			case 101:
				CHECK(ibv_wc_read_opcode(x) == IBV_WC_RECV && ibv_wc_read_byte_len(x) == 64 && !ibv_wc_read_wc_flags(x));
				break;
			case 102:
				CHECK(ibv_wc_read_wc_flags(x) == IBV_WC_WITH_IMM && ibv_wc_read_imm_data(x) == htobe32(0xabcd0001));
				break;
			case 103:
				CHECK(ibv_wc_read_opcode(x) == IBV_WC_RECV_RDMA_WITH_IMM && ibv_wc_read_imm_data(x) == htobe32(0xabcd0002));
				break;
			default:
				CHECK(0);
			}
			r = ibv_next_poll(x);
		}
		ibv_end_poll(x);
	}
	CHECK_EQ(done, 8);
	CHECK_EQ(seen, 0x3e);
	CHECK(!memcmp(buf + PAGE, buf, 64) && !memcmp(buf + 2 * PAGE, buf, 16) && !memcmp(buf + 2 * PAGE + 16, buf + 32, 16));
	CHECK(!memcmp(buf + 5 * PAGE, "one piece", 10) && !memcmp(buf + 6 * PAGE, "inline in two parts", 20) && !memcmp(buf + 7 * PAGE, buf, 64));
	CHECK_EQ(ibv_destroy_qp(qp), 0);
	CHECK_EQ(ibv_destroy_cq(cq), 0);
}

/* A datagram that has come, read field by field */
static void read_datagram(struct ibv_cq_ex *x, uint32_t qpn)
{
	uint64_t end = now_ns() + 60000000000ull;
	bool ipv4 = !memcmp(gid.raw, "\0\0\0\0\0\0\0\0\0\0\xff\xff", 12);
	struct ibv_poll_cq_attr pa = {};
	int done = 0, r;

	while (done < 2 && now_ns() < end) {
		r = ibv_start_poll(x, &pa);
		if (r == ENOENT)
			continue;
		for (; !r; r = ibv_next_poll(x), done++) {
			CHECK_EQ(x->status, 0);
			if (x->wr_id != 7)
				continue;
			CHECK_EQ(ibv_wc_read_src_qp(x), qpn);
			/* on Ethernet what kind of packet it was, and its tag */
			CHECK_EQ(ibv_wc_read_sl(x), !eth ? 0 : ipv4 ? 10 : 9);
			CHECK(ibv_wc_read_slid(x) == (eth ? 0 : port.lid) && !ibv_wc_read_dlid_path_bits(x));
			if (eth)
				CHECK_EQ(ibv_wc_read_cvlan(x), 0);
		}
		ibv_end_poll(x);
	}
	CHECK_EQ(done, 2);
}

/* Datagrams: address handles of a path and of a completion, and an answer by the second */
static void datagrams(void)
{
	struct ibv_cq_init_attr_ex ci = { .cqe = 16, .wc_flags = IBV_WC_STANDARD_FLAGS | (eth ? IBV_WC_EX_WITH_CVLAN : 0) };
	struct ibv_cq_ex *x = ibv_create_cq_ex(ctx, &ci);
	struct ibv_cq *cq = x ? ibv_cq_ex_to_cq(x) : NULL;
	struct ibv_qp_init_attr_ex i = { .send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_UD, .pd = pd, .sq_sig_all = 1,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS, .send_ops_flags = IBV_QP_EX_WITH_SEND,
		.cap = { .max_send_wr = 8, .max_recv_wr = 8, .max_send_sge = 1, .max_recv_sge = 1 } };
	struct ibv_qp *qp = cq ? ibv_create_qp_ex(ctx, &i) : NULL;
	struct ibv_qp_ex *q = qp ? ibv_qp_to_qp_ex(qp) : NULL;
	struct ibv_ah_attr a, from;
	struct ibv_ah *ah, *back = NULL;
	struct ibv_wc wc[2];
	uint16_t vid = 7;
	uint8_t mac[6] = {};

	CHECK(q);
	if (!q)
		return;
	CHECK_EQ(to_rts(qp, 0), 0);
	for (int grh = eth; grh < 2; grh++) {
		path(&a);
		if (grh) {
			a.is_global = 1;
			a.grh.dgid = gid;
			a.grh.sgid_index = (uint8_t)gid_index;
			a.grh.hop_limit = 7;
		}
		ah = ibv_create_ah(pd, &a);
		CHECK(ah);
		if (!ah)
			return;
		memset(buf, 0x51 + grh, 32);
		for (int k = 0; k < 2; k++) {
			CHECK_EQ(post_recv(qp, 7, buf + PAGE, 128, mr->lkey), 0);
			ibv_wr_start(q);
			q->wr_id = 8;
			q->wr_flags = 0;
			ibv_wr_send(q);
			ibv_wr_set_ud_addr(q, k ? back : ah, qp->qp_num, 0x1234);
			ibv_wr_set_sge(q, mr->lkey, (uintptr_t)buf, 32);
			CHECK_EQ(ibv_wr_complete(q), 0);
			if (k) {
				read_datagram(x, qp->qp_num);
				CHECK(!memcmp(buf, buf + PAGE + 40, 32));
				break;
			}
			CHECK_EQ(wait_cq(cq, 2, wc), 2);
			if (wc[0].wr_id != 7)
				wc[0] = wc[1];
			CHECK(wc[0].wr_id == 7 && !wc[0].status && wc[0].byte_len == 72 && wc[0].src_qp == qp->qp_num && !memcmp(buf, buf + PAGE + 40, 32));
			CHECK_EQ(wc[0].wc_flags, grh ? IBV_WC_GRH : 0);
			CHECK_EQ(ibv_init_ah_from_wc(ctx, 1, &wc[0], (void *)(buf + PAGE), &from), 0);
			CHECK_EQ(from.is_global, grh);
			if (!eth)
				CHECK_EQ(from.dlid, port.lid);
			if (grh)
				CHECK(!memcmp(&from.grh.dgid, &gid, 16) && from.grh.sgid_index == gid_index);
			back = ibv_create_ah_from_wc(pd, &wc[0], (void *)(buf + PAGE), 1);
			CHECK(back);
			if (!back)
				return;
		}
		CHECK_EQ(ibv_destroy_ah(back), 0);
		CHECK_EQ(ibv_destroy_ah(ah), 0);
	}
	if (eth) {
		/* the other node: .1 and .2 */
		a.grh.dgid.raw[15] ^= 3;
		CHECK_EQ(ibv_resolve_eth_l2_from_gid(ctx, &a, mac, &vid), 0);
		CHECK(mac[0] | mac[1] | mac[2] | mac[3] | mac[4] | mac[5]);
	}
	CHECK_EQ(ibv_destroy_qp(qp), 0);
	CHECK_EQ(ibv_destroy_cq(cq), 0);
}

static void multicast(void)
{
	/* of IPoIB's kind, or an IPv4 address */
	static const union ibv_gid groups[2] = { { .raw = { 0xff, 0x12, 0x40, 0x1b, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0x12, 0x34, 0x56, 0x78 } },
						 { .raw = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 239, 1, 2, 4 } } };
	const union ibv_gid group = groups[eth];
	struct ibv_cq *cq = ibv_create_cq(ctx, 16, NULL, NULL, 0);
	struct ibv_qp *qp = make_qp(pd, cq, IBV_QPT_UD);
	struct ibv_ah_attr a;
	struct ibv_send_wr wr = { .wr_id = 8, .opcode = IBV_WR_SEND }, *bad;
	struct ibv_sge s = { (uintptr_t)buf, 32, mr->lkey };
	struct ibv_wc wc[2];

	CHECK(qp);
	if (!qp)
		return;
	CHECK_EQ(ibv_attach_mcast(qp, &group, 0xc123), 0);
	path(&a);
	a.dlid = 0xc123;
	/* not without a GRH, on either link layer */
	a.is_global = 0;
	errno = 0;
	CHECK(!ibv_create_ah(pd, &a));
	CHECK_EQ(errno, EINVAL);
	a.is_global = 1;
	a.grh.dgid = group;
	a.grh.sgid_index = (uint8_t)gid_index;
	a.grh.hop_limit = 1;
	wr.wr.ud.ah = ibv_create_ah(pd, &a);
	wr.wr.ud.remote_qpn = 0xffffff;
	wr.wr.ud.remote_qkey = 0x1234;
	wr.sg_list = &s;
	wr.num_sge = 1;
	CHECK(wr.wr.ud.ah);
	if (!wr.wr.ud.ah)
		return;
	memset(buf, 0x61, 32);
	CHECK_EQ(post_recv(qp, 7, buf + PAGE, 128, mr->lkey), 0);
	CHECK_EQ(ibv_post_send(qp, &wr, &bad), 0);
	CHECK_EQ(wait_cq(cq, 2, wc), 2);
	CHECK(!wc[0].status && !wc[1].status && !memcmp(buf, buf + PAGE + 40, 32));
	CHECK_EQ(ibv_detach_mcast(qp, &group, 0xc123), 0);
	CHECK(ibv_detach_mcast(qp, &group, 0xc123));
	CHECK_EQ(ibv_destroy_ah(wr.wr.ud.ah), 0);
	CHECK_EQ(ibv_destroy_qp(qp), 0);
	CHECK_EQ(ibv_destroy_cq(cq), 0);
}

/* Completions' time stamps and the adapter's clock are one: a stamp lies between two looks at it. */
static void clock_values(void)
{
	struct ibv_cq_init_attr_ex ci = { .cqe = 16, .wc_flags = IBV_WC_STANDARD_FLAGS | IBV_WC_EX_WITH_COMPLETION_TIMESTAMP };
	struct ibv_values_ex before = { .comp_mask = IBV_VALUES_MASK_RAW_CLOCK }, after = before, none = {};
	struct ibv_cq_ex *x = ibv_create_cq_ex(ctx, &ci);
	struct ibv_qp *qp = x ? make_qp(pd, ibv_cq_ex_to_cq(x), IBV_QPT_RC) : NULL;
	uint64_t end = now_ns() + 60000000000ull, ts = 0;
	struct ibv_poll_cq_attr pa = {};
	int r;

	CHECK(qp);
	if (!qp)
		return;
	CHECK_EQ(ibv_query_rt_values_ex(ctx, &none), EINVAL);
	CHECK_EQ(ibv_query_rt_values_ex(ctx, &before), 0);
	CHECK_EQ(before.comp_mask, IBV_VALUES_MASK_RAW_CLOCK);
	CHECK_EQ(post(qp, IBV_WR_RDMA_WRITE, 1, buf, 8, mr->lkey, buf + PAGE, mr->rkey), 0);
	while ((r = ibv_start_poll(x, &pa)) == ENOENT && now_ns() < end)
		;
	CHECK_EQ(r, 0);
	if (!r) {
		ts = ibv_wc_read_completion_ts(x);
		ibv_end_poll(x);
	}
	CHECK_EQ(ibv_query_rt_values_ex(ctx, &after), 0);
	CHECK((uint64_t)before.raw_clock.tv_nsec < ts && ts < (uint64_t)after.raw_clock.tv_nsec);
	CHECK_EQ(ibv_destroy_qp(qp), 0);
	CHECK_EQ(ibv_destroy_cq(ibv_cq_ex_to_cq(x)), 0);
}

/* Memory that a parent domain's queues have from the program */
static unsigned int given, taken_back;
static uint64_t kinds;

static void *give(struct ibv_pd *p, void *what, size_t size, size_t alignment, uint64_t type)
{
	void *m = NULL;

	CHECK(what == &given && size && alignment);
	kinds |= 1ull << type;
	given++;
	return posix_memalign(&m, alignment, size) ? NULL : memset(m, 0xff, size);
}

static void take_back(struct ibv_pd *p, void *what, void *m, uint64_t type)
{
	CHECK(what == &given);
	taken_back++;
	free(m);
}

static void domains(void)
{
	struct ibv_td_init_attr ti = {};
	struct ibv_td *td = ibv_alloc_td(ctx, &ti);
	struct ibv_pd *own = ibv_alloc_pd(ctx), *plain, *alloc;
	struct ibv_parent_domain_init_attr pi = { .pd = own, .td = td };
	struct ibv_cq_init_attr_ex ci = { .cqe = 16, .wc_flags = IBV_WC_STANDARD_FLAGS, .comp_mask = IBV_CQ_INIT_ATTR_MASK_PD };
	struct ibv_cq_ex *x;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *m;
	struct ibv_ah_attr path_attr;
	struct ibv_ah *ah;
	struct ibv_sge s;
	struct ibv_send_wr wr = { .wr_id = 8, .opcode = IBV_WR_SEND, .sg_list = &s, .num_sge = 1 }, *bad;
	struct ibv_wc wc[2];

	CHECK(td && own);
	plain = ibv_alloc_parent_domain(ctx, &pi);
	pi.comp_mask = IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS | IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT;
	pi.alloc = give;
	pi.free = take_back;
	pi.pd_context = &given;
	alloc = ibv_alloc_parent_domain(ctx, &pi);
	CHECK(plain && alloc);
	if (!plain || !alloc)
		return;
	pi.pd = plain;
	errno = 0;
	CHECK(!ibv_alloc_parent_domain(ctx, &pi) && errno == EINVAL);
	CHECK_EQ(ibv_dealloc_td(td), EBUSY);
	CHECK_EQ(ibv_dealloc_pd(own), EBUSY);
	ci.parent_domain = alloc;
	x = ibv_create_cq_ex(ctx, &ci);
	cq = x ? ibv_cq_ex_to_cq(x) : NULL;
	qp = cq ? make_qp(alloc, cq, IBV_QPT_RC) : NULL;
	m = ibv_reg_mr(plain, buf + 30 * PAGE, 2 * PAGE, ALL);
	CHECK(qp && m && given == 3 && kinds);		/* the QP, the CQ and its doorbell record */
	if (!qp || !m)
		return;
	CHECK_EQ(ibv_dealloc_pd(alloc), EBUSY);
	/* domains of the same one are the same to the adapter, */
	CHECK_EQ(write_page(qp, cq, m, buf + 30 * PAGE, m, buf + 31 * PAGE, 0x81), 0);
	CHECK(buf[31 * PAGE] == 0x81);
	CHECK_EQ(ibv_resize_cq(cq, 300), 0);
	CHECK_EQ(given, 4);
	/* others are not */
	CHECK_EQ(write_page(qp, cq, mr, buf, m, buf + 31 * PAGE, 0x82), IBV_WC_LOC_PROT_ERR);
	CHECK(buf[31 * PAGE] == 0x81);
	CHECK_EQ(ibv_destroy_qp(qp), 0);
	/* an address handle of the domain itself for a QP of its parent domain */
	qp = make_qp(plain, cq, IBV_QPT_UD);
	path(&path_attr);
	ah = ibv_create_ah(own, &path_attr);
	CHECK(qp && ah);
	if (!qp || !ah)
		return;
	s = (struct ibv_sge){ (uintptr_t)buf + 30 * PAGE, 16, m->lkey };
	wr.wr.ud.ah = ah;
	wr.wr.ud.remote_qpn = qp->qp_num;
	wr.wr.ud.remote_qkey = 0x1234;
	CHECK_EQ(post_recv(qp, 7, buf + 31 * PAGE, 128, m->lkey), 0);
	CHECK_EQ(ibv_post_send(qp, &wr, &bad), 0);
	CHECK_EQ(wait_cq(cq, 2, wc), 2);
	CHECK(!wc[0].status && !wc[1].status);
	CHECK_EQ(ibv_destroy_ah(ah), 0);
	CHECK_EQ(ibv_destroy_qp(qp), 0);
	CHECK_EQ(ibv_dereg_mr(m), 0);
	CHECK_EQ(ibv_destroy_cq(cq), 0);
	CHECK_EQ(taken_back, given);
	CHECK_EQ(ibv_dealloc_pd(alloc), 0);
	CHECK_EQ(ibv_dealloc_pd(plain), 0);
	CHECK_EQ(ibv_dealloc_td(td), 0);
	CHECK_EQ(ibv_dealloc_pd(own), 0);
}

/* Every change of a region, and every mix of them */
static void changed_regions(void)
{
	struct ibv_cq *cq = ibv_create_cq(ctx, 16, NULL, NULL, 0);
	struct ibv_pd *other = ibv_alloc_pd(ctx);
	struct ibv_qp *qp, *qo;
	struct ibv_mr *m;
	uint32_t key;

	for (int flags = 1; flags < 8; flags++) {
		bool trans = flags & IBV_REREG_MR_CHANGE_TRANSLATION, to_other = flags & IBV_REREG_MR_CHANGE_PD, rights = flags & IBV_REREG_MR_CHANGE_ACCESS;
		uint8_t *now = buf + (trans ? 42 : 40) * PAGE;

		qp = make_qp(pd, cq, IBV_QPT_RC);
		qo = make_qp(other, cq, IBV_QPT_RC);
		m = ibv_reg_mr(pd, buf + 40 * PAGE, PAGE, rights ? 0 : ALL);
		CHECK(qp && qo && m);
		if (!qp || !qo || !m)
			return;
		key = m->rkey;
		CHECK_EQ(ibv_rereg_mr(m, flags, to_other ? other : NULL, trans ? now : NULL, trans ? 2 * PAGE : 0, rights ? ALL : 0), 0);
		CHECK(m->pd == (to_other ? other : pd) && m->addr == now && m->length == (trans ? 2 : 1) * PAGE);
		memset(now, 0x90 + flags, PAGE);
		/* the same key, with all that was asked for */
		CHECK(m->rkey == key && m->lkey == key);
		CHECK_EQ(write_page(to_other ? qo : qp, cq, m, now, m, now + PAGE / 2, (uint8_t)(0xa0 + flags)), 0);
		CHECK(now[PAGE / 2] == 0xa0 + flags);
		if (trans)
			CHECK_EQ(write_page(to_other ? qo : qp, cq, m, now, m, now + PAGE, (uint8_t)(0xb0 + flags)), 0);
		/* not what it was before: not even the sender's own side has it */
		if (trans)
			CHECK_EQ(write_page(to_other ? qo : qp, cq, m, buf + 40 * PAGE, m, now, 2), IBV_WC_LOC_PROT_ERR);
		CHECK_EQ(ibv_destroy_qp(to_other ? qo : qp), 0);
		/* nor by the old domain */
		if (to_other)
			CHECK_EQ(write_page(qp, cq, m, now, m, now, 1), IBV_WC_LOC_PROT_ERR);
		CHECK_EQ(ibv_destroy_qp(to_other ? qp : qo), 0);
		CHECK_EQ(ibv_dereg_mr(m), 0);
	}
	/* what cannot be changed stays as it was */
	m = ibv_reg_mr(pd, buf + 40 * PAGE, PAGE, ALL);
	qp = make_qp(pd, cq, IBV_QPT_RC);
	CHECK(qp && m);
	if (!qp || !m)
		return;
	CHECK(ibv_rereg_mr(m, IBV_REREG_MR_CHANGE_TRANSLATION, NULL, (void *)0x10000, PAGE, 0));
	CHECK_EQ(write_page(qp, cq, m, buf + 40 * PAGE, m, buf + 40 * PAGE + 64, 0xc1), 0);
	CHECK(buf[40 * PAGE + 64] == 0xc1);
	CHECK_EQ(ibv_destroy_qp(qp), 0);
	CHECK_EQ(ibv_dereg_mr(m), 0);
	CHECK_EQ(ibv_dealloc_pd(other), 0);
	CHECK_EQ(ibv_destroy_cq(cq), 0);
}

/* Memory that another driver gives, here one that makes it of a file in memory */
static void dma_buffers(void)
{
	int file = memfd_create("api", MFD_ALLOW_SEALING), dev = open("/dev/udmabuf", O_RDWR), fd = -1;
	struct udmabuf_create c = { .memfd = (uint32_t)file, .size = 4 * PAGE };
	struct ibv_cq *cq = ibv_create_cq(ctx, 16, NULL, NULL, 0);
	struct ibv_qp *qp = make_qp(pd, cq, IBV_QPT_RC);
	struct ibv_mr *m;
	uint8_t *p;

	CHECK(file >= 0 && dev >= 0 && !ftruncate(file, 4 * PAGE) && !fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK));
	fd = dev >= 0 ? ioctl(dev, UDMABUF_CREATE, &c) : -1;
	p = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	CHECK(fd >= 0 && p != MAP_FAILED && qp);
	if (fd < 0 || !qp)
		return;
	m = ibv_reg_dmabuf_mr(pd, PAGE + 256, 2 * PAGE, 0x5100, fd, ALL);
	CHECK(m && m->lkey && m->rkey);
	if (!m)
		return;
	CHECK_EQ(write_page(qp, cq, mr, buf, m, (void *)(0x5100 + PAGE), 0xd1), 0);
	CHECK(p[2 * PAGE + 256] == 0xd1 && p[2 * PAGE + 256 + 63] == 0xd1 && !p[2 * PAGE + 255] && !p[2 * PAGE + 256 + 64]);
	memset(p + PAGE + 256, 0xd2, 64);
	CHECK_EQ(post(qp, IBV_WR_RDMA_READ, 1, buf, 64, mr->lkey, (void *)0x5100, m->rkey), 0);
	CHECK_EQ(wait_cq(cq, 1, &(struct ibv_wc){}), 1);
	CHECK(buf[0] == 0xd2 && buf[63] == 0xd2);
	CHECK_EQ(ibv_dereg_mr(m), 0);
	errno = 0;
	CHECK(!ibv_reg_dmabuf_mr(pd, 3 * PAGE, 2 * PAGE, 0, fd, ALL) && errno == EINVAL);	/* beyond its end */
	CHECK(!ibv_reg_dmabuf_mr(pd, 0, PAGE, 0, file, ALL));					/* no such buffer */
	CHECK_EQ(ibv_destroy_qp(qp), 0);
	CHECK_EQ(ibv_destroy_cq(cq), 0);
	munmap(p, 4 * PAGE);
	close(fd);
	close(dev);
	close(file);
}

/* Another process with this one's context: it makes queues of its own, and uses the domain and the region of this one. */
static void imported(void)
{
	int status = -1;
	pid_t pid;

	memset(buf + 50 * PAGE, 0, 2 * PAGE);
	memset(buf + 52 * PAGE, 0xe1, 64);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		struct ibv_context *c = ibv_import_device(dup(ctx->cmd_fd));
		struct ibv_pd *p = c ? ibv_import_pd(c, pd->handle) : NULL;
		struct ibv_mr *m = p ? ibv_import_mr(p, mr->handle) : NULL;
		struct ibv_cq *cq = c ? ibv_create_cq(c, 16, NULL, NULL, 0) : NULL;
		struct ibv_qp *qp = m && cq ? make_qp(p, cq, IBV_QPT_RC) : NULL;
		struct ibv_wc wc = { .status = IBV_WC_GENERAL_ERR };
		struct ibv_port_attr a;

		CHECK(c && c->num_comp_vectors == ctx->num_comp_vectors && !ibv_query_port(c, 1, &a));
		CHECK(m && m->lkey == mr->lkey && m->rkey == mr->rkey && m->length == mr->length);
		CHECK(qp);
		if (qp) {
			/* Where the child's and the parent's memory differ: the region is the parent's. */
			memset(buf + 52 * PAGE, 0, 64);
			CHECK_EQ(post(qp, IBV_WR_RDMA_WRITE, 1, buf + 52 * PAGE, 64, m->lkey, buf + 50 * PAGE, m->rkey), 0);
			CHECK_EQ(wait_cq(cq, 1, &wc), 1);
			CHECK_EQ(wc.status, 0);
			CHECK_EQ(ibv_destroy_qp(qp), 0);
			CHECK_EQ(ibv_destroy_cq(cq), 0);
			ibv_unimport_mr(m);
			ibv_unimport_pd(p);
			CHECK_EQ(ibv_close_device(c), 0);
		}
		if (check_failed)
			printf("# in the child: %s\n", check_why);
		fflush(stdout);
		_exit(check_failed);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_EQ(status, 0);
	CHECK(buf[50 * PAGE] == 0xe1 && buf[50 * PAGE + 63] == 0xe1 && !buf[50 * PAGE + 64]);
	/* and what was imported is here still */
	queue_pairs();
}

/* Options of connections, order of what is written: questions that have an answer */
static void answers(void)
{
	struct ibv_cq *cq = ibv_create_cq(ctx, 16, NULL, NULL, 0);
	struct ibv_qp *qp = make_qp(pd, cq, IBV_QPT_RC);
	struct ibv_ece e = { .vendor_id = 1 };

	CHECK(qp);
	if (!qp)
		return;
	CHECK_EQ(ibv_set_ece(qp, &e), EINVAL);
	CHECK_EQ(ibv_query_ece(qp, &e), 0);
	CHECK(e.vendor_id == 0x0ca1 && !e.options && !e.comp_mask);
	e.options = 0xffffffff;
	CHECK_EQ(ibv_set_ece(qp, &e), 0);
	CHECK_EQ(ibv_query_ece(qp, &e), 0);
	CHECK_EQ(e.options, 0);
	CHECK_EQ(ibv_query_qp_data_in_order(qp, IBV_WR_RDMA_WRITE, 0), 0);
	CHECK_EQ(ibv_query_qp_data_in_order(qp, IBV_WR_RDMA_WRITE, IBV_QUERY_QP_DATA_IN_ORDER_RETURN_CAPS), 0);
	CHECK_EQ(ibv_destroy_qp(qp), 0);
	CHECK_EQ(ibv_destroy_cq(cq), 0);
}

/* A user may pin as much as his limit says, of regions and of queues. */
static void locked_memory(void)
{
	int status = -1;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		struct rlimit l = { 256 << 10, 256 << 10 };
		struct ibv_device **list;
		struct ibv_context *c = NULL;
		struct ibv_pd *p;
		struct ibv_mr *few, *many;
		uint8_t *mem = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		int n;

		if (setrlimit(RLIMIT_MEMLOCK, &l) || setgid(65534) || setuid(65534))
			_exit(2);
		list = ibv_get_device_list(&n);
		for (int i = 0; list && i < n; i++)
			if (!strcmp(ibv_get_device_name(list[i]), name))
				c = ibv_open_device(list[i]);
		p = c ? ibv_alloc_pd(c) : NULL;
		CHECK(p);
		few = p ? ibv_reg_mr(p, mem, 64 << 10, ALL) : NULL;
		CHECK(few);
		errno = 0;
		many = p ? ibv_reg_mr(p, mem, 1 << 20, ALL) : NULL;
		CHECK(!many);
		CHECK_EQ(errno, ENOMEM);
		errno = 0;
		CHECK(p && !ibv_create_cq(c, 16383, NULL, NULL, 0));
		CHECK_EQ(errno, ENOMEM);
		/* what was refused is not counted */
		many = p ? ibv_reg_mr(p, mem, 128 << 10, ALL) : NULL;
		CHECK(many);
		if (check_failed)
			printf("# in the child: %s\n", check_why);
		fflush(stdout);
		_exit(check_failed);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_EQ(status, 0);
}

/* The event that is told for an object, within a minute */
static int next_event(struct ibv_async_event *ev)
{
	struct pollfd p = { .fd = ctx->async_fd, .events = POLLIN };

	return poll(&p, 1, 60000) == 1 ? ibv_get_async_event(ctx, ev) : -1;
}

static void async_events(void)
{
	struct ibv_cq *cq = ibv_create_cq(ctx, 16, NULL, NULL, 0);
	struct ibv_qp *qp = make_qp(pd, cq, IBV_QPT_RC), *other = make_qp(pd, cq, IBV_QPT_RC);
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_SQD, .en_sqd_async_notify = 1 };
	struct ibv_qp_init_attr ia = { .qp_type = IBV_QPT_RC, .sq_sig_all = 1,
				       .cap = { .max_send_wr = 8, .max_recv_wr = 8, .max_send_sge = 1, .max_recv_sge = 1 } };
	bool told_cq = false, told_qp = false;
	struct ibv_async_event ev;
	struct ibv_wc wc[4];

	CHECK(qp && other);
	if (!qp || !other)
		return;
	/* the responder of a QP sees an access that it does not allow */
	CHECK_EQ(post(qp, IBV_WR_RDMA_READ, 1, buf, 64, mr->lkey, (void *)0x100040, 0x12345678), 0);
	CHECK_EQ(next_event(&ev), 0);
	CHECK(ev.event_type == IBV_EVENT_QP_ACCESS_ERR && ev.element.qp == qp);
	ibv_ack_async_event(&ev);
	CHECK_EQ(wait_cq(cq, 1, wc), 1);
	CHECK_EQ(ibv_modify_qp(other, &a, IBV_QP_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY), 0);
	CHECK_EQ(next_event(&ev), 0);
	CHECK(ev.event_type == IBV_EVENT_SQ_DRAINED && ev.element.qp == other);
	ibv_ack_async_event(&ev);
	CHECK_EQ(ibv_destroy_qp(qp), 0);
	CHECK_EQ(ibv_destroy_qp(other), 0);
	CHECK_EQ(ibv_destroy_cq(cq), 0);
	/* a QP that is not ready to send yet hears of its partner, */
	cq = ibv_create_cq(ctx, 16, NULL, NULL, 0);
	ia.send_cq = cq;
	ia.recv_cq = cq;
	qp = ibv_create_qp(pd, &ia);
	other = ibv_create_qp(pd, &ia);
	CHECK(qp && other);
	if (!qp || !other)
		return;
	CHECK_EQ(to_state(other, IBV_ACCESS_REMOTE_WRITE, qp->qp_num, IBV_QPS_RTR), 0);
	CHECK_EQ(to_state(qp, IBV_ACCESS_REMOTE_WRITE, other->qp_num, IBV_QPS_RTS), 0);
	CHECK_EQ(post_recv(other, 1, buf + PAGE, 64, mr->lkey), 0);
	CHECK_EQ(post(qp, IBV_WR_SEND, 3, buf, 64, mr->lkey, NULL, 0), 0);
	CHECK_EQ(next_event(&ev), 0);
	CHECK(ev.event_type == IBV_EVENT_COMM_EST && ev.element.qp == other);
	ibv_ack_async_event(&ev);
	CHECK_EQ(wait_cq(cq, 2, wc), 2);
	CHECK_EQ(ibv_destroy_qp(qp), 0);
	CHECK_EQ(ibv_destroy_qp(other), 0);
	CHECK_EQ(ibv_destroy_cq(cq), 0);
	/* a QP whose partner sends more READs at once than were agreed */
	cq = ibv_create_cq(ctx, 16, NULL, NULL, 0);
	ia.send_cq = cq;
	ia.recv_cq = cq;
	qp = ibv_create_qp(pd, &ia);
	other = ibv_create_qp(pd, &ia);
	CHECK(qp && other);
	if (!qp || !other)
		return;
	dest_rd = 1;
	CHECK_EQ(to_state(other, IBV_ACCESS_REMOTE_READ, qp->qp_num, IBV_QPS_RTS), 0);
	dest_rd = 4;
	CHECK_EQ(to_state(qp, IBV_ACCESS_REMOTE_READ, other->qp_num, IBV_QPS_RTS), 0);
	for (uint64_t k = 0; k < 4; k++)
		CHECK_EQ(post(qp, IBV_WR_RDMA_READ, k, buf, 16 * PAGE, mr->lkey, buf + 32 * PAGE, mr->rkey), 0);
	CHECK_EQ(next_event(&ev), 0);
	CHECK(ev.event_type == IBV_EVENT_QP_REQ_ERR && ev.element.qp == other);
	ibv_ack_async_event(&ev);
	CHECK_EQ(wait_cq(cq, 4, wc), 4);
	CHECK_EQ(wc[3].status, IBV_WC_WR_FLUSH_ERR);
	CHECK_EQ(ibv_destroy_qp(qp), 0);
	CHECK_EQ(ibv_destroy_qp(other), 0);
	CHECK_EQ(ibv_destroy_cq(cq), 0);
	/* more completions than a queue has room for, which nobody takes: the queue is told of, and its QP */
	cq = ibv_create_cq(ctx, 1, NULL, NULL, 0);
	qp = make_qp(pd, cq, IBV_QPT_RC);
	CHECK(qp);
	if (!qp)
		return;
	for (int k = 0; k < 8; k++)
		CHECK_EQ(post(qp, IBV_WR_RDMA_WRITE, 1, buf, 8, mr->lkey, buf + PAGE, mr->rkey), 0);
	for (int k = 0; k < 2; k++) {
		CHECK_EQ(next_event(&ev), 0);
		if (ev.event_type == IBV_EVENT_CQ_ERR)
			told_cq = ev.element.cq == cq;
		else
			told_qp = ev.event_type == IBV_EVENT_QP_FATAL && ev.element.qp == qp;
		ibv_ack_async_event(&ev);
	}
	CHECK(told_cq && told_qp);
	CHECK_EQ(ibv_resize_cq(cq, 100), EINVAL);
	CHECK_EQ(ibv_destroy_qp(qp), 0);
	CHECK_EQ(ibv_destroy_cq(cq), 0);
}

/* What a program may do around fork(): its queues and regions go on working though the child touched all memory it got. */
static void forks(void)
{
	struct ibv_cq *cq = ibv_create_cq(ctx, 16, NULL, NULL, 0);
	struct ibv_qp *qp = make_qp(pd, cq, IBV_QPT_RC);
	int status;
	pid_t pid;

	CHECK_EQ(ibv_fork_init(), 0);
	/* Either this was called in time, or the kernel copies pinned pages at fork. */
	CHECK(ibv_is_fork_initialized() == IBV_FORK_ENABLED || ibv_is_fork_initialized() == IBV_FORK_UNNEEDED);
	CHECK(qp);
	if (!qp)
		return;
	pid = fork();
	if (!pid) {
		usleep(300000);
		_exit(0);
	}
	for (int k = 0; k < 8; k++) {
		CHECK_EQ(write_page(qp, cq, mr, buf + 20 * PAGE, mr, buf + 21 * PAGE, (uint8_t)(0x70 + k)), 0);
		CHECK(buf[21 * PAGE] == 0x70 + k);
	}
	CHECK(waitpid(pid, &status, 0) == pid && !status);
	CHECK_EQ(ibv_destroy_qp(qp), 0);
	CHECK_EQ(ibv_destroy_cq(cq), 0);
}

static struct ibv_qp *qp_with(struct ibv_cq *cq, uint64_t ops)
{
	struct ibv_qp_init_attr_ex i = { .send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC, .pd = pd,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS, .send_ops_flags = ops,
		.cap = { .max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1 } };

	return ibv_create_qp_ex(ctx, &i);
}

static struct ibv_cq_ex *cq_with(uint64_t flags)
{
	struct ibv_cq_init_attr_ex i = { .cqe = 16, .wc_flags = flags };

	return ibv_create_cq_ex(ctx, &i);
}

/* What is not there is refused when it is asked for, not when it is used first. */
static void unsupported(void)
{
	struct ibv_cq *cq = ibv_create_cq(ctx, 16, NULL, NULL, 0);
	struct ibv_qp *qp = make_qp(pd, cq, IBV_QPT_RC);
	struct ibv_qp_init_attr i = { .send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_UC, .cap = { 1, 1, 1, 1, 0 } };
	struct ibv_srq_init_attr si = { .attr = { .max_wr = 16, .max_sge = 1 } };
	struct ibv_srq_init_attr_ex sx = { .attr = { .max_wr = 16, .max_sge = 1 }, .comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD, .pd = pd };
	struct ibv_srq srq = { .context = ctx };
	struct ibv_srq_attr sa = {};
	struct ibv_recv_wr *bad, wr = {};
	struct ibv_ops_wr *bad_op, op = {};
	uint32_t num;
	struct ibv_xrcd_init_attr xi = { .comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS, .fd = -1, .oflags = O_CREAT };
	struct ibv_xrcd xrcd = { .context = ctx };
	struct ibv_qp_open_attr oa = {};
	struct ibv_mw mw = { .context = ctx, .pd = pd, .type = IBV_MW_TYPE_1 };
	struct ibv_mw_bind mb = { .bind_info = { .mr = mr, .addr = (uintptr_t)buf, .length = 64, .mw_access_flags = IBV_ACCESS_REMOTE_WRITE } };
	struct ibv_alloc_dm_attr da = { .length = 64 };
	struct ibv_dm dm = { .context = ctx };
	struct ibv_flow_attr fa = { .type = IBV_FLOW_ATTR_NORMAL, .size = sizeof(fa), .port = 1 };
	struct ibv_flow flow = { .context = ctx };
	struct ibv_flow_action_esp_attr ea = {};
	struct ibv_flow_action act = { .context = ctx };
	struct ibv_wq_init_attr wi = { .wq_type = IBV_WQT_RQ, .max_wr = 1, .max_sge = 1, .pd = pd, .cq = cq };
	struct ibv_wq wq = { .context = ctx };
	struct ibv_wq_attr wa = { .attr_mask = IBV_WQ_ATTR_STATE, .wq_state = IBV_WQS_RDY };
	struct ibv_rwq_ind_table_init_attr ri = {};
	struct ibv_rwq_ind_table rt = { .context = ctx };
	struct ibv_counters_init_attr ki = {};
	struct ibv_counters cnt = { .context = ctx };
	struct ibv_counter_attach_attr ka = {};
	struct ibv_qp_rate_limit_attr la = { .rate_limit = 1000 };
	struct ibv_qp_attr apm = { .path_mig_state = IBV_MIG_REARM, .alt_port_num = 1, .alt_timeout = 14 };
	struct ibv_qp_attr atomics = { .qp_access_flags = IBV_ACCESS_REMOTE_ATOMIC };
	struct ibv_qp_init_attr ignored;
	struct ibv_sge sge = { (uintptr_t)buf, 64, mr->lkey };
	uint64_t value;

	CHECK(cq && qp);
	if (!qp)
		return;
	NO_PTR(ibv_create_qp(pd, &i));
	i.qp_type = IBV_QPT_RAW_PACKET;
	NO_PTR(ibv_create_qp(pd, &i));
	i.qp_type = IBV_QPT_XRC_SEND;
	NO_PTR(ibv_create_qp(pd, &i));
	/* shared receive queues and XRC */
	NO_PTR(ibv_create_srq(pd, &si));
	NO_PTR(ibv_create_srq_ex(ctx, &sx));
	NO_INT(ibv_modify_srq(&srq, &sa, IBV_SRQ_LIMIT));
	NO_INT(ibv_query_srq(&srq, &sa));
	NO_INT(ibv_get_srq_num(&srq, &num));
	NO_INT(ibv_post_srq_recv(&srq, &wr, &bad));
	NO_INT(ibv_post_srq_ops(&srq, &op, &bad_op));
	NO_INT(ibv_destroy_srq(&srq));
	NO_PTR(ibv_open_xrcd(ctx, &xi));
	NO_INT(ibv_close_xrcd(&xrcd));
	NO_PTR(ibv_open_qp(ctx, &oa));
	/* windows, device memory, regions without memory, on-demand paging */
	NO_PTR(ibv_alloc_mw(pd, IBV_MW_TYPE_1));
	NO_PTR(ibv_alloc_mw(pd, IBV_MW_TYPE_2));
	NO_INT(ibv_bind_mw(qp, &mw, &mb));
	NO_INT(ibv_dealloc_mw(&mw));
	NO_PTR(ibv_alloc_dm(ctx, &da));
	NO_INT(ibv_free_dm(&dm));
	NO_PTR(ibv_import_dm(ctx, 1));
	NO_PTR(ibv_reg_dm_mr(pd, &dm, 0, 64, IBV_ACCESS_LOCAL_WRITE));
	NO_PTR(ibv_alloc_null_mr(pd));
	NO_INT(ibv_advise_mr(pd, IBV_ADVISE_MR_ADVICE_PREFETCH, 0, &sge, 1));
	NO_PTR(ibv_reg_mr(pd, buf, PAGE, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ON_DEMAND));
	NO_PTR(ibv_reg_mr(pd, buf, PAGE, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ZERO_BASED));
	/* atomics: regions and QPs that are for nothing else, and what is posted; beside other rights the right is taken and not given */
	NO_PTR(ibv_reg_mr(pd, buf, PAGE, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_ATOMIC));
	NO_INT(ibv_modify_qp(qp, &atomics, IBV_QP_ACCESS_FLAGS));
	NO_INT(post(qp, IBV_WR_ATOMIC_CMP_AND_SWP, 1, buf, 8, mr->lkey, buf + 64, mr->rkey));
	NO_INT(post(qp, IBV_WR_ATOMIC_FETCH_AND_ADD, 1, buf, 8, mr->lkey, buf + 64, mr->rkey));
	atomics.qp_access_flags |= IBV_ACCESS_REMOTE_READ;
	CHECK_EQ(ibv_modify_qp(qp, &atomics, IBV_QP_ACCESS_FLAGS), 0);
	CHECK_EQ(ibv_query_qp(qp, &atomics, IBV_QP_ACCESS_FLAGS, &ignored), 0);
	CHECK_EQ(atomics.qp_access_flags, IBV_ACCESS_REMOTE_READ);
	/* flow steering, receive-side scaling, counters of flows, pacing */
	NO_PTR(ibv_create_flow(qp, &fa));
	NO_INT(ibv_destroy_flow(&flow));
	NO_PTR(ibv_create_flow_action_esp(ctx, &ea));
	NO_INT(ibv_modify_flow_action_esp(&act, &ea));
	NO_INT(ibv_destroy_flow_action(&act));
	NO_PTR(ibv_create_wq(ctx, &wi));
	NO_INT(ibv_modify_wq(&wq, &wa));
	NO_INT(ibv_destroy_wq(&wq));
	NO_PTR(ibv_create_rwq_ind_table(ctx, &ri));
	NO_INT(ibv_destroy_rwq_ind_table(&rt));
	NO_PTR(ibv_create_counters(ctx, &ki));
	NO_INT(ibv_attach_counters_point_flow(&cnt, &ka, &flow));
	NO_INT(ibv_read_counters(&cnt, &value, 1, 0));
	NO_INT(ibv_destroy_counters(&cnt));
	NO_INT(ibv_modify_qp_rate_limit(qp, &la));
	/* alternate paths */
	path(&apm.alt_ah_attr);
	/* RoCE has none by its nature, says the core */
	if (eth)
		CHECK_EQ(ibv_modify_qp(qp, &apm, IBV_QP_ALT_PATH | IBV_QP_PATH_MIG_STATE), EINVAL);
	else
		NO_INT(ibv_modify_qp(qp, &apm, IBV_QP_ALT_PATH | IBV_QP_PATH_MIG_STATE));
	/* operations of extended QPs */
	NO_PTR(qp_with(cq, IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP));
	NO_PTR(qp_with(cq, IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD));
	NO_PTR(qp_with(cq, IBV_QP_EX_WITH_ATOMIC_WRITE));
	NO_PTR(qp_with(cq, IBV_QP_EX_WITH_FLUSH));
	NO_PTR(qp_with(cq, IBV_QP_EX_WITH_LOCAL_INV));
	NO_PTR(qp_with(cq, IBV_QP_EX_WITH_BIND_MW));
	NO_PTR(qp_with(cq, IBV_QP_EX_WITH_SEND_WITH_INV));
	NO_PTR(qp_with(cq, IBV_QP_EX_WITH_TSO));
	/* what completions cannot tell */
	NO_PTR(cq_with(IBV_WC_EX_WITH_FLOW_TAG));
	NO_PTR(cq_with(IBV_WC_EX_WITH_TM_INFO));
	NO_PTR(cq_with(IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK));
	CHECK_EQ(ibv_destroy_qp(qp), 0);
	CHECK_EQ(ibv_destroy_cq(cq), 0);
}

int main(int argc, char **argv)
{
	struct ibv_device **list;
	int n = 0;

	if (argc < 3) {
		fprintf(stderr, "usage: api DEVICE GID-INDEX [CASE…]\n");
		return 2;
	}
	name = argv[1];
	cases = argv + 3;
	gid_index = atoi(argv[2]);
	if (ibv_fork_init()) {
		printf("not ok opening - ibv_fork_init\n");
		return 1;
	}
	list = ibv_get_device_list(&n);
	for (int i = 0; list && i < n; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			ctx = ibv_open_device(list[i]);
	ibv_free_device_list(list);
	pd = ctx ? ibv_alloc_pd(ctx) : NULL;
	buf = mmap(NULL, 64 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mr = pd ? ibv_reg_mr(pd, buf, 64 * PAGE, ALL) : NULL;
	if (!mr || ibv_query_port(ctx, 1, &port) || ibv_query_gid(ctx, 1, gid_index, &gid)) {
		printf("not ok opening - %s\n", strerror(errno));
		return 1;
	}
	eth = port.link_layer == IBV_LINK_LAYER_ETHERNET;
	CASE(devices);
	CASE(queries);
	CASE(words);
	CASE(memory);
	CASE(queue_pairs);
	CASE(large_rings);
	CASE(completion_events);
	CASE(resized_cqs);
	CASE(moderated_cqs);
	CASE(extended);
	CASE(datagrams);
	CASE(multicast);
	CASE(clock_values);
	CASE(domains);
	CASE(changed_regions);
	CASE(dma_buffers);
	CASE(imported);
	CASE(answers);
	CASE(locked_memory);
	CASE(async_events);
	CASE(forks);
	CASE(unsupported);
	if (ibv_dereg_mr(mr) || ibv_dealloc_pd(pd) || ibv_close_device(ctx)) {
		printf("not ok closing - %s\n", strerror(errno));
		return 1;
	}
	printf("ok closing\n");
	return !!check_total_failed;
}
