// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// What the tests of the send path share: translations as a client sees them, random addresses, packets as bytes.
#pragma once
#include "../context/models.h"
typedef uint16_t u16;

// One tpt client: answers in request order after a random time. Keys with bit 31 set are refused.
struct TptModel {
	struct T { bool ok; u64 addr, due; };
	tb::Rng &rng;
	unsigned lat_lo = 1, lat_hi = 12;
	std::deque<T> q;
	u64 requests = 0;
	explicit TptModel(tb::Rng &r) : rng(r) {}
	static u64 bus(u64 va) { return (va & ~0xffffull) + 0x5a0000000000ull + ((((va >> 12) * 3) & 15) << 12) + (va & 0xfff); }
	template <class S> void accept(const S &req, u64 now)
	{
		u64 va = FIELD(req, OHCA_TPT_REQ_VA);
		u32 len = u32(FIELD(req, OHCA_TPT_REQ_CHK_LEN));
		CHECK(len >= 1 && (va & 4095) + len <= 4096, "translation of %u at 0x%llx", len, (unsigned long long)va);
		u64 due = now + rng.range(lat_lo, lat_hi);
		if (!q.empty() && due <= q.back().due) due = q.back().due + 1;
		q.push_back({!(FIELD(req, OHCA_TPT_REQ_KEY) >> 31), bus(va), due});
		requests++;
	}
	template <class V, class R> void drive(u64 now, V &valid, R &rsp)
	{
		valid = 0;
		if (q.empty() || q.front().due > now) return;
		valid = 1;
		tb::clear(rsp);
		SET_FIELD(rsp, OHCA_TPT_RSP_OK, q.front().ok);
		SET_FIELD(rsp, OHCA_TPT_RSP_ADDR, q.front().ok ? q.front().addr : rng.next());
		SET_FIELD(rsp, OHCA_TPT_RSP_VERR, q.front().ok ? 0 : OHCA_VENDOR_ERR_TPT_KEY);
		q.pop_front();
	}
};
// Payload by virtual address, as the device must see it.
static inline u8 va_byte(u64 va) { return host_byte(TptModel::bus(va)); }

static inline void put16(bytes &b, u32 v) { b.push_back(u8(v >> 8)); b.push_back(u8(v)); }
static inline void put32(bytes &b, u32 v) { put16(b, v >> 16); put16(b, v & 0xffff); }
static inline void put64(bytes &b, u64 v) { put32(b, u32(v >> 32)); put32(b, u32(v)); }
