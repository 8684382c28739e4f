/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/* Start: stack and BSS, then main(). main() does not return; if it did, the core traps and the device reports fatal. */
	.section .start, "ax"
	.globl _start
_start:
	la	sp, __stack_top
	la	a0, __bss_start
	la	a1, __bss_end
	/* Eight words a round, to which both ends are aligned. */
1:	bgeu	a0, a1, 2f
	sw	zero, 0(a0)
	sw	zero, 4(a0)
	sw	zero, 8(a0)
	sw	zero, 12(a0)
	sw	zero, 16(a0)
	sw	zero, 20(a0)
	sw	zero, 24(a0)
	sw	zero, 28(a0)
	addi	a0, a0, 32
	j	1b
2:	call	main
	.half	0
