// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/*
 * Process 1 of a guest: runs what the host asks for over a virtio-serial port, many commands at once.
 *
 * A frame, in either direction, is { u32 length, u32 id, u32 type } and length bytes, little-endian; the id is chosen by
 * the host and names a command until its exit has been reported.
 *
 *   host -> guest   X  run the payload by /bin/sh -c               guest -> host   o  output of a command
 *                   T  the same on a terminal; u16 rows, u16 columns first         e  end: u32 wait status
 *                   i  input for a command; empty: end of input                    a  the answer to p, w and s: u32 errno
 *                   k  u32 signal to the command's process group
 *                   z  u16 rows, u16 columns: the terminal's new size
 *                   w  write a file: u32 mode, u32 append, u32 length of the path, path, data
 *                   s  a restored snapshot becomes a guest of its own: i64 s, i64 ns of the time, random bytes
 *                   p  are you there?
 *
 * A command ends when its own process does; what it left in the background keeps running, without a listener.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/random.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PORT "/dev/virtio-ports/ohca.agent"
#define PORT_FALLBACK "/dev/vport0p1"
#define MAX_JOBS 64
#define MAX_FRAME (1u << 20)

struct job {
	pid_t pid; /* 0: free */
	uint32_t id;
	int in, out; /* one and the same for a terminal */
};

static struct job jobs[MAX_JOBS];
static int port;

static void die(const char *what)
{
	fprintf(stderr, "agent: %s: %s\n", what, strerror(errno));
	exit(1); /* process 1: the kernel panics and the guest ends, which the host sees */
}

static void write_all(const void *data, size_t n)
{
	const char *p = data;

	while (n) {
		ssize_t w = write(port, p, n);

		if (w < 0 && errno != EINTR && errno != EAGAIN)
			die("write");
		if (w <= 0) {
			/* Nobody is connected, or the queue is full. */
			usleep(5000);
			continue;
		}
		p += w;
		n -= (size_t)w;
	}
}

static void send_frame(uint32_t type, uint32_t id, const void *data, uint32_t n)
{
	uint32_t head[3] = { n, id, type };

	write_all(head, sizeof(head));
	if (n)
		write_all(data, n);
}

static void answer(uint32_t type, uint32_t id, uint32_t value)
{
	send_frame(type, id, &value, sizeof(value));
}

static struct job *find(uint32_t id)
{
	for (int i = 0; i < MAX_JOBS; i++)
		if (jobs[i].pid && jobs[i].id == id)
			return &jobs[i];
	return NULL;
}

static void in_child(char *cmd)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	execl("/bin/sh", "sh", "-c", cmd, (char *)NULL);
	_exit(127);
}

static void start(uint32_t id, int terminal, char *data, uint32_t n)
{
	struct winsize ws = { 0 };
	struct job *j = NULL;
	int in[2], out[2];
	pid_t pid;

	for (int i = 0; i < MAX_JOBS && !j; i++)
		if (!jobs[i].pid)
			j = &jobs[i];
	if (!j || find(id) || (terminal && n < 4)) {
		answer('e', id, 126 << 8);
		return;
	}
	if (terminal) {
		uint16_t size[2];
		int fd;

		memcpy(size, data, 4);
		ws.ws_row = size[0];
		ws.ws_col = size[1];
		pid = forkpty(&fd, NULL, NULL, &ws);
		if (!pid)
			in_child(data + 4);
		in[1] = out[0] = fd;
	} else {
		if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
			die("pipe");
		pid = fork();
		if (!pid) {
			setsid();
			dup2(in[0], 0);
			dup2(out[1], 1);
			dup2(out[1], 2);
			in_child(data);
		}
		close(in[0]);
		close(out[1]);
	}
	if (pid < 0)
		die("fork");
	fcntl(in[1], F_SETFD, FD_CLOEXEC);
	fcntl(in[1], F_SETFL, O_NONBLOCK);
	fcntl(out[0], F_SETFD, FD_CLOEXEC);
	fcntl(out[0], F_SETFL, O_NONBLOCK);
	*j = (struct job){ .pid = pid, .id = id, .in = in[1], .out = out[0] };
}

/* Returns 0 when there is nothing more to come. */
static int forward(struct job *j)
{
	static char buf[32768];

	if (j->out < 0)
		return 0;
	ssize_t n = read(j->out, buf, sizeof(buf));

	if (n > 0) {
		send_frame('o', j->id, buf, (uint32_t)n);
		return 1;
	}
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (j->in == j->out)
		j->in = -1;
	close(j->out);
	j->out = -1;
	return 0;
}

static void reap(void)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (int i = 0; i < MAX_JOBS; i++) {
			struct job *j = &jobs[i];

			if (j->pid != pid)
				continue;
			/* A grandchild may write for ever: take what is there now. */
			for (int k = 0; k < 256 && forward(j); k++)
				;
			if (j->in >= 0 && j->in != j->out)
				close(j->in);
			if (j->out >= 0)
				close(j->out);
			j->pid = 0;
			answer('e', j->id, (uint32_t)status);
		}
}

static int put_file(const char *data, uint32_t n)
{
	uint32_t mode, append, len;
	char path[4096];

	if (n < 12)
		return EINVAL;
	memcpy(&mode, data, 4);
	memcpy(&append, data + 4, 4);
	memcpy(&len, data + 8, 4);
	if (len >= sizeof(path) || len > n - 12)
		return EINVAL;
	memcpy(path, data + 12, len);
	path[len] = 0;
	data += 12 + len;
	n -= 12 + len;
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (append ? O_APPEND : O_TRUNC), mode);

	if (fd < 0)
		return errno;
	while (n) {
		ssize_t w = write(fd, data, n);

		if (w < 0) {
			int e = errno;

			close(fd);
			return e;
		}
		data += w;
		n -= (uint32_t)w;
	}
	fchmod(fd, mode);
	return close(fd) ? errno : 0;
}

/* Two guests restored from one snapshot must not draw the same random numbers. */
static int individualise(const char *data, uint32_t n)
{
	struct {
		struct rand_pool_info info;
		char bytes[256];
	} pool;
	struct timespec now;
	int64_t t[2];

	if (n < sizeof(t) + 16)
		return EINVAL;
	memcpy(t, data, sizeof(t));
	now.tv_sec = t[0];
	now.tv_nsec = t[1];
	n -= sizeof(t);
	if (n > sizeof(pool.bytes))
		n = sizeof(pool.bytes);
	memset(&pool, 0, sizeof(pool));
	pool.info.entropy_count = (int)n * 8;
	pool.info.buf_size = (int)n;
	memcpy(pool.info.buf, data + sizeof(t), n);
	if (clock_settime(CLOCK_REALTIME, &now))
		return errno;
	int fd = open("/dev/urandom", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return errno;
	int e = ioctl(fd, RNDADDENTROPY, &pool) || ioctl(fd, RNDRESEEDCRNG) ? errno : 0;

	close(fd);
	return e;
}

static void input(struct job *j, const char *data, uint32_t n)
{
	if (!n && j->in >= 0 && j->in != j->out) {
		close(j->in);
		j->in = -1;
	}
	while (n && j->in >= 0) {
		ssize_t w = write(j->in, data, n);

		if (w < 0 && errno != EINTR)
			return; /* it does not read: dropped */
		if (w > 0) {
			data += w;
			n -= (uint32_t)w;
		}
	}
}

static void handle(uint32_t type, uint32_t id, char *data, uint32_t n)
{
	struct job *j = find(id);
	uint32_t sig;

	switch (type) {
	case 'X':
	case 'T':
		start(id, type == 'T', data, n);
		break;
	case 'i':
		if (j)
			input(j, data, n);
		break;
	case 'k':
		if (j && n == 4) {
			memcpy(&sig, data, 4);
			kill(-j->pid, (int)sig);
		}
		break;
	case 'z':
		if (j && n == 4 && j->in == j->out && j->in >= 0) {
			struct winsize ws = { 0 };

			memcpy(&ws.ws_row, data, 2);
			memcpy(&ws.ws_col, data + 2, 2);
			ioctl(j->in, TIOCSWINSZ, &ws);
		}
		break;
	case 'w':
		answer('a', id, (uint32_t)put_file(data, n));
		break;
	case 's':
		answer('a', id, (uint32_t)individualise(data, n));
		break;
	case 'p':
		answer('a', id, 0);
		break;
	default:
		answer('a', id, EOPNOTSUPP);
	}
}

/* Collects bytes until a frame is whole. */
static void receive(void)
{
	static char buf[MAX_FRAME + 13];
	static uint32_t have;
	uint32_t head[3];
	ssize_t n = read(port, buf + have, sizeof(buf) - 1 - have);

	if (n <= 0) {
		usleep(20000); /* no host is connected */
		return;
	}
	have += (uint32_t)n;
	while (have >= 12) {
		memcpy(head, buf, 12);
		if (head[0] > MAX_FRAME) {
			errno = EPROTO;
			die("frame");
		}
		if (have < 12 + head[0])
			return;
		char saved = buf[12 + head[0]];

		buf[12 + head[0]] = 0;
		handle(head[2], head[1], buf + 12, head[0]);
		buf[12 + head[0]] = saved;
		have -= 12 + head[0];
		memmove(buf, buf + 12 + head[0], have);
	}
}

int main(void)
{
	struct pollfd fds[2 + MAX_JOBS];
	struct job *who[MAX_JOBS];
	sigset_t chld;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, NULL);
	int sfd = signalfd(-1, &chld, SFD_CLOEXEC | SFD_NONBLOCK);

	port = open(PORT, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (port < 0)
		port = open(PORT_FALLBACK, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (sfd < 0 || port < 0)
		die(PORT);
	for (;;) {
		struct signalfd_siginfo si;
		int n = 0;

		fds[0] = (struct pollfd){ .fd = port, .events = POLLIN };
		fds[1] = (struct pollfd){ .fd = sfd, .events = POLLIN };
		for (int i = 0; i < MAX_JOBS; i++)
			if (jobs[i].pid && jobs[i].out >= 0) {
				fds[2 + n] = (struct pollfd){ .fd = jobs[i].out, .events = POLLIN };
				who[n++] = &jobs[i];
			}
		if (poll(fds, (nfds_t)n + 2, -1) < 0 && errno != EINTR)
			die("poll");
		for (int i = 0; i < n; i++)
			if (fds[2 + i].revents)
				forward(who[i]);
		if (fds[1].revents) {
			while (read(sfd, &si, sizeof(si)) > 0)
				;
			reap();
		}
		if (fds[0].revents)
			receive();
	}
}
