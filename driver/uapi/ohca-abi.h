/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * The contract between ohca.ko and libohca: what verbs commands carry beside
 * the core's own fields.  Every struct starts with or contains a comp_mask, so
 * it grows by new bits instead of new ABI versions; unknown bits and non-zero
 * tails are refused.  Queue memory is allocated by the provider and pinned by
 * the driver; layouts inside it are those of formats/.
 */
#ifndef OHCA_ABI_H
#define OHCA_ABI_H

#include <linux/types.h>
#include <rdma/ib_user_ioctl_cmds.h>

#define OHCA_UVERBS_ABI_VERSION 1

enum ohca_uctx_caps {
	OHCA_UCTX_CAP_PUSH = 1 << 0,	/* the doorbell page has push buffers */
	OHCA_UCTX_CAP_ETH = 1 << 1,	/* the port is an Ethernet port: the kernel makes address vectors */
	OHCA_UCTX_CAP_UD_CSUM = 1 << 2,	/* Internet checksums of datagrams */
};

struct ohca_uresp_alloc_ucontext {
	__u32 comp_mask;
	__u32 fmt_version;		/* must equal the provider's FMT_VERSION */
	__aligned_u64 db_mmap_offset;	/* offset to mmap() the 4 KiB doorbell page */
	__u32 caps;			/* enum ohca_uctx_caps */
	__u16 max_inline;
	__u8 max_send_sge;
	__u8 max_recv_sge;
	__u32 max_qp_wr;
	__u32 max_cqe;
	__u32 cycles_per_us;		/* of CQE time stamps */
	__u32 reserved;
	__aligned_u64 state_mmap_offset;	/* offset to mmap() struct ohca_state, read-only */
};

/* Of the core's method "query context": for processes that got the context from another one, and for the clock */
enum ohca_query_context_attrs {
	OHCA_ATTR_QUERY_CONTEXT_RESP = 1U << UVERBS_ID_NS_SHIFT,
};

struct ohca_uresp_query_context {
	struct ohca_uresp_alloc_ucontext ctx;
	__aligned_u64 clock;		/* of CQE time stamps, 48 bits of it */
};

#define OHCA_STATE_ERRORS 509		/* a prime, as QP numbers have patterns */

/* A page of the context that outlives the device. */
struct ohca_state {
	__u32 gone;			/* the adapter completes nothing any more: who polls flushes what is outstanding */
	__u32 reserved[15];
	__u32 errors[OHCA_STATE_ERRORS];	/* of this context's QPs, by qpn % OHCA_STATE_ERRORS: who posts receives asks for his QP when its count changed */
};

struct ohca_uresp_alloc_pd {
	__u32 comp_mask;
	__u32 pdn;
};

struct ohca_ureq_create_cq {
	__u32 comp_mask;
	__u32 log_size;			/* log2 of the CQEs in the ring */
	__aligned_u64 buf_va;		/* page aligned, zeroed, 32 << log_size bytes */
	__aligned_u64 dbr_va;		/* layout cq_dbr, 8-byte aligned */
};

struct ohca_uresp_create_cq {
	__u32 comp_mask;
	__u32 cqn;
};

struct ohca_ureq_resize_cq {
	__u32 comp_mask;
	__u32 log_size;			/* of the new ring, as above */
	__aligned_u64 buf_va;		/* page aligned, zeroed, 32 << log_size bytes */
	__u32 ci;			/* consumer index modulo 2^24, which stays until the answer */
	__u32 reserved;
};

struct ohca_uresp_resize_cq {
	__u32 comp_mask;
	__u32 pi;			/* modulo 2^24: entries from this one on are in the new ring, whose first pass begins there */
};

struct ohca_ureq_create_qp {
	__u32 comp_mask;
	__u8 sq_log_size;		/* log2 of the WQEs */
	__u8 sq_log_stride;		/* log2 of a WQE's bytes, 6 to 8 */
	__u8 rq_log_size;
	__u8 rq_log_stride;		/* 4 to 8 */
	__aligned_u64 sq_buf_va;	/* page aligned; a queue that is not used has one WQE */
	__aligned_u64 rq_buf_va;	/* page aligned */
	__aligned_u64 rq_dbr_va;	/* layout rq_dbr, 8-byte aligned */
};

struct ohca_uresp_create_qp {
	__u32 comp_mask;
	__u32 qpn;
};

struct ohca_uresp_create_ah {		/* Ethernet ports; others' are made by the provider */
	__u32 comp_mask;
	__u32 av[10];			/* layout av */
};

#endif
