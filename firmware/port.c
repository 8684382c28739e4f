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

/*
 * Flow-control packets. The architecture wants one per VL at least every 65,536 symbol times; they are also sent when credits move, so
 * the period only repairs what got lost. A device whose clock is a hardware clock keeps to the letter. A simulator that tells the
 * truth about its time runs at a few cycles per microsecond, and an idle fabric should not be woken for this: it takes 10 ms.
 * The receive watchdog (400,000 symbol times, trap 131) would need peers that keep to the letter, so it is off unless built in.
 */
#define HARDWARE_CYCLES_PER_US 40
#define FC_IDLE_US 10000
#ifndef FW_FC_WATCHDOG
#define FW_FC_WATCHDOG 0	/* in periods; 0 = off */
#endif
#define TRAIN_US 10000		/* a retrained link that is up after this long never went down */
#define LINGER_US 20		/* an answer of 290 bytes leaves in less */
#define ERROR_WINDOW_US 10000	/* link integrity: errors within this time are compared with the threshold */


static u64 in_us(u32 us)
{
	return hw_now() + (u64)us * hw_cycles_per_us();
}

/* Port registers follow the state: what may be sent and accepted in each is IBA 7.2's table. */
void port_apply(void)
{
	u32 c = 0;

	if (port.eth)
		c |= OHCA_PREP(OHCA_PORT_CTRL_ETH, 1);
	if (port.state >= PORT_INIT || (port.retrain_at != NEVER && !port.eth))
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

void port_event(enum ohca_eqe_type type, u32 param)
{
	host_event(type, 1, 0, 0, param);
}

/* What wakes the core: a data packet is interesting only while Armed, else traffic would. */
static void event_mask(void)
{
	u32 m = 1u << OHCA_PORT_EVENT_OVERRUN | 1u << OHCA_PORT_EVENT_LINK_INTEGRITY;

	if (FW_FC_WATCHDOG)
		m |= 1u << OHCA_PORT_EVENT_FC_WATCHDOG;
	if (port.state == PORT_ARMED)
		m |= 1u << OHCA_PORT_EVENT_DATA_RCVD;
	if (m != port.event_mask)
		port_wr(OHCA_PORT_REG_EVENT_MASK, m);
	port.event_mask = m;
}

void port_set_state(u32 state)
{
	u32 old = port.state;

	if (state == old)
		return;
	port.state = (u8)state;
	if (state == PORT_INIT)
		port.recheck_at = NEVER;
	/* A packet from before must not activate the port. */
	if (state == PORT_ARMED)
		port_wr(OHCA_PORT_REG_EVENT, 1u << OHCA_PORT_EVENT_DATA_RCVD);
	port_apply();
	event_mask();
	fw_log("port: state %u -> %u\n", old, state);
	if (state == PORT_ACTIVE || old == PORT_ACTIVE)
		port_event(OHCA_EQE_TYPE_PORT_CHANGE, state);
	if (state == PORT_ACTIVE && !port.eth)
		sma_port_active();
}

void port_bounce(bool stay)
{
	port.disabled = stay;
	port.retrain_at = in_us(LINGER_US);
	port.recheck_at = NEVER;
	if (port.state == PORT_DOWN)
		port_apply();
	else
		port_set_state(PORT_DOWN);
}

u32 port_phys_state(void)
{
	return port.disabled ? PHYS_DISABLED : port.state == PORT_DOWN ? PHYS_POLLING : PHYS_LINK_UP;
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

u32 port_pkey_viol(void)
{
	u64 n = port_cnt(OHCA_PORT_CNT_BAD_PKEY) - port.pkey_base;

	return n > 0xffff ? 0xffff : (u32)n;
}

u32 port_qkey_viol(void)
{
	u64 n = port_cnt(OHCA_PORT_CNT_BAD_QKEY) - port.qkey_base;

	return n > 0xffff ? 0xffff : (u32)n;
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

static u32 swap(u32 v)
{
	return v >> 24 | (v >> 8 & 0xff00) | (v << 8 & 0xff0000) | v << 24;
}

void port_write_gid(u32 i)
{
	u32 reg = OHCA_PORT_REG_GID + 16 * i;
	u64 prefix = port.guid[i] ? port.gid_prefix : 0;

	port_wr(reg, swap((u32)(prefix >> 32)));
	port_wr(reg + 4, swap((u32)prefix));
	port_wr(reg + 8, swap((u32)(port.guid[i] >> 32)));
	port_wr(reg + 12, swap((u32)port.guid[i]));
}

u8 port_vl_cap(void)
{
	return port.num_vl >= 8 ? 4 : port.num_vl >= 4 ? 3 : port.num_vl >= 2 ? 2 : 1;
}

/* 65,536 symbol times in cycles: a symbol is ten bits up to 10 Gb/s a lane (8b/10b), eight above. */
static u32 symbol_period(u32 cycles_per_us, u32 speed)
{
	u32 bits = speed > 100 ? 8 : 10;

	if (!speed)
		speed = 25;
	return (u32)(65536ull * bits * cycles_per_us * 10 / ((u64)speed * 1000));
}

void port_times(void)
{
	u32 c = hw_cycles_per_us(), period;

	if (c == port.time_scale && port.speed == port.time_speed)
		return;
	port.time_scale = c;
	port.time_speed = port.speed;
	period = c >= HARDWARE_CYCLES_PER_US ? symbol_period(c, port.speed) : c * FC_IDLE_US;
	port.fc_period = period;
	port_wr(OHCA_PORT_REG_FC_PERIOD, period);
	port_wr(OHCA_PORT_REG_FC_WATCHDOG, FW_FC_WATCHDOG * period);
	port_wr(OHCA_PORT_REG_CYC_4US, (u32)((u64)c * 4096 / 1000));
	port_wr(OHCA_PORT_REG_CYC_10US, c * 10);
	/* A pause quantum is 512 bit times; the register counts 1/256 cycles. */
	if (port.eth)
		port_wr(OHCA_PORT_REG_ETH_QUANTUM, (u32)(512ull * 256 * c / (100ull * (port.speed ? port.speed : 1) * (port.width ? port.width : 1))));
}

/* changed: the link went up or down since the last look, or both. Reading the register takes that mark away. */
static void phy(bool changed)
{
	u32 v = sys_rd(OHCA_M_SYS_PHY);
	bool up = v & 1;

	port.width = v >> 4 & 15;
	port.speed = (u16)(v >> 16);
	port.link_up = up;
	if ((changed || !up) && port.state != PORT_DOWN) {
		/* A link that no subnet manager has configured yet went up and down while both ends started: nothing was lost. */
		if (port.state >= PORT_ARMED)
			port.link_downed++;
		port_set_state(PORT_DOWN);
	}
	if (up && port.state == PORT_DOWN && !port.disabled && port.retrain_at == NEVER)
		port_set_state(port.eth ? PORT_ACTIVE : PORT_INIT);
}

void port_train(void)
{
	/* A disabled port's PHY is silent, so that the other end sees no link either. */
	sys_wr(OHCA_M_SYS_PHY, port.disabled ? 2 : 1);
	port.recheck_at = port.disabled ? NEVER : in_us(TRAIN_US);
}

void port_init(void)
{
	u64 guid = port_guid();
	u32 caps = port_rd(OHCA_PORT_REG_CAPS);
	u32 v = sys_rd(OHCA_M_SYS_PHY);

	zero(&port, sizeof(port));
	port.width = v >> 4 & 15;
	port.speed = (u16)(v >> 16);
	port.num_vl = OHCA_EXTRACT(OHCA_PORT_CAPS_NUM_VL, caps);
	port.arb_entries = OHCA_EXTRACT(OHCA_PORT_CAPS_ARB_ENTRIES, caps);
	port.state = PORT_DOWN;
	port.retrain_at = port.recheck_at = NEVER;
	port.mtu = OHCA_MTU_MTU4096;
	/* All there are: OpenSM takes a link down when it has to change the number. */
	port.oper_vls = port_vl_cap();
	port.gid_prefix = 0xfe80000000000000ull;
	port.guid[0] = guid;
	port_wr(OHCA_PORT_REG_GUID_LO, (u32)guid);
	port_wr(OHCA_PORT_REG_GUID_HI, (u32)(guid >> 32));
	sma_init();
	/* A link that is up already was up before a reset: the peer must notice that this end begins anew. */
	if (v & 1)
		port_train();
	event_mask();
	port_times();
	port_apply();
}

/* IBA 7.12.2: errors within a window beyond LocalPhyErrors; OverrunErrors update periods in a row, each with an overrun. */
static void link_errors(u32 sticky)
{
	u64 now = hw_now(), n;

	if (sticky >> OHCA_PORT_EVENT_LINK_INTEGRITY & 1) {
		n = port_cnt(OHCA_PORT_CNT_RCV_VCRC) + port_cnt(OHCA_PORT_CNT_LPCRC);
		if (now - port.integrity_start > (u64)ERROR_WINDOW_US * hw_cycles_per_us()) {
			/* At least the error that set the event belongs to the new window. */
			port.integrity_start = now;
			port.integrity_seen = n - 1;
		}
		if (n - port.integrity_seen > port.phy_err_thr) {
			port.integrity_seen = n;
			port.integrity_errs++;
			sma_link_trap(129);
		}
	}
	if (sticky >> OHCA_PORT_EVENT_OVERRUN & 1) {
		u64 gone = now - port.overrun_start;

		if (!port.overrun_start || gone >= port.fc_period) {
			port.overrun_periods = port.overrun_periods && gone < 2ull * port.fc_period ? port.overrun_periods + 1 : 1;
			port.overrun_start = now;
			if (port.overrun_periods >= (port.overrun_thr ? port.overrun_thr : 1u)) {
				port.overrun_periods = 0;
				port.overrun_errs++;
				sma_link_trap(130);
			}
		}
	}
	if (sticky >> OHCA_PORT_EVENT_FC_WATCHDOG & 1)
		sma_link_trap(131);
}

void port_poll(void)
{
	u32 ev = sys_rd(OHCA_M_SYS_EVENT);

	pma_poll();
	if (hw_now() >= port.retrain_at) {
		port.retrain_at = NEVER;
		port_apply();
		port_train();
	}
	if (ev >> OHCA_M_EVENT_PHY & 1)
		phy(true);
	port_times();
	if (hw_now() >= port.recheck_at) {
		/* A PHY that did not bother to retrain gives no event. */
		port.recheck_at = NEVER;
		phy(false);
	}
	if (ev >> OHCA_M_EVENT_PORT & 1) {
		u32 s = port_rd(OHCA_PORT_REG_EVENT);

		port_wr(OHCA_PORT_REG_EVENT, s);
		/* A data packet received while Armed activates the port (IBA 7.2.7, ActiveEnable). */
		if (s >> OHCA_PORT_EVENT_DATA_RCVD & 1 && port.state == PORT_ARMED)
			port_set_state(PORT_ACTIVE);
		if (!port.eth)		/* its errors are for subnet managers */
			link_errors(s);
	}
	sma_poll();
}

u64 port_next(void)
{
	u64 n = sma_next();

	if (port.retrain_at < n)
		n = port.retrain_at;
	if (port.recheck_at < n)
		n = port.recheck_at;
	if (pma_next() < n)
		n = pma_next();
	return n;
}

/* ------------------------------------------------------------------ MAD channel */

#define LRH_BYTES 8
#define UD_BYTES 20		/* BTH and DETH */

static u8 pkt[512] __attribute__((aligned(4)));

static bool tx_packet(const u8 *p, u32 bytes, bool to_host)
{
	u64 end = in_us(1000);

	/* At most the time to send one packet; a link that takes nothing may not hold up the rest. */
	while (sys_rd(OHCA_M_SYS_MADTX) & 1)
		if (hw_now() >= end) {
			fw_log("port: a management packet was lost, the link takes none\n");
			return false;
		}
	for (u32 i = 0; i < bytes; i += 4)
		hw_write(OHCA_M_MAD_TX + i, *(const u32 *)(p + i));
	sys_wr(OHCA_M_SYS_MADTX, bytes | (to_host ? 1u << 16 : 0));
	return true;
}

bool smp_send(u32 slid, u32 dlid, u32 sl, const u8 *mad)
{
	static u8 out[LRH_BYTES + UD_BYTES + MAD_BYTES] __attribute__((aligned(4)));
	u32 words = (sizeof(out) + 4) / 4;	/* with ICRC */

	zero(out, LRH_BYTES + UD_BYTES);
	out[0] = 15 << 4;
	out[1] = (u8)(sl << 4 | 2);		/* LNH: BTH next */
	put16(out + 2, dlid);
	put16(out + 4, words);
	put16(out + 6, slid);
	out[8] = OHCA_BTH_OP_UD_SEND_ONLY;
	out[9] = 0x40;				/* MigReq */
	put16(out + 10, 0xffff);
	put32(out + 16, port.smp_psn++ & 0xffffff);
	copy(out + LRH_BYTES + UD_BYTES, mad, MAD_BYTES);
	return tx_packet(out, sizeof(out), false);
}

/*
 * One received VL15 packet, LRH first. The link layer has checked VL, DLID (own or permissive), CRCs and that there is no GRH;
 * nothing after it has been looked at.
 */
static void smp_rx(u32 bytes)
{
	static u8 reply[MAD_BYTES] __attribute__((aligned(4)));
	const u32 hdr = LRH_BYTES + UD_BYTES;
	u32 dlid = get16(pkt + 2), slid = get16(pkt + 6), method, hop_ptr, hop_cnt, to;
	u8 *mad = pkt + hdr;
	struct mad_in in = { .mad = mad, .slid = slid, .sl = pkt[1] >> 4 };
	bool dr;

	/* A datagram of 256 bytes from QP0 to QP0 */
	if (bytes != hdr + MAD_BYTES || (pkt[1] & 3) != 2 || pkt[8] != OHCA_BTH_OP_UD_SEND_ONLY || (pkt[9] & 0x3f) ||
	    (get32(pkt + 12) & 0xffffff) || (get32(pkt + 24) & 0xffffff))
		return;
	if (mad[MAD_BASE_VER] != 1 || (mad[MAD_CLASS] != CLASS_SMP_LID && mad[MAD_CLASS] != CLASS_SMP_DR))
		return;
	dr = mad[MAD_CLASS] == CLASS_SMP_DR;
	method = mad[MAD_METHOD];
	hop_ptr = mad[MAD_HOP_PTR];
	hop_cnt = mad[MAD_HOP_CNT];
	if (dlid == 0xffff && !dr)
		return;		/* the permissive LID is for directed routes */
	if (dr) {
		/* IBA 14.2.2: a channel adapter is an end of the route, never on it. */
		if (hop_cnt >= 64)
			return;
		if (get16(mad + MAD_STATUS) & ST_DR_D) {
			/* On its way back: its sender is here, or the LID-routed part would begin here, which only a switch does. */
			if (hop_ptr != (hop_cnt ? 1 : 0) || get16(mad + SMP_DR_SLID) != 0xffff)
				return;
		} else if (hop_ptr != hop_cnt || get16(mad + SMP_DR_DLID) != 0xffff) {
			return;
		}
	}
	/* Answers, traps to a subnet manager, SMInfo and what else is not an agent's business goes to the host as it came. */
	if ((method != M_GET && method != M_SET && method != M_TRAP_REPRESS) || get16(mad + MAD_ATTR) == ATTR_SM_INFO) {
		tx_packet(pkt, hdr + MAD_BYTES, true);
		return;
	}
	if (dr) {
		if (get16(mad + MAD_STATUS) & ST_DR_D)
			return;		/* a request cannot come back */
		if (hop_cnt)
			mad[SMP_RET_PATH + hop_ptr] = 1;
	}
	if (mad_process(&in, reply) != MAD_REPLY)
		return;
	/* The hop pointer would be one more at the agent and one less on the way out: it stays. */
	if (dr) {
		to = get16(mad + SMP_DR_SLID);
		smp_send(to == 0xffff || !port.lid ? 0xffff : port.lid, to, in.sl, reply);
	} else {
		smp_send(dlid, slid, in.sl, reply);
	}
}

void mad_rx_poll(void)
{
	for (u32 n = 0; n < 4; n++) {
		u32 v = sys_rd(OHCA_M_SYS_MADRX), slot = v >> 4 & 3, bytes;

		if (!(v >> slot & 1))
			return;
		bytes = sys_rd(slot & 2 ? OHCA_M_SYS_MADRX_LEN2 : OHCA_M_SYS_MADRX_LEN) >> (slot & 1 ? 16 : 0) & 0x3ff;
		for (u32 i = 0; i < sizeof(pkt) && i < bytes; i += 4) {
			u32 w = hw_read(OHCA_M_MAD_RX + sizeof(pkt) * slot + i);

			*(u32 *)(pkt + i) = w;		/* the core is little-endian, as is the RAM */
		}
		sys_wr(OHCA_M_SYS_MADRX, slot);
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
	O(PHYS_STATE, port_phys_state());
	O(MAX_MTU, OHCA_MTU_MTU4096);
	O(ACTIVE_MTU, port.mtu);
	O(LMC, port.lmc);
	O(MAX_VL_NUM, port_vl_cap());
	O(SM_SL, port.sm_sl);
	O(LID, port.lid);
	O(SM_LID, port.sm_lid);
	O(LINK_LAYER, port.eth);
	O(CAP_MASK, port.eth ? CAP_CM_SUP : sma_cap_mask());
	O(GID_PREFIX, (u32)port.gid_prefix);
	O(GID_PREFIX_HI, (u32)(port.gid_prefix >> 32));
	O(BAD_PKEY_CNTR, port_pkey_viol());
	O(QKEY_VIOL_CNTR, port_qkey_viol());
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
	if ((set | clr) & ~CAP_HOST)
		return OHCA_CMD_STATUS_PERM;
	if (set & clr)
		return BAD;
	if (OHCA_GET(OHCA_CMD_PORT_IN_SET_MODE, in)) {
		enum ohca_cmd_status st = eth_set_mode(OHCA_GET(OHCA_CMD_PORT_IN_ETH, in));

		if (st != OK)
			return st;
	} else if (OHCA_GET(OHCA_CMD_PORT_IN_ETH, in)) {
		return BAD;
	}
	sma_set_caps(set, clr);
	if (OHCA_GET(OHCA_CMD_PORT_IN_RESET_QKEY_CNTR, in))
		port.qkey_base = port_cnt(OHCA_PORT_CNT_BAD_QKEY);
	return OK;
}

/* Output: the GID's wire bytes. */
enum ohca_cmd_status do_query_gid(struct cmd *c)
{
	u32 i = c->in_mod >> 8;

	if ((c->in_mod & 0xff) != 1 || i >= GID_TABLE_LEN)
		return BAD;
	if (port.eth) {
		eth_gid(i, c->out);
		return OK;
	}
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
	/* The kernel has followed a directed route to its end here. */
	if (port.eth && (class == CLASS_SMP_LID || class == CLASS_SMP_DR))
		c->imm = MAD_NONE;
	else if (class == CLASS_SMP_LID || class == CLASS_SMP_DR)
		c->imm = mad_process(&m, (u8 *)c->out);
	else if (class == CLASS_PERF)
		c->imm = pma_process(&m, (u8 *)c->out);
	else
		c->imm = MAD_NONE;
	return OK;
}
