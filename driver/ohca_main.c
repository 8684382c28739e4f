// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/* Probe, remove, health. */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/random.h>

#include "ohca.h"

static unsigned int cycles_per_us;
module_param(cycles_per_us, uint, 0444);
MODULE_PARM_DESC(cycles_per_us, "Device cycles per microsecond; 0 (default) leaves the adapter's own value. A simulator that is slower than real time is told the truth here");

static unsigned int boot_timeout = 60;
module_param(boot_timeout, uint, 0444);
MODULE_PARM_DESC(boot_timeout, "Seconds to wait for the firmware after a reset (default 60)");

static unsigned int health_interval = 10;
module_param(health_interval, uint, 0644);
MODULE_PARM_DESC(health_interval, "Seconds between looks at the health counter, 0 = never (default 10)");

static int wait_firmware(struct ohca_dev *d)
{
	unsigned long end = jiffies + boot_timeout * HZ;
	bool late;
	u32 v;

	for (;;) {
		late = time_after(jiffies, end);
		v = readl(d->bar + OHCA_REG_STATUS);
		if (v == ~0u)
			return -ENODEV;
		if (v & OHCA_MASK(OHCA_REG_STATUS_FATAL)) {
			dev_err(&d->pdev->dev, "firmware stopped, syndrome %#lx\n", (unsigned long)OHCA_EXTRACT(OHCA_REG_STATUS_SYNDROME, v));
			return -EIO;
		}
		if (v & OHCA_MASK(OHCA_REG_STATUS_FW_READY))
			return 0;
		if (late) {
			dev_err(&d->pdev->dev, "firmware does not start, status %#x\n", v);
			return -ETIMEDOUT;
		}
		usleep_range(1000, 2000);
	}
}

static int start(struct ohca_dev *d)
{
	u32 v;
	int ret;

	v = readl(d->bar + OHCA_REG_ID);
	if (v != OHCA_REG_ID_VALUE) {
		dev_err(&d->pdev->dev, "not an OpenHCA: id register %#x\n", v);
		return -ENODEV;
	}
	/* Whatever a former driver left: start from nothing. */
	writel(OHCA_REG_RESET_VALUE, d->bar + OHCA_REG_RESET);
	usleep_range(1000, 2000);
	v = readl(d->bar + OHCA_REG_FMT_VERSION);
	if (v != OHCA_FMT_VERSION) {
		dev_err(&d->pdev->dev, "the adapter has formats %#x, this driver %#x: build both from one source\n", v, (u32)OHCA_FMT_VERSION);
		return -EPROTO;
	}
	if (cycles_per_us)
		writel(cycles_per_us, d->bar + OHCA_REG_TIME_SCALE);
	ret = wait_firmware(d);
	if (ret)
		return ret;
	return ohca_cmd(d, OHCA_CMD_OP_QUERY_DEV, 0, 0, NULL, 0, &d->lim, sizeof(d->lim), NULL);
}

static u64 device_now(struct ohca_dev *d)
{
	u32 lo = readl(d->bar + OHCA_REG_NOW_LO);	/* latches the upper half */

	return lo | (u64)readl(d->bar + OHCA_REG_NOW_HI) << 32;
}

/* The firmware's counter advances every 10 ms of device time, which passes slowly in a simulator: 200 ms of it are too long. */
static void health_work(struct work_struct *w)
{
	struct ohca_dev *d = container_of(to_delayed_work(w), struct ohca_dev, health);
	u32 v = readl(d->bar + OHCA_REG_HEALTH), st = readl(d->bar + OHCA_REG_STATUS);
	u64 now = device_now(d);

	if (st == ~0u)
		ohca_dead(d, "the adapter is gone");
	else if (st & OHCA_MASK(OHCA_REG_STATUS_FATAL))
		ohca_dead(d, "the firmware stopped");
	if (v != d->last_health) {
		d->last_health = v;
		d->health_now = now;
	} else if (now - d->health_now > 200000ull * OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_CYCLES_PER_US, &d->lim)) {
		ohca_dead(d, "the firmware's health counter stands still");
	}
	if (!d->dead && health_interval)
		queue_delayed_work(d->wq, &d->health, health_interval * HZ);
}

static int ohca_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct ohca_dev *d;
	int ret;

	d = ib_alloc_device(ohca_dev, ib);
	if (!d)
		return -ENOMEM;
	d->pdev = pdev;
	pci_set_drvdata(pdev, d);
	spin_lock_init(&d->event_lock);
	d->next_qpn = 2 + get_random_u32_below(126);	/* in the first chunk, where QP0 and QP1 are */
	ida_init(&d->mpt_ida);
	ida_init(&d->pd_ida);
	ida_init(&d->uar_ida);
	xa_init_flags(&d->cqs, XA_FLAGS_ALLOC | XA_FLAGS_LOCK_IRQ);
	xa_init_flags(&d->qps, XA_FLAGS_ALLOC | XA_FLAGS_LOCK_IRQ);
	INIT_DELAYED_WORK(&d->health, health_work);

	ret = pci_enable_device(pdev);
	if (ret)
		goto dealloc;
	ret = pci_request_region(pdev, 0, "ohca");
	if (ret)
		goto disable;
	ret = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(64));
	if (ret)
		goto release;
	dma_set_max_seg_size(&pdev->dev, UINT_MAX);
	if (pci_resource_len(pdev, 0) < OHCA_BAR0_BYTES) {
		ret = -ENODEV;
		goto release;
	}
	pci_set_master(pdev);
	d->bar_phys = pci_resource_start(pdev, 0);
	d->bar = ioremap(d->bar_phys, OHCA_BAR0_BYTES);
	if (!d->bar) {
		ret = -ENOMEM;
		goto release;
	}
	d->uar = d->bar + OHCA_BAR_DB_BASE;
	d->wq = alloc_workqueue("ohca", WQ_MEM_RECLAIM, 0);
	if (!d->wq) {
		ret = -ENOMEM;
		goto unmap;
	}
	ret = ohca_cmd_init(d);
	if (ret)
		goto wq;
	ret = start(d);
	if (ret)
		goto cmd;
	ret = ohca_tables_init(d);
	if (ret)
		goto cmd;
	ret = ohca_icm_init(d);
	if (ret)
		goto tables;
	ret = ohca_eq_init(d);
	if (ret)
		goto icm;

	d->ib.node_type = RDMA_NODE_IB_CA;
	d->ib.phys_port_cnt = 1;
	d->ib.num_comp_vectors = d->num_eq - 1;
	d->ib.local_dma_lkey = OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_RESERVED_LKEY, &d->lim);
	d->ib.node_guid = cpu_to_be64(OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_NODE_GUID, &d->lim));
	d->ib.dev.parent = &pdev->dev;
	strscpy(d->ib.node_desc, "OpenHCA", sizeof(d->ib.node_desc));
	ib_set_device_ops(&d->ib, &ohca_ops);
	ret = ib_register_device(&d->ib, "ohca%d", &pdev->dev);
	if (ret) {
		dev_err(&pdev->dev, "registration failed (%d)\n", ret);
		goto eq;
	}
	ohca_set_registered(d, true);
	d->health_now = device_now(d);
	if (health_interval)
		queue_delayed_work(d->wq, &d->health, health_interval * HZ);
	dev_info(&pdev->dev, "%s: OpenHCA, %u bits, firmware %u.%u.%u\n", dev_name(&d->ib.dev),
		 1u << OHCA_EXTRACT(OHCA_REG_HW_CFG_DATA_WIDTH_LOG2, (u32)OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_HW_CFG, &d->lim)),
		 (u32)OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_FW_VERSION, &d->lim) >> 24,
		 (u32)OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_FW_VERSION, &d->lim) >> 16 & 0xff,
		 (u32)OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_FW_VERSION, &d->lim) & 0xffff);
	return 0;
eq:
	ohca_stop(d);
	ohca_eq_fini(d);
icm:
	ohca_stop(d);
	ohca_icm_fini(d);
tables:
	ohca_tables_fini(d);
cmd:
	ohca_cmd_fini(d);
wq:
	destroy_workqueue(d->wq);
unmap:
	iounmap(d->bar);
release:
	pci_clear_master(pdev);
	pci_release_region(pdev, 0);
disable:
	pci_disable_device(pdev);
dealloc:
	ib_dealloc_device(&d->ib);
	return ret;
}

static void ohca_remove(struct pci_dev *pdev)
{
	struct ohca_dev *d = pci_get_drvdata(pdev);

	ib_unregister_device(&d->ib);
	ohca_set_registered(d, false);
	cancel_delayed_work_sync(&d->health);
	ohca_stop(d);
	pci_clear_master(pdev);
	ohca_eq_fini(d);
	ohca_icm_fini(d);
	ohca_tables_fini(d);
	ohca_cmd_fini(d);
	destroy_workqueue(d->wq);
	iounmap(d->bar);
	pci_release_region(pdev, 0);
	pci_disable_device(pdev);
	xa_destroy(&d->cqs);
	xa_destroy(&d->qps);
	ida_destroy(&d->mpt_ida);
	ida_destroy(&d->pd_ida);
	ida_destroy(&d->uar_ida);
	ib_dealloc_device(&d->ib);
}

static void ohca_shutdown(struct pci_dev *pdev)
{
	struct ohca_dev *d = pci_get_drvdata(pdev);

	writel(OHCA_REG_RESET_VALUE, d->bar + OHCA_REG_RESET);
	pci_clear_master(pdev);
}

static const struct pci_device_id ohca_ids[] = {
	{ PCI_DEVICE(0x0ca1, 0x0c01) },	/* nobody's; a board maker adds its own */
	{ }
};
MODULE_DEVICE_TABLE(pci, ohca_ids);

static struct pci_driver ohca_driver = {
	.name = "ohca",
	.id_table = ohca_ids,
	.probe = ohca_probe,
	.remove = ohca_remove,
	.shutdown = ohca_shutdown,
};
module_pci_driver(ohca_driver);

MODULE_AUTHOR("OpenHCA");
MODULE_DESCRIPTION("OpenHCA InfiniBand host channel adapter");
MODULE_LICENSE("Dual BSD/GPL");
