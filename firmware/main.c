// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/*
 * The firmware's loop: it serves commands, MADs and the port, and otherwise sleeps in the hardware's wait register. It never
 * touches a data packet.
 */
#include "cc.h"
#include "cmd.h"
#include "dev.h"
#include "handlers.h"
#include "log.h"
#include "mad.h"
#include "mcast.h"
#include "port.h"
#include "qp.h"

static u32 health;

/* Everything from the start, as after power-on: a reset of the device does not clear the RAM of its firmware. */
void fw_start(void)
{
#ifdef OHCA_HOST_TEST
	health = 0;			/* crt0 has done it for the core */
#endif
	dev_start();
	dev.icm_chunks = 1u << sys_rd(OHCA_M_SYS_ICM_LOG2);
	if (dev.icm_chunks > ICM_CHUNKS_MAX)
		dev.icm_chunks = ICM_CHUNKS_MAX;
	fw_log("OpenHCA firmware %u.%u.%u, formats %08x\n", FW_VERSION >> 24, FW_VERSION >> 16 & 255, FW_VERSION & 0xffff,
	       (u32)OHCA_FMT_VERSION);
	qp_init();
	cc_init();
	mcast_init();
	port_init();
	pma_init();
	sys_wr(OHCA_M_SYS_FW_VERSION, FW_VERSION);
	sys_wr(OHCA_M_SYS_STATUS, OHCA_PREP(OHCA_REG_STATUS_FW_READY, 1));
}

/*
 * For tests of the host's recovery: the core stops as if its firmware had crashed, with a trap that the hardware reports or, with hang,
 * silently. Only a reset helps.
 */
enum ohca_cmd_status do_halt(struct cmd *c)
{
	if (c->in_mod != OHCA_CMD_HALT_KEY)
		return OHCA_CMD_STATUS_BAD_PARAM;
	hw_halt(c->op_mod & 1);
	return OHCA_CMD_STATUS_OK;
}

/* Sleep until something happens, then serve it. */
void fw_step(void)
{
	u64 due = port_next(), wake;
	u32 ev;

	if (qp_next() < due)
		due = qp_next();
	/* The health counter has to move every 100 ms. */
	sys_wr(OHCA_M_SYS_HEALTH, ++health);
	wake = hw_now() + (u64)80000 * hw_cycles_per_us();
	if (due < wake)
		wake = due;
	sys_wr(OHCA_M_SYS_WAKE_LO, (u32)wake);
	sys_wr(OHCA_M_SYS_WAKE_HI, (u32)(wake >> 32));
	ev = sys_rd(OHCA_M_SYS_WAIT);
	port_times();
	/* Most wakes of an idle device are only for its health. */
	if (!(ev & ~(1u << OHCA_M_EVENT_TIMER)) && wake != due)
		return;
	cc_poll();
	mad_rx_poll();
	cmd_poll();
	port_poll();
	qp_poll();
}

#ifndef OHCA_HOST_TEST
int main(void)
{
	fw_start();
	for (;;)
		fw_step();
}
#endif
