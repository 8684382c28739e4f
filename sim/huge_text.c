/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/* Code is copied to anonymous memory, which may be huge pages, and that is put in its place. */
#include "huge_text.h"

#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_PAGE ((uintptr_t)2 << 20)
#define SMALL_PAGE ((uintptr_t)4 << 10)

struct text { uintptr_t begin, end; };	/* of the program's largest segment of code: an optimized program (verilate.sh) has two */

/* Whole huge pages that hold code and nothing else of the program */
static int find_text(struct dl_phdr_info *o, size_t size, void *ctx)
{
	struct text *t = ctx;
	uintptr_t begin = 0, end = 0;

	(void)size;
	for (unsigned i = 0; i < o->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &o->dlpi_phdr[i];

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
			continue;
		if (p->p_filesz <= end - begin)
			continue;
		begin = o->dlpi_addr + p->p_vaddr;
		end = begin + p->p_filesz;
	}
	for (unsigned i = 0; i < o->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &o->dlpi_phdr[i];
		uintptr_t a = o->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_LOAD && a != begin && a + p->p_memsz > (begin & -HUGE_PAGE) &&
		    a < ((end + HUGE_PAGE - 1) & -HUGE_PAGE))
			return 1;
	}
	t->begin = begin;
	t->end = end;
	return 1;	/* the program itself comes first */
}

/* Whether madvise() gets any */
static bool allowed(void)
{
	char s[80] = "";
	FILE *f = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "r");

	if (!f)
		return false;
	if (!fgets(s, sizeof(s), f))
		s[0] = 0;
	fclose(f);
	return strstr(s, "[always]") || strstr(s, "[madvise]");
}

/* Nothing but code of the program lies in its huge pages, but the heap may begin behind the program's last page, where the kernel likes: now and then
 * within the last huge page. Takes these addresses if nobody has them. */
static bool take(uintptr_t from, uintptr_t to)
{
	void *p;

	if (from >= to)
		return true;
	p = mmap((void *)from, to - from, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	if (p == (void *)from)
		return true;
	if (p != MAP_FAILED)	/* a kernel before 4.17 takes the address for a wish */
		munmap(p, to - from);
	return false;
}

int huge_text(void)
{
	static bool called;
	const char *off = getenv("OHCA_SMALL_PAGES");
	struct text t = { 0, 0 };
	uintptr_t from, to;
	size_t len;
	char *m, *copy;

	if (called || (off && *off) || !allowed())
		return 0;
	called = true;
	dl_iterate_phdr(find_text, &t);
	if (t.end - t.begin < HUGE_PAGE / 4)
		return 0;
	from = t.begin & -HUGE_PAGE;
	to = (t.end + HUGE_PAGE - 1) & -HUGE_PAGE;
	if (!take(from, t.begin & -SMALL_PAGE))
		from += HUGE_PAGE;
	if (!take((t.end + SMALL_PAGE - 1) & -SMALL_PAGE, to))
		to -= HUGE_PAGE;
	if (from >= to)
		return 0;
	if (t.begin < from)
		t.begin = from;
	if (t.end > to)
		t.end = to;
	len = to - from;
	m = mmap(NULL, len + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (m == MAP_FAILED)
		return 0;
	copy = (char *)(((uintptr_t)m + HUGE_PAGE - 1) & -HUGE_PAGE);
	if (copy > m)
		munmap(m, (size_t)(copy - m));
	munmap(copy + len, (size_t)(m + HUGE_PAGE - copy));
	madvise(copy, len, MADV_HUGEPAGE);
	memcpy(copy + (t.begin - from), (const void *)t.begin, t.end - t.begin);
	/* What runs now is replaced by the same. */
	if (mprotect(copy, len, PROT_READ | PROT_EXEC) ||
	    mremap(copy, len, len, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)from) == MAP_FAILED) {
		munmap(copy, len);
		return 0;
	}
	return 1;
}
