// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Models of the services that the context blocks use, as one client sees them: host memory by formula, in-order host reads, translations.
#pragma once
#include <map>
#include "ohca_fmt.h"
#include "ohca_fmt_bits.h"
#include "tb.h"

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;
typedef std::vector<u8> bytes;

template <class T> bytes got_bytes(const T &s, unsigned n)
{
	bytes v(n);
	tb::get_bytes(s, v.data(), n);
	return v;
}

// The byte of host memory at a, before anybody wrote it.
static inline u8 host_byte(u64 a)
{
	u64 z = (a >> 3) * 0x9e3779b97f4a7c15ull;
	z = (z ^ (z >> 29)) * 0xbf58476d1ce4e5b9ull;
	return u8((z ^ (z >> 32)) >> (8 * (a & 7)));
}

// One dma_rd client: answers in request order, beats on bus lanes, errors that begin at a random beat.
struct ReadModel {
	struct R { u64 addr, due; unsigned len, beats, at = 0; bool err; unsigned err_at; };
	tb::Rng &rng;
	unsigned lanes, lat_lo = 1, lat_hi = 40, err_permille = 0, gap = 20;
	std::deque<R> q;
	std::function<u8(u64)> mem = host_byte;
	std::function<bool(u64)> force_err = [](u64) { return false; };
	u64 requests = 0;
	ReadModel(tb::Rng &r, unsigned l) : rng(r), lanes(l) {}
	template <class S> R *accept(const S &req, u64 now)
	{
		R r;
		r.addr = FIELD(req, OHCA_DMA_RD_REQ_ADDR);
		r.len = FIELD(req, OHCA_DMA_RD_REQ_LEN);
		CHECK(r.len >= 1 && r.len <= 4096 && (r.addr & 4095) + r.len <= 4096, "read of %u at 0x%llx", r.len, (unsigned long long)r.addr);
		r.beats = unsigned((r.addr % lanes + r.len + lanes - 1) / lanes);
		r.err = force_err(r.addr) || rng.below(1000) < err_permille;
		r.err_at = unsigned(rng.below(r.beats));
		r.due = now + rng.range(lat_lo, lat_hi);
		q.push_back(r);
		requests++;
		return &q.back();
	}
	template <class V, class D, class L, class E> void drive(u64 now, V &valid, D &data, L &last, E &err)
	{
		valid = 0;
		if (q.empty() || q.front().due > now || rng.chance(gap)) return;
		R &r = q.front();
		u64 a = r.addr / lanes * lanes + u64(r.at) * lanes;
		bytes v(lanes);
		for (unsigned i = 0; i < lanes; i++) v[i] = (a + i < r.addr || a + i >= r.addr + r.len) ? u8(rng.next()) : mem(a + i);
		tb::set_bytes(data, v.data(), lanes);
		valid = 1;
		err = r.err && r.at >= r.err_at;
		r.at++;
		last = r.at == r.beats;
		if (last) q.pop_front();
	}
};
