/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
#include "events.h"
#include "util.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DATA 256			/* bytes of a burst that are kept: a whole send WQE */

struct events {
	FILE *f;
	double ns_per_cycle;
};

struct events *events_open(const char *path, double ns_per_cycle)
{
	struct events *e;
	FILE *f = fopen(path, "w");

	if (!f) {
		log_err("cannot write %s: %s", path, strerror(errno));
		return NULL;
	}
	e = xcalloc(1, sizeof(*e));
	e->f = f;
	e->ns_per_cycle = ns_per_cycle;
	return e;
}

void events_close(struct events *e)
{
	if (!e)
		return;
	if (fclose(e->f))
		log_err("cannot write all events: %s", strerror(errno));
	free(e);
}

void events_add(struct events *e, char kind, unsigned node, uint64_t from, uint64_t to, uint64_t addr, unsigned bytes,
		const uint8_t *data, unsigned data_bytes)
{
	char hex[2 * MAX_DATA + 1];
	unsigned n = data_bytes < MAX_DATA ? data_bytes : MAX_DATA;

	for (unsigned i = 0; data && i < n; i++) {
		hex[2 * i] = "0123456789abcdef"[data[i] >> 4];
		hex[2 * i + 1] = "0123456789abcdef"[data[i] & 15];
	}
	hex[data ? 2 * n : 0] = 0;
	/* one call: the threads' lines do not mix */
	fprintf(e->f, "%c %u %.0f %.0f %llx %u %s\n", kind, node, (double)from * e->ns_per_cycle, (double)to * e->ns_per_cycle,
		(unsigned long long)addr, bytes, hex);
}
