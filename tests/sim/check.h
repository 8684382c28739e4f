/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/* Smallest possible test frame: CASE(name) { … CHECK(…) } and one line per case. */
#ifndef OHCA_TEST_CHECK_H
#define OHCA_TEST_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int check_failed, check_total_failed;
static char check_why[256];

#define CHECK(cond) do { \
	if (!(cond) && !check_failed++) \
		snprintf(check_why, sizeof(check_why), "%s:%d: %s", __FILE__, __LINE__, #cond); \
} while (0)
#define CHECK_EQ(a, b) do { \
	unsigned long long a_ = (unsigned long long)(a), b_ = (unsigned long long)(b); \
	if (a_ != b_ && !check_failed++) \
		snprintf(check_why, sizeof(check_why), "%s:%d: %s is 0x%llx, not %s (0x%llx)", \
			 __FILE__, __LINE__, #a, a_, #b, b_); \
} while (0)

static inline void run_case(const char *name, void (*fn)(void))
{
	check_failed = 0;
	fn();
	if (check_failed) {
		check_total_failed++;
		printf("not ok %s - %s\n", name, check_why);
	} else {
		printf("ok %s\n", name);
	}
	fflush(stdout);
}
#define RUN(fn) run_case("sim-" #fn, fn)

#endif
