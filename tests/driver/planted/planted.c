// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/*
 * What a driver must not do, one thing for each of the debug kernel's watchers: if none complains of it, their silence about the driver is worth nothing.
 * Loading it does it, and fails, so that nothing is left but what is to be found.
 */
#include <linux/dma-mapping.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <linux/timer.h>
#include <linux/workqueue.h>

static char *what = "";
module_param(what, charp, 0);

static DEFINE_MUTEX(first);
static DEFINE_MUTEX(second);
static DEFINE_SPINLOCK(spin);

struct thing {
	struct timer_list timer;
	struct work_struct work;
	char text[40];
};

static noinline void leak(void)
{
	int i;

	/* Several, as what lies about in a register or on a stack may look like a pointer to one of them. */
	for (i = 0; i < 16; i++) {
		char *p = kmalloc(200, GFP_KERNEL);

		if (p)
			memset(p, i, 200);
		barrier_data(p);
	}
}

static noinline void freed(void)
{
	struct thing *t = kzalloc(sizeof(*t), GFP_KERNEL);

	if (!t)
		return;
	OPTIMIZER_HIDE_VAR(t);
	kfree(t);
	WRITE_ONCE(t->text[3], 1);
}

static noinline void beyond(void)
{
	char *p = kmalloc(120, GFP_KERNEL);
	unsigned int i = 120;

	if (!p)
		return;
	OPTIMIZER_HIDE_VAR(i);
	WRITE_ONCE(p[i], 1);
	kfree(p);
}

/* A lock in memory that was given back: what is looked at lies in the kernel's own code. */
static noinline void locked(void)
{
	struct locked {
		char before[64];	/* KASAN keeps something at the begin of what was freed */
		spinlock_t lock;
	} *l = kzalloc(sizeof(*l), GFP_KERNEL);

	if (!l)
		return;
	spin_lock_init(&l->lock);
	OPTIMIZER_HIDE_VAR(l);
	kfree(l);
	spin_lock(&l->lock);
	spin_unlock(&l->lock);
}

static noinline void asleep(void)
{
	void *p;

	spin_lock(&spin);
	p = kmalloc(64, GFP_KERNEL);
	spin_unlock(&spin);
	kfree(p);
}

static noinline void order(void)
{
	mutex_lock(&first);
	mutex_lock(&second);
	mutex_unlock(&second);
	mutex_unlock(&first);
	mutex_lock(&second);
	mutex_lock(&first);
	mutex_unlock(&first);
	mutex_unlock(&second);
}

static void nothing(struct timer_list *t)
{
}

static void no_work(struct work_struct *w)
{
}

static noinline void timer(void)
{
	struct thing *t = kzalloc(sizeof(*t), GFP_KERNEL);

	if (!t)
		return;
	timer_setup(&t->timer, nothing, 0);
	mod_timer(&t->timer, jiffies + 1000 * HZ);
	kfree(t);
}

static noinline void work(void)
{
	struct thing *t = kzalloc(sizeof(*t), GFP_KERNEL);

	if (!t)
		return;
	INIT_WORK(&t->work, no_work);
	preempt_disable();	/* so that nobody takes it before it is freed */
	queue_work_on(0, system_wq, &t->work);
	kfree(t);
	preempt_enable();
}

static noinline void dma(void)
{
	struct platform_device *p = platform_device_register_simple("planted", -1, NULL, 0);
	void *buf = kmalloc(128, GFP_KERNEL);
	dma_addr_t at;

	if (IS_ERR(p))
		goto free;
	if (buf && !dma_coerce_mask_and_coherent(&p->dev, DMA_BIT_MASK(64))) {
		at = dma_map_single(&p->dev, buf, 128, DMA_FROM_DEVICE);
		if (!dma_mapping_error(&p->dev, at))
			dma_unmap_single(&p->dev, at, 64, DMA_FROM_DEVICE);
	}
	platform_device_unregister(p);
free:
	kfree(buf);
}

static const struct {
	const char *name;
	void (*do_it)(void);
} things[] = {
	{ "leak", leak }, { "freed", freed }, { "beyond", beyond }, { "locked", locked }, { "asleep", asleep }, { "order", order }, { "timer", timer },
	{ "work", work }, { "dma", dma },
};

static int __init planted_init(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(things); i++)
		if (!strcmp(what, things[i].name)) {
			things[i].do_it();
			return -ECANCELED;
		}
	return -EINVAL;
}
module_init(planted_init);

MODULE_DESCRIPTION("What the debug kernel must find");
MODULE_LICENSE("Dual BSD/GPL");
