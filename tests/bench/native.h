/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * What the files of the benchmark share: native.c has main() and the figures, load.c the adapters' pins, their queue pairs and the load, attackers.c isolation.
 * Times are device cycles. What cannot go on (no memory of the host left, a command that fails) ends the process with a message.
 */
#ifndef BENCH_NATIVE_H
#define BENCH_NATIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "ohv.h"

#define MR_LEN (1u << 20)
#define QPN0 4096u			/* those below have contexts that ohv.c has mapped */
#define RING_LOG 6			/* WQEs of 64 bytes: one page a QP … */
#define DEEP_LOG 8			/* … and four for the first ones, which have to cover the round trip alone */

/* ------------------------------------------------------------------ load.c: pins */

enum { W_PAYLOAD, W_CQE, W_OTHER, W_KINDS };

struct pins {				/* of one node; counters since the last clear */
	void (*step)(struct ohca_model *m, const struct ohca_in *in, struct ohca_out *out);
	uint64_t dst_lo, dst_hi, cq_lo, cq_hi;
	struct { uint8_t kind; } aw[256];
	unsigned aw_head, aw_n;
	uint32_t mmio_addr;
	bool tx_in, rx_in;		/* inside a packet */

	uint64_t cycles /* stepped */, w_bytes[W_KINDS], w_beats, w_stall, r_beats, r_stall, ar, reads_out;
	uint64_t tx_beats, tx_bytes, tx_packets, tx_limited, tx_gap, rx_beats, rx_packets, db;
	/* cycle of the latest, and of the first since they were cleared (0: none) */
	uint64_t t_db, t_tx_first, t_tx_last, t_rx_first, t_rx_last, t_w_first, t_w_last, t_cqe, t_ar_first;
};

extern struct fabric *fab;
extern struct pins pin[2];
extern struct ohv_dev *dev[2];

/* Stands in the place of a model's step(): one cycle, counted in `pin`. */
void hook(struct ohca_model *m, const struct ohca_in *in, struct ohca_out *out);
/* Clears the counters of both nodes' pins. */
void clear_counts(void);

/* ------------------------------------------------------------------ load.c: queue pairs */

struct bq {				/* a QP of the benchmark */
	struct ohv_qp q;
	uint64_t sq_page[1 << (DEEP_LOG - RING_LOG)], rq_page[1];
	uint32_t posted, done;		/* send WQEs, as counted by their completions */
	uint32_t recvs;			/* receive WQEs that wait */
	uint64_t walked;		/* bytes of the region that were posted */
};

extern struct bq *qp[2];
extern unsigned nqp;
extern struct ohv_mr src[2], dst[2];

/* Regions of 32 MiB to walk through, each twice what the MTT cache holds: the pages of src and dst over and over. */
#define WALK_VA (1ull << 40)
#define WALK_PAGES (1u << 13)
extern uint32_t walk_src[2], walk_dst[2];	/* keys */
extern struct ohv_cq *scq[2], *rcq[2];
extern unsigned errors;			/* completions with an error since a load began; `why` tells the first */
extern char why[800];			/* why a figure failed */
extern uint64_t icm_at[2];		/* where the contexts of QPs from QPN0 on are */
extern void (*attack)(void);		/* what goes on beside, in every cycle */

/* Makes n connected RC QPs of each node, `qp` and `nqp`; needs `dev`, `scq` and `rcq`. */
void make_qps(unsigned n);

/* ------------------------------------------------------------------ load.c: a load */

struct load {
	unsigned op;			/* OHCA_WR_OP_* */
	uint32_t size;
	unsigned qps, depth, batch;	/* WQEs of a QP not complete; of them one doorbell and one signal per batch */
	unsigned total;			/* bound of all QPs together, 0: none */
	unsigned pace;			/* cycles from one batch to the next, 0: as fast as it goes */
	bool both, inl, random, push;
	bool walk;			/* data lies one behind the other in regions that the translation caches cannot hold */
};

extern struct run {			/* the load that runs */
	const struct load *l;
	bool stop;
	uint32_t out[2];
	unsigned next[2];
	uint64_t due[2];
} run_;

extern struct pins win[2];		/* the pins at the end of run_load()'s window, which they count */
extern double win_cpu;			/* seconds of processor time that it took */

/* Posts one batch of run_.l by QP number i of this node, and rings. */
void post_batch(unsigned side, unsigned i);
/* Fills the receive queue of QP number i of this node up to 128 WQEs, each of MR_LEN bytes. */
void post_recvs(unsigned side, unsigned i);
/* Warms up for so many cycles, measures so many in `win`, lets everything end and compares the data; false with `why` on an error. */
bool run_load(const struct load *l, uint64_t warm, uint64_t window);
/* Writes into to[n] " nodeN.NAME=COUNT" of all that the adapters counted and a run without faults should not show; empty if nothing. */
void trouble(char *to, size_t n);
/* Processor time of this process in seconds. */
double cpu_now(void);

/* ------------------------------------------------------------------ native.c */

extern FILE *json;
extern unsigned width;			/* -w, bits */
extern const char *only;		/* -n: this figure, in this process (for waveforms and debuggers) */
extern double stretch;			/* -x: windows are so many times as long */

/* What the gate needs, from the processes that measure. 0: not measured. */
struct gate {
	double goodput[3], rate[2];	/* WRITE, READ, SEND; by doorbell, pushed */
	double random[2];		/* the same of more QPs than any cache holds */
	double touch;			/* goodput of WRITEs to and from pages that nothing touched before */
	int64_t to_wire, to_host, to_cqe;
	double alone[3];		/* victims of isolation() without an attacker */
};
extern struct gate *gate;

/* Begins a figure in a process of its own: true there; false where it is not wanted, or has ended, and *out counts those that wrote JSON. */
bool figure_begin(unsigned *out, const char *name);
/* Ends that process, with status 1 if a result was not ok; does not return. */
void figure_end(void);
/* Prints "ok NAME", or "not ok NAME" with `why`, which makes the figure fail. */
void result(bool ok, const char *name);
/* Order of two int64_t, for qsort(). */
int cmp_int64(const void *a, const void *b);

/* ------------------------------------------------------------------ attackers.c */

extern unsigned iso_part;		/* -i: the part of the windows and numbers that is taken */

/* All attackers by all victims: a table, a result each, and "isolation" in JSON; ends the process if victims fail without an attacker. */
void isolation(void);

#endif
