/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * Verbs for tests that drive the Verilated adapter natively, without guest or driver: one process holds the fabric and plays
 * the host of every node.  What the kernel driver and the provider do is done here in the plainest way, so it also serves as
 * a small reference of the programming model.
 *
 * Host memory of a node is one flat region at OHV_IOVA. Every call that needs the adapter lets virtual time pass. Calls end
 * with a message and exit(1) when the adapter does not answer, unless they return a status.
 */
#ifndef OHV_H
#define OHV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fabric.h"
#include "ohca_fmt.h"

#define OHV_IOVA 0x100000000ull
#define OHV_PAGE 4096u
#define OHV_RESERVED_KEY 0xffu		/* of the kernel's QPs: addresses are bus addresses */

struct ohv_dev {
	struct fabric *f;
	unsigned node;
	uint8_t *mem;
	size_t mem_len, mem_used;
	uint64_t mbox_in, mbox_out;	/* bus addresses */
	uint32_t *eq;
	uint32_t eq_ci, eq_log;
	uint32_t irqs[32];		/* interrupts seen, by vector */
	uint32_t arms[256];		/* where EQ 0 stood when it was armed, of each arm that no interrupt has answered yet */
	uint64_t arm_at[256];		/* the cycle of the arm, or in which its entry was taken */
	unsigned num_arms;
	uint32_t token;
	uint64_t mpt_off, mtt_off;	/* context memory, flat offset of the tables' start */
	uint32_t next_cqn, next_qpn, next_mpt, next_mtt;
	uint32_t ring_page;		/* page_shift of the rings that are made */
	uint64_t icm_base;		/* bus address of chunk 0: all chunks are contiguous here */
	uint16_t lid;
	uint32_t caps;
	bool push;			/* use the push buffers where it is possible */
	bool kernel;			/* QPs that are created are the kernel's: they may use the reserved key */
	uint32_t push_buf;
	uint64_t rng;
	uint64_t next_dbr;		/* if set: where the next QP's doorbell record is said to be */
};

/* Ports are Ethernet ports (RoCEv2). A "LID" then stands for a station: its MAC, two IPv4 and two IPv6 addresses, one of each in a VLAN. */
extern bool ohv_roce;
#define OHV_VLAN 100
/* Address n of a station: bit 0 IPv6, bit 1 in the VLAN; a QP uses number (own QPN + peer's QPN) & 3. */
void ohv_station_gid(uint16_t lid, unsigned n, uint8_t *gid);

struct ohv_mr {
	struct ohv_dev *d;
	uint64_t va, len;
	uint32_t key, mpt, npages;
	uint64_t *page;			/* bus address of each page */
};

struct ohv_cq {
	struct ohv_dev *d;
	uint32_t cqn, log, ci;
	uint32_t base;			/* index with which this ring began */
	struct ohv_mr ring;		/* pages only */
	uint64_t dbr;
};

struct ohv_qp {
	struct ohv_dev *d;
	uint32_t qpn, qtype, psn;
	uint32_t sq_log, sq_stride, rq_log, rq_stride;	/* logarithms */
	uint32_t sq_pi, rq_pi;
	struct ohv_mr sq, rq;
	uint64_t dbr;
	struct ohv_cq *scq, *rcq;
};

struct ohv_sge {
	uint64_t addr;
	uint32_t len, key;
};

struct ohv_av {
	uint16_t dlid;
	uint8_t sl, sgid_index, hop_limit, path_bits;
	bool grh, keep_sl;		/* keep_sl: on an Ethernet port too; else QPs take all priorities in turn */
	uint8_t dgid[16];
};

/* The 40 bytes of layout av at dst; which: the station's address (RoCEv2). */
void ohv_av_fill(void *dst, const struct ohv_av *a, unsigned which, uint32_t qpn, uint32_t dqpn);

struct ohv_wr {
	uint32_t op;			/* enum ohca_wr_op */
	bool signaled, solicited, fence, inl;
	const struct ohv_sge *sge;
	unsigned nsge;
	const void *data;		/* inline */
	uint32_t len;			/* inline */
	uint64_t raddr;
	uint32_t rkey, imm;
	/* datagrams */
	struct ohv_av av;
	uint32_t dqpn, qkey;
	uint16_t pkey_index;
	bool vl15, slid_permissive, csum;
};

struct ohv_qp_attr {
	uint32_t dqpn, sq_psn, rq_psn, mtu;	/* enum ohca_mtu */
	uint32_t timeout, retry, rnr_retry, min_rnr, max_rd, max_dest_rd;
	uint32_t qkey, access;			/* access: bit 0 write, 1 read */
	struct ohv_av av;
};

/*
 * Host memory with no more order than AXI gives (sim/axi_host.h), and back-pressure on all channels, by the seed in *cfg, which is set
 * before; says so on a line "# bus …". steady: delays of one kind all the time, for tests that compare times.
 * OHCA_BUS=plain in the environment: the friendly memory of the benchmark.
 */
void ohv_bus(struct fabric_config *cfg, bool steady);
/*
 * Lets what the adapters have written until now be seen. A requester's completion says that the responder has taken the data, not that it
 * can be seen in the responder's memory already; only what comes behind it there (a receive's completion, a READ) says that.
 */
void ohv_settle(struct fabric *f);
/* Open the adapter: wait for firmware, give memory, initialise, create EQ 0. */
struct ohv_dev *ohv_open(struct fabric *f, unsigned node, size_t mem_bytes);
void ohv_close(struct ohv_dev *d);
/* Page-aligned (align >= 4096) or smaller pieces of host memory: the bus address. */
uint64_t ohv_alloc(struct ohv_dev *d, size_t bytes, size_t align);
void *ohv_ptr(struct ohv_dev *d, uint64_t bus);

/* A command; in and out are dword counts of the mailboxes. Returns the status, imm may be NULL. */
int ohv_cmd(struct ohv_dev *d, unsigned op, uint32_t in_mod, unsigned op_mod, const void *in, unsigned in_dw, void *out,
	    unsigned out_dw, uint32_t *imm);

/* Port: bring it up without a subnet manager, through MAD_IFC; or make an Ethernet port of it, with addresses. */
void ohv_port_up(struct ohv_dev *d, uint16_t lid);
/* Ethernet: pauses of all priorities are heeded and, with `send`, sent, at the fill levels of the whole buffer that the driver chooses. */
void ohv_pauses(struct ohv_dev *d, bool send);
/* Ethernet, two nodes: as if `from` paused one priority of the other for so many quanta. */
void ohv_pause_frame(struct fabric *f, unsigned from, unsigned prio, unsigned quanta);
/* InfiniBand: which VL each SL uses. */
void ohv_sl2vl(struct ohv_dev *d, const uint8_t map[16]);
unsigned ohv_port_state(struct ohv_dev *d);
/* After all ports: bringing one up may have taken the link away from the other for a moment. */
void ohv_port_wait(struct ohv_dev *d);
/* A received datagram and the 40 bytes before it say that it came from `lid` to this node. */
bool ohv_ud_from(const struct ohv_dev *d, const struct ohca_cqe *e, const uint8_t *grh, uint16_t lid);

/* Memory: len bytes at virtual address va on pages in random order. access: MPT bits acc_lw.. as 1 lw, 2 rw, 4 rr. */
struct ohv_mr *ohv_reg(struct ohv_dev *d, uint64_t va, uint64_t len, unsigned access);
int ohv_dereg(struct ohv_mr *m);
void ohv_write(struct ohv_mr *m, uint64_t off, const void *p, size_t n);
void ohv_read(const struct ohv_mr *m, uint64_t off, void *p, size_t n);

struct ohv_cq *ohv_create_cq(struct ohv_dev *d, unsigned log);
/* Another ring, to which what is unread is taken along; the status. */
int ohv_resize_cq(struct ohv_cq *c, unsigned log);
int ohv_modify_cq(struct ohv_cq *c, unsigned count, unsigned period);
/* One completion if there is one; the entry is copied out. */
bool ohv_poll(struct ohv_cq *c, struct ohca_cqe *out);
/* Let time pass until there is one, at most `cycles`. */
bool ohv_wait(struct ohv_cq *c, struct ohca_cqe *out, uint64_t cycles);
void ohv_arm(struct ohv_cq *c, bool solicited);
/* Next event of EQ 0, if any. */
bool ohv_event(struct ohv_dev *d, struct ohca_eqe *out);
void ohv_arm_eq(struct ohv_dev *d);

struct ohv_qp *ohv_create_qp(struct ohv_dev *d, unsigned qtype, struct ohv_cq *scq, struct ohv_cq *rcq, unsigned sq_log,
			     unsigned rq_log, unsigned rq_stride);
int ohv_modify(struct ohv_qp *q, unsigned state, uint32_t mask, const struct ohv_qp_attr *a);
/* RESET to RTS with one call; 0 or the failing command's status */
int ohv_connect(struct ohv_qp *q, const struct ohv_qp_attr *a);
/* Into or out of a group; the status. On Ethernet ports an address vector with a DLID from 0xc000 on is one of the group that its dgid says. */
int ohv_mcast(struct ohv_qp *q, const uint8_t *mgid, bool attach);
int ohv_query_state(struct ohv_qp *q);
int ohv_destroy_qp(struct ohv_qp *q);
void ohv_post_send(struct ohv_qp *q, const struct ohv_wr *wr);		/* writes the WQE */
void ohv_ring(struct ohv_qp *q);					/* and tells the adapter */
/* A key of the same region's entry that is not its own (x is not 0), nor the one that ends a list of receives, which no region has */
static inline uint32_t ohv_wrong_key(uint32_t key, uint8_t x)
{
	return (key ^ x) != OHCA_INVALID_LKEY ? key ^ x : key ^ x ^ (x == 1 ? 2 : 1);
}
void ohv_post_recv(struct ohv_qp *q, const struct ohv_sge *sge, unsigned nsge);

uint64_t ohv_rand(struct ohv_dev *d);
void ohv_fail(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));

#endif
