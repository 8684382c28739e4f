/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * The contract between ohca.ko and libohca: what verbs commands carry beside
 * the core's own fields.  Queue memory is allocated by the provider and pinned
 * by the driver; layouts inside it are those of formats/, in the version that
 * host_abi tells.
 *
 * Old programs work with new modules and new ones with old modules.  A struct
 * grows at its end only and never shrinks.  A request may end where it ended
 * in the first version, or be longer than the module knows: what it does not
 * know must be 0, as must reserved fields, flags and bits of comp_mask that
 * have no meaning yet, or the answer is EOPNOTSUPP.  A response is cut where
 * the program's buffer ends, which must hold the first version's (EINVAL); of
 * what the module does not write, the program sees what it had put there,
 * zeros.  Capabilities are used when both sides know them.  Commands without
 * a struct here have an empty request.  alloc_pd and create_ah: a program may
 * ask for no answer.
 */
#ifndef OHCA_ABI_H
#define OHCA_ABI_H

#include <linux/types.h>
#include <rdma/ib_user_ioctl_cmds.h>

#define OHCA_UVERBS_ABI_VERSION 2

/* What the provider knows of them is in its request; of that, what the module and the adapter have is in the response. */
enum ohca_uctx_caps {
	OHCA_UCTX_CAP_PUSH = 1 << 0,	/* the context has a push page */
	OHCA_UCTX_CAP_ETH = 1 << 1,	/* the port is an Ethernet port: the kernel makes address vectors */
	OHCA_UCTX_CAP_UD_CSUM = 1 << 2,	/* Internet checksums of datagrams */
};

struct ohca_ureq_alloc_ucontext {
	__u32 comp_mask;
	__u32 caps;			/* enum ohca_uctx_caps; an Ethernet port is refused to who does not know of it (EOPNOTSUPP) */
};

struct ohca_uresp_alloc_ucontext {
	__u32 comp_mask;
	__u32 host_abi;			/* version of doorbells, rings, entries and address vectors */
	__aligned_u64 db_mmap_offset;	/* offset to mmap() the doorbell page */
	__u32 caps;			/* enum ohca_uctx_caps */
	__u16 max_inline;
	__u8 max_send_sge;
	__u8 max_recv_sge;
	__u32 max_qp_wr;
	__u32 max_cqe;
	__u32 cycles_per_us;		/* of CQE time stamps */
	__u32 db_page;			/* handle of the doorbell page, for create_cq and create_qp */
	__aligned_u64 state_mmap_offset;	/* offset to mmap() struct ohca_state, read-only */
	__u32 db_bytes;			/* to mmap() at db_mmap_offset; the doorbells are in the first 4 KiB */
	__u32 state_bytes;		/* to mmap() at state_mmap_offset */
	/* with OHCA_UCTX_CAP_PUSH, else 0: */
	__aligned_u64 push_mmap_offset;	/* offset to mmap() the push page, write-combined */
	__u32 push_bytes;		/* to mmap() there */
	__u32 push_buffers;		/* of 64 bytes each, from the page's start on; a power of two */
};

/* Of the core's method "query context": for processes that got the context from another one, and for the clock */
enum ohca_query_context_attrs {
	OHCA_ATTR_QUERY_CONTEXT_RESP = 1U << UVERBS_ID_NS_SHIFT,
};

struct ohca_uresp_query_context {
	__aligned_u64 clock;		/* of CQE time stamps, 48 bits of it */
	struct ohca_uresp_alloc_ucontext ctx;	/* the end, as it grows */
};

#define OHCA_STATE_ERRORS 509		/* a prime, as QP numbers have patterns */

/* A page of the context that outlives the device. */
struct ohca_state {
	__u32 gone;			/* the adapter completes nothing any more: who polls flushes what is outstanding */
	__u32 bytes;			/* of this struct, as far as the module fills it */
	__u32 num_errors;		/* entries of errors[] */
	__u32 reserved[13];
	__u32 errors[OHCA_STATE_ERRORS];	/* of this context's QPs, by qpn % num_errors: who posts receives asks for his QP when its count changed */
};

struct ohca_uresp_alloc_pd {
	__u32 comp_mask;
	__u32 pdn;
};

struct ohca_ureq_create_cq {
	__u32 comp_mask;
	__u32 log_size;			/* log2 of the CQEs in the ring */
	__aligned_u64 buf_va;		/* at a multiple of 4 KiB, zeroed, 32 << log_size bytes */
	__aligned_u64 dbr_va;		/* layout cq_dbr, 8-byte aligned */
	__u32 db_page;			/* through which it is armed: one of the context's (EINVAL) */
	__u32 flags;			/* none yet */
	__u8 log_cqe_bytes;		/* 0: entries of 32 bytes, and others there are not yet */
	__u8 reserved[7];
};

struct ohca_uresp_create_cq {
	__u32 comp_mask;
	__u32 cqn;
};

struct ohca_ureq_resize_cq {
	__u32 comp_mask;
	__u32 log_size;			/* of the new ring, as above */
	__aligned_u64 buf_va;		/* at a multiple of 4 KiB, zeroed, 32 << log_size bytes */
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
	__aligned_u64 sq_buf_va;	/* at a multiple of 4 KiB; a queue that is not used has one WQE */
	__aligned_u64 rq_buf_va;	/* at a multiple of 4 KiB */
	__aligned_u64 rq_dbr_va;	/* layout rq_dbr, 8-byte aligned */
	__u32 db_page;			/* through which it is rung: one of the context's (EINVAL) */
	__u32 flags;			/* none yet */
	__aligned_u64 reserved;
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
