/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/* What the forwarding and the management halves of the switch share. */
#ifndef OHCA_SIM_SWITCH_PRIV_H
#define OHCA_SIM_SWITCH_PRIV_H

#include "switch.h"

#define SW_LIDS		0xc000		/* linear forwarding table */
#define SW_MLIDS	1024		/* multicast forwarding table */
#define SW_VLS		16		/* 15 is management */
#define SW_ETH		16		/* output queue of Ethernet frames */
#define SW_QUEUES	17
#define SW_PKEYS	32

enum port_state { PS_DOWN = 1, PS_INIT = 2, PS_ARMED = 3, PS_ACTIVE = 4 };
enum phys_state { PHYS_SLEEP = 1, PHYS_POLLING = 2, PHYS_DISABLED = 3, PHYS_LINKUP = 5 };

/* A place in a receive buffer, held until all copies of its packet have left. */
struct inbuf { unsigned refs, port, vl, blocks; };

struct swpkt {
	struct swpkt *next;
	struct packet *p;
	struct inbuf *in;		/* NULL: made here, or VL15, or Ethernet */
	uint64_t ready, dead;		/* may leave from, is thrown away at */
};

struct swqueue { struct swpkt *head, *tail; unsigned count; uint32_t bytes; };

struct vlarb { uint8_t vl, weight; };

struct swport {
	struct wire *rx, *tx;
	bool *present;
	bool link;			/* the physical link is up */
	uint64_t bounce_until;		/* kept down until then */
	bool disabled;
	bool eth;			/* Ethernet frames have come: no flow-control packets */

	/* PortInfo, as the subnet manager sets it */
	enum port_state state;
	uint8_t link_down_default, neighbor_mtu, oper_vls, vl_high_limit, hoq_life, vl_stall;
	uint8_t part_enf, phys_err, overrun_err, width_enabled, speed_enabled, ext_enabled;
	uint8_t sl2vl[SWITCH_MAX_PORTS + 1][16];	/* by input port */
	struct vlarb high[64], low[64];
	uint16_t pkey_viol;

	/* credits */
	uint16_t tx_sent[SW_VLS], tx_limit[SW_VLS];	/* FCTBS, FCCL of the peer */
	uint16_t abr[SW_VLS], used[SW_VLS];
	uint16_t fc_told[SW_VLS];			/* FCCL last sent */
	uint32_t fc_force;				/* lanes that must send one */
	uint64_t fc_last, fc_period_at;

	struct swqueue q[SW_QUEUES];
	uint32_t nonempty;
	/* arbitration */
	unsigned hi_i, lo_i;
	int hi_left, lo_left;
	unsigned hi_sent;
	struct switch_port_stats st;
	struct switch_port_stats zero;	/* PortCounters and PortCountersExtended: values when last cleared */
};

struct ib_switch {
	unsigned ports, lanes, clock_mhz;
	uint8_t vl_cap;			/* code */
	unsigned buf_blocks;		/* per lane */
	uint64_t rate;			/* bytes per cycle, 16.16 */
	uint8_t width, speed, speed_ext;
	uint64_t now;
	struct rng rng;
	struct swport port[SWITCH_MAX_PORTS + 1];	/* 0: management */

	/* port 0 */
	uint64_t guid, mkey, gid_prefix;
	uint16_t lid, sm_lid, lease, mkey_viol;
	uint8_t lmc, sm_sl, mkey_protect, subnet_timeout, client_rereg, resp_time;
	uint64_t mkey_lease_at;		/* protection ends then; 0: not running */
	char node_desc[64];
	uint16_t lin_top, mcast_top;
	uint8_t def_port, def_mcast_pri, def_mcast_not, life_time;
	bool state_change;
	uint8_t lft[SW_LIDS];
	uint64_t mft[SW_MLIDS];		/* port mask */
	uint16_t pkey[SW_PKEYS];

	/* trap 128, repeated until it is repressed */
	unsigned trap_left;
	uint64_t trap_at, trap_tid;
	uint16_t trap_count;

	/* Ethernet */
	struct { uint8_t mac[6]; uint8_t port; } fdb[256];
};

static inline unsigned sw_lanes(uint8_t code)
{
	return code >= 5 ? 15 : code ? 1u << (code - 1) : 0;
}
static inline unsigned mtu_bytes(uint8_t code)
{
	return code >= 1 && code <= 5 ? 128u << code : 256;
}

/* switch.c */
void sw_set_state(struct ib_switch *s, unsigned port, enum port_state st);
void sw_bounce(struct ib_switch *s, unsigned port, bool disable);
/* Sends a packet made here out of a port (VL15 or data lane); takes it. */
void sw_emit(struct ib_switch *s, unsigned port, struct packet *p);
/* The port a unicast LID leads to; -1: nowhere. */
int sw_route(const struct ib_switch *s, uint16_t lid);

/* switch_sma.c: a management datagram for this switch or to be passed on by
 * directed route; takes the packet. */
void sw_smp(struct ib_switch *s, unsigned in, struct packet *p);
void sw_gmp(struct ib_switch *s, unsigned in, struct packet *p);
void sw_trap(struct ib_switch *s);	/* sends trap 128 if there is somebody to tell */

#endif
