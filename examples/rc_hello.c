// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/*
 * A two-sided verbs program to begin with: the server offers a buffer, the client writes into it (RDMA WRITE) and says so (SEND).
 *
 *     make run APP=examples/rc_hello.c
 *
 * Without an argument it is the server, with the name of one the client. QP numbers and addresses are exchanged over TCP. Completions are
 * waited for by event, for a program that polls takes the processor from the simulator. RDMA_DEVICE names the adapter (default: the first).
 */
#include <infiniband/verbs.h>
#include <netdb.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PORT "18516"
#define CHECK(x) do { if (!(x)) { perror(#x); exit(1); } } while (0)

struct peer {
	uint32_t qpn, psn, rkey, lid;
	uint64_t address;
	union ibv_gid gid;
};

static struct ibv_comp_channel *channel;
static struct ibv_cq *cq;
static char buffer[4096];

static int tcp(const char *server)
{
	struct addrinfo hint = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM, .ai_flags = server ? 0 : AI_PASSIVE }, *a;
	int one = 1, fd, sock;

	CHECK(!getaddrinfo(server, PORT, &hint, &a));
	fd = socket(a->ai_family, SOCK_STREAM, 0);
	if (server) {
		CHECK(!connect(fd, a->ai_addr, a->ai_addrlen));
		return fd;
	}
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	CHECK(!bind(fd, a->ai_addr, a->ai_addrlen) && !listen(fd, 1));
	CHECK((sock = accept(fd, NULL, NULL)) >= 0);
	close(fd);
	return sock;
}

static int get_all(int fd, void *data, size_t n)
{
	for (char *p = data; n;) {
		ssize_t r = read(fd, p, n);

		if (r <= 0)
			return 0;
		p += r;
		n -= (size_t)r;
	}
	return 1;
}

static void wait_for_one(const char *what)
{
	struct ibv_cq *which;
	struct ibv_wc wc;
	void *context;
	int n;

	while (!(n = ibv_poll_cq(cq, 1, &wc))) {
		CHECK(!ibv_get_cq_event(channel, &which, &context));
		ibv_ack_cq_events(which, 1);
		CHECK(!ibv_req_notify_cq(cq, 0));
		if ((n = ibv_poll_cq(cq, 1, &wc)))
			break;
	}
	CHECK(n > 0);
	printf("%s: %s\n", what, ibv_wc_status_str(wc.status));
	if (wc.status)
		exit(1);
}

int main(int argc, char **argv)
{
	const char *server = argc > 1 ? argv[1] : NULL, *name = getenv("RDMA_DEVICE");
	struct ibv_device **list = ibv_get_device_list(NULL), *dev = NULL;
	struct ibv_port_attr port;
	struct peer me = { 0 }, you;

	for (int i = 0; list && list[i]; i++)
		if (!dev && (!name || !strcmp(name, ibv_get_device_name(list[i]))))
			dev = list[i];
	if (!dev) {
		fprintf(stderr, "no RDMA device %s\n", name ? name : "");
		return 1;
	}
	struct ibv_context *c = ibv_open_device(dev);

	CHECK(c && !ibv_query_port(c, 1, &port));
	int ethernet = port.link_layer == IBV_LINK_LAYER_ETHERNET;
	int sgid = ethernet ? 1 : 0; /* the IPv4 address's, behind the link-local one */
	struct ibv_pd *pd = ibv_alloc_pd(c);
	struct ibv_mr *mr = ibv_reg_mr(pd, buffer, sizeof(buffer), IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);

	channel = ibv_create_comp_channel(c);
	cq = ibv_create_cq(c, 16, NULL, channel, 0);
	CHECK(pd && mr && channel && cq && !ibv_req_notify_cq(cq, 0));
	struct ibv_qp_init_attr init = { .send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1 } };
	struct ibv_qp *qp = ibv_create_qp(pd, &init);

	CHECK(qp);
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = IBV_ACCESS_REMOTE_WRITE };

	CHECK(!ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS));
	struct ibv_sge room = { (uintptr_t)buffer + 2048, 64, mr->lkey };
	struct ibv_recv_wr recv = { .sg_list = &room, .num_sge = 1 }, *bad_recv;

	CHECK(!ibv_post_recv(qp, &recv, &bad_recv)); /* before the other side may send */

	me = (struct peer){ qp->qp_num, 4711, mr->rkey, port.lid, (uintptr_t)buffer, { { 0 } } };
	CHECK(!ibv_query_gid(c, 1, sgid, &me.gid));
	int sock = tcp(server);

	CHECK(write(sock, &me, sizeof(me)) == sizeof(me) && get_all(sock, &you, sizeof(you)));
	a = (struct ibv_qp_attr){ .qp_state = IBV_QPS_RTR, .path_mtu = port.active_mtu, .dest_qp_num = you.qpn, .rq_psn = you.psn,
		.max_dest_rd_atomic = 1, .min_rnr_timer = 12,
		.ah_attr = { .dlid = (uint16_t)you.lid, .port_num = 1, .is_global = (uint8_t)ethernet,
			     .grh = { .dgid = you.gid, .sgid_index = (uint8_t)sgid, .hop_limit = 64 } } };
	CHECK(!ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
			     IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER));
	/* 4.096 us * 2^20 = 4.3 s: a simulated adapter answers late. */
	a = (struct ibv_qp_attr){ .qp_state = IBV_QPS_RTS, .sq_psn = me.psn, .timeout = 20, .retry_cnt = 7, .rnr_retry = 7, .max_rd_atomic = 1 };
	CHECK(!ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			     IBV_QP_MAX_QP_RD_ATOMIC));
	printf("%s: QP 0x%06x connected to QP 0x%06x\n", server ? "client" : "server", me.qpn, you.qpn);
	/* Both are ready when each has heard so. */
	CHECK(write(sock, "", 1) == 1 && get_all(sock, &(char){ 0 }, 1));

	if (server) {
		strcpy(buffer, "written by the client's adapter, not by the server's processor");
		struct ibv_sge data = { (uintptr_t)buffer, 64, mr->lkey };
		struct ibv_send_wr *bad, send = { .wr_id = 2, .sg_list = &data, .num_sge = 1, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED };
		struct ibv_send_wr put = { .wr_id = 1, .next = &send, .sg_list = &data, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
			.send_flags = IBV_SEND_SIGNALED, .wr.rdma = { you.address, you.rkey } };

		CHECK(!ibv_post_send(qp, &put, &bad));
		wait_for_one("RDMA WRITE");
		wait_for_one("SEND");
	} else {
		wait_for_one("receive");
		printf("buffer: \"%.64s\"\n", buffer);
		if (memcmp(buffer, buffer + 2048, 64) || strncmp(buffer, "written by", 10))
			return 1; /* what was written and what was sent are the same */
	}
	ibv_destroy_qp(qp);
	ibv_destroy_cq(cq);
	ibv_destroy_comp_channel(channel);
	ibv_dereg_mr(mr);
	ibv_dealloc_pd(pd);
	ibv_close_device(c);
	ibv_free_device_list(list);
	return 0;
}
