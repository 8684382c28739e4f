// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/*
 * Multicast groups: a hash table on chip that the receive side reads (layout mc_node).  It lets dwords be changed between two packets only, so each
 * step here has to leave a table that is right: a node is filled before it is linked, and free at once when it is out of its chain.
 *
 * There is no copy of the table here.  What is kept is which nodes are in use, and how many memberships QPs of a number's lowest bits have,
 * so that most QPs are destroyed without a search.
 */
#include "dev.h"
#include "handlers.h"
#include "mcast.h"
#include "qp.h"

#define OK OHCA_CMD_STATUS_OK
#define WORDS_MAX 4096u
#define NODE_DW (OHCA_MC_NODE_BYTES / 4)
#define MEMBERS 3u
#define FIRST_MEMBER (NODE_DW - MEMBERS)
#define USED (1u << 31)
#define BY_QP 512u

static struct {
	u32 words, heads;
	u32 used[WORDS_MAX / NODE_DW / 32];
	u16 by_qp[BY_QP];
} mc;

static u32 rd(u32 dw)
{
	u32 v = 0;

	ctx_rd(OHCA_CTX_PART_MCAST, dw, 0, &v);
	return v;
}

static void wr(u32 dw, u32 val)
{
	ctx_rmw(OHCA_CTX_PART_MCAST, dw, 0, val, ~0u);
}

void mcast_init(void)
{
	u32 v;

	zero(&mc, sizeof(mc));
	mc.words = WORDS_MAX;
	while (mc.words > 16 && !ctx_rd(OHCA_CTX_PART_MCAST, mc.words - 1, 0, &v))
		mc.words >>= 1;
	mc.heads = mc.words / 16;
	for (u32 h = 0; h < mc.heads; h++)
		wr(h, 0);
	for (u32 n = 0; n < mc.heads / NODE_DW; n++)
		map_set(mc.used, n);
}

u32 mcast_groups(void)
{
	return (mc.words - mc.heads) / NODE_DW;
}

/* The MGID as the table has it, last dword first; its chain's head. */
static u32 key_of(const struct ohca_cmd_mcast_in *in, u32 key[4])
{
	const u8 *b = (const u8 *)in;
	u32 h = 0;

	for (u32 i = 0; i < 4; i++) {
		key[3 - i] = (u32)b[4 * i] << 24 | (u32)b[4 * i + 1] << 16 | (u32)b[4 * i + 2] << 8 | b[4 * i + 3];
		h ^= key[3 - i];
	}
	h ^= h >> 16;
	return ((h ^ h >> 8) & 0xff) & (mc.heads - 1);
}

static bool is_group(u32 n, const u32 key[4])
{
	for (u32 i = 0; i < 4; i++)
		if (rd(n * NODE_DW + 1 + i) != key[i])
			return false;
	return true;
}

/* Multicast: ff00::/8, or an IPv4 group in its IPv6 form, which Ethernet ports have. */
static bool is_mgid(const u32 key[4])
{
	return key[3] >> 24 == 0xff || (!key[3] && !key[2] && key[1] == 0xffff && key[0] >> 28 == 0xe);
}

enum ohca_cmd_status do_attach_mcast(struct cmd *c)
{
	u32 key[4], head = key_of((void *)c->in, key), qpn = c->in_mod, chain = 0, place = 0, n;

	if (!qp_exists(qpn))
		return OHCA_CMD_STATUS_NOT_FOUND;
	if (!qp_is_ud(qpn) || !is_mgid(key))
		return OHCA_CMD_STATUS_BAD_PARAM;
	for (n = rd(head); n; n = rd(n * NODE_DW), chain++) {
		if (!is_group(n, key))
			continue;
		for (u32 i = FIRST_MEMBER; i < NODE_DW; i++) {
			u32 v = rd(n * NODE_DW + i);

			if (v == (USED | qpn))
				return OHCA_CMD_STATUS_EXISTS;
			if (!v)
				place = n * NODE_DW + i;
		}
	}
	if (!place) {
		for (n = 0; n < mc.words / NODE_DW && map_test(mc.used, n); n++)
			;
		if (n == mc.words / NODE_DW || chain == MC_CHAIN_MAX)
			return OHCA_CMD_STATUS_NO_RES;
		map_set(mc.used, n);
		wr(n * NODE_DW, rd(head));
		for (u32 i = 0; i < 4; i++)
			wr(n * NODE_DW + 1 + i, key[i]);
		for (u32 i = FIRST_MEMBER; i < NODE_DW; i++)
			wr(n * NODE_DW + i, i == FIRST_MEMBER ? USED | qpn : 0);
		wr(head, n);
	} else {
		wr(place, USED | qpn);
	}
	mc.by_qp[qpn % BY_QP]++;
	return OK;
}

/* The QP leaves node n, if it is in it; what points to the node is at dword prev. True if the node is gone. */
static bool leave(u32 prev, u32 n, u32 qpn, bool *was)
{
	bool empty = true;

	*was = false;
	for (u32 i = FIRST_MEMBER; i < NODE_DW; i++) {
		u32 v = rd(n * NODE_DW + i);

		if (v == (USED | qpn)) {
			wr(n * NODE_DW + i, 0);
			mc.by_qp[qpn % BY_QP]--;
			*was = true;
		} else if (v) {
			empty = false;
		}
	}
	if (!*was || !empty)
		return false;
	wr(prev, rd(n * NODE_DW));
	map_clear(mc.used, n);
	return true;
}

enum ohca_cmd_status do_detach_mcast(struct cmd *c)
{
	u32 key[4], prev = key_of((void *)c->in, key), n;
	bool was;

	if (!qp_exists(c->in_mod))
		return OHCA_CMD_STATUS_NOT_FOUND;
	for (; (n = rd(prev)); prev = n * NODE_DW) {
		if (!is_group(n, key))
			continue;
		leave(prev, n, c->in_mod, &was);
		if (was)
			return OK;
	}
	return OHCA_CMD_STATUS_NOT_FOUND;
}

void mcast_forget(u32 qpn)
{
	bool was;

	for (u32 h = 0; h < mc.heads && mc.by_qp[qpn % BY_QP]; h++)
		for (u32 prev = h, n; (n = rd(prev));)
			if (!leave(prev, n, qpn, &was))
				prev = n * NODE_DW;
}
