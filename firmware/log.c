// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
#include "log.h"

#define RING_BYTES (4096 - 4)

static u32 log_off, log_word;

static void put(char c)
{
	log_word |= (u32)(u8)c << 8 * (log_off & 3);
	hw_write(OHCA_M_LOG + 4 + (log_off & ~3u), log_word);
	if ((log_off & 3) == 3)
		log_word = 0;
	if (++log_off == RING_BYTES)
		log_off = 0;
	sys_wr(OHCA_M_SYS_CONSOLE, (u8)c);
}

static void put_num(u64 v, u32 base, int width, char pad)
{
	char b[21];
	int n = 0;

	do {
		u32 d = base == 16 ? (u32)(v & 15) : (u32)(v % 10);

		b[n++] = (char)(d < 10 ? '0' + d : 'a' + d - 10);
		v = base == 16 ? v >> 4 : v / 10;
	} while (v);
	for (int i = n; i < width; i++)
		put(pad);
	while (n)
		put(b[--n]);
}

void fw_log(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	for (; *fmt; fmt++) {
		int width = 0, wide = 0;
		char pad = ' ';

		if (*fmt != '%') {
			put(*fmt);
			continue;
		}
		fmt++;
		if (*fmt == '0')
			pad = '0';
		while (*fmt >= '0' && *fmt <= '9')
			width = width * 10 + *fmt++ - '0';
		while (*fmt == 'l') {
			wide++;
			fmt++;
		}
		switch (*fmt) {
		case 's':
			for (const char *s = va_arg(ap, const char *); *s; s++)
				put(*s);
			break;
		case 'c':
			put((char)va_arg(ap, int));
			break;
		case 'd': {
			int v = va_arg(ap, int);

			if (v < 0)
				put('-');
			put_num(v < 0 ? -(u32)v : (u32)v, 10, width, pad);
			break;
		}
		case 'u':
			put_num(wide > 1 ? va_arg(ap, u64) : va_arg(ap, u32), 10, width, pad);
			break;
		case 'x':
			put_num(wide > 1 ? va_arg(ap, unsigned long long) : va_arg(ap, u32), 16, width, pad);
			break;
		default:
			put(*fmt);
			if (!*fmt)
				fmt--;
		}
	}
	va_end(ap);
	hw_write(OHCA_M_LOG, log_off);
}
