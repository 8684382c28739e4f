/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * The fabric: N adapters and the links between them under one clock.
 * fabric_step() is one cycle of everything; fabric_advance() is several, where
 * adapters that have work run side by side in threads for as long as nothing
 * that one sends can reach another (wire_ahead()).  What comes out does not
 * depend on the number of threads.  When nothing moves, fabric_idle_until()
 * says how far the clock may jump, and fabric_skip() jumps.
 */
#ifndef OHCA_SIM_FABRIC_H
#define OHCA_SIM_FABRIC_H

#include "fault.h"
#include "host_native.h"
#include "model.h"
#include "pcapng.h"
#include "wire.h"

#define FABRIC_MAX_NODES 32

enum topology { TOPO_NONE, TOPO_P2P, TOPO_LOOPBACK, TOPO_SWITCH };

struct fabric_config {
	unsigned nodes;
	enum topology topology;		/* P2P joins nodes 0-1, 2-3, … */
	unsigned clock_mhz;
	unsigned strap_mhz;		/* what the adapters are told of it (strap_mhz_i), 0: the truth */
	double rate_gbps;		/* 0: what DataWidth carries, at most 100 */
	unsigned link_latency, train_cycles;
	unsigned switch_ports;		/* 0: one per node */
	unsigned switch_lanes;		/* data VLs of the switch: 1, 2, 4, 8 or 15 */
	struct axi_host_cfg axi;	/* data_width is here */
	const char *firmware, *trace, *record;
	uint64_t seed;
	unsigned threads;		/* of fabric_advance(): 0 and 1 are the caller's own */
	bool choose_threads;		/* one or all of them, whichever is faster now */
	struct fault *faults;
	struct pcapng *pcap;
	ohca_model_create_fn create;	/* NULL: ohca_model_create */
};
void fabric_config_default(struct fabric_config *c, unsigned nodes, unsigned data_width);

/* What sits at one end of a link. */
struct link_end {
	bool present;			/* drives the medium: not in reset, not retraining */
	struct node *node;		/* NULL: a switch port, or an uplink */
	void (*sink)(void *ctx, struct packet *p);	/* of an uplink: takes what arrives */
	void *ctx;
};

struct link {
	struct wire w[2];		/* w[0]: from end 0 to end 1 */
	struct link_end end[2];
	bool up;
	uint64_t up_at;			/* when training ends; UINT64_MAX: an end is away */
	uint64_t downs;
	unsigned port;			/* of the switch; 0: no switch at end 1 */
};

struct node_stats { uint64_t cycles, core_cycles, slept, tx_beats, rx_beats, tx_gaps, tx_bad_keep, skips; };

struct recorder;

struct node {
	unsigned idx;
	char name[16];
	struct ohca_model *model;
	struct ohca_host host;
	struct ohca_in in;
	struct ohca_out out;
	struct link *link;		/* NULL: the port has no cable */
	unsigned end;
	struct wire *tx, *rx;
	struct packet *tx_pkt, *rx_pkt;
	struct packet *sent, **sent_end;	/* whole packets that are not on the wire yet */
	uint32_t rx_off;
	int64_t tx_credit, rx_credit;	/* 16.16 bytes */
	bool rx_abort;
	unsigned quiet_cycles;
	uint64_t expect_now;		/* the device's clock, if it keeps step; 0: unknown */
	uint64_t slept;			/* cycles that it has not been given yet: it is idle */
	struct node_stats st;
	struct recorder *rec;
};

struct ib_switch;
struct thread_pool;

struct fabric {
	struct fabric_config cfg;
	uint64_t cycle, stepped;	/* virtual time; cycles really simulated; */
	uint64_t shared;		/*   of these in several threads */
	struct node node[FABRIC_MAX_NODES];
	unsigned nodes, links;
	struct link link[2 * FABRIC_MAX_NODES];
	struct ib_switch *sw;
	struct thread_pool *pool;
	struct node *busy[FABRIC_MAX_NODES];	/* of the cycles that run now */
	unsigned ahead, chunk;		/* cycles: at most, and now */
	uint64_t skip;
	unsigned beat;
	uint8_t phy_width;
	uint16_t phy_speed;
};

/* NULL after a message if a model or file cannot be had */
struct fabric *fabric_create(const struct fabric_config *cfg);
void fabric_destroy(struct fabric *f);
void fabric_step(struct fabric *f);
/* `cycles` cycles.  Where threads are allowed, what the hosts' interfaces call back
 * (ends of reads, interrupts) comes in any of them, for one adapter from one at a time. */
void fabric_advance(struct fabric *f, unsigned cycles);
/* The cycle of the next event if nothing moves now; f->cycle if something
 * does; UINT64_MAX if there is no event at all. */
uint64_t fabric_idle_until(const struct fabric *f);
/* A cable from the next free port to an uplink: `sink` gets what leaves
 * the fabric, and what the uplink sends goes to the wire that is returned
 * (wire_send_now).  NULL after a message if no port is free. */
struct wire *fabric_attach_uplink(struct fabric *f, void (*sink)(void *ctx, struct packet *p),
				   void *ctx);
/* Jump; only to a cycle <= fabric_idle_until(). */
void fabric_skip(struct fabric *f, uint64_t to);
void fabric_flush(struct fabric *f);	/* captures and waveforms to disk */
static inline double fabric_ns(const struct fabric *f)
{
	return (double)f->cycle * 1000.0 / f->cfg.clock_mhz;
}

/* For native hosts: run until done() says so or `cycles` of virtual time have
 * passed, jumping over idle times; true if done() did. */
bool fabric_run(struct fabric *f, uint64_t cycles, bool (*done)(void *ctx), void *ctx);
/* Register access that lets time pass; false on a time-out. */
bool fabric_read(struct fabric *f, unsigned node, uint32_t off, void *data, unsigned len);
bool fabric_write(struct fabric *f, unsigned node, uint32_t off, const void *data, unsigned len);
uint32_t fabric_read32(struct fabric *f, unsigned node, uint32_t off);
uint64_t fabric_read64(struct fabric *f, unsigned node, uint32_t off);
void fabric_write32(struct fabric *f, unsigned node, uint32_t off, uint32_t v);
void fabric_write64(struct fabric *f, unsigned node, uint32_t off, uint64_t v);

#endif
