/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/* Code that is moved to huge pages while the program runs in it. */
#include "check.h"
#include "huge_text.h"

#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* As much code as is worth it; its end is called before and after. */
__asm__(".text\n.balign 4096\n.globl much\nmuch:\n.rept 1 << 20\nnop\n.endr\n.globl much_end\nmuch_end:\nret\n");
int main(void);
void much(void);
void much_end(void);

/* The mapping that holds `at`: whether it is executable, and of a file */
static bool mapped(uintptr_t at, bool *file)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[512], perm[8];
	unsigned long begin, end, inode;
	bool exec = false;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx %7s %*s %*s %lu", &begin, &end, perm, &inode) == 4 && at >= begin && at < end) {
			exec = perm[2] == 'x';
			*file = inode != 0;
		}
	if (f)
		fclose(f);
	return exec;
}

static bool have_huge_pages(void)
{
	char s[80] = "";
	FILE *f = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "r");

	if (f && !fgets(s, sizeof(s), f))
		s[0] = 0;
	if (f)
		fclose(f);
	return strstr(s, "[always]") || strstr(s, "[madvise]");
}

/* The first page behind the program's code that nothing is mapped to, in the same 2 MiB */
static int behind(struct dl_phdr_info *o, size_t size, void *at)
{
	(void)size;
	for (unsigned i = 0; i < o->dlpi_phnum; i++) {
		uintptr_t a = o->dlpi_addr + o->dlpi_phdr[i].p_vaddr;

		if (o->dlpi_phdr[i].p_type == PT_LOAD && o->dlpi_phdr[i].p_flags & PF_X && (uintptr_t)much_end >= a &&
		    (uintptr_t)much_end < a + o->dlpi_phdr[i].p_memsz)
			*(uintptr_t *)at = (a + o->dlpi_phdr[i].p_memsz + 4095) & -(uintptr_t)4096;
	}
	return 1;
}

/* What somebody else has in the last huge page of the code, as the heap may, stays what it is; the code works. */
static void others_stay(void)
{
	int status = -1;
	pid_t p = fork();

	if (!p) {
		uintptr_t at = 0;
		char *m;

		dl_iterate_phdr(behind, &at);
		if (!(at & 0x1fffff))
			_exit(0);		/* the code ends with a huge page */
		m = mmap((void *)at, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
		if (m != (char *)at)
			_exit(2);
		memset(m, 0x5a, 4096);
		huge_text();
		much();
		for (unsigned i = 0; i < 4096; i++)
			if (m[i] != 0x5a)
				_exit(3);
		m[0] = 1;			/* and may be written */
		_exit(0);
	}
	CHECK(p > 0 && waitpid(p, &status, 0) == p);
	CHECK_EQ(status, 0);
}

static void code_moves(void)
{
	bool file = false;
	int moved;

	much();
	CHECK(mapped((uintptr_t)much_end, &file));
	CHECK(file);
	CHECK(!setenv("OHCA_SMALL_PAGES", "1", 1));
	CHECK_EQ(huge_text(), 0);
	CHECK(mapped((uintptr_t)much_end, &file) && file);
	CHECK(!unsetenv("OHCA_SMALL_PAGES"));
	moved = huge_text();
	CHECK_EQ(moved, have_huge_pages());
	CHECK(mapped((uintptr_t)much_end, &file));
	CHECK_EQ(file, !moved);
	CHECK(mapped((uintptr_t)main, &file));
	CHECK_EQ(file, !moved);
	much();
	CHECK_EQ(huge_text(), 0);
}

int main(void)
{
	RUN(others_stay);	/* first, as code moves once in a process */
	RUN(code_moves);
	return check_total_failed != 0;
}
