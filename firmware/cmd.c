// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/* Command framing: fetch, check, dispatch, answer. Handlers are in the files named after their objects, the table is at the end. */
#include "cmd.h"
#include "dev.h"
#include "log.h"
#include "handlers.h"

static bool rsvd_zero(const u32 *v, const u32 *mask, u32 bytes)
{
	for (u32 i = 0; i < bytes / 4; i++)
		if (v[i] & mask[i])
			return false;
	return true;
}

static enum ohca_cmd_status run(struct cmd *c)
{
	const struct cmd_desc *d = NULL;
	enum ohca_cmd_status st;

	for (u32 i = 0; i < cmd_count; i++)
		if (cmd_table[i].opcode == c->opcode)
			d = &cmd_table[i];
	if (!d)
		return OHCA_CMD_STATUS_BAD_OP;
	if (!dev.inited && !(d->flags & CMD_EARLY))
		return OHCA_CMD_STATUS_BAD_STATE;
	if ((c->op_mod & ~d->op_mod) || (c->in_mod && !(d->flags & CMD_MOD)))
		return OHCA_CMD_STATUS_BAD_PARAM;
	/* Mailboxes are pages; both are looked at before anything is done. */
	if ((d->in_bytes && ((c->in_param & 4095) || !c->in_param)) || (d->out_bytes && ((c->out_param & 4095) || !c->out_param)))
		return OHCA_CMD_STATUS_BAD_PARAM;
	zero(c->in, d->in_bytes);
	zero(c->out, d->out_bytes);
	if (d->in_bytes && !(d->flags & CMD_NO_FETCH)) {
		if (!hw_dma_read(c->in_param, c->in, d->in_bytes))
			return OHCA_CMD_STATUS_DMA;
		if (d->rsvd && !rsvd_zero(c->in, d->rsvd, d->in_bytes))
			return OHCA_CMD_STATUS_BAD_PARAM;
	}
	st = d->run(c);
	if (st == OHCA_CMD_STATUS_OK && d->out_bytes && !hw_dma_write(c->out_param, c->out, d->out_bytes))
		return OHCA_CMD_STATUS_DMA;
	return st;
}

void cmd_poll(void)
{
	static struct cmd c;
	struct ohca_cmd_regs r;
	enum ohca_cmd_status st;

	if (!(sys_rd(OHCA_M_SYS_EVENT) >> OHCA_M_EVENT_CMD & 1))
		return;
	for (u32 i = 0; i < sizeof(r) / 4; i++)
		r.dw[i] = sys_rd(OHCA_M_SYS_CMD + 4 * i);

	c.imm = 0;
	c.in_param = OHCA_GET(OHCA_CMD_REGS_IN_PARAM, &r);
	c.out_param = OHCA_GET(OHCA_CMD_REGS_OUT_PARAM, &r);
	c.in_mod = OHCA_GET(OHCA_CMD_REGS_IN_MOD, &r);
	c.opcode = OHCA_GET(OHCA_CMD_REGS_OPCODE, &r);
	c.op_mod = OHCA_GET(OHCA_CMD_REGS_OP_MOD, &r);
	if (OHCA_GET(OHCA_CMD_REGS_RSVD0, &r) || OHCA_GET(OHCA_CMD_REGS_RSVD1, &r))
		st = OHCA_CMD_STATUS_BAD_PARAM;
	else
		st = run(&c);
	if (st != OHCA_CMD_STATUS_OK)
		fw_log("cmd %x mod %x:%x: status %u\n", c.opcode, c.in_mod, c.op_mod, (u32)st);

	sys_wr(OHCA_M_SYS_CMD_IMM, c.imm);
	sys_wr(OHCA_M_SYS_CMD_DONE, st);
	if (OHCA_GET(OHCA_CMD_REGS_EVENT, &r))
		host_event(OHCA_EQE_TYPE_CMD, 0, st, OHCA_GET(OHCA_CMD_REGS_TOKEN, &r), c.imm);
}

static enum ohca_cmd_status do_nop(struct cmd *c)
{
	c->imm = c->in_mod;
	return OHCA_CMD_STATUS_OK;
}

static const u32 rsvd_init_dev[] = OHCA_CMD_INIT_DEV_IN_RSVD;
static const u32 rsvd_eq[] = OHCA_CMD_EQ_IN_RSVD;
static const u32 rsvd_cq[] = OHCA_CMD_CQ_IN_RSVD;
static const u32 rsvd_resize[] = OHCA_CMD_RESIZE_CQ_IN_RSVD;
static const u32 rsvd_modify[] = OHCA_CMD_MODIFY_CQ_IN_RSVD;
static const u32 rsvd_mpt[] = OHCA_MPT_RSVD;
static const u32 rsvd_qp[] = OHCA_CMD_QP_IN_RSVD;
static const u32 rsvd_port[] = OHCA_CMD_PORT_IN_RSVD;
static const u32 rsvd_gid[] = OHCA_CMD_GID_IN_RSVD;
static const u32 rsvd_eth[] = OHCA_CMD_ETH_IN_RSVD;
static const u32 rsvd_nic[] = OHCA_CMD_NIC_IN_RSVD;
static const u32 rsvd_mad[] = OHCA_CMD_MAD_IFC_IN_RSVD;

/* Not more than the buffers hold; a layout that outgrows them does not compile. */
#define FITS(n) (!sizeof(char[(n) <= sizeof(((struct cmd *)0)->in) && (n) <= sizeof(((struct cmd *)0)->out) ? 1 : -1]) + (n))
#define SZ(t) FITS(sizeof(struct ohca_##t))
#define E CMD_EARLY
#define M CMD_MOD
#define F CMD_NO_FETCH
const struct cmd_desc cmd_table[] = {
	/* opcode                          in                     out                       reserved       flags     op_mod handler */
	{ OHCA_CMD_OP_NOP,                 0,                     0,                        NULL,          E | M,    0,     do_nop },
	{ OHCA_CMD_OP_QUERY_DEV,           0,                     SZ(cmd_query_dev_out),    NULL,          E,        0,     do_query_dev },
	{ OHCA_CMD_OP_INIT_DEV,            SZ(cmd_init_dev_in),   0,                        rsvd_init_dev, E,        0,     do_init_dev },
	{ OHCA_CMD_OP_CLOSE_DEV,           0,                     0,                        NULL,          E,        0,     do_close_dev },
	{ OHCA_CMD_OP_MAP_ICM,             SZ(cmd_map_icm_in),    0,                        NULL,          E | M | F, 0,     do_map_icm },
	{ OHCA_CMD_OP_UNMAP_ICM,           0,                     0,                        NULL,          E | M,    0xff,  do_unmap_icm },
	{ OHCA_CMD_OP_QUERY_PORT,          0,                     SZ(cmd_port_out),         NULL,          E | M,    0,     do_query_port },
	{ OHCA_CMD_OP_SET_PORT,            SZ(cmd_port_in),       0,                        rsvd_port,     M,        0,     do_set_port },
	{ OHCA_CMD_OP_MAD_IFC,             SZ(cmd_mad_ifc_in),    256,                      rsvd_mad,      E | M,    3,     do_mad_ifc },
	{ OHCA_CMD_OP_QUERY_GID,           0,                     16,                       NULL,          E | M,    0,     do_query_gid },
	{ OHCA_CMD_OP_QUERY_PKEY,          0,                     0,                        NULL,          E | M,    0,     do_query_pkey },
	{ OHCA_CMD_OP_SET_NODE_DESC,       64,                    0,                        NULL,          E,        0,     do_set_node_desc },
	{ OHCA_CMD_OP_SET_GID,             SZ(cmd_gid_in),        0,                        rsvd_gid,      M,        0,     do_set_gid },
	{ OHCA_CMD_OP_SET_ETH,             SZ(cmd_eth_in),        0,                        rsvd_eth,      M,        0,     do_set_eth },
	{ OHCA_CMD_OP_SET_NIC,             SZ(cmd_nic_in),        0,                        rsvd_nic,      M,        0,     do_set_nic },
	{ OHCA_CMD_OP_CREATE_EQ,           SZ(cmd_eq_in),         0,                        rsvd_eq,       M,        1,     do_create_eq },
	{ OHCA_CMD_OP_DESTROY_EQ,          0,                     0,                        NULL,          M,        0,     do_destroy_eq },
	{ OHCA_CMD_OP_CREATE_CQ,           SZ(cmd_cq_in),         0,                        rsvd_cq,       M,        0,     do_create_cq },
	{ OHCA_CMD_OP_DESTROY_CQ,          0,                     0,                        NULL,          M,        0,     do_destroy_cq },
	{ OHCA_CMD_OP_QUERY_CQ,            0,                     SZ(cqc),                  NULL,          M,        0,     do_query_cq },
	{ OHCA_CMD_OP_RESIZE_CQ,           SZ(cmd_resize_cq_in),  0,                        rsvd_resize,   M,        0,     do_resize_cq },
	{ OHCA_CMD_OP_MODIFY_CQ,           SZ(cmd_modify_cq_in),  0,                        rsvd_modify,   M,        0,     do_modify_cq },
	{ OHCA_CMD_OP_CREATE_MKEY,         SZ(mpt),               0,                        rsvd_mpt,      M,        0,     do_create_mkey },
	{ OHCA_CMD_OP_DESTROY_MKEY,        0,                     0,                        NULL,          M,        0,     do_destroy_mkey },
	{ OHCA_CMD_OP_QUERY_MKEY,          0,                     SZ(mpt),                  NULL,          M,        0,     do_query_mkey },
	{ OHCA_CMD_OP_SYNC_TPT,            0,                     0,                        NULL,          0,        0,     do_sync_tpt },
	{ OHCA_CMD_OP_CREATE_QP,           SZ(cmd_qp_in),         0,                        rsvd_qp,       M,        0,     do_create_qp },
	{ OHCA_CMD_OP_MODIFY_QP,           SZ(cmd_qp_in),         0,                        rsvd_qp,       M,        7,     do_modify_qp },
	{ OHCA_CMD_OP_QUERY_QP,            0,                     SZ(cmd_qp_in),            NULL,          M,        0,     do_query_qp },
	{ OHCA_CMD_OP_DESTROY_QP,          0,                     0,                        NULL,          M,        0,     do_destroy_qp },
	{ OHCA_CMD_OP_FLUSH_QP,            0,                     0,                        NULL,          M,        0,     do_flush_qp },
	{ OHCA_CMD_OP_ATTACH_MCAST,        SZ(cmd_mcast_in),      0,                        NULL,          M,        0,     do_attach_mcast },
	{ OHCA_CMD_OP_DETACH_MCAST,        SZ(cmd_mcast_in),      0,                        NULL,          M,        0,     do_detach_mcast },
	{ OHCA_CMD_OP_QUERY_COUNTERS,      0,                     512,                      NULL,          E,        0,     do_query_counters },
	{ OHCA_CMD_OP_HALT,                0,                     0,                        NULL,          E | M,    1,     do_halt },
};
#undef E
#undef M
#undef F
const u32 cmd_count = sizeof(cmd_table) / sizeof(cmd_table[0]);
