// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/* See ohv.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ohv.h"

#define LOG_QP 17
#define LOG_CQ 12
#define LOG_MPT 14
#define LOG_MTT 18
#define CHUNK (1u << OHCA_ICM_CHUNK_SHIFT)

bool ohv_roce;

void ohv_fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fprintf(stderr, "ohv: ");
	vfprintf(stderr, fmt, ap);
	fprintf(stderr, "\n");
	va_end(ap);
	exit(1);
}

uint64_t ohv_rand(struct ohv_dev *d)
{
	d->rng ^= d->rng << 13;
	d->rng ^= d->rng >> 7;
	d->rng ^= d->rng << 17;
	return d->rng;
}

uint64_t ohv_alloc(struct ohv_dev *d, size_t bytes, size_t align)
{
	size_t at = (d->mem_used + align - 1) & ~(align - 1);

	if (at + bytes > d->mem_len)
		ohv_fail("node %u: out of host memory", d->node);
	d->mem_used = at + bytes;
	return OHV_IOVA + at;
}

void *ohv_ptr(struct ohv_dev *d, uint64_t bus)
{
	return d->mem + (bus - OHV_IOVA);
}

static void drop_arms(struct ohv_dev *d, unsigned n)
{
	d->num_arms -= n;
	memmove(d->arms, d->arms + n, d->num_arms * sizeof(d->arms[0]));
	memmove(d->arm_at, d->arm_at + n, d->num_arms * sizeof(d->arm_at[0]));
}

static bool eq_has(struct ohv_dev *d, uint32_t ci)
{
	struct ohca_eqe *e = (struct ohca_eqe *)d->eq + (ci & ((1u << d->eq_log) - 1));

	return ci != d->eq_ci || OHCA_GET(OHCA_EQE_PHASE, e) == !(ci >> d->eq_log & 1);
}

/*
 * What it tells of must be in memory: there is an entry where the queue stood at an arm, or was. An interrupt may come
 * after its entry was taken and the queue armed anew, so arms are kept until one answers them, or for as long as it can
 * take: the bus shows a write up to 8,000 cycles late.
 */
#define IRQ_LATE 20000

static void on_irq(void *ctx, unsigned vector)
{
	struct ohv_dev *d = ctx;
	unsigned i = 0;

	d->irqs[vector & 31]++;
	while (d->num_arms && d->arms[0] != d->eq_ci && d->f->cycle - d->arm_at[0] > IRQ_LATE)
		drop_arms(d, 1);
	if (vector == 0 && d->num_arms) {
		while (i < d->num_arms && !eq_has(d, d->arms[i]))
			i++;
		if (i == d->num_arms)
			ohv_fail("node %u: an interrupt before its event is in memory", d->node);
		drop_arms(d, i + 1);
	}
}

void ohv_bus(struct fabric_config *cfg, bool steady)
{
	static const unsigned pressure[] = { 0, 1000, 6000, 20000, 40000 };
	const char *env = getenv("OHCA_BUS");
	struct rng r;

	rng_seed(&r, cfg->seed, 0xb05);
	if (env && !strcmp(env, "plain")) {
		printf("# bus: plain\n");
		return;
	}
	cfg->axi.loose = 1000 + rng_below(&r, 3000);
	cfg->axi.backpressure = pressure[rng_below(&r, 5)];
	if (rng_below(&r, 2))
		cfg->axi.combine = true;
	if (steady)
		cfg->axi.loose = 100;
	cfg->axi.wide = 32768 * rng_below(&r, 3);
	printf("# bus: writes seen up to %u cycles late, back-pressure %.2f, of the pushes %.0f %% by the wide port\n", cfg->axi.loose,
	       cfg->axi.backpressure / 65536.0, cfg->axi.wide / 655.36);
}

static void run(struct ohv_dev *d, uint64_t cycles)
{
	fabric_run(d->f, cycles, NULL, NULL);
}

int ohv_cmd(struct ohv_dev *d, unsigned op, uint32_t in_mod, unsigned op_mod, const void *in, unsigned in_dw, void *out,
	    unsigned out_dw, uint32_t *imm)
{
	struct ohca_cmd_regs r;
	uint32_t v;

	memset(&r, 0, sizeof(r));
	if (in)
		memcpy(ohv_ptr(d, d->mbox_in), in, 4ul * in_dw);
	OHCA_SET(OHCA_CMD_REGS_IN_PARAM, &r, d->mbox_in);
	OHCA_SET(OHCA_CMD_REGS_OUT_PARAM, &r, d->mbox_out);
	OHCA_SET(OHCA_CMD_REGS_IN_MOD, &r, in_mod);
	OHCA_SET(OHCA_CMD_REGS_OPCODE, &r, op);
	OHCA_SET(OHCA_CMD_REGS_OP_MOD, &r, op_mod);
	OHCA_SET(OHCA_CMD_REGS_TOKEN, &r, ++d->token);
	OHCA_SET(OHCA_CMD_REGS_GO, &r, 1);
	for (unsigned i = 0; i < 7; i++)
		fabric_write32(d->f, d->node, OHCA_REG_CMD + 4 * i, ((uint32_t *)&r)[i]);
	for (unsigned n = 0;; n++) {
		run(d, 2000);
		v = fabric_read32(d->f, d->node, OHCA_REG_CMD + 24);
		if (!(v & OHCA_MASK(OHCA_CMD_REGS_GO)))
			break;
		if (n > 10000)
			ohv_fail("node %u: command %#x does not end", d->node, op);
	}
	if (imm)
		*imm = fabric_read32(d->f, d->node, OHCA_REG_CMD + 28);
	if (out)
		memcpy(out, ohv_ptr(d, d->mbox_out), 4ul * out_dw);
	return OHCA_EXTRACT(OHCA_CMD_REGS_STATUS, v);
}

void ohv_settle(struct fabric *f)
{
	uint64_t until = 0;

	if (!f->cfg.axi.loose)
		return;
	fabric_run(f, 500, NULL, NULL);		/* to the pins, past back-pressure */
	for (unsigned i = 0; i < f->nodes; i++)
		if (f->node[i].host.axi.last_seen > until)
			until = f->node[i].host.axi.last_seen;
	if (until >= f->cycle)
		fabric_run(f, until - f->cycle + 1, NULL, NULL);
}

static void map_chunks(struct ohv_dev *d, uint32_t first, uint32_t count)
{
	struct ohca_cmd_map_icm_in in[32];
	int st;

	while (count) {
		uint32_t n = count > 32 ? 32 : count;

		memset(in, 0, sizeof(in));
		for (uint32_t i = 0; i < n; i++) {
			OHCA_SET(OHCA_CMD_MAP_ICM_IN_CHUNK, &in[i], first + i);
			OHCA_SET(OHCA_CMD_MAP_ICM_IN_ADDR, &in[i], d->icm_base + (uint64_t)(first + i) * CHUNK);
		}
		st = ohv_cmd(d, OHCA_CMD_OP_MAP_ICM, n, 0, in, n * 4, NULL, 0, NULL);
		if (st)
			ohv_fail("node %u: map_icm: status %d", d->node, st);
		first += n;
		count -= n;
	}
}

struct ohv_dev *ohv_open(struct fabric *f, unsigned node, size_t mem_bytes)
{
	struct ohv_dev *d = calloc(1, sizeof(*d));
	struct ohca_cmd_query_dev_out q;
	struct ohca_cmd_init_dev_in in;
	struct ohca_cmd_eq_in eq;
	uint32_t v, qpc, cqc, mpt, mtt, total, log_qp = LOG_QP;
	uint64_t eq_buf;
	int st;

	d->f = f;
	d->node = node;
	d->rng = 0x9e3779b97f4a7c15ull * (f->cfg.seed + node + 1) | 1;
	d->mem_len = mem_bytes;
	d->mem = host_flat_memory(&f->node[node].host, OHV_IOVA, mem_bytes);
	if (!d->mem)
		ohv_fail("no memory");
	host_set_irq(&f->node[node].host, 32, on_irq, d);
	d->mbox_in = ohv_alloc(d, 4096, 4096);
	d->mbox_out = ohv_alloc(d, 4096, 4096);
	for (unsigned n = 0;; n++) {
		v = fabric_read32(f, node, OHCA_REG_STATUS);
		if (v & OHCA_MASK(OHCA_REG_STATUS_FATAL))
			ohv_fail("node %u: fatal, status %#x", node, v);
		if (v & OHCA_MASK(OHCA_REG_STATUS_FW_READY))
			break;
		if (n > 1000)
			ohv_fail("node %u: firmware does not start, status %#x", node, v);
		run(d, 2000);
	}
	v = fabric_read32(f, node, OHCA_REG_ID);
	if (v != OHCA_REG_ID_VALUE)
		ohv_fail("node %u: id %#x", node, v);
	/* At 64 bits there is no wide port (rtl/ohca.sv: WidePush). */
	if (f->cfg.axi.data_width == 64)
		f->node[node].host.axi.cfg.wide = 0;
	v = fabric_read32(f, node, OHCA_REG_FMT_VERSION);
	if (v != OHCA_FMT_VERSION)
		ohv_fail("node %u: formats %#x, the test has %#x", node, v, (unsigned)OHCA_FMT_VERSION);
	st = ohv_cmd(d, OHCA_CMD_OP_QUERY_DEV, 0, 0, NULL, 0, &q, sizeof(q) / 4, NULL);
	if (st)
		ohv_fail("node %u: query_dev: status %d", node, st);
	d->caps = OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_CAPS, &q);

	if (log_qp > OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_LOG_MAX_QP, &q))
		log_qp = OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_LOG_MAX_QP, &q);
	/* Tables one after the other; QP contexts are given on demand in blocks of 256 QPs (a chunk). */
	qpc = 0;
	cqc = qpc + (OHCA_QPC_STRIDE << log_qp) / CHUNK;
	mpt = cqc + ((64u << LOG_CQ) + CHUNK - 1) / CHUNK;
	mtt = mpt + ((64u << LOG_MPT) + CHUNK - 1) / CHUNK;
	total = mtt + ((8u << LOG_MTT) + CHUNK - 1) / CHUNK;
	if (total > OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_ICM_CHUNKS, &q))
		ohv_fail("node %u: needs %u chunks of context memory", node, total);
	d->icm_base = ohv_alloc(d, (size_t)(total - cqc) * CHUNK, CHUNK) - (uint64_t)cqc * CHUNK;
	d->mpt_off = d->icm_base + (uint64_t)mpt * CHUNK;
	d->mtt_off = d->icm_base + (uint64_t)mtt * CHUNK;
	map_chunks(d, cqc, total - cqc);
	{
		/* 16 chunks for QPs 0..4095; elsewhere in memory, so that the directory is really used. */
		struct ohca_cmd_map_icm_in m[16];
		uint64_t a = ohv_alloc(d, 16 * CHUNK, CHUNK);

		memset(m, 0, sizeof(m));
		for (unsigned i = 0; i < 16; i++) {
			OHCA_SET(OHCA_CMD_MAP_ICM_IN_CHUNK, &m[i], i);
			OHCA_SET(OHCA_CMD_MAP_ICM_IN_ADDR, &m[i], a + (uint64_t)(15 - i) * CHUNK);
		}
		st = ohv_cmd(d, OHCA_CMD_OP_MAP_ICM, 16, 0, m, 64, NULL, 0, NULL);
		if (st)
			ohv_fail("node %u: map_icm: status %d", node, st);
	}
	memset(&in, 0, sizeof(in));
	OHCA_SET(OHCA_CMD_INIT_DEV_IN_CMD_ABI, &in, OHCA_CMD_ABI);
	OHCA_SET(OHCA_CMD_INIT_DEV_IN_QPC_CHUNK, &in, qpc);
	OHCA_SET(OHCA_CMD_INIT_DEV_IN_CQC_CHUNK, &in, cqc);
	OHCA_SET(OHCA_CMD_INIT_DEV_IN_MPT_CHUNK, &in, mpt);
	OHCA_SET(OHCA_CMD_INIT_DEV_IN_MTT_CHUNK, &in, mtt);
	OHCA_SET(OHCA_CMD_INIT_DEV_IN_LOG_QP, &in, log_qp);
	OHCA_SET(OHCA_CMD_INIT_DEV_IN_LOG_CQ, &in, LOG_CQ);
	OHCA_SET(OHCA_CMD_INIT_DEV_IN_LOG_MPT, &in, LOG_MPT);
	OHCA_SET(OHCA_CMD_INIT_DEV_IN_LOG_MTT, &in, LOG_MTT);
	st = ohv_cmd(d, OHCA_CMD_OP_INIT_DEV, 0, 0, &in, sizeof(in) / 4, NULL, 0, NULL);
	if (st)
		ohv_fail("node %u: init_dev: status %d", node, st);

	d->eq_log = 10;
	eq_buf = ohv_alloc(d, 16ul << d->eq_log, 4096);
	d->eq = ohv_ptr(d, eq_buf);
	memset(&eq, 0, sizeof(eq));
	OHCA_SET(OHCA_CMD_EQ_IN_BUF, &eq, eq_buf);
	OHCA_SET(OHCA_CMD_EQ_IN_LOG_SIZE, &eq, d->eq_log);
	st = ohv_cmd(d, OHCA_CMD_OP_CREATE_EQ, 0, 0, &eq, sizeof(eq) / 4, NULL, 0, NULL);
	if (st)
		ohv_fail("node %u: create_eq: status %d", node, st);
	d->next_cqn = 1;
	d->next_qpn = 64;
	d->next_mpt = 1;
	d->next_mtt = 0;
	return d;
}

void ohv_close(struct ohv_dev *d)
{
	free(d);
}

unsigned ohv_port_state(struct ohv_dev *d)
{
	struct ohca_cmd_port_out o;

	if (ohv_cmd(d, OHCA_CMD_OP_QUERY_PORT, 1, 0, NULL, 0, &o, sizeof(o) / 4, NULL))
		ohv_fail("node %u: query_port", d->node);
	return OHCA_GET(OHCA_CMD_PORT_OUT_STATE, &o);
}

/* One SMP through firmware; the answer's attribute replaces data. Returns the MAD status. */
static unsigned smp(struct ohv_dev *d, unsigned method, unsigned attr, uint32_t mod, uint8_t *data)
{
	static uint8_t in[512], out[256];
	uint32_t imm;
	int st;

	memset(in, 0, sizeof(in));
	in[0] = 1;
	in[1] = 0x01;
	in[2] = 1;
	in[3] = (uint8_t)method;
	in[16] = (uint8_t)(attr >> 8);
	in[17] = (uint8_t)attr;
	for (unsigned i = 0; i < 4; i++)
		in[20 + i] = (uint8_t)(mod >> (24 - 8 * i));
	memcpy(in + 64, data, 64);
	st = ohv_cmd(d, OHCA_CMD_OP_MAD_IFC, 1, 1, in, 128, out, 64, &imm);
	if (st || imm != 1)
		ohv_fail("node %u: mad_ifc: status %d, result %u", d->node, st, imm);
	memcpy(data, out + 64, 64);
	return (unsigned)out[4] << 8 | out[5];
}

void ohv_sl2vl(struct ohv_dev *d, const uint8_t map[16])
{
	uint8_t m[64] = { 0 };

	for (unsigned i = 0; i < 8; i++)
		m[i] = (uint8_t)(map[2 * i] << 4 | map[2 * i + 1]);
	if (smp(d, 2, 0x17, 0, m))
		ohv_fail("node %u: Set(SLtoVLMappingTable) refused", d->node);
}

/* Address n of a station: 0 IPv4, 1 IPv6, 2 and 3 the same in a VLAN. */
void ohv_station_gid(uint16_t lid, unsigned n, uint8_t *gid)
{
	memset(gid, 0, 16);
	if (n & 1) {
		gid[0] = 0xfd;
		gid[13] = (uint8_t)(0xa1 + n);
	} else {
		gid[10] = gid[11] = 0xff;
		gid[12] = 10;
		gid[13] = (uint8_t)(1 + n);
	}
	gid[14] = (uint8_t)(lid >> 8);
	gid[15] = (uint8_t)lid;
}

static void eth_up(struct ohv_dev *d, uint16_t lid)
{
	struct ohca_cmd_port_in in;
	int st;

	memset(&in, 0, sizeof(in));
	OHCA_SET(OHCA_CMD_PORT_IN_SET_MODE, &in, 1);
	OHCA_SET(OHCA_CMD_PORT_IN_ETH, &in, 1);
	st = ohv_cmd(d, OHCA_CMD_OP_SET_PORT, 1, 0, &in, sizeof(in) / 4, NULL, 0, NULL);
	if (st)
		ohv_fail("node %u: no Ethernet port: status %d", d->node, st);
	for (unsigned n = 0; n < 4; n++) {
		struct ohca_cmd_gid_in g;
		uint8_t mac[8] = { 0x02, 0x0c, 0xa1, 0, (uint8_t)(lid >> 8), (uint8_t)lid };
		struct ohca_gid_attr a;

		memset(&g, 0, sizeof(g));
		memset(&a, 0, sizeof(a));
		memcpy(&a, mac, 6);
		if (n >= 2) {
			OHCA_SET(OHCA_GID_ATTR_VID, &a, OHV_VLAN);
			OHCA_SET(OHCA_GID_ATTR_TAG, &a, 1);
		}
		OHCA_SET(OHCA_GID_ATTR_GTYPE, &a, n & 1 ? OHCA_GID_TYPE_ROCE_V2_IPV6 : OHCA_GID_TYPE_ROCE_V2_IPV4);
		ohv_station_gid(lid, n, OHCA_PTR(OHCA_CMD_GID_IN_GID, &g));
		memcpy(&g.dw[4], &a, 8);
		st = ohv_cmd(d, OHCA_CMD_OP_SET_GID, 1 | n << 8, 0, &g, sizeof(g) / 4, NULL, 0, NULL);
		if (st)
			ohv_fail("node %u: set_gid %u: status %d", d->node, n, st);
	}
	d->lid = lid;
	ohv_port_wait(d);
}

void ohv_port_wait(struct ohv_dev *d)
{
	for (unsigned n = 0; ohv_port_state(d) != 4; n++) {
		if (n > 10000)
			ohv_fail("node %u: the port does not become Active", d->node);
		run(d, 2000);
	}
}

bool ohv_ud_from(const struct ohv_dev *d, const struct ohca_cqe *e, const uint8_t *grh, uint16_t lid)
{
	bool tag = OHCA_GET(OHCA_CQE_SLID, e) != 0xffff, v6 = grh[0] >> 4 == 6;
	uint8_t src[16], dst[16];
	unsigned sum = 0;

	if (!ohv_roce)
		return OHCA_GET(OHCA_CQE_SLID, e) == lid;
	if (!OHCA_GET(OHCA_CQE_GRH, e) || (tag && (OHCA_GET(OHCA_CQE_SLID, e) & 0xfff) != OHV_VLAN))
		return false;
	ohv_station_gid(lid, v6 | tag << 1, src);
	ohv_station_gid(d->lid, v6 | tag << 1, dst);
	if (v6)
		return !memcmp(grh + 8, src, 16) && !memcmp(grh + 24, dst, 16);
	for (unsigned i = 20; i < 40; i += 2)
		sum += (unsigned)grh[i] << 8 | grh[i + 1];
	sum = (sum & 0xffff) + (sum >> 16);
	return grh[20] == 0x45 && sum + (sum >> 16) == 0xffff && !memcmp(grh + 32, src + 12, 4) && !memcmp(grh + 36, dst + 12, 4);
}

void ohv_pauses(struct ohv_dev *d, bool send)
{
	uint8_t mac[8] = { 0x02, 0x0c, 0xa1, 0, (uint8_t)(d->lid >> 8), (uint8_t)d->lid };
	struct ohca_cmd_eth_in in;
	int st;

	memset(&in, 0, sizeof(in));
	memcpy(in.dw, mac, 6);
	OHCA_SET(OHCA_CMD_ETH_IN_MTU, &in, OHCA_MTU_MTU4096);
	in.dw[4] = 1;
	in.dw[5] = 0xff;
	if (send) {
		in.dw[5] |= 0xff00 | 0x1000u << 16;
		in.dw[6] = 128u << 16 | 256;
	}
	st = ohv_cmd(d, OHCA_CMD_OP_SET_ETH, 1, 0, &in, sizeof(in) / 4, NULL, 0, NULL);
	if (st)
		ohv_fail("node %u: set_eth: status %d", d->node, st);
}

void ohv_pause_frame(struct fabric *f, unsigned from, unsigned prio, unsigned quanta)
{
	static const uint8_t head[] = { 0x01, 0x80, 0xc2, 0, 0, 1, 0x02, 0x0c, 0xa1, 0, 0, 2, 0x88, 0x08, 0x01, 0x01 };
	struct packet *p = packet_new();

	p->kind = OHCA_KIND_ETH;
	p->len = 60;
	memset(p->data, 0, p->len);
	memcpy(p->data, head, sizeof(head));
	p->data[17] = (uint8_t)(1u << prio);
	p->data[18 + 2 * prio] = (uint8_t)(quanta >> 8);
	p->data[19 + 2 * prio] = (uint8_t)quanta;
	wire_send_now(&f->link[0].w[from], p, f->cycle);
}

void ohv_port_up(struct ohv_dev *d, uint16_t lid)
{
	uint8_t pi[64];

	if (ohv_roce) {
		eth_up(d, lid);
		return;
	}
	for (unsigned n = 0; ohv_port_state(d) < 2; n++) {
		if (n > 1000)
			ohv_fail("node %u: the link does not come up", d->node);
		run(d, 1000);
	}
	for (unsigned state = 3; state <= 4; state++) {
		memset(pi, 0, sizeof(pi));
		smp(d, 1, 0x15, 1, pi);
		pi[16] = (uint8_t)(lid >> 8);
		pi[17] = (uint8_t)lid;
		pi[18] = 0;
		pi[19] = 1;				/* master SM */
		pi[29] = 0;
		pi[32] = (uint8_t)state;
		pi[33] = 0x02;
		pi[35] = 0;
		pi[36] = OHCA_MTU_MTU4096 << 4;
		pi[43] = (uint8_t)(pi[37] & 0xf0);	/* every VL there is, as OpenSM has it: they share the credits */
		pi[63] = 0;
		if (smp(d, 2, 0x15, 1, pi))
			ohv_fail("node %u: Set(PortInfo) state %u refused", d->node, state);
	}
	d->lid = lid;
	if (ohv_port_state(d) != 4)
		ohv_fail("node %u: port not Active", d->node);
}

/* ------------------------------------------------------------------ memory */

static void pages_alloc(struct ohv_dev *d, struct ohv_mr *m, uint64_t len)
{
	m->d = d;
	m->len = len;
	m->npages = (uint32_t)((len + OHV_PAGE - 1) / OHV_PAGE);
	m->page = calloc(m->npages + 1, sizeof(*m->page));
	for (uint32_t i = 0; i < m->npages; i++)
		m->page[i] = ohv_alloc(d, OHV_PAGE, OHV_PAGE);
	for (uint32_t i = m->npages; i > 1; i--) {
		uint32_t j = (uint32_t)(ohv_rand(d) % i);
		uint64_t t = m->page[i - 1];

		m->page[i - 1] = m->page[j];
		m->page[j] = t;
	}
}

/* Write the pages into the MTT; the first entry's index. */
static uint32_t mtt_fill(struct ohv_dev *d, const struct ohv_mr *m)
{
	uint32_t at = d->next_mtt;
	uint64_t *t = ohv_ptr(d, d->mtt_off);

	if (at + m->npages > 1u << LOG_MTT)
		ohv_fail("node %u: out of MTT entries", d->node);
	for (uint32_t i = 0; i < m->npages; i++)
		t[at + i] = m->page[i] | 1;
	d->next_mtt += (m->npages + 7) & ~7u;	/* the adapter caches lines of eight: none is shared */
	return at;
}

/*
 * A ring, and its base as commands have it. One of larger pages begins in the last 4 KiB of its first page, so that it goes on in another; what the
 * host sees of it are pieces of 4 KiB all the same.
 */
static uint64_t ring_alloc(struct ohv_dev *d, struct ohv_mr *m, uint64_t bytes)
{
	uint64_t big = (uint64_t)OHV_PAGE << d->ring_page, skip = big - OHV_PAGE, at;
	struct ohv_mr t;

	if (!d->ring_page) {
		pages_alloc(d, m, bytes);
		return (uint64_t)mtt_fill(d, m) << 12;
	}
	memset(&t, 0, sizeof(t));
	t.npages = (uint32_t)((skip + bytes + big - 1) / big);
	t.page = calloc(t.npages, sizeof(*t.page));
	for (uint32_t i = t.npages; i-- > 0;)		/* not one behind the other */
		t.page[i] = ohv_alloc(d, big, big);
	at = (uint64_t)mtt_fill(d, &t) * big + skip;
	m->d = d;
	m->len = bytes;
	m->npages = (uint32_t)((bytes + OHV_PAGE - 1) / OHV_PAGE);
	m->page = calloc(m->npages + 1, sizeof(*m->page));
	for (uint32_t i = 0; i < m->npages; i++) {
		uint64_t o = skip + (uint64_t)i * OHV_PAGE;

		m->page[i] = t.page[o / big] + o % big;
	}
	free(t.page);
	return at;
}

struct ohv_mr *ohv_reg(struct ohv_dev *d, uint64_t va, uint64_t len, unsigned access)
{
	struct ohv_mr *m = calloc(1, sizeof(*m));
	struct ohca_mpt e;
	int st;

	pages_alloc(d, m, (va & (OHV_PAGE - 1)) + len);
	m->va = va;
	m->len = len;
	m->mpt = d->next_mpt++;
	do
		m->key = m->mpt << 8 | (ohv_rand(d) & 0xff);
	while (m->key == OHCA_INVALID_LKEY);
	memset(&e, 0, sizeof(e));
	OHCA_SET(OHCA_MPT_VALID, &e, 1);
	OHCA_SET(OHCA_MPT_ACC_LW, &e, access & 1);
	OHCA_SET(OHCA_MPT_ACC_RW, &e, access >> 1 & 1);
	OHCA_SET(OHCA_MPT_ACC_RR, &e, access >> 2 & 1);
	OHCA_SET(OHCA_MPT_KEY, &e, m->key & 0xff);
	OHCA_SET(OHCA_MPT_PAGE_SHIFT, &e, 12);
	OHCA_SET(OHCA_MPT_PD, &e, 7);
	OHCA_SET(OHCA_MPT_START, &e, va);
	OHCA_SET(OHCA_MPT_LENGTH, &e, len);
	OHCA_SET(OHCA_MPT_MTT, &e, mtt_fill(d, m));
	st = ohv_cmd(d, OHCA_CMD_OP_CREATE_MKEY, m->mpt, 0, &e, sizeof(e) / 4, NULL, 0, NULL);
	if (st)
		ohv_fail("node %u: create_mkey: status %d", d->node, st);
	return m;
}

int ohv_dereg(struct ohv_mr *m)
{
	return ohv_cmd(m->d, OHCA_CMD_OP_DESTROY_MKEY, m->mpt, 0, NULL, 0, NULL, 0, NULL);
}

static uint8_t *mr_byte(const struct ohv_mr *m, uint64_t off, size_t *run_len)
{
	uint64_t o = (m->va & (OHV_PAGE - 1)) + off;

	*run_len = OHV_PAGE - o % OHV_PAGE;
	return (uint8_t *)ohv_ptr(m->d, m->page[o / OHV_PAGE]) + o % OHV_PAGE;
}

void ohv_write(struct ohv_mr *m, uint64_t off, const void *p, size_t n)
{
	for (const uint8_t *s = p; n;) {
		size_t k;
		uint8_t *b = mr_byte(m, off, &k);

		if (k > n)
			k = n;
		memcpy(b, s, k);
		s += k;
		off += k;
		n -= k;
	}
}

void ohv_read(const struct ohv_mr *m, uint64_t off, void *p, size_t n)
{
	for (uint8_t *t = p; n;) {
		size_t k;
		uint8_t *b = mr_byte(m, off, &k);

		if (k > n)
			k = n;
		memcpy(t, b, k);
		t += k;
		off += k;
		n -= k;
	}
}

/* ------------------------------------------------------------------ completion and event queues */

struct ohv_cq *ohv_create_cq(struct ohv_dev *d, unsigned log)
{
	struct ohv_cq *c = calloc(1, sizeof(*c));
	struct ohca_cmd_cq_in in;
	int st;

	c->d = d;
	c->log = log;
	c->cqn = d->next_cqn++;
	memset(&in, 0, sizeof(in));
	OHCA_SET(OHCA_CMD_CQ_IN_BUF, &in, ring_alloc(d, &c->ring, 32ull << log));
	OHCA_SET(OHCA_CMD_CQ_IN_BUF_MTT, &in, 1);
	OHCA_SET(OHCA_CMD_CQ_IN_PAGE_SHIFT, &in, d->ring_page);
	c->dbr = ohv_alloc(d, 8, 8);
	OHCA_SET(OHCA_CMD_CQ_IN_DBR, &in, c->dbr);
	OHCA_SET(OHCA_CMD_CQ_IN_LOG_SIZE, &in, log);
	st = ohv_cmd(d, OHCA_CMD_OP_CREATE_CQ, c->cqn, 0, &in, sizeof(in) / 4, NULL, 0, NULL);
	if (st)
		ohv_fail("node %u: create_cq: status %d", d->node, st);
	return c;
}

static struct ohca_cqe *cqe_at(struct ohv_cq *c, uint32_t i)
{
	size_t k;

	return (struct ohca_cqe *)mr_byte(&c->ring, (uint64_t)(i & ((1u << c->log) - 1)) * 32, &k);
}

static bool cq_ready(void *ctx)
{
	struct ohv_cq *c = ctx;

	return OHCA_GET(OHCA_CQE_PHASE, cqe_at(c, c->ci)) == !((c->ci - c->base) >> c->log & 1);
}

int ohv_resize_cq(struct ohv_cq *c, unsigned log)
{
	struct ohca_cmd_resize_cq_in in;
	struct ohv_cq old = *c;
	struct ohv_mr ring;
	uint32_t pi;
	int st;

	memset(&ring, 0, sizeof(ring));
	memset(&in, 0, sizeof(in));
	OHCA_SET(OHCA_CMD_RESIZE_CQ_IN_BUF, &in, ring_alloc(c->d, &ring, 32ull << log));
	OHCA_SET(OHCA_CMD_RESIZE_CQ_IN_BUF_MTT, &in, 1);
	OHCA_SET(OHCA_CMD_RESIZE_CQ_IN_PAGE_SHIFT, &in, c->d->ring_page);
	OHCA_SET(OHCA_CMD_RESIZE_CQ_IN_CI, &in, c->ci & 0xffffff);
	OHCA_SET(OHCA_CMD_RESIZE_CQ_IN_LOG_SIZE, &in, log);
	st = ohv_cmd(c->d, OHCA_CMD_OP_RESIZE_CQ, c->cqn, 0, &in, sizeof(in) / 4, NULL, 0, &pi);
	if (st)
		return st;
	c->ring = ring;
	c->log = log;
	c->base = c->ci + ((pi - c->ci) & 0xffffff);
	for (; old.ci != c->base; old.ci++) {
		struct ohca_cqe *e = cqe_at(c, old.ci);

		if (!cq_ready(&old))
			ohv_fail("CQ %u: entry %u of the old ring is not there, the new one begins with %u", c->cqn, old.ci, c->base);
		if (OHCA_GET(OHCA_CQE_PHASE, e))
			ohv_fail("CQ %u: entry %u of the new ring was written over one that is unread", c->cqn, old.ci);
		*e = *cqe_at(&old, old.ci);
		OHCA_SET(OHCA_CQE_PHASE, e, 0);
	}
	return 0;
}

int ohv_modify_cq(struct ohv_cq *c, unsigned count, unsigned period)
{
	struct ohca_cmd_modify_cq_in in;

	memset(&in, 0, sizeof(in));
	OHCA_SET(OHCA_CMD_MODIFY_CQ_IN_COUNT, &in, count);
	OHCA_SET(OHCA_CMD_MODIFY_CQ_IN_PERIOD, &in, period);
	return ohv_cmd(c->d, OHCA_CMD_OP_MODIFY_CQ, c->cqn, 0, &in, sizeof(in) / 4, NULL, 0, NULL);
}

bool ohv_poll(struct ohv_cq *c, struct ohca_cqe *out)
{
	struct ohca_cq_dbr *dbr = ohv_ptr(c->d, c->dbr);

	if (!cq_ready(c))
		return false;
	memcpy(out, cqe_at(c, c->ci), sizeof(*out));
	c->ci++;
	OHCA_SET(OHCA_CQ_DBR_CI, dbr, c->ci);
	return true;
}

bool ohv_wait(struct ohv_cq *c, struct ohca_cqe *out, uint64_t cycles)
{
	fabric_run(c->d->f, cycles, cq_ready, c);
	return ohv_poll(c, out);
}

void ohv_arm(struct ohv_cq *c, bool solicited)
{
	fabric_write64(c->d->f, c->d->node, OHCA_BAR_DB_BASE + OHCA_DB_CQ_ARM,
		       c->cqn | (uint64_t)((c->ci & 0xffffff) | (solicited ? 1u << 31 : 0)) << 32);
}

static void eq_db(struct ohv_dev *d, bool arm)
{
	fabric_write64(d->f, d->node, OHCA_BAR_DB_BASE + OHCA_DB_EQ,
		       (uint64_t)((d->eq_ci & 0xffffff) | (arm ? 1u << 31 : 0)) << 32);
}

bool ohv_event(struct ohv_dev *d, struct ohca_eqe *out)
{
	struct ohca_eqe *e = (struct ohca_eqe *)d->eq + (d->eq_ci & ((1u << d->eq_log) - 1));

	if (OHCA_GET(OHCA_EQE_PHASE, e) != !(d->eq_ci >> d->eq_log & 1))
		return false;
	memcpy(out, e, sizeof(*out));
	for (unsigned i = 0; i < d->num_arms; i++)
		if (d->arms[i] == d->eq_ci)
			d->arm_at[i] = d->f->cycle;
	d->eq_ci++;
	eq_db(d, false);
	return true;
}

void ohv_arm_eq(struct ohv_dev *d)
{
	if (d->num_arms == sizeof(d->arms) / sizeof(d->arms[0]))
		drop_arms(d, 1);
	d->arm_at[d->num_arms] = d->f->cycle;
	d->arms[d->num_arms++] = d->eq_ci;
	eq_db(d, true);
}

/* ------------------------------------------------------------------ queue pairs */

/* RoCEv2: which of the station's addresses, and what Linux makes the UDP source port of. */
void ohv_av_fill(void *dst, const struct ohv_av *a, unsigned which, uint32_t qpn, uint32_t dqpn)
{
	struct ohca_av v;

	memset(&v, 0, sizeof(v));
	if (ohv_roce && a->dlid >= 0xc000) {
		/* multicast: the group's MAC */
		const uint8_t *g = a->dgid;
		bool v6 = g[0] == 0xff;

		OHCA_SET(OHCA_AV_GRH, &v, 1);
		OHCA_SET(OHCA_AV_SGID_INDEX, &v, (which & 2) | v6);
		OHCA_SET(OHCA_AV_HOP_LIMIT, &v, 1);
		OHCA_SET(OHCA_AV_SL, &v, a->sl);
		OHCA_SET(OHCA_AV_DMAC_LO, &v, v6 ? 0x3333u | (uint32_t)g[12] << 16 | (uint32_t)g[13] << 24 : 0x5e0001u | (uint32_t)(g[13] & 0x7f) << 24);
		OHCA_SET(OHCA_AV_DMAC_HI, &v, g[14] | (uint32_t)g[15] << 8);
		OHCA_SET(OHCA_AV_UDP_SPORT, &v, OHCA_ROCE_UDP_SPORT_MIN);
		memcpy(OHCA_PTR(OHCA_AV_DGID, &v), g, 16);
		memcpy(dst, &v, sizeof(v));
		return;
	}
	if (ohv_roce && a->dlid) {
		uint64_t x = (uint64_t)qpn * dqpn;
		uint32_t fl;

		x ^= x >> 20;
		x ^= x >> 40;
		fl = x & 0xfffff;
		OHCA_SET(OHCA_AV_GRH, &v, 1);
		OHCA_SET(OHCA_AV_SGID_INDEX, &v, which & 3);
		OHCA_SET(OHCA_AV_HOP_LIMIT, &v, 64);
		OHCA_SET(OHCA_AV_TCLASS, &v, qpn & 0xfc);
		OHCA_SET(OHCA_AV_SL, &v, a->keep_sl ? a->sl : dqpn & 7);
		OHCA_SET(OHCA_AV_DMAC_LO, &v, 0x00a10c02);
		OHCA_SET(OHCA_AV_DMAC_HI, &v, a->dlid >> 8 | (a->dlid & 0xff) << 8);
		OHCA_SET(OHCA_AV_UDP_SPORT, &v, ((fl & 0x3fff) ^ fl >> 14) | OHCA_ROCE_UDP_SPORT_MIN);
		ohv_station_gid(a->dlid, which & 3, OHCA_PTR(OHCA_AV_DGID, &v));
		memcpy(dst, &v, sizeof(v));
		return;
	}
	OHCA_SET(OHCA_AV_DLID, &v, a->dlid);
	OHCA_SET(OHCA_AV_SL, &v, a->sl);
	OHCA_SET(OHCA_AV_GRH, &v, a->grh);
	OHCA_SET(OHCA_AV_SGID_INDEX, &v, a->sgid_index);
	OHCA_SET(OHCA_AV_HOP_LIMIT, &v, a->hop_limit);
	OHCA_SET(OHCA_AV_PATH_BITS, &v, a->path_bits);
	memcpy(OHCA_PTR(OHCA_AV_DGID, &v), a->dgid, 16);
	memcpy(dst, &v, sizeof(v));
}

struct ohv_qp *ohv_create_qp(struct ohv_dev *d, unsigned qtype, struct ohv_cq *scq, struct ohv_cq *rcq, unsigned sq_log,
			     unsigned rq_log, unsigned rq_stride)
{
	struct ohv_qp *q = calloc(1, sizeof(*q));
	struct ohca_cmd_qp_in in;
	uint64_t sq, rq;
	int st;

	q->d = d;
	q->qtype = qtype;
	q->qpn = qtype == OHCA_QP_TYPE_SMI ? 0 : qtype == OHCA_QP_TYPE_GSI ? 1 : d->next_qpn++;
	q->scq = scq;
	q->rcq = rcq;
	q->sq_log = sq_log;
	q->sq_stride = 8;
	q->rq_log = rq_log;
	q->rq_stride = rq_stride;
	sq = ring_alloc(d, &q->sq, 256ull << sq_log);
	rq = ring_alloc(d, &q->rq, (1ull << rq_stride) << rq_log);
	q->dbr = ohv_alloc(d, 8, 8);
	memset(&in, 0, sizeof(in));
#define S(f, v) OHCA_SET(OHCA_CMD_QP_IN_##f, &in, v)
	S(QTYPE, qtype);
	S(PRIV, d->kernel || qtype == OHCA_QP_TYPE_SMI || qtype == OHCA_QP_TYPE_GSI);
	S(SQ_MTT, 1);
	S(RQ_MTT, 1);
	S(SQ_PAGE_SHIFT, d->ring_page);
	S(RQ_PAGE_SHIFT, d->ring_page);
	S(PD, 7);
	S(SQ_BUF, (uint32_t)sq);
	S(SQ_BUF_HI, (uint32_t)(sq >> 32));
	S(RQ_BUF, (uint32_t)rq);
	S(RQ_BUF_HI, (uint32_t)(rq >> 32));
	S(RQ_DBR, (uint32_t)(d->next_dbr ? d->next_dbr : q->dbr));
	S(RQ_DBR_HI, (uint32_t)((d->next_dbr ? d->next_dbr : q->dbr) >> 32));
	d->next_dbr = 0;
	S(SEND_CQN, scq->cqn);
	S(RECV_CQN, rcq->cqn);
	S(SQ_LOG_SIZE, sq_log);
	S(SQ_LOG_STRIDE, q->sq_stride);
	S(RQ_LOG_SIZE, rq_log);
	S(RQ_LOG_STRIDE, rq_stride);
#undef S
	st = ohv_cmd(d, OHCA_CMD_OP_CREATE_QP, q->qpn, 0, &in, sizeof(in) / 4, NULL, 0, NULL);
	if (st)
		ohv_fail("node %u: create_qp: status %d", d->node, st);
	return q;
}

int ohv_modify(struct ohv_qp *q, unsigned state, uint32_t mask, const struct ohv_qp_attr *a)
{
	struct ohca_cmd_qp_in in;

	memset(&in, 0, sizeof(in));
#define S(f, v) OHCA_SET(OHCA_CMD_QP_IN_##f, &in, v)
	S(MASK, mask | 1);
	if (a) {
		S(MTU, a->mtu);
		S(QKEY, a->qkey);
		S(ACC_WRITE, a->access & 1);
		S(ACC_READ, a->access >> 1 & 1);
		S(DQPN, a->dqpn);
		S(RQ_PSN, a->rq_psn);
		S(SQ_PSN, a->sq_psn);
		S(MIN_RNR, a->min_rnr);
		S(TIMEOUT, a->timeout);
		S(RETRY_CNT, a->retry);
		S(RNR_RETRY, a->rnr_retry);
		S(MAX_RD_ATOMIC, a->max_rd);
		S(MAX_DEST_RD_ATOMIC, a->max_dest_rd);
		ohv_av_fill((uint32_t *)&in + 18, &a->av, q->qpn + a->dqpn, q->qpn, a->dqpn);
	}
#undef S
	return ohv_cmd(q->d, OHCA_CMD_OP_MODIFY_QP, q->qpn, state, &in, sizeof(in) / 4, NULL, 0, NULL);
}

int ohv_connect(struct ohv_qp *q, const struct ohv_qp_attr *a)
{
	enum { STATE = 1, ACCESS = 8, PKEY = 16, PORT = 32, QKEY = 64, AV = 128, MTU = 256, TIMEOUT = 512, RETRY = 1024, RNR = 2048,
	       RQ_PSN = 4096, MAX_RD = 8192, MIN_RNR = 1 << 15, SQ_PSN = 1 << 16, DEST_RD = 1 << 17, DQPN = 1 << 20 };
	bool rc = q->qtype == OHCA_QP_TYPE_RC;
	int st = ohv_modify(q, OHCA_QP_STATE_INIT, rc ? PKEY | PORT | ACCESS : q->qtype == OHCA_QP_TYPE_UD ? PKEY | PORT | QKEY : PKEY | QKEY, a);

	if (!st)
		st = ohv_modify(q, OHCA_QP_STATE_RTR, rc ? AV | MTU | DQPN | RQ_PSN | DEST_RD | MIN_RNR : 0, a);
	if (!st)
		st = ohv_modify(q, OHCA_QP_STATE_RTS, rc ? TIMEOUT | RETRY | RNR | SQ_PSN | MAX_RD : SQ_PSN, a);
	return st;
}

int ohv_mcast(struct ohv_qp *q, const uint8_t *mgid, bool attach)
{
	return ohv_cmd(q->d, attach ? OHCA_CMD_OP_ATTACH_MCAST : OHCA_CMD_OP_DETACH_MCAST, q->qpn, 0, mgid, 4, NULL, 0, NULL);
}

int ohv_query_state(struct ohv_qp *q)
{
	struct ohca_cmd_qp_in o;

	if (ohv_cmd(q->d, OHCA_CMD_OP_QUERY_QP, q->qpn, 0, NULL, 0, &o, sizeof(o) / 4, NULL))
		return -1;
	return OHCA_GET(OHCA_CMD_QP_IN_STATE, &o);
}

int ohv_destroy_qp(struct ohv_qp *q)
{
	return ohv_cmd(q->d, OHCA_CMD_OP_DESTROY_QP, q->qpn, 0, NULL, 0, NULL, 0, NULL);
}

void ohv_post_send(struct ohv_qp *q, const struct ohv_wr *wr)
{
	static uint32_t w[64];
	bool rc = q->qtype == OHCA_QP_TYPE_RC;
	uint32_t at = rc ? 8 : 16, len = wr->inl ? wr->len : 0;
	uint64_t off = (uint64_t)(q->sq_pi & ((1u << q->sq_log) - 1)) << q->sq_stride;

	memset(w, 0, sizeof(w));
	for (unsigned i = 0; !wr->inl && i < wr->nsge; i++) {
		w[at + 4 * i] = (uint32_t)wr->sge[i].addr;
		w[at + 4 * i + 1] = (uint32_t)(wr->sge[i].addr >> 32);
		w[at + 4 * i + 2] = wr->sge[i].len;
		w[at + 4 * i + 3] = wr->sge[i].key;
		len += wr->sge[i].len;
	}
	if (wr->inl)
		memcpy(w + at, wr->data, wr->len);
	if (rc) {
		struct ohca_wqe_ctrl *c = (void *)w;

		OHCA_SET(OHCA_WQE_CTRL_OPCODE, c, wr->op);
		OHCA_SET(OHCA_WQE_CTRL_FENCE, c, wr->fence);
		OHCA_SET(OHCA_WQE_CTRL_SIGNALED, c, wr->signaled);
		OHCA_SET(OHCA_WQE_CTRL_SOLICITED, c, wr->solicited);
		OHCA_SET(OHCA_WQE_CTRL_INL, c, wr->inl);
		OHCA_SET(OHCA_WQE_CTRL_NSGE, c, wr->inl ? 0 : wr->nsge);
		OHCA_SET(OHCA_WQE_CTRL_IDX, c, q->sq_pi);
		OHCA_SET(OHCA_WQE_CTRL_LENGTH, c, len);
		OHCA_SET(OHCA_WQE_CTRL_RADDR, c, wr->raddr);
		OHCA_SET(OHCA_WQE_CTRL_RKEY, c, wr->rkey);
		OHCA_SET(OHCA_WQE_CTRL_IMM, c, wr->imm);
		OHCA_SET(OHCA_WQE_CTRL_QPN, c, q->qpn);
	} else {
		struct ohca_wqe_ud *c = (void *)w;

		OHCA_SET(OHCA_WQE_UD_OPCODE, c, wr->op);
		OHCA_SET(OHCA_WQE_UD_SIGNALED, c, wr->signaled);
		OHCA_SET(OHCA_WQE_UD_SOLICITED, c, wr->solicited);
		OHCA_SET(OHCA_WQE_UD_INL, c, wr->inl);
		OHCA_SET(OHCA_WQE_UD_VL15, c, wr->vl15);
		OHCA_SET(OHCA_WQE_UD_SLID_PERMISSIVE, c, wr->slid_permissive);
		OHCA_SET(OHCA_WQE_UD_CSUM, c, wr->csum);
		OHCA_SET(OHCA_WQE_UD_NSGE, c, wr->inl ? 0 : wr->nsge);
		OHCA_SET(OHCA_WQE_UD_IDX, c, q->sq_pi);
		OHCA_SET(OHCA_WQE_UD_LENGTH, c, len);
		OHCA_SET(OHCA_WQE_UD_QKEY, c, wr->qkey);
		OHCA_SET(OHCA_WQE_UD_PKEY_INDEX, c, wr->pkey_index);
		OHCA_SET(OHCA_WQE_UD_DQPN, c, wr->dqpn);
		OHCA_SET(OHCA_WQE_UD_IMM, c, wr->imm);
		ohv_av_fill(w + 6, &wr->av, q->sq_pi, q->qpn, wr->dqpn);
	}
	ohv_write(&q->sq, off, w, 1u << q->sq_stride);
	q->sq_pi = (q->sq_pi + 1) & 0xffff;
}

void ohv_ring(struct ohv_qp *q)
{
	struct ohv_dev *d = q->d;
	uint64_t off = (uint64_t)((q->sq_pi - 1) & ((1u << q->sq_log) - 1)) << q->sq_stride;
	uint32_t w[16];

	ohv_read(&q->sq, off, w, 64);
	/* Only a WQE that fits one block can be pushed. */
	if (d->push && q->qtype == OHCA_QP_TYPE_RC &&
	    (w[0] >> 8 & 1 ? w[1] <= 32 : (w[0] >> 12 & 15) <= 2)) {
		fabric_write(d->f, d->node, OHCA_BAR_PUSH_BASE + 64 * d->push_buf, w, 64);
		d->push_buf ^= 1;
		return;
	}
	fabric_write64(d->f, d->node, OHCA_BAR_DB_BASE + OHCA_DB_SQ, q->qpn | (uint64_t)q->sq_pi << 32);
}

void ohv_post_recv(struct ohv_qp *q, const struct ohv_sge *sge, unsigned nsge)
{
	uint64_t off = (uint64_t)(q->rq_pi & ((1u << q->rq_log) - 1)) << q->rq_stride;
	unsigned max = 1u << (q->rq_stride - 4);
	struct ohca_sge e;

	for (unsigned i = 0; i < nsge || (i == nsge && i < max); i++) {
		memset(&e, 0, sizeof(e));
		if (i < nsge) {
			OHCA_SET(OHCA_SGE_ADDR, &e, sge[i].addr);
			OHCA_SET(OHCA_SGE_LENGTH, &e, sge[i].len);
			OHCA_SET(OHCA_SGE_LKEY, &e, sge[i].key);
		} else {
			OHCA_SET(OHCA_SGE_LKEY, &e, OHCA_INVALID_LKEY);
		}
		ohv_write(&q->rq, off + 16 * i, &e, 16);
	}
	q->rq_pi = (q->rq_pi + 1) & 0xffff;
	OHCA_SET(OHCA_RQ_DBR_PI, (struct ohca_rq_dbr *)ohv_ptr(q->d, q->dbr), q->rq_pi);
}
