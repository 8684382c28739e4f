/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * OpenHCA kernel driver: ohca_cmd.c carries commands, ohca_icm.c gives the adapter memory for its tables, ohca_eq.c takes its
 * events, ohca_main.c brings it up and down, and the other files are verbs.
 *
 * Locks, outermost first: qp->lock, icm_lock, cmd_lock (these three sleep); cq->lock, then a work queue's lock.
 */
#ifndef OHCA_H
#define OHCA_H

#include <linux/completion.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/pci.h>
#include <linux/random.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_umem.h>
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>

#include "compat.h"
#include "ohca_fmt.h"
#include "ohca_pages.h"
#include "ohca_version.h"
#include "ohca_qpn.h"
#include "uapi/ohca-abi.h"

/* A doorbell is one 64-bit store, and doorbell pages are up to 64 KiB apart. */
#if !defined(CONFIG_64BIT) || PAGE_SHIFT > 16
#error "ohca needs a 64-bit kernel with pages of up to 64 KiB"
#endif

#define OHCA_MAX_EQ 9			/* one for asynchronous events, up to eight for completions */
#define OHCA_EQ_LOG 10
#define OHCA_MTT_GROUP 8		/* MTT entries are given in cache lines */

struct ohca_dev;

/*
 * A PCI function and what outlives resets of it. The device behind it, a struct ohca_dev, is taken down and made anew by `rebuild`
 * when it stopped answering or its port's kind changes; nobody else does, but for remove, which waits for it.
 */
struct ohca_adapter {
	struct pci_dev *pdev;
	u8 __iomem *bar;
	phys_addr_t bar_phys;
	resource_size_t bar_bytes;
	struct workqueue_struct *wq;
	struct delayed_work rebuild;

	spinlock_t lock;
	struct ohca_dev *dev;		/* in use; NULL: there is none */
	struct ohca_dev *coming;	/* being brought up */
	bool removing;			/* nothing is brought up any more */
	bool held;			/* nor while somebody resets the PCI function */
	struct task_struct *resetter;	/* who resets it, if it is this driver */
	unsigned int tries;		/* to bring it up, since it was well */
	bool asked;			/* for: one try, even if none is left */
	unsigned long up_at;		/* jiffies when it came up */
	u8 port_type;			/* enum rdma_link_layer: what the port is to be */
};

/* ---- context memory (ohca_icm.c) */
struct ohca_icm_chunk {
	void *buf;
	dma_addr_t dma;
	unsigned int refs;
};

struct ohca_table {
	unsigned int first;		/* chunk number of the table's start */
	unsigned int log_entries;
	unsigned int entry_bytes;
	unsigned int nchunks;
	struct ohca_icm_chunk *chunk;
};

/* ---- event queues (ohca_eq.c) */
struct ohca_eq {
	struct ohca_dev *dev;
	unsigned int eqn, log;
	u32 ci;
	int irq;
	struct ohca_eqe *ring;
	dma_addr_t dma;
	struct work_struct more;	/* takes what an interrupt left */
	bool busy;			/* it is about to, and the queue is not armed */
	char name[24];
};

/* ---- queue memory that the driver owns: in one piece, or several of one size, which the MTT puts together */
struct ohca_buf {
	void *addr;
	dma_addr_t dma;
	size_t bytes;
	unsigned int shift;		/* log2 of a piece's bytes */
	struct ohca_buf_page {
		void *addr;
		dma_addr_t dma;
	} *page;
};

/* No entry of a ring crosses a page. */
static inline void *ohca_buf_at(const struct ohca_buf *b, size_t off)
{
	return b->page ? b->page[off >> b->shift].addr + (off & ((1ul << b->shift) - 1)) : b->addr + off;
}

/* MTT entries */
struct ohca_pages {
	u32 first, count;		/* count 0: none */
	u32 shift, offset;		/* log2 of their pages' size; where in the first one what is mapped begins */
};

/* Where a ring that is translated begins, as commands have it, and the size of its pages */
static inline u64 ohca_mtt_base(const struct ohca_pages *mtt)
{
	return ((u64)mtt->first << mtt->shift) + mtt->offset;
}

static inline u32 ohca_mtt_size(const struct ohca_pages *mtt)
{
	return mtt->count ? mtt->shift - OHCA_PAGE_SHIFT_MIN : 0;
}

struct ohca_dev {
	struct ib_device ib;
	struct ohca_adapter *adapter;
	struct pci_dev *pdev;
	u8 __iomem *bar;
	phys_addr_t bar_phys;

	/* commands */
	struct mutex cmd_lock;
	struct completion cmd_done;
	void *cmd_in, *cmd_out;
	dma_addr_t cmd_in_dma, cmd_out_dma;
	u16 cmd_token;
	u8 cmd_status;
	u32 cmd_imm;
	bool cmd_events;		/* completions come by event */
	bool dying;			/* stopped answering, or is to be stopped: nothing more is asked of it */
	bool dead;			/* it was stopped: it touches memory no more, so what it was given may be freed */
	bool silent;			/* it completes nothing any more: who polls flushes what is outstanding */

	struct ohca_cmd_query_dev_out lim;
	u32 cmd_abi;			/* version of commands that both sides know */
	unsigned int db_shift;		/* log2 of the distance of doorbell pages */
	struct mutex icm_lock;
	struct ohca_table icm[4];	/* by enum ohca_icm_table */
	unsigned long *mtt_map;
	struct mutex mtt_lock;
	u32 mtt_next;			/* group from which room is looked for */
	struct ida mpt_ida, pd_ida, uar_ida;
	spinlock_t ctx_lock;
	struct list_head ctxs;
	struct mutex uar_lock;
	struct xarray uar_users;	/* struct ohca_uar_user by user ID */
	struct xarray cqs, qps;
	u32 cqn_next;
	struct mutex qpn_lock;
	struct ohca_qpns qpns;

	struct ohca_eq eq[OHCA_MAX_EQ];
	unsigned int num_eq;
	struct ohca_eq ctl;		/* of commands and what the firmware tells */
	struct workqueue_struct *eq_wq;
	unsigned long overflowed;	/* queues that lost events, by number */
	struct delayed_work overflow;
	struct workqueue_struct *wq;
	struct delayed_work health;
	u32 last_health;
	u64 health_now;			/* device cycle at which last_health was new */
	spinlock_t clock_lock;		/* the clock is read in two halves */

	/* for statistics */
	atomic64_t commands, eq_overflows;

	u8 __iomem *uar;		/* doorbell page 0 */

	/* Ethernet port */
	bool eth;
	struct net_device *netdev;
	struct ohca_net *net;		/* takes events */
	struct notifier_block netdev_nb;
	bool active;			/* as told last */

	spinlock_t event_lock;
	bool registered;		/* events go to the core; before that they are kept */
	unsigned long early_events;	/* by enum ib_event_type */
	u32 rate_mult;			/* of the link, in 2.5 Gb/s */

	/* Copies of the port's tables: the core reads them whole at every event. */
	struct mutex table_lock;
	atomic_t pkey_gen, gid_gen;	/* counts changes */
	u32 pkey_seen, gid_seen;	/* the change that the copy includes */
	__be16 *pkeys;
	union ib_gid *gids;
};

struct ohca_ucontext {
	struct ib_ucontext ib;
	u32 uar;
	struct page *page;		/* struct ohca_state, which the process sees */
	u32 caps;			/* that the process knows of */
	struct list_head list;		/* of the device's contexts */
	bool uar_shared;		/* with others of the same user */
	uid_t uid;
	struct ohca_mmap_entry *db, *state;
	struct ohca_mmap_entry *push;	/* NULL: it has no push page */
};

enum ohca_mmap_kind { OHCA_MMAP_DB, OHCA_MMAP_STATE, OHCA_MMAP_PUSH };

struct ohca_mmap_entry {
	struct rdma_user_mmap_entry ib;
	enum ohca_mmap_kind kind;
};

struct ohca_pd {
	struct ib_pd ib;
	u32 pdn;
};

struct ohca_ah {
	struct ib_ah ib;
	struct ohca_av av;
};

struct ohca_mr {
	struct ib_mr ib;
	struct ib_umem *umem;
	u32 index;
	int acc;			/* rights that it gives */
	bool valid;			/* the adapter knows its key */
	struct ohca_pages mtt;
};

struct ohca_cq {
	struct ib_cq ib;
	spinlock_t lock;
	bool err;			/* its overflow was told */
	u32 cqn, log, ci;
	unsigned int eq;		/* that takes its events */
	int uar;
	struct mutex resize;		/* umem, mtt, log */
	struct ohca_buf buf;		/* kernel CQ */
	struct ohca_cq_dbr *dbr;
	struct ohca_buf dbr_buf;
	struct ib_umem *umem, *dbr_umem;
	struct ohca_pages mtt;
	refcount_t refs;
	struct completion free;
};

struct ohca_wq {
	spinlock_t lock;
	u32 log, log_stride, head, tail;	/* indices run freely */
	u64 *wrid;
	struct ohca_buf buf;
	struct ib_umem *umem;
	struct ohca_pages mtt;
};

struct ohca_qp {
	struct ib_qp ib;
	struct mutex lock;
	u32 qpn, qtype;
	struct ohca_ucontext *uctx;	/* a process's */
	enum ib_qp_state state;
	u16 uar;
	bool sig_all, priv, in_err, csum;	/* csum: IB_SEND_IP_CSUM is taken */
	u32 qkey, dqpn;
	struct ohca_wq sq, rq;
	struct ohca_rq_dbr *dbr;
	struct ohca_buf dbr_buf;
	struct ib_umem *dbr_umem;
	u32 max_inline;
	u8 max_send_sge, max_recv_sge;
	struct work_struct flush;
	refcount_t refs;
	struct completion free;
};

#define OHCA_CAST(type, member)                                                                                        \
	static inline struct ohca_##type *to_##type(struct ib_##member *p)                                             \
	{                                                                                                              \
		return container_of(p, struct ohca_##type, ib);                                                        \
	}
OHCA_CAST(dev, device)
OHCA_CAST(ucontext, ucontext)
OHCA_CAST(pd, pd)
OHCA_CAST(ah, ah)
OHCA_CAST(mr, mr)
OHCA_CAST(cq, cq)
OHCA_CAST(qp, qp)

/*
 * A process's request, by the rules of uapi/ohca-abi.h: `known` bytes of it are known here, and the first version had
 * `least`. The caller zeroed req.
 */
static inline int ohca_get_req(struct ib_udata *udata, void *req, size_t known, size_t least)
{
	if (udata->inlen < least)
		return -EINVAL;
	if (udata->inlen > known && !ib_is_udata_cleared(udata, known, udata->inlen - known))
		return -EOPNOTSUPP;
	return ib_copy_from_udata(req, udata, min(known, udata->inlen));
}

/* The same for a command that has no request yet. Of kernel users there is no udata. */
static inline int ohca_no_req(struct ib_udata *udata)
{
	return udata && udata->inlen && !ib_is_udata_cleared(udata, 0, udata->inlen) ? -EOPNOTSUPP : 0;
}

/* `last`: field that ends the first version */
#define OHCA_GET_REQ(udata, req, last) ohca_get_req(udata, req, sizeof(*(req)), offsetofend(typeof(*(req)), last))

/* The answer, as far as there is room; that there is enough is checked before anything is done. */
#define OHCA_RESP_FITS(udata, resp, last) ((udata)->outlen >= offsetofend(typeof(*(resp)), last))
#define OHCA_PUT_RESP(udata, resp) ib_copy_to_udata(udata, resp, min(sizeof(*(resp)), (udata)->outlen))

/* ohca_cmd.c: 0 or a negative errno. in and out may be NULL; imm may be NULL. May sleep. */
int ohca_cmd_init(struct ohca_dev *d);
void ohca_cmd_fini(struct ohca_dev *d);
int ohca_cmd(struct ohca_dev *d, enum ohca_cmd_op op, u32 in_mod, u8 op_mod, const void *in, size_t in_len, void *out,
	     size_t out_len, u32 *imm);
void ohca_cmd_unsure(struct ohca_dev *d, enum ohca_cmd_op op, u32 in_mod, int ret);
void ohca_cmd_revoke(struct ohca_dev *d, enum ohca_cmd_op op, u32 in_mod, u8 op_mod);
void ohca_cmd_event(struct ohca_dev *d, u16 token, u8 status, u32 imm);
void ohca_stop(struct ohca_dev *d);

/* Of the rights that others may have, atomics are the only one. */
static inline bool ohca_atomics_only(int acc)
{
	return (acc & (IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC)) == IB_ACCESS_REMOTE_ATOMIC;
}

/*
 * Debug builds complain when memory is freed between the decision to stop the adapter and its being stopped. (Tests see to it that none was
 * given back just before.)
 */
static inline void ohca_check_free(struct ohca_dev *d)
{
#ifdef OHCA_DEBUG
	WARN_ON_ONCE(READ_ONCE(d->dying) && !READ_ONCE(d->dead));
#endif
}

/* ohca_main.c: the adapter does not answer (any context). What waits gets errors, and the device is brought up anew. */
void ohca_dead(struct ohca_dev *d, const char *why);
void ohca_set_gone(struct ohca_dev *d);
u64 ohca_now(struct ohca_dev *d);

/* ohca_eq.c */
void ohca_port_event(struct ohca_dev *d, enum ib_event_type type);
void ohca_set_registered(struct ohca_dev *d, bool on);

/* ohca_icm.c */
int ohca_icm_init(struct ohca_dev *d);
void ohca_icm_fini(struct ohca_dev *d);
int ohca_icm_get(struct ohca_dev *d, enum ohca_icm_table table, u32 index, u32 count);
void ohca_icm_put(struct ohca_dev *d, enum ohca_icm_table table, u32 index, u32 count);
int ohca_mtt_alloc(struct ohca_dev *d, size_t count, struct ohca_pages *mtt);
void ohca_mtt_free(struct ohca_dev *d, struct ohca_pages *mtt);
int ohca_mtt_umem(struct ohca_dev *d, struct ib_umem *umem, unsigned long pgsz, struct ohca_pages *mtt);
int ohca_mtt_ring(struct ohca_dev *d, struct ib_umem *umem, struct ohca_pages *mtt);

/* ohca_eq.c */
int ohca_eq_init(struct ohca_dev *d);
void ohca_eq_fini(struct ohca_dev *d);
void ohca_eq_sync(struct ohca_dev *d, unsigned int n);

int ohca_buf_alloc(struct ohca_dev *d, size_t bytes, struct ohca_buf *b);
void ohca_buf_free(struct ohca_dev *d, struct ohca_buf *b);
int ohca_ring_alloc(struct ohca_dev *d, size_t bytes, struct ohca_buf *b, struct ohca_pages *mtt);
/* Doorbell page n in the BAR */
static inline size_t ohca_db_page(const struct ohca_dev *d, u32 n)
{
	return OHCA_BAR_DB_BASE + ((size_t)n << d->db_shift);
}

/* Its push page: behind what d->bar maps */
static inline size_t ohca_push_page(const struct ohca_dev *d, u32 n)
{
	return OHCA_BAR_PUSH_BASE + ((size_t)n << d->db_shift);
}

static inline void ohca_db_write(struct ohca_dev *d, unsigned int off, u64 val)
{
	writeq(val, d->uar + off);
}

/* ohca_cq.c */
int ohca_create_cq(struct ib_cq *cq, const struct ib_cq_init_attr *attr, struct uverbs_attr_bundle *attrs);
int ohca_resize_cq(struct ib_cq *cq, OHCA_RESIZE_CQE cqe, struct ib_udata *udata);
int ohca_modify_cq(struct ib_cq *cq, u16 count, u16 period);
int ohca_destroy_cq(struct ib_cq *cq, struct ib_udata *udata);
int ohca_poll_cq(struct ib_cq *cq, int n, struct ib_wc *wc);
int ohca_req_notify_cq(struct ib_cq *cq, enum ib_cq_notify_flags flags);
void ohca_cq_event(struct ohca_dev *d, u32 cqn, bool error);
void ohca_cq_wake(struct ohca_dev *d, u32 cqn);
void ohca_cq_wake_all(struct ohca_dev *d, unsigned int eq);	/* 0: of all event queues */
void ohca_cq_scan(struct ohca_dev *d);
void ohca_cq_clean(struct ohca_cq *cq, u32 qpn);
int ohca_dbr_umem(struct ohca_dev *d, u64 va, struct ib_umem **umem, dma_addr_t *dma);

/* ohca_qp.c */
int ohca_create_qp(struct ib_qp *qp, struct ib_qp_init_attr *attr, struct ib_udata *udata);
int ohca_modify_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int mask, struct ib_udata *udata);
int ohca_query_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int mask, struct ib_qp_init_attr *init);
int ohca_destroy_qp(struct ib_qp *qp, struct ib_udata *udata);
int ohca_attach_mcast(struct ib_qp *qp, union ib_gid *gid, u16 lid);
int ohca_detach_mcast(struct ib_qp *qp, union ib_gid *gid, u16 lid);
int ohca_qpn_init(struct ohca_dev *d);
void ohca_qpn_fini(struct ohca_dev *d);
void ohca_qp_event(struct ohca_dev *d, u32 qpn, u8 type);
void ohca_qp_set_err(struct ohca_dev *d, struct ohca_qp *qp);
void ohca_qp_scan(struct ohca_dev *d);
void ohca_rq_doorbell(struct ohca_dev *d, struct ohca_qp *qp);
static inline bool ohca_is_rc(const struct ohca_qp *qp)
{
	return qp->qtype == OHCA_QP_TYPE_RC;
}

/* ohca_post.c */
int ohca_post_send(struct ib_qp *qp, const struct ib_send_wr *wr, const struct ib_send_wr **bad);
int ohca_post_recv(struct ib_qp *qp, const struct ib_recv_wr *wr, const struct ib_recv_wr **bad);

/* ohca_ah.c. lqpn, rqpn: of a connected QP, which tell its flow when there is no flow label. 0 or a negative errno */
int ohca_fill_av(struct ohca_dev *d, struct ohca_av *av, const struct rdma_ah_attr *attr, u32 lqpn, u32 rqpn);
void ohca_get_av(struct ohca_av *av, struct rdma_ah_attr *attr);
int ohca_create_ah(struct ib_ah *ah, struct rdma_ah_init_attr *attr, struct ib_udata *udata);
int ohca_destroy_ah(struct ib_ah *ah, u32 flags);
int ohca_query_ah(struct ib_ah *ah, struct rdma_ah_attr *attr);

/* ohca_mr.c */
struct ib_mr *ohca_get_dma_mr(struct ib_pd *pd, int acc);
struct ib_mr *ohca_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 va, int acc, OHCA_DMAH_ARG struct ib_udata *udata);
struct ib_mr *ohca_reg_user_mr_dmabuf(struct ib_pd *pd, u64 offset, u64 length, u64 va, int fd, int acc, OHCA_DMAH_ARG
				      struct uverbs_attr_bundle *attrs);
struct ib_mr *ohca_rereg_user_mr(struct ib_mr *ibmr, int flags, u64 start, u64 length, u64 va, int acc, struct ib_pd *pd, struct ib_udata *udata);
int ohca_dereg_mr(struct ib_mr *mr, struct ib_udata *udata);

/* ohca_res.c: what `rdma resource show -dd` tells of an object */
int ohca_fill_res_qp(struct sk_buff *msg, struct ib_qp *ibqp);
int ohca_fill_res_cq(struct sk_buff *msg, struct ib_cq *ibcq);
int ohca_fill_res_mr(struct sk_buff *msg, struct ib_mr *ibmr);

/* ohca_mad.c */
int ohca_process_mad(struct ib_device *dev, int flags, u32 port, const struct ib_wc *wc, const struct ib_grh *grh,
		     const struct ib_mad *in, struct ib_mad *out, size_t *out_size, u16 *pkey_index);

/* 0: no answer, 1: answered, 2: consumed; or a negative errno */
int ohca_mad_ifc(struct ohca_dev *d, u32 port, bool ignore_mkey, const struct ib_wc *wc, const struct ib_grh *grh,
		 const struct ib_mad *in, struct ib_mad *out);
int ohca_get_pkeys(struct ohca_dev *d, u32 port, __be16 *pkeys, u32 count);

/*
 * ohca_net.c: the network interface of an Ethernet port. It is made when the adapter is ready for commands and its port is an
 * Ethernet port, before the RDMA device is registered with it, and goes after that one has. The interface follows the carrier that
 * ohca_net_carrier() tells (any context), and owns what set_eth sets: MAC, MTU, multicast filter.
 */
struct net_device *ohca_net_register(struct ohca_dev *d, u32 port);	/* or an ERR_PTR */
void ohca_net_unregister(struct ohca_dev *d, struct net_device *ndev, u32 port);
void ohca_net_carrier(struct net_device *ndev, bool up);
void ohca_net_event(struct ohca_dev *d);

/* ohca_verbs.c */
int ohca_port_begin(struct ohca_dev *d);
void ohca_port_end(struct ohca_dev *d);
void ohca_link_event(struct ohca_dev *d, bool active);
extern const struct ib_device_ops ohca_ops;
extern const struct uapi_definition ohca_uapi[];
int ohca_tables_init(struct ohca_dev *d);
void ohca_tables_fini(struct ohca_dev *d);

#ifdef OHCA_DEBUG
#include "ohca_faults.h"
#endif

#endif
