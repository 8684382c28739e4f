/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * Commands to a running simulator, one per datagram to a unix socket; each is answered with a datagram to the sender's address.
 *
 *   wedge NODE              its registers answer no more, until a reset
 *   break NODE              the same, but no reset helps until it is mended
 *   mend NODE
 *   write NODE OFF VAL      a 4-byte register write, as if a host had made it (OFF, VAL: hexadecimal)
 */
#ifndef OHCA_SIM_CONTROL_H
#define OHCA_SIM_CONTROL_H

#include "fabric.h"

struct control {
	int fd;
	char path[108];
};

/* NULL after a message */
struct control *control_open(const char *path);
void control_close(struct control *c);
/* Carry out what waits on the socket; never blocks. */
void control_receive(struct control *c, struct fabric *f);
/* One command: NULL, or what is wrong with it. */
const char *control_run(struct fabric *f, const char *line);

#endif
