// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/* The firmware on the host: fwtest [-s SEED] [-n FUZZ-STEPS] [CASE…]. One line per case. FW_CONSOLE=1 shows what firmware logs. */
#include <time.h>
#include <unistd.h>

#include "fake.h"

unsigned fuzz_steps = 20000;

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
	unsigned bad = 0;
	int c;

	seed = getenv("OHCA_SEED") ? strtoull(getenv("OHCA_SEED"), NULL, 0) : (u64)time(NULL);
	while ((c = getopt(argc, argv, "s:n:")) != -1) {
		if (c == 's')
			seed = strtoull(optarg, NULL, 0);
		else if (c == 'n')
			fuzz_steps = (unsigned)strtoul(optarg, NULL, 0);
		else
			return 2;
	}
	printf("# seed %llu\n", (unsigned long long)seed);
	bad += run(cmd_cases, argc - optind, argv + optind);
	bad += run(sma_cases, argc - optind, argv + optind);
	bad += run(pma_cases, argc - optind, argv + optind);
	bad += run(eth_cases, argc - optind, argv + optind);
	bad += run(fuzz_cases, argc - optind, argv + optind);
	return bad != 0;
}
