// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/*
 * A user of the adapter inside the kernel: a large CQ that is only polled (nobody is to be woken) and a QP with receives. When the device goes,
 * whether orderly or because it died, the QP is drained as kernel users do it, and what became of the receives is told in the log.
 */
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#define RECEIVES 5

struct kuser {
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_qp *qp;
	struct ib_cqe cqe;
	unsigned int flushed, other;
	u8 *buf;
	u64 dma;
};

static struct ib_client kuser_client;

static void done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct kuser *k = cq->cq_context;

	if (wc->status == IB_WC_WR_FLUSH_ERR)
		k->flushed++;
	else
		k->other++;
}

static int prepare(struct ib_device *dev, struct kuser *k)
{
	struct ib_qp_attr a = { .qp_state = IB_QPS_INIT, .port_num = 1 };
	struct ib_qp_init_attr init = { .qp_type = IB_QPT_RC, .sq_sig_type = IB_SIGNAL_ALL_WR };
	struct ib_recv_wr wr = {};
	struct ib_sge sge;
	int i, ret;

	k->pd = ib_alloc_pd(dev, 0);
	if (IS_ERR(k->pd))
		return PTR_ERR(k->pd);
	k->cq = ib_alloc_cq(dev, k, 100000, 0, IB_POLL_DIRECT);
	if (IS_ERR(k->cq)) {
		ret = PTR_ERR(k->cq);
		goto pd;
	}
	init.send_cq = k->cq;
	init.recv_cq = k->cq;
	init.cap.max_send_wr = 4000;
	init.cap.max_recv_wr = 4000;
	init.cap.max_send_sge = 4;
	init.cap.max_recv_sge = 4;
	k->qp = ib_create_qp(k->pd, &init);
	if (IS_ERR(k->qp)) {
		ret = PTR_ERR(k->qp);
		goto cq;
	}
	ret = ib_modify_qp(k->qp, &a, IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_ACCESS_FLAGS);
	if (ret)
		goto qp;
	k->buf = kzalloc(4096, GFP_KERNEL);
	ret = -ENOMEM;
	if (!k->buf)
		goto qp;
	k->dma = ib_dma_map_single(dev, k->buf, 4096, DMA_FROM_DEVICE);
	if (ib_dma_mapping_error(dev, k->dma))
		goto buf;
	k->cqe.done = done;
	sge.addr = k->dma;
	sge.length = 64;
	sge.lkey = k->pd->local_dma_lkey;
	wr.wr_cqe = &k->cqe;
	wr.sg_list = &sge;
	wr.num_sge = 1;
	ret = 0;
	for (i = 0; i < RECEIVES && !ret; i++)
		ret = ib_post_recv(k->qp, &wr, NULL);
	if (!ret)
		return 0;
	ib_dma_unmap_single(dev, k->dma, 4096, DMA_FROM_DEVICE);
buf:
	kfree(k->buf);
qp:
	ib_destroy_qp(k->qp);
cq:
	ib_free_cq(k->cq);
pd:
	ib_dealloc_pd(k->pd);
	return ret;
}

static int add_one(struct ib_device *dev)
{
	struct kuser *k;
	int ret;

	if (!dev->dev.parent || !dev->dev.parent->driver || strcmp(dev->dev.parent->driver->name, "ohca"))
		return -EOPNOTSUPP;
	k = kzalloc(sizeof(*k), GFP_KERNEL);
	if (!k)
		return -ENOMEM;
	ret = prepare(dev, k);
	dev_info(&dev->dev, "kuser: here (%d)\n", ret);
	if (ret)
		kfree(k);
	else
		ib_set_client_data(dev, &kuser_client, k);
	return ret;
}

static void remove_one(struct ib_device *dev, void *data)
{
	struct kuser *k = data;

	ib_drain_qp(k->qp);
	ib_destroy_qp(k->qp);
	ib_dma_unmap_single(dev, k->dma, 4096, DMA_FROM_DEVICE);
	kfree(k->buf);
	ib_free_cq(k->cq);
	ib_dealloc_pd(k->pd);
	dev_info(&dev->dev, "kuser: gone, %u of %u flushed, %u others\n", k->flushed, RECEIVES, k->other);
	kfree(k);
}

static struct ib_client kuser_client = { .name = "kuser", .add = add_one, .remove = remove_one };

static int __init kuser_init(void)
{
	return ib_register_client(&kuser_client);
}

static void __exit kuser_exit(void)
{
	ib_unregister_client(&kuser_client);
}

module_init(kuser_init);
module_exit(kuser_exit);
MODULE_DESCRIPTION("OpenHCA test: a user of the adapter inside the kernel");
MODULE_LICENSE("Dual BSD/GPL");
