/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * The firmware log: text lines in a 4 KiB window that the driver reads (reg_log: dword 0 is the write offset, the ring
 * is the rest) and the simulator prints.
 */
#ifndef OHCA_FW_LOG_H
#define OHCA_FW_LOG_H

#include <stdarg.h>
#include "hw.h"

/* A subset of printf: %s, %c, %d, %u and %x of 32 bits, %llx and %llu of 64, with 0-padded width. */
void fw_log(const char *fmt, ...);

#endif
