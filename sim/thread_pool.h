/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * Threads that share out small pieces of work, again and again, with the
 * caller: thread_pool_run() returns when all are done.  What was written before the
 * call is seen by the pieces, and what they wrote after it.  Made for pieces of
 * some ten microseconds: those who wait look for a while before they sleep.
 */
#ifndef OHCA_SIM_TEAM_H
#define OHCA_SIM_TEAM_H

#include <stdbool.h>

struct thread_pool;

/*
 * `threads` with the caller; NULL for 1 or less, or after a message if none can be had.  With `choose` calls are shared
 * out only while that is faster by the clock on the wall: beside other processes it may well not be, as everybody
 * waits for the one whose processor was taken away.
 * Threads beside the caller's stay off its processor if there are as many processors as threads; not with OHCA_SPREAD=0.
 */
struct thread_pool *thread_pool_create(unsigned threads, bool choose);
void thread_pool_destroy(struct thread_pool *t);
/* fn(ctx, 0) to fn(ctx, count - 1), in any order and in any thread.  A pool of NULL: one after the other, here.
 * True if they were shared out. */
bool thread_pool_run(struct thread_pool *t, void (*fn)(void *ctx, unsigned i), void *ctx, unsigned count);

#endif
