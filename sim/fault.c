/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/* Fault rules: parsing, matching by packet fields, and the deed. */
#include "fault.h"
#include "crc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const action_name[] = {
	[FAULT_NONE] = "none", [FAULT_DROP] = "drop", [FAULT_CORRUPT] = "corrupt",
	[FAULT_DUP] = "dup", [FAULT_REORDER] = "reorder", [FAULT_DELAY] = "delay",
	[FAULT_ERROR] = "error", [FAULT_MARK] = "mark",
};

static int eth_l3(const struct packet *p, unsigned *type)
{
	unsigned at = 12;

	if (p->len < 18)
		return -1;
	*type = get_be16(p->data + at);
	if (*type == 0x8100) {
		at += 4;
		*type = get_be16(p->data + at);
	}
	return (int)at + 2;
}

int packet_bth(const struct packet *p)
{
	const uint8_t *d = p->data;
	unsigned type;
	int l3, at = -1;

	if (p->kind == OHCA_KIND_IB && p->len >= 26) {
		if ((d[1] & 3) == 2)
			at = 8;
		else if ((d[1] & 3) == 3)
			at = 48;
	} else if (p->kind == OHCA_KIND_ETH) {
		l3 = eth_l3(p, &type);
		if (l3 < 0)
			return -1;
		if (type == 0x0800 && p->len >= (unsigned)l3 + 28 && d[l3 + 9] == 17 &&
		    (d[l3] & 15) == 5 && get_be16(d + l3 + 22) == 4791)
			at = l3 + 28;
		else if (type == 0x86dd && p->len >= (unsigned)l3 + 48 && d[l3 + 6] == 17 &&
			 get_be16(d + l3 + 42) == 4791)
			at = l3 + 48;
		else if (type == 0x8915)
			at = l3 + 40;
	}
	return at >= 0 && (unsigned)at + 12 <= p->len ? at : -1;
}

static bool number(const char *v, int64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoll(v, &end, 0);
	return !errno && *v && !*end && *out >= 0;
}

struct fault *fault_parse(const char *text, uint64_t seed, char *err, size_t errlen)
{
	struct fault *f = xcalloc(1, sizeof(*f));
	char *copy = xstrdup(text), *save = NULL, *tok;
	uint64_t h = 0;

	f->link = f->dir = f->opcode = f->qpn = f->psn = f->dlid = f->vl = f->bit = -1;
	f->max_len = UINT32_MAX;
	f->kinds = 1 << OHCA_KIND_IB | 1 << OHCA_KIND_ETH;
	f->prob = -1;
	f->by = 1;
	snprintf(f->text, sizeof(f->text), "%s", text);
	for (const char *c = text; *c; c++)
		h = h * 131 + (uint8_t)*c;
	rng_seed(&f->rng, seed, h);

	tok = strtok_r(copy, ",", &save);
	for (unsigned i = FAULT_DROP; tok && i < ARRAY_SIZE(action_name); i++)
		if (!strcmp(tok, action_name[i]))
			f->action = (enum fault_action)i;
	if (!f->action) {
		snprintf(err, errlen, "fault '%s': unknown action '%s' (drop, corrupt, dup, reorder, delay, error, mark)",
			 text, tok ? tok : "");
		goto bad;
	}
	while ((tok = strtok_r(NULL, ",", &save))) {
		char *v = strchr(tok, '=');
		int64_t n = 0;
		bool ok;

		if (!v) {
			snprintf(err, errlen, "fault '%s': '%s' has no value", text, tok);
			goto bad;
		}
		*v++ = 0;
		ok = number(v, &n);
		if (!strcmp(tok, "kind")) {
			ok = true;
			if (!strcmp(v, "data"))
				f->kinds = 1 << OHCA_KIND_IB | 1 << OHCA_KIND_ETH;
			else if (!strcmp(v, "ib"))
				f->kinds = 1 << OHCA_KIND_IB;
			else if (!strcmp(v, "eth"))
				f->kinds = 1 << OHCA_KIND_ETH;
			else if (!strcmp(v, "fc"))
				f->kinds = 1 << OHCA_KIND_FC;
			else if (!strcmp(v, "any"))
				f->kinds = 7;
			else
				ok = false;
		} else if (!strcmp(tok, "prob")) {
			char *end;

			f->prob = strtod(v, &end);
			ok = *v && !*end && f->prob >= 0 && f->prob <= 1;
		} else if (!strcmp(tok, "crc")) {
			f->fix_vcrc = !strcmp(v, "vcrc");
			ok = f->fix_vcrc || !strcmp(v, "stale");
		} else if (!strcmp(tok, "link"))
			f->link = n;
		else if (!strcmp(tok, "dir"))
			f->dir = n, ok = ok && n < 2;
		else if (!strcmp(tok, "opcode"))
			f->opcode = n, ok = ok && n < 256;
		else if (!strcmp(tok, "qpn"))
			f->qpn = n, ok = ok && n < 1 << 24;
		else if (!strcmp(tok, "psn"))
			f->psn = n, ok = ok && n < 1 << 24;
		else if (!strcmp(tok, "vl"))
			f->vl = n, ok = ok && n < 16;
		else if (!strcmp(tok, "dlid"))
			f->dlid = n, ok = ok && n < 1 << 16;
		else if (!strcmp(tok, "min"))
			f->min_len = (uint32_t)n;
		else if (!strcmp(tok, "max"))
			f->max_len = (uint32_t)n;
		else if (!strcmp(tok, "nth"))
			f->nth = (uint64_t)n, ok = ok && n > 0;
		else if (!strcmp(tok, "every"))
			f->every = (uint64_t)n, ok = ok && n > 0;
		else if (!strcmp(tok, "count"))
			f->count = (uint64_t)n;
		else if (!strcmp(tok, "bit"))
			f->bit = n;
		else if (!strcmp(tok, "by"))
			f->by = (uint64_t)n, ok = ok && n > 0 && n <= 1000;
		else if (!strcmp(tok, "cycles"))
			f->cycles = (uint64_t)n;
		else {
			snprintf(err, errlen, "fault '%s': unknown key '%s'", text, tok);
			goto bad;
		}
		if (!ok) {
			snprintf(err, errlen, "fault '%s': bad value '%s' for '%s'", text, v, tok);
			goto bad;
		}
	}
	if (f->action == FAULT_DELAY && !f->cycles) {
		snprintf(err, errlen, "fault '%s': delay needs cycles=N", text);
		goto bad;
	}
	if (f->action == FAULT_REORDER && !f->cycles)
		f->cycles = 20000;
	free(copy);
	return f;
bad:
	free(copy);
	free(f);
	return NULL;
}

void fault_append(struct fault **list, struct fault *f)
{
	while (*list)
		list = &(*list)->next;
	*list = f;
}

void fault_free(struct fault *list)
{
	while (list) {
		struct fault *f = list;

		list = f->next;
		free(f);
	}
}

static bool matches(const struct fault *f, const struct wire *w, const struct packet *p, int bth)
{
	const uint8_t *b = bth >= 0 ? p->data + bth : NULL;

	if ((f->link >= 0 && f->link != w->link) || (f->dir >= 0 && f->dir != w->dir))
		return false;
	if (!(f->kinds >> p->kind & 1) || p->len < f->min_len || p->len > f->max_len)
		return false;
	if (f->opcode >= 0 && (!b || b[0] != f->opcode))
		return false;
	if (f->qpn >= 0 && (!b || get_be24(b + 5) != f->qpn))
		return false;
	if (f->psn >= 0 && (!b || get_be24(b + 9) != f->psn))
		return false;
	if (f->vl >= 0 && !(p->kind == OHCA_KIND_IB && p->data[0] >> 4 == f->vl) && !(p->kind == OHCA_KIND_FC && p->data[2] >> 4 == f->vl))
		return false;
	if (f->dlid >= 0 && (p->kind != OHCA_KIND_IB || get_be16(p->data + 2) != f->dlid))
		return false;
	return true;
}

static bool chosen(struct fault *f)
{
	f->matches++;
	if (f->count && f->hits >= f->count)
		return false;
	if (f->nth && !f->every && f->matches != f->nth)
		return false;
	if (f->every && (f->matches < (f->nth ? f->nth : f->every) ||
			 (f->matches - (f->nth ? f->nth : f->every)) % f->every))
		return false;
	if (f->prob >= 0 &&
	    (double)(rng_next(&f->rng) >> 11) >= f->prob * 9007199254740992.0)
		return false;
	f->hits++;
	return true;
}

/* ECN: FECN in the BTH on InfiniBand, congestion experienced in IP on Ethernet */
static bool mark(struct packet *p, int bth)
{
	unsigned type;
	int l3;

	if (bth < 0)
		return false;
	if (p->kind == OHCA_KIND_IB) {
		p->data[bth + 4] |= 0x80;
		ib_put_vcrc(p->data, p->len);
		return true;
	}
	l3 = eth_l3(p, &type);
	if (l3 < 0)
		return false;
	if (type == 0x0800) {
		uint8_t *ip = p->data + l3;

		ip[1] |= 3;
		put_be16(ip + 10, 0);
		put_be16(ip + 10, ip_checksum(ip, 20));
		return true;
	}
	if (type == 0x86dd || type == 0x8915) {
		p->data[l3 + 1] |= 0x30;
		return true;
	}
	return false;
}

struct fault_verdict fault_apply(struct fault *list, struct wire *w, struct packet *p)
{
	struct fault_verdict v = { .action = FAULT_NONE };
	int bth = packet_bth(p);

	for (struct fault *f = list; f; f = f->next) {
		uint64_t bit;

		if (!matches(f, w, p, bth) || !chosen(f))
			continue;
		v.action = f->action;
		v.amount = f->action == FAULT_DELAY ? f->cycles : f->by;
		v.timeout = f->cycles;
		snprintf(v.comment, sizeof(v.comment), "fault: %s", action_name[f->action]);
		switch (f->action) {
		case FAULT_CORRUPT:
			bit = f->bit >= 0 ? (uint64_t)f->bit : rng_next(&f->rng);
			if (!p->len)		/* RTL that is broken; it says so elsewhere */
				break;
			bit %= (uint64_t)p->len * 8;
			p->data[bit / 8] ^= (uint8_t)(1u << bit % 8);
			if (f->fix_vcrc && p->kind == OHCA_KIND_IB && p->len > 2)
				ib_put_vcrc(p->data, p->len);
			snprintf(v.comment, sizeof(v.comment), "fault: corrupt bit %u of byte %u",
				 (unsigned)(bit % 8), (unsigned)(bit / 8));
			break;
		case FAULT_ERROR:
			p->error = true;
			break;
		case FAULT_MARK:
			if (!mark(p, bth))
				v.action = FAULT_NONE;
			break;
		default:
			break;
		}
		return v;
	}
	return v;
}
