// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/* Event queues: EQ 0 for commands and asynchronous events, the others for completions; one MSI-X vector each. */
#include <linux/interrupt.h>

#include "ohca.h"

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

/* Lost completion events do no harm if every CQ looks for completions once. */
static void overflow(struct ohca_dev *d, u32 eqn)
{
	if (!eqn) {
		ohca_dead(d, "the queue of asynchronous events overflowed");
		return;
	}
	dev_warn_ratelimited(&d->pdev->dev, "event queue %u overflowed\n", eqn);
	ohca_cq_wake_all(d);
	ohca_net_event(d);
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

static irqreturn_t eq_irq(int irq, void *arg)
{
	struct ohca_eq *q = arg;
	u32 mask = (1u << q->log) - 1, seen = 0;

	for (;;) {
		struct ohca_eqe *e = &q->ring[q->ci & mask];

		if (OHCA_GET(OHCA_EQE_PHASE, e) != !(q->ci >> q->log & 1))
			break;
		dma_rmb();
		handle(q->dev, e);
		q->ci++;
		/* Room is given back before the ring can fill. */
		if (++seen > mask / 2) {
			eq_db(q, false);
			seen = 0;
		}
	}
	/* Arming fires at once if an entry was written after the last look. */
	eq_db(q, true);
	return IRQ_HANDLED;	/* the vector is not shared, so who calls has a reason */
}

static int eq_create(struct ohca_dev *d, unsigned int n)
{
	struct ohca_eq *q = &d->eq[n];
	struct ohca_cmd_eq_in in = {};
	int ret;

	q->dev = d;
	q->eqn = n;
	q->log = OHCA_EQ_LOG;
	q->ring = dma_alloc_coherent(&d->pdev->dev, sizeof(*q->ring) << q->log, &q->dma, GFP_KERNEL);
	if (!q->ring)
		return -ENOMEM;
	OHCA_SET(OHCA_CMD_EQ_IN_BUF, &in, q->dma);
	OHCA_SET(OHCA_CMD_EQ_IN_LOG_SIZE, &in, q->log);
	OHCA_SET(OHCA_CMD_EQ_IN_VECTOR, &in, n);
	ret = ohca_cmd(d, OHCA_CMD_OP_CREATE_EQ, n, 0, &in, sizeof(in), NULL, 0, NULL);
	if (ret)
		goto free;
	q->irq = pci_irq_vector(d->pdev, n);
	snprintf(q->name, sizeof(q->name), n ? "ohca-comp%u" : "ohca-async", n - 1);
	ret = request_irq(q->irq, eq_irq, 0, q->name, q);
	if (ret)
		goto destroy;
	eq_db(q, true);
	return 0;
destroy:
	ohca_cmd(d, OHCA_CMD_OP_DESTROY_EQ, n, 0, NULL, 0, NULL, 0, NULL);
free:
	dma_free_coherent(&d->pdev->dev, sizeof(*q->ring) << q->log, q->ring, q->dma);
	q->ring = NULL;
	return ret;
}

/* Commands are polled for from here on. After ohca_stop() there are none. */
static void eq_destroy(struct ohca_dev *d, unsigned int n)
{
	struct ohca_eq *q = &d->eq[n];

	d->cmd_events = false;
	ohca_cmd(d, OHCA_CMD_OP_DESTROY_EQ, n, 0, NULL, 0, NULL, 0, NULL);
	free_irq(q->irq, q);
	dma_free_coherent(&d->pdev->dev, sizeof(*q->ring) << q->log, q->ring, q->dma);
	q->ring = NULL;
}

void ohca_eq_fini(struct ohca_dev *d)
{
	while (d->num_eq)
		eq_destroy(d, --d->num_eq);
	pci_free_irq_vectors(d->pdev);
}

int ohca_eq_init(struct ohca_dev *d)
{
	unsigned int want = min3(num_online_cpus() + 1, (unsigned int)OHCA_MAX_EQ,
				 (unsigned int)OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_MAX_EQ, &d->lim));
	int n, ret;

	n = pci_alloc_irq_vectors(d->pdev, 2, want, PCI_IRQ_MSIX);
	if (n < 0) {
		dev_err(&d->pdev->dev, "two MSI-X vectors are needed (%d)\n", n);
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
