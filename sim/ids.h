/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * PCI identity of the simulated adapter.  The vendor id is one that nobody
 * holds in pci.ids (Debian 2025.06.09); the device id
 * is none of those that perftest treats specially.  Both are parameters of
 * the simulator (--pci-id); a board maker uses its own.
 */
#ifndef OHCA_SIM_IDS_H
#define OHCA_SIM_IDS_H

#define OHCA_PCI_VENDOR_ID	0x0ca1
#define OHCA_PCI_DEVICE_ID	0x0c01
#define OHCA_PCI_REVISION	0x01
#define OHCA_PCI_CLASS		0x0c0600	/* serial bus, InfiniBand */
#define OHCA_BAR0_SIZE		0x200000u	/* registers, doorbells, push pages */
#define OHCA_BAR2_SIZE		0x4000u		/* MSI-X table and PBA */
#define OHCA_MSIX_PBA_OFFSET	0x2000u
#define OHCA_MAX_VECTORS	256

/* Node GUIDs of the simulator: an OUI nobody holds, then the node number. */
#define OHCA_GUID_BASE		0x020ca10000000000ull
#define OHCA_SWITCH_GUID	0x020ca1ff00000000ull

#endif
