// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/*
 * Figures in device cycles: two adapters with a cable between, the host played by this program, which costs no time of its own.
 *
 *   native [-w WIDTH] [-o FILE.json] [-f FIRMWARE.hex] [-s SEED] [-c CASES] [-q QPS] [-g] [-l] [-p] [-r [-d]] [-x PERCENT] [-i PART] [-n NAME [-t WAVES]]
 *
 * -c: some of "latency goodput first_touch rate isolation speed", by comma; or "train", traffic of all kinds for sim/layout.sh.
 * -g: only what the gate needs. The gate is checked then, and by a whole run at 512 bits.
 * -p: pushes take the bus of the doorbells, eight bytes a cycle, and not the wide port.
 * -q: the most QPs of the message-rate figure (1024, for the gate 65536, which takes 700 MB).
 * -r: Ethernet ports, RoCEv2 over IPv4 without VLAN, each pausing the other before it would lose frames; -d: without pauses.
 * -l: more sizes. -x: length of the measuring windows. Every figure is taken from the pins of the models, cycle by cycle (see hook() in load.c).
 * -i: attackers of isolation have one PART-th of the queue pairs to close and queues to overrun (setting these up takes long).
 * -n NAME: only this figure, in this process (for a debugger, and for -t WAVES.vcd in a program linked with models that can trace;
 * the environment variable OHCA_TRACE_FROM=CYCLE leaves out what is before).
 * Prints a table of lines "# …" and one line "ok NAME" or "not ok NAME - why" per figure; docs/performance.md has the JSON.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "native.h"

#define MR_VA 0x7f1234567000ull
#define CQ_LOG 12
#define NS_PER_CYCLE 4.0

static double wire_bpc;			/* bytes the wire takes per cycle */
static struct ohv_mr *mr[2];

/* of this process, or of it and its children */
static double cpu_all(void)
{
	struct rusage s, c;

	getrusage(RUSAGE_SELF, &s);
	getrusage(RUSAGE_CHILDREN, &c);
	return (double)(s.ru_utime.tv_sec + c.ru_utime.tv_sec) + (double)(s.ru_utime.tv_usec + c.ru_utime.tv_usec) / 1e6;
}

/* ------------------------------------------------------------------ figures */

FILE *json;
unsigned width = 64;
static unsigned failed;
static bool many_sizes, narrow;
const char *only;
double stretch = 1;
struct gate *gate;
static bool gate_only;

static const char *op_name(unsigned op)
{
	return op == OHCA_WR_OP_RDMA_WRITE ? "WRITE" : op == OHCA_WR_OP_RDMA_READ ? "READ" : "SEND";
}

void result(bool ok, const char *name)
{
	if (ok)
		printf("ok %s\n", name);
	else
		printf("not ok %s - %s\n", name, why), failed++;
	fflush(stdout);
}

/* Each figure is taken in a process of its own that begins with the adapters just brought up, so one that gets stuck spoils no other.
 * True in that process; else the figure is there, and *out counts those that wrote JSON. */
bool figure_begin(unsigned *out, const char *name)
{
	int st;
	pid_t p;

	if (only)
		return !strcmp(only, name);
	fflush(stdout);
	fflush(json);
	p = fork();
	if (p < 0)
		ohv_fail("bench: fork");
	if (!p) {
		failed = 0;
		return true;
	}
	if (waitpid(p, &st, 0) < 0 || !WIFEXITED(st) || WEXITSTATUS(st))
		failed++;
	else
		(*out)++;
	return false;
}

void figure_end(void)
{
	if (only)
		fabric_destroy(fab);	/* waveforms can be read only when they have been closed */
	else
		fabric_flush(fab);
	fflush(stdout);
	fflush(json);
	if (only)
		exit(failed != 0);	/* what counts in this process (sim/layout.sh) is written then */
	_exit(failed != 0);
}

/* Payload per byte on the wire, the sender's direction; IBA 5.2: LRH 8, BTH 12, ICRC 4, VCRC 2, RETH 16, AETH 4 */
static double payload_share(unsigned op, uint32_t size, bool both)
{
	/* LRH, BTH and two CRCs; or preamble, Ethernet, IPv4, UDP, BTH, ICRC, FCS and gap */
	uint32_t head = ohv_roce ? 8 + 14 + 20 + 8 + 12 + 4 + 4 + 12 : 26;
	uint32_t packets = (size + 4095) / 4096, bytes = ((size + 3) & ~3u) + head * packets;

	if (op == OHCA_WR_OP_RDMA_WRITE)
		bytes += 16;
	else if (op == OHCA_WR_OP_RDMA_READ)
		bytes += (packets > 1 ? 8 : 4) + (both ? head + 16 : 0);
	return (double)size / bytes;
}

static void use(const char *name, const struct pins *p)
{
	double c = (double)p->cycles;

	fprintf(json, ", \"%s\": {\"tx_bytes\": %.3f, \"tx_gap\": %.4f, \"tx_limited\": %.4f, \"tx_packets\": %llu, \"r_busy\": %.4f, \"r_stall\": %.4f, "
		"\"w_busy\": %.4f, \"w_stall\": %.4f, \"reads_out\": %.1f, \"ar\": %llu}", name, (double)p->tx_bytes / c, (double)p->tx_gap / c,
		(double)p->tx_limited / c, (unsigned long long)p->tx_packets, (double)p->r_beats / c, (double)p->r_stall / c, (double)p->w_beats / c,
		(double)p->w_stall / c, (double)p->reads_out / c, (unsigned long long)p->ar);
}

/* Measures a load in the window: bytes a cycle of payload, and of the worse direction the part of what headers leave. Prints and writes both. */
static double goodput_of(const struct load *l, const char *name, uint64_t warm, uint64_t window, unsigned out, double *frac)
{
	unsigned lo = l->op == OHCA_WR_OP_RDMA_READ ? 0 : 1, tx = lo ? 0 : 1;	/* the node that sends the payload */
	double cap = wire_bpc * payload_share(l->op, l->size, l->both), rate = 0;

	*frac = 9;
	if (!run_load(l, warm, window)) {
		result(false, name);
		figure_end();
	}
	for (unsigned side = 0; side < 2; side++) {
		double r = (double)win[side].w_bytes[W_PAYLOAD] / (double)win[side].cycles;

		if (side != lo && !l->both)
			continue;
		rate += r;
		if (r / cap < *frac)
			*frac = r / cap;
	}
	cap *= l->both ? 2 : 1;
	printf("# %-5s %8u %4s %4u %12.2f %8.2f %6.1f%% | %12.1f%% %5.1f%% %5.1f | %13.1f%%\n", op_name(l->op), l->size, l->both ? "both" : "one", l->qps, rate,
	       rate * 8 / NS_PER_CYCLE, 100 * rate / cap, 100.0 * (double)win[tx].tx_bytes / (double)win[tx].cycles / wire_bpc,
	       100.0 * (double)win[tx].r_beats / (double)win[tx].cycles, (double)win[tx].reads_out / (double)win[tx].cycles,
	       100.0 * (double)win[!tx].w_beats / (double)win[!tx].cycles);
	fprintf(json, "%s\n    {\"op\": \"%s\", \"bytes\": %u, \"both\": %s, \"qps\": %u, \"cycles\": %llu, \"bytes_per_cycle\": %.4f, "
		"\"gbps\": %.3f, \"limit_gbps\": %.3f, \"fraction\": %.4f, \"worse_direction\": %.4f", out ? "," : "", op_name(l->op), l->size,
		l->both ? "true" : "false", l->qps, (unsigned long long)win[0].cycles, rate, rate * 8 / NS_PER_CYCLE, cap * 8 / NS_PER_CYCLE, rate / cap,
		*frac);
	use("node0", &win[0]);
	use("node1", &win[1]);
	fprintf(json, "}");
	return rate;
}

static const char *const goodput_head =
	"# %-5s %8s %4s %4s %12s %8s %7s | sender: wire  R bus  reads | receiver: W bus\n";

/* Pages that nothing touched before: each line of the MTT is met for the first time, on both sides. */
static void first_touch(void)
{
	static const struct { unsigned op; uint32_t size; unsigned qps; bool both; } t[] = {
		{ OHCA_WR_OP_RDMA_WRITE, 1 << 20, 1, false }, { OHCA_WR_OP_RDMA_READ, 1 << 20, 1, false }, { OHCA_WR_OP_RDMA_WRITE, 65536, 4, false },
		{ OHCA_WR_OP_RDMA_WRITE, 65536, 4, true }, { OHCA_WR_OP_RDMA_READ, 65536, 4, false },
	};
	unsigned out = 0;

	printf("# pages that nothing touched before, %u bits\n", width);
	printf(goodput_head, "op", "bytes", "dir", "QPs", "bytes/cycle", "Gb/s", "limit");
	fprintf(json, ",\n  \"first_touch\": [");
	for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct load l = { .op = t[i].op, .size = t[i].size, .qps = t[i].qps, .both = t[i].both, .depth = 4, .batch = 1, .walk = true };
		char name[64];
		double frac, rate;

		snprintf(name, sizeof(name), "first-touch-%s-%u%s-%u", op_name(l.op), l.size, l.both ? "-both" : "", width);
		if ((gate_only && i) || !figure_begin(&out, name))
			continue;
		rate = goodput_of(&l, name, width >= 256 ? 4000 : 8000, (uint64_t)((width >= 256 ? 40000 : 60000) * stretch), out, &frac);
		if (!i)
			gate->touch = frac;
		result(rate > 0 || (snprintf(why, sizeof(why), "nothing arrived"), false), name);
		figure_end();
	}
	fprintf(json, "]");
}

static void goodput(void)
{
	static const uint32_t few[] = { 64, 256, 1024, 4096, 16384, 65536, 262144, 1 << 20 };
	static const uint32_t all[] = { 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 65536, 262144, 1 << 20 };
	static const unsigned ops[] = { OHCA_WR_OP_RDMA_WRITE, OHCA_WR_OP_RDMA_READ, OHCA_WR_OP_SEND };
	const uint32_t *size = many_sizes ? all : few;
	unsigned n = many_sizes ? 12 : 8, out = 0;

	printf("# goodput, %u bits, wire %.2f bytes per cycle (%.1f Gb/s), MTU 4096\n", width, wire_bpc, wire_bpc * 8 / NS_PER_CYCLE);
	printf(goodput_head, "op", "bytes", "dir", "QPs", "bytes/cycle", "Gb/s", "limit");
	fprintf(json, ",\n  \"goodput\": [");
	for (unsigned o = 0; o < 3; o++)
		for (unsigned both = 0; both < 2; both++)
			for (unsigned i = 0; i < n; i++) {
				struct load l = { .op = ops[o], .size = size[i], .both = both };
				double rate, frac;
				uint64_t warm = width >= 256 ? 4000 : 8000, window = (uint64_t)((width >= 256 ? 40000 : 60000) * stretch);
				char name[64];

				if ((both && size[i] < 4096) || (gate_only && (both || size[i] != 4096)))
					continue;
				snprintf(name, sizeof(name), "goodput-%s-%u%s-%u", op_name(ops[o]), size[i], both ? "-both" : "", width);
				if (!figure_begin(&out, name))
					continue;
				l.qps = size[i] > 65536 ? 1 : size[i] >= 4096 ? 4 : 16;
				l.depth = size[i] >= 65536 ? 2 : size[i] >= 8192 ? 8 : size[i] >= 4096 ? 16 : size[i] >= 1024 ? 32 : 128;
				l.batch = size[i] >= 4096 ? 1 : 8;
				warm += (uint64_t)(1.25 * size[i] / wire_bpc);	/* all pages of a message have been translated once */
				rate = goodput_of(&l, name, warm, window, out, &frac);
				if (size[i] == 4096 && !both)
					gate->goodput[o] = frac;
				result(rate > 0 || (snprintf(why, sizeof(why), "nothing arrived"), false), name);
				figure_end();
			}
	fprintf(json, "]");
}

static void rate(unsigned most)
{
	static const struct { unsigned qps, depth, batch, total; bool push, random; } t[] = {
		{ 1, 240, 16, 0, false, false }, { 1, 200, 1, 0, true, false }, { 16, 240, 16, 0, false, false }, { 16, 64, 1, 0, true, false },
		{ 1024, 48, 16, 2048, false, true }, { 1024, 16, 1, 1024, true, true },
		{ 65536, 48, 16, 2048, false, true }, { 65536, 16, 1, 1024, true, true },
	};
	unsigned out = 0;

	printf("# 8-byte inline WRITE, %u bits\n# %6s %6s %10s %10s %10s | sender: R bus  reads  W bus | receiver: W bus\n", width, "QPs", "batch", "order",
	       "cycles/msg", "M/s");
	fprintf(json, ",\n  \"rate\": [");
	for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct load l = { .op = OHCA_WR_OP_RDMA_WRITE, .size = 8, .qps = t[i].qps, .depth = t[i].depth, .batch = t[i].batch, .total = t[i].total,
				  .inl = true, .random = t[i].random, .push = t[i].push };
		char name[64];
		double msgs, cyc;

		snprintf(name, sizeof(name), "rate-%u-%u%s-%u", t[i].qps, t[i].batch, t[i].push ? "-pushed" : "", width);
		if (t[i].qps > most || (gate_only && t[i].qps != 16 && t[i].qps != 65536) || !figure_begin(&out, name))
			continue;
		if (!run_load(&l, t[i].qps > 16 ? 12000 : 3000, (uint64_t)((t[i].qps > 16 ? 120000 : 20000) * stretch))) {
			result(false, name);
			figure_end();
		}
		cyc = (double)win[1].cycles;
		msgs = (double)win[1].w_bytes[W_PAYLOAD] / 8;
		printf("# %6u %6u %10s %10.2f %10.2f | %12.1f%% %5.1f %5.1f%% | %13.1f%%\n", t[i].qps, t[i].batch,
		       t[i].push ? "pushed" : t[i].random ? "random" : "in turn", cyc / msgs, 1000 / NS_PER_CYCLE * msgs / cyc,
		       100.0 * (double)win[0].r_beats / cyc, (double)win[0].reads_out / cyc,
		       100.0 * (double)win[0].w_beats / cyc, 100.0 * (double)win[1].w_beats / cyc);
		fprintf(json, "%s\n    {\"qps\": %u, \"batch\": %u, \"random\": %s, \"pushed\": %s, \"messages\": %.0f, "
			"\"cycles_per_message\": %.3f, \"mmsgs\": %.3f",
			out ? "," : "", t[i].qps, t[i].batch, t[i].random ? "true" : "false", t[i].push ? "true" : "false", msgs, cyc / msgs,
			1000 / NS_PER_CYCLE * msgs / cyc);
		use("node0", &win[0]);
		use("node1", &win[1]);
		fprintf(json, "}");
		if (t[i].qps == 16)
			gate->rate[t[i].push] = msgs > 0 ? cyc / msgs : 0;
		else if (t[i].qps == 65536)
			gate->random[t[i].push] = msgs > 0 ? cyc / msgs : 0;
		result(msgs > 0 || (snprintf(why, sizeof(why), "nothing arrived"), false), name);
		figure_end();
	}
	fprintf(json, "]");
}

int cmp_int64(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

#define TRIES 9
static int lat_out;

static int64_t stage(const char *op, const char *name, const int64_t *v)
{
	int64_t s[TRIES];

	memcpy(s, v, sizeof(s));
	qsort(s, TRIES, sizeof(s[0]), cmp_int64);
	printf("#   %-58s %5lld  (%lld … %lld)\n", name, (long long)s[TRIES / 2], (long long)s[0], (long long)s[TRIES - 1]);
	fprintf(json, "%s\n    {\"case\": \"%s\", \"stage\": \"%s\", \"min\": %lld, \"median\": %lld, \"max\": %lld}", lat_out++ ? "," : "", op, name,
		(long long)s[0], (long long)s[TRIES / 2], (long long)s[TRIES - 1]);
	return s[TRIES - 1];
}

static bool cqe_there(void *ctx)
{
	(void)ctx;
	return pin[0].t_cqe != 0;
}

/* One message at a time on a quiet link, contexts and translations in the caches. */
static void latency(void)
{
	static const struct { const char *name; unsigned op; uint32_t size; bool inl, push; } t[] = {
		{ "pushed 8-byte inline WRITE", OHCA_WR_OP_RDMA_WRITE, 8, true, true },
		{ "8-byte inline WRITE by doorbell", OHCA_WR_OP_RDMA_WRITE, 8, true, false },
		{ "pushed 64-byte WRITE", OHCA_WR_OP_RDMA_WRITE, 64, false, true },
		{ "pushed 4096-byte WRITE", OHCA_WR_OP_RDMA_WRITE, 4096, false, true },
		{ "pushed 64-byte SEND", OHCA_WR_OP_SEND, 64, false, true },
		{ "pushed 64-byte READ", OHCA_WR_OP_RDMA_READ, 64, false, true },
	};

	unsigned out = 0;

	printf("# latency by stage, %u bits, cycles: median (least … most) of %d\n", width, TRIES);
	fprintf(json, ",\n  \"latency\": [");
	for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct load l = { .op = t[i].op, .size = t[i].size, .qps = 1, .depth = 1, .batch = 1, .inl = t[i].inl, .push = t[i].push };
		int64_t v[10][TRIES] = { 0 };
		int64_t to_wire, to_host = 0, to_cqe;
		bool read = t[i].op == OHCA_WR_OP_RDMA_READ;
		char name[64];
		struct ohca_cqe e;

		snprintf(name, sizeof(name), "latency-%u-%u", i, width);
		if ((gate_only && i) || !figure_begin(&out, name))
			continue;
		lat_out = (int)out;
		memset(&run_, 0, sizeof(run_));
		run_.l = &l;
		errors = 0;
		for (int n = -3; n < TRIES; n++) {
			struct pins *p = pin;

			if (t[i].op == OHCA_WR_OP_SEND)
				post_recvs(1, 0);
			fabric_run(fab, 3000 + ohv_rand(dev[0]) % 64, NULL, NULL);
			clear_counts();
			post_batch(0, 0);
			if (!fabric_run(fab, 400000, cqe_there, NULL)) {
				snprintf(why, sizeof(why), "%s: no completion", t[i].name);
				result(false, name);
				figure_end();
			}
			fabric_run(fab, 200, NULL, NULL);
			if (!ohv_poll(scq[0], &e) || OHCA_GET(OHCA_CQE_STATUS, &e)) {
				snprintf(why, sizeof(why), "%s: status %u", t[i].name, (unsigned)OHCA_GET(OHCA_CQE_STATUS, &e));
				result(false, name);
				figure_end();
			}
			while (ohv_poll(rcq[1], &e))
				qp[1][0].recvs--;
			if (n < 0)
				continue;
			/* p[0].t_tx_first is the request, p[1].t_tx_first the answer; t_rx_last of either the last packet that came in */
			v[0][n] = (int64_t)(p[0].t_tx_first - p[0].t_db);
			v[1][n] = (int64_t)(p[0].t_tx_last - p[0].t_tx_first);
			v[2][n] = (int64_t)(p[1].t_rx_last - p[0].t_tx_last);
			v[3][n] = read ? 0 : (int64_t)(p[1].t_w_last - p[1].t_rx_last);
			v[4][n] = (int64_t)(p[1].t_tx_first - p[1].t_rx_last);
			v[5][n] = read ? (int64_t)(p[0].t_w_last - p[0].t_rx_last) : 0;
			v[6][n] = (int64_t)(p[0].t_cqe - p[0].t_rx_last);
			v[7][n] = (int64_t)(p[0].t_cqe - p[0].t_db);
		}
		printf("# %s\n", t[i].name);
		to_wire = stage(t[i].name, "last MMIO beat to first wire beat", v[0]);
		stage(t[i].name, "first to last wire beat", v[1]);
		stage(t[i].name, "wire (model), last beat out to last beat in", v[2]);
		if (!read)
			to_host = stage(t[i].name, "last wire beat in to last beat of the host write", v[3]);
		stage(t[i].name, read ? "last wire beat of the request to first of the response" : "last wire beat in to first of the ACK", v[4]);
		if (read)
			stage(t[i].name, "last wire beat of the response to last of the host write", v[5]);
		stage(t[i].name, read ? "last wire beat of the response to the CQE's write" : "last wire beat of the ACK to the CQE's write", v[6]);
		to_cqe = stage(t[i].name, "last MMIO beat to the CQE's write, all in all", v[7]);
		if (!i) {
			gate->to_wire = to_wire;
			gate->to_host = to_host;
			gate->to_cqe = to_cqe;
		}
		result(true, name);
		figure_end();
	}
	fprintf(json, "]");
}

/* What of a node is evaluated: the share of the cycles in which each of its parts was clocked ("clocks by part", rtl/ohca.sv) */
static void print_parts(const char *what, const uint64_t (*before)[32], uint64_t cycles, const uint64_t *packets, const uint64_t *fc)
{
	for (unsigned i = 0; i < 2; i++) {
		const struct ohca_model *m = fab->node[i].model;

		printf("# simulation, %s, node %u clocked, %%:", what, i);
		for (unsigned p = 0; p < m->parts && p < 32; p++)
			printf(" %s %.0f", m->part_name[p], 100.0 * (double)(m->part_edges[p] - before[i][p]) / (double)cycles);
		printf("; sent %llu packets, %llu for flow control\n", (unsigned long long)packets[i], (unsigned long long)fc[i]);
	}
}

/* Processor time, so that other load of the machine matters little. */
static void speed(void)
{
	struct load l = { .op = OHCA_WR_OP_RDMA_WRITE, .size = 4096, .qps = 4, .depth = 16, .batch = 1 };
	uint64_t n = 40000;
	double khz[3], t;
	struct fabric_config cfg = fab->cfg;
	struct fabric *one;
	const char *built = fab->node[0].model->built;
	char name[64];

	unsigned out = 0;

	snprintf(name, sizeof(name), "speed-%u", width);
	if (!figure_begin(&out, name))
		return;
	for (unsigned both = 0; both < 2; both++) {
		uint64_t edges[2][32], packets[2], fc[2], from = fab->cycle;

		for (unsigned i = 0; i < 2; i++) {
			const struct ohca_model *m = fab->node[i].model;

			for (unsigned p = 0; p < m->parts && p < 32; p++)
				edges[i][p] = m->part_edges[p];
			packets[i] = fab->node[i].tx->st.packets;
			fc[i] = fab->node[i].tx->st.fc;
		}
		l.both = both;
		if (!run_load(&l, 2000, n)) {
			result(false, name);
			figure_end();
		}
		for (unsigned i = 0; i < 2; i++) {
			packets[i] = fab->node[i].tx->st.packets - packets[i];
			fc[i] = fab->node[i].tx->st.fc - fc[i];
		}
		print_parts(both ? "both send" : "node 0 sends", (const uint64_t (*)[32])edges, fab->cycle - from, packets, fc);
		khz[both] = (double)win[0].cycles / win_cpu / 1000;
	}
	one = fabric_create(&(struct fabric_config){ .nodes = 1, .topology = TOPO_NONE, .clock_mhz = cfg.clock_mhz, .axi = cfg.axi, .firmware = cfg.firmware,
						     .seed = cfg.seed, .train_cycles = cfg.train_cycles, .link_latency = cfg.link_latency });
	if (!one)
		ohv_fail("bench: one node");
	for (uint64_t i = 0; i < 5000; i++)
		fabric_step(one);
	t = cpu_now();
	for (uint64_t i = 0; i < n; i++)
		fabric_step(one);
	khz[2] = (double)n / (cpu_now() - t) / 1000;
	printf("# simulation, %u bits, built by %s\n", width, built);
	printf("# simulation, %u bits, one node booting: %.1f kHz\n", width, khz[2]);
	printf("# simulation, %u bits, two nodes: %.1f kHz when both send, %.1f kHz when one sends (device cycles of the pair in a CPU second)\n", width,
	       khz[1], khz[0]);
	fprintf(json, ",\n  \"speed\": {\"two_busy_khz\": %.2f, \"one_way_khz\": %.2f, \"one_node_khz\": %.2f, \"built\": \"%s\"}",
		khz[1], khz[0], khz[2], built);
	result(true, name);
	figure_end();
}

/* A little of all that guests' programs do, for a program that counts what is executed */
static void train(void)
{
	static const unsigned op[] = { OHCA_WR_OP_RDMA_WRITE, OHCA_WR_OP_RDMA_READ, OHCA_WR_OP_SEND };
	unsigned out = 0;
	char name[64];
	bool ok = true;

	snprintf(name, sizeof(name), "train-%u", width);
	if (!figure_begin(&out, name))
		return;
	for (unsigned i = 0; ok && i < 6; i++) {
		struct load l = { .op = op[i % 3], .size = i < 3 ? 16384 : 64, .qps = i < 3 ? 1 : 4, .depth = 16, .batch = 1 };

		ok = run_load(&l, 500, 6000);
	}
	result(ok, name);
	figure_end();
}

/* ------------------------------------------------------------------ the gate */

static void verdict(const char *name, double v, double least, double most, unsigned *n)
{
	char full[80];
	bool ok = v > 0 && v >= least && v <= most;

	snprintf(full, sizeof(full), "gate-%s-%u", name, width);
	if (v <= 0)
		snprintf(why, sizeof(why), "not measured");
	else if (!ok)
		snprintf(why, sizeof(why), "%.3g, wanted %s %.3g", v, v < least ? "at least" : "at most", v < least ? least : most);
	fprintf(json, "%s\n    {\"name\": \"%s\", \"value\": %.4g, \"bound\": %.4g, \"ok\": %s}", (*n)++ ? "," : "", name, v, least > 0 ? least : most,
		ok ? "true" : "false");
	result(ok, full);
}

static void check_gate(void)
{
	static const char *const op[3] = { "goodput-WRITE", "goodput-READ", "goodput-SEND" };
	unsigned n = 0;

	fprintf(json, ",\n  \"gate\": [");
	for (unsigned i = 0; i < 3; i++)
		verdict(op[i], gate->goodput[i], 0.9, 1e9, &n);
	verdict("first-touch", gate->touch, 0.95, 1e9, &n);
	verdict("message", gate->rate[0], 0, width > 64 ? 2.5 : 9, &n);	/* 64 bits: the host's bus is the limit */
	verdict("message-pushed", gate->rate[1], 0, width > 64 ? 3 : 9, &n);
	/* Seeds vary by a tenth. What a cache of contexts does while a number that was evicted comes back shows here. */
	verdict("message-random", gate->random[0], 0, width > 64 ? 4 : 20, &n);
	verdict("message-random-pushed", gate->random[1], 0, width > 64 ? 16 : 50, &n);
	verdict("doorbell-to-wire", (double)gate->to_wire, 0, 50, &n);
	verdict("wire-to-host", (double)gate->to_host, 0, 50, &n);
	verdict("doorbell-to-cqe", (double)gate->to_cqe, 0, 250, &n);
	fprintf(json, "]");
}

/* ------------------------------------------------------------------ bring-up */

/* Another region with these pages, again and again; its key. */
static uint32_t walk_region(struct ohv_dev *d, const struct ohv_mr *m)
{
	uint64_t *t = (uint64_t *)ohv_ptr(d, d->mtt_off) + d->next_mtt;
	struct ohca_mpt e;
	unsigned n = d->next_mpt++;

	for (unsigned k = 0; k < WALK_PAGES; k++)
		t[k] = m->page[k % (MR_LEN / OHV_PAGE)] | 1;
	memset(&e, 0, sizeof(e));
	OHCA_SET(OHCA_MPT_VALID, &e, 1);
	OHCA_SET(OHCA_MPT_ACC_LW, &e, 1);
	OHCA_SET(OHCA_MPT_ACC_RW, &e, 1);
	OHCA_SET(OHCA_MPT_ACC_RR, &e, 1);
	OHCA_SET(OHCA_MPT_PAGE_SHIFT, &e, 12);
	OHCA_SET(OHCA_MPT_PD, &e, 7);
	OHCA_SET(OHCA_MPT_START, &e, WALK_VA);
	OHCA_SET(OHCA_MPT_LENGTH, &e, (uint64_t)WALK_PAGES * OHV_PAGE);
	OHCA_SET(OHCA_MPT_MTT, &e, d->next_mtt);
	d->next_mtt += WALK_PAGES;
	if (ohv_cmd(d, OHCA_CMD_OP_CREATE_MKEY, n, 0, &e, sizeof(e) / 4, NULL, 0, NULL))
		ohv_fail("bench: create_mkey");
	return n << 8;
}

static void split_mr(struct ohv_mr *all, struct ohv_mr *a, uint64_t off)
{
	*a = *all;
	a->va = all->va + off;
	a->len = MR_LEN;
	a->page = all->page + off / OHV_PAGE;
}

static bool wanted(const char *cases, const char *what)
{
	return !cases || strstr(cases, what);
}

int main(int argc, char **argv)
{
	struct fabric_config cfg;
	struct fabric *f;
	const char *fw = "build/firmware/ohca_fw.hex", *out = NULL, *cases = NULL, *waves = NULL;
	unsigned most = 0;
	bool pauses = true;
	uint64_t seed = 1;
	double t0 = cpu_now(), up;
	static uint8_t data[MR_LEN];
	int c;

	while ((c = getopt(argc, argv, "w:o:f:s:c:q:lprdx:n:t:gi:")) != -1) {
		if (c == 'w')
			width = (unsigned)atoi(optarg);
		else if (c == 'o')
			out = optarg;
		else if (c == 'f')
			fw = optarg;
		else if (c == 's')
			seed = strtoull(optarg, NULL, 0);
		else if (c == 'c')
			cases = optarg;
		else if (c == 'q')
			most = (unsigned)atoi(optarg);
		else if (c == 'r')
			ohv_roce = true;
		else if (c == 'd')
			pauses = false;
		else if (c == 'l')
			many_sizes = true;
		else if (c == 'p')
			narrow = true;
		else if (c == 'g')
			gate_only = true;
		else if (c == 'n')
			only = optarg;
		else if (c == 't')
			waves = optarg;
		else if (c == 'i')
			iso_part = (unsigned)atoi(optarg) ? (unsigned)atoi(optarg) : 1;
		else if (c == 'x')
			stretch = atof(optarg) / 100;
		else
			return 2;
	}
	if (!most)
		most = gate_only || (width == 512 && !cases && !only) ? 65536 : 1024;
	if (most < 16 || most > 65536 || stretch <= 0) {
		fprintf(stderr, "native: 16 to 65536 QPs, windows of more than 0 %%\n");
		return 2;
	}
	gate = mmap(NULL, sizeof(*gate), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (gate == MAP_FAILED) {
		perror("native");
		return 1;
	}
	json = fopen(out ? out : "/dev/null", "w");
	if (!json) {
		perror(out);
		return 1;
	}
	fabric_config_default(&cfg, 2, width);
	cfg.axi.wide = narrow ? 0 : 65536;
	cfg.topology = TOPO_P2P;
	cfg.firmware = fw;
	cfg.seed = seed;
	cfg.trace = waves;
	f = fabric_create(&cfg);
	if (!f)
		return 1;
	fab = f;
	wire_bpc = (double)f->node[0].tx->rate / 65536;
	for (unsigned i = 0; i < 2; i++) {
		pin[i].step = f->node[i].model->step;
		f->node[i].model->step = hook;
	}
	for (unsigned i = 0; i < 2; i++)
		dev[i] = ohv_open(f, i, most > 1024 ? 700ul << 20 : 64ul << 20);
	for (unsigned i = 0; i < 2; i++)
		ohv_port_up(dev[i], (uint16_t)(i + 1));
	for (unsigned i = 0; i < 2 && ohv_roce && pauses; i++) {
		ohv_port_wait(dev[i]);
		ohv_pauses(dev[i], true);
	}
	for (unsigned i = 0; i < 2; i++) {
		uint64_t at = OHV_IOVA + dev[i]->mem_used;

		mr[i] = ohv_reg(dev[i], MR_VA, 2 * MR_LEN, 7);
		split_mr(mr[i], &src[i], 0);
		split_mr(mr[i], &dst[i], MR_LEN);
		walk_src[i] = walk_region(dev[i], &src[i]);
		walk_dst[i] = walk_region(dev[i], &dst[i]);
		/* only destinations are written to, so the whole region is theirs */
		pin[i].dst_lo = at;
		pin[i].dst_hi = OHV_IOVA + dev[i]->mem_used;
		at = OHV_IOVA + dev[i]->mem_used;
		scq[i] = ohv_create_cq(dev[i], CQ_LOG);
		rcq[i] = ohv_create_cq(dev[i], CQ_LOG);
		pin[i].cq_lo = at;
		pin[i].cq_hi = OHV_IOVA + dev[i]->mem_used;
		for (unsigned k = 0; k < MR_LEN; k++)
			data[k] = (uint8_t)(ohv_rand(dev[i]) >> 32);
		ohv_write(&src[i], 0, data, MR_LEN);
	}
	make_qps(most);
	up = cpu_now() - t0;
	printf("# %u bits: brought up in %llu cycles, %.1f s\n", width, (unsigned long long)f->cycle, up);
	fprintf(json, "{\"width\": %u, \"clock_mhz\": %u, \"wire_bytes_per_cycle\": %.3f, \"seed\": %llu,\n  \"pcie\": {\"read_cycles\": %u, "
		"\"bytes_per_cycle\": %.2f, \"tlp_payload\": %u, \"tlp_overhead\": %u}", width, cfg.clock_mhz, wire_bpc, (unsigned long long)seed,
		cfg.axi.read_latency, (double)cfg.axi.rate / 65536, cfg.axi.tlp_payload, cfg.axi.tlp_overhead);
	if (wanted(cases, "latency"))
		latency();
	if (wanted(cases, "rate"))
		rate(most);
	if (wanted(cases, "goodput"))
		goodput();
	if (wanted(cases, "first_touch"))
		first_touch();
	if (wanted(cases, "isolation") && !gate_only && !ohv_roce)
		isolation();
	if (wanted(cases, "speed") && !gate_only)
		speed();
	if (cases && wanted(cases, "train"))
		train();
	if (gate_only || (width == 512 && !cases && !only))
		check_gate();
	fprintf(json, ",\n  \"failed\": %u, \"cpu_seconds\": %.1f}\n", failed, cpu_all());
	fclose(json);
	printf("# %u bits: %.1f CPU seconds, of them %.1f to bring the adapters up\n", width, cpu_all(), up);
	return failed != 0;
}
