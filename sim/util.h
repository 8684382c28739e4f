/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * Small things every part of the simulator needs: a bounded log, a seeded
 * random generator, byte-order access and the clock of the outside world.
 */
#ifndef OHCA_SIM_UTIL_H
#define OHCA_SIM_UTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum log_level { LOG_NONE = -1, LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };
extern enum log_level log_threshold;

/* One call site prints at most LOG_LIMIT lines; then it says so and is quiet. */
#define LOG_LIMIT 50
void log_line(unsigned *site, enum log_level lvl, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
#define log_at(lvl, ...) do { \
	static unsigned site_; \
	if ((lvl) <= log_threshold) \
		log_line(&site_, lvl, __VA_ARGS__); \
} while (0)
#define log_err(...)  log_at(LOG_ERROR, __VA_ARGS__)
#define log_warn(...) log_at(LOG_WARN, __VA_ARGS__)
#define log_info(...) log_at(LOG_INFO, __VA_ARGS__)
#define log_dbg(...)  log_at(LOG_DEBUG, __VA_ARGS__)

void *xcalloc(size_t n, size_t size);	/* never returns NULL */
void *xrealloc(void *p, size_t size);
char *xstrdup(const char *s);

/* splitmix64: one 64-bit word of state, good enough and reproducible */
struct rng { uint64_t s; };
static inline void rng_seed(struct rng *r, uint64_t seed, uint64_t stream)
{
	r->s = seed * 0x9e3779b97f4a7c15ull ^ (stream + 1) * 0xd1b54a32d192ed03ull;
}
static inline uint64_t rng_next(struct rng *r)
{
	uint64_t z = (r->s += 0x9e3779b97f4a7c15ull);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}
/* 0 .. n-1; n > 0 */
static inline uint32_t rng_below(struct rng *r, uint32_t n)
{
	return (uint32_t)(((rng_next(r) >> 32) * n) >> 32);
}
/* true with probability p / 65536 */
static inline bool rng_chance(struct rng *r, uint32_t p)
{
	return p && (rng_next(r) & 0xffff) < p;
}

uint64_t wall_ns(void);			/* monotonic */

static inline uint16_t get_be16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}
static inline uint32_t get_be24(const uint8_t *p)
{
	return (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
}
static inline uint32_t get_be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}
static inline uint64_t get_be64(const uint8_t *p)
{
	return (uint64_t)get_be32(p) << 32 | get_be32(p + 4);
}
static inline void put_be16(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}
static inline void put_be32(uint8_t *p, uint32_t v)
{
	put_be16(p, v >> 16);
	put_be16(p + 2, v);
}
static inline void put_be64(uint8_t *p, uint64_t v)
{
	put_be32(p, (uint32_t)(v >> 32));
	put_be32(p + 4, (uint32_t)v);
}

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define container_of(p, t, m) ((t *)(void *)((char *)(p) - offsetof(t, m)))

#endif
