/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/* The port's management state, shared by port.c, sma.c and pma.c. */
#ifndef OHCA_FW_SMA_H
#define OHCA_FW_SMA_H

#include "hw.h"

/* PortInfo.PortState and PortPhysicalState */
enum { PORT_NOP = 0, PORT_DOWN = 1, PORT_INIT = 2, PORT_ARMED = 3, PORT_ACTIVE = 4 };
enum { PHYS_NOP = 0, PHYS_SLEEP = 1, PHYS_POLLING = 2, PHYS_DISABLED = 3, PHYS_LINK_UP = 5 };

#define NEVER (~0ull)		/* a time */

#define CAP_IS_SM (1u << 1)
#define CAP_DEVICE_MGMT (1u << 19)
#define CAP_HOST (CAP_IS_SM | CAP_DEVICE_MGMT)	/* what software on the host says of itself */
#define CAP_CM_SUP (1u << 16)

struct port {
	/* What the hardware has */
	u8 num_vl, arb_entries;
	u8 width;			/* lanes */
	u16 speed;			/* 0.1 Gb/s a lane */
	bool link_up;
	bool eth;			/* Ethernet port */
	/* State */
	u8 state;
	bool disabled;			/* by PortPhysicalState: stays down until Polling is set */
	u64 retrain_at;			/* SM's Down: SMPs still go out until then; all ones = none */
	u64 recheck_at;			/* look whether a retrained link is up; all ones = no */
	/* PortInfo, as codes */
	u8 mtu, oper_vls, lmc, sm_sl, vl_high_limit, subnet_timeout, mcast_trap;
	u8 width_enabled, speed_enabled, ext_speed_enabled, down_default, phy_err_thr, overrun_thr;
	u16 lid, sm_lid;
	u64 gid_prefix;
	u64 mkey, mkey_lease_end;	/* lease_end: cycle, 0 = no lease runs */
	u16 mkey_lease, mkey_viol;
	u8 mkey_protect;
	u64 pkey_base, qkey_base;	/* hardware counts at the last clearing */
	u32 host_caps;			/* of CAP_HOST */
	/* Link health */
	u32 link_downed, integrity_errs, overrun_errs;	/* since reset; pma.c subtracts */
	u64 integrity_seen, integrity_start, overrun_start;
	u32 overrun_periods;
	/* Tables kept here because the hardware cannot be asked */
	u64 guid[OHCA_PORT_GIDS];
	u8 sl2vl[16];
	u8 node_desc[64];
	u32 time_scale, fc_period, smp_psn, event_mask;
	u16 time_speed;			/* lane speed that fc_period was worked out for */
};

extern struct port port;

/* port.c */
void port_apply(void);
void port_set_state(u32 state);
/* SM's Down: the port is down now, the link is trained again when the answer is out. stay: it does not come up by itself. */
void port_bounce(bool stay);
void port_event(enum ohca_eqe_type type, u32 param);
u32 port_phys_state(void);
u32 port_pkey(u32 i);
void port_set_pkey(u32 i, u32 pkey);
u32 port_pkey_viol(void);
u32 port_qkey_viol(void);
u64 port_cnt(u32 n);
void port_set_sl2vl(const u8 *t);
u32 port_arb(bool high, u32 i);
void port_set_arb(bool high, u32 i, u32 vl, u32 weight);
/* Entry i of the GID table from port.guid[i] and the prefix. */
void port_write_gid(u32 i);
u8 port_vl_cap(void);
/* Train the link again; the port comes up when it is. */
void port_train(void);
/* Send an SMP from QP0 to QP0. False: the link took too long, it is lost. */
bool smp_send(u32 slid, u32 dlid, u32 sl, const u8 *mad);

/* eth.c */
enum ohca_cmd_status eth_set_mode(bool on);
void eth_clear(void);
bool nic_stop(void);
/* Entry i of the GID table is one that RoCEv2 packets can leave from. */
bool eth_gid_usable(u32 i);
void eth_gid(u32 i, u32 *out);

/* sma.c */
void sma_init(void);
void sma_poll(void);
u64 sma_next(void);
/* Trap 129, 130 or 131. */
void sma_link_trap(u32 num);
void sma_set_caps(u32 set, u32 clear);
void sma_set_node_desc(const u8 *desc);
u32 sma_cap_mask(void);
u32 sma_width_code(u32 lanes);
/* Traps that had to wait go out. */
void sma_port_active(void);

#endif
