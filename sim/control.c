/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/* See control.h. */
#include "control.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

struct control *control_open(const char *path)
{
	struct sockaddr_un sa = { .sun_family = AF_UNIX };
	struct control *c;

	if (strlen(path) >= sizeof(c->path)) {
		log_err("control socket: the path %s is too long", path);
		return NULL;
	}
	c = xcalloc(1, sizeof(*c));
	strcpy(c->path, path);
	strcpy(sa.sun_path, path);
	unlink(path);
	c->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (c->fd < 0 || bind(c->fd, (struct sockaddr *)&sa, sizeof(sa))) {
		log_err("cannot bind %s: %s", path, strerror(errno));
		if (c->fd >= 0)
			close(c->fd);
		free(c);
		return NULL;
	}
	return c;
}

void control_close(struct control *c)
{
	if (!c)
		return;
	close(c->fd);
	unlink(c->path);
	free(c);
}

const char *control_run(struct fabric *f, const char *line)
{
	unsigned node, off, val;
	char verb[8];
	int end = -1;

	if (sscanf(line, "%7[a-z] %u %n", verb, &node, &end) == 2 && end >= 0 && !line[end]) {
		struct axi_host *h;

		if (node >= f->nodes)
			return "there is no such node";
		h = &f->node[node].host.axi;
		if (!strcmp(verb, "wedge") || !strcmp(verb, "break"))
			axi_host_wedge(h, *verb == 'b');
		else if (!strcmp(verb, "mend"))
			axi_host_mend(h);
		else
			return "what is that? wedge, break, mend, write";
		log_warn("%s: %s by command", f->node[node].name, line);
		return NULL;
	}
	end = -1;
	if (sscanf(line, "write %u %x %x %n", &node, &off, &val, &end) == 3 && end >= 0 && !line[end]) {
		uint8_t b[4] = { (uint8_t)val, (uint8_t)(val >> 8), (uint8_t)(val >> 16), (uint8_t)(val >> 24) };

		if (node >= f->nodes)
			return "there is no such node";
		if (off & 3 || off > 0xffffc)
			return "no register is there";
		return host_mmio_write(&f->node[node].host, off, b, 4) ? NULL : "no room now";
	}
	return "commands: wedge NODE, break NODE, mend NODE, write NODE OFF VAL";
}

void control_receive(struct control *c, struct fabric *f)
{
	struct sockaddr_un sa;
	socklen_t len = sizeof(sa);
	char line[128], said[160];
	const char *wrong;
	ssize_t n;

	while ((n = recvfrom(c->fd, line, sizeof(line) - 1, 0, (struct sockaddr *)&sa, &len)) >= 0) {
		line[n] = 0;
		wrong = control_run(f, line);
		snprintf(said, sizeof(said), "%s%s", wrong ? "error: " : "ok", wrong ? wrong : "");
		if (len > sizeof(sa_family_t))
			sendto(c->fd, said, strlen(said), MSG_NOSIGNAL, (struct sockaddr *)&sa, len);
		len = sizeof(sa);
	}
}
