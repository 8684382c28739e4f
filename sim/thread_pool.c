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

#define PIECES 32			/* of a call; more are done by the caller alone */
#define LOOKS 4000			/* some 50 us before one sleeps */
#define COLD_CALLS 4			/* calls that are not worth waking all others for */
/* With `choose`: a trial is blocks of calls, in turns alone and shared; what was faster holds for a while. */
#define TRIAL_BLOCKS 4
#define TRIAL_CALLS 64			/* of a block; */
#define TRIAL_WAKES 8			/*   the first of them are not counted, as threads may have to be woken */
#define TRIAL_AFTER 4096		/* calls from one trial to the next; */
#define TRIAL_SOON 1024			/*   while alone, as what made that faster is other load, which may end */

struct thread_pool {
	/* Pieces not taken yet, a bit each.  One is taken by a compare-and-swap, which also shows the taker what the
	 * pieces are: they are written while this is 0, and nobody looks at them then. */
	_Alignas(64) atomic_uint open;
	_Alignas(64) atomic_uint left;	/* pieces not finished yet; thread_pool_run() sleeps on it */
	_Alignas(64) atomic_uint round;	/* of thread_pool_run(); the others sleep on it */
	atomic_uint sleepers;
	atomic_bool main_sleeps, stop;
	void (*fn)(void *ctx, unsigned i);
	void *ctx;
	bool choose, share;		/* the caller's own from here */
	unsigned cold;			/* calls since all others sleep */
	unsigned block, call;		/* of the trial that is left; block 0: there is none */
	uint64_t ns[2];			/* alone, shared; of the last trial, and fading those before */
	cpu_set_t allowed;		/* processors of the process, for keep_off() */
	bool keep_off;
	int cpu;			/* the caller's, which the others are kept off; -1: none yet */
	unsigned threads;
	struct worker { struct thread_pool *pool; pthread_t thread; } worker[];
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

/* Each begins with the piece of its own number (the caller has 0), so that this piece's data stays in its processor's
 * cache.
 * True if there was any to take. */
static bool take(struct thread_pool *t, unsigned self)
{
	unsigned open = atomic_load_explicit(&t->open, memory_order_relaxed);
	bool any = open != 0;

	while (open) {
		unsigned i = open >> self & 1 ? self : (unsigned)__builtin_ctz(open);

		if (!atomic_compare_exchange_weak_explicit(&t->open, &open, open & ~(1u << i), memory_order_acquire,
							   memory_order_relaxed))
			continue;
		t->fn(t->ctx, i);
		if (atomic_fetch_sub(&t->left, 1) == 1 && atomic_load(&t->main_sleeps))
			futex_wake(&t->left);
		open = atomic_load_explicit(&t->open, memory_order_relaxed);
	}
	return any;
}

static void *worker(void *arg)
{
	struct worker *w = arg;
	struct thread_pool *t = w->pool;
	unsigned self = (unsigned)(w - t->worker) + 1;

	while (!atomic_load(&t->stop)) {
		unsigned round = atomic_load(&t->round);

		for (unsigned i = 0; i < LOOKS && !atomic_load_explicit(&t->open, memory_order_relaxed); i++)
			relax();
		/* Who has done something looks again for as long: the others are about to be done, too. */
		if (take(t, self) || atomic_load(&t->round) != round)
			continue;
		atomic_fetch_add(&t->sleepers, 1);
		if (!atomic_load(&t->open) && !atomic_load(&t->stop))
			futex_wait(&t->round, round);
		atomic_fetch_sub(&t->sleepers, 1);
	}
	return NULL;
}

/* The others stay off the caller's processor.  Beside a process that polls the scheduler wakes them where the caller
 * runs, and leaves them there: then nothing is gained by sharing, for as long as the other one polls.  The caller
 * itself goes where the scheduler will have it. */
static void keep_off(struct thread_pool *t)
{
	int cpu = sched_getcpu();
	cpu_set_t set;

	if (cpu == t->cpu || cpu < 0 || cpu >= CPU_SETSIZE)
		return;
	t->cpu = cpu;
	set = t->allowed;
	CPU_CLR(cpu, &set);
	for (unsigned i = 0; i < t->threads; i++)
		if (pthread_setaffinity_np(t->worker[i].thread, sizeof(set), &set)) {
			t->keep_off = false;	/* somebody has moved the process elsewhere since: it is their choice */
			return;
		}
}

static void share(struct thread_pool *t, void (*fn)(void *ctx, unsigned i), void *ctx, unsigned count)
{
	unsigned left;

	if (t->keep_off)
		keep_off(t);
	t->fn = fn;
	t->ctx = ctx;
	atomic_store(&t->left, count);
	atomic_store(&t->open, ~0u >> (PIECES - count));
	atomic_fetch_add(&t->round, 1);
	if (atomic_load(&t->sleepers))
		futex_wake(&t->round);
	take(t, 0);
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

/* Whether others are awake, or to be woken: not for a piece of work now and then, which is done before they are. */
static bool warm(struct thread_pool *t)
{
	if (t->choose && atomic_load(&t->sleepers) == t->threads && ++t->cold <= COLD_CALLS)
		return false;
	t->cold = 0;
	return true;
}

bool thread_pool_run(struct thread_pool *t, void (*fn)(void *ctx, unsigned i), void *ctx, unsigned count)
{
	uint64_t begin = 0;
	bool shared = t && count > 1 && count <= PIECES && t->share && warm(t);

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
	const char *spread = getenv("OHCA_SPREAD");
	struct thread_pool *t;
	size_t size;

	if (threads < 2)
		return NULL;
	if (threads > PIECES)
		threads = PIECES;
	size = (sizeof(*t) + (threads - 1) * sizeof(t->worker[0]) + 63) & ~(size_t)63;
	t = aligned_alloc(64, size);
	if (!t)
		return NULL;
	memset(t, 0, size);
	t->choose = choose;
	t->share = true;
	t->cpu = -1;
	t->keep_off = !(spread && !strcmp(spread, "0")) && !sched_getaffinity(0, sizeof(t->allowed), &t->allowed) &&
		      (unsigned)CPU_COUNT(&t->allowed) >= threads;
	t->block = choose ? TRIAL_BLOCKS : 0;
	while (t->threads < threads - 1) {
		struct worker *w = &t->worker[t->threads];
		int err;

		w->pool = t;
		err = pthread_create(&w->thread, NULL, worker, w);
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
		pthread_join(t->worker[i].thread, NULL);
	free(t);
}
