/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/* InfiniBand checksums: VCRC/LPCRC (CRC-16) and ICRC (CRC-32). */
#ifndef OHCA_SIM_CRC_H
#define OHCA_SIM_CRC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

uint16_t ib_vcrc(const uint8_t *p, size_t n);		/* stored LSB first */
/* len counts LRH up to, not including, the ICRC; 0 if the headers are not IBA */
uint32_t ib_icrc(const uint8_t *lrh, size_t len);
/* whole packet LRH..VCRC */
bool ib_vcrc_ok(const uint8_t *p, size_t len);
bool ib_icrc_ok(const uint8_t *p, size_t len);
void ib_put_vcrc(uint8_t *p, size_t len);		/* the last two bytes */
void ib_put_icrc(uint8_t *p, size_t len);		/* the four before them */
uint32_t crc32_le(uint32_t seed, const uint8_t *p, size_t n);	/* no inversion */
uint16_t ip_checksum(const uint8_t *p, size_t n);

#endif
