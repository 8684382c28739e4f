/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * What passes the host side of each adapter's pins, as text: register accesses, bursts on the DMA bus with the beginning of
 * their data, interrupts.  scripts/timeline.py makes a timeline of it and of the capture.
 *
 * A line is KIND NODE NS END ADDRESS BYTES DATA: W, R register write and read; w, r DMA write and read burst, from its
 * address to its last beat; i interrupt (ADDRESS is the vector).  Times are nanoseconds of device time, the capture's clock.
 */
#ifndef OHCA_EVENTS_H
#define OHCA_EVENTS_H

#include <stdint.h>

struct events;

/* NULL after a message if the file cannot be written */
struct events *events_open(const char *path, double ns_per_cycle);
void events_close(struct events *e);
/* May be called by the threads of all adapters; data may be NULL. */
void events_add(struct events *e, char kind, unsigned node, uint64_t from, uint64_t to, uint64_t addr, unsigned bytes,
		const uint8_t *data, unsigned data_bytes);

#endif
