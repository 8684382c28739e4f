/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/* Code that is moved to huge pages while the program runs in it. */
#include "check.h"
#include "huge_text.h"

#include <stdbool.h>
#include <stdint.h>

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
	RUN(code_moves);
	return check_total_failed != 0;
}
