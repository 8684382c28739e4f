// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/*
 * The port's logical state (IBA 7.2), its commands, and the MAD channel: packets in and out of the link layer.
 * Attributes are set by the SMA (sma.c) through the functions here.
 */
#include "dev.h"
#include "handlers.h"
#include "log.h"
#include "mad.h"
#include "port.h"
#include "sma.h"

#define OK OHCA_CMD_STATUS_OK
#define BAD OHCA_CMD_STATUS_BAD_PARAM

struct port port;

static u32 port_rd(u32 off)
{
	return hw_read(OHCA_M_PORT + off);
}

static void port_wr(u32 off, u32 val)
{
	hw_write(OHCA_M_PORT + off, val);
}

u64 node_guid(void)
{
	return (u64)sys_rd(OHCA_M_SYS_GUID_HI) << 32 | sys_rd(OHCA_M_SYS_GUID_LO);
}

u64 port_guid(void)
{
	return node_guid() + 1;
}

u32 port_mtu(void)
{
	return port.mtu;
}

/* Port registers follow the state: what may be sent and accepted in each is IBA 7.2's table. */
static void apply(void)
{
	u32 c = 0;

	if (port.state >= PORT_INIT)
		c |= OHCA_PREP(OHCA_PORT_CTRL_SMP_EN, 1);
	if (port.state == PORT_INIT)
		c |= OHCA_PREP(OHCA_PORT_CTRL_FC_INIT, 1);
	if (port.state >= PORT_ARMED)
		c |= OHCA_PREP(OHCA_PORT_CTRL_RX_DATA_EN, 1);
	if (port.state == PORT_ACTIVE)
		c |= OHCA_PREP(OHCA_PORT_CTRL_TX_DATA_EN, 1);
	c |= OHCA_PREP(OHCA_PORT_CTRL_MTU, port.mtu);
	c |= OHCA_PREP(OHCA_PORT_CTRL_OPER_VLS, 1u << (port.oper_vls - 1));
	c |= OHCA_PREP(OHCA_PORT_CTRL_VL_HIGH_LIMIT, port.vl_high_limit);
	c |= OHCA_PREP(OHCA_PORT_CTRL_LMC, port.lmc);
	port_wr(OHCA_PORT_REG_LID, port.lid);
	port_wr(OHCA_PORT_REG_PREFIX_LO, (u32)port.gid_prefix);
	port_wr(OHCA_PORT_REG_PREFIX_HI, (u32)(port.gid_prefix >> 32));
	port_wr(OHCA_PORT_REG_CTRL, c);
}

void port_apply(void)
{
	apply();
}

void port_event(enum ohca_eqe_type type, u32 param)
{
	if (dev.eq_map & 1)
		hw_event(0, type, 1, 0, 0, param);
}

void port_set_state(u32 state)
{
	u32 old = port.state;

	if (state == old)
		return;
	port.state = (u8)state;
	apply();
	fw_log("port: state %u -> %u\n", old, state);
	if (state == PORT_ACTIVE || old == PORT_ACTIVE)
		port_event(OHCA_EQE_TYPE_PORT_CHANGE, state);
}

/* SM command Down: the link is taken down and trained again. */
void port_bounce(void)
{
	port_set_state(PORT_DOWN);
	sys_wr(OHCA_M_SYS_PHY, 1);
}

u32 port_pkey(u32 i)
{
	return port_rd(OHCA_PORT_REG_PKEY + 4 * i) & 0xffff;
}

void port_set_pkey(u32 i, u32 pkey)
{
	port_wr(OHCA_PORT_REG_PKEY + 4 * i, pkey);
}

u64 port_cnt(u32 n)
{
	u32 lo = port_rd(OHCA_PORT_REG_CNT + 8 * n);

	return (u64)port_rd(OHCA_PORT_REG_CNT + 8 * n + 4) << 32 | lo;
}

void port_set_sl2vl(const u8 *t)
{
	u32 lo = 0, hi = 0;

	for (u32 sl = 0; sl < 8; sl++) {
		lo |= (u32)t[sl] << 4 * sl;
		hi |= (u32)t[8 + sl] << 4 * sl;
	}
	port_wr(OHCA_PORT_REG_SL2VL_LO, lo);
	port_wr(OHCA_PORT_REG_SL2VL_HI, hi);
}

u32 port_arb(bool high, u32 i)
{
	return port_rd((high ? OHCA_PORT_REG_ARB_HIGH : OHCA_PORT_REG_ARB_LOW) + 4 * i);
}

void port_set_arb(bool high, u32 i, u32 vl, u32 weight)
{
	port_wr((high ? OHCA_PORT_REG_ARB_HIGH : OHCA_PORT_REG_ARB_LOW) + 4 * i,
		OHCA_PREP(OHCA_PORT_ARB_VL, vl) | OHCA_PREP(OHCA_PORT_ARB_WEIGHT, weight));
}

static void times(void)
{
	u32 c = hw_cycles_per_us();

	if (c == port.time_scale)
		return;
	port.time_scale = c;
	port_wr(OHCA_PORT_REG_CYC_4US, (u32)((u64)c * 4096 / 1000));
	port_wr(OHCA_PORT_REG_CYC_10US, c * 10);
}

static void phy(void)
{
	u32 v = sys_rd(OHCA_M_SYS_PHY);

	port.width = v >> 4 & 15;
	port.speed = (u16)(v >> 16);
	if (!(v & 1))
		port_set_state(PORT_DOWN);
	else if (port.state == PORT_DOWN)
		port_set_state(PORT_INIT);
}

void port_init(void)
{
	u64 guid = port_guid();

	zero(&port, sizeof(port));
	port.state = PORT_DOWN;
	port.mtu = OHCA_MTU_MTU4096;
	port.oper_vls = 1;
	port.vl_cap = (u8)(OHCA_NUM_VL >= 8 ? 4 : OHCA_NUM_VL >= 4 ? 3 : OHCA_NUM_VL >= 2 ? 2 : 1);
	port.gid_prefix = 0xfe80000000000000ull;
	port_wr(OHCA_PORT_REG_GUID_LO, (u32)guid);
	port_wr(OHCA_PORT_REG_GUID_HI, (u32)(guid >> 32));
	port_wr(OHCA_PORT_REG_EVENT_MASK, 1u << OHCA_PORT_EVENT_DATA_RCVD | 1u << OHCA_PORT_EVENT_BAD_PKEY | 1u << OHCA_PORT_EVENT_BAD_QKEY |
		1u << OHCA_PORT_EVENT_OVERRUN | 1u << OHCA_PORT_EVENT_FC_WATCHDOG);
	sma_init();
	times();
	apply();
	phy();
}

void port_poll(void)
{
	u32 ev = sys_rd(OHCA_M_SYS_EVENT);

	times();
	if (ev >> OHCA_M_EVENT_PHY & 1)
		phy();
	if (ev >> OHCA_M_EVENT_PORT & 1) {
		u32 s = port_rd(OHCA_PORT_REG_EVENT);

		port_wr(OHCA_PORT_REG_EVENT, s);
		/* A data packet received while Armed activates the port (IBA 7.2.7, ActiveEnable). */
		if (s >> OHCA_PORT_EVENT_DATA_RCVD & 1) {
			if (port.state == PORT_ARMED)
				port_set_state(PORT_ACTIVE);
			/* Only interesting while Armed: a mask keeps traffic from waking the core. */
		}
		if (s >> OHCA_PORT_EVENT_BAD_PKEY & 1 && port.pkey_viol < 0xffff)
			port.pkey_viol++;
		if (s >> OHCA_PORT_EVENT_BAD_QKEY & 1 && port.qkey_viol < 0xffff)
			port.qkey_viol++;
		sma_link_events(s);
	}
	{
		u32 m = 1u << OHCA_PORT_EVENT_BAD_PKEY | 1u << OHCA_PORT_EVENT_BAD_QKEY | 1u << OHCA_PORT_EVENT_OVERRUN |
			1u << OHCA_PORT_EVENT_FC_WATCHDOG;

		if (port.state == PORT_ARMED)
			m |= 1u << OHCA_PORT_EVENT_DATA_RCVD;
		if (m != port.event_mask) {
			port.event_mask = m;
			port_wr(OHCA_PORT_REG_EVENT_MASK, m);
		}
	}
	sma_poll();
}

u64 port_next(void)
{
	return sma_next();
}

/* ------------------------------------------------------------------ MAD channel */

#define LRH_BYTES 8
#define GRH_BYTES 40
#define UD_BYTES 20		/* BTH and DETH */

static u8 pkt[512];

static void tx_packet(const u8 *p, u32 bytes, bool to_host)
{
	while (sys_rd(OHCA_M_SYS_MADTX) & 1)
		;	/* at most the time to send one packet */
	for (u32 i = 0; i < bytes; i += 4)
		hw_write(OHCA_M_MAD_TX + i, (u32)p[i] | (u32)p[i + 1] << 8 | (u32)p[i + 2] << 16 | (u32)p[i + 3] << 24);
	sys_wr(OHCA_M_SYS_MADTX, bytes | (to_host ? 1u << 16 : 0));
}

/* Send an SMP on VL15 from QP0 to QP0. */
void smp_send(u32 slid, u32 dlid, const u8 *mad)
{
	static u8 out[LRH_BYTES + UD_BYTES + MAD_BYTES];
	u32 words = (sizeof(out) + 4) / 4;	/* with ICRC */

	zero(out, LRH_BYTES + UD_BYTES);
	out[0] = 15 << 4;
	out[1] = 2;				/* LNH: BTH next; SL 0 */
	put16(out + 2, dlid);
	put16(out + 4, words);
	put16(out + 6, slid);
	out[8] = OHCA_BTH_OP_UD_SEND_ONLY;
	out[9] = 0x40;				/* MigReq */
	put16(out + 10, 0xffff);
	put32(out + 16, port.smp_psn++ & 0xffffff);
	copy(out + LRH_BYTES + UD_BYTES, mad, MAD_BYTES);
	tx_packet(out, sizeof(out), false);
}

/* One received VL15 packet, LRH first. */
static void smp_rx(u32 bytes)
{
	static u8 reply[MAD_BYTES];
	u32 hdr = LRH_BYTES + ((pkt[1] & 3) == 3 ? GRH_BYTES : 0) + UD_BYTES;
	u32 dlid = get16(pkt + 2), slid = get16(pkt + 6), method, hop_ptr, hop_cnt;
	u8 *mad = pkt + hdr;
	struct mad_in in = { .mad = mad, .slid = slid };
	bool dr;

	if (bytes < hdr + MAD_BYTES || (get32(pkt + hdr - 16) & 0xffffff))
		return;		/* too short, or not for QP0 */
	if (mad[MAD_BASE_VER] != 1 || (mad[MAD_CLASS] != CLASS_SMP_LID && mad[MAD_CLASS] != CLASS_SMP_DR))
		return;
	dr = mad[MAD_CLASS] == CLASS_SMP_DR;
	method = mad[MAD_METHOD];
	hop_ptr = mad[MAD_HOP_PTR];
	hop_cnt = mad[MAD_HOP_CNT];
	if ((dlid == 0xffff) && !dr)
		return;		/* the permissive LID is for directed routes */
	/* Answers, traps to a subnet manager, SMInfo and what else is not an agent's business goes to the host as it came. */
	if (method & 0x80 || method == M_TRAP || (method != M_GET && method != M_SET && method != M_TRAP_REPRESS) ||
	    get16(mad + MAD_ATTR) == 0x0020) {
		tx_packet(pkt, hdr + MAD_BYTES, true);
		return;
	}
	if (dr) {
		/* IBA C14-9: the last hop must be here, and the rest of the way must not be LID routed. */
		if (get16(mad + MAD_STATUS) & ST_DR_D || hop_cnt >= 64 || hop_ptr != hop_cnt || get16(mad + SMP_DR_DLID) != 0xffff)
			return;
		if (hop_cnt)
			mad[SMP_RET_PATH + hop_ptr] = 1;
	}
	if (mad_process(&in, reply) != MAD_REPLY)
		return;
	if (dr) {
		u32 to = get16(mad + SMP_DR_SLID);

		smp_send(0xffff, to, reply);
	} else {
		smp_send(dlid, slid, reply);
	}
}

void mad_rx_poll(void)
{
	for (u32 n = 0; n < 4; n++) {
		u32 v = sys_rd(OHCA_M_SYS_MADRX), slot = v >> 4 & 3, bytes;

		if (!(v & 15))
			return;
		bytes = sys_rd(slot & 2 ? OHCA_M_SYS_MADRX_LEN2 : OHCA_M_SYS_MADRX_LEN) >> (slot & 1 ? 16 : 0) & 0x3ff;
		if (bytes > sizeof(pkt))
			bytes = sizeof(pkt);
		for (u32 i = 0; i < bytes; i += 4) {
			u32 w = hw_read(OHCA_M_MAD_RX + 512 * slot + i);

			pkt[i] = (u8)w;
			pkt[i + 1] = (u8)(w >> 8);
			pkt[i + 2] = (u8)(w >> 16);
			pkt[i + 3] = (u8)(w >> 24);
		}
		sys_wr(OHCA_M_SYS_MADRX, slot);
		if (bytes >= LRH_BYTES + UD_BYTES + MAD_BYTES)
			smp_rx(bytes);
	}
}

/* ------------------------------------------------------------------ commands */

enum ohca_cmd_status do_query_port(struct cmd *c)
{
	struct ohca_cmd_port_out *o = (void *)c->out;

	if (c->in_mod != 1)
		return BAD;
#define O(f, v) OHCA_SET(OHCA_CMD_PORT_OUT_##f, o, v)
	O(STATE, port.state);
	O(PHYS_STATE, port.state == PORT_DOWN ? 2 : 5);
	O(MAX_MTU, OHCA_MTU_MTU4096);
	O(ACTIVE_MTU, port.mtu);
	O(LMC, port.lmc);
	O(MAX_VL_NUM, port.vl_cap);
	O(SM_SL, port.sm_sl);
	O(LID, port.lid);
	O(SM_LID, port.sm_lid);
	O(CAP_MASK, sma_cap_mask());
	O(GID_PREFIX, (u32)port.gid_prefix);
	O(GID_PREFIX_HI, (u32)(port.gid_prefix >> 32));
	O(BAD_PKEY_CNTR, port.pkey_viol);
	O(QKEY_VIOL_CNTR, port.qkey_viol);
	O(SUBNET_TIMEOUT, port.subnet_timeout);
	O(ACTIVE_WIDTH, sma_width_code(port.width));
	/* enum ib_port_speed: SDR 1, DDR 2, QDR 4, FDR 16, EDR 32, HDR 64, NDR 128 */
	O(ACTIVE_SPEED, port.speed >= 1000 ? 128 : port.speed >= 500 ? 64 : port.speed >= 250 ? 32 : port.speed >= 140 ? 16 :
	  port.speed >= 100 ? 4 : port.speed >= 50 ? 2 : 1);
#undef O
	return OK;
}

enum ohca_cmd_status do_set_port(struct cmd *c)
{
	struct ohca_cmd_port_in *in = (void *)c->in;
	u32 set = OHCA_GET(OHCA_CMD_PORT_IN_SET_CAPS, in), clr = OHCA_GET(OHCA_CMD_PORT_IN_CLR_CAPS, in);

	if (c->in_mod != 1)
		return BAD;
	if ((set | clr) & ~CAP_IS_SM)
		return OHCA_CMD_STATUS_PERM;
	sma_set_sm(set ? true : clr ? false : port.is_sm);
	if (OHCA_GET(OHCA_CMD_PORT_IN_RESET_QKEY_CNTR, in))
		port.qkey_viol = 0;
	return OK;
}

/* Output: the GID's wire bytes. */
enum ohca_cmd_status do_query_gid(struct cmd *c)
{
	u32 i = c->in_mod >> 8;

	if ((c->in_mod & 0xff) != 1 || i >= GID_TABLE_LEN)
		return BAD;
	for (u32 k = 0; k < 4; k++)
		c->out[k] = port_rd(OHCA_PORT_REG_GID + 16 * i + 4 * k);
	return OK;
}

enum ohca_cmd_status do_query_pkey(struct cmd *c)
{
	u32 i = c->in_mod >> 8;

	if ((c->in_mod & 0xff) != 1 || i >= PKEY_TABLE_LEN)
		return BAD;
	c->imm = port_pkey(i);
	return OK;
}

enum ohca_cmd_status do_set_node_desc(struct cmd *c)
{
	sma_set_node_desc((const u8 *)c->in);
	return OK;
}

enum ohca_cmd_status do_mad_ifc(struct cmd *c)
{
	struct ohca_cmd_mad_ifc_in *in = (void *)c->in;
	struct mad_in m = {
		.mad = (const u8 *)c->in,
		.slid = OHCA_GET(OHCA_CMD_MAD_IFC_IN_SLID, in),
		.sl = OHCA_GET(OHCA_CMD_MAD_IFC_IN_SL, in),
		.src_qp = OHCA_GET(OHCA_CMD_MAD_IFC_IN_SRC_QP, in),
		.ignore_mkey = c->op_mod & 1,
	};
	u32 class = m.mad[MAD_CLASS];

	if (c->in_mod != 1 || m.mad[MAD_BASE_VER] != 1)
		return BAD;
	if (class == CLASS_SMP_LID || class == CLASS_SMP_DR)
		c->imm = mad_process(&m, (u8 *)c->out);
	else if (class == CLASS_PERF)
		c->imm = pma_process(&m, (u8 *)c->out);
	else
		c->imm = MAD_NONE;
	return OK;
}
