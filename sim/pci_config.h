/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * The configuration space of the function: 4096 bytes, type 0 header, PCI
 * Express endpoint with FLR, MSI-X in BAR 2, device serial number.
 */
#ifndef OHCA_SIM_PCI_CONFIG_H
#define OHCA_SIM_PCI_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#define PCI_CONFIG_SIZE 4096

struct pci_config_ids {
	uint16_t vendor, device;
	uint64_t serial;
	unsigned vectors;		/* 1 .. 256 */
};

struct pci_config {
	struct pci_config_ids ids;
	uint8_t reg[PCI_CONFIG_SIZE];
	uint8_t wmask[PCI_CONFIG_SIZE];	/* bits that software can write */
	uint8_t w1c[PCI_CONFIG_SIZE];	/* bits that a written one clears */
};

enum { PCI_CONFIG_FLR = 1, PCI_CONFIG_COMMAND = 2 };	/* what a write did */

void pci_config_init(struct pci_config *c, const struct pci_config_ids *ids);
/* Range must lie within the space.  Returns PCI_CONFIG_* bits. */
unsigned pci_config_write(struct pci_config *c, unsigned off, const uint8_t *data, unsigned len);
bool pci_config_bus_master(const struct pci_config *c);

#endif
