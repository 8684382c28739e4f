// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/* What `rdma resource show -dd` tells of an object beside what the core knows. */
#include <net/netlink.h>
#include <rdma/restrack.h>
#include <uapi/rdma/rdma_netlink.h>

#include "ohca.h"

struct detail {
	const char *name;
	u32 value;
};

static int put(struct sk_buff *msg, const struct detail *t, unsigned int n)
{
	struct nlattr *nest = nla_nest_start(msg, RDMA_NLDEV_ATTR_DRIVER);

	if (!nest)
		return -EMSGSIZE;
	for (; n; n--, t++) {
		if (rdma_nl_put_driver_u32(msg, t->name, t->value)) {
			nla_nest_cancel(msg, nest);
			return -EMSGSIZE;
		}
	}
	nla_nest_end(msg, nest);
	return 0;
}

/* Of a ring in one piece 0: it has none */
static u32 page_bytes(const struct ohca_pages *mtt)
{
	return mtt->count ? 1u << mtt->shift : 0;
}

int ohca_fill_res_qp(struct sk_buff *msg, struct ib_qp *ibqp)
{
	const struct ohca_qp *qp = to_qp(ibqp);
	const struct detail t[] = {
		{ "doorbell_page", qp->uar },
		{ "sq_entries", 1u << qp->sq.log },
		{ "sq_entry_bytes", 1u << qp->sq.log_stride },
		{ "rq_entries", 1u << qp->rq.log },
		{ "rq_entry_bytes", 1u << qp->rq.log_stride },
		{ "send_cqn", to_cq(ibqp->send_cq)->cqn },
		{ "recv_cqn", to_cq(ibqp->recv_cq)->cqn },
		{ "sq_translations", qp->sq.mtt.count },
		{ "sq_page_bytes", page_bytes(&qp->sq.mtt) },
		{ "rq_translations", qp->rq.mtt.count },
		{ "rq_page_bytes", page_bytes(&qp->rq.mtt) },
		{ "error_seen", READ_ONCE(qp->in_err) },
		/* of the kernel's own; processes keep theirs to themselves */
		{ "sq_outstanding", qp->priv ? READ_ONCE(qp->sq.head) - READ_ONCE(qp->sq.tail) : 0 },
		{ "rq_outstanding", qp->priv ? READ_ONCE(qp->rq.head) - READ_ONCE(qp->rq.tail) : 0 },
	};

	return put(msg, t, qp->priv ? ARRAY_SIZE(t) : ARRAY_SIZE(t) - 2);
}

int ohca_fill_res_cq(struct sk_buff *msg, struct ib_cq *ibcq)
{
	const struct ohca_cq *cq = to_cq(ibcq);
	const struct detail t[] = {
		{ "doorbell_page", cq->uar },
		{ "entries", 1u << cq->log },
		{ "translations", cq->mtt.count },
		{ "page_bytes", page_bytes(&cq->mtt) },
		{ "event_queue", cq->eq },
		{ "overflowed", READ_ONCE(cq->err) },
	};

	return put(msg, t, ARRAY_SIZE(t));
}

int ohca_fill_res_mr(struct sk_buff *msg, struct ib_mr *ibmr)
{
	const struct ohca_mr *mr = to_mr(ibmr);
	const struct detail t[] = {
		{ "key_index", mr->index },
		{ "access", mr->acc },
		{ "page_bytes", ibmr->page_size },
		{ "translations", mr->mtt.count },
	};

	return put(msg, t, ARRAY_SIZE(t));
}
