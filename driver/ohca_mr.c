// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/* Memory regions: an MPT entry and, unless it covers all of memory, MTT entries for its pages. */
#include <linux/random.h>

#include "ohca.h"

#define PAGE_SIZES GENMASK_ULL(31, 12)	/* what the MTT can hold; the block iterator works on unsigned long */

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
	OHCA_SET(OHCA_MPT_VALID, m, 1);
	OHCA_SET(OHCA_MPT_KEY, m, mr->ib.lkey & 0xff);
	OHCA_SET(OHCA_MPT_PD, m, pdn);
	OHCA_SET(OHCA_MPT_ACC_LW, m, !!(acc & IB_ACCESS_LOCAL_WRITE));
	OHCA_SET(OHCA_MPT_ACC_RW, m, !!(acc & IB_ACCESS_REMOTE_WRITE));
	OHCA_SET(OHCA_MPT_ACC_RR, m, !!(acc & IB_ACCESS_REMOTE_READ));
	OHCA_SET(OHCA_MPT_ACC_RA, m, !!(acc & IB_ACCESS_REMOTE_ATOMIC));
	ret = ohca_cmd(d, OHCA_CMD_OP_CREATE_MKEY, mr->index, 0, m, sizeof(*m), NULL, 0, NULL);
	if (!ret)
		return 0;
	ohca_icm_put(d, OHCA_ICM_TABLE_MPT, mr->index, 1);
number:
	ida_free(&d->mpt_ida, mr->index);
	return ret;
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

struct ib_mr *ohca_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 va, int acc, OHCA_DMAH_ARG struct ib_udata *udata)
{
	struct ohca_dev *d = to_dev(pd->device);
	struct ohca_mpt m = {};
	unsigned long pgsz = SZ_4K;
	struct ohca_mr *mr;
	int ret;

	if (OHCA_DMAH)
		return ERR_PTR(-EOPNOTSUPP);
	/* Optional flags ask for what this adapter gives anyway, or may be ignored. */
	acc &= ~IB_ACCESS_OPTIONAL;
	/*
	 * Programs set these by default. Remote atomics: the permission is kept; who asks for an atomic is refused by the QP.
	 * Binding windows: there are none, so the permission is never used.
	 */
	acc &= ~IB_ACCESS_MW_BIND;
	if (acc & ~(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC))
		return ERR_PTR(-EOPNOTSUPP);
	if (va + length < va)
		return ERR_PTR(-EINVAL);
	mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	/* A region without a byte has a key, for accesses of length 0, and no pages. */
	if (length) {
		mr->umem = ohca_umem_get(pd->device, start, length, acc);
		if (IS_ERR(mr->umem)) {
			ret = PTR_ERR(mr->umem);
			goto free;
		}
		pgsz = ib_umem_find_best_pgsz(mr->umem, PAGE_SIZES, va);
		if (!pgsz) {
			ret = -EINVAL;
			goto release;
		}
		ret = ohca_mtt_umem(d, mr->umem, pgsz, &mr->mtt);
		if (ret)
			goto release;
	}
	OHCA_SET(OHCA_MPT_PAGE_SHIFT, &m, __ffs(pgsz));
	OHCA_SET(OHCA_MPT_START, &m, va);
	OHCA_SET(OHCA_MPT_LENGTH, &m, length);
	OHCA_SET(OHCA_MPT_MTT, &m, mr->mtt.first);
	ret = mkey_create(d, mr, to_pd(pd)->pdn, acc, &m);
	if (ret)
		goto mtt;
	mr->ib.length = length;
	mr->ib.iova = va;
	mr->ib.page_size = pgsz;
	return &mr->ib;
mtt:
	ohca_mtt_free(d, &mr->mtt);
release:
	ib_umem_release(mr->umem);
free:
	kfree(mr);
	return ERR_PTR(ret);
}

int ohca_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	struct ohca_dev *d = to_dev(ibmr->device);
	struct ohca_mr *mr = to_mr(ibmr);

	ohca_cmd_revoke(d, OHCA_CMD_OP_DESTROY_MKEY, mr->index, 0);
	ohca_check_free(d);
	ohca_mtt_free(d, &mr->mtt);
	ohca_icm_put(d, OHCA_ICM_TABLE_MPT, mr->index, 1);
	ida_free(&d->mpt_ida, mr->index);
	ib_umem_release(mr->umem);
	kfree(mr);
	return 0;
}
