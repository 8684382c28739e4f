/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * A WQE written to a push buffer, which is mapped write-combined: eight 64-bit stores, which the processor makes one 64-byte write of
 * where it can. It may split it, and keeps no order within it; the adapter needs each byte once, in any order.
 */
#ifndef OHCA_PUSH_H
#define OHCA_PUSH_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/*
 * before: what was written to memory (the WQE in its ring, what it points to) is there before the adapter hears of it. Barriers for
 * ordinary device memory are not enough on x86, where stores to write-combining memory may pass others.
 * after: the bytes have left for the adapter before anything that comes later, as a doorbell or a push of another thread.
 */
#if defined(__x86_64__)
#define OHCA_CAN_PUSH true
static inline void ohca_push_before(void) { __asm__ volatile("sfence" ::: "memory"); }
static inline void ohca_push_after(void) { __asm__ volatile("sfence" ::: "memory"); }
#elif defined(__aarch64__)
#define OHCA_CAN_PUSH true
static inline void ohca_push_before(void) { __asm__ volatile("dmb oshst" ::: "memory"); }
static inline void ohca_push_after(void) { __asm__ volatile("dsb st" ::: "memory"); }
#elif defined(__riscv)
#define OHCA_CAN_PUSH true
static inline void ohca_push_before(void) { __asm__ volatile("fence ow, ow" ::: "memory"); }
static inline void ohca_push_after(void) { __asm__ volatile("fence ow, ow" ::: "memory"); }
#else
/* Nothing is known of the others: doorbells only. */
#define OHCA_CAN_PUSH false
static inline void ohca_push_before(void) { }
static inline void ohca_push_after(void) { }
#endif

static inline void ohca_push(void *to, const void *wqe)
{
	ohca_push_before();
	for (unsigned int i = 0; i < 8; i++) {
		uint64_t v;

		memcpy(&v, (const uint8_t *)wqe + 8 * i, 8);
		((volatile uint64_t *)to)[i] = v;
	}
	ohca_push_after();
}

#endif
