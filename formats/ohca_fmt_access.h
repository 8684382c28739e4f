/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * Accessors for the field tables of ohca_fmt.h; the one place that knows byte order.
 *
 * Usable in the kernel, in firmware, in user space and from C++. A field name such as OHCA_SQE_CTRL_LENGTH expands to
 * "struct, kind, byte offset, msb, lsb". Every macro evaluates its arguments once and refuses a pointer of another type.
 *
 *   OHCA_GET(field, ptr)         value of a field of up to 64 bits
 *   OHCA_SET(field, ptr, val)    replace it; excess bits of val are dropped
 *   OHCA_PTR(field, ptr)         unsigned char * to a field wider than 64 bits (a GID, say)
 *   OHCA_CPTR(field, ptr)        the same, const
 *   OHCA_OFF(field)              byte offset of the dword (or quadword) that holds it: register addresses
 *   OHCA_MASK(field)             mask of the field inside that dword, host byte order
 *   OHCA_PREP(field, val)        val shifted into place, host byte order: register writes
 *   OHCA_EXTRACT(field, word)    the field of a dword (or quadword) in host byte order: register reads
 *   OHCA_RSVD_OK(masks, ptr)     true if every reserved bit is zero; masks is a const __u32 array initialised with
 *                                OHCA_<LAYOUT>_RSVD
 *
 * Little-endian structures are read as aligned dwords, big-endian ones byte by byte, so a wire header may lie anywhere.
 */
#ifndef OHCA_FMT_ACCESS_H
#define OHCA_FMT_ACCESS_H

#ifdef __KERNEL__
#include <linux/build_bug.h>
#include <linux/types.h>
#include <asm/byteorder.h>
#define ohca_le32_to_cpu(x) le32_to_cpu(x)
#define ohca_cpu_to_le32(x) cpu_to_le32(x)
#else
#include <assert.h>
#include <stdint.h>
#ifdef __linux__
#include <linux/types.h>
#else
typedef uint8_t __u8;
typedef uint16_t __u16;
typedef uint32_t __u32;
typedef uint64_t __u64;
typedef uint32_t __le32;
typedef uint32_t __be32;
#endif
#ifdef __CHECKER__
#define OHCA_FORCE __attribute__((force))
#else
#define OHCA_FORCE
#endif
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ohca_le32_to_cpu(x) ((OHCA_FORCE __u32)(x))
#define ohca_cpu_to_le32(x) ((OHCA_FORCE __le32)(__u32)(x))
#else
#define ohca_le32_to_cpu(x) __builtin_bswap32((OHCA_FORCE __u32)(x))
#define ohca_cpu_to_le32(x) ((OHCA_FORCE __le32)__builtin_bswap32(x))
#endif
#endif

#define OHCA_INLINE static inline __attribute__((always_inline, unused))

#define OHCA_MASK32(m, l) ((0xffffffffu >> (31 - (m) + (l))) << (l))
#define OHCA_MASK64(m, l) ((0xffffffffffffffffull >> (63 - (m) + (l))) << (l))

OHCA_INLINE __u32 ohca_get_le32(const void *base, unsigned int off, unsigned int m, unsigned int l)
{
	const __le32 *p = (const __le32 *)((const unsigned char *)base + off);

	return (ohca_le32_to_cpu(*p) & OHCA_MASK32(m, l)) >> l;
}

OHCA_INLINE void ohca_set_le32(void *base, unsigned int off, unsigned int m, unsigned int l, __u32 v)
{
	__le32 *p = (__le32 *)((unsigned char *)base + off);

	*p = ohca_cpu_to_le32((ohca_le32_to_cpu(*p) & ~OHCA_MASK32(m, l)) | ((v << l) & OHCA_MASK32(m, l)));
}

OHCA_INLINE __u64 ohca_get_le64(const void *base, unsigned int off, unsigned int m, unsigned int l)
{
	__u64 v = ohca_get_le32(base, off, 31, 0) | (__u64)ohca_get_le32(base, off + 4, 31, 0) << 32;

	return (v & OHCA_MASK64(m, l)) >> l;
}

OHCA_INLINE void ohca_set_le64(void *base, unsigned int off, unsigned int m, unsigned int l, __u64 v)
{
	v = (ohca_get_le64(base, off, 63, 0) & ~OHCA_MASK64(m, l)) | ((v << l) & OHCA_MASK64(m, l));
	ohca_set_le32(base, off, 31, 0, (__u32)v);
	ohca_set_le32(base, off + 4, 31, 0, (__u32)(v >> 32));
}

OHCA_INLINE __u32 ohca_get_be16(const void *base, unsigned int off, unsigned int m, unsigned int l)
{
	const unsigned char *p = (const unsigned char *)base + off;

	return (((__u32)p[0] << 8 | p[1]) & OHCA_MASK32(m, l)) >> l;
}

OHCA_INLINE void ohca_set_be16(void *base, unsigned int off, unsigned int m, unsigned int l, __u32 v)
{
	unsigned char *p = (unsigned char *)base + off;

	v = (((__u32)p[0] << 8 | p[1]) & ~OHCA_MASK32(m, l)) | ((v << l) & OHCA_MASK32(m, l));
	p[0] = (unsigned char)(v >> 8);
	p[1] = (unsigned char)v;
}

OHCA_INLINE __u32 ohca_get_be32(const void *base, unsigned int off, unsigned int m, unsigned int l)
{
	__u32 v = ohca_get_be16(base, off, 15, 0) << 16 | ohca_get_be16(base, off + 2, 15, 0);

	return (v & OHCA_MASK32(m, l)) >> l;
}

OHCA_INLINE void ohca_set_be32(void *base, unsigned int off, unsigned int m, unsigned int l, __u32 v)
{
	v = (ohca_get_be32(base, off, 31, 0) & ~OHCA_MASK32(m, l)) | ((v << l) & OHCA_MASK32(m, l));
	ohca_set_be16(base, off, 15, 0, v >> 16);
	ohca_set_be16(base, off + 2, 15, 0, v);
}

OHCA_INLINE __u64 ohca_get_be64(const void *base, unsigned int off, unsigned int m, unsigned int l)
{
	__u64 v = (__u64)ohca_get_be32(base, off, 31, 0) << 32 | ohca_get_be32(base, off + 4, 31, 0);

	return (v & OHCA_MASK64(m, l)) >> l;
}

OHCA_INLINE void ohca_set_be64(void *base, unsigned int off, unsigned int m, unsigned int l, __u64 v)
{
	v = (ohca_get_be64(base, off, 63, 0) & ~OHCA_MASK64(m, l)) | ((v << l) & OHCA_MASK64(m, l));
	ohca_set_be32(base, off, 31, 0, (__u32)(v >> 32));
	ohca_set_be32(base, off + 4, 31, 0, (__u32)v);
}

/* Little-endian structures only: what the host or the device hands over is checked before use. */
OHCA_INLINE int ohca_rsvd_ok(const void *base, const __u32 *masks, unsigned int n)
{
	__u32 bad = 0;
	unsigned int i;

	for (i = 0; i < n; i++)
		bad |= ohca_get_le32(base, 4 * i, 31, 0) & masks[i];
	return !bad;
}

/* A conditional whose arms must agree: the cheapest type check that both C and C++ know. */
#define OHCA_TYPED(st, ptr) (1 ? (ptr) : (st *)0)

#define OHCA_GET_(st, k, off, m, l, ptr) ohca_get_##k(OHCA_TYPED(const st, ptr), off, m, l)
#define OHCA_SET_(st, k, off, m, l, ptr, val) ohca_set_##k(OHCA_TYPED(st, ptr), off, m, l, val)
#define OHCA_ONLY_bytes(x) (x)
#define OHCA_PTR_(st, k, off, m, l, ptr) OHCA_ONLY_##k((unsigned char *)OHCA_TYPED(st, ptr) + (off))
#define OHCA_CPTR_(st, k, off, m, l, ptr) OHCA_ONLY_##k((const unsigned char *)OHCA_TYPED(const st, ptr) + (off))
#define OHCA_OFF_(st, k, off, m, l) (off)
#define OHCA_MASK_be16(m, l) OHCA_MASK32(m, l)
#define OHCA_MASK_be32(m, l) OHCA_MASK32(m, l)
#define OHCA_MASK_le32(m, l) OHCA_MASK32(m, l)
#define OHCA_MASK_be64(m, l) OHCA_MASK64(m, l)
#define OHCA_MASK_le64(m, l) OHCA_MASK64(m, l)
#define OHCA_WORD_be16(x) ((__u32)(x))
#define OHCA_WORD_be32(x) ((__u32)(x))
#define OHCA_WORD_le32(x) ((__u32)(x))
#define OHCA_WORD_be64(x) ((__u64)(x))
#define OHCA_WORD_le64(x) ((__u64)(x))
#define OHCA_MASK_(st, k, off, m, l) OHCA_MASK_##k(m, l)
#define OHCA_PREP_(st, k, off, m, l, val) ((OHCA_WORD_##k(val) << (l)) & OHCA_MASK_##k(m, l))
#define OHCA_EXTRACT_(st, k, off, m, l, word) ((OHCA_WORD_##k(word) & OHCA_MASK_##k(m, l)) >> (l))

#define OHCA_GET(field, ptr) OHCA_GET_(field, ptr)
#define OHCA_SET(field, ptr, val) OHCA_SET_(field, ptr, val)
#define OHCA_PTR(field, ptr) OHCA_PTR_(field, ptr)
#define OHCA_CPTR(field, ptr) OHCA_CPTR_(field, ptr)
#define OHCA_OFF(field) OHCA_OFF_(field)
#define OHCA_MASK(field) OHCA_MASK_(field)
#define OHCA_PREP(field, val) OHCA_PREP_(field, val)
#define OHCA_EXTRACT(field, word) OHCA_EXTRACT_(field, word)
#define OHCA_RSVD_OK(masks, ptr) ohca_rsvd_ok((ptr)->dw, masks, sizeof(*(ptr)) / 4)

#endif /* OHCA_FMT_ACCESS_H */
