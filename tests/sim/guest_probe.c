/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * The init of a guest that has no driver: finds the fake adapter on the PCI
 * bus, uses its registers, its DMA and its function reset, prints one line
 * per check and powers off.  Static, run by tests/run.d/41-sim-qemu.
 */
#include "ids.h"
#include "model_fake.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <unistd.h>

static char dev[256];

static void result(const char *what, int good)
{
	printf("PROBE %s %s\n", good ? "ok" : "bad", what);
}

static long attr(const char *dir, const char *name)
{
	char path[600], text[64] = "";
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "r");
	if (!f)
		return -1;
	if (!fgets(text, sizeof(text), f))
		text[0] = 0;
	fclose(f);
	return strtol(text, NULL, 0);
}

static int find(void)
{
	DIR *d = opendir("/sys/bus/pci/devices");
	struct dirent *e;

	while (d && (e = readdir(d))) {
		char path[300];

		snprintf(path, sizeof(path), "/sys/bus/pci/devices/%.200s", e->d_name);
		if (attr(path, "vendor") == OHCA_PCI_VENDOR_ID && attr(path, "device") == OHCA_PCI_DEVICE_ID) {
			snprintf(dev, sizeof(dev), "%.250s", path);
			return 1;
		}
	}
	return 0;
}

static uint64_t physical(const void *p)
{
	uint64_t e = 0;
	int fd = open("/proc/self/pagemap", O_RDONLY);

	if (fd < 0 || pread(fd, &e, 8, (off_t)((uintptr_t)p / 4096 * 8)) != 8 || !(e >> 63))
		e = 0;
	close(fd);
	return (e & ((1ull << 55) - 1)) * 4096 + (uintptr_t)p % 4096;
}

static int config(unsigned off, void *p, unsigned n, int write)
{
	char path[300];
	int fd, ok;

	snprintf(path, sizeof(path), "%s/config", dev);
	fd = open(path, O_RDWR);
	ok = (write ? pwrite(fd, p, n, off) : pread(fd, p, n, off)) == (ssize_t)n;
	close(fd);
	return ok;
}

static void probe(void)
{
	volatile uint64_t *bar;
	uint8_t *mem, cfg[512];
	uint16_t command;
	char path[300];
	int fd, tries;

	result("found", find());
	if (!dev[0])
		return;
	result("class", attr(dev, "class") == OHCA_PCI_CLASS);
	result("config", config(0, cfg, sizeof(cfg), 0) && cfg[0x100] == 3);
	snprintf(path, sizeof(path), "%s/enable", dev);
	fd = open(path, O_WRONLY);
	result("enable", write(fd, "1", 1) == 1);
	close(fd);
	snprintf(path, sizeof(path), "%s/resource0", dev);
	fd = open(path, O_RDWR);
	bar = mmap(NULL, OHCA_BAR0_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	result("bar", bar != MAP_FAILED);
	if (bar == MAP_FAILED)
		return;
	result("id", bar[FAKE_ID / 8] == FAKE_ID_VALUE);
	for (unsigned i = 0; i < 512; i++)
		bar[i] = i * 0x0101010101010101ull;
	result("scratch", bar[511] == 511 * 0x0101010101010101ull && bar[7] == 0x0707070707070707ull);
	((volatile uint32_t *)bar)[3] = 0xdeadbeef;
	result("half", bar[1] == 0xdeadbeef01010101ull);

	mem = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_LOCKED | MAP_POPULATE, -1, 0);
	for (unsigned i = 0; i < 4096; i++)
		mem[i] = (uint8_t)(i * 31);
	mem[4096] = 1;
	config(4, &command, 2, 0);
	command |= 4;
	config(4, &command, 2, 1);
	bar[FAKE_SRC / 8] = physical(mem);
	bar[FAKE_DST / 8] = physical(mem + 4096);
	bar[FAKE_LEN / 8] = 4096;
	bar[FAKE_CMD / 8] = FAKE_COPY;
	for (tries = 0; tries < 10000 && bar[FAKE_STATUS / 8] & 1; tries++)
		;
	result("dma", bar[FAKE_STATUS / 8] == 0 && !memcmp(mem, mem + 4096, 4096));

	snprintf(path, sizeof(path), "%s/reset", dev);
	fd = open(path, O_WRONLY);
	result("reset", fd >= 0 && write(fd, "1", 1) == 1);
	close(fd);
	result("cleared", bar[511] == 0 && bar[FAKE_ID / 8] == FAKE_ID_VALUE);
}

int main(void)
{
	mkdir("/proc", 0755);
	mkdir("/sys", 0755);
	mount("proc", "/proc", "proc", 0, NULL);
	mount("sysfs", "/sys", "sysfs", 0, NULL);
	setvbuf(stdout, NULL, _IONBF, 0);
	probe();
	printf("PROBE end\n");
	sync();
	reboot(RB_POWER_OFF);
	return 0;
}
