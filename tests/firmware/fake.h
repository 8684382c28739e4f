/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * The hardware that the management core sees, played for the firmware on the host: registers of formats/70-mgmt.toml and
 * 60-port.toml, host memory, context caches, MAD buffers. It is strict: whatever the register documentation does not allow
 * ends the test. It counts changes that the outside can see, so that "an error changes nothing" can be checked.
 */
#ifndef FAKE_H
#define FAKE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "dev.h"
#include "mad.h"
#include "port.h"
#include "qp.h"
#include "sma.h"

#define MEM_BASE 0x700000000ull
#define MEM_BYTES (48u << 20)
#define CHUNK (1u << OHCA_ICM_CHUNK_SHIFT)
#define MBOX_IN MEM_BASE
#define MBOX_OUT (MEM_BASE + 4096)
#define ICM_LOG2 11
#define GUID 0x0011223344556600ull

struct fake_pkt {
	unsigned len;
	bool to_host;
	u64 at;
	u8 b[512];
};

struct fake_ev {
	u32 hdr, num, param, eqn;
};

#define FAKE_MC_WORDS 1024

struct fake {
	u64 now;
	u32 mc[FAKE_MC_WORDS];		/* the multicast table */
	void (*on_mc)(void);		/* a dword of it was written */
	u32 time_scale;
	u32 cnps, cnp_qpn;		/* congestion notifications that wait, all for one QP */
	u32 viol[13], viol_wait;	/* the packet with a bad key that is kept; what is waited for */
	u64 changes;			/* by firmware, seen from outside */
	u8 *mem;
	/* commands */
	bool go;
	u32 cmd[8];
	unsigned done;
	u32 status, imm;
	/* events */
	struct fake_ev ev[64];
	unsigned nev;
	/* packets out */
	struct fake_pkt tx[64];
	unsigned ntx;
	unsigned tx_busy;		/* so many reads of the status say busy; ~0u: for ever */
	/* packets in */
	u8 rx[4][512];
	unsigned rx_len[4], rx_old, rx_new;
	bool rx_full[4];
	/* PHY */
	bool link_up, phy_event;
	bool phy_held, peer_up;		/* silent until told otherwise; there would be a link otherwise */
	unsigned retrains;
	unsigned drains, draining;	/* drains asked for; reads until the last is through */
	bool drain_stuck;
	unsigned mtt_invals, mtt_walks;	/* times that all translations were dropped, or those of some lines of eight entries */
	unsigned mtt_lines, mtt_first, mtt_last;	/* so many lines by the latter, and the first and the last one */
	u32 lanes, speed;
	/* port */
	u32 db_stride;			/* log2 of the distance of doorbell pages, less 12 */
	bool no_roce;			/* a build without the Ethernet port */
	bool no_cq_mod;			/* one without moderation of events */
	u32 port[1024];
	u64 cnt[32];
	u32 gid_valid;
	/* tables */
	u32 tbl_base[4], tbl_limit[4];
	u64 icm[1 << ICM_LOG2];		/* address | valid */
	u32 eqc[16][8];
	u32 status_reg, version, health;
	unsigned ndma_fail;		/* so many DMA reads fail */
	bool dma_out_ok;		/* writes to the output mailbox do not count as a change */
	unsigned dma_out_bytes;
	unsigned acc;			/* context accesses */
	/* hooks */
	void (*on_acc)(enum ohca_ctx_part part, u32 num);
};

extern struct fake fk;
extern unsigned failures;

/* Power-on: clean hardware, link down, firmware started. */
void fake_boot(void);
/* Reset of the device: registers begin anew, the firmware's RAM does not. */
void fake_soft_reset(void);
/* Let firmware run until it has nothing to do now; at most n loops. */
void fake_run(unsigned loops);
/* ... and until time t */
void fake_until(u64 t);
void fake_link(bool up);
void *fake_ptr(u64 bus);
/* A context as an engine would see it; NULL if it cannot be reached. */
u32 *fake_ctx(enum ohca_ctx_part part, u32 num);
/* The cold half of a QP's context, in host memory */
u32 *fake_cold(enum ohca_ctx_part part, u32 num);
/* No cached context may be dirty, or belong to a chunk that is not the adapter's any more. */
bool fake_cache_clean(void);
/* One command; in: dwords at the input mailbox. Returns the status. */
u32 fake_cmd(unsigned op, u32 in_mod, u32 op_mod, const void *in, unsigned in_bytes, void *out, unsigned out_bytes);
u32 fake_cmd_raw(const struct ohca_cmd_regs *r);
/* Put a packet (LRH first, without CRCs) into a MAD buffer and run. False: no buffer. */
bool fake_rx(const void *p, unsigned len);
/* The LID-routed or directed SMP in mad as a packet from slid. */
bool fake_smp(u32 slid, u32 dlid, const u8 *mad);
/* A packet with a bad key, dwords 1 to 12 of m_sys_viol, and run. True: it was kept. */
bool fake_viol(bool qkey, u32 sl, const u32 *dw);
const u8 *fake_log(void);

void fail_at(const char *file, int line, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
#define CHECK(cond) do { if (!(cond)) fail_at(__FILE__, __LINE__, "%s", #cond); } while (0)
#define EQ(a, b) do { unsigned long long a_ = (a), b_ = (b); \
	if (a_ != b_) fail_at(__FILE__, __LINE__, "%s is %#llx, expected %#llx", #a, a_, b_); } while (0)
#define BYTES(p, n, ...) do { static const u8 w_[] = { __VA_ARGS__ }; \
	_Static_assert(sizeof(w_) == (n), "length"); bytes_at(__FILE__, __LINE__, #p, p, w_, n); } while (0)
void bytes_at(const char *file, int line, const char *what, const void *p, const void *want, unsigned n);

struct test_case {
	const char *name;
	void (*run)(void);
};
extern const struct test_case cmd_cases[], sma_cases[], pma_cases[], eth_cases[], fuzz_cases[];
u64 rnd(void);
extern u64 seed;

/* Set-up shared by tests: context memory mapped, tables of 2^10 QPs and so on, EQ 0 and 1, CQ 1. */
void setup_dev(void);
u32 make_qp(u32 qpn, u32 qtype);
void qp_in_default(struct ohca_cmd_qp_in *in, u32 qtype);
u32 modify(u32 qpn, u32 to, u32 mask, const struct ohca_cmd_qp_in *in);
/* RESET to RTS */
void make_rts(u32 qpn, u32 qtype);
extern const u32 chunk_qpc, chunk_cqc, chunk_mpt, chunk_mtt;
u64 chunk_bus(u32 chunk);

#endif
