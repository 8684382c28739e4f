// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/*
 * Run in a guest: the functions of librdmacm and rsockets, each called for what it is there for, between two ends in this process.
 * docs/features.md names the case (a function here) that shows each of them.
 *
 * usage: cm ADDRESS                an IPv4 address of an interface that belongs to the adapter's port
 *        cm ADDRESS nobody OTHER   OTHER: an address whose neighbour entry leads to no port; a connection there fails
 *        cm ADDRESS removed        waits for the adapter to be taken away, after it has printed "waiting"
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/uio.h>

#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>
#include <rdma/rsocket.h>

#include "../sim/check.h"

#define CASE(fn) one_case(#fn, fn)
#define NO_INT(call) do { errno = 0; int r_ = (call); CHECK_EQ(r_ < 0 ? errno : r_, EOPNOTSUPP); } while (0)
#define GIVES(call, error) do { errno = 0; CHECK_EQ((call) < 0 ? errno : 0, error); } while (0)
/* Without it the case cannot go on. */
#define MUST(cond) do { \
	bool good_ = (cond); \
	if (!good_) { \
		CHECK(good_ && #cond); \
		longjmp(end_of_case, 1); \
	} \
} while (0)
#define SECONDS 150	/* for a case, on a slow machine */

static const char *address;
static jmp_buf end_of_case;
static const char *running;
static const char *awaited = "none";

static void (*body)(void);

static void until_its_end(void)
{
	if (!setjmp(end_of_case))
		body();
}

static void one_case(const char *name, void (*fn)(void))
{
	running = name;
	body = fn;
	alarm(SECONDS);
	run_case(name, until_its_end);
	alarm(0);
}

/* A case that hangs or crashes says so. */
static void died(int sig)
{
	char line[400];
	int n = snprintf(line, sizeof(line), "not ok %s - signal %d, the last event waited for was %s%s%s\n", running ? running : "main", sig,
			 awaited, check_failed ? ", after " : "", check_failed ? check_why : "");

	if (write(1, line, (size_t)n) < 0)
		_exit(2);
	_exit(1);
}

static struct sockaddr_in to(const char *where, uint16_t port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(port) };

	inet_pton(AF_INET, where, &a.sin_addr);
	return a;
}

static struct sockaddr_in at(uint16_t port)
{
	return to(address, port);
}

/* ------------------------------------------------------------------ by event channel: both ends in one thread */

static struct rdma_event_channel *ch;
static struct rdma_cm_event last;	/* what the last event said, and its private data */
static uint8_t last_data[256];

static void open_channel(void)
{
	ch = rdma_create_event_channel();
	MUST(ch);
}

/*
 * The next event of the channel, which must be of this type; its ID, which of a request is a new one. That an old connection's time of
 * waiting is over may come in between.
 */
static struct rdma_cm_id *expect(enum rdma_cm_event_type type)
{
	struct pollfd p = { .fd = ch->fd, .events = POLLIN };
	struct rdma_cm_event *e = NULL;
	const void *data;
	size_t len;
	bool tcp;

	awaited = rdma_event_str(type);
	do {
		MUST(poll(&p, 1, SECONDS * 1000) == 1 && !rdma_get_cm_event(ch, &e));
		last = *e;
		tcp = last.id->ps == RDMA_PS_TCP;
		data = tcp ? last.param.conn.private_data : last.param.ud.private_data;
		len = tcp ? last.param.conn.private_data_len : last.param.ud.private_data_len;
		memset(last_data, 0, sizeof(last_data));
		if (data)
			memcpy(last_data, data, len);
		MUST(!rdma_ack_cm_event(e));
	} while (last.event == RDMA_CM_EVENT_TIMEWAIT_EXIT && type != last.event);
	if (last.event != type) {
		if (!check_failed++)
			snprintf(check_why, sizeof(check_why), "%s, status %d, in place of %s", rdma_event_str(last.event), last.status,
				 rdma_event_str(type));
		longjmp(end_of_case, 1);
	}
	return last.id;
}

static struct rdma_cm_id *listener(enum rdma_port_space ps, uint16_t port)
{
	struct sockaddr_in a = at(port);
	struct rdma_cm_id *id = NULL;

	MUST(!rdma_create_id(ch, &id, NULL, ps));
	MUST(!rdma_bind_addr(id, (struct sockaddr *)&a));
	MUST(!rdma_listen(id, 4));
	return id;
}

static struct rdma_cm_id *resolved(enum rdma_port_space ps, uint16_t port)
{
	struct sockaddr_in a = at(port);
	struct rdma_cm_id *id = NULL;

	MUST(!rdma_create_id(ch, &id, NULL, ps));
	MUST(!rdma_resolve_addr(id, NULL, (struct sockaddr *)&a, 20000));
	CHECK(expect(RDMA_CM_EVENT_ADDR_RESOLVED) == id);
	MUST(id->verbs);
	MUST(!rdma_resolve_route(id, 20000));
	CHECK(expect(RDMA_CM_EVENT_ROUTE_RESOLVED) == id);
	return id;
}

static struct ibv_qp_init_attr qp_attr(enum ibv_qp_type type)
{
	return (struct ibv_qp_init_attr){ .qp_type = type, .sq_sig_all = 1,
					  .cap = { .max_send_wr = 8, .max_recv_wr = 8, .max_send_sge = 2, .max_recv_sge = 2, .max_inline_data = 64 } };
}

static const struct rdma_conn_param plain = { .responder_resources = 2, .initiator_depth = 2, .retry_count = 7, .rnr_retry_count = 7,
					      .private_data = "hello", .private_data_len = 6 };

/* The QP of one end is connected to one of the other; the other end's ID */
static struct rdma_cm_id *connected(struct rdma_cm_id *c)
{
	struct ibv_qp_init_attr qc = qp_attr(IBV_QPT_RC), qs = qc;
	struct rdma_conn_param p = plain;
	struct rdma_cm_id *s;

	MUST(!rdma_create_qp(c, NULL, &qc) && c->qp);
	MUST(!rdma_connect(c, &p));
	s = expect(RDMA_CM_EVENT_CONNECT_REQUEST);
	CHECK(!strcmp((char *)last_data, "hello"));
	MUST(!rdma_create_qp(s, NULL, &qs) && s->qp);
	MUST(!rdma_accept(s, &p));
	/* the two words come one after the other */
	CHECK(expect(RDMA_CM_EVENT_ESTABLISHED) == c);
	CHECK(!strcmp((char *)last_data, "hello"));
	CHECK(expect(RDMA_CM_EVENT_ESTABLISHED) == s);
	return s;
}

static void closed(struct rdma_cm_id *id)
{
	rdma_destroy_qp(id);
	CHECK(!id->qp);
	CHECK_EQ(rdma_destroy_id(id), 0);
}

static void connections(void)
{
	struct rdma_conn_param p = plain;
	struct ibv_qp_init_attr qa;
	struct rdma_event_channel *mine, *other;
	struct rdma_cm_id *l, *c, *s;
	struct ibv_context **all;
	struct ibv_wc wc;
	char text[64] = "by rdma_post_send", got[64] = "";
	struct ibv_mr *ms, *mg;
	int n = 0;

	all = rdma_get_devices(&n);
	MUST(all && n >= 1);
	CHECK(all[0] && !all[n]);
	rdma_free_devices(all);
	open_channel();
	mine = ch;
	other = rdma_create_event_channel();
	MUST(other);
	l = listener(RDMA_PS_TCP, 7471);
	c = resolved(RDMA_PS_TCP, 7471);
	s = connected(c);
	CHECK_EQ(ntohs(rdma_get_src_port(s)), 7471);
	CHECK_EQ(ntohs(rdma_get_dst_port(c)), 7471);
	CHECK(((struct sockaddr_in *)rdma_get_local_addr(s))->sin_addr.s_addr == at(0).sin_addr.s_addr);
	CHECK(((struct sockaddr_in *)rdma_get_peer_addr(s))->sin_port == rdma_get_src_port(c));
	mg = rdma_reg_msgs(s, got, sizeof(got));
	ms = rdma_reg_msgs(c, text, sizeof(text));
	MUST(mg && ms);
	CHECK_EQ(rdma_post_recv(s, got, got, sizeof(got), mg), 0);
	CHECK_EQ(rdma_post_send(c, text, text, sizeof(text), ms, 0), 0);
	CHECK_EQ(rdma_get_send_comp(c, &wc), 1);
	CHECK(!wc.status && wc.wr_id == (uintptr_t)text);
	CHECK_EQ(rdma_get_recv_comp(s, &wc), 1);
	CHECK(!wc.status && wc.wr_id == (uintptr_t)got && !strcmp(got, text));
	/* What happens to this end is told on another channel from here on. Its end is an answer to the other's. */
	CHECK_EQ(rdma_migrate_id(s, other), 0);
	CHECK_EQ(rdma_disconnect(c), 0);
	ch = other;
	CHECK(expect(RDMA_CM_EVENT_DISCONNECTED) == s);
	CHECK_EQ(rdma_disconnect(s), 0);
	ch = mine;
	CHECK(expect(RDMA_CM_EVENT_DISCONNECTED) == c);
	/* the QPs are in error */
	CHECK_EQ(rdma_post_recv(c, NULL, text, sizeof(text), ms), 0);
	CHECK_EQ(rdma_get_recv_comp(c, &wc), 1);
	CHECK_EQ(wc.status, IBV_WC_WR_FLUSH_ERR);
	CHECK_EQ(rdma_dereg_mr(mg), 0);
	CHECK_EQ(rdma_dereg_mr(ms), 0);
	/* and may be connected anew after a while, which is told */
	CHECK(expect(RDMA_CM_EVENT_TIMEWAIT_EXIT) == c);
	closed(s);
	closed(c);
	rdma_destroy_event_channel(other);
	/* refused, with and without a word on extensions: 28 is "by the consumer" */
	for (int k = 0; k < 2; k++) {
		c = resolved(RDMA_PS_TCP, 7471);
		qa = qp_attr(IBV_QPT_RC);
		MUST(!rdma_create_qp(c, NULL, &qa));
		MUST(!rdma_connect(c, &p));
		s = expect(RDMA_CM_EVENT_CONNECT_REQUEST);
		CHECK_EQ(k ? rdma_reject_ece(s, "no", 3) : rdma_reject(s, "no", 3), 0);
		CHECK(expect(RDMA_CM_EVENT_REJECTED) == c);
		CHECK(!strcmp((char *)last_data, "no"));
		CHECK_EQ(last.status, k ? 35 : 28);
		CHECK_EQ(rdma_destroy_id(s), 0);
		closed(c);
	}
	CHECK_EQ(rdma_destroy_id(l), 0);
	rdma_destroy_event_channel(ch);
}

/* What goes wrong is told, and by the right word. */
static void errors(void)
{
	struct sockaddr_in taken = at(7481), none = at(0), foreign = to("203.0.113.9", 7481);
	struct ibv_qp_init_attr qa = qp_attr(IBV_QPT_RC), too_much = qa;
	struct rdma_conn_param p = plain;
	struct rdma_cm_id *l, *c;

	for (int e = RDMA_CM_EVENT_ADDR_RESOLVED; e <= RDMA_CM_EVENT_TIMEWAIT_EXIT; e++)
		CHECK(!strncmp(rdma_event_str((enum rdma_cm_event_type)e), "RDMA_CM_EVENT_", 14));
	CHECK(!strcmp(rdma_event_str(RDMA_CM_EVENT_CONNECT_REQUEST), "RDMA_CM_EVENT_CONNECT_REQUEST"));
	CHECK(rdma_seterrno(EAGAIN) == -1 && errno == EAGAIN);
	CHECK(!rdma_seterrno(0));
	open_channel();
	l = listener(RDMA_PS_TCP, 7481);
	/* a port that is taken, an address that is not ours, a state that does not fit */
	MUST(!rdma_create_id(ch, &c, NULL, RDMA_PS_TCP));
	GIVES(rdma_bind_addr(c, (struct sockaddr *)&taken), EADDRINUSE);
	CHECK_EQ(rdma_destroy_id(c), 0);
	MUST(!rdma_create_id(ch, &c, NULL, RDMA_PS_TCP));
	GIVES(rdma_bind_addr(c, (struct sockaddr *)&foreign), EADDRNOTAVAIL);
	GIVES(rdma_listen(l, 4), EINVAL);
	/* an address that nobody has: the interface's neighbours are asked in vain */
	none.sin_addr.s_addr = (none.sin_addr.s_addr & htonl(0xffffff00)) | htonl(250);
	MUST(!rdma_resolve_addr(c, NULL, (struct sockaddr *)&none, 300));
	CHECK(expect(RDMA_CM_EVENT_ADDR_ERROR) == c);
	CHECK(last.status < 0);
	CHECK_EQ(rdma_destroy_id(c), 0);
	/* a port at which nobody listens: 8 is "invalid service ID" */
	c = resolved(RDMA_PS_TCP, 7482);
	too_much.cap.max_send_wr = 1u << 30;
	CHECK(rdma_create_qp(c, NULL, &too_much) && errno && !c->qp);
	MUST(!rdma_create_qp(c, NULL, &qa));
	MUST(!rdma_connect(c, &p));
	CHECK(expect(RDMA_CM_EVENT_REJECTED) == c);
	CHECK_EQ(last.status, 8);
	closed(c);
	CHECK_EQ(rdma_destroy_id(l), 0);
	rdma_destroy_event_channel(ch);
}

static void options(void)
{
	struct sockaddr_in a = at(7483);
	struct rdma_cm_id *one, *two;
	uint8_t tos = 8, timeout = 14;
	int yes = 1;

	open_channel();
	MUST(!rdma_create_id(ch, &one, NULL, RDMA_PS_TCP) && !rdma_create_id(ch, &two, NULL, RDMA_PS_TCP));
	CHECK_EQ(rdma_set_option(one, RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, &tos, sizeof(tos)), 0);
	CHECK_EQ(rdma_set_option(one, RDMA_OPTION_ID, RDMA_OPTION_ID_ACK_TIMEOUT, &timeout, sizeof(timeout)), 0);
	CHECK_EQ(rdma_set_option(one, RDMA_OPTION_ID, RDMA_OPTION_ID_REUSEADDR, &yes, sizeof(yes)), 0);
	CHECK_EQ(rdma_set_option(two, RDMA_OPTION_ID, RDMA_OPTION_ID_REUSEADDR, &yes, sizeof(yes)), 0);
	CHECK_EQ(rdma_set_option(two, RDMA_OPTION_ID, RDMA_OPTION_ID_AFONLY, &yes, sizeof(yes)), 0);
	GIVES(rdma_set_option(one, RDMA_OPTION_ID, 77, &yes, sizeof(yes)), ENOSYS);
	GIVES(rdma_set_option(one, RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, &yes, sizeof(yes)), EINVAL);
	/* two at one address, as that was allowed */
	CHECK_EQ(rdma_bind_addr(one, (struct sockaddr *)&a), 0);
	CHECK_EQ(rdma_bind_addr(two, (struct sockaddr *)&a), 0);
	CHECK_EQ(rdma_destroy_id(one), 0);
	CHECK_EQ(rdma_destroy_id(two), 0);
	rdma_destroy_event_channel(ch);
}

static void unsupported(void)
{
	struct ibv_srq_init_attr si = { .attr = { .max_wr = 4, .max_sge = 1 } };
	struct ibv_srq_init_attr_ex sx = { .attr = { .max_wr = 4, .max_sge = 1 }, .srq_type = IBV_SRQT_BASIC,
					   .comp_mask = IBV_SRQ_INIT_ATTR_TYPE };
	struct rdma_cm_id *c;

	open_channel();
	c = resolved(RDMA_PS_TCP, 7486);
	NO_INT(rdma_create_srq(c, NULL, &si));
	NO_INT(rdma_create_srq_ex(c, &sx));
	CHECK(!c->srq);
	CHECK_EQ(rdma_destroy_id(c), 0);
	rdma_destroy_event_channel(ch);
}

static void own_qp_to(struct rdma_cm_id *id, struct ibv_qp *qp, enum ibv_qp_state state)
{
	struct ibv_qp_attr a = { .qp_state = state };
	int mask = 0;

	MUST(!rdma_init_qp_attr(id, &a, &mask));
	MUST(!ibv_modify_qp(qp, &a, mask));
}

/* QPs that librdmacm does not make: the program brings them through their states, and tells when they are connected. */
static void own_queue_pairs(void)
{
	struct ibv_qp_init_attr qa = qp_attr(IBV_QPT_RC);
	struct rdma_conn_param p = plain;
	struct ibv_ece mine = { .vendor_id = 0x0ca1, .options = 5 }, theirs = {};
	struct rdma_cm_id *l, *c, *s;
	struct ibv_qp *qc, *qs;
	struct ibv_cq *cq;
	struct ibv_pd *pd;

	open_channel();
	l = listener(RDMA_PS_TCP, 7472);
	c = resolved(RDMA_PS_TCP, 7472);
	pd = ibv_alloc_pd(c->verbs);
	cq = ibv_create_cq(c->verbs, 32, NULL, NULL, 0);
	MUST(pd && cq);
	qa.send_cq = cq;
	qa.recv_cq = cq;
	qc = ibv_create_qp(pd, &qa);
	qs = ibv_create_qp(pd, &qa);
	MUST(qc && qs);
	p.qp_num = qc->qp_num;
	CHECK_EQ(rdma_set_local_ece(c, &mine), 0);
	MUST(!rdma_connect(c, &p));
	s = expect(RDMA_CM_EVENT_CONNECT_REQUEST);
	CHECK_EQ(last.param.conn.qp_num, qc->qp_num);
	CHECK_EQ(rdma_get_remote_ece(s, &theirs), 0);
	CHECK(theirs.vendor_id == mine.vendor_id && theirs.options == 5);
	own_qp_to(s, qs, IBV_QPS_INIT);
	own_qp_to(s, qs, IBV_QPS_RTR);
	own_qp_to(s, qs, IBV_QPS_RTS);
	p.qp_num = qs->qp_num;
	MUST(!rdma_accept(s, &p));
	CHECK(expect(RDMA_CM_EVENT_CONNECT_RESPONSE) == c);
	/* A message may come before the other end's word that it is ready: this tells that one has. */
	CHECK_EQ(rdma_notify(s, IBV_EVENT_COMM_EST), 0);
	CHECK(expect(RDMA_CM_EVENT_ESTABLISHED) == s);
	own_qp_to(c, qc, IBV_QPS_INIT);
	own_qp_to(c, qc, IBV_QPS_RTR);
	own_qp_to(c, qc, IBV_QPS_RTS);
	CHECK_EQ(rdma_establish(c), 0);
	CHECK_EQ(rdma_disconnect(c), 0);
	CHECK(expect(RDMA_CM_EVENT_DISCONNECTED) == s);
	CHECK_EQ(rdma_disconnect(s), 0);
	CHECK(expect(RDMA_CM_EVENT_DISCONNECTED) == c);
	CHECK_EQ(ibv_destroy_qp(qc) | ibv_destroy_qp(qs) | ibv_destroy_cq(cq) | ibv_dealloc_pd(pd), 0);
	CHECK_EQ(rdma_destroy_id(s) | rdma_destroy_id(c) | rdma_destroy_id(l), 0);
	rdma_destroy_event_channel(ch);
}

static void datagrams(void)
{
	struct ibv_qp_init_attr_ex qx = { .qp_type = IBV_QPT_UD, .sq_sig_all = 1, .comp_mask = IBV_QP_INIT_ATTR_PD,
					  .cap = { .max_send_wr = 8, .max_recv_wr = 8, .max_send_sge = 2, .max_recv_sge = 2 } };
	struct ibv_qp_init_attr qa = qp_attr(IBV_QPT_UD);
	struct rdma_conn_param p = {};
	struct rdma_cm_id *l, *c, *s;
	char got[128] = "", text[32] = "a datagram";
	struct ibv_mr *mg, *ms;
	struct ibv_ah *ah;
	struct ibv_wc wc;

	open_channel();
	l = listener(RDMA_PS_UDP, 7473);
	c = resolved(RDMA_PS_UDP, 7473);
	qx.pd = c->pd;
	MUST(!rdma_create_qp_ex(c, &qx));
	MUST(!rdma_connect(c, &p));
	s = expect(RDMA_CM_EVENT_CONNECT_REQUEST);
	MUST(!rdma_create_qp(s, NULL, &qa));
	mg = rdma_reg_msgs(s, got, sizeof(got));
	ms = rdma_reg_msgs(c, text, sizeof(text));
	MUST(mg && ms);
	CHECK_EQ(rdma_post_recv(s, NULL, got, sizeof(got), mg), 0);
	p.qp_num = s->qp->qp_num;
	MUST(!rdma_accept(s, &p));
	CHECK(expect(RDMA_CM_EVENT_ESTABLISHED) == c);
	CHECK_EQ(last.param.ud.qp_num, s->qp->qp_num);
	ah = ibv_create_ah(c->pd, &last.param.ud.ah_attr);
	MUST(ah);
	CHECK_EQ(rdma_post_ud_send(c, NULL, text, sizeof(text), ms, 0, ah, last.param.ud.qp_num), 0);
	CHECK_EQ(rdma_get_send_comp(c, &wc), 1);
	CHECK_EQ(wc.status, 0);
	CHECK_EQ(rdma_get_recv_comp(s, &wc), 1);
	CHECK(!wc.status && !strcmp(got + 40, text));
	CHECK_EQ(ibv_destroy_ah(ah) | rdma_dereg_mr(mg) | rdma_dereg_mr(ms), 0);
	closed(s);
	closed(c);
	/* at a port where nobody listens: 1 is "invalid service ID" in this answer */
	c = resolved(RDMA_PS_UDP, 7484);
	qa = qp_attr(IBV_QPT_UD);
	MUST(!rdma_create_qp(c, NULL, &qa));
	MUST(!rdma_connect(c, &p));
	CHECK(expect(RDMA_CM_EVENT_UNREACHABLE) == c);
	CHECK_EQ(last.status, 1);
	closed(c);
	CHECK_EQ(rdma_destroy_id(l), 0);
	rdma_destroy_event_channel(ch);
}

static void multicast(void)
{
	struct sockaddr_in group = to("239.1.2.3", 0), a = at(0);
	struct rdma_cm_join_mc_attr_ex x = { .comp_mask = RDMA_CM_JOIN_MC_ATTR_ADDRESS | RDMA_CM_JOIN_MC_ATTR_JOIN_FLAGS,
					     .join_flags = RDMA_MC_JOIN_FLAG_FULLMEMBER, .addr = (struct sockaddr *)&group };
	struct ibv_qp_init_attr qa = qp_attr(IBV_QPT_UD);
	char got[128], text[32] = "to all of us";
	struct rdma_cm_id *id = NULL;
	struct ibv_mr *mg, *ms;
	struct ibv_ah *ah;
	struct ibv_wc wc;

	open_channel();
	MUST(!rdma_create_id(ch, &id, NULL, RDMA_PS_UDP));
	MUST(!rdma_bind_addr(id, (struct sockaddr *)&a));
	MUST(!rdma_create_qp(id, NULL, &qa));
	mg = rdma_reg_msgs(id, got, sizeof(got));
	ms = rdma_reg_msgs(id, text, sizeof(text));
	MUST(mg && ms);
	CHECK_EQ(rdma_post_recv(id, NULL, got, sizeof(got), mg), 0);
	/* a full member by either call; then one that sends only, so does not hear itself */
	for (int k = 0; k < 3; k++) {
		if (k == 2)
			x.join_flags = RDMA_MC_JOIN_FLAG_SENDONLY_FULLMEMBER;
		MUST(!(k ? rdma_join_multicast_ex(id, &x, &group) : rdma_join_multicast(id, (struct sockaddr *)&group, &group)));
		expect(RDMA_CM_EVENT_MULTICAST_JOIN);
		CHECK(last.param.ud.private_data == &group);
		ah = ibv_create_ah(id->pd, &last.param.ud.ah_attr);
		MUST(ah);
		memset(got, 0, sizeof(got));
		CHECK_EQ(rdma_post_ud_send(id, NULL, text, sizeof(text), ms, 0, ah, last.param.ud.qp_num), 0);
		CHECK_EQ(rdma_get_send_comp(id, &wc), 1);
		CHECK_EQ(wc.status, 0);
		if (k < 2) {
			CHECK_EQ(rdma_get_recv_comp(id, &wc), 1);
			CHECK(!wc.status && !strcmp(got + 40, text));
			CHECK_EQ(rdma_post_recv(id, NULL, got, sizeof(got), mg), 0);
		} else {
			CHECK_EQ(ibv_poll_cq(id->recv_cq, 1, &wc), 0);
		}
		CHECK_EQ(ibv_destroy_ah(ah), 0);
		CHECK_EQ(rdma_leave_multicast(id, (struct sockaddr *)&group), 0);
	}
	GIVES(rdma_leave_multicast(id, (struct sockaddr *)&group), EADDRNOTAVAIL);
	CHECK_EQ(rdma_dereg_mr(mg) | rdma_dereg_mr(ms), 0);
	closed(id);
	rdma_destroy_event_channel(ch);
}

/* ------------------------------------------------------------------ without channels: calls that wait, each end in a thread */

static pthread_barrier_t ready[4];	/* one for each case */
static struct {
	uint64_t addr;
	uint32_t read_key, write_key;
} shared;
static uint8_t exposed[4096] __attribute__((aligned(4096)));

/* In a thread: what fails there ends the program, as the other end waits for it. */
#define NEED(cond) do { \
	if (!(cond)) { \
		printf("not ok %s - the server, line %d: %s, errno %d\n", running, __LINE__, #cond, errno); \
		fflush(stdout); \
		_exit(1); \
	} \
} while (0)

static void *waiting_server(void *arg)
{
	struct rdma_addrinfo hints = { .ai_flags = RAI_PASSIVE, .ai_port_space = RDMA_PS_TCP }, *ai = NULL;
	struct ibv_qp_init_attr qa = qp_attr(IBV_QPT_RC);
	struct rdma_cm_id *l = NULL, *s = NULL;
	struct ibv_mr *mr, *mw, *md;
	struct ibv_sge two[2];
	char got[64] = "", answer[32] = "from the server";
	struct ibv_wc wc;

	NEED(!rdma_getaddrinfo(address, "7474", &hints, &ai));
	NEED(ai->ai_src_addr && ai->ai_qp_type == IBV_QPT_RC);
	NEED(!rdma_create_ep(&l, ai, NULL, &qa) && !rdma_listen(l, 1));
	pthread_barrier_wait(&ready[0]);
	NEED(!rdma_get_request(l, &s));
	mr = rdma_reg_msgs(s, got, sizeof(got));
	md = rdma_reg_read(s, exposed, sizeof(exposed));
	mw = rdma_reg_write(s, exposed, sizeof(exposed));
	NEED(mr && mw && md);
	shared.addr = (uintptr_t)exposed;
	shared.read_key = md->rkey;
	shared.write_key = mw->rkey;
	two[0] = (struct ibv_sge){ (uintptr_t)got, 8, mr->lkey };
	two[1] = (struct ibv_sge){ (uintptr_t)got + 8, 56, mr->lkey };
	NEED(!rdma_post_recvv(s, NULL, two, 2));
	NEED(!rdma_accept(s, NULL));
	NEED(rdma_get_recv_comp(s, &wc) == 1 && !wc.status && !strcmp(got, "in two pieces"));
	NEED(!rdma_post_send(s, NULL, answer, sizeof(answer), NULL, IBV_SEND_INLINE));
	NEED(rdma_get_send_comp(s, &wc) == 1 && !wc.status);
	/* the client reads and writes */
	pthread_barrier_wait(&ready[0]);
	NEED(!strcmp((char *)exposed + 2048, "written by the client"));
	pthread_barrier_wait(&ready[0]);
	rdma_disconnect(s);
	NEED(!rdma_dereg_mr(mr) && !rdma_dereg_mr(mw) && !rdma_dereg_mr(md));
	rdma_destroy_ep(s);
	rdma_destroy_ep(l);
	rdma_freeaddrinfo(ai);
	return NULL;
}

static void endpoints(void)
{
	struct rdma_addrinfo hints = { .ai_port_space = RDMA_PS_TCP }, *ai = NULL;
	struct ibv_qp_init_attr qa = qp_attr(IBV_QPT_RC);
	struct rdma_cm_id *c = NULL;
	char text[128] = "in two pieces", *page = text + 64;
	struct ibv_sge two[2];
	struct ibv_mr *mr;
	struct ibv_wc wc;
	pthread_t t;

	strcpy((char *)exposed, "read by the client");
	pthread_create(&t, NULL, waiting_server, NULL);
	pthread_barrier_wait(&ready[0]);
	MUST(!rdma_getaddrinfo(address, "7474", &hints, &ai));
	MUST(!rdma_create_ep(&c, ai, NULL, &qa) && c->qp);
	mr = rdma_reg_msgs(c, text, sizeof(text));
	MUST(mr);
	CHECK_EQ(rdma_post_recv(c, NULL, page, 64, mr), 0);
	MUST(!rdma_connect(c, NULL));
	two[0] = (struct ibv_sge){ (uintptr_t)text, 6, mr->lkey };
	two[1] = (struct ibv_sge){ (uintptr_t)text + 6, 58, mr->lkey };
	CHECK_EQ(rdma_post_sendv(c, NULL, two, 2, 0), 0);
	CHECK_EQ(rdma_get_send_comp(c, &wc), 1);
	CHECK_EQ(wc.status, 0);
	CHECK_EQ(rdma_get_recv_comp(c, &wc), 1);
	CHECK(!wc.status && !strcmp(page, "from the server"));
	memset(text, 0, 64);
	CHECK_EQ(rdma_post_read(c, NULL, text, 32, mr, 0, shared.addr, shared.read_key), 0);
	CHECK_EQ(rdma_get_send_comp(c, &wc), 1);
	CHECK(!wc.status && !strcmp(text, "read by the client"));
	memset(text, 0, 64);
	two[0] = (struct ibv_sge){ (uintptr_t)text, 8, mr->lkey };
	two[1] = (struct ibv_sge){ (uintptr_t)text + 8, 24, mr->lkey };
	CHECK_EQ(rdma_post_readv(c, NULL, two, 2, 0, shared.addr, shared.read_key), 0);
	CHECK_EQ(rdma_get_send_comp(c, &wc), 1);
	CHECK(!wc.status && !strcmp(text, "read by the client"));
	strcpy(text, "written by the client");
	CHECK_EQ(rdma_post_write(c, NULL, text, 8, mr, 0, shared.addr + 2048, shared.write_key), 0);
	CHECK_EQ(rdma_get_send_comp(c, &wc), 1);
	CHECK_EQ(wc.status, 0);
	two[0] = (struct ibv_sge){ (uintptr_t)text + 8, 8, mr->lkey };
	two[1] = (struct ibv_sge){ (uintptr_t)text + 16, 8, mr->lkey };
	CHECK_EQ(rdma_post_writev(c, NULL, two, 2, 0, shared.addr + 2056, shared.write_key), 0);
	CHECK_EQ(rdma_get_send_comp(c, &wc), 1);
	CHECK_EQ(wc.status, 0);
	/* what is in the memory is in it for sure once something has been read there */
	CHECK_EQ(rdma_post_read(c, NULL, text, 32, mr, 0, shared.addr, shared.read_key), 0);
	CHECK_EQ(rdma_get_send_comp(c, &wc), 1);
	pthread_barrier_wait(&ready[0]);
	/* by the key for reading nothing can be written */
	CHECK_EQ(rdma_post_write(c, NULL, text, 8, mr, 0, shared.addr, shared.read_key), 0);
	CHECK_EQ(rdma_get_send_comp(c, &wc), 1);
	CHECK_EQ(wc.status, IBV_WC_REM_ACCESS_ERR);
	pthread_barrier_wait(&ready[0]);
	/* each end waits for the other's word */
	rdma_disconnect(c);
	pthread_join(t, NULL);
	CHECK_EQ(rdma_dereg_mr(mr), 0);
	rdma_destroy_ep(c);
	rdma_freeaddrinfo(ai);
}

/* ------------------------------------------------------------------ rsockets */

static uint8_t window[4096];

/* A byte back, so that the next message comes alone */
static bool nod(int s)
{
	return rsend(s, "+", 1, 0) == 1;
}

static bool nodded(int s)
{
	char b = 0;

	return rrecv(s, &b, 1, MSG_WAITALL) == 1 && b == '+';
}

static void *stream_server(void *arg)
{
	struct sockaddr_in a = at(7475), peer;
	struct iovec v[2];
	struct msghdr m = { .msg_iov = v, .msg_iovlen = 2 };
	socklen_t len = sizeof(peer);
	struct pollfd pf = { .events = POLLIN };
	struct timeval none = {};
	char b[64];
	int one = 1, l, s;
	fd_set set;
	ssize_t n;

	l = rsocket(AF_INET, SOCK_STREAM, 0);
	NEED(l >= 0 && !rsetsockopt(l, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)));
	NEED(!rsetsockopt(l, SOL_RDMA, RDMA_IOMAPSIZE, &one, sizeof(one)));
	NEED(!rbind(l, (struct sockaddr *)&a, sizeof(a)) && !rlisten(l, 1));
	pthread_barrier_wait(&ready[1]);
	s = raccept(l, (struct sockaddr *)&peer, &len);
	NEED(s >= 0 && peer.sin_addr.s_addr == a.sin_addr.s_addr);
	/* nothing has come yet */
	FD_ZERO(&set);
	FD_SET(s, &set);
	NEED(rselect(s + 1, &set, NULL, NULL, &none) == 0);
	NEED(!rfcntl(s, F_SETFL, O_NONBLOCK) && (rfcntl(s, F_GETFL, 0) & O_NONBLOCK));
	errno = 0;
	NEED(rrecv(s, b, 1, 0) == -1 && errno == EAGAIN);
	NEED(!rfcntl(s, F_SETFL, 0) && nod(s));
	pf.fd = s;
	NEED(rpoll(&pf, 1, 60000) == 1 && (pf.revents & POLLIN));
	NEED(rrecv(s, b, 2, MSG_PEEK) == 2 && !memcmp(b, "se", 2));
	NEED(rrecv(s, b, 4, MSG_WAITALL) == 4 && !memcmp(b, "send", 4) && nod(s));
	FD_ZERO(&set);
	FD_SET(s, &set);
	NEED(rselect(s + 1, &set, NULL, NULL, NULL) == 1 && FD_ISSET(s, &set));
	NEED(rread(s, b, 5) == 5 && !memcmp(b, "write", 5) && nod(s));
	v[0] = (struct iovec){ b, 3 };
	v[1] = (struct iovec){ b + 3, 3 };
	NEED(rpoll(&pf, 1, 60000) == 1);
	/* It may fill the first piece only. */
	n = rreadv(s, v, 2);
	NEED(n == 6 || (n == 3 && rreadv(s, v + 1, 1) == 3));
	NEED(!memcmp(b, "writev", 6) && nod(s));
	NEED(rpoll(&pf, 1, 60000) == 1);
	n = rrecvmsg(s, &m, 0);
	NEED(n == 6 || (n == 3 && rrecv(s, b + 3, 3, MSG_WAITALL) == 3));
	NEED(!memcmp(b, "sendms", 6));
	NEED(riomap(s, window, sizeof(window), PROT_WRITE, 0, 0x1000) == 0x1000 && nod(s));
	NEED(rrecv(s, b, 1, MSG_WAITALL) == 1 && !strcmp((char *)window + 16, "by riowrite"));
	NEED(!riounmap(s, window, sizeof(window)));
	NEED(rrecv(s, b, 1, 0) == 0);		/* the other side shut its half down */
	NEED(!rclose(s) && !rclose(l));
	return NULL;
}

static void streams(void)
{
	struct sockaddr_in a = at(7475), wrong = at(7485), who;
	struct iovec v[2] = { { "wri", 3 }, { "tev", 3 } };
	struct msghdr m = { .msg_iov = v, .msg_iovlen = 2 };
	socklen_t len = sizeof(who);
	struct pollfd pf = { .events = POLLOUT };
	int val = 0, c;
	pthread_t t;

	/* nobody listens there */
	c = rsocket(AF_INET, SOCK_STREAM, 0);
	MUST(c >= 0);
	GIVES(rconnect(c, (struct sockaddr *)&wrong, sizeof(wrong)), ECONNREFUSED);
	CHECK_EQ(rclose(c), 0);
	GIVES(rsocket(AF_UNIX, SOCK_STREAM, 0), ENOTSUP);
	pthread_create(&t, NULL, stream_server, NULL);
	pthread_barrier_wait(&ready[1]);
	c = rsocket(AF_INET, SOCK_STREAM, 0);
	MUST(c >= 0);
	val = 1;
	CHECK_EQ(rsetsockopt(c, SOL_RDMA, RDMA_IOMAPSIZE, &val, sizeof(val)), 0);
	CHECK_EQ(rsetsockopt(c, IPPROTO_TCP, TCP_NODELAY, &val, sizeof(val)), 0);
	val = 32;
	CHECK_EQ(rsetsockopt(c, SOL_RDMA, RDMA_SQSIZE, &val, sizeof(val)), 0);
	/* without waiting for the connection: whether there is one is told afterwards */
	CHECK_EQ(rfcntl(c, F_SETFL, O_NONBLOCK), 0);
	GIVES(rconnect(c, (struct sockaddr *)&a, sizeof(a)), EINPROGRESS);
	pf.fd = c;
	MUST(rpoll(&pf, 1, 60000) == 1 && (pf.revents & POLLOUT));
	len = sizeof(val);
	CHECK(!rgetsockopt(c, SOL_SOCKET, SO_ERROR, &val, &len) && !val);
	CHECK_EQ(rfcntl(c, F_SETFL, 0), 0);
	CHECK(!(rfcntl(c, F_GETFL, 0) & O_NONBLOCK));
	CHECK(!rgetsockopt(c, SOL_RDMA, RDMA_SQSIZE, &val, &len) && val == 32);
	CHECK(!rgetsockopt(c, SOL_SOCKET, SO_SNDBUF, &val, &len) && val > 0);
	len = sizeof(who);
	CHECK(!rgetpeername(c, (struct sockaddr *)&who, &len) && who.sin_port == htons(7475));
	len = sizeof(who);
	CHECK(!rgetsockname(c, (struct sockaddr *)&who, &len) && who.sin_addr.s_addr == a.sin_addr.s_addr);
	MUST(nodded(c));
	CHECK_EQ(rsend(c, "send", 4, 0), 4);
	MUST(nodded(c));
	CHECK_EQ(rwrite(c, "write", 5), 5);
	MUST(nodded(c));
	CHECK_EQ(rwritev(c, v, 2), 6);
	MUST(nodded(c));
	v[0].iov_base = "sen";
	v[1].iov_base = "dms";
	CHECK_EQ(rsendmsg(c, &m, 0), 6);
	MUST(nodded(c));
	CHECK_EQ(riowrite(c, "by riowrite", 12, 0x1000 + 16, 0), 12);
	CHECK_EQ(rsend(c, "x", 1, 0), 1);
	CHECK_EQ(rshutdown(c, SHUT_RDWR), 0);
	pthread_join(t, NULL);
	CHECK_EQ(rclose(c), 0);
}

static void *packet_server(void *arg)
{
	struct sockaddr_in a = at(7476), from;
	socklen_t len = sizeof(from);
	int s = rsocket(AF_INET, SOCK_DGRAM, 0);
	char b[64];

	NEED(s >= 0 && !rbind(s, (struct sockaddr *)&a, sizeof(a)));
	pthread_barrier_wait(&ready[2]);
	NEED(rrecvfrom(s, b, sizeof(b), 0, (struct sockaddr *)&from, &len) == 6 && !memcmp(b, "packet", 6));
	NEED(rsendto(s, "back", 4, 0, (struct sockaddr *)&from, len) == 4);
	pthread_barrier_wait(&ready[2]);
	NEED(!rclose(s));
	return NULL;
}

static bool on_ethernet(struct rdma_cm_id *id)
{
	struct ibv_port_attr port;

	MUST(!ibv_query_port(id->verbs, id->port_num, &port));
	return port.link_layer == IBV_LINK_LAYER_ETHERNET;
}

/* On InfiniBand only: librdmacm makes these sockets' address handles without a GRH, which no Ethernet port can take. */
static void packets(void)
{
	struct sockaddr_in a = at(7476), from;
	socklen_t len = sizeof(from);
	struct pollfd pf = { .events = POLLIN };
	struct rdma_cm_id *id;
	char b[64];
	pthread_t t;
	bool eth;
	int s;

	open_channel();
	id = listener(RDMA_PS_UDP, 7487);
	eth = on_ethernet(id);
	CHECK_EQ(rdma_destroy_id(id), 0);
	rdma_destroy_event_channel(ch);
	if (eth)
		return;
	pthread_create(&t, NULL, packet_server, NULL);
	pthread_barrier_wait(&ready[2]);
	s = rsocket(AF_INET, SOCK_DGRAM, 0);
	MUST(s >= 0);
	MUST(rsendto(s, "packet", 6, 0, (struct sockaddr *)&a, sizeof(a)) == 6);
	pf.fd = s;
	MUST(rpoll(&pf, 1, 60000) == 1);
	CHECK_EQ(rrecvfrom(s, b, sizeof(b), 0, (struct sockaddr *)&from, &len), 4);
	CHECK(!memcmp(b, "back", 4) && from.sin_port == htons(7476));
	pthread_barrier_wait(&ready[2]);
	pthread_join(t, NULL);
	CHECK_EQ(rclose(s), 0);
}

/* ------------------------------------------------------------------ what takes long, or an adapter away */

static const char *nobody_there;

static void nobody(void)
{
	struct ibv_qp_init_attr qa = qp_attr(IBV_QPT_RC);
	struct sockaddr_in a = to(nobody_there, 7471);
	struct rdma_conn_param p = plain;
	struct rdma_cm_id *id = NULL;

	open_channel();
	MUST(!rdma_create_id(ch, &id, NULL, RDMA_PS_TCP));
	MUST(!rdma_resolve_addr(id, NULL, (struct sockaddr *)&a, 20000));
	expect(RDMA_CM_EVENT_ADDR_RESOLVED);
	MUST(!rdma_resolve_route(id, 20000));
	/* The subnet manager knows no path there; on Ethernet it takes many tries to find out that nobody answers. */
	if (!on_ethernet(id)) {
		expect(RDMA_CM_EVENT_ROUTE_ERROR);
		CHECK(last.status < 0);
	} else {
		expect(RDMA_CM_EVENT_ROUTE_RESOLVED);
		MUST(!rdma_create_qp(id, NULL, &qa));
		MUST(!rdma_connect(id, &p));
		expect(RDMA_CM_EVENT_UNREACHABLE);
		CHECK_EQ(last.status, -ETIMEDOUT);
		rdma_destroy_qp(id);
	}
	CHECK_EQ(rdma_destroy_id(id), 0);
	rdma_destroy_event_channel(ch);
}

static void removed(void)
{
	struct rdma_cm_id *l;

	open_channel();
	l = listener(RDMA_PS_TCP, 7477);
	printf("waiting\n");
	fflush(stdout);
	CHECK(expect(RDMA_CM_EVENT_DEVICE_REMOVAL) == l);
	CHECK_EQ(rdma_destroy_id(l), 0);
	rdma_destroy_event_channel(ch);
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: cm ADDRESS [nobody OTHER | removed]\n");
		return 2;
	}
	address = argv[1];
	signal(SIGALRM, died);
	signal(SIGSEGV, died);
	for (int i = 0; i < 4; i++)
		pthread_barrier_init(&ready[i], NULL, 2);
	if (argc == 4 && !strcmp(argv[2], "nobody")) {
		nobody_there = argv[3];
		CASE(nobody);
	} else if (argc == 3 && !strcmp(argv[2], "removed")) {
		CASE(removed);
	} else {
		CASE(connections);
		CASE(errors);
		CASE(options);
		CASE(unsupported);
		CASE(own_queue_pairs);
		CASE(datagrams);
		CASE(multicast);
		CASE(endpoints);
		CASE(streams);
		CASE(packets);
	}
	printf("ok closing\n");
	return !!check_total_failed;
}
