/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/* The port's management state, shared by port.c, sma.c and pma.c. */
#ifndef OHCA_FW_SMA_H
#define OHCA_FW_SMA_H

#include "hw.h"

enum { PORT_DOWN = 1, PORT_INIT = 2, PORT_ARMED = 3, PORT_ACTIVE = 4 };

#define CAP_IS_SM (1u << 1)

struct port {
	u8 state, mtu, oper_vls, vl_cap;	/* oper_vls, vl_cap: PortInfo codes */
	u8 lmc, sm_sl, vl_high_limit, subnet_timeout;
	u16 lid, sm_lid, mkey_lease, mkey_viol, pkey_viol, qkey_viol, speed;
	u8 width, mkey_protect, width_enabled, speed_enabled, ext_speed_enabled, down_default, phy_err_thr, overrun_thr;
	u64 mkey, gid_prefix, mkey_lease_end;
	bool is_sm;
	u32 time_scale, smp_psn, event_mask;
	u8 sl2vl[16];
	u8 node_desc[64];
};

extern struct port port;

/* port.c */
void port_apply(void);
void port_set_state(u32 state);
void port_bounce(void);
void port_event(enum ohca_eqe_type type, u32 param);
u32 port_pkey(u32 i);
void port_set_pkey(u32 i, u32 pkey);
u64 port_cnt(u32 n);
void port_set_sl2vl(const u8 *t);
u32 port_arb(bool high, u32 i);
void port_set_arb(bool high, u32 i, u32 vl, u32 weight);
void smp_send(u32 slid, u32 dlid, const u8 *mad);

/* sma.c */
void sma_init(void);
void sma_poll(void);
u64 sma_next(void);
void sma_link_events(u32 sticky);
void sma_set_sm(bool is_sm);
void sma_set_node_desc(const u8 *desc);
u32 sma_cap_mask(void);
u32 sma_width_code(u32 lanes);

#endif
