/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * Commands.  A handler sees a validated frame: the input mailbox, if its command has one, is in cmd->in with its reserved
 * bits checked; what it puts into cmd->out is written to the output mailbox when it returns OK.  A handler that returns
 * anything else has changed nothing.
 */
#ifndef OHCA_FW_CMD_H
#define OHCA_FW_CMD_H

#include "hw.h"

struct cmd {
	u64 in_param, out_param;
	u32 in_mod, imm;
	u16 opcode;
	u8 op_mod;
	u32 in[128];		/* input mailbox, zero-filled */
	u32 out[128];		/* output mailbox, zero-filled */
};

enum {
	CMD_EARLY = 1,		/* allowed before init_dev */
	CMD_NO_FETCH = 2,	/* the handler reads the input itself */
	CMD_MOD = 4,		/* in_mod has a meaning; else it must be 0 */
};

struct cmd_desc {
	u16 opcode;
	u16 in_bytes, out_bytes;	/* 0: no mailbox, its address is not looked at.  in_bytes of array commands: one record */
	const u32 *rsvd;		/* reserved-bit masks of the input, in_bytes / 4 dwords; NULL: checked by the handler */
	u8 flags;
	u8 op_mod;			/* bits of op_mod that have a meaning; the others must be 0 */
	enum ohca_cmd_status (*run)(struct cmd *c);
};

extern const struct cmd_desc cmd_table[];
extern const u32 cmd_count;

/* Look at the command registers; run and complete what waits. */
void cmd_poll(void);

#endif
