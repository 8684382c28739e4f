// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/*
 * on HOST [COMMAND...]: run a command in another guest, as ssh would, without a command a shell; ends with its status.
 * on -s: the server, on the Ethernet between the guests, which nothing but guests is on.
 *
 * A request is { u32 length, u16 rows, u16 columns } and the command; rows = 0: no terminal. Then frames { u32 length } and
 * bytes in both directions: from the client input (length 0: its end), from the server output, and after length 0 a u32 status.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define PORT "7711"
#define MAX_COMMAND 65536

struct request {
	uint32_t length;
	uint16_t rows, columns;
};

static int put(int fd, const void *data, size_t n)
{
	for (const char *p = data; n;) {
		ssize_t w = write(fd, p, n);

		if (w < 0 && errno == EINTR)
			continue;
		if (w <= 0)
			return -1;
		p += w;
		n -= (size_t)w;
	}
	return 0;
}

static int get(int fd, void *data, size_t n)
{
	for (char *p = data; n;) {
		ssize_t r = read(fd, p, n);

		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			return -1;
		p += r;
		n -= (size_t)r;
	}
	return 0;
}

/* What is readable of a file as one frame; 0 at its end. */
static ssize_t frame(int from, int to)
{
	char buf[16384];
	ssize_t n = read(from, buf, sizeof(buf));
	uint32_t length;

	if (n <= 0)
		return 0;
	length = (uint32_t)n;
	return put(to, &length, 4) || put(to, buf, (size_t)n) ? -1 : n;
}

static void serve(int sock)
{
	static char command[MAX_COMMAND + 1], buf[65536];
	int in[2], out[2], status = 0;
	struct request q;
	uint32_t n;
	pid_t pid;

	if (get(sock, &q, sizeof(q)) || q.length > MAX_COMMAND || get(sock, command, q.length))
		_exit(1);
	signal(SIGCHLD, SIG_DFL);
	if (q.rows) {
		struct winsize ws = { .ws_row = q.rows, .ws_col = q.columns };

		pid = forkpty(&in[1], NULL, NULL, &ws);
		out[0] = in[1];
	} else {
		if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
			_exit(1);
		pid = fork();
	}
	if (!pid) {
		if (!q.rows) {
			setsid();
			dup2(in[0], 0);
			dup2(out[1], 1);
			dup2(out[1], 2);
		}
		close(sock);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	if (!q.rows) {
		close(in[0]);
		close(out[1]);
	}
	signal(SIGPIPE, SIG_IGN);
	for (int input = in[1];;) {
		struct pollfd fds[2] = { { out[0], POLLIN, 0 }, { sock, POLLIN, 0 } };

		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			break;
		if (fds[0].revents && frame(out[0], sock) <= 0)
			break;
		if (!fds[1].revents)
			continue;
		/* The client went away, by Ctrl-C or with its guest: so does the command. */
		if (get(sock, &n, 4) || n > sizeof(buf) || get(sock, buf, n)) {
			kill(-pid, SIGTERM);
			usleep(200000);
			kill(-pid, SIGKILL);
			_exit(1);
		}
		if (input >= 0 && n)
			put(input, buf, n);
		else if (input >= 0 && !q.rows) {
			close(input);
			input = -1;
		}
	}
	waitpid(pid, &status, 0);
	n = 0;
	put(sock, &n, 4);
	n = WIFSIGNALED(status) ? 128u + (unsigned)WTERMSIG(status) : (unsigned)WEXITSTATUS(status);
	put(sock, &n, 4);
	_exit(0);
}

static int server(void)
{
	struct addrinfo hint = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE }, *a;
	int one = 1, fd;

	if (getaddrinfo(NULL, PORT, &hint, &a))
		return 1;
	fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (fd < 0 || bind(fd, a->ai_addr, a->ai_addrlen) || listen(fd, 16)) {
		perror("on: server");
		return 1;
	}
	freeaddrinfo(a);
	if (daemon(0, 0))
		return 1;
	signal(SIGCHLD, SIG_IGN);
	for (;;) {
		int sock = accept4(fd, NULL, NULL, SOCK_CLOEXEC);

		if (sock >= 0 && !fork())
			serve(sock);
		close(sock);
	}
}

static struct termios saved;

static void restore(void)
{
	tcsetattr(0, TCSADRAIN, &saved);
}

static int client(const char *host, char **words)
{
	struct addrinfo hint = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM }, *a;
	static char command[MAX_COMMAND + 1], buf[65536];
	struct request q = { 0 };
	struct winsize ws;
	int fd, input = 1;
	uint32_t n;

	for (; *words; words++)
		if (strlen(command) + strlen(*words) + 2 > MAX_COMMAND) {
			fprintf(stderr, "on: the command is too long\n");
			return 255;
		} else {
			if (*command)
				strcat(command, " ");
			strcat(command, *words);
		}
	if (isatty(0) && isatty(1) && !ioctl(1, TIOCGWINSZ, &ws)) {
		q.rows = ws.ws_row ? ws.ws_row : 24;
		q.columns = ws.ws_col ? ws.ws_col : 80;
	}
	if (!*command)
		strcpy(command, "cd /root; exec bash -l");
	q.length = (uint32_t)strlen(command);
	fd = getaddrinfo(host, PORT, &hint, &a) ? -1 : socket(a->ai_family, SOCK_STREAM, 0);
	if (fd < 0 || connect(fd, a->ai_addr, a->ai_addrlen)) {
		if (fd >= 0)
			freeaddrinfo(a);
		fprintf(stderr, "on: no guest answers as %s (node0, node1, ...)\n", host);
		return 255;
	}
	freeaddrinfo(a);
	/* A background job must not stop because it set the terminal. */
	if (q.rows && tcgetpgrp(0) == getpgrp() && !tcgetattr(0, &saved)) {
		struct termios raw = saved;

		cfmakeraw(&raw);
		tcsetattr(0, TCSADRAIN, &raw);
		atexit(restore);
	} else {
		if (isatty(0) && tcgetpgrp(0) != getpgrp())
			input = 0;
		q.rows = 0;
	}
	if (put(fd, &q, sizeof(q)) || put(fd, command, q.length))
		return 255;
	for (;;) {
		struct pollfd fds[2] = { { fd, POLLIN, 0 }, { input ? 0 : -1, POLLIN, 0 } };

		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return 255;
		if (fds[1].revents && frame(0, fd) <= 0) {
			n = 0;
			put(fd, &n, 4);
			input = 0;
		}
		if (!fds[0].revents)
			continue;
		if (get(fd, &n, 4) || n > sizeof(buf) || (n && get(fd, buf, n))) {
			fprintf(stderr, "on: %s went away\n", host);
			return 255;
		}
		if (!n)
			return get(fd, &n, 4) ? 255 : (int)n;
		put(1, buf, n);
	}
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "-s"))
		return server();
	if (argc < 2 || argv[1][0] == '-') {
		fprintf(stderr, "usage: on HOST [COMMAND...]     run a command in another guest (node0, node1, ...)\n");
		return 2;
	}
	return client(argv[1], argv + 2);
}
