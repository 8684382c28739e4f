// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/* Memory regions: an MPT entry and, unless it covers all of memory, MTT entries for its pages. */
#include <linux/random.h>

#include "ohca.h"

#define PAGE_SIZES GENMASK_ULL(31, 12)	/* what the MTT can hold; the block iterator works on unsigned long */

/* What is asked for, less what may be ignored: 0 or a negative errno */
static int access_of(int *acc)
{
	/* Optional flags ask for what this adapter gives anyway, or may be ignored. */
	*acc &= ~IB_ACCESS_OPTIONAL;
	/* Who asks for atomics and nothing else wants to use them. */
	if (ohca_atomics_only(*acc))
		return -EOPNOTSUPP;
	/*
	 * Programs set these by default, UCX in every region: a right that is given to nobody, as no QP takes an atomic and there are no
	 * windows. Who wants to use them asks a QP or a window, and is refused there.
	 */
	*acc &= ~(IB_ACCESS_MW_BIND | IB_ACCESS_REMOTE_ATOMIC);
	return *acc & ~(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ) ? -EOPNOTSUPP : 0;
}

/* The region's entry, for the key that it has */
static int mkey_write(struct ohca_dev *d, struct ohca_mr *mr, u32 pdn, int acc, struct ohca_mpt *m)
{
	int ret;

	OHCA_SET(OHCA_MPT_VALID, m, 1);
	OHCA_SET(OHCA_MPT_KEY, m, mr->ib.lkey & 0xff);
	OHCA_SET(OHCA_MPT_PD, m, pdn);
	OHCA_SET(OHCA_MPT_ACC_LW, m, !!(acc & IB_ACCESS_LOCAL_WRITE));
	OHCA_SET(OHCA_MPT_ACC_RW, m, !!(acc & IB_ACCESS_REMOTE_WRITE));
	OHCA_SET(OHCA_MPT_ACC_RR, m, !!(acc & IB_ACCESS_REMOTE_READ));
	ret = ohca_cmd(d, OHCA_CMD_OP_CREATE_MKEY, mr->index, 0, m, sizeof(*m), NULL, 0, NULL);
	mr->acc = acc;
	mr->valid = !ret;
	return ret;
}

/* The adapter has let go of the memory when this returns. */
static void mkey_revoke(struct ohca_dev *d, struct ohca_mr *mr)
{
	if (mr->valid)
		ohca_cmd_revoke(d, OHCA_CMD_OP_DESTROY_MKEY, mr->index, 0);
	mr->valid = false;
	ohca_check_free(d);
}

static int mkey_create(struct ohca_dev *d, struct ohca_mr *mr, u32 pdn, int acc, struct ohca_mpt *m)
{
	int ret;

	ret = ida_alloc_range(&d->mpt_ida, 1, (1u << d->icm[OHCA_ICM_TABLE_MPT].log_entries) - 1, GFP_KERNEL);
	if (ret < 0)
		return ret;
	mr->index = ret;
	ret = ohca_icm_get(d, OHCA_ICM_TABLE_MPT, mr->index, 1);
	if (ret)
		goto number;
	/* The key byte is random, so that keys of past regions do not work by chance. One key says that a receive list ends: no region has it. */
	do
		mr->ib.lkey = mr->index << 8 | get_random_u8();
	while (mr->ib.lkey == OHCA_INVALID_LKEY);
	mr->ib.rkey = mr->ib.lkey;
	ret = mkey_write(d, mr, pdn, acc, m);
	if (!ret)
		return 0;
	ohca_icm_put(d, OHCA_ICM_TABLE_MPT, mr->index, 1);
number:
	ida_free(&d->mpt_ida, mr->index);
	return ret;
}

/* Translations of what is pinned */
static int mr_map(struct ohca_dev *d, struct ohca_mr *mr, u64 va)
{
	unsigned long pgsz = ib_umem_find_best_pgsz(mr->umem, PAGE_SIZES, va);

	if (!pgsz)
		return -EINVAL;
	mr->ib.page_size = pgsz;
	return ohca_mtt_umem(d, mr->umem, pgsz, &mr->mtt);
}

/* What is mapped, in an entry */
static void mr_entry(struct ohca_mr *mr, struct ohca_mpt *m)
{
	OHCA_SET(OHCA_MPT_PAGE_SHIFT, m, __ffs(mr->ib.page_size));
	OHCA_SET(OHCA_MPT_START, m, mr->ib.iova);
	OHCA_SET(OHCA_MPT_LENGTH, m, mr->ib.length);
	OHCA_SET(OHCA_MPT_MTT, m, mr->mtt.first);
}

/* A key for what is mapped */
static int mr_key(struct ohca_dev *d, struct ohca_mr *mr, u32 pdn, int acc)
{
	struct ohca_mpt m = {};

	mr_entry(mr, &m);
	return mkey_create(d, mr, pdn, acc, &m);
}

static struct ohca_mr *mr_new(u64 length, u64 va)
{
	struct ohca_mr *mr = kzalloc(sizeof(*mr), GFP_KERNEL);

	if (mr) {
		mr->ib.length = length;
		mr->ib.iova = va;
		mr->ib.page_size = OHCA_PAGE;
	}
	return mr;
}

/* One that has no key */
static void mr_free(struct ohca_dev *d, struct ohca_mr *mr)
{
	ohca_mtt_free(d, &mr->mtt);
	ib_umem_release(mr->umem);
	kfree(mr);
}

static struct ib_mr *mr_fail(struct ohca_dev *d, struct ohca_mr *mr, int ret)
{
	mr_free(d, mr);
	return ERR_PTR(ret);
}

struct ib_mr *ohca_get_dma_mr(struct ib_pd *pd, int acc)
{
	struct ohca_dev *d = to_dev(pd->device);
	struct ohca_mpt m = {};
	struct ohca_mr *mr;
	int ret;

	mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	/* All of memory, for the QPs of this PD: it is no reserved key, which the QPs of every kernel PD may use. */
	OHCA_SET(OHCA_MPT_PHYS, &m, 1);
	OHCA_SET(OHCA_MPT_PAGE_SHIFT, &m, 12);
	ret = mkey_create(d, mr, to_pd(pd)->pdn, acc, &m);
	if (ret) {
		kfree(mr);
		return ERR_PTR(ret);
	}
	return &mr->ib;
}

/* Memory of the process, pinned and mapped; one without a byte has no pages. */
static int mr_pin(struct ohca_dev *d, struct ohca_mr *mr, u64 start, int acc)
{
	struct ib_umem *umem;

	if (!mr->ib.length)
		return 0;
	umem = ohca_umem_get(&d->ib, start, mr->ib.length, acc);
	if (IS_ERR(umem))
		return PTR_ERR(umem);
	mr->umem = umem;
	return mr_map(d, mr, mr->ib.iova);
}

static struct ib_mr *reg_user(struct ib_pd *pd, u64 start, u64 length, u64 va, int acc)
{
	struct ohca_dev *d = to_dev(pd->device);
	struct ohca_mr *mr;
	int ret;

	ret = access_of(&acc);
	if (ret)
		return ERR_PTR(ret);
	if (va + length < va)
		return ERR_PTR(-EINVAL);
	mr = mr_new(length, va);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	/* A region without a byte has a key all the same, for accesses of length 0. */
	ret = mr_pin(d, mr, start, acc);
	if (!ret)
		ret = mr_key(d, mr, to_pd(pd)->pdn, acc);
	return ret ? mr_fail(d, mr, ret) : &mr->ib;
}

struct ib_mr *ohca_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 va, int acc, OHCA_DMAH_ARG struct ib_udata *udata)
{
	int ret = ohca_no_req(udata);

	if (OHCA_DMAH)
		return ERR_PTR(-EOPNOTSUPP);
	if (ret)
		return ERR_PTR(ret);
	return reg_user(pd, start, length, va, acc);
}

/* Memory of another device, which stays where it is as long as the region lives */
struct ib_mr *ohca_reg_user_mr_dmabuf(struct ib_pd *pd, u64 offset, u64 length, u64 va, int fd, int acc, OHCA_DMAH_ARG
				      struct uverbs_attr_bundle *attrs)
{
	struct ohca_dev *d = to_dev(pd->device);
	struct ib_umem_dmabuf *umem;
	struct ohca_mr *mr;
	int ret;

	if (OHCA_DMAH)
		return ERR_PTR(-EOPNOTSUPP);
	ret = access_of(&acc);
	if (ret)
		return ERR_PTR(ret);
	if (!length || va + length < va)
		return ERR_PTR(-EINVAL);
	mr = mr_new(length, va);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	umem = ib_umem_dmabuf_get_pinned(pd->device, offset, length, fd, acc);
	if (IS_ERR(umem))
		return mr_fail(d, mr, PTR_ERR(umem));
	mr->umem = &umem->umem;
	ret = mr_map(d, mr, va);
	if (!ret)
		ret = mr_key(d, mr, to_pd(pd)->pdn, acc);
	return ret ? mr_fail(d, mr, ret) : &mr->ib;
}

/*
 * The region keeps its keys, as programs have told them to others. All that can be refused comes first, so that a region stays as it was if it
 * cannot be changed; then there is no such key for a moment, in which the adapter lets go of what the region was.
 */
struct ib_mr *ohca_rereg_user_mr(struct ib_mr *ibmr, int flags, u64 start, u64 length, u64 va, int acc, struct ib_pd *pd, struct ib_udata *udata)
{
	struct ohca_mr *mr = to_mr(ibmr), *next;
	struct ohca_dev *d = to_dev(ibmr->device);
	bool pin = flags & IB_MR_REREG_TRANS;
	struct ohca_mpt m = {};
	int ret;

	ret = ohca_no_req(udata);
	if (ret)
		return ERR_PTR(ret);
	if (flags & ~(IB_MR_REREG_TRANS | IB_MR_REREG_PD | IB_MR_REREG_ACCESS))
		return ERR_PTR(-EOPNOTSUPP);
	if (!(flags & IB_MR_REREG_ACCESS))
		acc = mr->acc;
	ret = access_of(&acc);
	if (ret)
		return ERR_PTR(ret);
	if (!pin) {
		length = mr->ib.length;
		va = mr->ib.iova;
		/* Pinned for reading only: once more, for writing. Of another device's memory there is nothing to do that with. */
		if (mr->umem && !mr->umem->writable && ib_access_writable(acc)) {
			if (mr->umem->is_dmabuf)
				return ERR_PTR(-EINVAL);
			start = mr->umem->address;
			pin = true;
		}
	}
	if (va + length < va)
		return ERR_PTR(-EINVAL);
	next = mr_new(length, va);
	if (!next)
		return ERR_PTR(-ENOMEM);
	if (pin) {
		ret = mr_pin(d, next, start, acc);
		if (ret)
			return mr_fail(d, next, ret);
	}
	mkey_revoke(d, mr);
	if (pin) {
		swap(mr->umem, next->umem);
		swap(mr->mtt, next->mtt);
		mr->ib.page_size = next->ib.page_size;
		mr->ib.length = length;
		mr->ib.iova = va;
	}
	mr_entry(mr, &m);
	ret = mkey_write(d, mr, to_pd(pd)->pdn, acc, &m);
	/* what the region was */
	mr_free(d, next);
	/* NULL: it is the same region */
	return ret ? ERR_PTR(ret) : NULL;
}

int ohca_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	struct ohca_dev *d = to_dev(ibmr->device);
	struct ohca_mr *mr = to_mr(ibmr);

	mkey_revoke(d, mr);
	ohca_icm_put(d, OHCA_ICM_TABLE_MPT, mr->index, 1);
	ida_free(&d->mpt_ida, mr->index);
	mr_free(d, mr);
	return 0;
}
