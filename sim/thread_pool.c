/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/* Fork and join for pieces too short for a sleep at each. */
#include "thread_pool.h"
#include "util.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOOKS 4000			/* some 50 us before one sleeps */
/* With `choose`: a trial is blocks of calls, in turns alone and shared; what was faster holds for a while. */
#define TRIAL_BLOCKS 4
#define TRIAL_CALLS 64			/* of a block; */
#define TRIAL_WAKES 4			/*   the first of them are not counted, as threads may have to be woken */
#define TRIAL_AFTER 4096		/* calls from one trial to the next; */
#define TRIAL_SOON 1024			/*   while alone, as what made that faster is other load, which may end */

struct thread_pool {
	/* Pieces not taken yet.  One is taken by a compare-and-swap, which also shows the taker what the pieces are:
	 * they are written while this is 0, and nobody looks at them then. */
	_Alignas(64) atomic_uint open;
	_Alignas(64) atomic_uint left;	/* pieces not finished yet; thread_pool_run() sleeps on it */
	_Alignas(64) atomic_uint round;	/* of thread_pool_run(); the others sleep on it */
	atomic_uint sleepers;
	atomic_bool main_sleeps, stop;
	void (*fn)(void *ctx, unsigned i);
	void *ctx;
	bool choose, share;		/* the caller's own from here */
	unsigned block, call;		/* of the trial that is left; block 0: there is none */
	uint64_t ns[2];			/* alone, shared; of the last trial, and fading those before */
	unsigned threads;
	pthread_t thread[];
};

static void futex_wait(atomic_uint *word, unsigned seen)
{
	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
}

static void futex_wake(atomic_uint *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1 << 30, NULL, NULL, 0);
}

static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#else
	atomic_signal_fence(memory_order_seq_cst);
#endif
}

static void take(struct thread_pool *t)
{
	unsigned n = atomic_load_explicit(&t->open, memory_order_relaxed);

	while (n) {
		if (!atomic_compare_exchange_weak_explicit(&t->open, &n, n - 1, memory_order_acquire, memory_order_relaxed))
			continue;
		t->fn(t->ctx, n - 1);
		if (atomic_fetch_sub(&t->left, 1) == 1 && atomic_load(&t->main_sleeps))
			futex_wake(&t->left);
		n = atomic_load_explicit(&t->open, memory_order_relaxed);
	}
}

static void *worker(void *arg)
{
	struct thread_pool *t = arg;

	while (!atomic_load(&t->stop)) {
		unsigned round = atomic_load(&t->round);

		for (unsigned i = 0; i < LOOKS && !atomic_load_explicit(&t->open, memory_order_relaxed); i++)
			relax();
		take(t);
		if (atomic_load(&t->round) != round)
			continue;
		atomic_fetch_add(&t->sleepers, 1);
		if (!atomic_load(&t->open) && !atomic_load(&t->stop))
			futex_wait(&t->round, round);
		atomic_fetch_sub(&t->sleepers, 1);
	}
	return NULL;
}

static void share(struct thread_pool *t, void (*fn)(void *ctx, unsigned i), void *ctx, unsigned count)
{
	unsigned left;

	t->fn = fn;
	t->ctx = ctx;
	atomic_store(&t->left, count);
	atomic_store(&t->open, count);
	atomic_fetch_add(&t->round, 1);
	if (atomic_load(&t->sleepers))
		futex_wake(&t->round);
	take(t);
	for (unsigned i = 0; i < LOOKS; i++) {
		if (!atomic_load(&t->left))
			return;
		relax();
	}
	atomic_store(&t->main_sleeps, true);
	while ((left = atomic_load(&t->left)))
		futex_wait(&t->left, left);
	atomic_store(&t->main_sleeps, false);
}

/* A call is over.  Shared calls take two processors for as long as they last, so they have to be clearly faster. */
static void judge(struct thread_pool *t, uint64_t ns)
{
	if (!t->block) {
		if (++t->call < (t->share ? TRIAL_AFTER : TRIAL_SOON))
			return;
		t->call = 0;
		t->block = TRIAL_BLOCKS;
		t->ns[0] /= 2;
		t->ns[1] /= 2;
		return;
	}
	if (t->call >= TRIAL_WAKES)
		t->ns[t->share] += ns;
	if (++t->call < TRIAL_CALLS)
		return;
	t->call = 0;
	t->share = --t->block ? !t->share : t->ns[1] < t->ns[0] / 10 * 9;
}

bool thread_pool_run(struct thread_pool *t, void (*fn)(void *ctx, unsigned i), void *ctx, unsigned count)
{
	uint64_t begin = 0;
	bool shared = t && count > 1 && t->share;

	if (t && t->choose && count > 1)
		begin = wall_ns();
	if (shared)
		share(t, fn, ctx, count);
	else
		for (unsigned i = 0; i < count; i++)
			fn(ctx, i);
	if (begin)
		judge(t, wall_ns() - begin);
	return shared;
}

struct thread_pool *thread_pool_create(unsigned threads, bool choose)
{
	struct thread_pool *t;
	size_t size;

	if (threads < 2)
		return NULL;
	size = (sizeof(*t) + (threads - 1) * sizeof(t->thread[0]) + 63) & ~(size_t)63;
	t = aligned_alloc(64, size);
	if (!t)
		return NULL;
	memset(t, 0, size);
	t->choose = choose;
	t->share = true;
	t->block = choose ? TRIAL_BLOCKS : 0;
	while (t->threads < threads - 1) {
		int err = pthread_create(&t->thread[t->threads], NULL, worker, t);

		if (err) {
			log_err("no more than %u threads: %s", t->threads + 1, strerror(err));
			break;
		}
		t->threads++;
	}
	return t;
}

void thread_pool_destroy(struct thread_pool *t)
{
	if (!t)
		return;
	atomic_store(&t->stop, true);
	atomic_fetch_add(&t->round, 1);
	futex_wake(&t->round);
	for (unsigned i = 0; i < t->threads; i++)
		pthread_join(t->thread[i], NULL);
	free(t);
}
