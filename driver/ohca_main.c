// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/* Probe and remove, bringing the device up and down, health, and recovery of a device that stopped answering. */
#include <linux/delay.h>
#include <linux/module.h>

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

static unsigned int health_stall = 200;
module_param(health_stall, uint, 0644);
MODULE_PARM_DESC(health_stall, "Milliseconds of device time after which a health counter that stands still means that the firmware stopped (default 200)");

static unsigned int recover = 6;
module_param(recover, uint, 0644);
MODULE_PARM_DESC(recover, "How often a device that stopped answering is reset and brought up before it is given up (default 6, 0 = never)");

static char *port_type = "ib";
module_param(port_type, charp, 0444);
MODULE_PARM_DESC(port_type, "What ports begin as: ib (default) or eth; port1_type of the PCI device changes it");

/* Delays that a kernel for tests has (make -C driver DEBUG=1), so that they find what a short window hides */
#ifdef OHCA_DEBUG
static unsigned int dying_delay;
module_param(dying_delay, uint, 0644);
MODULE_PARM_DESC(dying_delay, "Milliseconds between the decision that a device is stopped and its being stopped");

static int fail_nth;
module_param(fail_nth, int, 0644);
MODULE_PARM_DESC(fail_nth, "So many allocations until one fails; 0: it has, or none is to");

static atomic_t live;
module_param_named(live, live.counter, int, 0444);
MODULE_PARM_DESC(live, "What was allocated and not given back");

bool ohca_fault(void)
{
	int n = READ_ONCE(fail_nth);

	do {
		if (n <= 0)
			return false;
	} while (!try_cmpxchg(&fail_nth, &n, n - 1));
	return n == 1;
}

void ohca_live(int n)
{
	atomic_add(n, &live);
}
#else
#define dying_delay 0
#endif

#define STABLE (120 * HZ)	/* up for so long: what happens then is a new trouble */

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
		if (READ_ONCE(d->dying))
			return -ECANCELED;
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

/* Versions of commands that this driver speaks. What the newest means is in formats/. */
#define CMD_ABI_MIN 1u
#define CMD_ABI_MAX ((u32)OHCA_CMD_ABI)

static bool context_fits(u32 log_bytes)
{
	return log_bytes >= 4 && log_bytes <= 12;
}

/* The adapter tells what it is in a way that never changes; no other layout is looked at before this. */
static int agree(struct ohca_dev *d)
{
	u32 least = OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_CMD_ABI_MIN, &d->lim), most = OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_CMD_ABI_MAX, &d->lim);
	u32 host = OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_HOST_ABI, &d->lim), pages = OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_DB_PAGES, &d->lim);

	if (least > CMD_ABI_MAX || most < CMD_ABI_MIN) {
		dev_err(&d->pdev->dev, "the firmware takes commands of versions %u to %u, this driver sends %u to %u: update the %s\n",
			least, most, CMD_ABI_MIN, CMD_ABI_MAX, least > CMD_ABI_MAX ? "driver" : "adapter");
		return -EPROTO;
	}
	if (host != OHCA_HOST_ABI) {
		dev_err(&d->pdev->dev, "the adapter has host ABI %u, this driver %u: update the %s\n", host, (u32)OHCA_HOST_ABI,
			host > OHCA_HOST_ABI ? "driver" : "adapter");
		return -EPROTO;
	}
	/* Of contexts there are many in a chunk of context memory. */
	if (!context_fits(OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_LOG_QPC_BYTES, &d->lim)) ||
	    !context_fits(OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_LOG_CQC_BYTES, &d->lim)) ||
	    !context_fits(OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_LOG_MPT_BYTES, &d->lim))) {
		dev_err(&d->pdev->dev, "the firmware tells impossible sizes of contexts\n");
		return -EPROTO;
	}
	d->cmd_abi = min(most, CMD_ABI_MAX);
	d->db_shift = OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_DB_STRIDE_SHIFT, &d->lim);
	if (!ohca_db_fit(PAGE_SHIFT, d->db_shift, pages, d->adapter->bar_bytes,
			 OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_CAPS, &d->lim) >> OHCA_DEV_CAP_PUSH & 1)) {
		dev_err(&d->pdev->dev, "%u doorbell pages of 2^%u bytes do not fit pages of %lu, or the BAR\n", pages,
			d->db_shift, PAGE_SIZE);
		return -EPROTO;
	}
	return 0;
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
	readl(d->bar + OHCA_REG_ID);
	/* Not before the reset: an adapter that another kernel left running may still write. */
	pci_set_master(d->pdev);
	usleep_range(1000, 2000);
	if (cycles_per_us)
		writel(cycles_per_us, d->bar + OHCA_REG_TIME_SCALE);
	ret = wait_firmware(d);
	if (ret)
		return ret;
	ret = ohca_cmd(d, OHCA_CMD_OP_QUERY_DEV, 0, 0, NULL, 0, &d->lim, sizeof(d->lim), NULL);
	return ret ? ret : agree(d);
}

/* The clock of completion time stamps */
u64 ohca_now(struct ohca_dev *d)
{
	u32 lo, hi;

	spin_lock(&d->clock_lock);
	lo = readl(d->bar + OHCA_REG_NOW_LO);	/* latches the upper half */
	hi = readl(d->bar + OHCA_REG_NOW_HI);
	spin_unlock(&d->clock_lock);
	return lo | (u64)hi << 32;
}

/* An interval of 0 is looked at again, so that it can be changed at any time. */
static void health_later(struct ohca_dev *d)
{
	unsigned int s = READ_ONCE(health_interval);

	if (!READ_ONCE(d->dying))
		queue_delayed_work(d->wq, &d->health, s ? s * HZ : 10 * HZ);
}

/* The firmware's counter advances every 100 ms of device time, which passes slowly in a simulator. */
static void health_work(struct work_struct *w)
{
	struct ohca_dev *d = container_of(to_delayed_work(w), struct ohca_dev, health);
	u32 v = readl(d->bar + OHCA_REG_HEALTH), st = readl(d->bar + OHCA_REG_STATUS);
	u64 now = ohca_now(d);

	if (!READ_ONCE(health_interval)) {
		d->last_health = v;
		d->health_now = now;
	} else if (st == ~0u)
		ohca_dead(d, "the adapter is gone");
	else if (st & OHCA_MASK(OHCA_REG_STATUS_FATAL))
		ohca_dead(d, "the firmware stopped");
	if (v != d->last_health) {
		d->last_health = v;
		d->health_now = now;
	} else if (now - d->health_now > 1000ull * health_stall * OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_CYCLES_PER_US, &d->lim)) {
		ohca_dead(d, "the firmware's health counter stands still");
	}
	health_later(d);
}

/* ------------------------------------------------------------------ recovery */

/* Nothing completes any more, and no memory is written: whoever polls flushes its queues. */
void ohca_set_gone(struct ohca_dev *d)
{
	struct ohca_ucontext *c;
	unsigned long flags;

	spin_lock_irqsave(&d->ctx_lock, flags);
	WRITE_ONCE(d->silent, true);
	list_for_each_entry(c, &d->ctxs, list)
		WRITE_ONCE(((struct ohca_state *)page_address(c->page))->gone, 1);
	spin_unlock_irqrestore(&d->ctx_lock, flags);
}

/*
 * What its objects own is freed without its consent from now on, so it must not touch memory any more: a reset ends that, and one
 * that does not hear it is kept off the bus. Any context.
 */
static void silence(struct ohca_dev *d)
{
	if (dying_delay) {
		dev_info(&d->pdev->dev, "to be stopped in %u ms\n", dying_delay);
		mdelay(dying_delay);
	}
	writel(OHCA_REG_RESET_VALUE, d->bar + OHCA_REG_RESET);
	readl(d->bar + OHCA_REG_ID);	/* comes back behind what was written to memory before */
	pci_clear_master(d->pdev);
	ohca_set_gone(d);
	/* Not sooner: from here on memory is freed that the adapter was given. */
	smp_store_release(&d->dead, true);
	complete(&d->cmd_done);		/* a command that waits gets no answer any more */
}

/* The device is taken down and brought up by the work queue, where it may sleep. a->lock is held. */
static void rebuild_later(struct ohca_adapter *a)
{
	if (!a->removing)
		mod_delayed_work(a->wq, &a->rebuild, a->tries ? HZ << min(a->tries - 1, 5u) : 0);
}

void ohca_dead(struct ohca_dev *d, const char *why)
{
	struct ohca_adapter *a = d->adapter;
	unsigned long flags;

	if (xchg(&d->dying, true))
		return;
	silence(d);
	dev_err(&d->pdev->dev, "%s; the device is stopped\n", why);
	ohca_port_event(d, IB_EVENT_DEVICE_FATAL);
	spin_lock_irqsave(&a->lock, flags);
	if (a->dev == d) {
		if (time_after(jiffies, a->up_at + STABLE))
			a->tries = 0;
		rebuild_later(a);
	}
	spin_unlock_irqrestore(&a->lock, flags);
}

static void free_dev(struct ohca_dev *d)
{
	xa_destroy(&d->cqs);
	xa_destroy(&d->qps);
	ida_destroy(&d->mpt_ida);
	ida_destroy(&d->pd_ida);
	ida_destroy(&d->uar_ida);
	xa_destroy(&d->uar_users);
	ib_dealloc_device(&d->ib);
}

static struct lock_class_key cqs_class, qps_class;

static struct ohca_dev *alloc_dev(struct ohca_adapter *a)
{
	struct ohca_dev *d = ib_alloc_device(ohca_dev, ib);

	if (!d)
		return NULL;
	d->adapter = a;
	d->pdev = a->pdev;
	d->bar = a->bar;
	d->bar_phys = a->bar_phys;
	d->uar = d->bar + OHCA_BAR_DB_BASE;
	spin_lock_init(&d->event_lock);
	spin_lock_init(&d->ctx_lock);
	INIT_LIST_HEAD(&d->ctxs);
	spin_lock_init(&d->clock_lock);
	ida_init(&d->mpt_ida);
	ida_init(&d->pd_ida);
	ida_init(&d->uar_ida);
	mutex_init(&d->uar_lock);
	xa_init(&d->uar_users);
	xa_init_flags(&d->cqs, XA_FLAGS_ALLOC | XA_FLAGS_LOCK_IRQ);
	xa_init_flags(&d->qps, XA_FLAGS_ALLOC | XA_FLAGS_LOCK_IRQ);
	/*
	 * Of these three the last two are taken in interrupts. In one class, which is what xa_init() gives them, that
	 * looks to lockdep like a deadlock.
	 */
	lockdep_set_class(&d->cqs.xa_lock, &cqs_class);
	lockdep_set_class(&d->qps.xa_lock, &qps_class);
	INIT_DELAYED_WORK(&d->health, health_work);
	return d;
}

/* d takes part from now on: as the one that is coming, as the one in use, or no more. False: the adapter is being removed. */
static bool set_dev(struct ohca_adapter *a, struct ohca_dev *coming, struct ohca_dev *dev)
{
	bool ok;

	spin_lock_irq(&a->lock);
	ok = !a->removing;
	if (ok || !(coming || dev)) {
		a->coming = coming;
		a->dev = dev;
	}
	/* It died before it was known here. */
	if (dev && ok && READ_ONCE(dev->dying))
		rebuild_later(a);
	spin_unlock_irq(&a->lock);
	return ok;
}

static int bring_up(struct ohca_adapter *a)
{
	struct pci_dev *pdev = a->pdev;
	struct ohca_dev *d;
	int ret;

	d = alloc_dev(a);
	if (!d)
		return -ENOMEM;
	ret = -ENOMEM;
	d->wq = alloc_workqueue("ohca", WQ_MEM_RECLAIM, 0);
	if (!d->wq)
		goto dealloc;
	ret = ohca_cmd_init(d);
	if (ret)
		goto wq;
	if (!set_dev(a, d, NULL)) {
		ret = -ECANCELED;
		goto cmd;
	}
	ret = start(d);
	if (ret)
		goto off;
	ret = ohca_tables_init(d);
	if (ret)
		goto off;
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
	d->ib.driver_def = ohca_uapi;
	ret = ohca_port_begin(d);
	if (ret)
		goto eq;
	ret = ib_register_device(&d->ib, "ohca%d", &pdev->dev);
	if (ret) {
		dev_err(&pdev->dev, "registration failed (%d)\n", ret);
		goto port;
	}
	dev_info(&pdev->dev, "%s: OpenHCA, %u bits, firmware %u.%u.%u, commands of version %u\n", dev_name(&d->ib.dev),
		 1u << OHCA_EXTRACT(OHCA_REG_HW_CFG_DATA_WIDTH_LOG2, (u32)OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_HW_CFG, &d->lim)),
		 (u32)OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_FW_VERSION, &d->lim) >> 24,
		 (u32)OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_FW_VERSION, &d->lim) >> 16 & 0xff,
		 (u32)OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_FW_VERSION, &d->lim) & 0xffff, d->cmd_abi);
	ohca_set_registered(d, true);
	d->health_now = ohca_now(d);
	health_later(d);
	a->up_at = jiffies;
	if (!set_dev(a, NULL, d)) {
		/* Remove waits, and takes this one down. */
		a->coming = NULL;
		a->dev = d;
	}
	return 0;
port:
	ohca_port_end(d);
eq:
	ohca_stop(d);
	ohca_eq_fini(d);
icm:
	ohca_stop(d);
	ohca_icm_fini(d);
tables:
	ohca_tables_fini(d);
off:
	ohca_stop(d);
	pci_clear_master(pdev);
	set_dev(a, NULL, NULL);
cmd:
	ohca_cmd_fini(d);
wq:
	destroy_workqueue(d->wq);
dealloc:
	free_dev(d);
	return ret;
}

/* By remove or by rebuild, which exclude each other. */
static void take_down(struct ohca_adapter *a)
{
	struct ohca_dev *d = a->dev;

	set_dev(a, NULL, NULL);
	ohca_set_registered(d, false);
	/* Whoever sleeps until something completes wakes up, and finds it flushed. */
	if (READ_ONCE(d->silent))
		ohca_cq_wake_all(d, 0);
	ib_unregister_device(&d->ib);
	ohca_port_end(d);
	ohca_set_gone(d);	/* for processes that go on polling: their QPs have been destroyed */
	cancel_delayed_work_sync(&d->health);
	ohca_stop(d);
	pci_clear_master(d->pdev);
	ohca_eq_fini(d);
	ohca_icm_fini(d);
	ohca_tables_fini(d);
	ohca_cmd_fini(d);
	destroy_workqueue(d->wq);
	free_dev(d);
}

/* Down, reset, and up again; at growing intervals until it works or `recover` is used up. */
static void rebuild(struct work_struct *w)
{
	struct ohca_adapter *a = container_of(to_delayed_work(w), struct ohca_adapter, rebuild);
	struct device *dev = &a->pdev->dev;
	unsigned long t = jiffies;
	bool asked;
	int ret = 0;

	if (a->dev)
		take_down(a);
	if (READ_ONCE(a->removing) || READ_ONCE(a->held))
		return;
	spin_lock_irq(&a->lock);
	asked = a->asked;
	a->asked = false;
	spin_unlock_irq(&a->lock);
	if (!asked && a->tries >= recover) {
		dev_err(dev, "not brought up again in %u tries: the adapter is given up until the driver is bound again\n", a->tries);
		return;
	}
	a->tries++;
	/* A device that is not there any more need not be waited for. */
	if (!pci_device_is_present(a->pdev))
		ret = -ENODEV;
	/* A device that does not hear its reset register, or was not mended by it, is reset through its PCI function. */
	else if (a->tries > 1 || readl(a->bar + OHCA_REG_ID) != OHCA_REG_ID_VALUE) {
		WRITE_ONCE(a->resetter, current);
		/* Remove holds the function's lock while it waits for this. */
		ret = pci_try_reset_function(a->pdev);
		WRITE_ONCE(a->resetter, NULL);
		dev_warn(dev, "PCI function reset (%d)\n", ret);
	}
	if (!ret)
		ret = bring_up(a);
	if (!ret) {
		dev_info(dev, "up again after %u ms, try %u\n", jiffies_to_msecs(jiffies - t), a->tries);
		return;
	}
	dev_err(dev, "try %u of %u to bring it up failed (%d)\n", a->tries, recover, ret);
	spin_lock_irq(&a->lock);
	rebuild_later(a);
	spin_unlock_irq(&a->lock);
}

/* Taken down, and not brought up before release(). */
static void hold(struct ohca_adapter *a)
{
	WRITE_ONCE(a->held, true);
	spin_lock_irq(&a->lock);
	a->tries = 0;
	rebuild_later(a);
	spin_unlock_irq(&a->lock);
	flush_delayed_work(&a->rebuild);
}

static void release(struct ohca_adapter *a)
{
	spin_lock_irq(&a->lock);
	WRITE_ONCE(a->held, false);
	a->tries = 0;
	a->asked = true;
	rebuild_later(a);
	spin_unlock_irq(&a->lock);
}

/* The function is reset, by sysfs for one: the device is taken down before and brought up afterwards. */
static void reset_prepare(struct pci_dev *pdev)
{
	struct ohca_adapter *a = pci_get_drvdata(pdev);

	if (READ_ONCE(a->resetter) != current)
		hold(a);
}

static void reset_done(struct pci_dev *pdev)
{
	struct ohca_adapter *a = pci_get_drvdata(pdev);

	if (READ_ONCE(a->resetter) != current)
		release(a);
}

static const struct pci_error_handlers ohca_err = {
	.reset_prepare = reset_prepare,
	.reset_done = reset_done,
};

/*
 * A suspended adapter may lose its power and with it all that it knows, so the device goes, as when the driver is unbound, and a fresh one
 * comes when the system does. Whoever used the old one is told that it is gone.
 */
static int suspend(struct device *dev)
{
	hold(dev_get_drvdata(dev));
	return 0;
}

static int resume(struct device *dev)
{
	release(dev_get_drvdata(dev));
	return 0;
}

static DEFINE_SIMPLE_DEV_PM_OPS(ohca_pm, suspend, resume);

/* ------------------------------------------------------------------ kind of the port */

static u8 parse_type(const char *s)
{
	return sysfs_streq(s, "ib") ? IB_LINK_LAYER_INFINIBAND : sysfs_streq(s, "eth") ? IB_LINK_LAYER_ETHERNET : IB_LINK_LAYER_UNSPECIFIED;
}

static ssize_t port1_type_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct ohca_adapter *a = dev_get_drvdata(dev);

	return sysfs_emit(buf, "%s\n", READ_ONCE(a->port_type) == IB_LINK_LAYER_ETHERNET ? "eth" : "ib");
}

/* The RDMA device goes, as when the driver is unbound, and comes again with its port as wanted. */
static ssize_t port1_type_store(struct device *dev, struct device_attribute *attr, const char *buf, size_t count)
{
	struct ohca_adapter *a = dev_get_drvdata(dev);
	u8 type = parse_type(buf);
	bool change;

	if (!type)
		return -EINVAL;
	if (type == IB_LINK_LAYER_ETHERNET && !(readl(a->bar + OHCA_REG_HW_CFG) & OHCA_MASK(OHCA_REG_HW_CFG_ROCE)))
		return -EOPNOTSUPP;
	spin_lock_irq(&a->lock);
	change = a->port_type != type;
	if (change) {
		a->port_type = type;
		a->tries = 0;
		a->asked = true;
		rebuild_later(a);
	}
	spin_unlock_irq(&a->lock);
	if (change)
		flush_delayed_work(&a->rebuild);
	return READ_ONCE(a->dev) ? count : -EIO;
}
static DEVICE_ATTR_RW(port1_type);


/* ------------------------------------------------------------------ probe and remove */

/* A rebuild that is under way ends soon, and none follows. */
static void no_more(struct ohca_adapter *a)
{
	spin_lock_irq(&a->lock);
	a->removing = true;
	if (a->coming && !xchg(&a->coming->dying, true))
		silence(a->coming);
	spin_unlock_irq(&a->lock);
	cancel_delayed_work_sync(&a->rebuild);
}

static int ohca_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct ohca_adapter *a;
	int ret;

	a = kzalloc(sizeof(*a), GFP_KERNEL);
	if (!a)
		return -ENOMEM;
	a->pdev = pdev;
	pci_set_drvdata(pdev, a);
	spin_lock_init(&a->lock);
	INIT_DELAYED_WORK(&a->rebuild, rebuild);
	a->port_type = parse_type(port_type);
	if (!a->port_type) {
		dev_err(&pdev->dev, "port_type is %s: neither ib nor eth\n", port_type);
		ret = -EINVAL;
		goto free;
	}

	ret = pci_enable_device(pdev);
	if (ret)
		goto free;
	ret = pci_request_region(pdev, 0, "ohca");
	if (ret)
		goto disable;
	/* Data may be anywhere. The directory of context memory holds 50 bits of an address, and chunks are coherent memory. */
	ret = dma_set_mask(&pdev->dev, DMA_BIT_MASK(64));
	if (!ret)
		ret = dma_set_coherent_mask(&pdev->dev, DMA_BIT_MASK(50));
	if (ret)
		goto release;
	dma_set_max_seg_size(&pdev->dev, UINT_MAX);
	a->bar_bytes = pci_resource_len(pdev, 0);
	if (a->bar_bytes < OHCA_BAR_DB_BASE + SZ_4K) {
		ret = -ENODEV;
		goto release;
	}
	a->bar_phys = pci_resource_start(pdev, 0);
	/* Push pages are left out: mapped here, without write-combining, they would be without it in every process. */
	a->bar = ioremap(a->bar_phys, min_t(resource_size_t, a->bar_bytes, OHCA_BAR_UNCACHED_BYTES));
	if (!a->bar) {
		ret = -ENOMEM;
		goto release;
	}
	a->wq = alloc_ordered_workqueue("ohca-rebuild", 0);
	if (!a->wq) {
		ret = -ENOMEM;
		goto unmap;
	}
	ret = bring_up(a);
	if (ret)
		goto wq;
	/*
	 * Not one of the driver's groups: these go before remove is called, and wait for whoever is writing, who may wait for a device that does
	 * not come. Here remove ends that wait first.
	 */
	ret = device_create_file(&pdev->dev, &dev_attr_port1_type);
	if (!ret)
		return 0;
	no_more(a);
	if (a->dev)
		take_down(a);
wq:
	destroy_workqueue(a->wq);
unmap:
	iounmap(a->bar);
release:
	pci_release_region(pdev, 0);
disable:
	pci_disable_device(pdev);
free:
	kfree(a);
	return ret;
}

static void ohca_remove(struct pci_dev *pdev)
{
	struct ohca_adapter *a = pci_get_drvdata(pdev);

	no_more(a);
	device_remove_file(&pdev->dev, &dev_attr_port1_type);
	if (a->dev)
		take_down(a);
	destroy_workqueue(a->wq);
	iounmap(a->bar);
	pci_release_region(pdev, 0);
	pci_disable_device(pdev);
	kfree(a);
}

static void ohca_shutdown(struct pci_dev *pdev)
{
	struct ohca_adapter *a = pci_get_drvdata(pdev);

	no_more(a);
	/* Nobody frees anything any more; the objects stay with whoever has them until the machine stops. */
	if (a->dev) {
		if (!xchg(&a->dev->dying, true))
			silence(a->dev);
		cancel_delayed_work_sync(&a->dev->health);
	}
	writel(OHCA_REG_RESET_VALUE, a->bar + OHCA_REG_RESET);
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
	.err_handler = &ohca_err,
	.driver.pm = pm_sleep_ptr(&ohca_pm),
};
module_pci_driver(ohca_driver);

MODULE_AUTHOR("OpenHCA");
MODULE_DESCRIPTION("OpenHCA InfiniBand host channel adapter");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_VERSION(OHCA_VERSION);
