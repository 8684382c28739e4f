/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/* The version of everything in the tree: firmware (fw_ver), driver (modinfo), simulator (--version), packages. */
#ifndef OHCA_VERSION_H
#define OHCA_VERSION_H

#define OHCA_VERSION_MAJOR 0u
#define OHCA_VERSION_MINOR 2u
#define OHCA_VERSION_PATCH 0u
#define OHCA_VERSION "0.2.0"

#endif
