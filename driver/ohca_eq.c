// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/*
 * Event queues: EQ 0 for asynchronous events, which users' errors cause, the others for completions; one MSI-X vector each. Commands and what
 * the firmware tells have a queue of their own, d->ctl, so that nobody can fill it; it shares EQ 0's vector.
 *
 * An interrupt handles IRQ_BUDGET entries and leaves the rest to a work item.
 */
#include <linux/delay.h>
#include <linux/interrupt.h>
#include <linux/module.h>

#include "ohca.h"
#include "ohca_eqe.h"

#define IRQ_BUDGET 64
#define WORK_BUDGET 256
#define OHCA_EQ_LOG_MIN 8

/* Entries for one event of every QP there can be, if memory allows */
#ifdef OHCA_DEBUG
static unsigned int async_log = 16;
module_param(async_log, uint, 0444);
MODULE_PARM_DESC(async_log, "log2 of the entries for asynchronous events, 4 to 16");

static unsigned int async_delay;
module_param(async_delay, uint, 0644);
MODULE_PARM_DESC(async_delay, "Milliseconds that each asynchronous event takes");

static unsigned int comp_delay;
module_param(comp_delay, uint, 0644);
MODULE_PARM_DESC(comp_delay, "Milliseconds until events of completions are taken");
#else
#define async_log 16
#define async_delay 0
#define comp_delay 0
#endif

static void dispatch(struct ohca_dev *d, enum ib_event_type type)
{
	struct ib_event ev = { .device = &d->ib, .event = type };

	if (type != IB_EVENT_DEVICE_FATAL)
		ev.element.port_num = 1;
	ib_dispatch_event(&ev);
}

/* The core reads port, keys and GIDs while it registers the device: what changes meanwhile is told afterwards. */
void ohca_port_event(struct ohca_dev *d, enum ib_event_type type)
{
	unsigned long flags;
	bool now;

	spin_lock_irqsave(&d->event_lock, flags);
	now = d->registered;
	if (!now)
		d->early_events |= BIT(type);
	spin_unlock_irqrestore(&d->event_lock, flags);
	if (now)
		dispatch(d, type);
}

void ohca_set_registered(struct ohca_dev *d, bool on)
{
	unsigned long early;
	unsigned int i;

	BUILD_BUG_ON(IB_EVENT_GID_CHANGE >= 32 || IB_EVENT_CLIENT_REREGISTER >= 32 || IB_EVENT_DEVICE_FATAL >= 32);
	spin_lock_irq(&d->event_lock);
	d->registered = on;
	early = d->early_events;
	d->early_events = 0;
	spin_unlock_irq(&d->event_lock);
	if (on)
		for_each_set_bit(i, &early, BITS_PER_LONG)
			dispatch(d, i);
}

/*
 * Events were lost. Of completions that does no harm if every CQ of the queue looks for completions once. Asynchronous ones are found by
 * asking the adapter what they would have told. Whose events they were does not matter, so no user's errors stop the device.
 */
static void overflow_work(struct work_struct *w)
{
	struct ohca_dev *d = container_of(to_delayed_work(w), struct ohca_dev, overflow);
	unsigned long lost = xchg(&d->overflowed, 0);
	unsigned int n;

	for_each_set_bit(n, &lost, BITS_PER_LONG) {
		dev_warn_ratelimited(&d->pdev->dev, "event queue %u overflowed\n", n);
		if (n) {
			ohca_cq_wake_all(d, n);
			local_bh_disable();
			ohca_net_event(d);
			local_bh_enable();
		} else {
			ohca_qp_scan(d);
			ohca_cq_scan(d);
		}
	}
}

static void overflow(struct ohca_dev *d, u32 eqn)
{
	if (eqn >= BITS_PER_LONG)
		return;
	if (eqn == d->ctl.eqn) {
		ohca_dead(d, "the queue of commands' events overflowed");
		return;
	}
	atomic64_inc(&d->eq_overflows);
	set_bit(eqn, &d->overflowed);
	queue_delayed_work(d->wq, &d->overflow, 1);
}

static void handle(struct ohca_dev *d, const struct ohca_eqe *e)
{
	u32 num = OHCA_GET(OHCA_EQE_NUM, e), param = OHCA_GET(OHCA_EQE_PARAM, e);
	u8 type = OHCA_GET(OHCA_EQE_TYPE, e);

	switch (type) {
	case OHCA_EQE_TYPE_COMP:
		ohca_cq_event(d, num, false);
		break;
	case OHCA_EQE_TYPE_NIC:
		ohca_net_event(d);
		break;
	case OHCA_EQE_TYPE_CQ_ERROR:
		ohca_cq_event(d, num, true);
		break;
	case OHCA_EQE_TYPE_CMD:
		ohca_cmd_event(d, num, OHCA_GET(OHCA_EQE_SYNDROME, e), param);
		break;
	case OHCA_EQE_TYPE_QP_FATAL:
	case OHCA_EQE_TYPE_QP_REQ_ERR:
	case OHCA_EQE_TYPE_QP_ACCESS_ERR:
	case OHCA_EQE_TYPE_COMM_EST:
	case OHCA_EQE_TYPE_SQ_DRAINED:
		ohca_qp_event(d, num, type);
		break;
	case OHCA_EQE_TYPE_PORT_CHANGE:
		if (d->eth)
			ohca_link_event(d, param == IB_PORT_ACTIVE);
		else
			ohca_port_event(d, param == IB_PORT_ACTIVE ? IB_EVENT_PORT_ACTIVE : IB_EVENT_PORT_ERR);
		break;
	case OHCA_EQE_TYPE_LID_CHANGE:
		ohca_port_event(d, IB_EVENT_LID_CHANGE);
		break;
	case OHCA_EQE_TYPE_PKEY_CHANGE:
		atomic_inc(&d->pkey_gen);
		ohca_port_event(d, IB_EVENT_PKEY_CHANGE);
		break;
	case OHCA_EQE_TYPE_SM_CHANGE:
		ohca_port_event(d, IB_EVENT_SM_CHANGE);
		break;
	case OHCA_EQE_TYPE_GID_CHANGE:
		atomic_inc(&d->gid_gen);
		ohca_port_event(d, IB_EVENT_GID_CHANGE);
		break;
	case OHCA_EQE_TYPE_CLIENT_REREG:
		ohca_port_event(d, IB_EVENT_CLIENT_REREGISTER);
		break;
	case OHCA_EQE_TYPE_MAD_TRAP:
		break;		/* for tests of the firmware; traps reach the subnet manager as MADs */
	case OHCA_EQE_TYPE_EQ_OVERFLOW:
		overflow(d, num);
		break;
	case OHCA_EQE_TYPE_DEVICE_FATAL:
		ohca_dead(d, "the adapter reports a fatal error");
		break;
	default:
		dev_warn_ratelimited(&d->pdev->dev, "unknown event %#x\n", type);
	}
}

static void eq_db(struct ohca_eq *q, bool arm)
{
	struct ohca_db_eq db = {};

	OHCA_SET(OHCA_DB_EQ_EQN, &db, q->eqn);
	OHCA_SET(OHCA_DB_EQ_CI, &db, q->ci & 0xffffff);
	OHCA_SET(OHCA_DB_EQ_ARM, &db, arm);
	ohca_db_write(q->dev, OHCA_DB_EQ, le32_to_cpu(db.dw[0]) | (u64)le32_to_cpu(db.dw[1]) << 32);
}

static void eq_take(void *ctx, const struct ohca_eqe *e)
{
	handle(((struct ohca_eq *)ctx)->dev, e);
}

static void eq_give_back(void *ctx)
{
	eq_db(ctx, false);
}

static const struct ohca_eqe_ops eqe_ops = { .take = eq_take, .give_back = eq_give_back };

static bool eq_poll(struct ohca_eq *q, u32 budget)
{
	return ohca_eqe_take(q->ring, q->log, &q->ci, budget, &eqe_ops, q);
}

/* Of debug builds. Slept, not spun in the interrupt: what makes events goes on meanwhile, with one processor, too. */
static unsigned int delay_of(const struct ohca_eq *q)
{
	if (q == &q->dev->ctl)
		return 0;
	return q->eqn ? comp_delay : async_delay;
}

/* Many events: they are taken where others have their turn too, and the queue raises no interrupt meanwhile. */
static void eq_more(struct work_struct *w)
{
	struct ohca_eq *q = container_of(w, struct ohca_eq, more);
	u32 start = q->ci, budget = q->eqn || !async_delay ? WORK_BUDGET : 1;
	bool more;

	do {
		if (delay_of(q))
			msleep(delay_of(q));
		local_bh_disable();	/* what a handler raises runs at the end of this, not at the next tick */
		more = eq_poll(q, budget);
		local_bh_enable();
		cond_resched();
	} while (more && q->ci - start < 1u << q->log);
	if (more) {
		queue_work(q->dev->eq_wq, &q->more);
		return;
	}
	/* The interrupt's turn again, which arming may raise at once. */
	smp_store_release(&q->busy, false);
	eq_db(q, true);
}

static void eq_look(struct ohca_eq *q)
{
	/* Two queues share a vector: the interrupt may be the other's. */
	if (smp_load_acquire(&q->busy))
		return;
	if (delay_of(q) || eq_poll(q, IRQ_BUDGET)) {
		WRITE_ONCE(q->busy, true);
		queue_work(q->dev->eq_wq, &q->more);
		return;
	}
	/* Arming fires at once if an entry was written after the last look. */
	eq_db(q, true);
}

static irqreturn_t eq_irq(int irq, void *arg)
{
	struct ohca_eq *q = arg;

	if (q == &q->dev->eq[0] && q->dev->ctl.ring)
		eq_look(&q->dev->ctl);
	eq_look(q);
	return IRQ_HANDLED;	/* the vector is not shared with others, so who calls has a reason */
}

/* Events that are in the ring now have been handled when this returns. */
void ohca_eq_sync(struct ohca_dev *d, unsigned int n)
{
	synchronize_irq(d->eq[n].irq);
	/* The run that is under way ends after a ring of entries, so it may miss some that are there now. The next one does not. */
	flush_work(&d->eq[n].more);
	flush_work(&d->eq[n].more);
	if (!n)
		flush_work(&d->ctl.more);
}

static int eq_alloc(struct ohca_dev *d, struct ohca_eq *q, unsigned int eqn, unsigned int vector, unsigned int log, bool control)
{
	struct ohca_cmd_eq_in in = {};
	int ret;

	q->dev = d;
	q->eqn = eqn;
	q->ci = 0;
	INIT_WORK(&q->more, eq_more);
	/* A large ring is better, a small one works. */
	for (q->log = log;; q->log--) {
		q->ring = dma_alloc_coherent(&d->pdev->dev, sizeof(*q->ring) << q->log, &q->dma, GFP_KERNEL | __GFP_NOWARN);
		if (q->ring)
			break;
		if (q->log <= OHCA_EQ_LOG_MIN)
			return -ENOMEM;
	}
	OHCA_SET(OHCA_CMD_EQ_IN_BUF, &in, q->dma);
	OHCA_SET(OHCA_CMD_EQ_IN_LOG_SIZE, &in, q->log);
	OHCA_SET(OHCA_CMD_EQ_IN_VECTOR, &in, vector);
	ret = ohca_cmd(d, OHCA_CMD_OP_CREATE_EQ, eqn, control, &in, sizeof(in), NULL, 0, NULL);
	if (ret) {
		dma_free_coherent(&d->pdev->dev, sizeof(*q->ring) << q->log, q->ring, q->dma);
		q->ring = NULL;
	}
	return ret;
}

static void eq_free(struct ohca_dev *d, struct ohca_eq *q)
{
	ohca_cmd_revoke(d, OHCA_CMD_OP_DESTROY_EQ, q->eqn, 0);
	cancel_work_sync(&q->more);
	dma_free_coherent(&d->pdev->dev, sizeof(*q->ring) << q->log, q->ring, q->dma);
	q->ring = NULL;
}

static int eq_create(struct ohca_dev *d, unsigned int n)
{
	struct ohca_eq *q = &d->eq[n];
	int ret;

	ret = eq_alloc(d, q, n, n, n ? OHCA_EQ_LOG : async_log, false);
	if (ret)
		return ret;
	/* The first vector is also the commands' queue's. */
	if (!n) {
		ret = eq_alloc(d, &d->ctl, OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_MAX_EQ, &d->lim) - 1, 0, OHCA_EQ_LOG, true);
		if (ret)
			goto free;
	}
	q->irq = pci_irq_vector(d->pdev, n);
	snprintf(q->name, sizeof(q->name), n ? "ohca-comp%u" : "ohca-async", n - 1);
	ret = request_irq(q->irq, eq_irq, 0, q->name, q);
	if (ret)
		goto control;
	if (!n)
		eq_db(&d->ctl, true);
	eq_db(q, true);
	return 0;
control:
	if (!n)
		eq_free(d, &d->ctl);
free:
	eq_free(d, q);
	return ret;
}

/* Commands are polled for from here on. After ohca_stop() there are none. */
static void eq_destroy(struct ohca_dev *d, unsigned int n)
{
	struct ohca_eq *q = &d->eq[n];

	d->cmd_events = false;
	free_irq(q->irq, q);
	if (!n)
		eq_free(d, &d->ctl);
	eq_free(d, q);
}

void ohca_eq_fini(struct ohca_dev *d)
{
	while (d->num_eq)
		eq_destroy(d, --d->num_eq);
	pci_free_irq_vectors(d->pdev);
	cancel_delayed_work_sync(&d->overflow);
	destroy_workqueue(d->eq_wq);
}

int ohca_eq_init(struct ohca_dev *d)
{
	/* One more without a vector of its own */
	unsigned int want = min3(num_online_cpus() + 1, (unsigned int)OHCA_MAX_EQ,
				 (unsigned int)OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_MAX_EQ, &d->lim) - 1);
	int n, ret;

	INIT_DELAYED_WORK(&d->overflow, overflow_work);
	d->eq_wq = alloc_workqueue("ohca-eq", WQ_MEM_RECLAIM, 0);
	if (!d->eq_wq)
		return -ENOMEM;
	n = pci_alloc_irq_vectors(d->pdev, 2, want, PCI_IRQ_MSIX);
	if (n < 0) {
		dev_err(&d->pdev->dev, "two MSI-X vectors are needed (%d)\n", n);
		destroy_workqueue(d->eq_wq);
		return n;
	}
	for (d->num_eq = 0; d->num_eq < n; d->num_eq++) {
		ret = eq_create(d, d->num_eq);
		if (ret)
			goto undo;
	}
	d->cmd_events = true;
	return 0;
undo:
	ohca_eq_fini(d);
	return ret;
}
