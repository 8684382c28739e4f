/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * Threads that share out small pieces of work, again and again, with the
 * caller: thread_pool_run() returns when all are done.  What was written before the
 * call is seen by the pieces, and what they wrote after it.  Made for pieces of
 * some ten microseconds: those who wait look for a while before they sleep.
 */
#ifndef OHCA_SIM_TEAM_H
#define OHCA_SIM_TEAM_H

struct thread_pool;

/* `threads` with the caller; NULL for 1 or less, or after a message if none can be had. */
struct thread_pool *thread_pool_create(unsigned threads);
void thread_pool_destroy(struct thread_pool *t);
/* fn(ctx, 0) to fn(ctx, count - 1), in any order and in any thread.  A pool of NULL: one after the other, here. */
void thread_pool_run(struct thread_pool *t, void (*fn)(void *ctx, unsigned i), void *ctx, unsigned count);

#endif
