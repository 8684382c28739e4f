// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/* Command transport: one command at a time through the registers of BAR 0, completed by polling until EQ 0 exists, then by event. */
#include <linux/delay.h>
#include <linux/module.h>

#include "ohca.h"

static unsigned int cmd_timeout = 60;
module_param(cmd_timeout, uint, 0644);
MODULE_PARM_DESC(cmd_timeout, "Seconds until a command that is not answered counts as lost (default 60; simulators are slow)");

#ifdef OHCA_DEBUG
static unsigned int cmd_delay;
module_param(cmd_delay, uint, 0644);
MODULE_PARM_DESC(cmd_delay, "Milliseconds between the preparation of a command and the look whether there is somebody to take it");

static int refuse = -1;
module_param(refuse, int, 0644);
MODULE_PARM_DESC(refuse, "Opcode of a command that is not sent and fails, once");

static int cmd_nth;
module_param(cmd_nth, int, 0644);
MODULE_PARM_DESC(cmd_nth, "So many commands until one is not sent and fails; 0: it has, or none is to");

/* Commands are sent one at a time. */
static bool refused(enum ohca_cmd_op op)
{
	int n = READ_ONCE(cmd_nth);

	if (READ_ONCE(refuse) == op) {
		WRITE_ONCE(refuse, -1);
		return true;
	}
	if (n > 0)
		WRITE_ONCE(cmd_nth, n - 1);
	return n == 1;
}
#else
#define cmd_delay 0
#endif

static int status_to_errno(u8 st)
{
	switch (st) {
	case OHCA_CMD_STATUS_OK:
		return 0;
	case OHCA_CMD_STATUS_BAD_OP:
		return -EOPNOTSUPP;
	case OHCA_CMD_STATUS_BAD_PARAM:
	case OHCA_CMD_STATUS_BAD_STATE:
		return -EINVAL;
	case OHCA_CMD_STATUS_NO_RES:
		return -ENOMEM;
	case OHCA_CMD_STATUS_BUSY:
		return -EBUSY;
	case OHCA_CMD_STATUS_EXISTS:
		return -EEXIST;
	case OHCA_CMD_STATUS_NOT_FOUND:
		return -ENOENT;
	case OHCA_CMD_STATUS_PERM:
		return -EPERM;
	default:
		return -EIO;
	}
}

/* The end: after this no DMA comes from the adapter, and commands return without being sent. */
void ohca_stop(struct ohca_dev *d)
{
	WRITE_ONCE(d->dying, true);
	writel(OHCA_REG_RESET_VALUE, d->bar + OHCA_REG_RESET);
	readl(d->bar + OHCA_REG_ID);	/* comes back behind what was written to memory before */
	WRITE_ONCE(d->dead, true);
}

/* Who found the adapter dying frees memory only when it is silent: whoever is silencing it is about to finish. */
static int dead(struct ohca_dev *d)
{
	while (!smp_load_acquire(&d->dead))		/* its memory accesses are over then */
		usleep_range(50, 200);
	return -EIO;
}

void ohca_cmd_event(struct ohca_dev *d, u16 token, u8 status, u32 imm)
{
	if (token != READ_ONCE(d->cmd_token))
		return;		/* answer to a command that was given up */
	d->cmd_status = status;
	d->cmd_imm = imm;
	complete(&d->cmd_done);
}

static int wait_poll(struct ohca_dev *d, unsigned long end)
{
	bool late;
	u32 v;

	for (;;) {
		late = time_after(jiffies, end);	/* before the look: this task may not have run for long */
		v = readl(d->bar + OHCA_REG_CMD + 24);
		if (v == ~0u || READ_ONCE(d->dying))
			return -EIO;
		if (!(v & OHCA_MASK(OHCA_CMD_REGS_GO)))
			break;
		if (late)
			return -ETIMEDOUT;
		usleep_range(200, 1000);
	}
	d->cmd_status = OHCA_EXTRACT(OHCA_CMD_REGS_STATUS, v);
	d->cmd_imm = readl(d->bar + OHCA_REG_CMD + 28);
	return 0;
}

int ohca_cmd(struct ohca_dev *d, enum ohca_cmd_op op, u32 in_mod, u8 op_mod, const void *in, size_t in_len, void *out,
	     size_t out_len, u32 *imm)
{
	unsigned long timeout = READ_ONCE(cmd_timeout) * HZ;
	struct ohca_cmd_regs r = {};
	unsigned int i;
	int ret;

	if (WARN_ON(in_len > PAGE_SIZE || out_len > PAGE_SIZE))
		return -EINVAL;
	mutex_lock(&d->cmd_lock);
	reinit_completion(&d->cmd_done);
	if (cmd_delay)
		msleep(cmd_delay);
	/* Who silences the adapter says so first, and completes then: what is not seen here ends the wait below. */
	smp_mb();
	if (READ_ONCE(d->dying)) {
		ret = dead(d);
		goto unlock;
	}
#ifdef OHCA_DEBUG
	if (refused(op)) {
		ret = -EINVAL;
		goto unlock;
	}
#endif
	if (in)
		memcpy(d->cmd_in, in, in_len);
	atomic64_inc(&d->commands);
	WRITE_ONCE(d->cmd_token, d->cmd_token + 1);
	OHCA_SET(OHCA_CMD_REGS_IN_PARAM, &r, d->cmd_in_dma);
	OHCA_SET(OHCA_CMD_REGS_OUT_PARAM, &r, d->cmd_out_dma);
	OHCA_SET(OHCA_CMD_REGS_IN_MOD, &r, in_mod);
	OHCA_SET(OHCA_CMD_REGS_OPCODE, &r, op);
	OHCA_SET(OHCA_CMD_REGS_OP_MOD, &r, op_mod);
	OHCA_SET(OHCA_CMD_REGS_EVENT, &r, d->cmd_events);
	OHCA_SET(OHCA_CMD_REGS_TOKEN, &r, d->cmd_token);
	OHCA_SET(OHCA_CMD_REGS_GO, &r, 1);
	/* Ascending order; the dword with go comes last (the immediate result after it is read-only). */
	for (i = 0; i < 7; i++)
		writel(le32_to_cpu(r.dw[i]), d->bar + OHCA_REG_CMD + 4 * i);

	if (d->cmd_events)
		ret = wait_for_completion_timeout(&d->cmd_done, timeout) ? 0 : -ETIMEDOUT;
	else
		ret = wait_poll(d, jiffies + timeout);
	if (READ_ONCE(d->dying)) {
		ret = dead(d);
		goto unlock;
	}
	if (ret) {
		WRITE_ONCE(d->cmd_token, d->cmd_token + 1);
		dev_err(&d->pdev->dev, "command %#x: no answer (%d)\n", op, ret);
		ohca_dead(d, "a command was lost");
		dead(d);
		goto unlock;
	}
	ret = status_to_errno(d->cmd_status);
	if (ret)
		dev_dbg(&d->pdev->dev, "command %#x modifier %#x: status %u\n", op, in_mod, d->cmd_status);
	if (!ret && out)
		memcpy(out, d->cmd_out, out_len);
	if (imm)
		*imm = d->cmd_imm;
unlock:
	mutex_unlock(&d->cmd_lock);
	return ret;
}

/* A command failed in such a way that nobody knows which memory the adapter still uses, so it is stopped: after this all is free in any case. */
void ohca_cmd_unsure(struct ohca_dev *d, enum ohca_cmd_op op, u32 in_mod, int ret)
{
	if (READ_ONCE(d->dead))
		return;
	dev_err(&d->pdev->dev, "command %#x, modifier %#x, failed (%d)\n", op, in_mod, ret);
	ohca_dead(d, "the adapter does not give memory back");
	dead(d);
}

/* A command that takes memory back: it must not fail. */
void ohca_cmd_revoke(struct ohca_dev *d, enum ohca_cmd_op op, u32 in_mod, u8 op_mod)
{
	int ret = ohca_cmd(d, op, in_mod, op_mod, NULL, 0, NULL, 0, NULL);

	if (ret)
		ohca_cmd_unsure(d, op, in_mod, ret);
}

int ohca_cmd_init(struct ohca_dev *d)
{
	mutex_init(&d->cmd_lock);
	init_completion(&d->cmd_done);
	d->cmd_in = dma_alloc_coherent(&d->pdev->dev, PAGE_SIZE, &d->cmd_in_dma, GFP_KERNEL);
	if (!d->cmd_in)
		return -ENOMEM;
	d->cmd_out = dma_alloc_coherent(&d->pdev->dev, PAGE_SIZE, &d->cmd_out_dma, GFP_KERNEL);
	if (!d->cmd_out) {
		dma_free_coherent(&d->pdev->dev, PAGE_SIZE, d->cmd_in, d->cmd_in_dma);
		return -ENOMEM;
	}
	return 0;
}

void ohca_cmd_fini(struct ohca_dev *d)
{
	dma_free_coherent(&d->pdev->dev, PAGE_SIZE, d->cmd_out, d->cmd_out_dma);
	dma_free_coherent(&d->pdev->dev, PAGE_SIZE, d->cmd_in, d->cmd_in_dma);
}
