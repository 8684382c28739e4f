/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/* Configuration space as bytes, a mask of what can be written, and FLR. */
#include "pci_config.h"
#include "ids.h"

#include <string.h>

enum { CAP_EXP = 0x40, CAP_MSIX = 0x80, EXT_DSN = 0x100 };
enum { EXP_DEVCTL = CAP_EXP + 8 };

static void le(uint8_t *p, uint64_t v, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

void pci_config_init(struct pci_config *c, const struct pci_config_ids *ids)
{
	struct pci_config_ids keep = *ids;
	uint8_t *r = c->reg, *w = c->wmask;

	memset(c, 0, sizeof(*c));
	c->ids = keep;
	le(r + 0x00, keep.vendor, 2);
	le(r + 0x02, keep.device, 2);
	le(w + 0x04, 0x0546, 2);		/* memory, bus master, parity, SERR, INTx off */
	le(r + 0x06, 0x0010, 2);		/* capability list */
	le(c->w1c + 0x06, 0xf900, 2);
	r[0x08] = OHCA_PCI_REVISION;
	le(r + 0x09, OHCA_PCI_CLASS, 3);
	w[0x0c] = 0xff;				/* cache line size */
	le(r + 0x10, 0x4, 4);			/* BAR 0: 64 bits, not prefetchable */
	le(w + 0x10, ~(uint64_t)(OHCA_BAR0_SIZE - 1), 8);
	le(w + 0x18, ~(uint64_t)(OHCA_BAR2_SIZE - 1), 4);	/* BAR 2: 32 bits */
	le(r + 0x2c, keep.vendor, 2);
	le(r + 0x2e, keep.device, 2);
	r[0x34] = CAP_EXP;
	w[0x3c] = 0xff;				/* interrupt line; there is no pin */

	r[CAP_EXP] = 0x10;
	r[CAP_EXP + 1] = CAP_MSIX;
	le(r + CAP_EXP + 0x02, 0x0002, 2);	/* version 2, endpoint */
	/* 256-byte payload, extended tags, no latency limits, role-based errors, FLR */
	le(r + CAP_EXP + 0x04, 1 | 1 << 5 | 7 << 6 | 7 << 9 | 1 << 15 | 1 << 28, 4);
	le(r + EXP_DEVCTL, 0x2810, 2);		/* 512-byte reads, relaxed order, no snoop */
	le(w + EXP_DEVCTL, 0x7fff, 2);
	le(c->w1c + CAP_EXP + 0x0a, 0x000f, 2);
	le(r + CAP_EXP + 0x0c, 3 | 16 << 4, 4);	/* 8 GT/s, x16 */
	le(w + CAP_EXP + 0x10, 0x00c3, 2);
	le(r + CAP_EXP + 0x12, 3 | 16 << 4, 2);
	le(r + CAP_EXP + 0x24, 0x0010 | 0x000f, 4);	/* completion time-out ranges, disable */
	le(w + CAP_EXP + 0x28, 0x001f, 2);
	le(r + CAP_EXP + 0x2c, 0x000e, 4);	/* 2.5, 5, 8 GT/s */
	le(r + CAP_EXP + 0x30, 3, 2);

	r[CAP_MSIX] = 0x11;
	le(r + CAP_MSIX + 2, keep.vectors - 1, 2);
	le(w + CAP_MSIX + 2, 0xc000, 2);
	le(r + CAP_MSIX + 4, 2, 4);		/* table at 0 of BAR 2 */
	le(r + CAP_MSIX + 8, OHCA_MSIX_PBA_OFFSET | 2, 4);

	le(r + EXT_DSN, 0x00010003, 4);
	le(r + EXT_DSN + 4, keep.serial, 8);
}

unsigned pci_config_write(struct pci_config *c, unsigned off, const uint8_t *data, unsigned len)
{
	unsigned did = 0;

	for (unsigned i = 0; i < len; i++) {
		unsigned a = off + i;
		uint8_t w = c->wmask[a];

		if (a == EXP_DEVCTL + 1 && data[i] & 0x80)
			did |= PCI_CONFIG_FLR;
		c->reg[a] = (uint8_t)((c->reg[a] & ~w) | (data[i] & w));
		c->reg[a] &= (uint8_t)~(data[i] & c->w1c[a]);
		if (a == 4)
			did |= PCI_CONFIG_COMMAND;
	}
	if (did & PCI_CONFIG_FLR) {
		struct pci_config_ids ids = c->ids;

		pci_config_init(c, &ids);
		did |= PCI_CONFIG_COMMAND;
	}
	return did;
}

bool pci_config_bus_master(const struct pci_config *c)
{
	return c->reg[4] >> 2 & 1;
}
