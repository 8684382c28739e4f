/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/* What differs between the kernels this driver is built for: 6.12 (Debian trixie) and later. Only here. */
#ifndef OHCA_COMPAT_H
#define OHCA_COMPAT_H

#include <linux/version.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 18, 0)
struct ib_dmah;
#define OHCA_DMAH_ARG struct ib_dmah *dmah,
#define OHCA_DMAH (dmah != NULL)
#else
#define OHCA_DMAH_ARG
#define OHCA_DMAH false
#endif

#endif
