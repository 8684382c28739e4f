// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/*
 * The subnet management agent: IBA 14.2 attributes of a channel adapter, M_Key protection (14.2.4), traps (14.3).
 *
 * Sets are checked field by field; a bad field gives status 0x1c and leaves that field alone, the others take effect, and the
 * answer always shows what is set now.
 */
#include "dev.h"
#include "log.h"
#include "mad.h"
#include "port.h"
#include "sma.h"

enum {
	ATTR_NOTICE = 0x02, ATTR_NODE_DESC = 0x10, ATTR_NODE_INFO = 0x11, ATTR_GUID_INFO = 0x14, ATTR_PORT_INFO = 0x15, ATTR_PKEY_TABLE = 0x16,
	ATTR_SL2VL = 0x17, ATTR_VL_ARB = 0x18,
};

#define CAPS (1u << 3 | 1u << 6 | 1u << 11 | 1u << 16 | 1u << 21 | 1u << 22 | 1u << 25 | 1u << 26)
	/* traps, SL mapping, system image GUID, communication management, DR and CapMask notices, client reregistration,
	 * other local changes */
#define CAP_EXT_SPEEDS (1u << 14)

/* ------------------------------------------------------------------ traps */

/*
 * A trap is sent again until the subnet manager represses it, and gives up after some tries; of each number no more than one is sent
 * in a subnet timeout (o14-2), whether repressed or not: whoever can cause one may not have them sent at the rate at which the
 * manager answers. While the port is not Active it waits (o14-3.2.1). Of each number there is one: what happens again meanwhile
 * is told by the newest notice; of bad keys (257, 258) the first is, and the others only counted.
 */
enum { T_INTEGRITY, T_OVERRUN, T_WATCHDOG, T_CHANGE, T_MKEY, T_PKEY, T_QKEY, TRAPS };
static const u16 trap_num[TRAPS] = { 129, 130, 131, 144, 256, 257, 258 };
#define TRAP_TRIES 16
#define TRAP_TIMEOUT_MIN 12	/* 16.8 ms: a subnet timeout of 0 may not make a storm */

static struct trap {
	u64 next;		/* cycle of the next transmission; not waiting: when the next may be sent */
	u64 tid;
	u16 tries;
	bool used;
	u8 notice[64];
} traps[TRAPS];
static u32 trap_tid;

/*
 * Packets with bad keys. The hardware keeps one at a time, of the kinds that it is told to wait for. A kind is waited for when its trap has been
 * repressed (or given up) and could be sent again: a flood of bad packets wakes this core no more often than it may send.
 */
enum { BAD_PKEY = 1, BAD_QKEY = 2 };	/* as in m_sys_viol */
static u32 viol_wait;
static bool viol_told;

static bool trap_can_send(void)
{
	return port.state == PORT_ACTIVE && port.sm_lid && port.lid;
}

/* Details of a new notice, cleared; or of the one of the same number that has not been repressed, as they were. */
static u8 *trap_new(u32 kind, u8 type)
{
	struct trap *t = &traps[kind];
	u64 now = hw_now();

	if (!t->used) {
		zero(t->notice, sizeof(t->notice));
		if (t->next < now)
			t->next = now;
	}
	t->used = true;
	t->tries = 0;
	/* Another notice is another transaction: an old TrapRepress does not fit. */
	t->tid = (u64)(u32)node_guid() << 32 | ++trap_tid;
	t->notice[0] = 0x80 | type;
	t->notice[3] = 1;			/* producer: channel adapter */
	put16(t->notice + 4, trap_num[kind]);
	return t->notice + 10;
}

static u64 trap_interval(void)
{
	u32 t = port.subnet_timeout < TRAP_TIMEOUT_MIN ? TRAP_TIMEOUT_MIN : port.subnet_timeout;

	return ((u64)hw_cycles_per_us() * 4096 << t) / 1000;
}

static void trap_send(struct trap *t, u64 now)
{
	static u8 mad[MAD_BYTES];

	t->next = now + trap_interval();
	if (++t->tries > TRAP_TRIES) {
		t->used = false;
		return;
	}
	put16(t->notice + 6, port.lid);		/* issuer */
	if (t < &traps[T_MKEY])
		put16(t->notice + 12, port.lid);	/* and where it happened */
	zero(mad, sizeof(mad));
	mad[MAD_BASE_VER] = 1;
	mad[MAD_CLASS] = CLASS_SMP_LID;
	mad[MAD_CLASS_VER] = 1;
	mad[MAD_METHOD] = M_TRAP;
	put64(mad + MAD_TID, t->tid);
	put16(mad + MAD_ATTR, ATTR_NOTICE);
	copy(mad + SMP_DATA, t->notice, sizeof(t->notice));
	smp_send(port.lid, port.sm_lid, port.sm_sl, mad);
}

/* flags: what changed beside the capability mask */
static void trap_144(u32 flags)
{
	u8 *d = trap_new(T_CHANGE, 4);

	flags |= get16(d + 10);			/* of a notice not repressed yet */
	d[5] = flags ? 1 : 0;			/* OtherLocalChanges */
	put32(d + 6, sma_cap_mask());
	put16(d + 10, flags);
}

static void trap_mkey(const struct mad_in *in)
{
	u8 *d = trap_new(T_MKEY, 2);
	u32 hops = in->mad[MAD_HOP_CNT];

	zero(d, 54);
	put16(d + 2, in->slid);
	d[6] = in->mad[MAD_METHOD];
	put16(d + 8, get16(in->mad + MAD_ATTR));
	put32(d + 10, get32(in->mad + MAD_ATTR_MOD));
	put64(d + 14, get64(in->mad + SMP_MKEY));
	if (in->mad[MAD_CLASS] == CLASS_SMP_DR) {
		put16(d + 4, get16(in->mad + SMP_DR_SLID));
		d[23] = 0x80;
		if (hops > 30) {
			d[23] |= 0x40;		/* truncated */
			hops = 30;
		}
		d[23] |= (u8)hops;
		copy(d + 24, in->mad + SMP_RET_PATH, hops);
	}
}

void sma_link_trap(u32 num)
{
	trap_new(T_INTEGRITY + num - 129, 1)[4] = 1;
}

static void viol_poll(u64 now)
{
	u32 w = sys_rd(OHCA_M_SYS_VIOL), wait, release = w & 1u << 31;

	if (release && w & 3u << 28 && !viol_told) {
		viol_told = true;
		fw_log("sma: more packets with bad keys come than notices of them may be sent\n");
	}
	if (release && !port.eth) {
		u8 *d = trap_new(T_PKEY + (w >> 30 & 1), 2);

		zero(d, 54);
		put32(d + 2, sys_rd(OHCA_M_SYS_VIOL + 4));	/* both LIDs */
		put32(d + 6, sys_rd(OHCA_M_SYS_VIOL + 8));
		put32(d + 10, (w & 15) << 28 | sys_rd(OHCA_M_SYS_VIOL + 12));
		for (u32 i = 0; i < (w >> 27 & 1 ? 9 : 1); i++)	/* the QP, both GIDs if there are any */
			put32(d + 14 + 4 * i, sys_rd(OHCA_M_SYS_VIOL + 16 + 4 * i));
	}
	wait = 0;
	for (u32 k = 0; k < 2; k++)
		if (!port.eth && !traps[T_PKEY + k].used && now >= traps[T_PKEY + k].next)
			wait |= BAD_PKEY << k;
	if (release || wait != viol_wait)
		sys_wr(OHCA_M_SYS_VIOL, release | wait);
	viol_wait = wait;
}

/* When a kind will be waited for again: not before its trap is done with, which is an event of its own. */
static u64 viol_due(void)
{
	u64 n = ~0ull;

	if (viol_wait & ~(BAD_PKEY | BAD_QKEY))
		return 0;
	for (u32 k = 0; k < 2; k++)
		if (!port.eth && !(viol_wait & BAD_PKEY << k) && !traps[T_PKEY + k].used && traps[T_PKEY + k].next < n)
			n = traps[T_PKEY + k].next;
	return n;
}

void sma_poll(void)
{
	u64 now;

	viol_poll(hw_now());
	now = hw_now();			/* what has come now is sent now */
	if (port.mkey_lease_end && now >= port.mkey_lease_end) {
		port.mkey_lease_end = 0;
		port.mkey_protect = 0;
	}
	if (!trap_can_send())
		return;
	for (u32 i = 0; i < TRAPS; i++)
		if (traps[i].used && now >= traps[i].next)
			trap_send(&traps[i], now);
}

u64 sma_next(void)
{
	u64 n = viol_due();

	if (port.mkey_lease_end && port.mkey_lease_end < n)
		n = port.mkey_lease_end;
	if (trap_can_send())
		for (u32 i = 0; i < TRAPS; i++)
			if (traps[i].used && traps[i].next < n)
				n = traps[i].next;
	return n;
}

/* ------------------------------------------------------------------ properties */

void sma_set_caps(u32 set, u32 clear)
{
	u32 caps = (port.host_caps & ~clear) | set;

	if (caps == port.host_caps)
		return;
	port.host_caps = caps;
	trap_144(0);
}

void sma_set_node_desc(const u8 *desc)
{
	bool same = true;

	for (u32 i = 0; i < 64; i++)
		same &= port.node_desc[i] == desc[i];
	if (same)
		return;
	copy(port.node_desc, desc, 64);
	trap_144(1);
}

u32 sma_width_code(u32 lanes)
{
	return lanes >= 12 ? 8 : lanes >= 8 ? 4 : lanes >= 4 ? 2 : lanes >= 2 ? 16 : 1;
}

/* PortInfo speeds: classic code (0 in LinkSpeedActive is used with extended speeds only by old devices: both are given) */
static u32 speed_code(void)
{
	return port.speed >= 100 ? 4 : port.speed >= 50 ? 2 : 1;
}

static u32 ext_speed_code(void)
{
	return port.speed >= 1000 ? 8 : port.speed >= 500 ? 4 : port.speed >= 250 ? 2 : port.speed >= 140 ? 1 : 0;
}

/* What is supported: up to what the PHY of this build runs at, no more, so that nobody takes the link for slower than it could be. */
static u32 speeds(void)
{
	return 2 * speed_code() - 1;
}

static u32 ext_speeds(void)
{
	u32 code = ext_speed_code();

	return code ? 2 * code - 1 : 0;
}

u32 sma_cap_mask(void)
{
	return CAPS | (ext_speeds() ? CAP_EXT_SPEEDS : 0) | port.host_caps;
}

void sma_init(void)
{
	static const char name[] = "OpenHCA";

	zero(traps, sizeof(traps));
	trap_tid = 0;
	viol_told = false;
	viol_wait = ~0u;		/* what the hardware waits for is not known */
	zero(port.node_desc, sizeof(port.node_desc));
	copy(port.node_desc, name, sizeof(name));
	port.down_default = 2;
	port.phy_err_thr = 8;
	port.overrun_thr = 8;
	port.subnet_timeout = 18;
	port.speed_enabled = port.ext_speed_enabled = port.width_enabled = 0;
	/* What a subnet manager set says nothing on another subnet: a new one would not know the key. */
	port.mkey = port.mkey_lease_end = 0;
	port.mkey_lease = port.mkey_viol = 0;
	port.mkey_protect = port.mcast_trap = 0;
	port.host_caps = 0;
}

/* ------------------------------------------------------------------ attributes */

#define EXT_SPEEDS_OFF 30u	/* as LinkSpeedExtEnabled */

static void get_node_info(u8 *d)
{
	d[0] = 1;
	d[1] = 1;
	d[2] = 1;				/* channel adapter */
	d[3] = 1;				/* ports */
	put64(d + 4, node_guid());
	put64(d + 12, node_guid());
	put64(d + 20, port_guid());
	put16(d + 28, PKEY_TABLE_LEN);
	put16(d + 30, PART_ID);
	put32(d + 32, 1);
	put32(d + 36, 1u << 24 | OUI);
}

/* 0: all that is supported. */
static u8 enabled(u32 field, u32 supported)
{
	return (u8)(field & supported ? field & supported : supported);
}

static void get_port_info(u8 *d, bool show_mkey)
{
	u32 width = sma_width_code(port.width);

	if (show_mkey)
		put64(d, port.mkey);
	put64(d + 8, port.gid_prefix);
	put16(d + 16, port.lid);
	put16(d + 18, port.sm_lid);
	put32(d + 20, sma_cap_mask());
	put16(d + 26, port.mkey_lease);
	d[28] = 1;
	d[29] = enabled(port.width_enabled, width);
	d[30] = (u8)width;
	d[31] = (u8)width;
	d[32] = (u8)(speeds() << 4 | port.state);
	d[33] = (u8)(port_phys_state() << 4 | port.down_default);
	d[34] = (u8)(port.mkey_protect << 6 | port.lmc);
	d[35] = (u8)(speed_code() << 4 | enabled(port.speed_enabled, speeds()));
	d[36] = (u8)(port.mtu << 4 | port.sm_sl);
	d[37] = (u8)(port_vl_cap() << 4);
	d[38] = port.vl_high_limit;
	d[39] = port.arb_entries;
	d[40] = port.arb_entries;
	d[41] = OHCA_MTU_MTU4096;
	d[43] = (u8)(port.oper_vls << 4);
	put16(d + 44, port.mkey_viol);
	put16(d + 46, port_pkey_viol());
	put16(d + 48, port_qkey_viol());
	d[50] = GID_TABLE_LEN;
	d[51] = (u8)(port.mcast_trap << 5 | port.subnet_timeout);
	d[52] = 8;				/* answers within 1 ms */
	d[53] = (u8)(port.phy_err_thr << 4 | port.overrun_thr);
	d[62] = (u8)(ext_speed_code() << 4 | ext_speeds());
	d[63] = port.ext_speed_enabled == EXT_SPEEDS_OFF ? EXT_SPEEDS_OFF : enabled(port.ext_speed_enabled, ext_speeds());
}

/* "0 = leave, all = what is supported, else a part of what is supported": true if v is none of these. */
static bool enable(u8 *field, u32 v, u32 all, u32 supported)
{
	if (v == all)
		*field = 0;
	else if (v & ~supported)
		return true;
	else if (v)
		*field = (u8)v;
	return false;
}

/*
 * A field that is wrong gives the status and stays what it was; all others take effect. remote: through this very port, so that
 * an answer to Disabled cannot leave.
 */
static u32 set_port_info(const u8 *d, bool *silent, bool remote)
{
	u32 st = 0, v, lmc = d[34] & 7;
	u32 state = d[32] & 15, phys = d[33] >> 4, old_lid = port.lid, old_lmc = port.lmc, old_sm = port.sm_lid, old_sl = port.sm_sl;
	u64 prefix = get64(d + 8);

	port.mkey = get64(d);
	port.mkey_lease = (u16)get16(d + 26);
	port.mkey_protect = d[34] >> 6;
	if (prefix != port.gid_prefix) {
		port.gid_prefix = prefix;
		for (u32 i = 1; i < GID_TABLE_LEN; i++)
			if (port.guid[i])
				port_write_gid(i);
		port_event(OHCA_EQE_TYPE_GID_CHANGE, 0);
	}
	v = get16(d + 16);
	if (!v || v >= 0xc000 || (v & ((1u << lmc) - 1))) {
		st = ST_BAD_FIELD;
	} else {
		port.lid = (u16)v;
		port.lmc = (u8)lmc;
	}
	v = get16(d + 18);
	if (!v || v >= 0xc000) {
		st = ST_BAD_FIELD;
	} else {
		port.sm_lid = (u16)v;
		port.sm_sl = d[36] & 15;
	}
	if (enable(&port.width_enabled, d[29], 0xff, sma_width_code(port.width)))
		st = ST_BAD_FIELD;
	if (enable(&port.speed_enabled, d[35] & 15, 15, speeds()))
		st = ST_BAD_FIELD;
	v = d[63] & 31;
	if (v == EXT_SPEEDS_OFF)
		port.ext_speed_enabled = EXT_SPEEDS_OFF;
	else if (enable(&port.ext_speed_enabled, v, 31, ext_speeds()))
		st = ST_BAD_FIELD;
	v = d[33] & 15;
	if (v > 2)
		st = ST_BAD_FIELD;
	else if (v)
		port.down_default = (u8)v;
	port.vl_high_limit = d[38];
	v = d[36] >> 4;
	if (v < OHCA_MTU_MTU256 || v > OHCA_MTU_MTU4096)
		st = ST_BAD_FIELD;
	else
		port.mtu = (u8)v;
	v = d[43] >> 4;
	/* The lanes' credits cannot be dealt anew while data flows. */
	if (v > port_vl_cap() || (v && v != port.oper_vls && port.state == PORT_ACTIVE && state != PORT_DOWN))
		st = ST_BAD_FIELD;
	else if (v)
		port.oper_vls = (u8)v;
	if (!get16(d + 44))
		port.mkey_viol = 0;
	if (!get16(d + 46))
		port.pkey_base = port_cnt(OHCA_PORT_CNT_BAD_PKEY);
	if (!get16(d + 48))
		port.qkey_base = port_cnt(OHCA_PORT_CNT_BAD_QKEY);
	port.phy_err_thr = d[53] >> 4;
	port.overrun_thr = d[53] & 15;
	port.subnet_timeout = d[51] & 31;
	port.mcast_trap = d[51] >> 5 & 3;

	/* The state comes last, as it uses the rest. */
	port_apply();
	if (phys && state != PORT_NOP && state != PORT_DOWN) {
		st = ST_BAD_FIELD;
	} else if (phys > PHYS_DISABLED) {
		st = ST_BAD_FIELD;
	} else if (state == PORT_DOWN || phys) {
		/* Polling brings a disabled port back; without a word about the PHY, Down leaves it disabled. */
		bool stay = phys == PHYS_DISABLED || (!phys && port.disabled);

		*silent = phys == PHYS_DISABLED && remote;
		port_bounce(stay);
	} else if (state == PORT_ARMED) {
		/* To where it is already is no error, back from Active is one. */
		if (port.state == PORT_INIT)
			port_set_state(PORT_ARMED);
		else if (port.state != PORT_ARMED)
			st = ST_BAD_FIELD;
	} else if (state == PORT_ACTIVE) {
		if (port.state == PORT_ARMED)
			port_set_state(PORT_ACTIVE);
		else if (port.state != PORT_ACTIVE)
			st = ST_BAD_FIELD;
	} else if (state != PORT_NOP) {
		st = ST_BAD_FIELD;
	}

	if (port.lid != old_lid || port.lmc != old_lmc)
		port_event(OHCA_EQE_TYPE_LID_CHANGE, port.lid);
	if (port.sm_lid != old_sm || port.sm_sl != old_sl)
		port_event(OHCA_EQE_TYPE_SM_CHANGE, port.sm_lid);
	if (d[51] & 0x80)
		port_event(OHCA_EQE_TYPE_CLIENT_REREG, 0);
	return st;
}

static u32 pkey_table(const u8 *in, u8 *out, u32 mod, bool set)
{
	bool changed = false;

	if (mod & 0xffff)		/* one block of 32 */
		return ST_BAD_FIELD;
	if (set)
		for (u32 i = 0; i < 32; i++) {
			u32 v = get16(in + 2 * i);

			if (v != port_pkey(i)) {
				port_set_pkey(i, v);
				changed = true;
			}
		}
	for (u32 i = 0; i < 32; i++)
		put16(out + 2 * i, port_pkey(i));
	if (changed)
		port_event(OHCA_EQE_TYPE_PKEY_CHANGE, 0);
	return 0;
}

/* Entry 0 is the port GUID and cannot be set; a GUID of 0 takes an entry away. */
static u32 guid_info(const u8 *in, u8 *out, u32 mod, bool set)
{
	bool changed = false;

	if (mod >= GID_TABLE_LEN / 8)
		return ST_BAD_FIELD;
	for (u32 i = 0; i < 8; i++) {
		u32 n = 8 * mod + i;

		if (set && n && get64(in + 8 * i) != port.guid[n]) {
			port.guid[n] = get64(in + 8 * i);
			port_write_gid(n);
			changed = true;
		}
		put64(out + 8 * i, port.guid[n]);
	}
	if (changed)
		port_event(OHCA_EQE_TYPE_GID_CHANGE, 0);
	return 0;
}

static u32 sl2vl(const u8 *in, u8 *out, bool set)
{
	if (set) {
		for (u32 sl = 0; sl < 16; sl++)
			port.sl2vl[sl] = in[sl / 2] >> (sl & 1 ? 0 : 4) & 15;
		port_set_sl2vl(port.sl2vl);
	}
	for (u32 i = 0; i < 8; i++)
		out[i] = (u8)(port.sl2vl[2 * i] << 4 | port.sl2vl[2 * i + 1]);
	return 0;
}

static u32 vl_arb(const u8 *in, u8 *out, u32 mod, bool set)
{
	u32 half = mod >> 16;
	bool high = half > 2;
	u32 base = (half & 1) ? 0 : 32;

	if (half < 1 || half > 4)
		return ST_BAD_FIELD;
	/* Nothing lies beyond the capacity in PortInfo: no upper half, and a shorter lower one. */
	if (base >= port.arb_entries)
		return ST_BAD_FIELD;
	for (u32 i = 0; i < 32; i++) {
		u32 n = base + i, v;

		if (n >= port.arb_entries)
			break;
		if (set)
			port_set_arb(high, n, in[2 * i] & 15, in[2 * i + 1]);
		v = port_arb(high, n);
		out[2 * i] = (u8)(v >> 8 & 15);
		out[2 * i + 1] = (u8)v;
	}
	return 0;
}

/* True: go on. False: drop, without a word (IBA 14.2.4). */
static bool mkey_check(const struct mad_in *in)
{
	u32 method = in->mad[MAD_METHOD];

	if (in->ignore_mkey || !port.mkey || get64(in->mad + SMP_MKEY) == port.mkey) {
		port.mkey_lease_end = 0;
		return true;
	}
	if (method == M_GET && port.mkey_protect < 2)
		return true;
	if (port.mkey_viol < 0xffff)
		port.mkey_viol++;
	if (port.mkey_lease && !port.mkey_lease_end)
		port.mkey_lease_end = hw_now() + (u64)port.mkey_lease * 1000000 * hw_cycles_per_us();
	trap_mkey(in);
	return false;
}

enum mad_result mad_process(const struct mad_in *in, u8 *out)
{
	const u8 *m = in->mad;
	u32 method = m[MAD_METHOD], attr = get16(m + MAD_ATTR), mod = get32(m + MAD_ATTR_MOD), st;
	bool set = method == M_SET, silent = false, dr = m[MAD_CLASS] == CLASS_SMP_DR;
	u8 *d = out + SMP_DATA;

	if (method & 0x80 || method == M_TRAP)
		return MAD_NONE;
	if (method == M_TRAP_REPRESS) {
		if (!mkey_check(in))
			return MAD_CONSUMED;
		for (u32 i = 0; i < TRAPS; i++)
			if (traps[i].used && traps[i].tid == get64(m + MAD_TID))
				traps[i].used = false;
		return MAD_CONSUMED;
	}
	if (method != M_GET && method != M_SET)
		return MAD_NONE;
	if (attr == ATTR_SM_INFO)
		return MAD_NONE;
	if (!mkey_check(in))
		return MAD_CONSUMED;

	copy(out, m, MAD_BYTES);
	out[MAD_METHOD] = M_GET_RESP;

	put64(out + SMP_MKEY, 0);
	/* Sets look at the request's data, so the answer's is cleared only where an attribute fills it. */
	zero(d, 64);
	if (m[MAD_CLASS_VER] != 1) {
		st = ST_BAD_VERSION;
	} else {
		switch (attr) {
		case ATTR_NODE_DESC:
			st = set ? ST_BAD_METHOD_ATTR : mod ? ST_BAD_FIELD : 0;
			copy(d, port.node_desc, 64);
			break;
		case ATTR_NODE_INFO:
			st = set ? ST_BAD_METHOD_ATTR : mod ? ST_BAD_FIELD : 0;
			get_node_info(d);
			break;
		case ATTR_PORT_INFO:
			st = (mod & 0xff) > 1 ? ST_BAD_FIELD : 0;
			if (!st && set)
				st = set_port_info(m + SMP_DATA, &silent, dr && m[MAD_HOP_CNT]);
			/* A Set has proved to know the key. */
			get_port_info(d, set || in->ignore_mkey || port.mkey_protect != 1 || get64(m + SMP_MKEY) == port.mkey);
			if (set && m[SMP_DATA + 51] & 0x80)
				d[51] |= 0x80;		/* o14-12.2.1 */
			break;
		case ATTR_GUID_INFO:
			st = guid_info(m + SMP_DATA, d, mod, set);
			break;
		case ATTR_PKEY_TABLE:
			st = pkey_table(m + SMP_DATA, d, mod, set);
			break;
		case ATTR_SL2VL:
			st = sl2vl(m + SMP_DATA, d, set);
			break;
		case ATTR_VL_ARB:
			st = vl_arb(m + SMP_DATA, d, mod, set);
			break;
		default:
			st = ST_BAD_METHOD_ATTR;
		}
	}
	put16(out + MAD_STATUS, st | (dr ? ST_DR_D : 0));
	return silent ? MAD_CONSUMED : MAD_REPLY;
}

/* Traps that had to wait go out at once; a new subnet manager hears them again. */
void sma_port_active(void)
{
	u64 now = hw_now();

	for (u32 i = 0; i < TRAPS; i++)
		if (traps[i].used) {
			traps[i].next = now;
			traps[i].tries = 0;
		}
}
