// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/* The firmware on the host: fwtest [-s SEED] [-n FUZZ-STEPS] [CASE…]. One line per case. FW_CONSOLE=1 shows what firmware logs. */
#include <time.h>
#include <unistd.h>

#include "fake.h"

unsigned fuzz_steps = 20000;

static unsigned planned(const struct test_case *t, int argc, char **argv)
{
	unsigned n = 0;

	for (; t->name; t++) {
		n += argc == 0;
		for (int i = 0; i < argc; i++)
			n += !strcmp(argv[i], t->name);
	}
	return n;
}

static unsigned run(const struct test_case *t, int argc, char **argv)
{
	unsigned bad = 0;

	for (; t->name; t++) {
		bool wanted = argc == 0;

		for (int i = 0; i < argc; i++)
			wanted |= !strcmp(argv[i], t->name);
		if (!wanted)
			continue;
		failures = 0;
		t->run();
		if (failures) {
			printf("not ok firmware-%s - %u checks failed (seed %llu)\n", t->name, failures, (unsigned long long)seed);
			bad++;
		} else {
			printf("ok firmware-%s\n", t->name);
		}
		fflush(stdout);
	}
	return bad;
}

int main(int argc, char **argv)
{
	static const struct test_case *const all[] = { cmd_cases, sma_cases, pma_cases, eth_cases, fuzz_cases };
	unsigned bad = 0, n = 0;
	int c;
	const char *given = getenv("OHCA_SEED") ? getenv("OHCA_SEED") : getenv("OHCA_DRAWN_SEED");

	seed = given ? strtoull(given, NULL, 0) : (u64)time(NULL);
	while ((c = getopt(argc, argv, "s:n:")) != -1) {
		if (c == 's')
			seed = strtoull(optarg, NULL, 0);
		else if (c == 'n')
			fuzz_steps = (unsigned)strtoul(optarg, NULL, 0);
		else
			return 2;
	}
	printf("# seed %llu\n", (unsigned long long)seed);
	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		n += planned(all[i], argc - optind, argv + optind);
	printf("1..%u\n", n);
	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		bad += run(all[i], argc - optind, argv + optind);
	return bad != 0;
}
