/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * Recording and replay at the pins.  Every input of an adapter, from the host
 * and from the wire, is recorded with its cycle, and so is every output; the
 * replay needs neither guest nor peer and compares the outputs pin by pin.
 */
#ifndef OHCA_SIM_RECORD_H
#define OHCA_SIM_RECORD_H

#include "model.h"

#include <stdbool.h>
#include <stdio.h>

struct recorder;
struct recorder *record_open(const char *path, const struct ohca_model_config *cfg,
			     uint64_t strap_guid);
void record_cycle(struct recorder *r, const struct ohca_in *in, const struct ohca_out *out);
bool record_close(struct recorder *r);	/* false: the file is incomplete */

struct replay_result {
	uint64_t cycles;		/* replayed */
	uint64_t mismatches;		/* cycles in which an output differed */
	uint64_t first_cycle;		/* of the first mismatch */
	char first_pin[32];
	bool truncated;			/* the recording ends in mid-record */
};
/* false after a message if the file is no recording or the model cannot be
 * had; stops after `max_mismatches` (0: never) */
bool replay_file(const char *path, ohca_model_create_fn create, const char *trace,
		 const char *firmware, uint64_t max_mismatches, struct replay_result *res);

#endif
