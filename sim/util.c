/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/* The bounded log, allocation that cannot fail, and the wall clock. */
#include "util.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum log_level log_threshold = LOG_INFO;

void log_line(unsigned *site, enum log_level lvl, const char *fmt, ...)
{
	static const char *const name[] = { "error", "warning", "info", "debug" };
	va_list ap;

	if (__atomic_load_n(site, __ATOMIC_RELAXED) > LOG_LIMIT)
		return;
	fprintf(stderr, "ohca-sim: %s: ", name[lvl]);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	if (__atomic_add_fetch(site, 1, __ATOMIC_RELAXED) > LOG_LIMIT)
		fprintf(stderr, "ohca-sim: (further messages of this kind are not shown)\n");
}

void *xcalloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size ? size : 1);

	if (!p) {
		fprintf(stderr, "ohca-sim: out of memory (%zu x %zu bytes)\n", n, size);
		abort();
	}
	return p;
}

void *xrealloc(void *old, size_t size)
{
	void *p = realloc(old, size ? size : 1);

	if (!p) {
		fprintf(stderr, "ohca-sim: out of memory (%zu bytes)\n", size);
		abort();
	}
	return p;
}

char *xstrdup(const char *s)
{
	size_t n = strlen(s) + 1;

	return memcpy(xcalloc(1, n), s, n);
}

uint64_t wall_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ull + (uint64_t)ts.tv_nsec;
}
