/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * What two connected adapters must do, message by message: no packets, no time, no rings. Work requests of a queue pair are
 * executed in order, each at once; one that needs a receive waits for it. The result is what every byte of registered
 * memory must be and which completions must come, in which order.
 *
 * It knows nothing of the adapter but the numbers of formats/; keys, bounds, access and statuses follow the IBA rules as
 * docs/architecture.md has them.
 */
#ifndef MODEL_H
#define MODEL_H

#include "ohv.h"

#define MODEL_MRS 16
#define MODEL_SGE 14

enum { MODEL_LW = 1, MODEL_RW = 2, MODEL_RR = 4 };		/* access of a memory region, as for ohv_reg */
enum { MODEL_QP_WRITE = 1, MODEL_QP_READ = 2 };			/* access of a queue pair, as in ohv_qp_attr */

struct model_mr {
	struct ohv_mr *mr;
	unsigned access;
	uint8_t *want;		/* what the bytes must be */
	uint8_t *any;		/* 1: not predicted (a failed message may have written here) */
};

struct model_node {
	struct model_mr mr[MODEL_MRS];
	unsigned mrs;
};

struct model_work {		/* a send or a receive that has been posted */
	struct ohv_wr wr;
	struct ohv_sge sge[MODEL_SGE];
	uint8_t data[256];
	uint32_t idx;
};

struct model_cqe {		/* a completion that must come */
	uint32_t idx, byte_len, imm;
	uint8_t status, opcode;
	bool recv, solicited, has_len, has_imm;
	struct ohv_sge sge[MODEL_SGE];	/* where data must be by then */
	unsigned nsge;
	uint32_t data_len;
};

struct model_queue {
	void *item;
	size_t size, head, tail, room;
};

struct model_qp {
	struct model_node *node;
	struct model_qp *peer;
	unsigned access;
	bool err, dead;		/* dead: nothing it sends arrives */
	bool overtaken;		/* a READ's result was refused: WRITEs behind it may have left traces */
	bool begun;		/* packets of a SEND that failed may find the peer's next receive */
	struct model_queue send, recv;		/* posted, not yet executed: model_work */
	struct model_queue scqe, rcqe;		/* to come: model_cqe */
	uint64_t messages, bytes;
};

struct model_mr *model_reg(struct model_node *n, struct ohv_mr *mr, unsigned access);
/* The host itself writes: into the adapter's memory and the model's. */
void model_put(struct model_mr *m, uint64_t off, const void *p, size_t n);
/* Take over what is there (unpredicted bytes the host has looked at). */
void model_take(struct model_mr *m, uint64_t off, size_t n);

void model_qp_init(struct model_qp *q, struct model_node *node, struct model_qp *peer, unsigned access);
void model_qp_fini(struct model_qp *q);
void model_post_send(struct model_qp *q, const struct ohv_wr *wr, uint32_t idx);
void model_post_recv(struct model_qp *q, const struct ohv_sge *sge, unsigned nsge, uint32_t idx);
/* The message at the head that waits for a receive, or for an answer, has been tried often enough. */
void model_give_up(struct model_qp *q, unsigned status);

/* The next completion of a queue, NULL if none is due; model_done() takes it away. */
const struct model_cqe *model_next(const struct model_qp *q, bool recv);
void model_done(struct model_qp *q, bool recv);
/* Does the entry say what it must, and is the data there? False: why has the difference. */
bool model_check(const struct model_qp *q, const struct model_cqe *want, const struct ohca_cqe *got, char *why, size_t why_len);
/* All registered memory of the node. */
bool model_compare(const struct model_node *n, char *why, size_t why_len);

#endif
