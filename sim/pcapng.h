/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * Capture of all links in one pcapng file: an interface per link direction
 * and link type, nanoseconds of virtual time, faults as packet comments.
 */
#ifndef OHCA_SIM_PCAPNG_H
#define OHCA_SIM_PCAPNG_H

#include "wire.h"

struct pcapng;

/* NULL after a message if the file cannot be written */
struct pcapng *pcapng_open(const char *path, double ns_per_cycle, bool with_fc);
void pcapng_packet(struct pcapng *c, struct wire *w, const struct packet *p,
		   const char *comment);
void pcapng_flush(struct pcapng *c);
void pcapng_close(struct pcapng *c);

#endif
