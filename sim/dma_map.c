/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * The DMA map: binary search behind a one-entry cache.  A client can truncate
 * the file behind a mapping at any time; the SIGBUS that follows is turned
 * into a page of zeros and counted, so no client can kill the simulator.
 */
#include "dma_map.h"
#include "util.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct dma_map *all_maps;

/*
 * A map is changed by one thread while another's access may fault. Who changes maps touches nothing that can fault meanwhile, so the handler
 * may wait for it.
 */
static atomic_flag changing = ATOMIC_FLAG_INIT;

static void lock(void)
{
	while (atomic_flag_test_and_set_explicit(&changing, memory_order_acquire))
		;
}

static void unlock(void)
{
	atomic_flag_clear_explicit(&changing, memory_order_release);
}

static void on_sigbus(int sig, siginfo_t *si, void *uc)
{
	uintptr_t a = (uintptr_t)si->si_addr;
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

	(void)uc;
	lock();
	for (struct dma_map *m = all_maps; m; m = m->next) {
		for (unsigned i = 0; i < m->n; i++) {
			uintptr_t base = (uintptr_t)m->r[i].map_base;

			if (!base || a < base || a - base >= m->r[i].map_len)
				continue;
			if (mmap((void *)(a & ~(page - 1)), page, PROT_READ | PROT_WRITE,
				 MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
				break;
			m->bus_errors++;
			unlock();
			return;
		}
	}
	unlock();
	signal(sig, SIG_DFL);		/* not ours: die of it */
}

void dma_map_init(struct dma_map *m)
{
	struct sigaction sa;

	memset(m, 0, sizeof(*m));
	memset(&sa, 0, sizeof(sa));
	sa.sa_sigaction = on_sigbus;
	sa.sa_flags = SA_SIGINFO;
	sigaction(SIGBUS, &sa, NULL);
	lock();
	m->next = all_maps;
	all_maps = m;
	unlock();
	m->registered = true;
}

void dma_map_fini(struct dma_map *m)
{
	dma_map_clear(m);
	lock();
	free(m->r);
	m->r = NULL;
	m->cap = 0;
	for (struct dma_map **p = &all_maps; m->registered && *p; p = &(*p)->next) {
		if (*p == m) {
			*p = m->next;
			break;
		}
	}
	m->registered = false;
	unlock();
}

/* index of the first region whose end lies above iova */
static unsigned find(const struct dma_map *m, uint64_t iova)
{
	unsigned lo = 0, hi = m->n;

	while (lo < hi) {
		unsigned mid = (lo + hi) / 2;

		if (m->r[mid].iova + (m->r[mid].size - 1) < iova)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

int dma_map_add(struct dma_map *m, const struct dma_region *r)
{
	unsigned i;

	if (!r->size || r->iova + (r->size - 1) < r->iova)
		return -EINVAL;
	i = find(m, r->iova);
	if (i < m->n && m->r[i].iova <= r->iova + (r->size - 1))
		return -EEXIST;
	if (m->n >= DMA_MAX_REGIONS)
		return -ENOSPC;
	lock();
	if (m->n == m->cap) {
		m->cap = m->cap ? m->cap * 2 : 16;
		m->r = xrealloc(m->r, m->cap * sizeof(*m->r));
	}
	memmove(&m->r[i + 1], &m->r[i], (m->n - i) * sizeof(*m->r));
	m->r[i] = *r;
	m->n++;
	m->last = i;
	unlock();
	return 0;
}

int dma_map_add_fd(struct dma_map *m, uint64_t iova, uint64_t size, unsigned prot,
		   int fd, uint64_t offset)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t lead = offset & (page - 1);
	struct dma_region r = { .iova = iova, .size = size, .prot = prot };
	struct stat st;
	int err;

	if (!size || size > (1ull << 46) || offset + size < offset)
		return -EINVAL;
	if (fstat(fd, &st) < 0)
		return -errno;
	/* a size is known for regular files only; memfd is one */
	if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size < offset + size)
		return -EINVAL;
	r.map_len = (size_t)(size + lead);
	r.map_base = mmap(NULL, r.map_len, (prot & DMA_WRITE) ? PROT_READ | PROT_WRITE : PROT_READ,
			  MAP_SHARED, fd, (off_t)(offset - lead));
	if (r.map_base == MAP_FAILED)
		return -errno;
	r.host = (uint8_t *)r.map_base + lead;
	err = dma_map_add(m, &r);
	if (err)
		munmap(r.map_base, r.map_len);
	return err;
}

static void drop(struct dma_map *m, unsigned i)
{
	struct dma_region gone = m->r[i];

	lock();
	m->n--;
	memmove(&m->r[i], &m->r[i + 1], (m->n - i) * sizeof(*m->r));
	m->last = 0;
	unlock();
	if (gone.map_base)
		munmap(gone.map_base, gone.map_len);
}

int dma_map_remove(struct dma_map *m, uint64_t iova, uint64_t size)
{
	uint64_t end = iova + (size - 1);
	unsigned i, j;

	if (!size || end < iova)
		return -EINVAL;
	i = find(m, iova);
	for (j = i; j < m->n && m->r[j].iova <= end; j++)
		if (m->r[j].iova < iova || m->r[j].iova + (m->r[j].size - 1) > end)
			return -EINVAL;
	if (i == j)
		return -ENOENT;
	while (j-- > i)
		drop(m, j);
	return 0;
}

void dma_map_clear(struct dma_map *m)
{
	while (m->n)
		drop(m, m->n - 1);
}

uint8_t *dma_map_ptr(struct dma_map *m, uint64_t iova, size_t len, unsigned prot)
{
	const struct dma_region *r;

	if (m->last >= m->n)
		m->last = 0;
	if (!m->n)
		return NULL;
	r = &m->r[m->last];
	if (iova < r->iova || iova - r->iova >= r->size) {
		unsigned i = find(m, iova);

		if (i >= m->n || m->r[i].iova > iova)
			return NULL;
		m->last = i;
		r = &m->r[i];
	}
	if (!r->host || (r->prot & prot) != prot || r->size - (iova - r->iova) < len)
		return NULL;
	return r->host + (iova - r->iova);
}
