/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/* Not there yet: creating a switch fails with a message. */
#include "switch.h"

struct ib_switch *ib_switch_create(unsigned ports, unsigned lanes, double rate_gbps,
				   unsigned clock_mhz, uint64_t seed)
{
	(void)ports; (void)lanes; (void)rate_gbps; (void)clock_mhz; (void)seed;
	log_err("the switch model is not built in yet");
	return NULL;
}
void ib_switch_destroy(struct ib_switch *s) { (void)s; }
void ib_switch_attach(struct ib_switch *s, unsigned port, struct wire *rx, struct wire *tx,
		      bool *present) { (void)s; (void)port; (void)rx; (void)tx; (void)present; }
void ib_switch_link(struct ib_switch *s, unsigned port, bool up, uint64_t now)
{ (void)s; (void)port; (void)up; (void)now; }
void ib_switch_step(struct ib_switch *s, uint64_t now) { (void)s; (void)now; }
uint64_t ib_switch_next(const struct ib_switch *s, uint64_t now) { (void)s; (void)now; return UINT64_MAX; }
const struct switch_port_stats *ib_switch_stats(const struct ib_switch *s, unsigned port)
{ (void)s; (void)port; return NULL; }
unsigned ib_switch_ports(const struct ib_switch *s) { (void)s; return 0; }
