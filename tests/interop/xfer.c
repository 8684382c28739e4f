// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/*
 * Data-checked verbs between any two RDMA devices: every operation of RC and UD that OpenHCA has, each side in both roles.
 *
 *   xfer -d DEVICE -g GID-INDEX [-t TIMEOUT] [-p PORT] [-r]
 *   xfer -d DEVICE -g GID-INDEX [-t TIMEOUT] [-p PORT] [-m MTU] [-s SEED] [-o OPS] [-z SIZES] SERVER
 *
 * Without SERVER it is one, with -r for one client after the other; the client says what is done. Both sides walk the same list: operation x role x size, buffers at addresses drawn from the seed. Buffers are
 * filled, the initiator posts, both wait for what has to complete, and whoever received compares every byte, and the bytes around. They agree
 * over TCP before and after each step. TIMEOUT is the local ACK timeout (4.096 us * 2^n). OPS and SIZES: comma lists; all by default.
 * One line "ok OP ROLE N sizes" or "not ok OP ROLE size N: why" each; exit status 0 only if all were ok. The roles are the server's view and the client's:
 * "client" means that the client initiates.
 */
#include <arpa/inet.h>
#include <infiniband/verbs.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SEND, SEND_IMM, WRITE, WRITE_IMM, READ, UD, UD_IMM, OPS };
static const char *const op_name[OPS] = { "SEND", "SEND_IMM", "WRITE", "WRITE_IMM", "READ", "UD", "UD_IMM" };
enum { GUARD = 256, BUF = (1 << 20) + 8192, PATIENCE = 120, QKEY = 0x5eed, GRH = 40 };

struct peer { uint32_t rc_qpn, ud_qpn, psn, rkey; uint64_t addr; uint8_t gid[16]; };

struct plan { char magic[8]; uint64_t seed; uint32_t mtu; char ops[64], sizes[120]; };

static struct ibv_context *ctx;
static struct ibv_cq *cq;
static struct ibv_qp *rc, *ud;
static struct ibv_mr *smr, *rmr;
static struct ibv_ah *ah;
static uint8_t *src, *dst;
static struct peer me, you;
static struct plan plan = { .magic = "xfer 1", .seed = 1, .mtu = 1024 };
static int sock = -1, mtu, gid_index, timeout_exp = 16;
static uint64_t seed;
static bool client;

static void die(const char *what)
{
	perror(what);
	exit(2);
}

static bool no(char *why, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(why, 200, format, ap);
	va_end(ap);
	return false;
}

static void put(const void *p, size_t n)
{
	if (write(sock, p, n) != (ssize_t)n)
		die("the other side has gone");
}

static void get(void *p, size_t n)
{
	for (ssize_t k; n; n -= (size_t)k, p = (char *)p + k)
		if ((k = read(sock, p, n)) <= 0) {
			fprintf(stderr, "the other side has gone\n");
			exit(2);
		}
}

/* Both have come here; false if one of them failed before. */
static bool meet(bool good)
{
	uint8_t mine = good, theirs;

	put(&mine, 1);
	get(&theirs, 1);
	return mine && theirs;
}

static uint64_t mix(uint64_t x)		/* splitmix64 */
{
	x += 0x9e3779b97f4a7c15ull;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

static uint8_t at(uint64_t key, size_t i)
{
	return (uint8_t)(mix(key + i / 8) >> i % 8 * 8);
}

static void to_tcp(const char *server, const char *port)
{
	struct addrinfo hint = { .ai_socktype = SOCK_STREAM, .ai_flags = server ? 0 : AI_PASSIVE }, *ai;
	int one = 1, s;

	if (getaddrinfo(server, port, &hint, &ai))
		die("getaddrinfo");
	if (server) {
		for (int i = 0; i < 100 && sock < 0; i++) {
			s = socket(ai->ai_family, SOCK_STREAM, 0);
			if (!connect(s, ai->ai_addr, ai->ai_addrlen))
				sock = s;
			else
				close(s), usleep(200000);
		}
		if (sock < 0)
			die("connect");
	} else {
		s = socket(ai->ai_family, SOCK_STREAM, 0);
		setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
		if (bind(s, ai->ai_addr, ai->ai_addrlen) || listen(s, 1))
			die("listen");
		sock = accept(s, NULL, NULL);
		if (sock < 0)
			die("accept");
		close(s);
	}
	setsockopt(sock, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	freeaddrinfo(ai);
}

static void move_qp(void)
{
	enum ibv_mtu m = mtu == 256 ? IBV_MTU_256 : mtu == 512 ? IBV_MTU_512 : mtu == 1024 ? IBV_MTU_1024 : mtu == 2048 ? IBV_MTU_2048 : IBV_MTU_4096;
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_INIT, .port_num = 1,
				 .qp_access_flags = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ };
	struct ibv_ah_attr path = { .is_global = 1, .port_num = 1, .grh = { .sgid_index = (uint8_t)gid_index, .hop_limit = 64 } };

	memcpy(path.grh.dgid.raw, you.gid, 16);
	if (ibv_modify_qp(rc, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS))
		die("RC to INIT");
	a = (struct ibv_qp_attr){ .qp_state = IBV_QPS_RTR, .path_mtu = m, .dest_qp_num = you.rc_qpn, .rq_psn = you.psn, .max_dest_rd_atomic = 1,
				  .min_rnr_timer = 12, .ah_attr = path };
	if (ibv_modify_qp(rc, &a, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER))
		die("RC to RTR");
	a = (struct ibv_qp_attr){ .qp_state = IBV_QPS_RTS, .sq_psn = me.psn, .timeout = (uint8_t)timeout_exp, .retry_cnt = 7, .rnr_retry = 7, .max_rd_atomic = 1 };
	if (ibv_modify_qp(rc, &a, IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC))
		die("RC to RTS");
	a = (struct ibv_qp_attr){ .qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = QKEY };
	if (ibv_modify_qp(ud, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY))
		die("UD to INIT");
	a.qp_state = IBV_QPS_RTR;
	if (ibv_modify_qp(ud, &a, IBV_QP_STATE))
		die("UD to RTR");
	a.qp_state = IBV_QPS_RTS;
	if (ibv_modify_qp(ud, &a, IBV_QP_STATE | IBV_QP_SQ_PSN))
		die("UD to RTS");
	ah = ibv_create_ah(rc->pd, &path);
	if (!ah)
		die("address handle");
}

/* One completion, or what is wrong. */
static bool complete(struct ibv_wc *wc, char *why)
{
	struct timespec t = { .tv_nsec = 1000000 };
	time_t end = time(NULL) + PATIENCE;
	int n;

	while (!(n = ibv_poll_cq(cq, 1, wc))) {
		if (time(NULL) > end)
			return no(why, "no completion in %d s", PATIENCE);
		nanosleep(&t, NULL);	/* a spinning guest takes the processor from the simulator */
	}
	if (n < 0)
		return no(why, "poll: %d", n);
	if (wc->status)
		return no(why, "%s", ibv_wc_status_str(wc->status));
	return true;
}

static bool check(const uint8_t *p, size_t n, uint64_t key, char *why)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] != at(key, i))
			return no(why, "byte %zu is %02x instead of %02x", i, p[i], at(key, i));
	for (size_t i = 1; i <= GUARD; i++)
		if (p[-(ssize_t)i] != 0xee || p[n + i - 1] != 0xee)
			return no(why, "a byte beside the buffer was written (%zu away)", i);
	return true;
}

/* How the 40 bytes before a datagram on Ethernet name the sender (IBA annex A17.9.1; IPv4 lies in the last 20). */
static bool check_grh(const uint8_t *g, char *why)
{
	bool v4 = !memcmp(you.gid, "\0\0\0\0\0\0\0\0\0\0\xff\xff", 12);
	const uint8_t *from = v4 ? g + 20 + 12 : g + 8;

	if ((v4 ? g[20] : g[0]) >> 4 != (v4 ? 4 : 6) || memcmp(from, v4 ? you.gid + 12 : you.gid, v4 ? 4 : 16))
		return no(why, "the header before the datagram does not name the sender");
	return true;
}

static bool step(int op, bool mine, uint32_t size, uint64_t key, char *why)
{
	bool datagram = op == UD || op == UD_IMM, takes = op != WRITE && op != READ, imm = op == SEND_IMM || op == WRITE_IMM || op == UD_IMM;
	/* The same on both sides, so that the initiator knows the other's address. */
	uint64_t from = GUARD + mix(key) % 4096, to = GUARD + mix(key + 1) % 4096;
	struct ibv_sge l = { (uintptr_t)src + from, size, smr->lkey };
	struct ibv_send_wr wr = { .wr_id = key, .sg_list = &l, .num_sge = 1, .send_flags = IBV_SEND_SIGNALED, .imm_data = htonl((uint32_t)key) }, *bad;
	struct ibv_wc wc;
	bool good = true;

	if (mine == (op != READ))
		for (size_t i = 0; i < size; i++)
			src[from + i] = at(key, i);
	else
		memset(dst, 0xee, BUF);
	if (!mine && takes) {
		struct ibv_sge r = { (uintptr_t)dst + to - (datagram ? GRH : 0), size + (datagram ? GRH : 0), rmr->lkey };
		struct ibv_recv_wr rr = { .wr_id = ~key, .sg_list = &r, .num_sge = op == WRITE_IMM ? 0 : 1 }, *rbad;

		if (ibv_post_recv(datagram ? ud : rc, &rr, &rbad))
			die("post_recv");
	}
	if (!meet(true))
		return no(why, "the other side");
	if (mine) {
		static const enum ibv_wr_opcode code[OPS] = { IBV_WR_SEND, IBV_WR_SEND_WITH_IMM, IBV_WR_RDMA_WRITE, IBV_WR_RDMA_WRITE_WITH_IMM,
							      IBV_WR_RDMA_READ, IBV_WR_SEND, IBV_WR_SEND_WITH_IMM };

		wr.opcode = code[op];
		if (datagram) {
			wr.wr.ud.ah = ah;
			wr.wr.ud.remote_qpn = you.ud_qpn;
			wr.wr.ud.remote_qkey = QKEY;
		} else {
			wr.wr.rdma.remote_addr = you.addr + (op == READ ? from : BUF + to);
			wr.wr.rdma.rkey = you.rkey;
		}
		if (op == READ) {
			l.addr = (uintptr_t)dst + to;
			l.lkey = rmr->lkey;
		}
		if (ibv_post_send(datagram ? ud : rc, &wr, &bad))
			die("post_send");
		good = complete(&wc, why);
		if (good && wc.wr_id != key)
			good = no(why, "completion of something else");
	} else if (takes) {
		good = complete(&wc, why);
		if (good && wc.wr_id != ~key)
			good = no(why, "completion of something else");
		if (good && wc.byte_len != size + (datagram ? GRH : 0))
			good = no(why, "length %u", wc.byte_len);
		if (good && (!!(wc.wc_flags & IBV_WC_WITH_IMM) != imm || (imm && ntohl(wc.imm_data) != (uint32_t)key)))
			good = no(why, "immediate data");
	}
	if (!meet(good))
		return good && no(why, "the other side");
	if (mine == (op == READ)) {
		if (datagram) {
			good = check_grh(dst + to - GRH, why);
			memset(dst + to - GRH, 0xee, GRH);
		}
		good = good && check(dst + to, size, key, why);
	}
	if (!meet(good))
		return good && no(why, "the other side");
	return true;
}

static bool listed(const char *list, const char *what)
{
	size_t n = strlen(what);

	if (!*list)
		return true;
	for (const char *p = list; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
		if (!strncmp(p, what, n) && (p[n] == ',' || !p[n]))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	const char *name = NULL, *port = "18600";
	struct ibv_qp_init_attr qi = { .cap = { .max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1 } };
	struct ibv_device **list;
	struct ibv_pd *pd;
	union ibv_gid gid;
	bool repeat = false;
	int c, failed = 0;

	while ((c = getopt(argc, argv, "d:g:m:s:t:o:z:p:r")) != -1)
		switch (c) {
		case 'd': name = optarg; break;
		case 'g': gid_index = atoi(optarg); break;
		case 'm': plan.mtu = (uint32_t)atoi(optarg); break;
		case 's': plan.seed = strtoull(optarg, NULL, 0); break;
		case 't': timeout_exp = atoi(optarg); break;
		case 'o': snprintf(plan.ops, sizeof(plan.ops), "%s", optarg); break;
		case 'z': snprintf(plan.sizes, sizeof(plan.sizes), "%s", optarg); break;
		case 'r': repeat = true; break;
		case 'p': port = optarg; break;
		default: return 2;
		}
	client = optind < argc;
	setvbuf(stdout, NULL, _IOLBF, 0);
	/* Each client has a process of its own, and nothing is left of the one before. */
	for (pid_t pid; repeat && !client && (pid = fork()) != 0;)
		if (pid < 0 || waitpid(pid, NULL, 0) < 0)
			die("fork");
	list = ibv_get_device_list(NULL);
	for (int i = 0; list && list[i] && !ctx; i++)
		if (!name || !strcmp(name, ibv_get_device_name(list[i])))
			ctx = ibv_open_device(list[i]);
	if (!ctx)
		die("no such device");
	/* One region for both, so that one key does: what is sent, then what is received. */
	if (posix_memalign((void **)&src, 4096, 2 * BUF))
		die("memory");
	memset(src, 0, 2 * BUF);
	dst = src + BUF;
	pd = ibv_alloc_pd(ctx);
	cq = ibv_create_cq(ctx, 16, NULL, NULL, 0);
	smr = rmr = pd ? ibv_reg_mr(pd, src, 2 * BUF, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ) : NULL;
	if (!cq || !smr)
		die("protection domain, completion queue, memory region");
	qi.send_cq = qi.recv_cq = cq;
	qi.qp_type = IBV_QPT_RC;
	rc = ibv_create_qp(pd, &qi);
	qi.qp_type = IBV_QPT_UD;
	ud = ibv_create_qp(pd, &qi);
	if (!rc || !ud)
		die("queue pair");
	if (ibv_query_gid(ctx, 1, gid_index, &gid))
		die("GID");

	to_tcp(client ? argv[optind] : NULL, port);
	if (client)
		put(&plan, sizeof(plan));
	else
		get(&plan, sizeof(plan));
	plan.ops[sizeof(plan.ops) - 1] = plan.sizes[sizeof(plan.sizes) - 1] = 0;
	seed = plan.seed;
	mtu = (int)plan.mtu;
	if (strcmp(plan.magic, "xfer 1") || mtu < 256 || mtu > 4096 || mtu & (mtu - 1)) {
		fprintf(stderr, "not a client of this program, or an MTU that does not exist\n");
		return 2;
	}
	me = (struct peer){ rc->qp_num, ud->qp_num, (uint32_t)mix(seed + client) & 0xffffff, rmr->rkey, (uintptr_t)src, { 0 } };
	if (mix(seed) & 1)	/* sequence numbers that wrap on the way */
		me.psn = 0xffffff - (uint32_t)(mix(seed + client) & 15);
	memcpy(me.gid, gid.raw, 16);
	put(&me, sizeof(me));
	get(&you, sizeof(you));
	move_qp();
	if (!meet(true))
		return 2;

	for (int op = 0; op < OPS && !failed; op++)
		for (int role = 0; role < 2 && !failed; role++) {
			uint32_t all[] = { 0, 1, 7, 64, 255, (uint32_t)mtu - 1, (uint32_t)mtu, (uint32_t)mtu + 1, 4 * (uint32_t)mtu + 3, 65537, (1 << 20) - 3, 1 << 20 };
			unsigned done = 0;
			char why[200] = "", text[16];
			bool good = true;

			if (!listed(plan.ops, op_name[op]))
				continue;
			for (unsigned i = 0; i < sizeof(all) / sizeof(*all) && good; i++) {
				sprintf(text, "%u", all[i]);
				if (!listed(plan.sizes, text) || (op >= UD && all[i] > (uint32_t)mtu))
					continue;
				good = step(op, role == client, all[i], mix(seed + 1000u * (unsigned)op + 100u * (unsigned)role + i) >> 8, why);
				if (!good)
					printf("not ok %s %s size %u: %s\n", op_name[op], role ? "client" : "server", all[i], why);
				done++;
			}
			if (good)
				printf("ok %s %s %u sizes\n", op_name[op], role ? "client" : "server", done);
			else
				failed = 1;	/* the QP may be in error */
		}
	return failed;
}
