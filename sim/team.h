/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * Threads that share out small pieces of work, again and again, with the
 * caller: team_run() returns when all are done.  What was written before the
 * call is seen by the pieces, and what they wrote after it.  Made for pieces of
 * some ten microseconds: those who wait look for a while before they sleep.
 */
#ifndef OHCA_SIM_TEAM_H
#define OHCA_SIM_TEAM_H

struct team;

/* `threads` with the caller; NULL for 1 or less, or after a message if none can be had. */
struct team *team_create(unsigned threads);
void team_destroy(struct team *t);
/* fn(ctx, 0) to fn(ctx, count - 1), in any order and in any thread.  A team of NULL: one after the other, here. */
void team_run(struct team *t, void (*fn)(void *ctx, unsigned i), void *ctx, unsigned count);

#endif
