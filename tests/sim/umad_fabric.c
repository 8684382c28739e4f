/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * Unmodified OpenSM and infiniband-diags against the switch model, without
 * any adapter: a library to preload that answers libibumad's calls.  Behind
 * it are two switches (4 ports each, joined by port 4) and five channel
 * adapters with just enough of an SMA; the program runs on the first one.
 * Time passes while a datagram is under way.  On exit the fabric's state goes
 * to $UMAD_FABRIC_STATE, and data packets are sent between all pairs to see
 * that the routes work.  With $UMAD_FABRIC_UP it is up from the start.
 */
#include "crc.h"
#include "switch_priv.h"
#include "util.h"

#include <errno.h>
#include <infiniband/umad.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define CAS 5
#define CA_GUID(i) (0x020ca10000000001ull + ((uint64_t)(i) << 8))

struct ca {
	struct wire *tx, *rx;
	uint16_t lid, sm_lid;
	uint8_t state, mtu, oper_vls, subnet_timeout, width, speed, ext, mkey_prot;
	uint64_t mkey, prefix;
	char desc[64];
	uint16_t sent, limit, abr;
	bool fc_init;
	unsigned got[CAS];		/* data packets by sender */
	uint8_t sl2vl[8], vlarb[4][64];
	uint16_t pkey[32];
};

static struct ca ca[CAS];
static struct ib_switch *sw[2];
static struct wire wire[CAS + 1][2];
static bool present[CAS + 1][2];
static uint64_t now = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct incoming { struct incoming *next; ib_user_mad_t h; uint8_t mad[256]; };
static struct incoming *in_head, **in_tail = &in_head;
static int in_fd = -1;

struct agent { bool used; int cls; unsigned long methods[16 / sizeof(long)]; };
static struct agent agents[64];
static uint64_t waiting_tid;
static bool answered;

/* ---- channel adapters ------------------------------------------------------------ */

static void seal(struct packet *p, unsigned vl, uint16_t slid, uint16_t dlid, uint32_t qpn,
		 uint32_t qkey, uint32_t sqp)
{
	uint8_t *d = p->data;

	memset(d, 0, 28);
	p->kind = OHCA_KIND_IB;
	p->len = 290;
	d[0] = (uint8_t)(vl << 4);
	d[1] = 2;
	put_be16(d + 2, dlid);
	put_be16(d + 4, 72);
	put_be16(d + 6, slid);
	d[8] = 0x64;
	put_be16(d + 10, 0xffff);
	put_be32(d + 12, qpn);
	put_be32(d + 20, qkey);
	put_be32(d + 24, sqp);
	ib_put_icrc(d, p->len);
	ib_put_vcrc(d, p->len);
}

static void ca_sma(unsigned i, uint8_t *m)
{
	struct ca *c = &ca[i];
	uint16_t attr = get_be16(m + 16), st = 0;
	bool set = m[3] == 2;
	uint8_t *a = m + 64;
	uint32_t mod = get_be32(m + 20);

	switch (attr) {
	case 0x10:
		if (set)
			memcpy(c->desc, a, 64);
		memcpy(a, c->desc, 64);
		break;
	case 0x11:
		memset(a, 0, 64);
		a[0] = a[1] = a[2] = a[3] = 1;
		put_be64(a + 4, CA_GUID(i));
		put_be64(a + 12, CA_GUID(i));
		put_be64(a + 20, CA_GUID(i) + 1);
		put_be16(a + 28, 32);
		put_be16(a + 30, 0x0c01);
		put_be32(a + 36, 1u << 24 | 0x020ca1);
		break;
	case 0x14:
		memset(a, 0, 64);
		put_be64(a, CA_GUID(i) + 1);
		break;
	case 0x15:
		if (set) {
			unsigned v = a[32] & 15;

			c->mkey = get_be64(a);
			c->prefix = get_be64(a + 8);
			if (get_be16(a + 16))
				c->lid = get_be16(a + 16);
			c->sm_lid = get_be16(a + 18);
			c->mtu = a[36] >> 4;
			if (a[43] >> 4)
				c->oper_vls = a[43] >> 4;
			c->subnet_timeout = a[51] & 31;
			if (v == 3 && c->state == 2)
				c->state = 3;
			else if (v == 4 && c->state == 3)
				c->state = 4;
			else if (v)
				st = 0x1c;
		}
		memset(a, 0, 64);
		put_be64(a, c->mkey);
		put_be64(a + 8, c->prefix);
		put_be16(a + 16, c->lid);
		put_be16(a + 18, c->sm_lid);
		put_be32(a + 20, 1u << 3 | 1u << 6 | 1u << 11 | 1u << 25 | (i ? 0 : 1u << 1));
		a[28] = 1;
		a[29] = a[30] = a[31] = 2;
		a[32] = (uint8_t)(0x70 | c->state);
		a[33] = 0x52;
		a[35] = 2 << 4 | 3;
		a[36] = (uint8_t)(c->mtu << 4);
		a[37] = 1 << 4;
		a[41] = 5;
		a[43] = (uint8_t)(c->oper_vls << 4);
		a[50] = 1;
		a[51] = c->subnet_timeout;
		a[52] = 8;
		a[53] = 0x88;
		break;
	case 0x16:
		for (unsigned k = 0; k < 32; k++) {
			if (set)
				c->pkey[k] = get_be16(a + 2 * k);
			put_be16(a + 2 * k, c->pkey[k]);
		}
		if (mod)
			st = 0x1c;
		break;
	case 0x17:
		if (set)
			memcpy(c->sl2vl, a, 8);
		memcpy(a, c->sl2vl, 8);
		break;
	case 0x18:
		if (mod >> 16 < 1 || mod >> 16 > 4) {
			st = 0x1c;
			break;
		}
		if (set)
			memcpy(c->vlarb[(mod >> 16) - 1], a, 64);
		memcpy(a, c->vlarb[(mod >> 16) - 1], 64);
		break;
	default:
		st = 0x0c;
	}
	m[3] = 0x81;
	put_be16(m + 4, (get_be16(m + 4) & 0x8000u) | st);
}

static void deliver(const uint8_t *mad, uint16_t slid, uint32_t sqp, unsigned agent, unsigned status)
{
	struct incoming *q = calloc(1, sizeof(*q));
	uint64_t one = 1;

	q->h.agent_id = agent;
	q->h.status = status;
	q->h.length = (uint32_t)sizeof(ib_user_mad_t) + 256;
	put_be16((uint8_t *)&q->h.addr.lid, slid);
	put_be32((uint8_t *)&q->h.addr.qpn, sqp);
	memcpy(q->mad, mad, 256);
	*in_tail = q;
	in_tail = &q->next;
	if (write(in_fd, &one, 8) != 8)
		abort();
}

static unsigned agent_of(const uint8_t *mad)
{
	for (unsigned i = 0; i < ARRAY_SIZE(agents); i++)
		if (agents[i].used && agents[i].cls == mad[1])
			return i;
	for (unsigned i = 0; i < ARRAY_SIZE(agents); i++)
		if (agents[i].used && (agents[i].cls | 0x80) == (mad[1] | 0x80))
			return i;
	return 0;
}

static unsigned waiting_agent;

static void to_program(const uint8_t *mad, uint16_t slid, uint32_t sqp)
{
	if (mad[3] & 0x80) {
		if (answered || get_be64(mad + 8) != waiting_tid)
			return;
		answered = true;
		deliver(mad, slid, sqp, waiting_agent, 0);
	} else {
		deliver(mad, slid, sqp, agent_of(mad), 0);
	}
}

static void ca_mad(unsigned i, struct packet *p)
{
	uint8_t *d = p->data, *m = d + 28;
	uint16_t slid = get_be16(d + 6);

	if (m[1] == 0x81) {
		unsigned ptr = m[6], cnt = m[7];

		if (m[4] & 0x80) {
			if (i == 0 && ptr == 1) {
				m[6] = 0;
				to_program(m, slid, 0);
			}
			packet_free(p);
			return;
		}
		if (ptr != cnt || !cnt || m[3] & 0x80) {
			packet_free(p);
			return;
		}
		m[192 + ptr] = 1;
		ca_sma(i, m);
		put_be16(m + 4, get_be16(m + 4) | 0x8000);
		seal(p, 15, 0xffff, 0xffff, 0, 0, 0);
		wire_send_now(ca[i].tx, p, now);
		return;
	}
	if (m[1] == 0x01 && (m[3] == 1 || m[3] == 2) && get_be24(d + 13) == 0) {
		ca_sma(i, m);
		seal(p, 15, ca[i].lid, slid, 0, 0, 0);
		wire_send_now(ca[i].tx, p, now);
		return;
	}
	if (i == 0)
		to_program(m, slid, get_be24(d + 25));
	packet_free(p);
}

static void ca_packet(unsigned i, struct packet *p)
{
	struct ca *c = &ca[i];

	if (p->kind == OHCA_KIND_FC) {
		if (p->data[2] >> 4 == 0) {
			c->limit = get_be16(p->data + 2) & 0xfff;
			c->abr = get_be16(p->data) & 0xfff;
		}
		packet_free(p);
		return;
	}
	if (p->data[0] >> 4 != 15) {
		struct packet *f = packet_new();
		uint16_t crc;

		c->abr = (uint16_t)((c->abr + (p->len + 63) / 64) & 0xfff);
		f->kind = OHCA_KIND_FC;
		f->len = 6;
		put_be16(f->data, c->sent);
		put_be16(f->data + 2, (c->abr + 512) & 0xfff);
		crc = ib_vcrc(f->data, 4);
		f->data[4] = (uint8_t)crc;
		f->data[5] = (uint8_t)(crc >> 8);
		wire_send_now(c->tx, f, now);
		if (get_be16(p->data + 2) == c->lid && p->len != 290) {
			for (unsigned k = 0; k < CAS; k++)
				c->got[k] += ca[k].lid == get_be16(p->data + 6);
			packet_free(p);
			return;
		}
	}
	if (p->len == 290 && p->data[8] == 0x64)
		ca_mad(i, p);
	else
		packet_free(p);
}

/* ---- the fabric -------------------------------------------------------------------- */

static void run(uint64_t cycles, const bool *until)
{
	uint64_t end = now + cycles;

	while (now < end && !(until && *until)) {
		uint64_t next = UINT64_MAX, t;

		for (unsigned s = 0; s < 2; s++)
			ib_switch_step(sw[s], now);
		for (unsigned i = 0; i < CAS; i++) {
			struct packet *p;

			while ((p = wire_receive(ca[i].rx, now)))
				ca_packet(i, p);
		}
		now++;
		for (unsigned s = 0; s < 2; s++) {
			t = ib_switch_next(sw[s], now);
			next = t < next ? t : next;
		}
		for (unsigned i = 0; i <= CAS; i++) {
			for (unsigned k = 0; k < 2; k++) {
				t = wire_next_due(&wire[i][k]);
				next = t < next ? t : next;
			}
		}
		if (next > now)
			now = next < end ? next : end;
	}
}

static void build(void)
{
	for (unsigned s = 0; s < 2; s++) {
		sw[s] = ib_switch_create(4, 1, 16, 250, 1);
		ib_switch_set_guid(sw[s], 0x020ca1ff00000000ull + s);
	}
	for (unsigned i = 0; i <= CAS; i++) {
		for (unsigned k = 0; k < 2; k++) {
			wire_init(&wire[i][k], "w", i, k, 8 << 16, 10);
			wire[i][k].up = true;
		}
		if (i < CAS) {
			unsigned s = i >= 3, port = s ? i - 2 : i + 1;

			ca[i].tx = &wire[i][0];
			ca[i].rx = &wire[i][1];
			ca[i].state = 2;
			ca[i].mtu = 5;
			ca[i].oper_vls = 1;
			ca[i].prefix = 0xfe80000000000000ull;
			ca[i].pkey[0] = 0xffff;
			snprintf(ca[i].desc, sizeof(ca[i].desc), "ca%u", i);
			ib_switch_attach(sw[s], port, &wire[i][0], &wire[i][1], &present[i][0]);
			ib_switch_link(sw[s], port, true, now);
		} else {
			ib_switch_attach(sw[0], 4, &wire[i][0], &wire[i][1], &present[i][0]);
			ib_switch_attach(sw[1], 4, &wire[i][1], &wire[i][0], &present[i][1]);
			ib_switch_link(sw[0], 4, true, now);
			ib_switch_link(sw[1], 4, true, now);
		}
	}
	run(1000, NULL);
	for (unsigned i = 0; i < CAS; i++) {
		struct packet *f = packet_new();
		uint16_t crc;

		f->kind = OHCA_KIND_FC;
		f->len = 6;
		put_be16(f->data, 0x1000);
		put_be16(f->data + 2, 512);
		crc = ib_vcrc(f->data, 4);
		f->data[4] = (uint8_t)crc;
		f->data[5] = (uint8_t)(crc >> 8);
		wire_send_now(ca[i].tx, f, now);
	}
	run(1000, NULL);
}

/* For the diagnostics, which run without a manager: LIDs 1.. of the adapters,
 * 8 and 9 of the switches, all ports active. */
static void bring_up(void)
{
	for (unsigned s = 0; s < 2; s++) {
		sw[s]->lid = (uint16_t)(8 + s);
		sw[s]->lin_top = 9;
		for (unsigned i = 0; i < CAS; i++)
			sw[s]->lft[1 + i] = (uint8_t)((i >= 3) == s ? (s ? i - 2 : i + 1) : 4);
		sw[s]->lft[8 + s] = 0;
		sw[s]->lft[9 - s] = 4;
		for (unsigned p = 1; p <= 4; p++)
			if (sw[s]->port[p].link)
				sw_set_state(sw[s], p, PS_ACTIVE);
		sw[s]->trap_left = 0;
	}
	for (unsigned i = 0; i < CAS; i++) {
		ca[i].lid = (uint16_t)(1 + i);
		ca[i].sm_lid = 1;
		ca[i].state = 4;
	}
	run(2000, NULL);
}

/* From every adapter to every other, 300 bytes; returns how many arrived. */
static unsigned all_pairs(void)
{
	unsigned arrived = 0;

	for (unsigned i = 0; i < CAS; i++) {
		for (unsigned k = 0; k < CAS; k++) {
			struct packet *p = packet_new();

			if (i == k || ca[i].state != 4) {
				packet_free(p);
				continue;
			}
			p->kind = OHCA_KIND_IB;
			p->len = 8 + 12 + 300 + 6;
			memset(p->data, 0, p->len);
			p->data[1] = 2;
			put_be16(p->data + 2, ca[k].lid);
			put_be16(p->data + 4, (p->len - 2) / 4);
			put_be16(p->data + 6, ca[i].lid);
			p->data[8] = 4;
			ib_put_icrc(p->data, p->len);
			ib_put_vcrc(p->data, p->len);
			ca[i].sent = (uint16_t)((ca[i].sent + 6) & 0xfff);
			wire_send_now(ca[i].tx, p, now);
			run(5000, NULL);
			arrived += ca[k].got[i];
		}
	}
	return arrived;
}

__attribute__((destructor)) static void report(void)
{
	const char *path = getenv("UMAD_FABRIC_STATE");
	FILE *f = path && sw[0] ? fopen(path, "w") : NULL;

	if (!f)
		return;
	for (unsigned i = 0; i < CAS; i++)
		fprintf(f, "ca%u lid %u sm %u state %u mtu %u\n", i, ca[i].lid, ca[i].sm_lid, ca[i].state,
			ca[i].mtu);
	fprintf(f, "pairs %u of %u\n", all_pairs(), CAS * (CAS - 1));
	fclose(f);
}

/* ---- libibumad ------------------------------------------------------------------------ */

int umad_init(void)
{
	pthread_mutex_lock(&lock);
	if (in_fd < 0) {
		in_fd = eventfd(0, EFD_SEMAPHORE | EFD_NONBLOCK);
		log_threshold = LOG_NONE;
		build();
		if (getenv("UMAD_FABRIC_UP"))
			bring_up();
	}
	pthread_mutex_unlock(&lock);
	return 0;
}
int umad_done(void) { return 0; }
/* the library's own assume an old layout until its umad_init has run */
void *umad_get_mad(void *umad) { return ((ib_user_mad_t *)umad)->data; }
size_t umad_size(void) { return sizeof(ib_user_mad_t); }
int umad_set_pkey(void *umad, int index)
{
	((ib_user_mad_t *)umad)->addr.pkey_index = (uint16_t)index;
	return 0;
}
int umad_get_pkey(void *umad) { return ((ib_user_mad_t *)umad)->addr.pkey_index; }

int umad_get_cas_names(char cas[][UMAD_CA_NAME_LEN], int max)
{
	if (max < 1)
		return 0;
	snprintf(cas[0], UMAD_CA_NAME_LEN, "ca0");
	return 1;
}

static void fill_port(umad_port_t *p)
{
	memset(p, 0, sizeof(*p));
	snprintf(p->ca_name, sizeof(p->ca_name), "ca0");
	snprintf(p->link_layer, sizeof(p->link_layer), "InfiniBand");
	p->portnum = 1;
	p->base_lid = ca[0].lid;
	p->sm_lid = ca[0].sm_lid;
	p->state = ca[0].state;
	p->phys_state = 5;
	p->rate = 20;
	put_be64((uint8_t *)&p->gid_prefix, ca[0].prefix);
	put_be64((uint8_t *)&p->port_guid, CA_GUID(0) + 1);
	p->pkeys_size = 32;
	p->pkeys = calloc(32, sizeof(uint16_t));
	p->pkeys[0] = 0xffff;
}

int umad_get_port(const char *name, int num, umad_port_t *port)
{
	(void)name;
	if (num != 0 && num != 1)
		return -ENODEV;
	fill_port(port);
	return 0;
}
int umad_release_port(umad_port_t *port)
{
	free(port->pkeys);
	port->pkeys = NULL;
	return 0;
}

int umad_get_ca(const char *name, umad_ca_t *c)
{
	(void)name;
	memset(c, 0, sizeof(*c));
	snprintf(c->ca_name, sizeof(c->ca_name), "ca0");
	c->node_type = 1;
	c->numports = 1;
	put_be64((uint8_t *)&c->node_guid, CA_GUID(0));
	put_be64((uint8_t *)&c->system_guid, CA_GUID(0));
	c->ports[1] = calloc(1, sizeof(umad_port_t));
	fill_port(c->ports[1]);
	return 0;
}
int umad_release_ca(umad_ca_t *c)
{
	umad_release_port(c->ports[1]);
	free(c->ports[1]);
	c->ports[1] = NULL;
	return 0;
}
int umad_get_ca_portguids(const char *name, __be64 *guids, int max)
{
	(void)name;
	if (max < 2)
		return -ENOMEM;
	guids[0] = 0;
	put_be64((uint8_t *)&guids[1], CA_GUID(0) + 1);
	return 2;
}
int umad_get_issm_path(const char *name, int num, char path[], int max)
{
	(void)name;
	(void)num;
	snprintf(path, (size_t)max, "/dev/null");
	return 0;
}
int umad_get_smi_gsi_pair_by_ca_name(const char *name, uint8_t num, struct umad_ca_pair *pair,
				     unsigned enforce)
{
	(void)name;
	(void)num;
	(void)enforce;
	umad_init();
	memset(pair, 0, sizeof(*pair));
	snprintf(pair->smi_name, sizeof(pair->smi_name), "ca0");
	snprintf(pair->gsi_name, sizeof(pair->gsi_name), "ca0");
	pair->smi_preferred_port = pair->gsi_preferred_port = 1;
	return 0;
}
int umad_open_port(const char *name, int num) { (void)name; (void)num; umad_init(); return 3; }
int umad_close_port(int id) { (void)id; return 0; }
int umad_get_fd(int id) { (void)id; return in_fd; }

static int add_agent(int cls, const long *mask)
{
	for (unsigned i = 1; i < ARRAY_SIZE(agents); i++) {
		if (agents[i].used)
			continue;
		agents[i].used = true;
		agents[i].cls = cls;
		if (mask)
			memcpy(agents[i].methods, mask, 16);
		return (int)i;
	}
	return -ENOMEM;
}
int umad_register(int id, int cls, int version, uint8_t rmpp, long mask[16 / sizeof(long)])
{
	(void)id;
	(void)version;
	(void)rmpp;
	return add_agent(cls, mask);
}
int umad_register_oui(int id, int cls, uint8_t rmpp, uint8_t oui[3], long mask[16 / sizeof(long)])
{
	(void)id;
	(void)rmpp;
	(void)oui;
	return add_agent(cls, mask);
}
int umad_unregister(int id, int agent)
{
	(void)id;
	if (agent > 0 && agent < (int)ARRAY_SIZE(agents))
		agents[agent].used = false;
	return 0;
}

int umad_send(int id, int agent, void *umad, int length, int timeout_ms, int retries)
{
	ib_user_mad_t *u = umad;
	uint8_t mad[256] = { 0 };
	uint16_t dlid = get_be16((uint8_t *)&u->addr.lid);
	uint32_t qpn = get_be32((uint8_t *)&u->addr.qpn);
	struct packet *p;

	(void)id;
	(void)retries;
	if (length > 256)
		length = 256;
	memcpy(mad, u->data, (size_t)length);
	pthread_mutex_lock(&lock);
	waiting_tid = get_be64(mad + 8);
	waiting_agent = (unsigned)agent;
	answered = false;
	if ((mad[1] == 0x81 && !mad[7]) || (mad[1] == 0x01 && dlid == ca[0].lid && !(mad[3] & 0x80))) {
		if (get_be16(mad + 16) == 0x20) {	/* SMInfo of oneself */
			pthread_mutex_unlock(&lock);
			return 0;
		}
		ca_sma(0, mad);
		if (mad[1] == 0x81)
			put_be16(mad + 4, get_be16(mad + 4) | 0x8000);
		to_program(mad, ca[0].lid, 0);
		pthread_mutex_unlock(&lock);
		return 0;
	}
	p = packet_new();
	if (mad[1] == 0x81) {
		mad[6] = 1;
		memcpy(p->data + 28, mad, 256);
		seal(p, 15, 0xffff, dlid, 0, 0, 0);
	} else if (mad[1] == 0x01) {
		memcpy(p->data + 28, mad, 256);
		seal(p, 15, ca[0].lid, dlid, 0, 0, 0);
	} else {
		memcpy(p->data + 28, mad, 256);
		seal(p, 0, ca[0].lid, dlid, qpn, 0x80010000, 1);
		ca[0].sent = (uint16_t)((ca[0].sent + 5) & 0xfff);
	}
	wire_send_now(ca[0].tx, p, now);
	run(200000, &answered);
	if (!answered && timeout_ms) {
		answered = true;
		deliver(mad, dlid, qpn, (unsigned)agent, ETIMEDOUT);
	}
	pthread_mutex_unlock(&lock);
	return 0;
}

int umad_poll(int id, int timeout_ms)
{
	struct pollfd p = { .fd = in_fd, .events = POLLIN };
	int n = poll(&p, 1, timeout_ms);

	(void)id;
	return n == 1 ? 0 : n == 0 ? -ETIMEDOUT : -errno;
}

int umad_recv(int id, void *umad, int *length, int timeout_ms)
{
	for (;;) {
		struct incoming *q;
		uint64_t one;
		int agent;

		if (read(in_fd, &one, 8) != 8) {
			int r = umad_poll(id, timeout_ms);

			if (r)
				return r;
			continue;
		}
		pthread_mutex_lock(&lock);
		q = in_head;
		in_head = q->next;
		if (!in_head)
			in_tail = &in_head;
		pthread_mutex_unlock(&lock);
		memcpy(umad, &q->h, sizeof(q->h));
		if (*length > 256)
			*length = 256;
		memcpy(((ib_user_mad_t *)umad)->data, q->mad, (size_t)*length);
		*length = 256;
		agent = (int)q->h.agent_id;
		free(q);
		return agent;
	}
}
